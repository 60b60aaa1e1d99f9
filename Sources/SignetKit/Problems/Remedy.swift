import CryptoBridge
import TrustKit

/// What a person can do about a problem.
enum Remedy {
    /// In one sentence; nil where nothing helps but another signature.
    static func hint(for problem: VerificationProblem, signer: Certificate?) -> String? {
        switch problem.code {
        case "certificate-not-trusted": trustHint(problem, signer)
        case "revocation-unknown", "revocation-unusable":
            "ask the authority with --online, or give its revocation list with --crl FILE"
        case "revocation-unanswered":
            "try --online again later, or give the authority's present revocation list with "
                + "--crl FILE"
        case "revoked", "authority-revoked":
            "ask the signer whether the signature is older; only a time stamp would prove it"
        case "timestamp-untrusted":
            problem.missing.map { hint(for: $0) }
                ?? "if you know the time-stamping authority, name its root certificate with --trust"
        case "digest-mismatch":
            "the file was changed or damaged after signing: ask for it again"
        case "changed-after-signing", "change-not-permitted", "coverage-partial",
            "locked-field-changed", "visible-signature-added":
            "see what was signed: --extract-revision N -o FILE"
        case "signature-removed": "ask the sender for the signed file"
        case "level-not-reached": "ask for a signature with time stamp and validation data"
        case "signer-certificate-missing": "if you have the signer's certificate: --chain FILE"
        case "content-embedded":
            "see what was signed: signet cms verify -o FILE, under another name of the message"
        case "signed-attributes-missing":
            "ask for a signature in a current format (PAdES or CAdES)"
        case "weak-algorithm":
            "ask for a signature with a hash and a key that still count: SHA-256, and RSA with 3072 "
                + "bits or EC P-256, or better"
        default: nil
        }
    }

    private static func trustHint(
        _ problem: VerificationProblem, _ signer: Certificate?
    ) -> String? {
        if let missing = problem.missing { return hint(for: missing) }
        switch problem.subIndication {
        case .noCertificateChainFound? where signer?.isSelfIssued == true:
            return "if this certificate is known to be the signer's, name it with --trust FILE"
        case .outOfBoundsNoPOE?:
            return "a trusted time stamp would prove that it was signed in time; to judge as of "
                + "another day: --at-time"
        default: return nil
        }
    }

    private static func hint(for missing: MissingAuthority) -> String {
        switch missing {
        case .untrustedRoot(let name):
            "if you trust the authority \(name), name its certificate, which --save-certs DIR "
                + "writes out, with --trust FILE"
        case .unknownIssuer(let name):
            "the certificate of \(name) is missing: name it with --trust FILE if it is a root "
                + "that you trust, else with --chain FILE"
        }
    }
}
