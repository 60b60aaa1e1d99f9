import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TrustKit

/// Which paths imported lists confirm, and which path is found.
@Suite("Paths under imported lists")
struct ListedPathTests {
    let root: TestPKI.Identity
    let sub: TestPKI.Identity
    let signer: TestPKI.Identity

    init() throws {
        root = try TestPKI.root()
        sub = try TestPKI.issue("CN=Sub", by: root, profile: .ca)
        signer = try TestPKI.issue(by: sub)
    }

    private enum Trust: String {
        case trusted = "CKT_NSS_TRUSTED_DELEGATOR"
        case neutral = "CKT_NSS_MUST_VERIFY_TRUST"
        case distrusted = "CKT_NSS_NOT_TRUSTED"
    }

    /// One certificate of Mozilla's list.
    private func entry(
        _ certificate: Certificate, _ trust: Trust = .trusted, until end: String? = nil
    ) -> String {
        func octets(_ bytes: [UInt8]) -> String {
            let digits = bytes.map { byte in
                let octal = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
            return "MULTILINE_OCTAL\n\(digits.joined())\nEND"
        }
        return """
            CKA_CLASS CK_OBJECT_CLASS CKO_CERTIFICATE
            CKA_VALUE \(octets(certificate.der))
            CKA_NSS_EMAIL_DISTRUST_AFTER \(end.map { octets(Array($0.utf8)) } ?? "CK_BBOOL CK_FALSE")
            CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
            CKA_ISSUER \(octets(certificate.issuerDER))
            CKA_SERIAL_NUMBER \(octets(certificate.serialDER))
            CKA_TRUST_EMAIL_PROTECTION CK_TRUST \(trust.rawValue)

            """
    }

    private func verdict(
        _ entries: String..., given: [Certificate] = [], candidates: [Certificate]? = nil,
        of leaf: Certificate? = nil, evidence: RevocationEvidence = RevocationEvidence()
    ) throws -> PathVerdict {
        var validator = PathValidator(anchors: .certificates(given), now: TestPKI.now)
        let list = try AnchorList(certdata: Array(entries.joined().utf8))
        validator.listed = TrustedLists(source: nil, others: [list], at: TestPKI.now)
        validator.evidence = evidence
        return try validator.validate(
            leaf: leaf ?? signer.certificate,
            candidates: candidates ?? [sub.certificate, root.certificate], at: TestPKI.now)
    }

    private func expectRefused(
        _ verdict: PathVerdict, _ words: String, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(verdict.outcome != .passed, sourceLocation: location)
        #expect(
            verdict.message?.contains(words) == true, "\(verdict.message ?? "")",
            sourceLocation: location)
    }

