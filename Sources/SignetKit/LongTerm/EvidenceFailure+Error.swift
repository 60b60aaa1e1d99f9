import Base
import CryptoBridge
import TrustKit

extension SignetError {
    /// - Parameter isSigning: whether the user can choose a lower level.
    init(_ failure: EvidenceFailure, file: String, isSigning: Bool) {
        switch failure {
        case .revoked(let certificate, let role, let said):
            let name = certificate.subject.shortText
            let since = said.revokedAt.map { " on \($0.rfc3339)" } ?? ""
            let reason = said.reason.map { " (\($0))" } ?? ""
            let message = "the certificate of '\(name)' was revoked\(since)\(reason)"
            self.init(
                role == .signer ? .signerRevoked : .untrusted, file: file,
                role == .tsa ? message + ": its timestamp proves nothing" : message,
                hint: role == .tsa ? Sentence(.useOtherAuthority) : nil)
        case .unavailable(let certificate, let reasons):
            self.init(
                .serviceUnavailable, file: file,
                "nothing usable says whether '\(certificate.subject.shortText)' was revoked: "
                    + (reasons.isEmpty ? "nobody answers" : reasons.joined(separator: "; ")),
                hint: Sentence(isSigning ? .tryLaterOrSignLower : .tryLaterOrGive))
        case .noSource(let certificate, let why):
            self.init(
                .malformedInput, file: file,
                "'\(certificate.subject.shortText)' names no place to ask whether it was revoked, "
                    + "and is no short-term certificate: level LT is out of reach"
                    + (why.map { "; of what was given: \($0)" } ?? ""),
                hint: Sentence(
                    why == nil
                        ? isSigning ? .giveListOrSignLower : .giveList
                        : isSigning ? .giveNewerListOrSignLower : .giveNewerList))
        case .notFresh(let certificate, let said):
            let next = said.nextUpdate.map { "; the next comes on \($0.rfc3339)" } ?? ""
            self.init(
                .serviceUnavailable, file: file,
                "what is known of '\(certificate.subject.shortText)' is from before the signature "
                    + "(\(said.thisUpdate.rfc3339))\(next)", hint: Sentence(.waitForFresh))
        case .tooMany:
            self.init(
                .malformedInput, file: file,
                "the certificates depend on too many others to prove them all")
        case .other(let error): self.init(reading: file, error)
        }
    }
}
