import Base
import PDFCore
import RevisionDiff

extension SignedEndFindings {
    /// The problems that these findings cause for the signature.
    var problems: [VerificationProblem] {
        var problems = [update.map(VerificationProblem.init)].compactMap(\.self)
        if objectsEndLater.bySyntax {
            problems.append(
                .failure(
                    .objectNotCovered,
                    "a part of the document is not signed (an object of the signed revision ends outside "
                        + "the signed byte range)"))
        } else if objectsEndLater.byLength {
            problems.append(
                .doubt(
                    .objectNotCovered,
                    "a part of the document may not be signed (by its /Length, a stream of the signed "
                        + "revision ends after the signed byte range)"))
        }
        if let missingObject {
            problems.append(
                .doubt(
                    .rebuiltDifferently,
                    "viewers that search the file may display different content (a later revision refers to "
                        + "the missing object \(missingObject))"))
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
        case .failure:
            self = .failure(
                .updateUnaccounted,
                "modified after signing in a way that viewers may read differently (\(finding.text))"
            )
        case .doubt:
            self = .doubt(
                .updateIrregular,
                "viewers may display the changes after signing differently (\(finding.text))")
        }
    }
}
