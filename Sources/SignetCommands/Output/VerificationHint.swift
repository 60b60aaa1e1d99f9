import Base
import SignetKit
import SystemBridge

/// Hints for the problems of a file.
struct VerificationHint {
    private let file: String
    /// Whether a validation time was chosen.
    private let hasTime: Bool
    /// The value of --content, which a command that verifies again must repeat.
    private let content: String?

    /// Adds the hints to the problems of a report.
    ///
    /// - Parameters:
    ///   - hasTime: whether a validation time was chosen.
    ///   - content: the value of --content; nil if not given.
    static func advise(on report: inout VerifiedDocument, hasTime: Bool, content: String?) {
        Self(file: report.file, hasTime: hasTime, content: content).advise(on: &report)
    }

    private func advise(on report: inout VerifiedDocument) {
        // The time of later document timestamps, which prove the existence of older ones.
        var later: CalendarTime?
        for place in report.problems.indices {
            let problem = report.problems[place]
            report.problems[place].hint = hint(for: problem, of: (1, nil))
        }
        let hasOldLists = report.trustLists?.isStale ?? false
        for index in report.signatures.indices.reversed() {
            let own = report.signatures[index].problems.compactMap(\.proofEnded)
            let held = (own + [later].compactMap(\.self)).max()
            if report.signatures[index].kind == .timestamp { later = held }
            for place in report.signatures[index].problems.indices {
                let problem = report.signatures[index].problems[place]
                guard !hasOldLists || problem.missing == nil else {
                    report.signatures[index].problems[place].hint =
                        "the trusted lists are out of date; replace the given files or, for --trust-list eu, run: "
                        + "signet trust update"
                    continue
                }
                report.signatures[index].problems[place].hint =
                    held.flatMap { hint(for: problem, held: $0) }
                    ?? hint(
                        for: problem,
                        of: (index + 1, report.signatures[index].record.revision?.number))
            }
        }
    }

    /// A hint about how long timestamps prove the signature, and how to extend the proof.
    private func hint(for problem: VerificationProblem, held: CalendarTime) -> String? {
        guard problem.proofEnded != nil || problem.subindication == .outOfBoundsNoPOE else {
            return nil
        }
        return held > SystemClock.now()
            ? "renew the timestamps before \(held.moment.day): \(Sentence(.renewFurther, file).text)"
            : "the proof ended on \(held.text); ask the signer for a new signature"
    }

    /// One sentence, possibly with a command at its end; nil if only a new signature helps.
    ///
    /// - Parameter signature: its number, and that of its revision if known, both from 1.
    private func hint(
        for problem: VerificationProblem, of signature: (number: Int, revision: Int?)
    ) -> String? {
        switch problem.revocationGap {
        case .unknownToResponder:
            return "ask the CA whether it issued this certificate, or add its revocation list with "
                + "--crl FILE"
        case .addressNotFetched:
            return "get the revocation list from this address, then add --crl FILE"
        case nil: break
        }
        if let missing = problem.missing { return hint(for: missing) }
        switch problem.code {
        case .certificateNotTrusted where problem.subindication == .outOfBoundsNoPOE,
            .expired where problem.subindication == .outOfBoundsNoPOE,
            .notYetValid where problem.subindication == .outOfBoundsNoPOE:
            let earlier = hasTime ? "leave out the time" : "add --at-time TIME"
            return
                "ask the signer for a new signature with a timestamp; to validate at an earlier time, "
                + earlier
        case .changedAfterSigning, .changeNotPermitted, .lockedFieldChanged,
            .visibleSignatureAdded, .changedSinceSigned, .coveragePartial:
            return compare(signature, isFailed: problem.verdict == .failed)
        case .levelNotReached where problem.hasUntrustedTimestamp:
            return "if you trust the TSA, add --trust FILE with its root certificate"
        case .levelNotReached where problem.lackedLevel == .t && isPDF:
            // `signet extend` requires trust anchors, so `signet timestamp` is suggested here.
            return
                "ask the signer for a signature with a timestamp; a timestamp added now proves only "
                + "that the signature exists today: signet timestamp \(ShellWord.quoted(file)) --tsa URL"
        case .levelNotReached where problem.lackedLevel != nil && file != "-":
            return "extend the signature: \(Sentence(.extendFurther, file).text)"
        case .signerNotPinned:
            return "validate without --signer: \(verify)"
        case .weakAlgorithm where problem.isAboutCertificate:
            return "ask for a signature with a stronger key: RSA 3072, EC P-256 or better"
        default: return CodeExplanation.of(problem.code.rawValue)?.hint
        }
    }

    private var isPDF: Bool { file != "-" && (try? FileKind.isPDF(file)) == true }

    /// The command that verifies the file again.
    private var verify: String {
        (["signet", "verify", ShellWord.quoted(file)]
            + (content.map { ["--content", ShellWord.quoted($0)] } ?? [])).joined(separator: " ")
    }

    private func compare(
        _ signature: (number: Int, revision: Int?), isFailed: Bool
    ) -> String? {
        let advice = "do not rely on this file; ask the sender for a new copy"
        guard file != "-" else { return isFailed ? advice : nil }
        let stem = FileSystem.without(ending: ".pdf", file) ?? file
        let suffix = signature.revision.map { "revision-\($0)" } ?? "signed-revision"
        let output = ShellWord.quoted("\(stem).\(suffix).pdf")
        return (isFailed ? advice + "; to" : "to")
            + " compare, save the signed version and open both in a PDF viewer: "
            + "\(verify) --extract-revision \(signature.number) -o \(output)"
    }

    /// Hint for a certificate that is not trusted. It asks for a comparison with the fingerprint
    /// from an independent source, because the file itself cannot establish trust.
    private func hint(for missing: MissingAuthority) -> String {
        switch missing {
        case .untrustedRoot(let name, let sha256):
            "compare this SHA-256 fingerprint with the one that the CA \(name.inQuotes) publishes: "
                + trust(name, sha256)
        case .untrustedCertificate(let name, let sha256):
            "compare this SHA-256 fingerprint with the signer by phone or in person: "
                + trust(name, sha256)
        case .otherKey(let name):
            "add the certificate of \(name.inQuotes) with the matching key: --trust FILE for a root "
                + "CA you trust, --chain FILE for an intermediate CA"
        case .unknownIssuer(let name):
            "get the certificate of \(name.inQuotes) from the CA, then add --trust FILE if it is a root "
                + "CA you trust, or --chain FILE if it is an intermediate CA; for EU signatures, add "
                + "--trust-list eu"
        }
    }

    /// The fingerprint of a certificate in `file`, and the commands that trust it.
    private func trust(_ name: String, _ sha256: String) -> String {
        let fingerprint = sha256.asFingerprint
        guard file != "-" else { return "\(fingerprint); if it is the same, add --trust FILE" }
        let folder = "certs"
        let certificate = "\(folder)/\(SaveCertificates.name(of: name, sha256: sha256))"
        return "\(fingerprint); if it is the same, run: \(verify) --save-certs \(folder); "
            + "\(verify) --trust \(ShellWord.quoted(certificate))"
    }
}

extension String {
    /// A hash in hexadecimal as `6D:56:78…`.
    var asFingerprint: String {
        stride(from: 0, to: count, by: 2)
            .map { dropFirst($0).prefix(2).uppercased() }.joined(separator: ":")
    }
}
