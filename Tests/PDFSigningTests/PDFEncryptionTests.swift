import Base
import PDFCore
import SignetTestSupport
import Testing

@testable import PDFSigning

@Suite("Encrypted documents")
struct PDFEncryptionTests {
    // MARK: Primitives

    @Test("AES in CBC mode gives the values of NIST SP 800-38A F.2.1 and F.2.5")
    func publishedAES() throws {
        let vector = (0..<16).map { UInt8($0) }
        let plain = try #require(Hex.decode(Array("6bc1bee22e409f96e93d7e117393172a".utf8)))
        for (key, cipher) in [
            ("2b7e151628aed2a6abf7158809cf4f3c", "7649abac8119b246cee98e9b12e9197d"),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd6"
            ),
        ] {
            let key = try #require(Hex.decode(Array(key.utf8)))
            let encrypted = try DocumentCryptography().aesCBC(
                .encrypt, key: key, initialVector: vector, data: plain)
            #expect(Hex.encode(encrypted) == cipher)
            #expect(
                try DocumentCryptography().aesCBC(
                    .decrypt, key: key, initialVector: vector, data: encrypted) == plain)
        }
    }

    @Test("AES in Galois/Counter mode gives test case 14 of its specification, and finds changes")
    func publishedGCM() throws {
        let aes = DocumentCryptography()
        let key = [UInt8](repeating: 0, count: 32)
        let nonce = [UInt8](repeating: 0, count: 12)
        let plain = [UInt8](repeating: 0, count: 16)
        let sealed = try aes.sealGCM(key: key, nonce: nonce, data: plain)
        #expect(
            Hex.encode(sealed)
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        #expect(try aes.openGCM(key: key, nonce: nonce, sealed: sealed) == plain)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try aes.openGCM(key: key, nonce: nonce, sealed: changed) == nil)
        }
        #expect(try aes.openGCM(key: key, nonce: nonce, sealed: Array(sealed.prefix(15))) == nil)
        #expect(throws: PDFError(.unsupportedEncryption, "")) {
            try aes.sealGCM(key: Array(key.prefix(16)), nonce: nonce, data: plain)
        }
    }

    @Test("AES refuses odd lengths instead of reading beyond its input")
    func oddLengths() {
        let good = [UInt8](repeating: 0, count: 16)
        for (key, vector, data) in [(15, 16, 16), (16, 15, 16), (16, 16, 15), (0, 16, 16)] {
            #expect(throws: PDFError(.unsupportedEncryption, "")) {
                try DocumentCryptography().aesCBC(
                    .decrypt, key: Array(good.prefix(key)),
                    initialVector: Array(good.prefix(vector)), data: Array(good.prefix(data)))
            }
        }
    }

    // MARK: Dictionaries that are not what they should be

    /// A sample whose trailer holds this encryption dictionary.
    private static func document(_ encryption: String, objects: [String] = []) -> [UInt8] {
        let trailer = Array("/Root 1 0 R>>\n".utf8)
        var bytes = SamplePDF(extraObjects: objects).bytes
        let end = "startxref"
        let start = bytes.lastRange(of: Array(end.utf8))?.lowerBound ?? 0
        let insertion = " /ID [<01> <02>] /Encrypt \(encryption) "
        bytes.insert(contentsOf: Array(insertion.utf8), at: start - trailer.count)
        return bytes
    }

    private static func code(_ bytes: [UInt8], password: String? = nil) -> PDFErrorCode? {
        do {
            _ = try PDFDocument(
                source: MemorySource(bytes),
                options: PDFOptions(
                    decryption: PDFDecryption(cryptography: DocumentCryptography()) { _ in
                        password.map { Array($0.utf8) }
                    }))
            return nil
        } catch {
            return error.code
        }
    }

    private static let zeros32 = "<" + String(repeating: "00", count: 32) + ">"
    private static let zeros48 = "<" + String(repeating: "00", count: 48) + ">"

    @Test(
        "names what is wrong with the encryption dictionary",
        arguments: [
            ("/Filter /Adobe.PubSec /V 4", PDFErrorCode.unsupportedEncryption),
            ("/Filter /Strange /V 4", .unsupportedEncryption),
            ("/Filter /Standard /V 6 /R 6", .unsupportedEncryption),
            ("/Filter /Standard /V 6 /R 7", .malformedEncryption),
            ("/Filter /Standard /V 3 /R 3", .unsupportedEncryption),
            ("/Filter /Standard /V 5 /R 4", .unsupportedEncryption),
            ("/Filter /Standard /V (5) /R 6", .unsupportedEncryption),
            ("/Filter /Standard /V 9223372036854775807 /R 6", .unsupportedEncryption),
            ("/Filter /Standard /V 1 /R 2", .malformedEncryption),
            ("/Filter /Standard /V 1 /R 2 /P (x)", .malformedEncryption),
            ("/Filter /Standard /V 1 /R 2 /P 99999999999999999999", .malformedEncryption),
            ("/Filter /Standard /V 1 /R 2 /P -4 /O 7 /U ()", .malformedEncryption),
            ("/Filter /Standard /V 1 /R 2 /P -4 /O () /U ()", .passwordNeeded),
            ("/Filter /Standard /V 2 /R 3 /Length 2147483647 /P -4 /O () /U ()", .passwordNeeded),
            ("/Filter /Standard /V 2 /R 3 /Length -8 /P 4294967292 /O () /U ()", .passwordNeeded),
            (
                "/Filter /Standard /V 4 /R 4 /P -4 /O () /U () /StmF /None /StrF /None",
                .unsupportedEncryption
            ),
            (
                "/Filter /Standard /V 4 /R 4 /P -4 /O () /U () /StmF /A /CF <</A <</CFM /AESV4>>>>",
                .unsupportedEncryption
            ),
            (
                "/Filter /Standard /V 5 /R 6 /P -4 /O () /U \(zeros48) /OE \(zeros32)",
                .malformedEncryption
            ),
            (
                "/Filter /Standard /V 5 /R 6 /P -4 /O \(zeros48) /U \(zeros48) /OE \(zeros32)",
                .malformedEncryption
            ),
        ])
    func namesTheFault(entries: String, expected: PDFErrorCode) {
        #expect(Self.code(Self.document("<<\(entries)>>")) == expected)
    }

    @Test("no password opens a dictionary of zeros, whatever the revision")
    func zeros() {
        let filter = "/StmF /A /StrF /A /CF <</A <</CFM /AESV3 /Length 32>>>>"
        for revision in [5, 6] {
            let bytes = Self.document(
                "<</Filter /Standard /V 5 /R \(revision) /P -4 /O \(Self.zeros48) "
                    + "/U \(Self.zeros48) /OE \(Self.zeros32) /UE \(Self.zeros32) \(filter)>>")
            #expect(Self.code(bytes) == .passwordNeeded)
            #expect(Self.code(bytes, password: "x") == .wrongPassword)
            #expect(
                Self.code(bytes, password: String(repeating: "ř", count: 500)) == .wrongPassword)
        }
    }

    /// Revision 5, whose hashes have no rounds.
    private static func encryption(user: String, owner: String, keys: [UInt8]) throws -> String {
        let cryptography = DocumentCryptography()
        func salted(
            _ password: String, _ salt: UInt8, _ more: [UInt8], key: UInt8
        ) throws -> ([UInt8], [UInt8]) {
            let salts = [UInt8](repeating: salt, count: 8)
            let hash = try cryptography.hash(.sha256, [Array(password.utf8), salts, more])
            let wrapped = try cryptography.aesCBC(
                .encrypt, key: hash, initialVector: [UInt8](repeating: 0, count: 16),
                data: [UInt8](repeating: key, count: 32))
            return (hash + salts + salts, wrapped)
        }
        let (userHash, userKey) = try salted(user, 1, [], key: keys[0])
        let (ownerHash, ownerKey) = try salted(owner, 2, userHash, key: keys[1])
        func text(_ bytes: [UInt8]) -> String { "<\(Hex.encode(bytes))>" }
        return "<</Filter /Standard /V 5 /R 5 /P -4 /O \(text(ownerHash)) /U \(text(userHash)) "
            + "/OE \(text(ownerKey)) /UE \(text(userKey)) /StmF /A /StrF /A "
            + "/CF <</A <</CFM /AESV3 /Length 32>>>>>>"
    }

    @Test(
        "what opens a document leads to one key, not to the owner's and another one of the user's",
        arguments: [("x", "x"), ("", "x"), ("", ""), ("u", "x")])
    func severalKeys(user: String, owner: String) throws {
        for keys in [[7, 7], [7, 9]] as [[UInt8]] {
            let bytes = Self.document(try Self.encryption(user: user, owner: owner, keys: keys))
            let document = try PDFDocument(
                source: MemorySource(bytes),
                options: PDFOptions(
                    decryption: PDFDecryption(cryptography: DocumentCryptography()) { _ in
                        Array("x".utf8)
                    }))
            let isTold = keys[0] != keys[1] && user != "u"
            #expect(document.encryption?.hasOtherKey == isTold)
        }
    }

    @Test("a short key of version 4 is filled up with zeros, and told")
    func shortKey() throws {
        let bytes = Self.document(
            "<</Filter /Standard /V 4 /R 4 /Length 40 /P -4 /O \(Self.zeros32) "
                + "/U <d1beb26776cfe1dbf6edb89936dc3a7f> /StmF /StdCF /StrF /StdCF "
                + "/CF <</StdCF <</CFM /V2 /Length 5>>>>>>", objects: ["<6598e8122efa>"])
        let document = try PDFDocument(
            source: MemorySource(bytes),
            options: PDFOptions(
                decryption: PDFDecryption(cryptography: DocumentCryptography()) { _ in nil }))
        #expect(try document.object(ObjectID(number: 6)).stringValue == Array("Sample".utf8))
        #expect(document.encryption?.keyDependsOnReader == true)
    }

    @Test("an encryption dictionary that is no dictionary, missing, or nested without end")
    func noDictionary() {
        #expect(Self.code(Self.document("7")) == .malformedEncryption)
        #expect(Self.code(Self.document("99 0 R")) == .malformedEncryption)
        #expect(
            Self.code(Self.document("<</A <</A <</A <</A <</A <<>> >> >> >> >> >>"))
                == .malformedEncryption)
    }

    @Test(
        "what readers of documents for certificates would take otherwise is refused",
        arguments: [
            ("/V 5 /StmF /A /StrF /A", "/A <</CFM /AESV2 /Recipients [<00>]>>", "unsupported"),
            ("/V 4 /StmF /A /StrF /A", "/A <</CFM /AESV3 /Recipients [<00>]>>", "unsupported"),
            ("/V 5 /StmF /A /StrF /A", "/A <</CFM /V2 /Recipients [<00>]>>", "unsupported"),
            ("/V 5 /StmF /A /StrF /A", "/A <</CFM /None /Recipients [<00>]>>", "unsupported"),
            (
                "/V 5 /StmF /Identity /StrF /A", "/A <</CFM /AESV3 /Recipients [<00>]>>",
                "unsupported"
            ), ("/V 5 /StmF /A", "/A <</CFM /AESV3 /Recipients [<00>]>>", "unsupported"),
            (
                "/V 5 /StmF /A /StrF /A /Recipients [<01>]",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "malformed"
            ),
            (
                "/V 5 /StmF /A /StrF /A",
                "/A <</CFM /AESV3 /Recipients [<00>]>> /B <</CFM /AESV3 /Recipients [<01>]>>",
                "malformed"
            ),
            (
                "/V 5 /StmF /A /StrF /A /EncryptMetadata false",
                "/A <</CFM /AESV3 /EncryptMetadata true /Recipients [<00>]>>", "malformed"
            ), ("/V 5 /StmF /A /StrF /A", "/A <</CFM /AESV3 /Recipients [<00>]>>", "key"),
            (
                "/V 5 /StmF /A /StrF /A /Recipients [<00>]",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "key"
            ), ("/V 5 /EFF /A", "/A <</CFM /AESV3 /Recipients [<00>]>>", "open"),
            (
                "/V 5 /StmF /A /StrF /A /Recipients [(\\000)]",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "key"
            ),
            // Another key follows where this is looked for elsewhere, or read otherwise.
            (
                "/V 5 /StmF /A /StrF /A /EncryptMetadata 0",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "unsupported"
            ),
            (
                "/V 5 /StmF /A /StrF /A /EncryptMetadata null",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "key"
            ), ("/V 2 /Length 128 /Recipients [<00>] /EncryptMetadata false", "", "unsupported"),
            (
                "/V 5 /StmF /A /StrF /A /EncryptMetadata false",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "key"
            ), ("/V 1 /Length 128 /Recipients [<00>]", "", "unsupported"),
            ("/V 1 /Length 40 /Recipients [<00>]", "", "key"),
            ("/V 2 /Length 16 /Recipients [<00>]", "", "unsupported"),
            ("/V 2 /Length 44 /Recipients [<00>]", "", "unsupported"),
            ("/V 2 /Length 256 /Recipients [<00>]", "", "unsupported"),
            ("/V 2 /Length 64 /Recipients [<00>]", "", "key"),
            ("/V 2 /Recipients [<00>]", "", "key"),
            (
                "/V 4 /StmF /A /StrF /A /Length 128",
                "/A <</CFM /V2 /Length 40 /Recipients [<00>]>>", "unsupported"
            ),
            (
                "/V 4 /StmF /A /StrF /A", "/A <</CFM /V2 /Length 40 /Recipients [<00>]>>",
                "unsupported"
            ),
            (
                "/V 4 /StmF /A /StrF /A /Length 40",
                "/A <</CFM /V2 /Length 5 /Recipients [<00>]>>", "key"
            ),
            (
                "/V 4 /StmF /A /StrF /A /Length 128",
                "/A <</CFM /AESV2 /Length 16 /Recipients [<00>]>>", "key"
            ),
            (
                "/V 4 /StmF /A /StrF /A /Length 40",
                "/A <</CFM /AESV2 /Length 40 /Recipients [<00>]>>", "unsupported"
            ),
            (
                "/V 5 /StmF /A /StrF /A /Length 128",
                "/A <</CFM /AESV3 /Recipients [<00>]>>", "unsupported"
            ),
            (
                "/V 5 /StmF /A /StrF /A /Length 256",
                "/A <</CFM /AESV3 /Length 32 /Recipients [<00>]>>", "key"
            ),
            (
                "/V 5 /StmF /A /StrF /A /Length (x)", "/A <</CFM /AESV3 /Recipients [<00>]>>",
                "unsupported"
            ),
            // Some readers take the filter of the usual name.
            (
                "/V 4 /StmF /A /StrF /A",
                "/A <</CFM /AESV2 /Recipients [<00>]>> "
                    + "/DefaultCryptFilter <</CFM /V2 /Recipients [<00>]>>", "malformed"
            ),
            (
                "/V 4 /StmF /A /StrF /A",
                "/A <</CFM /AESV2 /Recipients [<00>]>> /DefaultCryptFilter <</CFM /V2>>",
                "malformed"
            ),
            (
                "/V 4 /StmF /A /StrF /A",
                "/A <</CFM /AESV2 /Recipients [<00>]>> "
                    + "/DefaultCryptFilter <</CFM /AESV2 /Recipients [<00>]>>", "key"
            ),
        ])
    func publicKeyCombinations(entries: String, filters: String, expected: String) {
        let codes: [String: PDFErrorCode?] = [
            "unsupported": .unsupportedEncryption, "malformed": .malformedEncryption,
            "key": .wrongKey, "open": nil,
        ]
        let bytes = Self.document("<</Filter /Adobe.PubSec \(entries) /CF <<\(filters)>>>>")
        #expect(Self.code(bytes) == codes[expected])
    }

    @Test("envelopes that take up more together than is read are refused", arguments: [2, 3])
    func manyEnvelopes(count: Int) {
        let envelope = "<" + String(repeating: "00", count: 1_000_000) + ">"
        let recipients = Array(repeating: envelope, count: count).joined()
        let bytes = Self.document(
            "<</Filter /Adobe.PubSec /V 5 /StmF /A /StrF /A "
                + "/CF <</A <</CFM /AESV3 /Recipients [\(recipients)]>>>>>>")
        #expect(Self.code(bytes) == (count > 2 ? .limitExceeded : .wrongKey))
    }

    @Test(
        "a filter of the usual name that is not used must be like the one that is",
        arguments: [
            ("/StmF /A /StrF /A", "/StdCF <</CFM /V2>>", true),
            ("/StmF /A /StrF /Identity", "/StdCF <</CFM /None>>", true),
            ("/StmF /A /StrF /A", "/StdCF <</CFM /AESV3>>", false),
            ("/StmF /A /StrF /A", "/Other <</CFM /V2>>", false),
            ("/StmF /Identity /StrF /StdCF", "/StdCF <</CFM /AESV3>>", false),
        ])
    func usualFilter(entries: String, filters: String, isRefused: Bool) {
        let bytes = Self.document(
            "<</Filter /Standard /V 5 /R 6 /P -4 /O \(Self.zeros48) /U \(Self.zeros48) "
                + "/OE \(Self.zeros32) /UE \(Self.zeros32) \(entries) "
                + "/CF <</A <</CFM /AESV3>> \(filters)>>>>")
        #expect((Self.code(bytes) == .malformedEncryption) == isRefused)
    }

    @Test("nothing but attached files is encrypted: no password is needed")
    func attachmentsOnly() throws {
        let bytes = Self.document(
            "<</Filter /Standard /V 5 /R 6 /P -4 /O \(Self.zeros48) /U \(Self.zeros48) "
                + "/OE \(Self.zeros32) /UE \(Self.zeros32) /EFF /A "
                + "/CF <</A <</CFM /AESV3 /AuthEvent /EFOpen>>>>>>")
        #expect(Self.code(bytes) == nil)
    }

    // MARK: Permissions

    @Test(
        "filling needs bit 6 or 9, creating a field bits 4 and 6; revision 2 knows no bit 9",
        arguments: [
            (0x08, 3, false, false), (0x20, 3, true, false), (0x28, 3, true, true),
            (0x100, 3, true, false), (0x108, 3, true, false), (0x100, 2, false, false),
            (0x28, 2, true, true), (0x20, 2, true, false),
        ] as [(UInt32, Int, Bool, Bool)])
    func permissions(bits: UInt32, revision: Int, filling: Bool, creating: Bool) {
        let permissions = PDFPermissions(bits: bits, revision: revision)
        #expect(permissions.allowsFormFilling == filling)
        #expect(permissions.allowsFieldCreation == creating)
    }
}

extension Array where Element == UInt8 {
    fileprivate func lastRange(of pattern: [UInt8]) -> Range<Int>? {
        indices.reversed().first { self[$0...].starts(with: pattern) }
            .map { $0..<($0 + pattern.count) }
    }
}
