import Base
import PDFCore
import PDFSigning
import SignetKit
import SignetTestSupport
import Testing

@Suite("Documents encrypted with AES-GCM")
struct GCMDocumentTests {
    private static let user = DocumentPassword(.ask { Passphrase(Array("user".utf8)) })

    @Test("is read and signed, also twice, and pyHanko agrees")
    func roundTrip() throws {
        guard let bytes = try EncryptedSamples.document("gcm") else { return }
        let signer = try Signer()
        let shown = try signer.show(bytes, password: Self.user)
        #expect(shown.method == "AES-256-GCM" && shown.revision == 7)
        var signed = bytes
        for count in 1...2 {
            signed = try signer.sign(signed, password: Self.user) {
                $0.reason = "Důvod"
                if count == 1 {
                    $0.stamp = StampOptions()
                    $0.stamp?.page = 1
                }
            }
            #expect(signed.starts(with: bytes))
            let report = try signer.verify(signed, password: Self.user)
            #expect(report.verdict == .passed, "\(report)")
            #expect(report.signatures.map(\.reason) == Array(repeating: "Důvod", count: count))
            let judged = try EncryptedSamples.judge(signed, password: "user")
            #expect(judged == "USER" + String(repeating: " valid", count: count))
        }
    }

    @Test("no nonce comes twice")
    func nonces() throws {
        guard let bytes = try EncryptedSamples.document("gcm") else { return }
        let signer = try Signer()
        var signed = bytes
        for _ in 1...3 {
            signed = try signer.sign(signed, password: Self.user) {
                ($0.reason, $0.location, $0.contact) = ("Same", "Same", "Same")
            }
        }
        // Encrypted strings are hexadecimal: a nonce, four letters, a tag.
        let digitCount = 2 * (12 + 4 + 16)
        let strings = String(decoding: signed[bytes.count...], as: UTF8.self)
            .split(separator: "<").compactMap { $0.split(separator: ">").first }
            .filter { $0.utf8.count == digitCount && $0.allSatisfy(\.isHexDigit) }
        #expect(strings.count == 9)
        #expect(Set(strings.map { $0.prefix(24) }).count == strings.count)
    }

    @Test(
        "a changed tag, nonce or text is an error, never an empty stream", arguments: [0, 14, -1])
    func tampered(place: Int) throws {
        guard var bytes = try EncryptedSamples.document("gcm") else { return }
        let keyword = Array("stream".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: keyword) })
        let data = try #require(bytes[start...].firstIndex(of: 10)) + 1
        let end = try #require(
            bytes.indices.first { bytes[$0...].starts(with: Array("endstream".utf8)) })
        bytes[place < 0 ? end - 2 : data + place] ^= 1
        let document = try PDFDocument(
            source: MemorySource(bytes), options: PDFOptions(decryption: Self.decryption))
        let page = try document.page(at: 0).dictionary
        let stream = try #require(try document.value(page, "Contents").streamValue)
        #expect(throws: PDFError(.wrongTag, "")) { try document.decodedData(of: stream) }
    }

    @Test(
        "strings in clear where pages are encrypted are told, and where nothing is",
        arguments: [
            (["/StrF"], "links, field values and annotations are not"),
            (["/StrF", "/StmF"], "nothing is encrypted"), ([], ""),
        ])
    func clearStrings(blanked: [String], told: String) throws {
        guard var bytes = try EncryptedSamples.document("gcm") else { return }
        for key in blanked {
            let entry = Array("\(key) /StdCF".utf8)
            let start = try #require(bytes.indices.first { bytes[$0...].starts(with: entry) })
            bytes.replaceSubrange(
                start..<(start + entry.count), with: entry.map { _ in UInt8(ascii: " ") })
        }
        let found = try Signer().doubts(bytes, password: Self.user)
            .filter { $0.contains("encrypted") }
        #expect(told.isEmpty ? found.isEmpty : found.contains { $0.contains(told) }, "\(found)")
    }

    private static let decryption = PDFDecryption(cryptography: DocumentCryptography()) { _ in
        Array("user".utf8)
    }
}
