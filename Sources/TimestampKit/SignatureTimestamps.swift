package import Base
package import CMSKit
package import CryptoBridge
import TrustKit

/// What the time stamps over one signature prove (ETSI EN 319 122-1 §5.3).
package struct SignatureTimestamps: Sendable {
    /// When trusted tokens first saw the signature; nil when none did.
    package fileprivate(set) var earliest: CalendarTime?
    /// The one to tell of: the earliest that passed, else the first.
    package fileprivate(set) var check: TimestampCheck?
    /// The same one's token.
    package fileprivate(set) var token: [UInt8]?
    /// Those that prove something.
    package fileprivate(set) var proofs: [TimestampCheck] = []
    /// Of those that prove nothing.
    package fileprivate(set) var problems: [VerificationProblem] = []

    package init() {}
}

extension TimestampVerifier {
    /// Judges the tokens over a signature's value.
    ///
    /// - Parameter archive: later time stamps, which may prove when the tokens existed.
    package func timestamps(
        of signature: SignatureCheck, archive: ArchiveTimestamps = ArchiveTimestamps()
    ) throws(CryptoError) -> SignatureTimestamps {
        var times = SignatureTimestamps()
        let values = signature.unsignedAttributes.values(.signatureTimeStamp)
        for value in values.prefix(TimestampLimits.tokenCount) {
            guard let token = try? TimestampToken(attributeValue: value) else {
                times.problems.append(
                    .doubt(.timestampInvalid, "the signature's time stamp cannot be read"))
                continue
            }
            let proven = archive.time(covering: value, of: .signatureTimeStamp)
            let verifier = proven.map { moved(to: $0) } ?? self
            let check = try verifier.verify(token, over: signature.signature)
            if let problem = verifier.problem(with: check, "the signature's time stamp") {
                times.problems.append(problem)
                if times.check == nil { (times.check, times.token) = (check, token.encoded) }
            } else {
                times.proofs.append(check)
                times.problems += check.problems.filter { $0.code == .accuracyCoarse }
                let proven = token.info.provenTime
                guard times.earliest.map({ proven < $0 }) ?? true else { continue }
                times.earliest = proven
                (times.check, times.token) = (check, token.encoded)
            }
        }
        return times
    }

    /// What was found, and that the certificates of the path must count at the time for which the
    /// token is known to exist.
    package func problems(of check: TimestampCheck) -> [VerificationProblem] {
        guard let signer = check.signer else { return check.problems }
        let path = check.chain.isEmpty ? [signer] : check.chain
        guard let ended = TimestampEnd.expired(in: path, at: time) else {
            return check.problems + [withdrawal(of: check)].compactMap(\.self)
        }
        let whose =
            ended == signer
            ? "the authority's certificate"
            : "the certificate of \(ended.subject.shortText.inQuotes), above the authority's,"
        var expired = VerificationProblem.doubt(
            .timestampAuthorityExpired,
            "\(whose) has expired on \(ended.notAfter.rfc3339), and no "
                + "later time stamp proves that this one is older", .outOfBoundsNoPOE)
        // Of an authority that was never trusted nothing was proven before either.
        if check.isIntact, !check.chain.isEmpty {
            expired.proofEnded = TimestampEnd.of(
                path, digest: check.info?.messageImprint.digest)
        }
        return check.problems.filter { $0.code != .certificateExpiredSince } + [expired]
    }

    /// What a list says of the authority's service today counts for stamps that nothing proves to be
    /// older.
    private func withdrawal(of check: TimestampCheck) -> VerificationProblem? {
        guard let used = check.info?.genTime.time,
            validator.isWithdrawn(check.chain, valid: used, at: time)
        else { return nil }
        return .doubt(
            .timestampAuthorityExpired,
            "the authority's service was withdrawn by its trusted list, and no later time stamp "
                + "proves that this one is older", .outOfBoundsNoPOE)
    }

    package func verdict(of check: TimestampCheck) -> Verdict {
        max(check.verdict, problems(of: check).compactMap(\.verdict).max() ?? .passed)
    }

    /// What a time stamp that proves nothing leads to; nil for one that passed. A signature counts
    /// without it (EN 319 102-1 §5.5.4), unless it was tampered with or contradicts others.
    package func problem(with check: TimestampCheck, _ name: String) -> VerificationProblem? {
        let verdict = verdict(of: check)
        guard verdict != .passed else { return nil }
        let reasons = problems(of: check).filter { $0.verdict == verdict }
        let decisive = reasons.first { $0.proofEnded != nil } ?? reasons.first
        let message = "\(name): " + (decisive?.message ?? "it proves nothing")
        if !check.isIntact, check.imprintMatches != nil, check.signer != nil {
            return .doubt(.timestampInvalid, message)
        }
        if reasons.contains(where: { $0.subindication == .timestampOrderFailure }) {
            return .doubt(.timestampOrder, message, .timestampOrderFailure)
        }
        var problem = VerificationProblem(.timestampUntrusted, message, verdict: nil)
        problem.missing = decisive?.missing
        problem.proofEnded = decisive?.proofEnded
        return problem
    }
}
