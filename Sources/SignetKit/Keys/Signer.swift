import CMSKit
import CryptoBridge
import TrustKit

/// Whoever makes signatures: a key file, a card, a service, a type of your own.
///
/// A ``SigningCredential`` is made of it. Signing calls it from as many threads as sign documents
/// at once, and verifies every signature with the certificate before it is used.
public protocol Signer: Sendable {
    /// DER of the signer's certificate, then of its issuers in any order.
    var certificates: [[UInt8]] { get throws }
    /// What it can be given. Unless said otherwise, messages and hashes.
    var takes: SigningInput.Kind { get }
    /// A signature over `input`: for RSA as long as the modulus, for ECDSA and DSA the DER of
    /// SEQUENCE { r, s } (RFC 3279 §2.2), for Ed25519 64 bytes.
    func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8]
    /// As many signatures, in the same order, at one go. Unless it says otherwise, one by one.
    func sign(_ inputs: [SigningInput], with algorithm: SigningAlgorithm) throws -> [[UInt8]]
    /// Gives back what signing needs: logs out, ends sessions. Nothing is signed afterwards.
    func close()
}

extension Signer {
    /// Both, unless the signer says otherwise.
    public var takes: SigningInput.Kind { .either }

    /// One value for each input, in their order.
    public func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) throws -> [[UInt8]] {
        try inputs.map { try sign($0, with: algorithm) }
    }

    /// Nothing needs to be closed, unless the signer says otherwise.
    public func close() {}
}

/// What a signer signs.
public enum SigningInput: Sendable, Hashable, Codable {
    /// A message, which the signer hashes as the algorithm demands.
    case message([UInt8])
    /// The hash of a message, as long as the algorithm's hash. Never for Ed25519 (RFC 8032).
    case digest([UInt8])

    /// What a signer can be given.
    public enum Kind: Sendable {
        case either
        /// It makes no Ed25519 signatures.
        case digestOnly
        case messageOnly
    }
}

/// How a signature is made: kind of key, padding, hash.
public enum SigningAlgorithm: Sendable, Hashable, Codable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsaPKCS1(SigningOptions.Digest)
    /// RSASSA-PSS with MGF1 of the same hash (RFC 8017 §8.1).
    case rsaPSS(SigningOptions.Digest, saltByteCount: Int)
    case ecdsa(SigningOptions.Digest)
    case dsa(SigningOptions.Digest)
    case ed25519
    case ed448

    init?(_ scheme: SignatureScheme) {
        let digest = scheme.digest.flatMap { SigningOptions.Digest(rawValue: $0.rawValue) }
        switch (scheme, digest) {
        case (.rsaPKCS1, let digest?): self = .rsaPKCS1(digest)
        case (.rsaPSS(_, let saltByteCount), let digest?):
            self = .rsaPSS(digest, saltByteCount: saltByteCount)
        case (.ecdsa, let digest?): self = .ecdsa(digest)
        case (.dsa, let digest?): self = .dsa(digest)
        case (.ed25519, _): self = .ed25519
        case (.ed448, _): self = .ed448
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
        }
    }
}

extension SigningOptions.Digest {
    /// By the same name.
    var algorithm: DigestAlgorithm { DigestAlgorithm(rawValue: rawValue) ?? .sha256 }
}

extension HashOptions.Digest {
    /// By the same name.
    var algorithm: DigestAlgorithm { DigestAlgorithm(rawValue: rawValue) ?? .sha256 }
}

/// A ``Signer`` as the lower storeys know it.
struct SignerKey: DigestSigner {
    let signer: any Signer
    let publicKey: PublicKey

    var takes: SignatureInputKind {
        switch signer.takes {
        case .either: .either
        case .digestOnly: .digestOnly
        case .messageOnly: .messageOnly
        }
    }

    func sign(_ input: SignatureInput, scheme: SignatureScheme) throws(SigningFailure) -> [UInt8] {
        try asking(scheme) { try signer.sign(SigningInput(input), with: $0) }
    }

    func sign(
        _ inputs: [SignatureInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]] {
        try asking(scheme) { try signer.sign(inputs.map(SigningInput.init), with: $0) }
    }

    func close() { signer.close() }

    private func asking<Answer>(
        _ scheme: SignatureScheme, _ body: (SigningAlgorithm) throws -> Answer
    ) throws(SigningFailure) -> Answer {
        guard let algorithm = SigningAlgorithm(scheme) else {
            throw SigningFailure(.unsupported, "signers make no \(scheme.name) signatures")
        }
        do {
            return try body(algorithm)
        } catch let failure as SigningFailure {
            throw failure
        } catch {
            throw SigningFailure(.unavailable, "\(error)", cause: error)
        }
    }
}

extension SigningInput {
    /// What of a prepared message a key has to sign: the hash, where the algorithm takes one.
    init(toBeSignedOf message: PreparedSignedData) throws {
        self =
            message.scheme.digest == nil
            ? .message(message.toBeSigned) : .digest(try message.digestToBeSigned())
    }

    /// The hash, or the message.
    public var bytes: [UInt8] {
        switch self {
        case .message(let bytes), .digest(let bytes): bytes
        }
    }

    var isDigest: Bool {
        if case .digest = self { true } else { false }
    }

    init(_ input: SignatureInput) {
        self =
            switch input {
            case .message(let bytes): .message(bytes)
            case .digest(let bytes): .digest(bytes)
            }
    }

    var value: SignatureInput {
        switch self {
        case .message(let bytes): .message(bytes)
        case .digest(let bytes): .digest(bytes)
        }
    }
}

extension SigningCredential: Signer {
    /// DER; the signer's own first.
    public var certificates: [[UInt8]] { ([certificate] + chain).map(\.der) }

    /// What the key can be given.
    public var takes: SigningInput.Kind {
        switch key.takes {
        case .either: .either
        case .digestOnly: .digestOnly
        case .messageOnly: .messageOnly
        }
    }

    /// - Returns: the signature's value, as CMS has it: ECDSA as SEQUENCE { r, s }.
    public func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8] {
        try reading(source) { try key.sign(input.value, scheme: algorithm.scheme) }
    }

    /// One value for each input, in their order.
    public func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) throws -> [[UInt8]] {
        try reading(source) { try key.sign(inputs.map(\.value), scheme: algorithm.scheme) }
    }

    /// Ends the sessions of a token or service.
    public func close() { key.close() }
}
