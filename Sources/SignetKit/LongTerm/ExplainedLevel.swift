import Base
import CryptoBridge
import TrustKit

/// The explanation of a signature's level, and the requirements of the next one.
public struct ExplainedLevel: Encodable, Sendable {
    /// The document's validation data for one certificate.
    public struct Certificate: Encodable, Sendable {
        /// Subject of the certificate, in RFC 4514 form.
        public let subject: String
        /// Role of the certificate: `signer`, `ca`, `tsa`, `responder` or `crl-issuer`.
        public let role: String
        /// Kind of revocation data: `ocsp`, `crl`, `none` if no status is needed, or nil if it is
        /// missing.
        public let kind: String?
        /// When the data was issued.
        public let thisUpdate: Moment?
        /// When the next update is due; nil without nextUpdate.
        public let nextUpdate: Moment?
        /// When the certificate expires.
        public let notAfter: Moment
        /// The field of the timestamp that covers the data; nil if none does.
        public let coveredBy: String?
        /// Whether the document contains the certificate.
        public let carried: Bool

        /// Text such as `signer CN=Signer: ocsp of … until …, covered by Timestamp1`.
        public var description: String {
            let what: String
            switch kind {
            case "none"?: what = "no revocation data required"
            case let kind?:
                let span = [thisUpdate.map { "of \($0)" }, nextUpdate.map { "until \($0)" }]
                let cover = coveredBy.map { ", covered by \($0)" } ?? ", not covered by a timestamp"
                what = "\(kind) " + span.compactMap(\.self).joined(separator: " ") + cover
            case nil: what = "no revocation data"
            }
            return "\(role) \(subject): \(what)" + (carried ? "" : "; issuer certificate missing")
        }
    }

    /// Certificates from the signing certificate to the one below the trust anchor.
    public let certificates: [Certificate]
    /// Messages about missing requirements of the next level.
    public let missing: [String]
    /// Next level; nil at the highest level.
    public let nextLevel: SignatureLevel?
    /// The command that extends the signature; nil if none helps.
    public let command: Sentence?

    /// - Parameters:
    ///   - level: level of the signature; nil if unknown.
    ///   - paths: paths of the signature and its timestamp.
    ///   - file: file name in the command.
    init(
        _ explanation: LevelExplanation, level: SignatureLevel?, _ stamp: StampState,
        paths: [JudgedPath], file: String
    ) {
        certificates = explanation.items.map(Certificate.init)
        let level = level ?? .cms
        var missing: [String] = []
        // If the TSA's root is trusted, the trust anchor is not the problem.
        let stampPath = paths.first { $0.role == .tsa }
        let authority = stampPath?.leaf.displayName
        let isAnchored = stampPath?.chain.isEmpty == false
        nextLevel = level.next
        if level == .cms { missing.append("a signature in a baseline format") }
        if let lacking = Self.missingStamp(stamp, by: authority, isAnchored: isAnchored) {
            missing.append(lacking)
        }
        if level < .lt {
            missing += certificates.filter { $0.kind == nil }
                .map { "revocation data for the certificate of \($0.role) \($0.subject)" }
            missing += certificates.filter { !$0.carried }
                .map { "the certificate of \($0.role) \($0.subject)" }
        }
        if level == .lt { missing.append("a timestamp over the validation data") }
        // A directly trusted certificate has no issuer that could report its status.
        let isAlone = stamp == .proven && paths.allSatisfy { $0.chain.count == 1 }
        if level == .t, isAlone {
            missing.append(
                "revocation data: the signing and TSA certificates are trusted directly; use "
                    + "certificates issued by a CA")
        }
        let outdated = level < .lt ? [] : explanation.items.filter(\.isOutdated)
        missing += outdated.map {
            "revocation data for the signer \($0.certificate.subject) newer than the signature: the "
                + "available data is older"
        }
        missing += explanation.missingAnchors.map {
            "the root certificate \($0.displayName), which some validators require in the document"
        }
        var seen: Set<String> = []
        self.missing = missing.filter { seen.insert($0).inserted }
        // Revocation data that cannot be fetched must be given by the user.
        let mustBeGiven = explanation.items.contains {
            ($0.records.isEmpty && !$0.needsNone || level >= .lt && $0.isOutdated)
                && !$0.certificate.namesPlace
        }
        let isCurrent = level == .lta && outdated.isEmpty
        if level == .cms || level == .t && isAlone
            || isCurrent && explanation.missingAnchors.isEmpty
        {
            command = nil
        } else if stamp == .unproven, !isAnchored {
            command = Sentence(.verifyTrusting, file)
        } else if isCurrent {
            command = Sentence(mustBeGiven ? .renewFurtherWithList : .renewFurther, file)
        } else {
            command = Sentence(mustBeGiven ? .extendFurtherWithList : .extendFurther, file)
        }
    }

    /// Message about a missing timestamp.
    ///
    /// - Parameters:
    ///   - authority: TSA of the existing timestamp.
    ///   - isAnchored: whether its root is trusted.
    /// - Returns: nil if there is a trusted timestamp.
    private static func missingStamp(
        _ stamp: StampState, by authority: String?, isAnchored: Bool
    ) -> String? {
        let name = authority.map { " \($0.inQuotes)" } ?? ""
        return switch stamp {
        case .none: "a timestamp that is trusted"
        case .unproven where isAnchored:
            "the revocation data for the TSA of its timestamp\(name) is not valid at that time: a "
                + "timestamp over it, added before"
        case .unproven:
            "the root certificate of the TSA\(name) as trust anchor, or a timestamp by another TSA"
        case .proven: nil
        }
    }
}

extension ExplainedLevel.Certificate {
    fileprivate init(_ item: LevelExplanation.Item) {
        subject = item.certificate.subject.description
        role = item.role.rawValue
        let word = item.records.first
        kind =
            switch word?.source {
            case .list?: "crl"
            case .response?: "ocsp"
            case nil: item.needsNone ? "none" : nil
            }
        thisUpdate = word?.statement.thisUpdate.moment
        nextUpdate = word?.statement.nextUpdate?.moment
        notAfter = item.certificate.notAfter.moment
        coveredBy = item.coveredBy
        carried = item.isCarried
    }
}
