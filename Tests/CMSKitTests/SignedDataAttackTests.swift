import Base
import CMSKit
import CryptoBridge
import FuzzTargets
import SignetTestSupport
import Testing

@Suite("Attacks on signed data")
struct SignedDataAttackTests {
    let fixture: CMSFixture
    let bytes: [UInt8]
    var key: PrivateKey { fixture.identity.key }

    init() throws {
        fixture = try CMSFixture()
        bytes = try fixture.sign()
    }

    private func failures(
        _ node: DERNode, profile: SignedDataVerifier.Profile = .pades
    ) throws -> [ProblemCode] {
        let check = try fixture.check(node.bytes, profile: profile)
        #expect((!check.isVerified) == !check.failures.isEmpty)
        return check.failures.map(\.code)
    }

    /// Signed again with one more attribute.
    private func failures(adding type: String, _ value: [UInt8]) throws -> [ProblemCode] {
        var node = DERNode(bytes)
        node.attributes.append(
            DERNode(TestDER.sequence(TestDER.oid(type), TestDER.element(0x31, value))))
        try node.resign(key, .ecdsa(.sha256))
        return try failures(node)
    }

    @Test func theTreeRewritesFaithfully() throws {
        #expect(DERNode(bytes).bytes == bytes)
        #expect(try failures(DERNode(bytes)) == [])
    }

