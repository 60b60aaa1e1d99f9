public import Base
import CryptoBridge
import TrustKit

/// The data added to a document for long-term validation.
public struct ValidationData: Encodable, Sendable {
    /// The revocation data of one certificate that the signatures depend on.
    public struct Evidence: Encodable, Sendable {
        /// The certificate's subject.
        public let `for`: String
        /// Role of the certificate: `signer`, `ca`, `tsa`, `responder` or `crl-issuer`.
        public let role: String
        /// Kind of revocation data: `ocsp`, `crl`, or `none` if no status is needed.
        public let kind: String
        /// Reason why no status is needed, or messages about failed requests; nil for none.
        public let why: String?
        /// Source of the data: `document`, `file`, `cache` for data of an earlier run, or the URL
        /// of the response.
        public let source: String?
        /// When the data was issued.
        public let thisUpdate: Moment?
        /// When the next update is due; nil without nextUpdate.
        public let nextUpdate: Moment?
        /// Whether the data was issued after the certificate was used.
        public let fresh: Bool
        /// Total length in bytes.
        public let bytes: Int
    }

    /// Number and size of added items.
    public typealias Added = AddedValidationData

    /// The document timestamp over all data.
    public struct Stamp: Encodable, Sendable {
        /// Time of the timestamp.
        public let time: Moment
        /// URL of the TSA.
        public let tsa: String
        /// When the TSA certificate expires; nil if the token does not contain it.
        public let notAfter: Moment?
    }

    /// The revocation data for the new level, added now or present before.
    public internal(set) var evidence: [Evidence] = []
    /// The items added now.
    public internal(set) var added = Added()
    /// Document timestamp that was added; nil if none was added.
    public internal(set) var timestamp: Stamp?
    /// When the proof by the newest timestamp expires: it must be renewed before. Nil without a
    /// timestamp.
    public internal(set) var renewBefore: Moment?
    /// Whether the renewed timestamp expires later than the previous one; nil if none was renewed.
    public internal(set) var gained: Bool?
    /// The network requests.
    public internal(set) var requests: [EvidenceRequest] = []
    var warnings: [String] = []

    /// Records the expiry of the proof.
    ///
    /// - Parameters:
    ///   - end: when the proof by the newest timestamp expires.
    ///   - before: expiry of the previous timestamp, if it was renewed.
    mutating func note(renewal end: CalendarTime?, from before: CalendarTime?) {
        renewBefore = end?.moment
        gained = end.flatMap { end in before.map { end > $0 } }
    }

    private enum CodingKeys: String, CodingKey {
        case evidence, added, timestamp, renewBefore, gained, requests
    }
}

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

extension ValidationData.Evidence {
    init(_ item: CollectedEvidence) {
        let word = item.records.first
        `for` = item.certificate.subject.description
        role = item.role.rawValue
        kind =
            switch word?.source {
            case .list?: "crl"
            case .response?: "ocsp"
            case nil: "none"
            }
        why =
            word == nil
            ? "not revoked according to its issuer"
            : item.remarks.isEmpty ? nil : item.remarks.joined(separator: "; ")
        source =
            switch item.origin {
            case .file?: "file"
            case .document?: "document"
            case .fetched(let place)?: place
            case .kept?: "cache"
            case nil: nil
            }
        thisUpdate = word?.statement.thisUpdate.moment
        nextUpdate = word?.statement.nextUpdate?.moment
        fresh = item.isFresh
        bytes = item.records.reduce(0) { $0 + $1.byteCount }
    }
}

extension StatusRecord {
    fileprivate var byteCount: Int {
        evidence.lists.reduce(0) { $0 + $1.der.count }
            + evidence.responses.reduce(0) { $0 + $1.der.count }
    }
}
