import Base
import SignetKit

/// The problems that decide the verdict on a signature. The first one is the most important for the
/// reader: a modification before a defect of the file.
struct DecisiveProblems {
    /// One of each topic, most important first.
    let mains: [VerificationProblem]
    let others: [String]
    /// Messages of notes about encodings, which no reader decides by.
    let encoding: [String]
    private let isIntact: Bool
    private let isTimestamp: Bool
    private let provenTime: Moment?

    /// Longest line of a problem.
    private static let lengthLimit = 120
    /// Where a longer message may end; the complete one is among the details.
    private static let boundaries = [", and ", "; ", " ("]

    var main: VerificationProblem? { mains.first }

    init(_ signature: VerifiedSignature) {
        isIntact = signature.intact
        isTimestamp = signature.kind == .timestamp
        provenTime = signature.provenTime
        encoding = signature.problems.filter(\.isAboutEncoding).map(\.message)
        let failed = signature.problems.filter { $0.verdict == .failed }
        let open = signature.problems.filter { $0.verdict == .indeterminate }
        let decisive = failed.isEmpty ? open : failed
        // One rank after the other keeps the order within a rank.
        let sorted = (0...4).flatMap { rank in decisive.filter { $0.rank == rank } }
        var topics: Set<VerificationProblem.Topic> = []
        mains = sorted.filter { topics.insert($0.topic).inserted }
        var seen = Set(mains.map(\.message))
        others = (failed + open).map(\.message).filter { seen.insert($0).inserted }
    }

    /// A problem as a line, with what it leaves open.
    func text(of problem: VerificationProblem) -> String {
        guard problem.verdict == .indeterminate else { return problem.message }
        return switch problem.topic {
        case .signer where isTimestamp: "the TSA is not confirmed: \(problem.message)"
        case .signer: "the signer is not confirmed: \(problem.message)"
        case .time where isTimestamp: problem.message
        case .time where problem.code == .notYetValid: problem.message
        case .time where problem.subindication == .outOfBoundsNoPOE && problem.proofEnded == nil:
            provenTime.map { "\(problem.message), and the timestamp is later (\($0.text))" }
                ?? "\(problem.message), and no trusted timestamp proves that the signature is older"
        case .time: "the signing time is not confirmed: \(problem.message)"
        case .content: (isIntact ? "" : "integrity not confirmed: ") + problem.message
        case .requirement: problem.message
        }
    }

    /// The text of a problem, without its last clauses if it is long.
    /// A long one about the signer begins with the cause: the rows below say that the signer is not
    /// confirmed.
    func headline(of problem: VerificationProblem) -> String {
        let text = text(of: problem)
        let isShort = problem.topic != .signer || text.count <= Self.lengthLimit
        return Self.shortened(isShort ? text : problem.message)
    }

    static func shortened(_ text: String) -> String {
        guard text.count > lengthLimit else { return text }
        // A colon only if nothing else ends a clause: it may follow a page number.
        let ends = [boundaries, [": "]].lazy.compactMap { marks in
            text.indices.prefix(lengthLimit + 1).dropFirst().last { end in
                marks.contains(where: text[end...].hasPrefix) && isWhole(text[..<end])
                    && endsClause(text[end...])
            }
        }
        return ends.first.map { String(text[..<$0]) } ?? text
    }

    /// Whether a clause ends before the rest of a text: no words follow its parentheses.
    private static func endsClause(_ rest: Substring) -> Bool {
        guard rest.hasPrefix(" ("), let end = rest.firstIndex(of: ")") else { return true }
        let after = rest[end...].dropFirst()
        return after.isEmpty || boundaries.contains(where: after.hasPrefix)
    }

    /// Whether quotation marks and parentheses are closed.
    private static func isWhole(_ text: Substring) -> Bool {
        text.count { $0 == "'" }.isMultiple(of: 2)
            && text.count { $0 == "(" } == text.count { $0 == ")" }
    }

