import Base
import CryptoBridge
import TrustKit

extension LongTermValidation {
    /// The error for validation data that cannot be collected.
    func error(_ failure: EvidenceFailure, file: String) -> SignetError {
        switch failure {
        case .revoked(let certificate, let role, let said):
            let name = certificate.displayName
            let since = said.revokedAt.map { " on \($0.text)" } ?? ""
            let reason = said.reason.map { " (\($0))" } ?? ""
            let message = "the certificate of '\(name)' was revoked\(since)\(reason)"
            return SignetError(
                role == .signer ? .signerRevoked : .untrusted, file: file,
                role == .tsa ? message + ": the timestamp is ignored" : message,
                hint: role == .tsa ? Sentence(.useOtherAuthority) : nil)
        case .unavailable(let certificate, let reasons):
            return SignetError(
                .serviceUnavailable, file: file,
                "no usable revocation data for '\(certificate.displayName)': "
                    + (reasons.isEmpty ? "no response" : reasons.joined(separator: "; ")),
                hint: Sentence(
                    !asksOthers
                        ? .goOnlineOrGive : isSigning ? .tryLaterOrSignLower : .tryLaterOrGive))
        case .noSource(let certificate, let why):
            return SignetError(
                .malformedInput, file: file,
                "cannot reach B-LT: the certificate of '\(certificate.displayName)' contains "
                    + (RevocationPlace.onlyAddress(of: certificate).map {
                        "only the address \($0) for revocation data (not supported)"
                    } ?? "no OCSP or CRL URL")
                    + (why.map { "; given revocation data: \($0)" } ?? ""),
                hint: Sentence(
                    why == nil
                        ? isSigning ? .giveListOrSignLower : .giveList
                        : isSigning ? .giveNewerListOrSignLower : .giveNewerList))
        case .notFresh(let certificate, let said):
            let next = said.nextUpdate.map { "; the next CRL is due \($0.text)" } ?? ""
            return SignetError(
                .serviceUnavailable, file: file,
                "the revocation data for '\(certificate.displayName)', issued "
                    + "\(said.thisUpdate.text), is older than the signature\(next)",
                hint: Sentence(asksOthers ? .waitForFresh : .goOnlineOrGive))
        case .tooMany:
            return SignetError(
                .malformedInput, file: file,
                "the certificates depend on too many other certificates")
        case .other(let error): return SignetError(reading: file, error)
        }
    }
}
