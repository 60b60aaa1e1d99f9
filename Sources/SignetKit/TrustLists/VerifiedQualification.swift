import Base
import CryptoBridge
import PDFVerification
import TimestampKit
import TrustKit

/// What a signature is by the Regulation (EU) No 910/2014.
public struct VerifiedQualification: Encodable, Sendable {
    /// What the signer's certificate is.
    public struct Certificate: Encodable, Sendable {
        /// `eSig`, `eSeal`, `WSA`; nil where that is not clear.
        @Nullable public private(set) var type: String?
        /// Nil where it cannot be told.
        @Nullable public private(set) var qualified: Bool?
        /// Whether its key is in a qualified device, at the time of signing.
        @Nullable public private(set) var qscd: Bool?
        /// Whether it was qualified when it was issued, and at the time of signing.
        @Nullable public private(set) var atIssuance: Bool?
        /// Nil where it cannot be told.
        @Nullable public private(set) var atSigning: Bool?
        /// Up to which sum it is meant to be used: `1000 EUR`.
        @Nullable public private(set) var limit: String?
    }

    /// The service that issued it.
    public struct Service: Encodable, Sendable {
        /// The country as the list has it: `DE`, `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// As the list has it, in English where there is that.
        public let provider: String
        /// As the list has it, in English where there is that.
        public let name: String
        /// At the time of signing.
        public let status: String
        /// From when on the service has its status.
        public let since: Moment
    }

    /// The list that names the service.
    public struct List: Encodable, Sendable {
        /// The country as the list has it: `DE`, `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// The number of the list, which grows by one each time (ETSI TS 119 612 §5.3.2).
        public let sequence: Int
        /// When the list was issued.
        public let issued: Moment
        /// When the next one is due. Nil where that is not said.
        public let nextUpdate: Moment?
        /// Whether a newer one should be there.
        public let stale: Bool
    }

    /// Something that decided.
    public struct Reason: Encodable, Sendable {
        /// Stable, for programs.
        public let code: String
        /// A sentence for people.
        public let message: String
    }

    /// `QESig`, `AdESig-QC`, `Indeterminate QESig`, ...
    public let level: String
    /// `directive` or `regulation`: what was in force.
    @Nullable public private(set) var law: String?
    /// What the signer's certificate is.
    public let certificate: Certificate
    /// For which the question was answered.
    public let time: Moment
    /// `proven` by time stamps, or the time of `validation`.
    public let timeSource: String
    /// Nil where no list has one.
    @Nullable public private(set) var service: Service?
    /// Nil where no list has the service.
    @Nullable public private(set) var list: List?
    /// Why, in the order in which it was found.
    public let reasons: [Reason]
    /// ``level`` without what the verdict adds.
    let base: SignatureQualification.Base

    private enum CodingKeys: String, CodingKey {
        case level, law, certificate, time, timeSource, service, list, reasons
    }
}

/// What a time stamp is by the Regulation.
public struct VerifiedTimestampQualification: Encodable, Sendable {
    /// Nil where it cannot be told.
    @Nullable public private(set) var qualified: Bool?
    /// Nil where no list has one.
    @Nullable public private(set) var service: VerifiedQualification.Service?
    /// Nil where no list has the service.
    @Nullable public private(set) var list: VerifiedQualification.List?
    /// Why, in the order in which it was found.
    public let reasons: [VerifiedQualification.Reason]
}

/// The lists that decided.
public struct UsedTrustLists: Encodable, Sendable {
    /// The list that names the service.
    public struct ListOfLists: Encodable, Sendable {
        /// The number of the list, which grows by one each time (ETSI TS 119 612 §5.3.2).
        public let sequence: Int
        /// When the list was issued.
        public let issued: Moment
        /// When the next one is due. Nil where that is not said.
        public let nextUpdate: Moment?
        /// Whether a newer one should be there.
        public let stale: Bool
        /// The issue of the Official Journal; nil for certificates that were given.
        public let anchor: String?
    }

    /// Nil where there is none, or none that counts.
    public let lotl: ListOfLists?
    /// By territory.
    public let used: [VerifiedQualification.List]
}

/// The least that a signature must be.
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

/// What is to be known of a signature to say what it is.
struct QualificationQuestion {
    let kind: SignaturePurpose
    let verdict: Verdict
    /// Who made it; a time stamp's authority.
    let signer: CryptoBridge.Certificate?
    /// Who made the time stamp that counts for it.
    let authority: CryptoBridge.Certificate?
    /// What that says.
    let stampedTime: CalendarTime?
    let provenTime: CalendarTime?
    /// The time of validation.
    let now: CalendarTime
}

/// What a signature and its time stamp are by trusted lists; nothing where none were asked.
struct QualificationFinding {
    fileprivate(set) var signature: VerifiedQualification?
    fileprivate(set) var timestamp: VerifiedTimestampQualification?
}

extension TrustLists {
    /// What a signature and its time stamp are.
    func finding(about question: QualificationQuestion) -> QualificationFinding {
        var finding = QualificationFinding()
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
            service: Self.shown(found.atSigning?.service, found.atSigning?.state),
            list: list.map(shown), reasons: found.reasons.map(Self.shown), base: found.base)
        return finding
    }

    private func qualification(
        ofTimestampBy authority: CryptoBridge.Certificate, at time: CalendarTime
    ) -> VerifiedTimestampQualification {
        let (found, list) = lists.qualification(ofTimestampBy: authority, at: time)
        return VerifiedTimestampQualification(
            qualified: found.qualified.bool, service: Self.shown(found.service, found.state),
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
        _ service: TrustService?, _ state: ServiceState?
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

    /// Which lists decided so far.
    var used: UsedTrustLists {
        var head: UsedTrustLists.ListOfLists?
        if case .success(let found)? = lists.listOfLists {
            head = .init(
                sequence: found.list.sequence, issued: found.list.issued.moment,
                nextUpdate: found.list.nextUpdate?.moment,
                stale: lists.isOutOfDate(found.list), anchor: found.journal)
        }
        return UsedTrustLists(lotl: head, used: lists.used.map(shown))
    }
}

extension VerifiedDocument {
    /// The same where no signature passes that is less than is demanded.
    public func demanding(_ required: RequiredQualification) -> VerifiedDocument {
        let areSigned = signatures.contains { $0.kind == .signature }
        var copy = self
        copy.signatures = signatures.map { signature in
            guard signature.kind == .signature || !areSigned else { return signature }
            // A qualified time stamp is no signature.
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
        copy.problems.append(
            .doubt(
                .qualificationNotReached,
                kind == .signature
                    ? "the signature is \(found?.level ?? "of an unknown signer"), "
                        + "\(required.rawValue) is required\(reason)"
                    : "nobody signed, there are time stamps only: \(required.rawValue) is required",
                .signatureConstraintsFailure))
        if verdict == .passed {
            copy.verdict = .indeterminate
            copy.subindication = .signatureConstraintsFailure
        }
        return copy
    }
}