    /// CMS-1.
    @Test func rejectsASwappedDigestAlgorithm() throws {
        var node = DERNode(bytes)
        node.signerInfo[2][0] = .leaf(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03])
        #expect(try failures(node).contains(.algorithmMismatch))
    }

    /// CMSAlgorithmProtection (RFC 6211).
    @Test func protectsTheAlgorithms() throws {
        func codes(_ digest: String, _ signature: String) throws -> [ProblemCode] {
            try failures(
                adding: "1.2.840.113549.1.9.52",
                TestDER.sequence(
                    TestDER.sequence(TestDER.oid(digest), [0x05, 0x00]),
                    TestDER.element(0xA1, TestDER.oid(signature))))
        }
        let sha256 = "2.16.840.1.101.3.4.2.1"
        #expect(try codes(sha256, "1.2.840.10045.4.3.2") == [])
        #expect(try codes("2.16.840.1.101.3.4.2.3", "1.2.840.10045.4.3.2") == [.algorithmMismatch])
        #expect(try codes(sha256, "1.2.840.10045.4.3.4") == [.algorithmMismatch])
    }

    /// SigningCertificate beside SigningCertificateV2: both name the signer.
    @Test func refusesTwoReferencesThatDiffer() throws {
        func codes(_ certificate: Certificate) throws -> [ProblemCode] {
            let hash = TestDER.element(0x04, try DigestAlgorithm.sha1.hash(certificate.der))
            return try failures(
                adding: "1.2.840.113549.1.9.16.2.12",
                TestDER.sequence(TestDER.sequence(TestDER.sequence(hash))))
        }
        #expect(try codes(fixture.identity.certificate) == [])
        #expect(try codes(fixture.root.certificate) == [.signingCertificateMismatch])
    }

    @Test func rejectsPSSWithAnotherHashThanTheDigestAlgorithm() throws {
        let fixture = try CMSFixture(.rsa(bits: 2048))
        let pss384 = DERNode(try fixture.sign(digest: .sha384, scheme: .rsaPSS(.sha384)))
        var node = DERNode(try fixture.sign(digest: .sha256, scheme: .rsaPSS(.sha256)))
        node.signerInfo[4] = pss384.signerInfo[4]
        #expect(try fixture.check(node.bytes).failures.map(\.code) == [.algorithmMismatch])
    }

    /// CMS-2.
    @Test func rejectsMissingSignedAttributes() throws {
        var node = DERNode(bytes)
        let signed = DERNode.branch(0x31, node.attributes).bytes
        node.signerInfo.children.remove(at: 3)
        // The content is the attributes' DER, so the signature itself verifies.
        let check = try fixture.check(node.bytes, content: signed)
        #expect(check.signatureValid == true)
        #expect(check.failures.map(\.code).contains(.signedAttributesMissing))
        #expect(!check.isVerified)
    }

    /// CMS-3.
    @Test func rejectsAWrongContentType() throws {
        var node = DERNode(bytes)
        let index = try #require(node.attributeIndex(Tail.contentType))
        node.attributes[index][1][0] = .leaf(0x06, [0x2A, 0x03])
        try node.resign(key, .ecdsa(.sha256))
        #expect(try failures(node) == [.contentTypeMismatch])
    }

    @Test(arguments: [Tail.contentType, Tail.messageDigest, Tail.signingCertificateV2])
    func rejectsRepeatedAndManyValuedAttributes(tail: [UInt8]) throws {
        var node = DERNode(bytes)
        let index = try #require(node.attributeIndex(tail))
        var repeated = node
        repeated.attributes.insert(node.attributes[index], at: index)
        try repeated.resign(key, .ecdsa(.sha256))
        #expect(try failures(repeated).contains(.attributeRepeated))
        let value = node.attributes[index][1][0]
        node.attributes[index][1].children = [value, value]
        try node.resign(key, .ecdsa(.sha256))
        #expect(try failures(node).contains(.attributeRepeated))
    }

    @Test(arguments: [
        (Tail.contentType, ProblemCode.contentTypeAttributeMissing),
        (Tail.messageDigest, .messageDigestMissing),
        (Tail.signingCertificateV2, .signingCertificateReferenceMissing),
    ])
    func rejectsMissingAttributes(tail: [UInt8], code: ProblemCode) throws {
        var node = DERNode(bytes)
        node.attributes.remove(at: try #require(node.attributeIndex(tail)))
        try node.resign(key, .ecdsa(.sha256))
        #expect(try failures(node) == [code])
    }

    @Test func notesUnsortedAttributesAndVerifiesThemAsReceived() throws {
        var node = DERNode(bytes)
        node.attributes.reverse()
        #expect(try failures(node) == [.signatureInvalid])
        try node.resign(key, .ecdsa(.sha256))
        let check = try fixture.check(node.bytes)
        #expect(check.isVerified)
        #expect(check.problems.map(\.code) == [.attributesNotSorted])
    }

    /// CMS-4.
    @Test func rejectsContentInADetachedSignature() throws {
        var node = DERNode(bytes)
        node.signedData[2].children.append(.branch(0xA0, [.leaf(0x04, fixture.content)]))
        #expect(try failures(node) == [.contentEmbedded])
        #expect(try failures(node, profile: .detached) == [.contentEmbedded])
    }

    /// CMS-5: the certificate issued anew for the same key, name and serial.
    @Test func rejectsAReissuedCertificate() throws {
        let twin = try TestPKI.issue(by: fixture.root, profile: .tsa, key: key) {
            var serial = Array(fixture.identity.certificate.serialDER.dropFirst(2))
            if serial.first == 0 { serial.removeFirst() }
            $0.serialNumber = serial
        }
        var node = DERNode(bytes)
        node.signedData[3].children = [DERNode(twin.certificate.der)]
        let check = try fixture.check(node.bytes)
        #expect(check.signatureValid == true)
        #expect(check.failures.map(\.code) == [.signingCertificateMismatch])
        // With both at hand the reference decides.
        node.signedData[3].children.append(DERNode(fixture.identity.certificate.der))
        let both = try fixture.check(node.bytes)
        #expect(both.isVerified && both.signer == fixture.identity.certificate)
    }

    /// CMS-7.
    @Test func rejectsSeveralSignersInAPDF() throws {
        var node = DERNode(bytes)
        var second = node.signerInfo
        second[5] = .leaf(0x04, [1, 2, 3])
        node.signedData[4].children.append(second)
        #expect(try failures(node) == [.severalSigners])
        let message = try SignedData(node.bytes)
        let checks = try SignedDataVerifier(profile: .detached).verify(
            message, contentDigests: [.sha256: fixture.hash(.sha256)])
        #expect(checks.map { $0.isVerified } == [true, false])
    }

    /// CMS-8.
    @Test func missesTheSignersCertificate() throws {
        var node = DERNode(bytes)
        node.signedData.children.remove(at: 3)
        #expect(try failures(node) == [.signerCertificateMissing])
        let check = try fixture.check(node.bytes) {
            $0.additionalCertificates = [fixture.identity.certificate]
        }
        #expect(check.isVerified)
    }

    @Test func rejectsDataAroundTheMessage() {
        #expect(throws: CMSError(.trailingData, "")) { try SignedData(bytes + [0]) }
        #expect(throws: CMSError(.trailingData, "")) { try SignedData(bytes + bytes) }
        #expect(throws: CMSError.self) { try SignedData([0] + bytes) }
        #expect(throws: CMSError(.malformed, "")) { try SignedData([]) }
    }

    @Test func rejectsBER() {
        // The same message, its outer length indefinite.
        let inner = Array(bytes.dropFirst(4))
        #expect(throws: CMSError(.notDER, "")) { try SignedData([0x30, 0x80] + inner + [0, 0]) }
        // A long form where a shorter one does.
        let length = bytes.count - 4
        let long: [UInt8] = [0x30, 0x83, 0, UInt8(length >> 8), UInt8(length & 0xFF)]
        #expect(throws: CMSError(.notDER, "")) { try SignedData(long + inner) }
    }

    @Test func notesSigningTimeInPAdES() throws {
        var builder = try fixture.builder()
        builder.signingTime = TestPKI.now
        let signed = try builder.sign(messageDigest: fixture.hash(.sha256))
        let check = try fixture.check(signed)
        #expect(check.problems.map(\.code) == [.signingTimePresent])
        #expect(check.isVerified)
        #expect(check.claimedTime == TestPKI.now)
        #expect(try fixture.check(signed, profile: .adobeDetached).problems.isEmpty)
    }

    @Test("no flipped byte goes unnoticed")
    func flippedBytes() throws {
        let certificates = DERNode(bytes).signedData[3].bytes
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: certificates) })
        let covered = start..<start + certificates.count
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x01
            guard let message = try? SignedData(damaged) else { continue }
            let checks = try SignedDataVerifier(profile: .pades).verify(
                message, contentDigests: [.sha256: fixture.hash(.sha256)])
            // Outside the signature's reach: other certificates, versions, the digest list.
            if covered.contains(index) { continue }
            if checks[0].isVerified { #expect(!checks[0].problems.isEmpty, "byte \(index)") }
        }
    }

    @Test("any prefix throws, any damage returns")
    func survivesDamage() throws {
        for count in bytes.indices {
            #expect(throws: CMSError.self) { try SignedData(Array(bytes.prefix(count))) }
        }
        for index in stride(from: 0, to: bytes.count, by: 3) {
            for value: UInt8 in [0x00, 0x80, 0x24] {
                var damaged = bytes
                damaged[index] = value
                _ = FuzzTarget.cms.failure(of: damaged)
            }
        }
    }

    @Test func capsNestingAndCounts() {
        var deep: [UInt8] = []
        for _ in 0..<2000 {
            deep =
                deep.count < 0x80
                ? [0x30, UInt8(deep.count)] + deep
                : [0x30, 0x82, UInt8(deep.count >> 8), UInt8(deep.count & 0xFF)] + deep
        }
        #expect(throws: CMSError(.malformed, "")) { try SignedData(deep) }
        #expect(throws: CMSError.self) { try SignedData([UInt8](repeating: 0x30, count: 100_000)) }
        var indefinite: [UInt8] = []
        for _ in 0..<50_000 { indefinite += [0x30, 0x80] }
        #expect(throws: CMSError(.malformed, "")) { try SignedData(indefinite, encoding: .ber) }
        var node = DERNode(bytes)
        node.signedData[4].children = Array(repeating: node.signerInfo, count: 65)
        #expect(throws: CMSError(.limitExceeded, "")) { try SignedData(node.bytes) }
    }
}
