import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

/// RFC 5652 §11.4.
@Suite struct CountersignatureTests {
    private let fixture: CMSFixture
    private let message: DERNode

    init() throws {
        fixture = try CMSFixture()
        message = DERNode(try fixture.sign())
    }

    private static func attribute(_ oid: String, _ value: [UInt8]) -> DERNode {
        DERNode(TestDER.sequence(TestDER.oid(oid), TestDER.element(0x31, value)))
    }

    /// A SignerInfo over the signature value of another one.
    private func countersignature(
        of info: DERNode, _ others: [DERNode] = [], unsigned: [DERNode] = []
    ) throws -> DERNode {
        guard case .leaf(_, let value) = info[5] else { return info }
        var own = message.signerInfo
        own.children = Array(own.children.prefix(6))
        let digest = TestDER.element(0x04, try DigestAlgorithm.sha256.hash(value))
        own[3].children = [Self.attribute("1.2.840.113549.1.9.4", digest)] + others
        own[5] = .leaf(
            0x04,
            try fixture.identity.key.sign(
                message: DERNode.branch(0x31, own[3].children).bytes, scheme: .ecdsa(.sha256)))
        if !unsigned.isEmpty { own.children.append(.branch(0xA1, unsigned)) }
        return own
    }

    private func countersigned(_ parts: [DERNode]) -> DERNode {
        DERNode(
            TestDER.sequence(
                TestDER.oid("1.2.840.113549.1.9.6"), TestDER.element(0x31, parts.flatMap(\.bytes))))
    }

    private func check(_ parts: [DERNode]) throws -> SignatureCheck {
        var node = message
        node.signerInfo.children.append(.branch(0xA1, [countersigned(parts)]))
        let check = try fixture.check(node.bytes)
        #expect(check.isVerified)
        return check
    }

    @Test func verifiesTheValueOfTheSignature() throws {
        let info = message.signerInfo
        let good = try countersignature(of: info)
        #expect(try check([good]).countersignatures.map(\.isVerified) == [true])
        let ofOther = try countersignature(of: good)
        let found = try check([good, ofOther]).countersignatures
        #expect(found.map(\.isVerified) == [true, false])
        #expect(found[1].problems.map(\.code) == [.digestMismatch])
        // A signature over a file with this value is not a countersignature.
        let typed = Self.attribute("1.2.840.113549.1.9.3", TestDER.oid("1.2.840.113549.1.7.1"))
        let detached = try check([try countersignature(of: info, [typed])]).countersignatures[0]
        #expect(detached.problems.contains { $0.code == .contentTypeUnexpected })
        #expect(!detached.isVerified)
        let unread = try check([DERNode([0x30, 0])]).countersignatures[0]
        #expect(unread.problems.map(\.code) == [.cmsMalformed])
    }

    @Test func verifiesCountersignaturesOfCountersignatures() throws {
        let inner = try countersignature(of: message.signerInfo)
        let second = try countersignature(of: inner)
        let nested = try countersignature(
            of: message.signerInfo, unsigned: [])
        var outer = inner
        outer.children.append(.branch(0xA1, [countersigned([second, nested])]))
        let found = try check([outer]).countersignatures[0]
        #expect(found.isVerified)
        #expect(found.countersignatures.map(\.isVerified) == [true, false])
    }

    /// An attacker adds as many as fit.
    @Test func checksALimitedNumber() throws {
        let inner = try countersignature(of: message.signerInfo)
        var node = message
        let many = countersigned([DERNode](repeating: inner, count: 60))
        node.signerInfo.children.append(.branch(0xA1, [many, many]))
        let found = try fixture.check(node.bytes).countersignatures
        #expect(found.count == 65)
        #expect(found.last?.problems.map(\.verdict) == [.indeterminate])
    }
}
