import ByteKit
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
        #expect(lenient[0].verified != nil)
        #expect(lenient[0].problems.map(\.code) == [.attributesNotSorted])
        let strict = try verifier.verify(SignedData(node.bytes), contentDigests: digests)
        #expect(strict[0].failures.map(\.code) == [.signatureInvalid])
    }
}
