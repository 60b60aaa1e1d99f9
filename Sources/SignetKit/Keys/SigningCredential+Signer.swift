import Base
import CMSKit
import CryptoBridge
import KeyBridge
import Synchronization
import SystemBridge
import TrustKit

extension SigningCredential {
    /// Checks whether validators would accept signatures of this credential.
    ///
    /// - Returns: warnings.
    /// - Throws: ``SignetError``: `credentialRefused` if they would reject them.
    func checkEligibility(
        at time: CalendarTime, purpose: SignerPolicy.Purpose = .documents
    ) throws -> [String] {
        let answer = eligibility.answer(at: time, purpose) {
            SigningEligibility.check(
                certificate: certificate, key: key.publicKey, at: time, purpose: purpose,
                now: SystemClock.now())
        }
        guard let refusal = answer.refusals.first else {
            return [note, chainNote].compactMap { $0 } + answer.warnings.map(\.message)
        }
        let hint =
            switch refusal.code {
            case .expired: Sentence(.useValidCertificate)
            case .claimedTimeInFuture: Sentence(.claimEarlierTime, certificate.notAfter.text)
            case .notYetValid: Sentence(.checkClock)
            case .keyUsage, .extendedKeyUsage:
                Sentence(purpose == .documents ? .useForSigning : .useForTimestamps)
            default: Sentence(.useIssuedCertificate)
            }
        throw SignetError(.credentialRefused, file: source, refusal.message, hint: hint)
    }

    /// Notes about steps that a check omits: it does not log in to a token or request a signature
    /// from a service.
    ///
    /// - Throws: ``SignetError`` if the key does not support the scheme.
    func notTried(_ scheme: SignatureScheme) throws -> [String] {
        if let key = key as? ServiceKey {
            try reading(source) { try key.check(scheme) }
            return ["no signature was requested from the signing service"]
        }
        guard let key = key as? TokenKey else { return [] }
        try reading(source) { try key.checkMechanisms(for: scheme) }
        return key.token.needsLogin ? ["the PIN was not tried"] : []
    }

    /// Logs in to the key's token now. The operator of a server is present at its start, not at the
    /// first request.
    ///
    /// - Throws: ``SignetError`` if the PIN is wrong.
    func unlock() throws {
        guard let key = key as? TokenKey else { return }
        try reading(source) { try key.prepare() }
    }

    /// Permits the use of a token key after removal and reinsertion, and retries by a program that
    /// could not reach its key.
    ///
    /// - Returns: whether the key is on a token.
    func retryAfterReinsertion() -> Bool {
        if let program = key as? ProgramKey { program.outlastAbsence() }
        guard let key = key as? TokenKey else { return false }
        key.retryAfterReinsertion()
        return true
    }

    /// The authorization of many signatures.
    public var consent: SharedConsent { SharedConsent(key) }

    /// The signer for CMS signatures with this key.
    ///
    /// - Parameter chosen: digest algorithm; nil uses SHA-256, or the digest that the key requires.
    /// - Throws: ``SignetError``: `usage` for a digest or padding that the key does not permit.
    func signer(
        digest chosen: DigestAlgorithm?, padding: SigningOptions.Padding
    ) throws -> CMSSigner {
        let algorithm = key.publicKey.algorithm
        try padding.require(algorithm)
        let required = key.publicKey.requiredDigest
        if let required, let chosen, required != chosen {
            throw SignetError(
                .usage, "\(algorithm) signatures require \(required.rawValue)",
                hint: Sentence(.leaveOutDigest))
        }
        let digest = required ?? chosen ?? .usual
        guard
            let scheme = algorithm.scheme(digest: digest, padding: padding)
        else {
            throw SignetError(.credentialRefused, file: source, "\(algorithm) keys cannot sign")
        }
        return try CMSSigner(
            key: key, certificate: certificate, chain: chain, digest: digest, scheme: scheme)
    }
}

extension SigningOptions.Padding {
    /// - Throws: ``SignetError`` `usage` for PSS with a key that is not an RSA key.
    func require(_ algorithm: KeyAlgorithm) throws {
        switch algorithm {
        case .rsa, .rsaPSS: return
        default:
            guard self == .pss else { return }
            throw SignetError(
                .usage, "PSS padding requires an RSA key, but the key is \(algorithm)",
                hint: Sentence(.leaveItOut))
        }
    }
}

/// Caches the last eligibility result, which documents signed in the same second share.
final class EligibilityCache: Sendable {
    private struct Known {
        let time: CalendarTime
        let purpose: SignerPolicy.Purpose
        let answer: SigningEligibility.Answer
    }

    private let last = Mutex<Known?>(nil)

    func answer(
        at time: CalendarTime, _ purpose: SignerPolicy.Purpose,
        _ check: () -> SigningEligibility.Answer
    ) -> SigningEligibility.Answer {
        if let known = last.withLock({ $0 }), known.time == time, known.purpose == purpose {
            return known.answer
        }
        let made = Known(time: time, purpose: purpose, answer: check())
        last.withLock { $0 = made }
        return made.answer
    }
}
