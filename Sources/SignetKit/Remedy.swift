import CryptoBridge
import TrustKit

/// What a person can do about a problem.
enum Remedy {
    /// In one sentence; nil where nothing helps but another signature.
    static func hint(for problem: VerificationProblem, signer: Certificate?) -> String? {
        switch problem.code {
        case "certificate-not-trusted": trustHint(problem.subIndication, signer)
        case "revocation-unknown":
            "ask the authority with --online, or give its revocation list with --crl FILE"
        case "revoked", "authority-revoked":
            "ask the signer whether the signature is older; only a time stamp would prove it"
        case "timestamp-untrusted":
            "if you know the time-stamping authority, add its root certificate with --trust"
        case "digest-mismatch":
            "the file was changed or damaged after signing: ask for it again"
        case "changed-after-signing", "change-not-permitted", "coverage-partial",
            "locked-field-changed", "visible-signature-added":
            "see what was signed: --extract-revision N -o FILE"
        case "signature-removed": "ask the sender for the signed file"
        case "level-not-reached": "ask for a signature with time stamp and validation data"
        case "signer-certificate-missing": "if you have the signer's certificate: --signer FILE"
        case "contents-not-der", "signed-attributes-missing":
            "ask for a signature in a current format (PAdES or CAdES)"
        case "weak-algorithm": "ask for a signature with SHA-256 or better"
        default: nil
        }
    }

    private static func trustHint(
        _ subIndication: SubIndication?, _ signer: Certificate?
    ) -> String? {
        switch subIndication {
        case .noCertificateChainFound? where signer?.isSelfIssued == true:
            return "if this certificate is known to be the signer's, name it with --trust FILE"
        case .noCertificateChainFound?:
            let issuer = signer.map { $0.issuer.commonName ?? $0.issuer.description } ?? ""
            return
                "if you trust the authority \(issuer), name its root certificate with --trust FILE"
        case .outOfBoundsNoPOE?:
            return "a trusted time stamp would prove that it was signed in time; to judge as of "
                + "another day: --at-time"
        default: return nil
        }
    }
}
