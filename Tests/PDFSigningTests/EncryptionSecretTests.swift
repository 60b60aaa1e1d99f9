import Base
import PDFCore
import SignetTestSupport
import Synchronization
import Testing

@testable import PDFSigning

/// OpenSSL's algorithms, and what becomes of the keys that they are given.
private final class RecordingCryptography: PDFCryptography {
    private struct Record {
        var used: Set<[UInt8]> = []
        var wiped: Set<[UInt8]> = []
    }

    private let base = DocumentCryptography()
    private let record = Mutex(Record())

    /// Keys of 32 bytes that were used and are left in memory.
    var remaining: Set<[UInt8]> { record.withLock { $0.used.subtracting($0.wiped) } }
    var usedCount: Int { record.withLock { $0.used.count } }

    private func note(_ key: [UInt8]) {
        guard key.count == 32 else { return }
        record.withLock { _ = $0.used.insert(key) }
    }

    func hash(_ algorithm: PDFHashAlgorithm, _ parts: [[UInt8]]) throws(PDFError) -> [UInt8] {
        try base.hash(algorithm, parts)
    }

    func aesCBC(
        _ direction: PDFCipherDirection, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        note(key)
        return try base.aesCBC(direction, key: key, initialVector: initialVector, data: data)
    }

    func sealGCM(key: [UInt8], nonce: [UInt8], data: [UInt8]) throws(PDFError) -> [UInt8] {
        note(key)
        return try base.sealGCM(key: key, nonce: nonce, data: data)
    }

    func openGCM(key: [UInt8], nonce: [UInt8], sealed: [UInt8]) throws(PDFError) -> [UInt8]? {
        note(key)
        return try base.openGCM(key: key, nonce: nonce, sealed: sealed)
    }

    func deriveKey(from key: [UInt8], salt: [UInt8], info: [UInt8]) throws(PDFError) -> [UInt8] {
        note(key)
        return try base.deriveKey(from: key, salt: salt, info: info)
    }

    func randomBytes(_ count: Int) throws(PDFError) -> [UInt8] { try base.randomBytes(count) }

    func wipe(_ bytes: inout [UInt8]) {
        let copy = bytes
        record.withLock { _ = $0.wiped.insert(copy) }
        base.wipe(&bytes)
    }
}

@Suite("Secrets of encrypted documents")
struct EncryptionSecretTests {
    @Test("every key is wiped when the document is closed", arguments: ["gcm-mac", "aes-mac"])
    func wiped(name: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let cryptography = RecordingCryptography()
        do {
            let document = try PDFDocument(
                source: MemorySource(bytes),
                options: PDFOptions(
                    decryption: PDFDecryption(cryptography: cryptography) { _ in Array("user".utf8)
                    }))
            #expect(try document.encryption?.integrityKey()?.count == 32)
            let stream = try #require(
                try document.value(document.page(at: 0).dictionary, "Contents").streamValue)
            _ = try document.decodedData(of: stream)
            #expect(try IntegritySeal.of(document) != nil)
        }
        #expect(cryptography.usedCount >= 2)
        #expect(cryptography.remaining.isEmpty)
    }

    @Test("permissions that some write the wrong way round are understood")
    func littleEndian() throws {
        guard let bytes = try EncryptedSamples.document("key-v4-aes128") else { return }
        for (flags, expected): ([UInt8], UInt32) in [
            ([0xFF, 0xFF, 0xFF, 0xFC], 0xFFFF_FFFC), ([0xFC, 0xFF, 0xFF, 0xFF], 0xFFFF_FFFC),
            ([0xFF, 0xFF, 0xEF, 0xFF], 0xFFFF_EFFF), ([0xFF, 0xEF, 0xFF, 0xFF], 0xFFFF_EFFF),
        ] {
            let document = try PDFDocument(
                source: MemorySource(bytes),
                options: PDFOptions(
                    decryption: PDFDecryption(
                        cryptography: DocumentCryptography(),
                        openEnvelope: { _ in [UInt8](repeating: 7, count: 20) + flags },
                        password: { _ in nil })))
            let encryption = try #require(document.encryption)
            #expect(encryption.permissions.bits == expected)
            #expect(encryption.demandsIntegrityCode == (expected == 0xFFFF_EFFF))
        }
    }
}
