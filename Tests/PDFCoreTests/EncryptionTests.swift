import Base
import Testing

@testable import PDFCore

@Suite("Ciphers of old documents")
struct EncryptionTests {
    @Test(
        "RC4 gives the values of RFC 6229 and other published ones",
        arguments: [
            ("Key", "Plaintext", "bbf316e8d940af0ad3"), ("Wiki", "pedia", "1021bf0420"),
            ("Secret", "Attack at dawn", "45a01f645fc35b383552544b9bf5"),
            (
                "\u{01}\u{02}\u{03}\u{04}\u{05}", String(repeating: "\0", count: 16),
                "b2396305f03dc027ccc3524a0a1118a8"
            ),
        ])
    func publishedRC4(key: String, plain: String, cipher: String) {
        let encrypted = RC4.apply(key: Array(key.utf8), to: Array(plain.utf8))
        #expect(Hex.encode(encrypted) == cipher)
        #expect(RC4.apply(key: Array(key.utf8), to: encrypted) == Array(plain.utf8))
    }

    @Test("passwords are tried in the encoding of the revision, and as they were given")
    func passwordCandidates() {
        func candidates(
            _ password: [UInt8], _ revision: Int, normalized: [UInt8]? = nil
        ) -> [[UInt8]] {
            PasswordEncoding.candidates(password, normalized: normalized, revision)
        }
        #expect(candidates(Array("abc".utf8), 3) == [Array("abc".utf8)])
        // Latin letters have one byte in PDFDocEncoding.
        #expect(candidates(Array("é".utf8), 3) == [[0xE9], Array("é".utf8)])
        // It lacks a few of those that Latin-1 has, and some writers take that.
        #expect(candidates(Array("a\u{A0}".utf8), 3) == [[0x61, 0xA0], Array("a\u{A0}".utf8)])
        #expect(candidates(Array("ř".utf8), 3) == [Array("ř".utf8)])
        #expect(
            candidates(Array("\u{AA}".utf8), 6, normalized: [0x61])
                == [[0x61], Array("\u{AA}".utf8)])
        #expect(candidates([0xFF, 0xFE], 3) == [[0xFF, 0xFE]])
        let long = [UInt8](repeating: 65, count: 300)
        #expect(candidates(long, 6) == [Array(long.prefix(127))])
    }

    @Test("dictionaries without strings have none that somebody leaves as they are")
    func dictionariesThatFewDecrypt() {
        let font = PDFObject.dictionary(["Type": .name("Font")])
        let text = PDFObject.string(.text("a"))
        for (dictionary, isDecryptedByFew) in [
            (["CF": font], false), (["CF": font, "A": .array([.integer(1), font])], false),
            (["CF": font, "A": text], true), (["CF": .dictionary(["A": .array([text])])], true),
            (["A": text], false),
        ] as [(PDFDictionary, Bool)] { #expect(dictionary.isDecryptedByFew == isDecryptedByFew) }
    }
}