    /// An old self-signed root with a cross-certificate, and cross-certificates without issuer.
    @Test func theOrderOfTheCertificatesDoesNotMatter() throws {
        let old = try TestPKI.root("CN=Old")
        let cross = try TestPKI.issue("CN=Old", by: root, profile: .ca, key: old.key)
        let sub = try TestPKI.issue("CN=Sub", by: old, profile: .ca)
        let gone = try TestPKI.root("CN=Gone")
        let dead = try (0..<10).map { _ in
            try TestPKI.issue("CN=Sub", by: gone, profile: .ca, key: sub.key).certificate
        }
        let leaf = try TestPKI.issue(by: sub).certificate
        let four = [old.certificate, cross.certificate, sub.certificate, dead[0]]
        for first in four {
            for second in four where second != first {
                let rest = four.filter { $0 != first && $0 != second }
                for order in [rest, rest.reversed()] {
                    let found = try verdict(
                        entry(root.certificate), candidates: [first, second] + order, of: leaf)
                    #expect(found.isTrusted, "\(order.map(\.displayName))")
                }
            }
        }
        #expect(
            try verdict(entry(root.certificate), candidates: dead + four, of: leaf).isTrusted)
        expectRefused(
            try verdict(entry(root.certificate), candidates: dead + [sub.certificate], of: leaf),
            "was not found")
    }

    @Test func reportsThatNotAllPathsWereTried() throws {
        let junk = try (0..<2100).map { _ in
            try TestPKI.issue("CN=Sub", by: root, profile: .ca, key: root.key).certificate
        }
        expectRefused(
            try verdict(entry(root.certificate), candidates: junk),
            "not all certificate chains were tried")
    }

    /// A key is distrusted in every encoding.
    @Test func comparesKeysByTheirNumbers() throws {
        let uncompressed = sub.key.publicKey.spkiDER
        var point = Array(uncompressed.suffix(65))
        point = [point[64] & 1 == 0 ? 0x02 : 0x03] + point[1...32]
        var reader = try #require(ASN1Reader.single(uncompressed[...], .definite)).reader
        let identifier = reader.next(ASN1Tag.sequence)?.whole ?? []
        let compressed = try PublicKey(
            spkiDER: DERWriter.sequence([
                Array(identifier), DERWriter.element(ASN1Tag.bitString, [0] + point),
            ]))
        #expect(compressed.spkiDER != uncompressed)
        #expect(compressed.identity == sub.key.publicKey.identity)
        #expect(
            try compressed.identity != PrivateKey.generate(.ec(curve: .p256)).publicKey.identity)
        let odd = try TestPKI.issue("CN=Sub", by: root, profile: .ca, key: sub.key) {
            $0.publicKey = compressed
        }
        let leaf = try TestPKI.issue(by: odd).certificate
        let candidates = [odd.certificate]
        #expect(try verdict(entry(root.certificate), candidates: candidates, of: leaf).isTrusted)
        expectRefused(
            try verdict(
                entry(root.certificate), entry(sub.certificate, .distrusted),
                candidates: candidates, of: leaf),
            "distrusts the certificate of 'Sub'")

        let rsa = try PrivateKey.generate(.rsa(bits: 2048)).publicKey
        var fields = try #require(ASN1Reader.single(rsa.spkiDER[...], .definite)).reader
        _ = fields.next(ASN1Tag.sequence)
        let bits = fields.next(ASN1Tag.bitString)?.whole ?? []
        let pss = try PublicKey(
            spkiDER: DERWriter.sequence([
                DERWriter.sequence(DERWriter.objectIdentifier(.rsaPSS)), Array(bits),
            ]))
        #expect(pss.spkiDER != rsa.spkiDER && pss.identity == rsa.identity)
    }

    /// Distrust applies up to the trust anchor, not above it.
    @Test func theTrustAnchorEndsThePath() throws {
        let distrust = entry(root.certificate, .distrusted)
        for candidates in [[], [sub.certificate], [sub.certificate, root.certificate]] {
            #expect(
                try verdict(entry(sub.certificate), distrust, candidates: candidates).isTrusted)
        }
        let other = try TestPKI.root("CN=Other")
        expectRefused(
            try verdict(entry(other.certificate), distrust),
            "distrusts the certificate of 'Test Root'")
    }

    @Test func aGivenTrustAnchorAppliesUnconditionally() throws {
        let dated = entry(sub.certificate, until: "240101000000Z")
        expectRefused(try verdict(dated), "limits 'Sub' to earlier certificates")
        #expect(try verdict(dated, given: [root.certificate]).isTrusted)
        let distrusted = entry(sub.certificate, .distrusted)
        expectRefused(
            try verdict(entry(root.certificate), distrusted), "distrusts the certificate of 'Sub'")
        #expect(
            try verdict(entry(root.certificate), distrusted, given: [root.certificate]).isTrusted)
    }

    /// The date of a CA applies also if the CA itself is no trust anchor.
    @Test(arguments: [("240101000000Z", false), ("260101000000Z", true)])
    func datesApplyToIntermediates(_ end: String, _ isGood: Bool) throws {
        let found = try verdict(
            entry(root.certificate), entry(sub.certificate, .neutral, until: end))
        #expect(found.isTrusted == isGood)
    }

    /// A certificate that is itself a trust anchor needs no issuer, even if there is one.
    @Test func theLeafMayBeTheTrustAnchor() throws {
        let found = try verdict(entry(signer.certificate))
        #expect(found.isTrusted && found.chain == [signer.certificate])
    }

    /// A distrusted signer may report a revocation, but not its absence.
    @Test func distrustAppliesToRevocationData() throws {
        let responder = try TestPKI.issue("CN=Responder", by: sub, profile: .ocsp)
        let listed = entry(root.certificate)
        let distrust = entry(responder.certificate, .distrusted)
        func evidence(revoked: CalendarTime? = nil) throws -> RevocationEvidence {
            var single = TestAnswer.Single(signer.certificate, issuer: sub.certificate)
            single.revoked = revoked
            return RevocationEvidence(
                lists: [], responses: [try TestAnswer(by: responder, [single]).made()])
        }
        #expect(try verdict(listed, evidence: evidence()).outcome == .passed)
        expectRefused(
            try verdict(listed, distrust, evidence: evidence()),
            "distrusts the certificate of 'Responder'")
        let revoked = try verdict(
            listed, distrust, evidence: evidence(revoked: TestPKI.time(2026, 4, 1)))
        #expect(revoked.outcome == .indeterminate(.revokedNoPOE))

        // A CRL by the renewed key of the CA.
        let renewed = try TestPKI.issue("CN=Sub", by: root, profile: .ca)
        let own = try TestList(by: root).made()
        let list = RevocationEvidence(
            lists: [try TestList(by: renewed).made(), own], responses: [])
        let candidates = [sub.certificate, renewed.certificate]
        #expect(try verdict(listed, candidates: candidates, evidence: list).outcome == .passed)
        expectRefused(
            try verdict(
                listed, entry(renewed.certificate, .distrusted), candidates: candidates,
                evidence: list), "distrusts the certificate of 'Sub'")
    }
}
