import Base
import SignetKit
import SystemBridge

/// Hints for problems.
enum VerificationHint {
    /// Adds the hints.
    static func advise(on report: inout VerifiedDocument) {
        // The time of later document timestamps, which prove the existence of older ones.
        var later: CalendarTime?
        for place in report.problems.indices {
            let problem = report.problems[place]
            report.problems[place].hint = hint(for: problem, of: 1, in: report.file)
        }
        for index in report.signatures.indices.reversed() {
            let own = report.signatures[index].problems.compactMap(\.proofEnded)
            let held = (own + [later].compactMap(\.self)).max()
            if report.signatures[index].kind == .timestamp { later = held }
            for place in report.signatures[index].problems.indices {
                let problem = report.signatures[index].problems[place]
                report.signatures[index].problems[place].hint =
                    held.flatMap { hint(for: problem, held: $0, in: report.file) }
                    ?? hint(for: problem, of: index + 1, in: report.file)
            }
        }
    }

    /// The hint how the proof would have stayed valid.
    private static func hint(
        for problem: VerificationProblem, held: CalendarTime, in file: String
    ) -> String? {
        guard problem.proofEnded != nil || problem.subindication == .outOfBoundsNoPOE else {
            return nil
        }
        let until = "its timestamps prove it until \(held.rfc3339), when the newest one ends"
        return held > SystemClock.now()
            ? "\(until): before then, \(Sentence(.renewFurther, file).text)"
            : "\(until); a newer one had to be added before then"
    }

    /// One sentence, possibly with a command at its end; nil if only a new signature helps.
    ///
    /// - Parameter number: number of the signature, from 1.
    private static func hint(
        for problem: VerificationProblem, of number: Int, in file: String
    ) -> String? {
        if let missing = problem.missing { return hint(for: missing) }
        switch problem.code {
        case .certificateNotTrusted where problem.subindication == .outOfBoundsNoPOE:
            return "a trusted timestamp would prove that it was signed in time; to judge as of "
                + "another day: --at-time"
        case .changedAfterSigning, .changeNotPermitted, .lockedFieldChanged,
            .visibleSignatureAdded, .changedSinceSigned, .coveragePartial:
            return seeWhatWasSigned(number, in: file)
        case .levelNotReached where problem.hasUntrustedTimestamp:
            return "if you trust the authority of its timestamp, name its root certificate with "
                + "--trust"
        case .levelNotReached where problem.lackedLevel == .t && isPDF(file):
            // Extending requires trust anchors, so only a timestamp is suggested.
            return "raise it: signet timestamp \(ShellWord.quoted(file)) --tsa URL"
        case .levelNotReached where problem.lackedLevel != nil && file != "-":
            return "raise it: \(Sentence(.extendFurther, file).text)"
        case .signerNotPinned: return "see who made it: signet verify \(ShellWord.quoted(file))"
        case .weakAlgorithm where problem.isAboutCertificate:
            return "ask for a signature with a key that still counts: RSA with 3072 bits or EC "
                + "P-256, or better"
        default: return CodeExplanation.of(problem.code.rawValue)?.hint
        }
    }

    private static func isPDF(_ file: String) -> Bool {
        file != "-" && (try? FileKind.isPDF(file)) == true
    }

    private static func seeWhatWasSigned(_ number: Int, in file: String) -> String? {
        guard file != "-" else { return nil }
        let stem = FileSystem.without(ending: ".pdf", file) ?? file
        let output = ShellWord.quoted("\(stem).as-signed.pdf")
        return "see what was signed: signet verify \(ShellWord.quoted(file)) "
            + "--extract-revision \(number) -o \(output)"
    }

    /// Embedded certificates are not authoritative: only the CA's own publication is.
    private static func hint(for missing: MissingAuthority) -> String {
        switch missing {
        case .untrustedRoot(let name, let sha256):
            "if you trust the authority \(name.inQuotes), compare the SHA-256 that it publishes "
                + "for its certificate with \(sha256), and name the certificate with --trust FILE "
                + "(--save-certs DIR writes it out)"
        case .untrustedCertificate(let sha256):
            "ask whoever it names, by other means than those by which this file came, for the "
                + "SHA-256 of the certificate; if it is \(sha256), name the certificate with "
                + "--trust FILE (--save-certs DIR writes it out)"
        case .otherKey(let name):
            "ask for the certificate of \(name.inQuotes) with the key that signed: name it with "
                + "--trust FILE if it is a root that you trust, else with --chain FILE"
        case .unknownIssuer(let name):
            "the certificate of \(name.inQuotes) is missing: name it with --trust FILE if it is a "
                + "root that you trust, else with --chain FILE"
        }
    }
}
