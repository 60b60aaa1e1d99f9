package import Base
package import CryptoBridge

/// A failed signing operation.
package typealias SigningFailure = CodedError<SigningFailureCode>

/// The codes of ``SigningFailure``.
package enum SigningFailureCode: String, Sendable {
    /// The request is invalid or matches several keys.
    case usage
    /// The token, key, service or program does not exist.
    case missing
    /// The signer refused: a wrong PIN, a canceled request.
    case refused
    /// The signer cannot be reached, or failed.
    case unavailable
    /// The card or token was removed, or the service cannot be reached; retrying is pointless.
    case removed
    /// The key does not support the signature scheme.
    case unsupported
    /// The returned value is not a signature of the certificate's key.
    case wrongAnswer
    /// The key in memory failed to sign.
    case failed
}

extension SigningFailure {
    /// The signature does not verify with the public key.
    package static var doesNotVerify: SigningFailure {
        SigningFailure(
            .wrongAnswer,
            "the returned signature does not match the public key",
            hint: Sentence(.askWhichKey))
    }
}

/// Creates signature values: a key in memory, a card, a service. Several threads use it at the same
/// time.
package protocol DigestSigner: Sendable {
    /// The public key with which every signature is verified.
    var publicKey: PublicKey { get }
    var takes: SigningInput.Kind { get }
    /// Whether every returned signature was already verified with ``publicKey``.
    var verifiesItself: Bool { get }
    /// A signature over `input`; ECDSA and DSA as DER (RFC 3279 §2.2).
    func sign(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure) -> [UInt8]
    /// Signatures over all inputs, in the same order, in one operation.
    func sign(
        _ inputs: [SigningInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]]
    /// Number of signatures that one authorization permits.
    var signaturesAtOnce: Int { get }
    /// Announces the number of signatures to come, for the signer's prompt.
    func expect(_ count: Int)
    /// Announces an input: one authorization covers everything announced before it.
    func announce(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure)
    /// Releases resources: logs out, ends sessions. Called once, after the last signature.
    func close()
}

extension DigestSigner {
    package var takes: SigningInput.Kind { .either }
    package var verifiesItself: Bool { false }

    package func sign(
        _ inputs: [SigningInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]] {
        var signatures: [[UInt8]] = []
        for input in inputs { signatures.append(try sign(input, scheme: scheme)) }
        return signatures
    }

    package var signaturesAtOnce: Int { 1 }

    package func expect(_ count: Int) {}

    package func announce(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) {}

    package func close() {}
}

extension PrivateKey: DigestSigner {
    package var verifiesItself: Bool { true }

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        do {
            return switch input {
            case .message(let message): try sign(message: message, scheme: scheme)
            case .digest(let digest): try sign(digest: digest, scheme: scheme)
            }
        } catch {
            throw SigningFailure(.failed, error.description, cause: error)
        }
    }
}

/// Represents a key outside this process: the signature is added later with
/// ``PreparedSignedData/finish(signature:unsignedAttributes:)``.
package struct ExternalSigner: DigestSigner {
    package let publicKey: PublicKey

    package init(publicKey: PublicKey) { self.publicKey = publicKey }

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        throw SigningFailure(.unavailable, "the private key is not here")
    }
}

/// Key, certificate and algorithms of one signer.
package struct CMSSigner: Sendable {
    package let key: any DigestSigner
    package let certificate: Certificate
    /// Further certificates for the message, in any order; may include the signer's own.
    package let chain: [Certificate]
    package let digest: DigestAlgorithm
    package let scheme: SignatureScheme
    /// The signing-certificate attribute, with issuer and serial number.
    let reference: CMSAttribute

    /// Throws for a key that does not match the certificate, a scheme that does not match the key,
    /// and weak digests. EdDSA has a fixed digest: `digest` is replaced by SHA-512 for Ed25519 and
    /// ML-DSA, and SHAKE256 for Ed448 (RFC 8419 §3.1, RFC 9882 §3.3).
    package init(
        key: any DigestSigner, certificate: Certificate, chain: [Certificate] = [],
        digest: DigestAlgorithm = .usual, scheme: SignatureScheme? = nil,
        padding: RSAPadding = .pkcs1
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
            case .ed25519, .quantumSafe: .sha512
            case .ed448: .shake256
            default: scheme.digest ?? digest
            }
        guard effective.isWritable || scheme == .ed448 else {
            throw CMSError(
                .unsupportedAlgorithm, "\(effective.displayName) is no longer used for signatures")
        }
        self.key = key
        self.certificate = certificate
        self.chain = chain
        self.digest = effective
        self.scheme = scheme
        // Many validators do not support SHAKE256 in this attribute.
        reference = try SigningCertificateReference.attribute(
            for: certificate, digest: effective == .shake256 ? .sha512 : effective)
    }
}
