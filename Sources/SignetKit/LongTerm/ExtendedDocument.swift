public import Base
import CryptoBridge
import PDFVerification
import TimestampKit
import TrustKit

/// What was added to a document so that its signatures can be validated for years.
public struct ValidationData: Encodable, Sendable {
    /// What is known of one certificate that the signatures depend on.
    public struct Evidence: Encodable, Sendable {
        /// The certificate's subject.
        public let `for`: String
        /// `signer`, `ca`, `tsa`, `responder` or `crl-issuer`.
        public let role: String
        /// `ocsp`, `crl`, or `none` where nothing need be known.
        public let kind: String
        /// Why nothing need be known, or where was asked in vain.
        public let why: String?
        /// `document`, `file`, `cache` for an answer of an earlier run, or the place that answered.
        public let source: String?
        /// When it was said.
        public let thisUpdate: Moment?
        /// When the next one is due. Nil where that is not said.
        public let nextUpdate: Moment?
        /// Whether it was said after the certificate was used.
        public let fresh: Bool
        /// Their length together.
        public let bytes: Int
    }

    /// Pieces that were added, and their bytes.
    public struct Added: Encodable, Sendable {
        /// How many certificates.
        public let certs: Int
        /// How many OCSP responses.
        public let ocsps: Int
        /// How many revocation lists.
        public let crls: Int
        /// Their length together.
        public let bytes: Int
    }

    /// The document timestamp over all of it.
    public struct Stamp: Encodable, Sendable {
        /// When it was stamped.
        public let time: Moment
        /// The authority's address.
        public let tsa: String
        /// When its authority's certificate ends.
        public let notAfter: Moment?
    }

    /// What the new level rests on, whether added now or there before.
    public internal(set) var evidence: [Evidence] = []
    /// What was put into the document now.
    public internal(set) var added = Added(certs: 0, ocsps: 0, crls: 0, bytes: 0)
    /// Nil where none was added.
    public internal(set) var timestamp: Stamp?
    /// Until when the newest time stamp proves the rest: by then it is to be renewed. Nil
    /// where there is none.
    public internal(set) var renewBefore: Moment?
    /// Whether a renewal lasts longer than what was there; nil where nothing was renewed, or nothing
    /// was there.
    public internal(set) var gained: Bool?
    /// What was asked for over the network.
    public internal(set) var requests: [EvidenceRequest] = []
    var warnings: [String] = []

    /// - Parameters:
    ///   - end: until when the newest time stamp proves the rest.
    ///   - before: the same of the one that was there, where another was to last longer.
    mutating func note(renewal end: CalendarTime?, from before: CalendarTime?) {
        renewBefore = end?.moment
        gained = end.flatMap { end in before.map { end > $0 } }
    }

    private enum CodingKeys: String, CodingKey {
        case evidence, added, timestamp, renewBefore, gained, requests
    }
}

/// What extending a document did, or would do.
public struct ExtendedDocument: Encodable, Sendable {
    /// What became of one signature.
    public struct Signature: Encodable, Sendable {
        /// The signature field's full name; outside PDF the signer's number.
        public let field: String
        /// The level before; nil where it could not be told.
        public let from: SignatureLevel?
        /// The level now; nil where it could not be told.
        public let level: SignatureLevel?
        /// When the signature existed at the latest, as is proven.
        public let bestSignatureTime: Moment?
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.extend/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Nil where nothing was written.
    public internal(set) var output: String?
    /// The least level of the document's signatures before, and now.
    public let from: SignatureLevel?
    /// As ``from``, now; nil where it could not be told.
    public internal(set) var level: SignatureLevel?
    /// In the order in which they were made.
    public internal(set) var signatures: [Signature]
    /// What the level rests on.
    public internal(set) var validationData: ValidationData
    /// What a person should know although nothing failed, a sentence each.
    public internal(set) var warnings: [String]

    /// Whether there is something to do. Not in the JSON.
    public internal(set) var isDue = false
    /// Whether nothing was to be done, and the output is the input. Not in the JSON.
    public internal(set) var isCopy = false
    /// Whether it is a PDF's; else a message's. Not in the JSON.
    var isDocument = true

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, from, level, signatures, warnings
    }

    /// Writes absent values as null, and the keys of the validation data beside its own.
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

    /// Takes what was done and written.
    mutating func adopt(_ data: ValidationData, _ reached: SignatureLevel) {
        validationData = data
        warnings += data.warnings
        if data.gained == false, let end = data.renewBefore {
            warnings.append(
                "nothing was gained: the new time stamp ends on \(end), no later than the one "
                    + Self.vain)
        }
        // Time stamps alone have no level, and nobody loses what they had.
        level = level.map { max($0, reached) }
        signatures = signatures.map {
            Signature(
                field: $0.field, from: $0.from, level: $0.level.map { max($0, reached) } ?? reached,
                bestSignatureTime: $0.bestSignatureTime)
        }
    }

    /// Takes that nothing was written, because a new time stamp would not last longer.
    ///
    /// - Parameter end: when the new one ends.
    mutating func leave(until end: CalendarTime?) {
        validationData.gained = false
        warnings.append(
            "nothing is to be gained, so it was left as it is: a new time stamp would end on "
                + "\(end?.rfc3339 ?? "the same day"), no later than the one " + Self.vain)
    }

    /// Takes that nobody said anything newer yet.
    mutating func leave(_ warnings: [String]) { self.warnings += warnings }

    private static let vain =
        "before; renew when the authority has a newer certificate, or with another one"

    /// For people: `PAdES B-LTA, renew before 2029-01-01T00:00:00Z`.
    public var summary: String {
        let until = validationData.renewBefore.map { ", renew before \($0)" } ?? ""
        return (level.map { "\(isDocument ? "PAdES" : "CAdES") \($0.rawValue)" } ?? "time-stamped")
            + until
    }
}

extension ValidationData.Evidence {
    init(_ item: CollectedEvidence) {
        let word = item.words.first
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
            ? "its issuer says that it is not revoked"
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
        bytes = item.words.reduce(0) { $0 + $1.byteCount }
    }
}

extension RevocationWord {
    fileprivate var byteCount: Int {
        evidence.lists.reduce(0) { $0 + $1.der.count }
            + evidence.responses.reduce(0) { $0 + $1.der.count }
    }
}
