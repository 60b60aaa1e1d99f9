public import Base
import CMSKit
import CryptoBridge

/// Creates signatures: a key file, a card, a service, or a custom type.
///
/// A ``SigningCredential`` is created from it. Several threads may call it at the same time. Every
/// signature is verified with the certificate before use.
public protocol Signer: Sendable {
    /// DER of the signer's certificate, then of its issuers in any order.
    var certificates: [[UInt8]] { get throws }
    /// The accepted kinds of input; by default messages and hashes.
    var takes: SigningInput.Kind { get }
    /// A signature over `input`. For RSA it is as long as the modulus. For ECDSA and DSA it is the
    /// DER of SEQUENCE { r, s } (RFC 3279 §2.2), for Ed25519 64 bytes.
    func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8]
    /// Signatures over all inputs, in the same order. The default implementation signs one by one.
    func sign(_ inputs: [SigningInput], with algorithm: SigningAlgorithm) throws -> [[UInt8]]
    /// Releases resources: logs out, ends sessions. Not used afterwards.
    func close()
}

extension Signer {
    /// The default: messages and hashes.
    public var takes: SigningInput.Kind { .either }

    /// Signs several inputs.
    ///
    /// - Returns: one signature value for each input, in the same order.
    public func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) throws -> [[UInt8]] {
        try inputs.map { try sign($0, with: algorithm) }
    }

    /// Does nothing by default.
    public func close() {}
}

/// A signature algorithm: kind of key, padding, hash.
public enum SigningAlgorithm: Sendable, Hashable, Codable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsaPKCS1(SigningOptions.Digest)
    /// RSASSA-PSS with MGF1 of the same hash (RFC 8017 §8.1).
    case rsaPSS(SigningOptions.Digest, saltByteCount: Int)
    case ecdsa(SigningOptions.Digest)
    case dsa(SigningOptions.Digest)
    case ed25519
    case ed448
    /// ML-DSA (FIPS 204 §5.2) in pure mode, with an empty context.
    case mlDSA44
    case mlDSA65
    case mlDSA87

    init?(_ scheme: SignatureScheme) {
        let digest = scheme.digest.flatMap { SigningOptions.Digest(rawValue: $0.rawValue) }
        switch (scheme, digest) {
        case (.rsaPKCS1, let digest?): self = .rsaPKCS1(digest)
        case (.rsaPSS(_, let saltByteCount, _), let digest?):
            self = .rsaPSS(digest, saltByteCount: saltByteCount)
        case (.ecdsa, let digest?): self = .ecdsa(digest)
        case (.dsa, let digest?): self = .dsa(digest)
        case (.ed25519, _): self = .ed25519
        case (.ed448, _): self = .ed448
        case (.quantumSafe(.mlDSA44), _): self = .mlDSA44
        case (.quantumSafe(.mlDSA65), _): self = .mlDSA65
        case (.quantumSafe(.mlDSA87), _): self = .mlDSA87
        default: return nil
        }
    }

    var scheme: SignatureScheme {
        switch self {
        case .rsaPKCS1(let digest): .rsaPKCS1(digest.algorithm)
        case .rsaPSS(let digest, let count): .rsaPSS(digest.algorithm, saltByteCount: count)
        case .ecdsa(let digest): .ecdsa(digest.algorithm)
        case .dsa(let digest): .dsa(digest.algorithm)
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .mlDSA44: .quantumSafe(.mlDSA44)
        case .mlDSA65: .quantumSafe(.mlDSA65)
        case .mlDSA87: .quantumSafe(.mlDSA87)
        }
    }
}

extension SigningOptions.Digest {
    var algorithm: DigestAlgorithm { DigestAlgorithm(rawValue: rawValue) ?? .sha256 }
}

extension HashOptions.Digest {
    var algorithm: DigestAlgorithm { DigestAlgorithm(rawValue: rawValue) ?? .sha256 }
}

/// Adapts a ``Signer`` to the protocol of CMSKit.
struct SignerKey: DigestSigner {
    let signer: any Signer
    let publicKey: PublicKey

    var takes: SigningInput.Kind { signer.takes }

    func sign(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure) -> [UInt8] {
        try asking(scheme) { try signer.sign(input, with: $0) }
    }

    func sign(
        _ inputs: [SigningInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]] {
        try asking(scheme) { try signer.sign(inputs, with: $0) }
    }

    func close() { signer.close() }

    private func asking<Answer>(
        _ scheme: SignatureScheme, _ body: (SigningAlgorithm) throws -> Answer
    ) throws(SigningFailure) -> Answer {
        let algorithm = try SigningAlgorithm.known(scheme)
        do {
            return try body(algorithm)
        } catch {
            throw SigningFailure(foreign: error)
        }
    }
}

extension SigningAlgorithm {
    static func known(_ scheme: SignatureScheme) throws(SigningFailure) -> SigningAlgorithm {
        guard let algorithm = SigningAlgorithm(scheme) else {
            throw SigningFailure(.unsupported, "\(scheme.name) signatures are not supported")
        }
        return algorithm
    }
}

extension SigningFailure {
    /// The failure for an error of a signer of another program.
    init(foreign error: any Error) {
        self =
            error as? SigningFailure ?? SigningFailure(.unavailable, "\(error)", cause: error)
    }
}

extension SigningInput {
    /// The bytes to sign of a prepared message: its hash, or the message itself for algorithms
    /// without a separate hash.
    init(toBeSignedOf message: PreparedSignedData) throws {
        self =
            message.scheme.digest == nil
            ? .message(message.toBeSigned) : .digest(try message.digestToBeSigned())
    }
}

extension SigningCredential: Signer {
    /// Certificates in DER; the signing certificate is the first one.
    public var certificates: [[UInt8]] { ([certificate] + chain).map(\.der) }

    /// The kinds of input that the key accepts.
    public var takes: SigningInput.Kind { key.takes }

    /// Signs one input.
    ///
    /// - Returns: the signature value in CMS format: ECDSA as SEQUENCE { r, s }.
    /// - Throws: ``SignetError``.
    public func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8] {
        try reading(source) { try key.sign(input, scheme: algorithm.scheme) }
    }

    /// Signs several inputs.
    ///
    /// - Returns: one signature value for each input, in the same order.
    public func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) throws -> [[UInt8]] {
        try reading(source) { try key.sign(inputs, scheme: algorithm.scheme) }
    }

    /// Ends the sessions of a token or service.
    public func close() { key.close() }
}
