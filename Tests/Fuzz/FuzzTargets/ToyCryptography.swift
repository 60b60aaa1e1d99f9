import PDFCore

/// Cryptography without secrets: digests are zeros, and decryption reverses encryption.
struct ToyCryptography: PDFCryptography {
    func hash(_ algorithm: PDFHashAlgorithm, _ parts: [[UInt8]]) -> [UInt8] {
        let count =
            switch algorithm {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        return [UInt8](repeating: 0, count: count)
    }

    func aesCBC(
        _ direction: PDFCipherDirection, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        guard [16, 32].contains(key.count), initialVector.count == 16, data.count % 16 == 0 else {
            fatalError("AES of \(key.count), \(initialVector.count) and \(data.count) bytes")
        }
        return data.map { $0 ^ 0x5A }
    }

    func sealGCM(key: [UInt8], nonce: [UInt8], data: [UInt8]) throws(PDFError) -> [UInt8] {
        guard key.count == 32, nonce.count == 12 else {
            fatalError("AES-GCM of \(key.count) and \(nonce.count) bytes")
        }
        return data.map { $0 ^ 0x5A } + [UInt8](repeating: 9, count: 16)
    }

    func openGCM(key: [UInt8], nonce: [UInt8], sealed: [UInt8]) throws(PDFError) -> [UInt8]? {
        guard sealed.count >= 16, sealed.last == 9 else { return nil }
        return sealed.dropLast(16).map { $0 ^ 0x5A }
    }

    func deriveKey(from key: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 3, count: 32)
    }

    func randomBytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    func wipe(_ bytes: inout [UInt8]) { bytes = [] }
}
