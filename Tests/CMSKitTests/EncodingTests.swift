import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

@Suite("Encodings of signed attributes")
struct EncodingTests {
    /// RFC 5652 §5.4: the signature is over the DER, however the message carries the attributes.
    @Test func berMessagesMayCarryAttributesUnsorted() throws {
        let fixture = try CMSFixture()
        var node = DERNode(try fixture.sign())
        node.attributes.reverse()
        let digests = [DigestAlgorithm.sha256: try fixture.hash(.sha256)]
        let verifier = SignedDataVerifier(profile: .detached)
        let lenient = try verifier.verify(
            SignedData(node.bytes, encoding: .ber), contentDigests: digests)
        #expect(lenient[0].isVerified)
        #expect(lenient[0].problems.map(\.code) == [.attributesNotSorted])
        let strict = try verifier.verify(SignedData(node.bytes), contentDigests: digests)
        #expect(strict[0].failures.map(\.code) == [.signatureInvalid])
    }

    private let fixture: CMSFixture

    init() throws { fixture = try CMSFixture() }

    private func check(
        _ bytes: [UInt8], profile: SignedDataVerifier.Profile = .pades
    ) throws -> SignatureCheck {
        try SignedDataVerifier(profile: profile).verify(
            SignedData(bytes, encoding: .ber), contentDigests: [.sha256: fixture.hash(.sha256)])[0]
    }

    private func indefinite(_ node: DERNode) -> [UInt8] {
        [node.bytes[0], 0x80] + node.children.flatMap(\.bytes) + [0, 0]
    }

    @Test func berThatCanBeReadInOneWayIsNoDoubt() throws {
        let node = DERNode(try fixture.sign())
        let outer = try check(indefinite(node))
        #expect(outer.isVerified)
        #expect(outer.problems.isEmpty)
        // The signature's value in pieces.
        var pieces = node
        let value = Array(node.signerInfo[5].bytes.dropFirst(2))
        pieces.signerInfo[5] = .branch(
            0x24, [.leaf(0x04, Array(value.prefix(9))), .leaf(0x04, Array(value.dropFirst(9)))])
        #expect(try check(pieces.bytes).isVerified)
    }

    @Test func berThatReadersTakeForDifferentThingsIsADoubt() throws {
        // Attributes that are no DER: some readers hash them as they stand, some encode them anew.
        var node = DERNode(try fixture.sign())
        let attributes = node.attributes.enumerated().flatMap { index, attribute in
            index == 0 ? indefinite(attribute) : attribute.bytes
        }
        node.signerInfo[3] = .leaf(0xA0, attributes)
        let check = try check(node.bytes)
        #expect(check.isIntact)
        #expect(check.problems.first?.code == .encodingAmbiguous)
        #expect(!check.isVerified)
        // A bit string in pieces, which nearly no reader puts together.
        var pieces = DERNode(try fixture.sign())
        pieces.signedData[3].children.append(.branch(0x23, [.leaf(0x03, [0, 1])]))
        #expect(try self.check(pieces.bytes).problems.map(\.code) == [.encodingAmbiguous])
    }

    /// BSI TR-03111: r‖s instead of a SEQUENCE.
    @Test func readsPlainECDSA() throws {
        var node = DERNode(try fixture.sign())
        let plainSHA256: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x01, 0x01, 0x04, 0x01, 0x03]
        guard case .leaf(_, let der) = node.signerInfo[5] else { return }
        let raw = try #require(RawSignature.p1363(fromDER: der, integerByteCount: 32))
        node.signerInfo[4] = .branch(0x30, [.leaf(0x06, plainSHA256)])
        node.signerInfo[5] = .leaf(0x04, raw)
        let check = try fixture.check(node.bytes)
        #expect(check.isVerified)
        #expect(check.scheme == .ecdsa(.sha256))
        for wrong in [der, raw + [0], Array(raw.dropLast()), raw.reversed(), []] {
            node.signerInfo[5] = .leaf(0x04, wrong)
            let codes = try fixture.check(node.bytes).problems.map(\.code)
            #expect(codes == [.signatureInvalid])
        }
        // The usual identifier asks for the usual form.
        node = DERNode(try fixture.sign())
        node.signerInfo[5] = .leaf(0x04, raw)
        #expect(try fixture.check(node.bytes).problems.map(\.code) == [.signatureInvalid])
    }

    @Test func readsADigestNamedByASignaturesIdentifier() throws {
        let ecdsaWithSHA256 = DERNode.leaf(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
        var node = DERNode(try fixture.sign())
        node.signerInfo[2] = .branch(0x30, [ecdsaWithSHA256])
        for listed in [node.signedData[1].bytes, DERNode.branch(0x31, [node.signerInfo[2]]).bytes] {
            node.signedData[1] = DERNode(listed)
            let check = try fixture.check(node.bytes)
            #expect(check.isVerified)
            #expect(check.digest == .sha256)
            #expect(check.problems.map(\.code) == [.digestNamedBySignature])
        }
        // It must be the hash of the signature all the same.
        node.signerInfo[2] = .branch(
            0x30, [.leaf(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])])
        #expect(try !fixture.check(node.bytes).isVerified)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 9])
    func remarksOnWrongVersions(version: Int) throws {
        var node = DERNode(try fixture.sign())
        node.signedData[0] = .leaf(0x02, [UInt8(version)])
        node.signerInfo[0] = .leaf(0x02, [UInt8(version)])
        for profile: SignedDataVerifier.Profile in [.pades, .adobeDetached, .detached] {
            let check = try fixture.check(node.bytes, profile: profile)
            #expect(check.isVerified)
            #expect(check.problems.allSatisfy { $0.code == .versionUnusual })
            #expect(check.problems.isEmpty == (version == 1))
        }
    }

    @Test func saysWholeSentencesAboutUnknownAlgorithms() throws {
        var node = DERNode(try fixture.sign())
        node.signerInfo[4] = .branch(0x30, [.leaf(0x06, [0x2A, 0x03])])
        #expect(
            try fixture.check(node.bytes).problems.map(\.message)
                == ["the signature algorithm 1.2.3 is not known"])
    }
}
