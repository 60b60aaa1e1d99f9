/// Caps on what a hostile message may ask of us. Nesting is capped where ASN.1 is read.
package enum CMSLimits {
    /// A whole message; signatures in documents are far smaller, attached content may be large.
    package static let messageByteCount = 67_108_864
    package static let certificateCount = 256
    package static let signerCount = 64
    package static let attributeCount = 128
    package static let attributeValueCount = 64
    /// Longer salts exist only to break things: no hash is longer than 64 bytes.
    static let saltByteCount = 512
    static let signatureByteCount = 8192
}
