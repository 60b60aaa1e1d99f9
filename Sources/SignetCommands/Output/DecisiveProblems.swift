import Base
import SignetKit

/// The problems that decide the verdict on a signature. The first one is the most important for the
/// reader: a modification before a defect of the file.
struct DecisiveProblems {
    /// One of each topic, most important first.
    let mains: [VerificationProblem]
    /// Messages of the others.
    let others: [String]
    /// Messages of notes about encodings, which no reader decides by.
    let encoding: [String]
    private let isIntact: Bool
    private let isTimestamp: Bool

    /// Longest text of a problem.
    private static let lengthLimit = 120
    /// Longest name in such a text.
    private static let nameLimit = 24

    var main: VerificationProblem? { mains.first }

    init(_ signature: VerifiedSignature) {
        isIntact = signature.intact
        isTimestamp = signature.kind == .timestamp
        encoding = signature.problems.filter(\.isAboutEncoding).map(\.message)
        let failed = signature.problems.filter { $0.verdict == .failed }
        let open = signature.problems.filter { $0.verdict == .indeterminate }
        let decisive = failed.isEmpty ? open : failed
        // One rank after the other keeps the order within a rank.
        let sorted = (0...3).flatMap { rank in decisive.filter { $0.rank == rank } }
        var topics: Set<VerificationProblem.Topic> = []
        mains = sorted.filter { topics.insert($0.topic).inserted }
        var seen = Set(mains.map(\.message))
        others = (failed + open).map(\.message).filter { seen.insert($0).inserted }
    }

    /// A problem as a line, with what it leaves open.
    func text(of problem: VerificationProblem) -> String {
        Self.shortened(sentence(of: problem))
    }

    /// Shortens long names before the sentence itself.
    private static func shortened(_ text: String) -> String {
        guard text.count > lengthLimit else { return text }
        var parts = text.split(separator: "'", omittingEmptySubsequences: false)
        for index in parts.indices where index % 2 == 1 && parts[index].count > nameLimit {
            parts[index] = parts[index].prefix(nameLimit - 1) + "…"
        }
        let short = parts.joined(separator: "'")
        return short.count > lengthLimit ? short.prefix(lengthLimit - 1) + "…" : short
    }

    private func sentence(of problem: VerificationProblem) -> String {
        guard problem.verdict == .indeterminate else { return problem.message }
        return switch problem.topic {
        case .signer where isTimestamp: "the TSA is not confirmed: \(problem.message)"
        case .signer: "the signer is not confirmed: \(problem.message)"
        case .time where isTimestamp: problem.message
        case .time where problem.subindication == .outOfBoundsNoPOE && problem.proofEnded == nil:
            "\(problem.message), and no timestamp proves that the signature is older"
        case .time: "the signing time is not confirmed: \(problem.message)"
        case .content: (isIntact ? "" : "integrity not confirmed: ") + problem.message
        case .requirement: problem.message
        }
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
        case .lookUncertain, .tooMuchToCompare, .unusedObjects, .updateUnaccounted,
            .updateIrregular:
            3
        default: Self.structureCodes.contains(code) ? 3 : 2
        }
    }

    /// The codes about the document's structure, which come first.
    private static let structureCodes = ProblemCode.allCases.prefix {
        $0 != .integrityCodeMissing
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
        default: .content
        }
    }

    /// A note about an encoding that has no effect.
    var isAboutEncoding: Bool { verdict == nil && code == .contentsNotDer }
}

extension VerifiedSignature {
    /// Whether only an earlier revision has the signature.
    var isRemoved: Bool { problems.contains { $0.code == .signatureRemoved } }
    /// Whether the signer may be named without a reservation.
    var isConfirmed: Bool { anchor != nil && verdict != .failed }
    /// Whether content was changed after signing.
    var isModified: Bool {
        coverage == .revision && (verdict == .failed || !contentChanges.isEmpty)
    }
    /// Whether the certificate was checked: it is always, unless verification ended before.
    var isTrustChecked: Bool { verdict != .failed || problems.contains { $0.topic == .signer } }
}
