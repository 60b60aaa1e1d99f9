/// Object identifiers of CMS and its attributes.
package enum CMSOID {
    package static let data = "1.2.840.113549.1.7.1"
    package static let signedData = "1.2.840.113549.1.7.2"
    package static let tstInfo = "1.2.840.113549.1.9.16.1.4"

    package static let contentType = "1.2.840.113549.1.9.3"
    package static let messageDigest = "1.2.840.113549.1.9.4"
    package static let signingTime = "1.2.840.113549.1.9.5"
    package static let algorithmProtection = "1.2.840.113549.1.9.52"
    package static let signingCertificate = "1.2.840.113549.1.9.16.2.12"
    package static let signingCertificateV2 = "1.2.840.113549.1.9.16.2.47"
    package static let signatureTimeStamp = "1.2.840.113549.1.9.16.2.14"
    package static let contentTimeStamp = "1.2.840.113549.1.9.16.2.20"
    /// id-ri-ocsp-response (RFC 5940).
    package static let ocspResponse = "1.3.6.1.5.5.7.16.2"
    /// archive-time-stamp-v3 (ETSI EN 319 122-1 §5.5.3).
    package static let archiveTimeStamp = "0.4.0.1733.2.4"
    /// ats-hash-index-v3 (ETSI EN 319 122-1 §5.5.2).
    package static let archiveHashIndex = "0.4.0.19122.1.5"
    /// Attributes of earlier kinds of long-term signatures, which cover `certificates` and `crls` as
    /// a whole: archive-time-stamp-v2 and v1, long-term-validation.
    package static let sealingAttributes = [
        "1.2.840.113549.1.9.16.2.48", "1.2.840.113549.1.9.16.2.27", "0.4.0.1733.2.2",
    ]
    package static let adobeRevocationInfo = "1.2.840.113583.1.1.8"

    static let rsaEncryption = "1.2.840.113549.1.1.1"
    static let rsaPSS = "1.2.840.113549.1.1.10"
    static let mgf1 = "1.2.840.113549.1.1.8"
    static let ecPublicKey = "1.2.840.10045.2.1"
    static let dsa = "1.2.840.10040.4.1"
    static let ed25519 = "1.3.101.112"
    static let ed448 = "1.3.101.113"
    static let shake256Length = "2.16.840.1.101.3.4.2.18"
}

/// Caps on what a hostile message may ask of us. Nesting is capped by the ASN.1 parser, at 50.
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
