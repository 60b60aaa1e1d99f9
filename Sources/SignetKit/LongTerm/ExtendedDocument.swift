/// The result of extending a document, or of a check.
public struct ExtendedDocument: Encodable, Sendable {
    /// The result for one signature.
    public struct Signature: Encodable, Sendable {
        /// The signature field's full name; outside PDF the signer's number.
        public let field: String
        /// The previous level; nil if unknown.
        public let from: SignatureLevel?
        /// The new level; nil if unknown.
        public let level: SignatureLevel?
        /// Time of the signature by a timestamp, trusted or not; nil without one.
        public let bestSignatureTime: Moment?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.extend/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Path of the output; nil if nothing was written.
    public internal(set) var output: String?
    /// The lowest level of the document's signatures before.
    public let from: SignatureLevel?
    /// The lowest level now; nil if unknown.
    public internal(set) var level: SignatureLevel?
    /// Signatures in the order of creation.
    public internal(set) var signatures: [Signature]
    /// The validation data for the level.
    public internal(set) var validationData: ValidationData
    /// Warnings after success, one sentence each.
    public internal(set) var warnings: [String]

    /// Whether there is something to add. Not in the JSON.
    public internal(set) var isDue = false
    /// Whether the output is an unchanged copy of the input. Not in the JSON.
    public internal(set) var isCopy = false
    /// Whether the input is a PDF, not a CMS message. Not in the JSON.
    var isDocument = true

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, from, level, signatures, warnings
    }

    /// Encodes absent values as null, and the keys of the validation data at the top level.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schema, forKey: .schema)
        try container.encode(file, forKey: .file)
        try container.encode(output, forKey: .output)
        try container.encode(from, forKey: .from)
        try container.encode(level, forKey: .level)
        try container.encode(signatures, forKey: .signatures)
        try container.encode(warnings, forKey: .warnings)
        try validationData.encode(to: encoder)
    }

    /// Records the added data and the level.
    mutating func adopt(_ data: ValidationData, _ reached: SignatureLevel) {
        validationData = data
        warnings += data.warnings
        warnUnlessGained()
        // Documents with only timestamps have no level, and levels never decrease.
        level = level.map { max($0, reached) }
        signatures = signatures.map {
            Signature(
                field: $0.field, from: $0.from, level: $0.level.map { max($0, reached) } ?? reached,
                bestSignatureTime: $0.bestSignatureTime)
        }
    }

    /// Warns if the new timestamp does not expire later than the one before.
    mutating func warnUnlessGained() {
        guard validationData.gained == false, let end = validationData.renewBefore else { return }
        warnings.append(
            "the new timestamp is valid until \(end), not longer than the one " + Self.vain)
    }

    /// Records that nothing was written, since a new timestamp would not expire later.
    ///
    /// - Parameter end: expiry of the new timestamp.
    mutating func leave(until end: CalendarTime?) {
        validationData.gained = false
        warnings.append(
            "left unchanged: a new timestamp would be valid until "
                + "\(end?.text ?? "the same day"), not longer than the one " + Self.vain)
    }

    /// Adds warnings about a document that was left unchanged.
    mutating func leave(_ warnings: [String]) { self.warnings += warnings }

    private static let vain =
        "before; renew with a TSA whose certificate and CA are valid longer, with keys of RSA 3072, EC "
        + "P-256 or better"

    /// One-line summary: `PAdES B-LTA, renew before 2029-01-01T00:00:00Z`.
    public var summary: String {
        let until = validationData.renewBefore.map { ", renew before \($0)" } ?? ""
        return (level.map { "\(isDocument ? "PAdES" : "CAdES") \($0.rawValue)" } ?? "timestamped")
            + until
    }
}
