import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

/// Attributes that only a signer can mean, where anybody may add some.
@Suite("What is said without a signature")
struct UnsignedStatementTests {
    let fixture: CMSFixture
    let bytes: [UInt8]

    init() throws {
        fixture = try CMSFixture()
        bytes = try fixture.sign()
    }

    private func adding(_ unsigned: [DERNode], to node: DERNode) -> DERNode {
        var node = node
        node.signerInfo.children.append(.branch(0xA1, unsigned))
        return node
    }

    private static func attribute(_ oid: String, _ values: [UInt8]...) -> DERNode {
        DERNode(TestDER.sequence(TestDER.oid(oid), TestDER.element(0x31, values.flatMap(\.self))))
    }

    private static let time: [UInt8] = [0x17, 0x0D] + Array("991231235959Z".utf8)

    /// RFC 5652 §11.1 to §11.3: "MUST be a signed attribute"; the same in RFC 5035 and RFC 6211.
    @Test(arguments: [
        "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4", "1.2.840.113549.1.9.5",
        "1.2.840.113549.1.9.52", "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47",
        "1.2.840.113549.1.9.16.2.4", "1.2.840.113549.1.9.16.2.10", "1.2.840.113549.1.9.16.2.15",
        "1.2.840.113549.1.9.16.2.16", "1.2.840.113549.1.9.16.2.17", "1.2.840.113549.1.9.16.2.18",
        "1.2.840.113549.1.9.16.2.20", "0.4.0.19122.1.1", "0.4.0.1733.2.1",
    ])
    func doubtsWhatIsNotSigned(oid: String) throws {
        for unsigned in [Self.attribute(oid, Self.time), Self.attribute(oid)] {
            let node = adding([unsigned], to: DERNode(bytes))
            let check = try fixture.check(node.bytes)
            #expect(check.problems.map(\.code) == [.attributeNotSigned])
            #expect(!check.isVerified && check.isIntact)
            #expect(check.claimedTime == nil)
        }
    }

    /// The very same once more misleads nobody; twice, or with another beside it, it does.
    @Test func remarksOnCopies() throws {
        let original = DERNode(bytes)
        for tail in [Tail.contentType, Tail.messageDigest, Tail.signingCertificateV2] {
            let index = try #require(original.attributeIndex(tail))
            let copy = original.attributes[index]
            let copied = try fixture.check(adding([copy], to: original).bytes)
            #expect(copied.problems.map(\.code) == [.attributeCopied])
            #expect(copied.isVerified)
            var second = copy
            second[1].children.append(.leaf(0x04, [1]))
            #expect(
                try fixture.check(adding([copy, second], to: original).bytes).problems.map(\.code)
                    == [.attributeNotSigned])
        }
    }

    /// What nobody takes for the signer's word stays as it was.
    @Test func leavesOthersAlone() throws {
        let node = adding(
            [Self.attribute("1.2.3.4", Self.time), Self.attribute("1.2.840.113549.1.9.6")],
            to: DERNode(bytes))
        #expect(try fixture.check(node.bytes).problems.isEmpty)
    }

    /// ETSI EN 319 122-1 §6.3: once, with one value.
    @Test(arguments: [
        "1.2.840.113549.1.9.16.2.15", "1.2.840.113549.1.9.16.2.17",
        "1.2.840.113549.1.9.16.2.18", "0.4.0.19122.1.1", "1.2.840.113549.1.9.5",
        "1.2.840.113549.1.9.52",
    ])
    func doesNotPassWhatIsSignedTwiceOrEmpty(oid: String) throws {
        let one = Self.attribute(oid, Self.time)
        let (none, two) = (Self.attribute(oid), Self.attribute(oid, Self.time, [5, 0]))
        for signed in [[one, one], [none], [two]] {
            var node = DERNode(bytes)
            node.attributes += signed
            try node.resign(fixture.identity.key, .ecdsa(.sha256))
            let check = try fixture.check(node.bytes)
            let found = check.problems.filter { $0.code == .attributeRepeated }
            #expect(!found.isEmpty)
            // Algorithm protection belongs to the signature itself (RFC 6211).
            let isMild = !oid.hasSuffix(".52")
            #expect(found.allSatisfy { $0.verdict == (isMild ? .indeterminate : .failed) })
        }
    }
}
