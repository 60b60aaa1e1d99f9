import Base
import CMSKit
import CryptoBridge
import Foundation
import Testing
import TimestampKit
import TrustKit

/// Requests, responses and tokens of public authorities: each must say what OpenSSL reads in it,
/// and end as the manifest says.
///
/// Runs when `SIGNET_CORPUS` names a folder with `MANIFEST.jsonl` and `crypto/rfc3161` in it.
@Suite(.enabled(if: TimestampCorpus.folder != nil, "SIGNET_CORPUS is not set: no timestamps"))
struct TimestampCorpusTests {
    @Test(arguments: TimestampCorpus.entries("rfc3161-request"))
    func readsRequests(_ entry: TimestampCorpus.Entry) throws {
        let bytes = try entry.bytes()
        let request = try TimestampRequest(bytes)
        #expect(request.encoded == bytes)
        if let name = entry.oracle?.hash {
            #expect(request.messageImprint.digest == DigestAlgorithm(name: name))
        }
    }

    @Test(arguments: TimestampCorpus.replies)
    func readsWhatOpenSSLReads(_ entry: TimestampCorpus.Entry) throws {
        let token = try #require(try TimestampReply(entry.bytes()).token)
        let oracle = try #require(entry.oracle)
        let info = token.info
        #expect(info.messageImprint.digest == DigestAlgorithm(name: oracle.hash ?? ""))
        #expect(Hex.encode(info.messageImprint.hashedMessage) == oracle.imprint)
        // OpenSSL prints long identifiers cut off.
        #expect(info.policy.description.hasPrefix(String(oracle.policy?.prefix(60) ?? "?")))
        #expect(TimestampCorpus.digits(info.serialHex) == TimestampCorpus.digits(oracle.serial))
        if oracle.nonce == "unspecified" {
            #expect(info.nonce == nil)
        } else {
            #expect(TimestampCorpus.digits(info.nonceHex) == TimestampCorpus.digits(oracle.nonce))
        }
        #expect(info.genTime.time == TimestampCorpus.time(oracle.gen_time))
        #expect(info.ordering == (oracle.ordering == "yes"))
    }

    @Test(arguments: TimestampCorpus.replies)
    func endsAsExpected(_ entry: TimestampCorpus.Entry) throws {
        let reply = try TimestampReply(entry.bytes())
        let check = try entry.verify(reply, entry.verifier()).remarkingOnUnknownRevocation()
        switch entry.expect?.verdict {
        case "valid": #expect(check.verdict == .passed, "\(check.problems)")
        case "invalid": #expect(check.verdict == .failed, "\(check.problems)")
        default:
            // No anchor is known; where the authority's certificate is there, the rest is sound.
            guard check.signer != nil else {
                #expect(check.verdict == .indeterminate)
                return
            }
            #expect(check.isIntact, "\(check.problems)")
            if check.problems.contains(where: { $0.code == .signingCertificateMismatch }) {
                // Then it must be so: neither hash of the certificate stands in the attributes.
                let attributes = try #require(
                    reply.token?.signedData.signers.first?.signedAttributesRaw)
                for digest in [DigestAlgorithm.sha1, .sha256, .sha384, .sha512] {
                    let hash = try digest.hash(try #require(check.signer).der)
                    #expect(!attributes.indices.contains { attributes[$0...].starts(with: hash) })
                }
                return
            }
            #expect(check.problems.allSatisfy { $0.verdict != .failed }, "\(check.problems)")
        }
    }