    /// The complete texts of shortened problems, and the messages of the others.
    var details: [String] {
        mains.filter { headline(of: $0) != text(of: $0) }.map(text) + others
    }

    /// The sub-indication of the first problem.
    var subindication: SubIndication? { main?.subindication }
}

extension VerificationProblem {
    /// Lower for more important problems.
    fileprivate var rank: Int {
        switch code {
        case .digestMismatch, .integrityCodeWrong: 0
        case .changedAfterSigning, .changedSinceSigned, .changeNotPermitted, .lockedFieldChanged,
            .visibleSignatureAdded, .coveragePartial, .objectNotCovered, .signatureRemoved:
            1
        // A consequence of an expired certificate, which is another problem.
        case .revocationDataUnproven: 4
        // What trust cannot mend comes before the missing trust.
        default: topic == .content ? 2 : 3
        }
    }

    enum Topic { case content, signer, time, requirement }

    fileprivate var topic: Topic {
        switch subindication {
        case _
        where [.levelNotReached, .changedSinceSigned, .qualificationNotReached].contains(code):
            .requirement
        case .cryptoConstraintsFailureNoPOE? where isAboutCertificate: .signer
        case .noSigningCertificateFound?, .noCertificateChainFound?,
            .certificateChainGeneralFailure?, .chainConstraintsFailure?, .revoked?,
            .revokedNoPOE?, .revokedCANoPOE?, .tryLater?:
            .signer
        case .expired?, .notYetValid?, .outOfBoundsNoPOE?, .timestampOrderFailure?: .time
        case _ where code == .revocationDataUnproven: .time
        default: .content
        }
    }

    /// A note about an encoding without effect on the verdict.
    var isAboutEncoding: Bool {
        verdict == nil
            && [.contentsNotDer, .versionUnusual, .attributesNotSorted, .typeUnusual].contains(code)
    }

    /// Whether it is a change after signing that is not permitted or may mislead.
    fileprivate var isChange: Bool {
        switch code {
        case .changedAfterSigning, .changedSinceSigned, .changeNotPermitted, .lockedFieldChanged,
            .visibleSignatureAdded, .lookUncertain, .updateUnaccounted, .updateIrregular:
            verdict != nil
        default: false
        }
    }
}

extension VerifiedDocument {
    /// The signatures in the order of the output. Removed ones come first: they explain the
    /// verdict on the file.
    var shownSignatures: [VerifiedSignature] {
        signatures.filter(\.isRemoved) + signatures.filter { !$0.isRemoved }
    }
}

extension VerifiedSignature {
    /// Whether only an earlier revision has the signature.
    var isRemoved: Bool { problems.contains { $0.code == .signatureRemoved } }
    /// Whether the signer may be named without a reservation.
    var isConfirmed: Bool {
        anchor != nil && (intact || verdict != .failed)
            && !problems.contains { $0.verdict != nil && $0.topic == .signer }
    }
    /// Whether the certificate is trusted, but the signature itself is invalid.
    var isInvalidByItself: Bool { anchor != nil && !intact && verdict == .failed }
    /// Whether content was changed after signing.
    var isModified: Bool {
        coverage == .revision && (!contentChanges.isEmpty || problems.contains(where: \.isChange))
    }
    /// The note for ``hasPermittedChanges``.
    static let permittedChanges =
        "PDF permits such changes after signing; this signature does not cover them"
    /// Whether content was changed after signing, as the signature permits.
    var hasPermittedChanges: Bool {
        intact && !contentChanges.isEmpty && !problems.contains(where: \.isChange)
    }
    /// Whether the certificate was issued by another one, which is missing.
    var lacksIssuer: Bool {
        problems.contains { problem in
            switch problem.missing {
            case .unknownIssuer?, .otherKey?: problem.verdict != nil
            default: false
            }
        }
    }
    /// Whether the certificate was checked: it is always, unless verification ended before.
    var isTrustChecked: Bool { verdict != .failed || problems.contains { $0.topic == .signer } }
}
