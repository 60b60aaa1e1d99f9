import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing

/// The signature vectors of OpenSSL's own tests, and those of RFC 6979 in the same format.
///
/// Runs when `SIGNET_CORPUS` names a folder with `crypto/openssl-evp/*.txt` in it.
@Suite(.enabled(if: CorpusFolder.url("crypto/openssl-evp") != nil, "SIGNET_CORPUS is not set"))
struct OpenSSLVectorTests {
    @Test(
        arguments: CorpusFolder.names("crypto/openssl-evp", suffix: ".txt").map {
            "openssl-evp/\($0)"
        } + CorpusFolder.names("crypto/nist", suffix: "rfc6979.txt").map { "nist/\($0)" })
    func endsAsExpected(_ name: String) throws {
        let text = try String(
            contentsOf: #require(CorpusFolder.url("crypto/\(name)")), encoding: .utf8)
        var counts: [String: Int] = [:]
        var keys: [String: [UInt8]] = [:]
        for stanza in Stanza.all(text) {
            if ["PrivateKey", "PublicKey"].contains(stanza.kind) {
                keys[stanza.name] = stanza.pem
                continue
            }
            let answer = try stanza.run(keys)
            #expect(answer.isExpected, "\(name): \(stanza.fields)")
            counts[answer.text, default: 0] += 1
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print("openssl \(name): \(summary.joined(separator: ", "))")
        #expect(counts.keys.contains { $0.hasSuffix("accepted") })
    }
}

/// One entry: `Verify = KEY`, and what belongs to it up to a blank line.
private struct Stanza {
    struct Answer {
        var isExpected = true
        let text: String
    }

    let kind: String
    let name: String
    var pem: [UInt8] = []
    var fields: [(String, String)] = []

    static func all(_ text: String) -> [Stanza] {
        var stanzas: [Stanza] = []
        var fields: [(String, String)] = []
        var pem = ""
        func close() {
            let marks = ["Availablein", "FIPSversion", "Securitycheck"]
            if let first = fields.first(where: { !marks.contains($0.0) }) {
                stanzas.append(
                    Stanza(kind: first.0, name: first.1, pem: Array(pem.utf8), fields: fields))
            }
            (fields, pem) = ([], "")
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { continue }
            if line.isEmpty {
                close()
            } else if line.hasPrefix("-----BEGIN") || pem.contains("BEGIN") {
                pem += line + "\n"
                if line.hasPrefix("-----END") { close() }
            } else if let equals = line.firstIndex(of: "=") {
                fields.append(
                    (
                        line[..<equals].trimmingCharacters(in: .whitespaces),
                        line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
                    ))
            }
        }
        close()
        return stanzas
    }

    private func value(_ key: String) -> String? { fields.first { $0.0 == key }?.1 }

    private func bytes(_ key: String) -> [UInt8]? {
        guard let value = value(key) else { return nil }
        return value.hasPrefix("\"")
            ? Array(value.utf8.dropFirst().dropLast()) : Hex.decode(value.utf8)
    }

    private func control(_ name: String) -> String? {
        fields.first { $0.0 == "Ctrl" && $0.1.hasPrefix(name + ":") }
            .map { String($0.1.dropFirst(name.count + 1)) }
    }

    func run(_ keys: [String: [UInt8]]) throws -> Answer {
        if value("Availablein") == "fips" { return Answer(text: "left out (FIPS provider)") }
        let isDigestGiven = ["Sign", "Verify"].contains(kind)
        guard isDigestGiven || ["DigestVerify", "OneShotDigestVerify", "DigestSign"].contains(kind)
        else { return Answer(text: "left out (\(kind))") }
        let hash = isDigestGiven ? control("digest") ?? "SHA1" : name
        guard let digest = DigestAlgorithm(name: hash) else {
            return Answer(text: "left out (\(hash))")
        }
        let pem = try #require(keys[(isDigestGiven ? name : value("Key")) ?? ""])
        guard let input = bytes("Input"), let output = bytes("Output"), let key = try Self.key(pem)
        else { return Answer(text: "left out (no signature in it)") }
        guard let scheme = scheme(for: key.public, digest) else {
            return Answer(text: "left out (padding)")
        }
        if let mask = control("rsa_mgf1_md"), DigestAlgorithm(name: mask) != digest {
            return Answer(text: "left out (MGF1 with another hash)")
        }
        let isGood = value("Result") == nil
        guard ["Verify", "DigestVerify", "OneShotDigestVerify"].contains(kind) || isGood else {
            return Answer(text: "left out (failing \(kind))")
        }
        // A digest of another length is an error here, OpenSSL's own answer is a wrong signature.
        let verdict =
            (try? isDigestGiven
                ? key.public.verify(signature: output, scheme: scheme, digest: input)
                : key.public.verify(signature: output, scheme: scheme, message: input)) ?? false
        var isExpected = verdict == isGood
        if verdict {
            var changed = output
            changed[changed.count - 1] ^= 1
            let isFooled =
                try isDigestGiven
                ? key.public.verify(signature: changed, scheme: scheme, digest: input)
                : key.public.verify(signature: changed, scheme: scheme, message: input)
            isExpected = isExpected && !isFooled
        }
        // RSA signatures of PKCS#1 v1.5 are made in one way only.
        if kind.hasSuffix("Sign"), case .rsaPKCS1 = scheme, let secret = key.private {
            let made =
                try isDigestGiven
                ? secret.sign(digest: input, scheme: scheme)
                : secret.sign(message: input, scheme: scheme)
            isExpected = isExpected && made == output
        }
        return Answer(
            isExpected: isExpected,
            text: "\(isGood ? "valid" : "invalid") \(verdict ? "accepted" : "refused")")
    }

    private static func key(_ pem: [UInt8]) throws -> (public: PublicKey, private: PrivateKey?)? {
        if let key = try? PublicKey.read(pem) { return (key, nil) }
        let bundle = try? CredentialReader.read(pem) { () throws(CryptoError) in nil }
        return bundle?.key.map { ($0.publicKey, $0) }
    }

    private func scheme(for key: PublicKey, _ digest: DigestAlgorithm) -> SignatureScheme? {
        let padding = control("rsa_padding_mode") ?? "pkcs1"
        switch key.algorithm {
        case .rsa where padding == "pkcs1": return .rsaPKCS1(digest)
        case .rsa where padding == "pss", .rsaPSS where ["pss", "pkcs1"].contains(padding):
            let salt = control("rsa_pss_saltlen").flatMap { Int($0) }
            return .rsaPSS(digest, saltByteCount: salt ?? SignatureScheme.anySalt)
        case .ec: return .ecdsa(digest)
        case .dsa: return .dsa(digest)
        default: return nil
        }
    }
}
