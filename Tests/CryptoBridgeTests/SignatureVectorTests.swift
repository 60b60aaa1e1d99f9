import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing

/// Signatures that two independent programs made (TestVectors/signatures).
@Suite struct SignatureVectorTests {
    private struct Vectors: Decodable {
        struct Entry: Decodable {
            let tool: String
            let key: String
            let scheme: String
            let digest: String
            let message: Int
            let signature: String
            let result: String
        }
        let keys: [String: String]
        let messages: [String]
        let signatures: [Entry]
    }

    @Test func verifiesWhatOtherProgramsSigned() throws {
        let vectors = try JSONDecoder().decode(
            Vectors.self, from: Data(contentsOf: TestVectors.url("signatures/vectors.json")))
        #expect(Set(vectors.signatures.map(\.tool)) == ["openssl", "java"])
        for entry in vectors.signatures {
            let key = try PublicKey(
                spkiDER: try #require(Hex.decode((vectors.keys[entry.key] ?? "").utf8)))
            let digest = try #require(DigestAlgorithm(name: entry.digest))
            let scheme = try #require(
                key.algorithm.scheme(
                    digest: digest, padding: entry.scheme == "rsa-pss" ? .pss : .pkcs1))
            #expect(scheme.name == entry.scheme)
            let isValid = try key.verify(
                signature: try #require(Hex.decode(entry.signature.utf8)), scheme: scheme,
                message: try #require(Hex.decode(vectors.messages[entry.message].utf8)))
            #expect(
                isValid == (entry.result == "valid"),
                "\(entry.tool) \(entry.scheme) \(entry.digest) \(entry.message)")
        }
    }
}
