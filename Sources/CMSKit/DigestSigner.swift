package import CryptoBridge

/// Whoever makes the signature value: a key in memory, a card, a service.
package protocol DigestSigner: Sendable {
    /// The public half, against which every signature made is checked.
    var publicKey: PublicKey { get }
    /// A signature over `message`, which the signer hashes as the scheme demands.
    func sign(message: [UInt8], scheme: SignatureScheme) throws(CryptoError) -> [UInt8]
}

extension PrivateKey: DigestSigner {}

/// Stands for a key that is elsewhere: the signature comes later, through
/// ``PreparedSignedData/finish(signature:unsignedAttributes:)``.
package struct AbsentSigner: DigestSigner {
    package let publicKey: PublicKey

    package init(publicKey: PublicKey) { self.publicKey = publicKey }

    package func sign(
        message: [UInt8], scheme: SignatureScheme
    ) throws(CryptoError) -> [UInt8] {
        throw CryptoError(.signatureFailed, "the private key is not here")
    }
}

/// Key, certificate and algorithms of one signer.
package struct CMSSigner: Sendable {
    package let key: any DigestSigner
    package let certificate: Certificate
    /// Further certificates to carry along, in any order; the signer's own may be among them.
    package let chain: [Certificate]
    package let digest: DigestAlgorithm
    package let scheme: SignatureScheme

    /// Refuses a key that is not the certificate's, a scheme that is not the key's, and hashes
    /// that no longer sign. EdDSA brings its own hash: `digest` is then replaced by SHA-512 for
    /// Ed25519 and SHAKE256 for Ed448 (RFC 8419 §3.1).
    package init(
        key: any DigestSigner, certificate: Certificate, chain: [Certificate] = [],
        digest: DigestAlgorithm = .sha256, scheme: SignatureScheme? = nil,
        padding: KeyAlgorithm.Padding = .pkcs1
    ) throws(CMSError) {
        guard certificate.certifies(key.publicKey) else {
            throw CMSError(.keyMismatch, "the key does not belong to the certificate")
        }
        let algorithm = key.publicKey.algorithm
        guard let scheme = scheme ?? algorithm.scheme(digest: digest, padding: padding),
            scheme.fits(algorithm)
        else {
            throw CMSError(.unsupportedAlgorithm, "a key of type \(algorithm) for this signature")
        }
        let effective: DigestAlgorithm =
            switch scheme {
            case .ed25519: .sha512
            case .ed448: .shake256
            default: scheme.digest ?? digest
            }
        guard effective.isWritable || scheme == .ed448 else {
            throw CMSError(
                .unsupportedAlgorithm,
                "\(effective.displayName) is no longer used for signatures")
        }
        self.key = key
        self.certificate = certificate
        self.chain = chain
        self.digest = effective
        self.scheme = scheme
    }
}
