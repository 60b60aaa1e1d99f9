import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

@Suite struct SignerStatementAttributeTests {
    private func check(_ attributes: [CMSAttribute]) throws -> SignatureCheck {
        let fixture = try CMSFixture()
        var builder = try fixture.builder()
        builder.extraSignedAttributes = attributes
        return try fixture.check(builder.sign(messageDigest: fixture.hash(.sha256)))
    }

    @Test func readsOtherForms() throws {
        let policy = CMSAttribute(
            oid: .signaturePolicy,
            values: [
                TestDER.sequence(
                    TestDER.oid("1.2.3"),
                    TestDER.sequence(
                        TestDER.sequence(TestDER.oid("2.16.840.1.101.3.4.2.3")),
                        TestDER.element(0x04, [UInt8](repeating: 7, count: 64))),
                    TestDER.sequence(
                        TestDER.sequence(
                            TestDER.oid("1.2.840.113549.1.9.16.5.1"),
                            TestDER.element(0x16, Array("https://a.example/p".utf8)))))
            ])
        let location = CMSAttribute(
            oid: .signerLocation,
            values: [
                TestDER.sequence(
                    TestDER.element(0xA0, TestDER.element(0x13, Array("CZ".utf8))),
                    TestDER.element(0xA1, TestDER.element(0x1E, [0, 0x42, 1, 0x7E])),
                    TestDER.element(
                        0xA2, TestDER.sequence(TestDER.element(0x0C, Array("Street 1".utf8)))))
            ])
        let found = try check([policy, location]).statements
        #expect(found.policy?.digest == .sha512 && found.policy?.hash?.count == 64)
        #expect(found.policy?.address == "https://a.example/p")
        #expect(found.location == ["CZ", "Bž", "Street 1"])
        let implied = CMSAttribute(oid: .signaturePolicy, values: [[5, 0]])
        let stated = try check([implied]).statements
        #expect(stated.policy != nil && stated.policy?.identifier == nil)
    }

    /// An attribute that cannot be read is told.
    @Test(arguments: [OID.signaturePolicy, .commitmentType, .signerLocation])
    func namesWhatCannotBeRead(oid: OID) throws {
        let check = try check([CMSAttribute(oid: oid, values: [[0x30, 3, 2, 1, 1]])])
        #expect(check.isVerified)
        #expect(check.problems.map(\.code) == [.attributeMalformed])
    }

    /// ETSI TR 102 272: the hash of a policy in ASN.1 is without its outer tag and its hash.
    @Test func hashesPoliciesInASN1() throws {
        let algorithm = TestDER.sequence(TestDER.oid("2.16.840.1.101.3.4.2.1"))
        let info = TestDER.sequence(TestDER.oid("1.2.3"))
        let document = TestDER.sequence(algorithm, info, TestDER.element(0x04, [1]))
        let hashes = try SignerStatements.Policy.hashes(of: document, .sha256)
        #expect(hashes.last == (try DigestAlgorithm.sha256.hash(algorithm + info)))
        #expect(hashes.first == (try DigestAlgorithm.sha256.hash(document)))
        #expect(try SignerStatements.Policy.hashes(of: [1, 2], .sha256).count == 1)
    }
}
