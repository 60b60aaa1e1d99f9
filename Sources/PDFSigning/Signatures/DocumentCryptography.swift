import CryptoBridge
package import PDFCore

/// OpenSSL's algorithms for encrypted documents.
package struct DocumentCryptography: PDFCryptography {
    package init() {}

    package func hash(
        _ algorithm: PDFHashAlgorithm, _ parts: [[UInt8]]
    ) throws(PDFError) -> [UInt8] {
        try Self.translating { () throws(CryptoError) in
            let context = try DigestContext(Self.digest(algorithm))
            for part in parts { try context.update(part) }
            return try context.finish()
        }
    }

    package func aesCBC(
        _ direction: PDFCipherDirection, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        try Self.translating { () throws(CryptoError) in
            try AES.cbc(
                direction == .encrypt ? .encrypt : .decrypt, key: key,
                initialVector: initialVector, data: data)
        }
    }

    package func sealGCM(key: [UInt8], nonce: [UInt8], data: [UInt8]) throws(PDFError) -> [UInt8] {
        try Self.translating { () throws(CryptoError) in
            try AES.sealGCM(key: key, nonce: nonce, data: data)
        }
    }

    package func openGCM(
        key: [UInt8], nonce: [UInt8], sealed: [UInt8]
    ) throws(PDFError) -> [UInt8]? {
        try Self.translating { () throws(CryptoError) in
            try AES.openGCM(key: key, nonce: nonce, sealed: sealed)
        }
    }

    package func deriveKey(
        from key: [UInt8], salt: [UInt8], info: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        try Self.translating { () throws(CryptoError) in
            try MessageAuthentication.hkdfSHA256(key: key, salt: salt, info: info)
        }
    }

    package func randomBytes(_ count: Int) throws(PDFError) -> [UInt8] {
        try Self.translating { () throws(CryptoError) in try RandomBytes.generate(count) }
    }

    package func wipe(_ bytes: inout [UInt8]) { SecretBytes.wipe(&bytes) }

    private static func digest(_ algorithm: PDFHashAlgorithm) -> DigestAlgorithm {
        switch algorithm {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    private static func translating<Value>(
        _ body: () throws(CryptoError) -> Value
    ) throws(PDFError) -> Value {
        do {
            return try body()
        } catch {
            throw PDFError(.unsupportedEncryption, error.description)
        }
    }
}
