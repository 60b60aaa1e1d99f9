/// Cryptographic algorithms for encrypted documents, implemented outside this module, which has no
/// cryptographic dependency.
package protocol PDFCryptography: Sendable {
    /// The hash of the concatenated parts. They may contain secrets, so no copy may remain in
    /// memory.
    func hash(_ algorithm: PDFHashAlgorithm, _ parts: [[UInt8]]) throws(PDFError) -> [UInt8]

    /// AES in CBC mode, without padding.
    ///
    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - initialVector: 16 bytes.
    ///   - data: Whole blocks of 16 bytes.
    func aesCBC(
        _ direction: PDFCipherDirection, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(PDFError) -> [UInt8]

    /// AES-256 in Galois/Counter mode, without additional data (NIST SP 800-38D).
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: The ciphertext, as long as the data, then a tag of 16 bytes.
    func sealGCM(key: [UInt8], nonce: [UInt8], data: [UInt8]) throws(PDFError) -> [UInt8]

    /// Decrypts the result of ``sealGCM(key:nonce:data:)``; `nil` if the tag is wrong.
    func openGCM(key: [UInt8], nonce: [UInt8], sealed: [UInt8]) throws(PDFError) -> [UInt8]?

    /// HKDF with SHA-256 (RFC 5869): 32 bytes, which the caller wipes.
    func deriveKey(from key: [UInt8], salt: [UInt8], info: [UInt8]) throws(PDFError) -> [UInt8]

    func randomBytes(_ count: Int) throws(PDFError) -> [UInt8]

    /// Overwrites a secret so that the optimizer keeps the write, and empties the array.
    func wipe(_ bytes: inout [UInt8])
}

/// Hash functions of the security handlers.
package enum PDFHashAlgorithm: Sendable {
    case md5
    case sha1
    case sha256
    case sha384
    case sha512
}

package enum PDFCipherDirection: Sendable {
    case encrypt
    case decrypt
}

/// How an encrypted document is opened.
package struct PDFDecryption: Sendable {
    package let cryptography: any PDFCryptography
    /// The password, in UTF-8 if it is text; `nil` if there is none to try. Called once, after the
    /// empty password was tried. The argument is true if that opened the document, so that no
    /// prompt is needed.
    package let password: @Sendable (_ isOpen: Bool) throws(PDFError) -> [UInt8]?
    /// The SASLprep form (RFC 4013) of a password in UTF-8, for revisions 5 and 6; `nil` if it has
    /// none. Throws if it cannot be determined.
    package let normalize: @Sendable (_ password: [UInt8]) throws(PDFError) -> [UInt8]?
    /// The content of CMS EnvelopedData, decrypted with a recipient's key; `nil` if the key is not
    /// a recipient's. Throws without a key.
    package let openEnvelope: @Sendable (_ envelopes: [[UInt8]]) throws(PDFError) -> [UInt8]?

    package init(
        cryptography: any PDFCryptography,
        normalize: @escaping @Sendable (_ password: [UInt8]) throws(PDFError) -> [UInt8]? = {
            _ in nil
        },
        openEnvelope: @escaping @Sendable (_ envelopes: [[UInt8]]) throws(PDFError) -> [UInt8]? = {
            _ in nil
        }, password: @escaping @Sendable (_ isOpen: Bool) throws(PDFError) -> [UInt8]?
    ) {
        self.cryptography = cryptography
        self.normalize = normalize
        self.openEnvelope = openEnvelope
        self.password = password
    }
}
