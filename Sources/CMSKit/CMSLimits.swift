/// Limits for malicious messages. Nesting is limited by the ASN.1 reader.
package enum CMSLimits {
    /// Maximum size of a message. Signatures in documents are far smaller, but attached content
    /// may be large.
    package static let messageByteCount = 67_108_864
    package static let certificateCount = 256
    package static let signerCount = 64
    /// Maximum number of countersignatures in a message that are checked.
    static let countersignatureCount = 64
    package static let attributeCount = 128
    package static let attributeValueCount = 64
    /// No hash is longer than 64 bytes; longer salts only occur in malicious signatures.
    static let saltByteCount = 512
    /// Signatures of SLH-DSA have up to 49,856 bytes (FIPS 205 §11).
    static let signatureByteCount = 65_536
}
