import Base
import CryptoBridge
import TrustKit

/// The qualification of a signature by Regulation (EU) No 910/2014.
public struct VerifiedQualification: Encodable, Sendable {
    /// The qualification of the signing certificate.
    public struct Certificate: Encodable, Sendable {
        /// Type of the certificate: `eSig`, `eSeal` or `WSA`; nil if unclear.
        @Nullable public private(set) var type: String?
        /// True if qualified, false if not, nil if unknown.
        @Nullable public private(set) var qualified: Bool?
        /// Whether the key was in a qualified signature creation device (QSCD) at signing time; nil
        /// if unknown.
        @Nullable public private(set) var qscd: Bool?
        /// Whether the certificate was qualified at issuance; nil if unknown.
        @Nullable public private(set) var atIssuance: Bool?
        /// Whether the certificate was qualified at signing time; nil if unknown.
        @Nullable public private(set) var atSigning: Bool?
        /// Maximum transaction value, such as `1000 EUR`; nil without a limit.
        @Nullable public private(set) var limit: String?
    }

    /// The issuing service.
    public struct Service: Encodable, Sendable {
        /// Territory code in the list, such as `DE`; `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// Name of the provider in the list, in English if available.
        public let provider: String
        /// Name of the service in the list, in English if available.
        public let name: String
        /// Status at signing time.
        public let status: String
        /// Start of the status.
        public let since: Moment
    }

    /// The list with the service.
    public struct List: Encodable, Sendable {
        /// Territory code in the list, such as `DE`; `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// Sequence number of the list, which increases with each issue (ETSI TS 119 612 §5.3.2).
        public let sequence: Int
        /// When the list was issued.
        public let issued: Moment
        /// When the next update is due; nil without nextUpdate.
        public let nextUpdate: Moment?
        /// Whether a newer list is due.
        public let stale: Bool
    }

    /// A reason for the result.
    public struct Reason: Encodable, Sendable {
        /// Stable identifier, for programs.
        public let code: String
        /// Description for people, one sentence.
        public let message: String
    }

    /// Level of qualification: `QESig`, `AdESig-QC`, `Indeterminate QESig`, ...
    public let level: String
    /// The applicable law: `directive` or `regulation`.
    @Nullable public private(set) var law: String?
    /// The qualification of the signing certificate.
    public let certificate: Certificate
    /// Time for which the qualification was determined.
    public let time: Moment
    /// Source of ``time``: `proven` by timestamps, or the `validation` time.
    public let timeSource: String
    /// Issuing service; nil if no list contains one.
    @Nullable public private(set) var service: Service?
    /// List with the service; nil if no list contains it.
    @Nullable public private(set) var list: List?
    /// Reasons, in the order of the checks.
    public let reasons: [Reason]
    /// ``level`` without the verdict.
    let base: SignatureQualification.Base

    private enum CodingKeys: String, CodingKey {
        case level, law, certificate, time, timeSource, service, list, reasons
    }
}

/// The qualification of a timestamp by the Regulation.
public struct VerifiedTimestampQualification: Encodable, Sendable {
    /// True if qualified, false if not, nil if unknown.
    @Nullable public private(set) var qualified: Bool?
    /// Service of the TSA; nil if no list contains one.
    @Nullable public private(set) var service: VerifiedQualification.Service?
    /// List with the service; nil if no list contains it.
    @Nullable public private(set) var list: VerifiedQualification.List?
    /// Reasons, in the order of the checks.
    public let reasons: [VerifiedQualification.Reason]
}

/// The lists used for the results.
public struct UsedTrustLists: Encodable, Sendable {
    /// The list of lists.
    public struct ListOfLists: Encodable, Sendable {
        /// Sequence number of the list, which increases with each issue (ETSI TS 119 612 §5.3.2).
        public let sequence: Int
        /// When the list was issued.
        public let issued: Moment
        /// When the next update is due; nil without nextUpdate.
        public let nextUpdate: Moment?
        /// Whether a newer list is due.
        public let stale: Bool
        /// The issue of the Official Journal; nil for given certificates.
        public let anchor: String?
    }

    /// An imported list of trust anchors.
    public struct Imported: Encodable, Sendable {
        /// The name for verification: that of an ``AnchorListKind``.
        public let name: String
        /// SHA-256 of the list, hexadecimal.
        public let sha256: String
        /// Claimed signing time; nil if the list is not signed.
        @Nullable public private(set) var issued: Moment?
    }

    /// The list of lists; nil without a valid one.
    public let lotl: ListOfLists?
    /// Lists used for services, sorted by territory.
    public let used: [VerifiedQualification.List]
    /// Imported lists, which replace the system trust store.
    public let imported: [Imported]

    /// Whether the list of lists or a used list is out of date.
    public var isStale: Bool { lotl?.stale == true || used.contains(where: \.stale) }
}

/// Minimum qualification required of signatures.
public enum RequiredQualification: String, CaseIterable, Sendable {
    case qualifiedSignature = "qesig"
    case qualifiedSeal = "qeseal"
    /// A qualified signature, or an advanced one with a qualified certificate.
    case qualifiedCertificate = "adesig-qc"
    /// Any signature or seal with a qualified certificate.
    case any

    fileprivate func accepts(_ base: SignatureQualification.Base) -> Bool {
        switch self {
        case .qualifiedSignature: base == .qualifiedSignature
        case .qualifiedSeal: base == .qualifiedSeal
        case .qualifiedCertificate:
            [.qualifiedSignature, .signatureWithQualifiedCertificate].contains(base)
        case .any:
            [
                .qualifiedSignature, .signatureWithQualifiedCertificate, .qualifiedSeal,
                .sealWithQualifiedCertificate,
            ].contains(base)
        }
    }
}

