import Base
import SignetKit

/// The problems that decide the verdict on a signature. The first one is the most important for the
/// reader: a modification before a defect of the file.
struct DecisiveProblems {
    let main: VerificationProblem?
    /// Messages of the others.
    let others: [String]
    private let isIntact: Bool
    private let isTimestamp: Bool

    /// Longest text of the main problem.
    private static let lengthLimit = 120
    /// Longest name in such a text.
    private static let nameLimit = 32

    init(_ signature: VerifiedSignature) {
        isIntact = signature.intact
        isTimestamp = signature.kind == .timestamp
        let failed = signature.problems.filter { $0.verdict == .failed }
        let open = signature.problems.filter { $0.verdict == .indeterminate }
        main = (failed.isEmpty ? open : failed).min { $0.rank < $1.rank }
        var seen = Set([main?.message].compactMap(\.self))
        others = (failed + open).map(\.message).filter { seen.insert($0).inserted }
    }

    /// The main problem in a line; nil if only the document has problems.
    var text: String? {
        guard let main else { return nil }
        return Self.shortened(prefix(of: main) + main.message)
    }

    /// Long names are shortened first, because the sentence says more than they do.
    private static func shortened(_ text: String) -> String {
        guard text.count > lengthLimit else { return text }
        var parts = text.split(separator: "'", omittingEmptySubsequences: false)
        for index in parts.indices where index % 2 == 1 && parts[index].count > nameLimit {
            parts[index] = parts[index].prefix(nameLimit - 1) + "…"
        }
        let short = parts.joined(separator: "'")
        return short.count > lengthLimit ? short.prefix(lengthLimit - 1) + "…" : short
    }

    /// What an indeterminate signature leaves open.
    private func prefix(of problem: VerificationProblem) -> String {
        guard problem.verdict == .indeterminate else { return "" }
        return switch problem.topic {
        case .signer: "the \(isTimestamp ? "TSA" : "signer") is not confirmed: "
        case .time: "the signing time is not confirmed: "
        case .content: isIntact ? "" : "integrity not confirmed: "
        case .requirement: ""
        }
    }
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

    fileprivate enum Topic { case content, signer, time, requirement }

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
}
