import Base
import CryptoBridge
import SystemBridge
import TrustKit

extension LongTermValidation {
    /// Checks a signing certificate before signing, without network requests.
    ///
    /// - Returns: messages about unresolved points.
    /// - Throws: ``SignetError`` if the level cannot be reached.
    func rehearse(_ credential: SigningCredential, file: String) throws -> [String] {
        let (signer, chain) = (credential.certificate, credential.chain)
        let now = SystemClock.now()
        var validator = trust.validator(at: now)
        validator.source = nil
        var finder = validator
        finder.evidence = RevocationEvidence()
        finder.policy = SignerPolicy(purpose: .documents)
        let verdict = try finder.validate(
            PathValidator.Question(leaf: signer, candidates: chain, at: now))
        guard !verdict.chain.isEmpty else {
            // Whether missing issuers can be fetched is not known yet, if a certificate has their
            // address.
            guard asksOthers, case .unknownIssuer(let missing)? = verdict.missing,
                ([signer] + chain).contains(where: { !$0.issuerAddresses.isEmpty })
            else {
                throw Self.noAnchor(above: signer, .signer, verdict, file)
            }
            return [
                "the issuer certificate \(missing.inQuotes) of \(signer.displayName.inQuotes) "
                    + "was not found and not fetched, so the chain to a trust anchor is not checked"
            ]
        }
        var collector = EvidenceCollector(
            validator, documentEvidence: RevocationEvidence(),
            candidates: validator.intermediates + chain + verdict.chain,
            clock: EvidenceCollector.Clock(now: { now }, wait: { _ in }))
        collector.acceptsOlder = true
        do throws(EvidenceFailure) {
            _ = try collector.collect([
                EvidenceCollector.Need(chain: verdict.chain, role: .signer, time: now)
            ])
        } catch {
            switch error {
            case .revoked, .noSource:
                try credential.namedIfRevoked {
                    throw self.error(error, file: file)
                }
            // An online request may succeed.
            case .unavailable, .notFresh, .tooMany, .other: break
            }
        }
        return []
    }

    /// The error about a certificate without a trusted chain.
    static func noAnchor(
        above leaf: Certificate, _ role: EvidenceAudit.Role, _ verdict: PathVerdict, _ file: String
    ) -> SignetError {
        var hint = Sentence(role == .tsa ? .addRootOfAuthority : .addRoot)
        switch verdict.missing {
        case .unknownIssuer(let missing)?: hint = Sentence(.nameIssuer, missing.inQuotes)
        case .untrustedCertificate?: hint = Sentence(.trustSelfSigned)
        default: if !leaf.namesPlace { hint = Sentence(.addRootAndList) }
        }
        return SignetError(
            .untrusted, file: file,
            "no trusted certificate chain for '\(leaf.displayName)': "
                + (verdict.message ?? "the issuer certificates were not found"), hint: hint)
    }
}

extension SigningCredential {
    /// The result of `body`. For a revoked certificate, the error names the credential.
    func namedIfRevoked<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SignetError where error.code == .signerRevoked {
            throw SignetError(.credentialRefused, file: source, error.message)
        }
    }
}
