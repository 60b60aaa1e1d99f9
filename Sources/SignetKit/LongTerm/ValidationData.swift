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
