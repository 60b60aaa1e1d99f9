import ByteKit
import CryptoBridge
import TrustKit

/// What a person can do about a problem.
enum Remedy {
    /// Where the problem was found.
    struct Context {
        let file: String
        /// Of the signature, from 1.
        var number = 1
        var signer: Certificate?

        /// The file as one word of a command, and as the beginning of another file's name.
        var word: String { ShellWord.quoted(file) }
        var stem: String {
            file.lowercased().hasSuffix(".pdf") ? String(file.dropLast(4)) : file
        }
    }

    /// In one sentence, a command at its end; nil where nothing helps but another signature.
    static func hint(for problem: VerificationProblem, _ context: Context) -> String? {
        switch problem.code {
        case "certificate-not-trusted": trustHint(problem, context)
        case "revocation-unknown", "revocation-unusable":
            "ask the authority with --online, or give its revocation list with --crl FILE"
        case "revocation-unanswered":
            "try --online again later, or give the authority's present revocation list with "
                + "--crl FILE"
        case "revocation-outdated":
            "ask the authority with --online; signet extend keeps the answer for the future"
        case "revocation-data-unproven":
            "only a document timestamp from before would prove it; see --explain-level"
        case "revoked", "authority-revoked":
            "ask the signer whether the signature is older; only a time stamp would prove it"
        case "timestamp-untrusted":
            problem.missing.map { hint(for: $0) }
                ?? "if you know the time-stamping authority, name its root certificate with --trust"
        case "digest-mismatch":
            "the signed bytes themselves were changed or damaged: ask for the file again"
        case "changed-after-signing", "change-not-permitted", "locked-field-changed",
            "visible-signature-added", "changed-since-signed", "coverage-partial":
            seeWhatWasSigned(context)
        case "signature-removed", "contents-empty": "ask the sender for the signed file"
        case "level-not-reached": levelHint(problem)
        case "signer-certificate-missing": "if you have the signer's certificate: --chain FILE"
        case "signer-not-pinned":
            "see who made it: signet verify \(context.word)"
        case "content-embedded":
            "see what was signed: signet cms verify -o FILE, under another name of the message"
        case "signed-attributes-missing":
            "ask for a signature in a current format (PAdES or CAdES)"
        case "weak-algorithm":
            problem.isAboutCertificate
                ? "ask for a signature with a key that still counts: RSA with 3072 bits or EC P-256, "
                    + "or better"
                : "ask for a signature with a hash that still counts: SHA-256 or better"
        default: nil
        }
    }

    private static func seeWhatWasSigned(_ context: Context) -> String? {
        guard context.file != "-" else { return nil }
        let output = ShellWord.quoted("\(context.stem).as-signed.pdf")
        return "see what was signed: signet verify \(context.word) "
            + "--extract-revision \(context.number) -o \(output)"
    }

    private static func levelHint(_ problem: VerificationProblem) -> String {
        problem.hasUntrustedTimestamp
            ? "if you trust the authority of its time stamp, name its root certificate with --trust"
            : "ask for a signature with time stamp and validation data"
    }

    private static func trustHint(_ problem: VerificationProblem, _ context: Context) -> String? {
        if let missing = problem.missing { return hint(for: missing) }
        guard problem.subIndication == .outOfBoundsNoPOE else { return nil }
        return "a trusted time stamp would prove that it was signed in time; to judge as of "
            + "another day: --at-time"
    }

    /// Anybody can enclose any certificate: only what the authority itself publishes tells whose it
    /// is.
    private static func hint(for missing: MissingAuthority) -> String {
        switch missing {
        case .untrustedRoot(let name, let sha256):
            "if you trust the authority \(name.inQuotes), compare the SHA-256 that it publishes "
                + "for its certificate with \(sha256), and name the certificate with --trust FILE "
                + "(--save-certs DIR writes it out)"
        case .untrustedCertificate(let sha256):
            "ask whose it is, on another way than this file came, for the SHA-256 of the "
                + "certificate; if it is \(sha256), name it with --trust FILE"
        case .unknownIssuer(let name):
            "the certificate of \(name.inQuotes) is missing: name it with --trust FILE if it is a "
                + "root that you trust, else with --chain FILE"
        }
    }
}
