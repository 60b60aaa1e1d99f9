import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing
import TimestampKit
import TrustKit

/// Each point of the checklist, broken by itself: TS-1 to TS-3 of the attacks on signatures, and
/// what else RFC 3161 §2.4.2 asks for.
struct TimestampAttackTests {
    @Test func passesWhenAllIsRight() throws {
        let fixture = try TimestampFixture()
        let check = try fixture.check(fixture.token())
        #expect(check.verdict == .passed && check.problems.isEmpty)
        #expect(check.isIntact && check.isTrusted && check.signer == fixture.tsa.certificate)
        #expect(check.chain.last == fixture.root.certificate)
    }

    /// RFC 3161 §4: who has the key can stamp with any date.
    @Test(arguments: [
        (UInt8?.some(1), false), (nil, false), (2, false), (9, false), (0, true), (3, true),
        (4, true), (5, true),
    ])
    func aLostKeyCondemnsAllItsTokens(reason: UInt8?, isGood: Bool) throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        let revoked = fixture.time.adding(seconds: 86_400)
        var list = TestList(by: fixture.root)
        list.thisUpdate = fixture.time.adding(seconds: 2 * 86_400)
        list.nextUpdate = fixture.time.adding(seconds: 9 * 86_400)
        list.revoke(fixture.tsa.certificate, on: revoked, reason: reason)
        func verdict(existsAt time: CalendarTime) throws -> Verdict {
            var validator = PathValidator(
                anchors: .certificates([fixture.root.certificate]),
                now: fixture.time.adding(seconds: 3 * 86_400))
            validator.evidence = RevocationEvidence(lists: [try list.made()], responses: [])
            return try TimestampVerifier(validator, time: time)
                .verify(token, over: fixture.data).verdict
        }
        #expect(
            try verdict(existsAt: fixture.time.adding(seconds: 3 * 86_400))
                == (isGood ? .passed : .indeterminate))
        // Another authority saw the token before.
        #expect(try verdict(existsAt: fixture.time.adding(seconds: 3600)) == .passed)
    }

    /// TS-1.
    @Test func refusesAnotherImprint() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        let check = try fixture.verifier().verify(token, over: fixture.data + [0])
        #expect(check.verdict == .failed && check.subIndication == .hashFailure)
        #expect(check.codes == [.imprintMismatch] && !check.isIntact)
        // Nothing to compare with is no success either.
        let unknown = try fixture.verifier().verify(token, hash: nil)
        #expect(unknown.verdict == .indeterminate && !unknown.isIntact)
    }

    /// TS-2: what answers another request, or is no answer.
    @Test func refusesAnswersToOtherRequests() throws {
        let fixture = try TimestampFixture()
        let authority = try fixture.authority { $0.furtherPolicies = ["1.2.3.5"] }
        let request = try fixture.request(policy: "1.2.3.5")
        let answer = fixture.respond(request.encoded, authority)
        let reply = try TimestampReply(answer.response)
        let verifier = fixture.verifier()
        #expect(try verifier.verify(reply, request: request).verdict == .passed)
        let imprint = request.messageImprint
        let other = try MessageImprint(of: [1], digest: .sha256)
        let longer = try MessageImprint(of: fixture.data, digest: .sha512)
        let cases: [(TimestampRequest, ProblemCode, SubIndication)] = [
            (TimestampRequest(messageImprint: imprint, nonce: [9]), .nonceMismatch, .formatFailure),
            (
                TimestampRequest(messageImprint: other, nonce: request.nonce), .imprintMismatch,
                .hashFailure
            ),
            (
                TimestampRequest(messageImprint: longer, nonce: request.nonce),
                .imprintAlgorithmMismatch, .hashFailure
            ),
            (
                TimestampRequest(messageImprint: imprint, policy: "1.2.3.4", nonce: request.nonce),
                .policyMismatch, .formatFailure
            ),
        ]
        for (asked, code, subIndication) in cases {
            let check = try verifier.verify(reply, request: asked)
            #expect(check.verdict == .failed && check.codes == [code], "\(check.codes)")
            #expect(check.subIndication == subIndication)
            // The hash of the data does not heal it.
            let hash = try DigestAlgorithm.sha256.hash(fixture.data)
            #expect(try verifier.verify(reply, request: asked, hash: hash).verdict == .failed)
        }
        let silent = try fixture.token { $0.nonce = nil }
        let asked = TimestampRequest(messageImprint: imprint, nonce: [9])
        #expect(try verifier.verify(.token(silent), request: asked).codes == [.nonceMissing])
    }

    @Test func judgesTheStatus() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        let hash = try DigestAlgorithm.sha256.hash(fixture.data)
        func check(
            _ status: PKIStatus, _ failure: PKIFailureInfo? = nil, _ token: TimestampToken? = nil
        ) throws -> TimestampCheck {
            let bytes = TimestampResponse(
                status: status, statusTexts: ["nein"], failure: failure, token: token
            ).encoded()
            return try fixture.verifier().verify(TimestampReply(bytes), hash: hash)
        }
        #expect(try check(.granted, nil, token).verdict == .passed)
        let modified = try check(.grantedWithMods, nil, token)
        #expect(modified.verdict == .passed)
        #expect(modified.codes == [.timestampGrantedWithModifications])
        #expect(try check(.granted).codes == [.timestampTokenMissing])
        #expect(try check(.granted).verdict == .failed)
        for status in [PKIStatus.rejection, .waiting, .revocationWarning, .revocationNotification] {
            let refused = try check(status, .badAlg)
            #expect(refused.verdict == .failed && refused.codes == [.timestampNotGranted])
            #expect(refused.problems[0].message.contains("nein"))
            #expect(refused.problems[0].message.contains("badAlg"))
            // A good token does not help.
            #expect(try check(status, nil, token).verdict == .failed)
        }
    }

    /// SEQUENCE { SEQUENCE { INTEGER 2, BIT STRING } }: padding bits have no meaning in BER.
    @Test(
        arguments: [
            ([0x03, 0x02, 0x05, 0xBF], [0, 2]), ([0x03, 0x02, 0x07, 0xFF], [0]),
            ([0x03, 0x03, 0x00, 0x00, 0x01], [15]), ([0x03, 0x01, 0x07], []),
        ] as [([UInt8], [Int])])
    func readsFailuresWithoutPadding(bitString: [UInt8], expected: [Int]) throws {
        let count = UInt8(bitString.count)
        let bytes = [0x30, count + 5, 0x30, count + 3, 0x02, 0x01, 0x02] + bitString
        #expect(try TimestampReply(bytes).response?.failureBits == expected)
    }

    /// TS-3: certificates that may not stamp.
    @Test func refusesCertificatesForOtherPurposes() throws {
        let both = [OID.timeStamping, OID.codeSigning]
        let cases: [(CertificateProfile, (inout CertificateBuilder) -> Void, ProblemCode)] = [
            (.signer, { _ in }, .extendedKeyUsage),
            (.ocsp, { _ in }, .extendedKeyUsage),
            (.tsa, { $0.extendedKeyUsage = both }, .extendedKeyUsage),
            // The signer's profile does not mark the extension critical.
            (.signer, { $0.extendedKeyUsage = [OID.timeStamping] }, .extendedKeyUsage),
            (.tsa, { $0.keyUsage = [.digitalSignature, .keyEncipherment] }, .keyUsage),
            (.tsa, { $0.keyUsage = [.keyCertSign] }, .keyUsage),
        ]
        for (profile, configure, code) in cases {
            let fixture = try TimestampFixture(profile: profile, configure: configure)
            let check = try fixture.check(fixture.token())
            #expect(check.verdict == .failed && !check.isTrusted, "\(check.problems)")
            #expect(check.codes == [code])
            #expect(throws: CMSError(.invalidParameter, "")) { try fixture.authority() }
        }
    }

    /// TS-3: no reference to the certificate, or one to another.
    @Test func refusesMissingAndWrongReferences() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        func resigned(_ change: (inout DERNode) throws -> Void) throws -> TimestampCheck {
            var tree = DERNode(token.encoded)
            try change(&tree)
            try tree.resign(fixture.tsa.key, .ecdsa(.sha256))
            return try fixture.check(TimestampToken(tree.bytes))
        }
        let missing = try resigned { tree in
            let index = try #require(tree.attributeIndex([0x02, 0x2F]))
            tree.attributes.remove(at: index)
        }
        #expect(missing.verdict == .failed)
        #expect(missing.codes == [.signingCertificateReferenceMissing])
        let wrong = try resigned { tree in
            let index = try #require(tree.attributeIndex([0x02, 0x2F]))
            let hash = tree.attributes[index][1][0][0][0][0]
            guard case .leaf(let tag, var bytes) = hash else { return }
            bytes[0] ^= 1
            tree.attributes[index][1][0][0][0][0] = .leaf(tag, bytes)
        }
        #expect(wrong.verdict == .failed)
        #expect(wrong.codes == [.signingCertificateMismatch])
        let stripped = try resigned { $0.attributes.removeAll { _ in true } }
        #expect(stripped.verdict == .failed)
    }

    /// Another certificate of the same key and name, whatever it is worth.
    @Test func refusesAnExchangedCertificate() throws {
        let fixture = try TimestampFixture()
        let twin = try TestPKI.issue(
            "CN=Our TSA,O=Firma", by: fixture.root, profile: .tsa, key: fixture.tsa.key)
        let token = try fixture.token()
        var tree = DERNode(token.encoded)
        tree.signedData[3] = .branch(0xA0, [DERNode(twin.certificate.der)])
        let check = try fixture.check(TimestampToken(tree.bytes))
        #expect(check.verdict != .passed)
        #expect(check.codes.contains(.signerCertificateMissing))
        // EmbeddedCertificates along from elsewhere, the right one is found by its hash.
        var verifier = fixture.verifier()
        verifier.additionalCertificates = [fixture.tsa.certificate]
        let helped = try verifier.verify(TimestampToken(tree.bytes), over: fixture.data)
        #expect(helped.verdict == .passed && helped.signer == fixture.tsa.certificate)
        verifier.pinned = twin.certificate
        #expect(try verifier.verify(token, over: fixture.data).verdict == .failed)
    }

    @Test func judgesWhatTheTokenSays() throws {
        let fixture = try TimestampFixture()
        let weak = try MessageImprint(of: fixture.data, digest: .sha1)
        let short = MessageImprint(digest: .sha256, hash: [1, 2, 3])
        let unknown = [UInt8]([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x63])
        let known = [UInt8]([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])
        let critical: [UInt8] = [
            0xA1, 0x0B, 0x30, 0x09, 0x06, 0x02, 0x2A, 0x03, 0x01, 0x01, 0xFF, 0x04, 0x00,
        ]
        typealias Change = (inout TimestampFixture.TokenParts) -> Void
        let cases: [(Change, ProblemCode, Verdict)] = [
            ({ $0.imprint = weak }, .imprintWeak, .indeterminate),
            ({ $0.imprint = short }, .imprintMalformed, .failed),
            (
                { $0.rewrite = { replace($0, known, unknown) } }, .imprintAlgorithmUnsupported,
                .indeterminate
            ),
            (
                { $0.rewrite = { replace($0, [2, 1, 1], [2, 1, 2]) } }, .tstVersionUnexpected,
                .failed
            ), ({ $0.rewrite = { extended($0, critical) } }, .tstCriticalExtension, .failed),
            (
                { $0.accuracy = Accuracy(.microseconds(7_200_000_000)) }, .accuracyTooCoarse,
                .indeterminate
            ), ({ $0.accuracy = Accuracy(.microseconds(1_000_001)) }, .accuracyCoarse, .passed),
            (
                { $0.time = Moment($0.time.time.adding(seconds: 3600)) }, .timeInFuture,
                .indeterminate
            ), ({ $0.tsa = [0xA4, 0x02, 0x30, 0x00] }, .tsaNameMismatch, .passed),
        ]
        for (change, code, verdict) in cases {
            let check = try fixture.check(fixture.token(change))
            #expect(check.codes.contains(code), "\(code): \(check.problems)")
            if code != .imprintMalformed {
                #expect(check.codes == [code], "\(code): \(check.codes)")
            }
            #expect(check.verdict == verdict, "\(code)")
        }
    }

    /// A request for a hash that nobody can judge: the answer fits it, and proves nothing.
    @Test func doubtsUnknownHashesAlsoBesideTheirRequest() throws {
        let fixture = try TimestampFixture()
        let known = [UInt8]([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])
        let unknown = Array(known.dropLast()) + [0x63]
        let token = try fixture.token { $0.rewrite = { replace($0, known, unknown) } }
        let request = TimestampRequest(messageImprint: token.info.messageImprint, nonce: [0x42])
        let check = try fixture.verifier().verify(.token(token), request: request)
        #expect(check.verdict == .indeterminate)
        #expect(check.codes == [.imprintAlgorithmUnsupported])
    }

    /// The path is judged at the stamped time, weak algorithms at the time of asking.
    @Test func judgesThePathAtTheStampedTime() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        let later = try fixture.check(token, at: TestPKI.time(2028, 6, 1))
        #expect(later.verdict == .passed && later.codes == [.certificateExpiredSince])
        let before = try fixture.token { $0.time = Moment(TestPKI.time(2024, 6, 1)) }
        let check = try fixture.check(before)
        #expect(check.verdict == .indeterminate && check.subIndication == .outOfBoundsNoPOE)
        let stranger = try TimestampFixture()
        let untrusted = try stranger.verifier().verify(token, over: fixture.data)
        #expect(untrusted.verdict == .indeterminate && untrusted.isIntact)
        #expect(untrusted.subIndication == .noCertificateChainFound)
        let weakened = try fixture.check(
            fixture.token { parts in
                let sha224 = try? MessageImprint(of: fixture.data, digest: .sha224)
                parts.imprint = sha224 ?? parts.imprint
            }, at: TestPKI.time(2029, 6, 1))
        #expect(weakened.codes.contains(.imprintWeak) && weakened.verdict == .indeterminate)
    }

    /// One bit of each byte: nothing passes but what is neither signed nor referred to.
    @Test func failsWithOneBitFlipped() throws {
        let fixture = try TimestampFixture()
        let token = try fixture.token()
        let loose = token.encoded.count - token.signedData.signers[0].signature.count
        var survivors = 0
        for index in token.encoded.indices {
            var bytes = token.encoded
            bytes[index] ^= 1 << UInt8(index % 8)
            guard let altered = try? TimestampToken(bytes),
                let check = try? fixture.check(altered), check.verdict == .passed
            else { continue }
            #expect(check.info == token.info && check.signer == fixture.tsa.certificate)
            #expect(index < loose, "byte \(index)")
            survivors += 1
        }
        // The root that goes along, and version numbers.
        #expect(survivors < fixture.root.certificate.der.count + 32)
    }

    @Test func tellsOtherMessagesApart() throws {
        let fixture = try TimestampFixture()
        let message = try fixture.sign(fixture.data, type: OID.data)
        #expect(throws: CMSError(.notSignedData, "")) { try TimestampReply(message) }
        let empty = try fixture.sign([], type: OID.tstInfo)
        #expect(throws: CMSError.self) { try TimestampReply(empty) }
        for bytes in [[], [0x30], [0x30, 0x00], Array("<html>".utf8)] {
            #expect(throws: CMSError.self) { try TimestampReply(bytes) }
        }
        let token = try fixture.token()
        #expect(throws: CMSError(.trailingData, "")) { try TimestampToken(token.encoded + [0]) }
        let count = TimestampLimits.replyByteCount + 1
        #expect(throws: CMSError(.limitExceeded, "")) {
            try TimestampReply([UInt8](repeating: 0x30, count: count))
        }
    }
}

private func replace(_ bytes: [UInt8], _ old: [UInt8], _ new: [UInt8]) -> [UInt8] {
    guard let range = bytes.firstRange(of: old) else { return bytes }
    return Array(bytes[..<range.lowerBound]) + new + Array(bytes[range.upperBound...])
}

/// A TSTInfo with one more element; its length has one byte.
private func extended(_ bytes: [UInt8], _ element: [UInt8]) -> [UInt8] {
    DERNode.branch(0x30, DERNode(bytes).children + [DERNode(element)]).bytes
}