extension QualificationAnswer {
    fileprivate var bool: Bool? {
        switch self {
        case .yes: true
        case .no: false
        case .undecided: nil
        }
    }
}

/// The data for determining a signature's qualification.
struct QualificationQuestion {
    let kind: SignaturePurpose
    let verdict: Verdict
    /// The signing certificate, or the TSA certificate of a timestamp.
    let signer: CryptoBridge.Certificate?
    /// The TSA certificate of the relevant timestamp.
    let authority: CryptoBridge.Certificate?
    let stampedTime: CalendarTime?
    let provenTime: CalendarTime?
    let now: CalendarTime
}

/// The qualification of a signature and its timestamp by trusted lists; nil values without lists.
struct QualificationFinding {
    fileprivate(set) var signature: VerifiedQualification?
    fileprivate(set) var timestamp: VerifiedTimestampQualification?
}

extension TrustLists {
    /// Determines the qualification of a signature and its timestamp.
    func finding(about question: QualificationQuestion) -> QualificationFinding {
        var finding = QualificationFinding()
        guard lists.determineQualification else { return finding }
        if let authority = question.authority, let stamped = question.stampedTime {
            finding.timestamp = qualification(ofTimestampBy: authority, at: stamped)
        }
        guard let signer = question.signer, question.kind == .signature else { return finding }
        let time = question.provenTime ?? question.now
        let (found, list) = lists.qualification(of: signer, verdict: question.verdict, at: time)
        let limit = signer.qualifiedStatements.limit
        finding.signature = VerifiedQualification(
            level: found.level, law: found.atSigning?.law.rawValue,
            certificate: .init(
                type: found.atSigning?.purpose?.rawValue,
                qualified: found.isCertificateQualified.bool, qscd: found.atSigning?.inDevice.bool,
                atIssuance: found.atIssuance?.qualified.bool,
                atSigning: found.atSigning?.qualified.bool, limit: limit.map(Self.text)),
            time: time.moment, timeSource: question.provenTime == nil ? "validation" : "proven",
            service: Self.shown(found.atSigning?.service, state: found.atSigning?.state),
            list: list.map(shown), reasons: found.reasons.map(Self.shown), base: found.base)
        return finding
    }

    private func qualification(
        ofTimestampBy authority: CryptoBridge.Certificate, at time: CalendarTime
    ) -> VerifiedTimestampQualification {
        let (found, list) = lists.qualification(ofTimestampBy: authority, at: time)
        return VerifiedTimestampQualification(
            qualified: found.qualified.bool, service: Self.shown(found.service, state: found.state),
            list: list.map(shown), reasons: found.reasons.map(Self.shown))
    }

    private static func text(
        _ limit: CryptoBridge.Certificate.QualifiedStatements.Limit
    ) -> String {
        let exponent = min(max(limit.exponent, 0), 12)
        return limit.amount == 0
            ? "0 \(limit.currency)"
            : "\(limit.amount)\(String(repeating: "0", count: exponent)) \(limit.currency)"
    }

    private static func shown(_ reason: QualificationReason) -> VerifiedQualification.Reason {
        .init(code: reason.code.rawValue, message: reason.message)
    }

    private static func shown(
        _ service: TrustService?, state: ServiceState?
    ) -> VerifiedQualification.Service? {
        guard let service, let state else { return nil }
        return .init(
            territory: service.territory, provider: service.provider, name: service.name,
            status: state.status, since: state.start.moment)
    }

    private func shown(_ list: TrustList) -> VerifiedQualification.List {
        .init(
            territory: list.territory, sequence: list.sequence, issued: list.issued.moment,
            nextUpdate: list.nextUpdate?.moment, stale: lists.isOutOfDate(list))
    }

    var used: UsedTrustLists {
        var head: UsedTrustLists.ListOfLists?
        if case .success(let found)? = lists.listOfLists {
            head = .init(
                sequence: found.list.sequence, issued: found.list.issued.moment,
                nextUpdate: found.list.nextUpdate?.moment,
                stale: lists.isOutOfDate(found.list), anchor: found.journal)
        }
        return UsedTrustLists(
            lotl: head, used: lists.used.map(shown), imported: imported)
    }
}

extension VerifiedDocument {
    /// A copy in which signatures below the requirement are indeterminate.
    public func demanding(_ required: RequiredQualification) -> VerifiedDocument {
        let areSigned = signatures.contains { $0.kind == .signature }
        var copy = self
        copy.signatures = signatures.map { signature in
            guard signature.kind == .signature || !areSigned else { return signature }
            // A qualified timestamp is not a signature.
            let isEnough = signature.qualification.map { required.accepts($0.base) } ?? false
            return areSigned && isEnough ? signature : signature.doubted(required)
        }
        let isDoubtful = copy.signatures.contains { $0.verdict == .indeterminate }
        if verdict == .passed, isDoubtful { copy.verdict = .indeterminate }
        return copy
    }
}

extension VerifiedSignature {
    fileprivate func doubted(_ required: RequiredQualification) -> VerifiedSignature {
        let found = qualification
        var copy = self
        let reason = found?.reasons.first.map { ": \($0.message)" } ?? ""
        let state =
            found.map {
                $0.level.hasSuffix("Unknown")
                    ? "the qualification of the signature was not determined"
                    : "the signature is \($0.level)"
            } ?? "the signer is unknown"
        copy.problems.append(
            .doubt(
                .qualificationNotReached,
                kind == .signature
                    ? "\(required.rawValue) is required, but \(state)\(reason)"
                    : "the document contains only timestamps, but \(required.rawValue) is required",
                .signatureConstraintsFailure))
        if verdict == .passed {
            copy.verdict = .indeterminate
            copy.subindication = .signatureConstraintsFailure
        }
        return copy
    }
}
