import CryptoBridge

/// Algorithm identifiers for XML (W3C XML Signature §6, RFC 9231).
enum AlgorithmURI {
    private static let signature = "http://www.w3.org/2000/09/xmldsig#"
    private static let signatureMore = "http://www.w3.org/2001/04/xmldsig-more#"
    private static let encryption = "http://www.w3.org/2001/04/xmlenc#"
    private static let more2007 = "http://www.w3.org/2007/05/xmldsig-more#"
    private static let more2021 = "http://www.w3.org/2021/04/xmldsig-more#"
    private static let signature11 = "http://www.w3.org/2009/xmldsig11#"

    static func digest(_ algorithm: DigestAlgorithm) -> String? {
        switch algorithm {
        case .md5: signatureMore + "md5"
        case .sha1: signature + "sha1"
        case .sha224: signatureMore + "sha224"
        case .sha256: encryption + "sha256"
        case .sha384: signatureMore + "sha384"
        case .sha512: encryption + "sha512"
        case .sha3_224, .sha3_256, .sha3_384, .sha3_512: more2007 + algorithm.rawValue
        case .shake128, .shake256: nil
        }
    }

    /// The identifier of a signature algorithm; `unidentified` if there is none.
    ///
    /// - Parameters:
    ///   - name: name of the scheme.
    ///   - digest: its digest algorithm.
    static func signature(_ name: String?, _ digest: DigestAlgorithm?) -> String {
        let hash = digest?.rawValue ?? ""
        return switch (name, digest) {
        case ("rsa-pkcs1"?, .sha1?): signature + "rsa-sha1"
        case ("rsa-pkcs1"?, .md5?), ("rsa-pkcs1"?, .sha224?), ("rsa-pkcs1"?, .sha256?),
            ("rsa-pkcs1"?, .sha384?), ("rsa-pkcs1"?, .sha512?):
            signatureMore + "rsa-" + hash
        case ("rsa-pss"?, .some): more2007 + hash + "-rsa-MGF1"
        case ("ecdsa"?, .sha3_224?), ("ecdsa"?, .sha3_256?), ("ecdsa"?, .sha3_384?),
            ("ecdsa"?, .sha3_512?):
            more2021 + "ecdsa-" + hash
        case ("ecdsa"?, .some): signatureMore + "ecdsa-" + hash
        case ("ed25519"?, _): more2021 + "eddsa-ed25519"
        case ("ed448"?, _): more2021 + "eddsa-ed448"
        case ("dsa"?, .sha1?): signature + "dsa-sha1"
        case ("dsa"?, .sha256?): signature11 + "dsa-sha256"
        default: "urn:etsi:019102:algorithm:unidentified"
        }
    }
}
