import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing

/// Published signature vectors (C2SP Wycheproof): each must end as its file says.
///
/// Runs when `SIGNET_CORPUS` names a folder with `crypto/wycheproof/*.json` in it.
@Suite(.enabled(if: Wycheproof.folder != nil, "SIGNET_CORPUS is not set: no Wycheproof vectors"))
struct WycheproofTests {
    @Test(arguments: Wycheproof.files)
    func endsAsExpected(_ name: String) throws {
        let file = try Wycheproof.load(name)
        var counts: [String: Int] = [:]
        for group in file.testGroups {
            guard let digest = group.digest else {
                // Truncated SHA-512 is in no signature that Signet makes or checks.
                counts["left out (\(group.sha ?? ""))", default: 0] += group.tests.count
                continue
            }
            guard group.mgfSha == nil || group.mgfSha == group.sha else {
                // RFC 4055 §3.1 recommends one hash for both; CMS messages with two are refused.
                counts["left out (MGF1 with another hash)", default: 0] += group.tests.count
                continue
            }
            let key = try group.key()
            for test in group.tests {
                let verdict = try group.verify(test, with: key, digest)
                let expected = test.isExpectedValid
                #expect(verdict == expected, "\(name) \(test.tcId): \(test.comment) \(test.flags)")
                counts["\(test.result) \(verdict ? "accepted" : "refused")", default: 0] += 1
            }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print("wycheproof \(name): \(summary.joined(separator: ", "))")
        #expect(counts.values.reduce(0, +) == file.numberOfTests)
    }
}

struct Wycheproof: Decodable {
    struct Vector: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let msg: String
        let sig: String
        let result: String

        /// What Signet answers to vectors that may end either way:
        /// - `MissingZero`: r with its sign bit set is a negative number, and DER has one form.
        /// - `MissingNull`: DigestInfo without NULL, which RFC 8017 §9.2 wants verifiers to accept
        ///   only optionally; one encoding is safer than two.
        /// - `SmallModulus`, `SmallPublicKey`, `WeakHash`: the signature is right; whether key and
        ///   hash suffice is decided by the policy of algorithms, which needs to know the time.
        var isExpectedValid: Bool {
            switch result {
            case "valid": true
            case "acceptable": flags.allSatisfy { $0 != "MissingZero" && $0 != "MissingNull" }
            default: false
            }
        }
    }

    struct Group: Decodable {
        let type: String
        let sha: String?
        let mgfSha: String?
        let sLen: Int?
        let publicKeyDer: String?
        let keyDer: String?
        let privateKeyPkcs8: String?
        let tests: [Vector]

        /// EdDSA has none of its own; any will do.
        var digest: DigestAlgorithm? { sha.map { DigestAlgorithm(name: $0) } ?? .sha512 }

        func key() throws -> PublicKey {
            try PublicKey(spkiDER: try #require(Hex.decode((publicKeyDer ?? keyDer ?? "").utf8)))
        }

        func verify(_ test: Vector, with key: PublicKey, _ digest: DigestAlgorithm) throws -> Bool {
            let message = try #require(Hex.decode(test.msg.utf8))
            var signature = try #require(Hex.decode(test.sig.utf8))
            let scheme: SignatureScheme
            switch type {
            case "RsassaPkcs1Verify": scheme = .rsaPKCS1(digest)
            case "RsassaPkcs1Generate":
                let secret = try #require(Hex.decode((privateKeyPkcs8 ?? "").utf8))
                let bundle = try CredentialReader.read(secret) { () throws(CryptoError) in nil }
                let made = try #require(bundle.key).sign(
                    message: message, scheme: .rsaPKCS1(digest))
                return try made == signature
                    && key.verify(signature: signature, scheme: .rsaPKCS1(digest), message: message)
            case "RsassaPssVerify", "RsassaPssWithParametersVerify":
                scheme = .rsaPSS(digest, saltByteCount: try #require(sLen))
            case "EcdsaVerify": scheme = .ecdsa(digest)
            case "EcdsaP1363Verify":
                scheme = .ecdsa(digest)
                let count = try #require(key.rawSignatureIntegerByteCount)
                guard signature.count == 2 * count, let der = RawSignature.der(fromP1363: signature)
                else { return false }
                signature = der
            case "DsaVerify": scheme = .dsa(digest)
            default: scheme = .ed25519
            }
            return try key.verify(signature: signature, scheme: scheme, message: message)
        }
    }

    let numberOfTests: Int
    let testGroups: [Group]

    static let folder = CorpusFolder.url("crypto/wycheproof")

    static var files: [String] { CorpusFolder.names("crypto/wycheproof", suffix: ".json") }

    static func load(_ name: String) throws -> Wycheproof {
        let folder = try #require(folder)
        return try JSONDecoder().decode(
            Wycheproof.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
