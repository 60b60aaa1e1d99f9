import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

/// A message counts only when one certificate, known beforehand, made it: whatever an attacker
/// puts into the message, it is refused.
@Suite("Pinned signer")
struct PinnedSignerTests {
    let fixture: CMSFixture
    let bytes: [UInt8]
    var pinned: Certificate { fixture.identity.certificate }

    init() throws {
        fixture = try CMSFixture()
        bytes = try fixture.sign()
    }

    private func check(_ node: DERNode, content: [UInt8]? = nil) throws -> SignatureCheck {
        var profile = SignedDataVerifier.Profile.detached
        profile.requiresSignedAttributes = true
        return try fixture.check(node.bytes, profile: profile, content: content) {
            $0.pinned = pinned
        }
    }

    private func refusals(_ node: DERNode, content: [UInt8]? = nil) throws -> [ProblemCode] {
        let check = try check(node, content: content)
        #expect(!check.isVerified)
        return check.failures.map(\.code)
    }

    /// The serial number of the pinned certificate, for one that imitates it.
    private var serial: [UInt8] {
        let content = Array(pinned.serialDER.dropFirst(2))
        return content.first == 0 ? Array(content.dropFirst()) : content
    }

    @Test func acceptsTheSignerItself() throws {
        let found = try check(DERNode(bytes))
        #expect(found.isVerified && found.signer == pinned)
    }

    @Test func acceptsTheSignerWhoseCertificateIsLeftOut() throws {
        var node = DERNode(bytes)
        node.signedData.children.remove(at: 3)
        let found = try check(node)
        #expect(found.isVerified && found.signer == pinned)
    }

    @Test func refusesAnotherSignerThatBringsThePinnedCertificate() throws {
        let attacker = try TestPKI.issue("CN=Mallory", by: fixture.root)
        let signed = try SignedDataBuilder(
            signer: CMSSigner(key: attacker.key, certificate: attacker.certificate, chain: [pinned])
        ).sign(messageDigest: fixture.hash(.sha256))
        #expect(try refusals(DERNode(signed)) == [.signerNotPinned])
    }

    @Test func refusesTheSameSubjectAndSerialWithAnotherKey() throws {
        let attacker = try TestPKI.issue(by: fixture.root) { $0.serialNumber = serial }
        for chain in [[], [pinned]] {
            let signed = try SignedDataBuilder(
                signer: CMSSigner(
                    key: attacker.key, certificate: attacker.certificate, chain: chain)
            ).sign(messageDigest: fixture.hash(.sha256))
            #expect(try refusals(DERNode(signed)) == [.signerNotPinned])
            // Stripped of the reference and of its certificate, the value still is another key's.
            var node = DERNode(signed)
            node.attributes.remove(at: try #require(node.attributeIndex(Tail.signingCertificateV2)))
            try node.resign(attacker.key, .ecdsa(.sha256))
            node.signedData.children.remove(at: 3)
            #expect(try refusals(node) == [.signatureInvalid])
        }
    }

    /// The same key, name and serial in a new certificate.
    @Test func refusesAReissuedCertificate() throws {
        let again = try TestPKI.issue(by: fixture.root, profile: .tsa, key: fixture.identity.key) {
            $0.serialNumber = serial
        }
        let signed = try SignedDataBuilder(
            signer: CMSSigner(key: again.key, certificate: again.certificate)
        ).sign(messageDigest: fixture.hash(.sha256))
        #expect(try refusals(DERNode(signed)) == [.signerNotPinned])
        // Without a reference only the certificate in the message tells them apart.
        var node = DERNode(signed)
        node.attributes.remove(at: try #require(node.attributeIndex(Tail.signingCertificateV2)))
        try node.resign(again.key, .ecdsa(.sha256))
        #expect(try refusals(node) == [.signerNotPinned])
    }

    @Test func refusesAnotherContent() throws {
        #expect(try refusals(DERNode(bytes), content: [1, 2, 3]) == [.digestMismatch])
    }

    @Test func refusesStrippedAttributes() throws {
        var node = DERNode(bytes)
        let signed = DERNode.branch(0x31, node.attributes).bytes
        node.signerInfo.children.remove(at: 3)
        #expect(try refusals(node, content: signed) == [.signedAttributesMissing])
        #expect(CMSAttribute.areEncoded(in: signed))
        #expect(!CMSAttribute.areEncoded(in: fixture.content))
    }

    @Test func refusesAMessageWithoutSigners() throws {
        var node = DERNode(bytes)
        node.signedData[4].children = []
        #expect(try refusals(node) == [.noSigner])
    }

    @Test func toleratesVersionsOutsidePDF() throws {
        var node = DERNode(bytes)
        node.signedData[0] = .leaf(0x02, [5])
        let check = try check(node)
        #expect(check.isVerified)
        #expect(check.problems.map(\.code) == [.versionUnusual])
    }
}
