import Base
import PDFCore
import RevisionDiff
import TrustKit

extension SignedEndFindings {
    /// The problems that these findings cause for the signature.
    var problems: [VerificationProblem] {
        var problems = [update.map(VerificationProblem.init)].compactMap(\.self)
        if objectsEndLater.bySyntax {
            problems.append(
                .failure(
                    .objectNotCovered,
                    "a signed object is partly outside the signed byte range"))
        } else if objectsEndLater.byLength {
            problems.append(
                .doubt(
                    .objectNotCovered,
                    "a stream of the signed revision ends after the signed byte range, by its /Length"
                ))
        }
        if let missingObject {
            problems.append(
                .doubt(
                    .rebuiltDifferently,
                    "a later revision refers to a missing object: viewers that search the file may display "
                        + "other content (object \(missingObject))"))
        }
        if let unreadableObject {
            problems.append(
                .doubt(
                    .objectUnreadable,
                    "changes are not known: a part of the document cannot be read "
                        + "(\(unreadableObject))"))
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
