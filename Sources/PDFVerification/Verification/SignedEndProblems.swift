import Base
import PDFCore
import RevisionDiff
import TrustKit

extension SignedEndFindings {
    /// The problems that these findings cause for the signature.
    var problems: [VerificationProblem] {
        var problems = [update.map(VerificationProblem.init)].compactMap(\.self)
        if objectsGoBehind.surely {
            problems.append(
                .failure(
                    .objectNotCovered,
                    "part of what was signed stands outside the signed bytes (an object ends "
                        + "behind them)"))
        } else if objectsGoBehind.perhaps {
            problems.append(
                .doubt(
                    .objectNotCovered,
                    "by its length, a stream of the signed revision ends behind the signed bytes"))
        }
        if let missing {
            problems.append(
                .doubt(
                    .rebuiltDifferently,
                    "a later revision refers to object \(missing), which does not exist: viewers that "
                        + "look for it may show something else"))
        }
        if let unreadable {
            problems.append(
                .doubt(
                    .objectUnreadable,
                    "part of the document cannot be read: whether it was changed is not known "
                        + "(\(unreadable))"))
        }
        return problems
    }
}

extension VerificationProblem {
    fileprivate init(_ finding: UpdateLayout.Finding) {
        switch finding.severity {
        case .failure: self = .failure(.updateUnaccounted, finding.text)
        case .doubt: self = .doubt(.updateIrregular, finding.text)
        }
    }
}
