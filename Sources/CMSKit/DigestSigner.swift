package import Base
package import CryptoBridge

/// What a signer signs.
package enum SignatureInput: Sendable, Equatable {
    /// A message, which the signer hashes as the scheme demands.
    case message([UInt8])
    /// A message's hash.
    case digest([UInt8])
}

/// What a signer can be given.
package enum SignatureInputKind: Sendable {
    /// Messages and hashes.
    case either
    /// Hashes only, as services take them; it makes no EdDSA signatures.
    case digestOnly
    /// Messages only: it hashes by itself.
    case messageOnly
}

/// Why a signer made no signature. Equality compares codes alone.
package struct SigningFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// What was asked for makes no sense, or may mean several keys.
        case usage
        /// There is no such token, key, service or program.
        case missing
        /// The key or what guards it said no: a wrong PIN, a cancelled request.
        case refused
        /// Whoever has the key cannot be reached, or failed.
        case unavailable
        /// The card or token was taken out; or nobody can be reached, and each further try would take
        /// as long.
        case removed
        /// The key makes no such signatures.
        case unsupported
        /// What came is no signature of the certificate's key.
        case wrongAnswer
        /// The key at hand did not sign.
        case failed
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    /// What the signer itself reported, for whoever knows its errors.
    package let cause: (any Error)?
    /// What to try instead.
    package let hint: Sentence?

    package init(
        _ code: Code, _ detail: String, hint: Sentence? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.detail = detail
        self.hint = hint
        self.cause = cause
    }

    package static func == (a: Self, b: Self) -> Bool { a.code == b.code }

    package var description: String { detail }

    /// A signature that the key's public half does not confirm.
    package static let doesNotVerify = SigningFailure(
        .wrongAnswer, "the signature that came back does not verify", hint: Sentence(.askWhichKey))
}

/// Whoever makes signature values: a key in memory, a card, a service. It is used from several
/// threads at once.
package protocol DigestSigner: Sendable {
    /// The public half, against which every signature made is checked.
    var publicKey: PublicKey { get }
    /// What it can be given.
    var takes: SignatureInputKind { get }
    /// Whether every signature that it returns was verified with ``publicKey`` already: once is
    /// enough.
    var verifiesItself: Bool { get }
    /// A signature over `input`; ECDSA and DSA as DER (RFC 3279 §2.2).
    func sign(
        _ input: SignatureInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8]
    /// As many signatures, in the same order, at one go.
    func sign(
        _ inputs: [SignatureInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]]
    /// How many signatures one consent of the signer is good for.
    var signaturesAtOnce: Int { get }
    /// Announces how many signatures are to come, for what the signer is told.
    func expect(_ count: Int)
    /// Announces what will be signed next: one consent serves all that was announced by then.
    func announce(_ input: SignatureInput, scheme: SignatureScheme) throws(SigningFailure)
    /// Gives back what signing needs: logs out, ends sessions. Called once, nothing is signed after.
    func close()
}

extension DigestSigner {
    package var takes: SignatureInputKind { .either }
    package var verifiesItself: Bool { false }

    package func sign(
        _ inputs: [SignatureInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]] {
        var signatures: [[UInt8]] = []
        for input in inputs { signatures.append(try sign(input, scheme: scheme)) }
        return signatures
    }

    package var signaturesAtOnce: Int { 1 }

    package func expect(_ count: Int) {}

    package func announce(
        _ input: SignatureInput, scheme: SignatureScheme
    ) throws(SigningFailure) {}

    package func close() {}
}

extension PrivateKey: DigestSigner {
    package var verifiesItself: Bool { true }

    package func sign(
        _ input: SignatureInput, scheme: SignatureScheme
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

/// Stands for a key that is elsewhere: the signature comes later, through
/// ``PreparedSignedData/finish(signature:unsignedAttributes:)``.
package struct AbsentSigner: DigestSigner {
    package let publicKey: PublicKey

    package init(publicKey: PublicKey) { self.publicKey = publicKey }

    package func sign(
        _ input: SignatureInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        throw SigningFailure(.unavailable, "the private key is not here")
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
    /// The attribute that names the certificate, with issuer and serial.
    let reference: CMSAttribute

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
        // SHAKE256 is unknown to verifiers there.
        reference = try SigningCertificateReference.attribute(
            for: certificate, digest: effective == .shake256 ? .sha512 : effective)
    }
}