    /// One bit of each byte in turn. What is signed or referred to by what is signed must not
    /// survive; the rest may, without changing what is reported.
    @Test(arguments: TimestampCorpus.replies.filter { $0.expect?.verdict == "valid" })
    func failsWithOneBitFlipped(_ entry: TimestampCorpus.Entry) throws {
        let bytes = try entry.bytes()
        var verifier = try entry.verifier()
        let original = try entry.verify(TimestampReply(bytes), verifier)
        let token = try #require(try TimestampReply(bytes).token)
        var protected: [[UInt8]] = [
            token.signedData.content ?? [], token.signedData.signers[0].signedAttributesRaw ?? [],
            token.signedData.signers[0].signature,
        ]
        let signer = try #require(original.signer)
        if token.signedData.certificates.contains(signer.der) {
            protected.append(signer.der)
            verifier.additionalCertificates = []
        }
        let ranges = protected.compactMap { part in
            bytes.indices.first { bytes[$0...].starts(with: part) }.map { $0..<$0 + part.count }
        }
        #expect(ranges.count == protected.count)
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1 << UInt8(index % 8)
            guard let reply = try? TimestampReply(altered),
                let check = try? entry.verify(reply, verifier)
            else { continue }
            let isProtected = ranges.contains { $0.contains(index) }
            if check.verdict == .passed {
                #expect(!isProtected, "bit \(index % 8) of byte \(index)")
                #expect(check.info == original.info && check.signer == signer)
            } else {
                #expect(!check.problems.isEmpty)
            }
        }
    }
}

enum TimestampCorpus {
    struct Entry: Decodable, Sendable, CustomTestStringConvertible {
        struct Expectation: Decodable, Sendable {
            let verdict: String?
            let stamped_content_text: String?
        }
        struct Oracle: Decodable, Sendable {
            let hash, policy, serial, gen_time, nonce, ordering, imprint: String?
        }
        let file: String
        let kind: String?
        let expect: Expectation?
        let oracle: Oracle?

        var testDescription: String { file }

        func bytes() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: try #require(folder).appendingPathComponent(file)))
        }

        /// Against the chain beside it.
        func verifier() throws -> TimestampVerifier {
            let chain = entries("tsa-chain").filter {
                $0.file.split(separator: "/").dropLast() == file.split(separator: "/").dropLast()
            }
            let certificates = try chain.flatMap { try Certificate.readAll($0.bytes()) }
            var verifier = TimestampVerifier(
                anchors: .certificates(certificates.filter(\.isSelfIssued)),
                time: CalendarTime(rfc3339: "2026-06-01") ?? CalendarTime(secondsSinceEpoch: 0))
            verifier.additionalCertificates = certificates
            return verifier
        }

        /// Over the content that the manifest names, or the stamped hash itself.
        func verify(
            _ reply: TimestampReply, _ verifier: TimestampVerifier
        ) throws -> TimestampCheck {
            guard let imprint = reply.token?.info.messageImprint else {
                return try verifier.verify(reply)
            }
            let content = expect?.stamped_content_text.map { Array($0.utf8) }
            let hash = try content.flatMap { try imprint.digest?.hash($0) }
            return try verifier.verify(reply, hash: hash ?? imprint.hashedMessage)
        }
    }

    static let folder = ProcessInfo.processInfo.environment["SIGNET_CORPUS"]
        .map { URL(fileURLWithPath: $0) }
        .flatMap {
            FileManager.default.fileExists(
                atPath: $0.appendingPathComponent("crypto/rfc3161").path) ? $0 : nil
        }

    static func entries(_ kind: String) -> [Entry] {
        guard let folder,
            let text = try? String(
                contentsOf: folder.appendingPathComponent("MANIFEST.jsonl"), encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").filter { $0.contains("crypto/rfc3161/") }
            .compactMap { try? JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
            .filter { $0.kind == kind }
    }

    static var replies: [Entry] { entries("rfc3161-response") + entries("rfc3161-token") }

    /// Hexadecimal without prefix and leading zeros.
    static func digits(_ text: String?) -> String {
        String((text ?? "").lowercased().replacing("0x", with: "").drop { $0 == "0" })
    }

    /// `May  9 11:58:55 2025 GMT`.
    static func time(_ text: String?) -> CalendarTime? {
        let words = (text ?? "").split(separator: " ")
        let months = "JanFebMarAprMayJunJulAugSepOctNovDec"
        guard words.count == 5, let month = months.range(of: words[0]),
            let day = Int(words[1]), let year = Int(words[3])
        else { return nil }
        let clock = words[2].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        return CalendarTime(
            year: year,
            month: months.distance(from: months.startIndex, to: month.lowerBound) / 3 + 1,
            day: day, hour: clock[0], minute: clock[1], second: clock[2])
    }
}
