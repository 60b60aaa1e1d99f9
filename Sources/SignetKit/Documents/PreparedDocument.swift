public import Base

/// The result of the first step of a two-step signature.
public struct PreparedDocument: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.remote/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// The file with the hash to sign, or with the message for Ed25519 and Ed448.
    public let toSign: String?
    /// The file with the message to sign, for keys that hash it themselves.
    public let toSignMessage: String?
    /// The hash to sign, hexadecimal; nil for Ed25519 and Ed448, which sign messages.
    public let hash: String?
    /// `hash` if the key signs the hash itself; `data` if it signs the bytes as a message
    /// (Ed25519); `document` if a service creates a whole CMS signature of the document's hash.
    public let input: String
    /// The signature field's full name.
    public let field: String
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Required signature algorithm: `rsa-pkcs1`, `ecdsa`.
    public let algorithm: String
    /// Claimed signing time.
    public let claimedTime: Moment
    /// Drawings on pages; nil when there are none.
    public let marks: SignedDocument.Marks?
    /// Requirements of the field (seed value), all accepted.
    public let demands: [SignedDocument.Demand]?
    /// Whether the signature has a visible appearance.
    public let visible: Bool?
    /// Positions of the appearance; nil if invisible.
    public let widgets: [SignedDocument.Widget]?
    /// Content that makes the display depend on more than the signed bytes.
    public let dynamicContent: ShownDynamicContent
    /// Notes for the signer about the document and field.
    public let notes: [String]
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]

    /// Summary of the signature, for people: `PAdES B-B, visible on page 1`.
    public let summary: Sentence

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, toSign, toSignMessage, hash, input, field, digest, algorithm,
            claimedTime, marks
        case demands, visible, widgets, dynamicContent, notes, warnings
    }
}

/// Destinations of the bytes that an external key signs.
public struct BytesToSign: Sendable {
    /// Receives the hash, or the message for Ed25519 and Ed448; nil for none.
    public var hash: Destination?
    /// Encoding of ``hash``.
    public var encoding = HashOptions.Encoding.raw
    /// Receives the message: the signed attributes in DER (RFC 5652 §5.4), for keys that hash it
    /// themselves; nil for none.
    public var message: Destination?

    /// - Parameter hash: receives the hash to sign; nil for none.
    public init(hash: Destination? = nil) { self.hash = hash }
}
