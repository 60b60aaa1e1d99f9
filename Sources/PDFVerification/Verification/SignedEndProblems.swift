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
                    "a signed object is partly outside the signed byte range"))
        } else if objectsGoBehind.perhaps {
            problems.append(
                .doubt(
                    .objectNotCovered,
                    "a stream of the signed revision ends after the signed byte range, by its /Length"
                ))
        }
        if let missing {
            problems.append(
                .doubt(
                    .rebuiltDifferently,
                    "a later revision refers to a missing object: viewers that search the file may display "
                        + "other content (object \(missing))"))
        }
        if let unreadable {
            problems.append(
                .doubt(
                    .objectUnreadable,
                    "changes are not known: a part of the document cannot be read "
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
