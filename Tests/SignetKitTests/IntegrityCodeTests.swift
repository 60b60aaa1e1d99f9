import SignetKit
import SignetTestSupport
import Testing

@Suite("MAC")
struct IntegrityCodeTests {
    private static let user = DocumentPassword(.ask { Passphrase(Array("user".utf8)) })

    private static func place(_ text: String, in bytes: [UInt8]) throws -> Int {
        let pattern = Array(text.utf8)
        return try #require(bytes.indices.last { bytes[$0...].starts(with: pattern) })
    }

    private static func codes(_ report: VerifiedDocument) -> [ProblemCode] {
        report.integrityCode?.problems.map(\.code) ?? []
    }

    @Test(
        "a right code is said, and makes no signature", arguments: ["aes-mac", "gcm-mac", "r5-mac"])
    func rightCode(name: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let report = try Signer().verify(bytes, password: Self.user)
        #expect(report.verdict == .unsigned)
        let code = try #require(report.integrityCode)
        #expect(code.valid && code.required && code.location == "standalone")
    }

    @Test(
        "what was changed, taken away or added fails with its own code",
        arguments: [
            ("/AuthCode", "/AuthXode", ProblemCode.integrityCodeMissing),
            ("/KDFSalt", "/KDFXalt", .integrityCodeMalformed),
            ("/Standalone", "/Standalonx", .integrityCodeMalformed),
            ("/ByteRange", "/ByteRangx", .integrityCodeMalformed),
            ("/MediaBox", "/MediaBux", .integrityCodeWrong),
            ("%%EOF\n", "%%EOF\n ", .integrityCodeMalformed),
        ])
    func damaged(from: String, to: String, expected: ProblemCode) throws {
        guard var bytes = try EncryptedSamples.document("aes-mac") else { return }
        let start = try Self.place(from, in: bytes)
        bytes.replaceSubrange(start..<(start + from.utf8.count), with: Array(to.utf8))
        let report = try Signer().verify(bytes, password: Self.user)
        #expect(report.verdict == .failed)
        #expect(Self.codes(report) == [expected])
    }

    /// The bytes with the last place where each of the words stands overwritten.
    private static func replacing(_ words: KeyValuePairs<String, String>, in bytes: [UInt8]) throws
        -> [UInt8]
    {
        var bytes = bytes
        for (old, new) in words {
            let start = try place(old, in: bytes)
            bytes.replaceSubrange(start..<(start + old.utf8.count), with: Array(new.utf8))
        }
        return bytes
    }

    @Test("nobody takes away the code and what demands it")
    func demandTakenAway() throws {
        guard let coded = try EncryptedSamples.document("aes-mac"),
            let plain = try EncryptedSamples.document("form")
        else { return }
        let stripped = try Self.replacing(
            ["/AuthCode": "/AuthXode", "/Perms": "/Perxs"], in: coded)
        let failed = try Signer().verify(stripped, password: Self.user)
        #expect(failed.verdict == .failed)
        #expect(Self.codes(failed) == [.integrityCodeMissing])
        #expect(throws: SignetError.self) { try Signer().sign(stripped, password: Self.user) }
        // Where there is no trace of a code, nobody can tell.
        let unknown = try Self.replacing(["/Perms": "/Perxs"], in: plain)
        let doubted = try Signer().verify(unknown, password: Self.user)
        #expect(doubted.verdict == .indeterminate)
        #expect(Self.codes(doubted) == [.integrityCodeUnchecked])
    }

    @Test("content that says itself how it is encrypted, and strings of another key, are doubts")
    func otherReadings() throws {
        let signer = try Signer()
        guard let filtered = try EncryptedSamples.document("own-filter"),
            let form = try EncryptedSamples.document("form")
        else { return }
        let signed = try signer.sign(filtered, password: Self.user) { $0.allowsDamaged = true }
        #expect(try signer.verify(signed, password: Self.user).verdict == .indeterminate)
        let whole = try signer.sign(form, password: Self.user)
        #expect(try signer.verify(whole, password: Self.user).verdict == .passed)
        // The high digit of the filling of the field's name.
        var garbled = form
        let name = try Self.place("/T <", in: garbled)
        let end = try #require(garbled[name...].firstIndex(of: UInt8(ascii: ">")))
        garbled[end - 34] = garbled[end - 34] == UInt8(ascii: "0") ? 0x31 : 0x30
        let other = try signer.sign(garbled, password: Self.user) { $0.allowsDamaged = true }
        #expect(try signer.verify(other, password: Self.user).verdict == .indeterminate)
    }

    @Test("a code that a signature carries is missed, and no byte of it can be changed")
    func attached() throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: Self.user)
        // The attribute's type, 1.0.32004.1.2, and the token behind it.
        let type = Array("06062881fa040102".utf8)
        let update = signed[bytes.count...]
        let contents = Array("/Contents <".utf8)
        let start = try #require(update.indices.first { update[$0...].starts(with: contents) })
        let end = try #require(update[start...].firstIndex(of: UInt8(ascii: ">")))
        let place = try #require((start..<end).first { update[$0...].starts(with: type) })
        for offset in [10, 40, 200, 400, 600] where place + offset < end {
            var changed = signed
            let digit = changed[place + offset]
            changed[place + offset] = digit == UInt8(ascii: "0") ? 0x31 : 0x30
            let report = try signer.verify(changed, password: Self.user)
            #expect(report.verdict == .failed, "digit \(offset)")
            #expect(report.integrityCode?.valid == false)
        }
    }

    @Test("no byte of a code can be changed")
    func flippedCode() throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let signer = try Signer()
        let start = try Self.place("/MAC <", in: bytes) + 6
        let end = try #require(bytes[start...].firstIndex(of: UInt8(ascii: ">")))
        for index in stride(from: start, to: end, by: 7) {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "0") ? 0x31 : 0x30
            let report = try signer.verify(changed, password: Self.user)
            #expect(report.verdict == .failed, "byte \(index)")
        }
    }
}
