/// The input of a signer.
public enum SigningInput: Sendable, Hashable, Codable {
    /// A message, which the signer hashes as the algorithm requires.
    case message([UInt8])
    /// The hash of a message, as long as the algorithm's hash. Never for Ed25519 (RFC 8032).
    case digest([UInt8])

    /// The kinds of input that a signer accepts.
    public enum Kind: Sendable {
        case either
        /// Excludes Ed25519 and Ed448, which sign messages (RFC 8032).
        case digestOnly
        case messageOnly
    }

    /// The bytes of the hash or message.
    public var bytes: [UInt8] {
        switch self {
        case .message(let bytes), .digest(let bytes): bytes
        }
    }

    package var isDigest: Bool {
        if case .digest = self { true } else { false }
    }
}
