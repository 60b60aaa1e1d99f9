import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing

/// Vectors of NIST's validation programme (CAVS): each must verify or fail as its file says, and
/// none may verify with one bit of its signature changed.
///
/// Runs when `SIGNET_CORPUS` names a folder with `crypto/nist/*.rsp` or `*.txt` in it.
@Suite(.enabled(if: CorpusFolder.url("crypto/nist") != nil, "SIGNET_CORPUS is not set"))
struct NISTVectorTests {
    @Test(arguments: CorpusFolder.names("crypto/nist", suffix: ""))
    func endsAsExpected(_ name: String) throws {
        let text = try String(
            contentsOf: #require(CorpusFolder.url("crypto/nist/\(name)")), encoding: .utf8
        ).replacingOccurrences(of: "\r\n", with: "\n")
        var counts: [String: Int] = [:]
        if name.contains("compressed_points") {
            for values in CAVS.blocks(text) { try CAVS.expectSamePoint(values, &counts) }
        } else if name.contains("pss-vect") {
            try PSSExamples.check(text, &counts)
        } else if text.contains("Title = ") {
            return  // OpenSSL's format: OpenSSLVectorTests.
        } else {
            for values in CAVS.blocks(text) where values["S"] != nil {
                try CAVS.check(values, in: name, &counts)
            }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print("nist \(name): \(summary.joined(separator: ", "))")
        #expect(!counts.isEmpty)
    }
}

/// `KEY = value` in blocks, `[section]` between them; values stay until they are given anew.
private enum CAVS {
    static func blocks(_ text: String) -> [[String: String]] {
        var standing: [String: String] = [:]
        var blocks: [[String: String]] = []
        var fresh: [String: String] = [:]
        func close() {
            guard !fresh.isEmpty else { return }
            standing.merge(fresh) { $1 }
            // A signature and what is said of it count for their own block alone.
            blocks.append(standing.merging(fresh) { $1 })
            for key in ["S", "R", "Msg", "Result", "SaltVal", "POINT"] { standing[key] = nil }
            fresh = [:]
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                close()
                standing["section"] = line.trimmingCharacters(in: ["[", "]"])
            } else if let equals = line.range(of: " = ") {
                fresh[String(line[..<equals.lowerBound])] = String(line[equals.upperBound...])
            } else if line.isEmpty {
                close()
            }
        }
        close()
        return blocks
    }

    /// A number; an odd count of digits has lost its leading zero.
    static func number(_ values: [String: String], _ key: String) throws -> [UInt8] {
        let digits = try #require(values[key])
        return try #require(Hex.decode((digits.count % 2 == 0 ? digits : "0" + digits).utf8))
    }

    static func check(
        _ values: [String: String], in name: String, _ counts: inout [String: Int]
    ) throws {
        let section = values["section"] ?? ""
        let hash =
            values["SHAAlg"] ?? section.components(separatedBy: ",").last { $0.contains("SHA") }
        let digest = try #require(
            DigestAlgorithm(name: (hash ?? "SHA-1").trimmingCharacters(in: .whitespaces)))
        var (key, scheme): (PublicKey, SignatureScheme)
        var signature: [UInt8]
        if name.hasPrefix("RSA") {
            key = try VectorKey.rsa(n: number(values, "n"), e: number(values, "e"))
            scheme =
                name.contains("PSS")
                ? .rsaPSS(digest, saltByteCount: 20) : .rsaPKCS1(digest)
            signature = try number(values, "S")
        } else {
            signature = VectorKey.sequence([
                VectorKey.integer(try number(values, "R")),
                VectorKey.integer(try number(values, "S")),
            ])
            if name.hasPrefix("DSA") {
                key = try VectorKey.dsa(
                    p: number(values, "P"), q: number(values, "Q"), g: number(values, "G"),
                    y: number(values, "Y"))
                scheme = .dsa(digest)
            } else {
                let curve = try #require(section.components(separatedBy: ",").first)
                key = try VectorKey.ec(
                    curve: #require(VectorKey.curves[curve]), point: point(values, "Qx", "Qy"))
                scheme = .ecdsa(digest)
            }
        }
        let message = try number(values, "Msg")
        // X9.31 padding is not PKCS#1: none of its signatures may pass for one.
        let isForeign = name.contains("RSA.rsp")
        let expected = !isForeign && !(values["Result"] ?? "P").hasPrefix("F")
        let verdict = try key.verify(signature: signature, scheme: scheme, message: message)
        #expect(verdict == expected, "\(name) \(section) \(values["Msg"] ?? "")")
        signature[signature.count - 1] ^= 1
        #expect(try !key.verify(signature: signature, scheme: scheme, message: message))
        counts[
            (isForeign ? "X9.31 " : expected ? "valid " : "invalid ")
                + (verdict ? "accepted" : "refused"), default: 0] += 1
    }

    static func point(_ values: [String: String], _ x: String, _ y: String) throws -> [UInt8] {
        let (x, y) = (try number(values, x), try number(values, y))
        let width = max(x.count, y.count)
        func padded(_ number: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: width - number.count) + number
        }
        return [4] + padded(x) + padded(y)
    }

    static func expectSamePoint(_ values: [String: String], _ counts: inout [String: Int]) throws {
        let curve = try #require(VectorKey.curves[values["CURVE"] ?? ""])
        let compressed = try VectorKey.ec(curve: curve, point: number(values, "POINT"))
        let plain = try VectorKey.ec(curve: curve, point: point(values, "X", "Y"))
        #expect(compressed == plain)
        counts["points decompressed", default: 0] += 1
    }
}

/// RSA Laboratories' examples of RSASSA-PSS with SHA-1 and salts of 20 bytes.
private enum PSSExamples {
    static func check(_ text: String, _ counts: inout [String: Int]) throws {
        var (title, key): (String, PublicKey?) = ("", nil)
        var values: [String: [UInt8]] = [:]
        for line in text.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("#") {
                title = line.trimmingCharacters(in: ["#", " ", ":"])
                values[title] = title == "Modulus" || title == "Exponent" ? values[title] : []
                if title == "Public key" { values = [:] }
                if title == "Private key" {
                    key = try VectorKey.rsa(
                        n: #require(values["Modulus"]), e: #require(values["Exponent"]))
                }
            } else if let bytes = Hex.decode(line.utf8.filter { $0 != 0x20 }), !title.isEmpty {
                values[title, default: []] += bytes
                guard title == "Signature", let key else { continue }
                let signature = values[title] ?? []
                guard signature.count == (key.bits + 7) / 8 else { continue }
                let message = try #require(values["Message to be signed"])
                let scheme = SignatureScheme.rsaPSS(.sha1, saltByteCount: 20)
                #expect(
                    try key.verify(signature: signature, scheme: scheme, message: message),
                    "\(key.bits) bits")
                #expect(
                    try !key.verify(signature: signature, scheme: scheme, message: message + [0]))
                counts["valid accepted", default: 0] += 1
            }
        }
        #expect(counts == ["valid accepted": 60])
    }
}
