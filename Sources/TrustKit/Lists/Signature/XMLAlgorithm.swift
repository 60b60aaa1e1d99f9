package import CryptoBridge

/// Identifiers of XML Signature and its algorithms (RFC 6931, RFC 9231).
package enum XMLAlgorithm {
    package static let namespace = "http://www.w3.org/2000/09/xmldsig#"
    package static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    package static let inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
    package static let inclusive11 = "http://www.w3.org/2006/12/xml-c14n11"
    package static let enveloped = namespace + "enveloped-signature"
    private static let more = "http://www.w3.org/2001/04/xmldsig-more#"
    private static let later = "http://www.w3.org/2007/05/xmldsig-more#"
    private static let encryption = "http://www.w3.org/2001/04/xmlenc#"

    private static let digests: [(identifier: String, digest: DigestAlgorithm)] = [
        (namespace + "sha1", .sha1), (more + "sha224", .sha224), (encryption + "sha256", .sha256),
        (more + "sha384", .sha384), (encryption + "sha512", .sha512),
        (later + "sha3-256", .sha3_256), (later + "sha3-384", .sha3_384),
        (later + "sha3-512", .sha3_512),
    ]

    /// The identifier of a digest algorithm; nil if it has none.
    package static func identifier(of digest: DigestAlgorithm) -> String? {
        digests.first { $0.digest == digest }?.identifier
    }

    /// The digest algorithm; nil if it is unknown. SHA-1 is known, and the caller decides about it.
    package static func digest(_ identifier: String) -> DigestAlgorithm? {
        digests.first { $0.identifier == identifier }?.digest
    }

    /// The signature algorithm; nil if it is unknown. SHA-1 is known, and the caller decides about
    /// it.
    package static func signature(_ identifier: String) -> SignatureScheme? {
        switch identifier {
        case namespace + "rsa-sha1": .rsaPKCS1(.sha1)
        case more + "rsa-sha224": .rsaPKCS1(.sha224)
        case more + "rsa-sha256": .rsaPKCS1(.sha256)
        case more + "rsa-sha384": .rsaPKCS1(.sha384)
        case more + "rsa-sha512": .rsaPKCS1(.sha512)
        case more + "ecdsa-sha1": .ecdsa(.sha1)
        case more + "ecdsa-sha224": .ecdsa(.sha224)
        case more + "ecdsa-sha256": .ecdsa(.sha256)
        case more + "ecdsa-sha384": .ecdsa(.sha384)
        case more + "ecdsa-sha512": .ecdsa(.sha512)
        case later + "sha256-rsa-MGF1": .rsaPSS(.sha256)
        case later + "sha384-rsa-MGF1": .rsaPSS(.sha384)
        case later + "sha512-rsa-MGF1": .rsaPSS(.sha512)
        default: nil
        }
    }

    /// Whether a signature value matches a key and the signed bytes.
    ///
    /// - Returns: nil if the value does not have the form of the algorithm.
    package static func verify(
        _ written: [UInt8], _ scheme: SignatureScheme, _ key: PublicKey, over message: [UInt8]
    ) throws(CryptoError) -> Bool? {
        guard scheme.fits(key.algorithm) else { return nil }
        var value = written
        if case .ecdsa = scheme {
            // XML Signature encodes r‖s, each as long as the curve's order.
            guard let count = key.rawSignatureIntegerByteCount, written.count == 2 * count,
                let der = RawSignature.der(fromP1363: written)
            else { return nil }
            value = der
        }
        return try key.verify(signature: value, scheme: scheme, message: message)
    }
}
