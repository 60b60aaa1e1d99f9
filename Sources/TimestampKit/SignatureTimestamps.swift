package import Base
package import CMSKit
package import CryptoBridge
import TrustKit

/// The result of checking the timestamps over one signature (ETSI EN 319 122-1 §5.3).
package struct SignatureTimestamps: Sendable {
    /// The earliest time in trusted tokens; nil if there are none.
    package fileprivate(set) var earliest: CalendarTime?
    /// The timestamp to report: the earliest that passed, else the first.
    package fileprivate(set) var check: TimestampCheck?
    /// The token of ``check``.
    package fileprivate(set) var token: [UInt8]?
    package fileprivate(set) var proofs: [TimestampCheck] = []
    package fileprivate(set) var problems: [VerificationProblem] = []

    package init() {}
}

package struct SignatureStamp: Sendable {
    /// Nil if it cannot be read.
    let token: TimestampToken?
    /// Hash of the signature value with the algorithm of the token; nil if unknown.
    let hash: [UInt8]?
    /// When the token provably existed; nil if nothing proves it.
    let provenTime: CalendarTime?

    package init(token: TimestampToken?, hash: [UInt8]?, provenTime: CalendarTime? = nil) {
        self.token = token
        self.hash = hash
        self.provenTime = provenTime
    }
}

extension TimestampVerifier {
    /// Validates the tokens over a signature value.
    ///
    /// - Parameter archive: later timestamps, which may prove the existence of the tokens.
    package func timestamps(
        of signature: SignatureCheck, archive: ArchiveTimestamps = ArchiveTimestamps()
    ) throws(CryptoError) -> SignatureTimestamps {
        let values = signature.unsignedAttributes.values(.signatureTimeStamp)
        var stamps: [SignatureStamp] = []
        for value in values.prefix(TimestampLimits.tokenCount) {
            let token = try? TimestampToken(attributeValue: value)
            stamps.append(
                SignatureStamp(
                    token: token,
                    hash: try token?.info.messageImprint.digest?.hash(signature.signature),
                    provenTime: archive.time(covering: value, of: .signatureTimeStamp)))
        }
        return try timestamps(stamps)
    }

    /// Validates tokens over a signature value.
    package func timestamps(
        _ stamps: [SignatureStamp]
    ) throws(CryptoError) -> SignatureTimestamps {
        var times = SignatureTimestamps()
        for stamp in stamps {
            guard let token = stamp.token else {
                times.problems.append(
                    .doubt(.timestampInvalid, "the timestamp of the signature cannot be read"))
                continue
            }
            let verifier = stamp.provenTime.map { moved(to: $0) } ?? self
            let check = try verifier.verify(token, hash: stamp.hash)
            if let problem = verifier.problem(with: check, "the timestamp of the signature") {
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

    /// The problems found, and certificates of the path that expired before the token's proof of
    /// existence.
    package func problems(of check: TimestampCheck) -> [VerificationProblem] {
        guard let signer = check.signer else { return check.problems }
        let path = check.chain.isEmpty ? [signer] : check.chain
        guard let ended = TimestampEnd.expired(in: path, at: time) else {
            return check.problems + [withdrawal(of: check)].compactMap(\.self)
        }
        let whose =
            ended == signer
            ? "the TSA certificate"
            : "the CA certificate \(ended.displayName.inQuotes) of the TSA"
        var expired = VerificationProblem.doubt(
            .timestampAuthorityExpired,
            "\(whose) expired on \(ended.notAfter.text), and no later timestamp proves that this "
                + "timestamp was made before that date", .outOfBoundsNoPOE)
        // If the TSA was never trusted, the token never proved anything.
        if check.isIntact, !check.chain.isEmpty {
            expired.proofEnded = TimestampEnd.of(path, digest: check.info?.messageImprint.digest)
        }
        return check.problems.filter { $0.code != .certificateExpiredSince } + [expired]
    }

    /// A withdrawal of the TSA's service on a trusted list affects timestamps without an earlier
    /// proof of existence.
    private func withdrawal(of check: TimestampCheck) -> VerificationProblem? {
        guard let used = check.info?.genTime.time,
            validator.isWithdrawn(check.chain, valid: used, at: time)
        else { return nil }
        return .doubt(
            .timestampAuthorityExpired,
            "the trusted list withdrew the TSA, and no later timestamp proves that this timestamp "
                + "is older", .outOfBoundsNoPOE)
    }

    package func verdict(of check: TimestampCheck) -> Verdict {
        max(check.verdict, problems(of: check).compactMap(\.verdict).max() ?? .passed)
    }

    /// The effect of an untrusted timestamp; nil if it passed. The signature is valid without it
    /// (EN 319 102-1 §5.5.4), unless it was tampered with or contradicts others.
    package func problem(with check: TimestampCheck, _ name: String) -> VerificationProblem? {
        let verdict = verdict(of: check)
        guard verdict != .passed else { return nil }
        let reasons = problems(of: check).filter { $0.verdict == verdict }
        // Trust does not help once the TSA certificate has expired.
        let decisive =
            reasons.first { $0.code == .timestampAuthorityExpired } ?? reasons.first
        let detail = decisive.map { ": \($0.message)" } ?? ""
        if !check.isIntact, check.imprintMatches != nil, check.signer != nil {
            return .doubt(.timestampInvalid, "\(name) is invalid\(detail)")
        }
        if reasons.contains(where: { $0.subindication == .timestampOrderFailure }) {
            return .doubt(.timestampOrder, name + detail, .timestampOrderFailure)
        }
        // A timestamp whose proof has ended may still have a trusted TSA.
        let effect =
            decisive?.missing != nil || decisive?.subindication == .tryLater
            ? "is ignored, because its TSA is not confirmed"
            : decisive?.proofEnded == nil ? "is not trusted, so ignored" : "is ignored"
        var problem = VerificationProblem(
            .timestampUntrusted, "\(name) \(effect)\(detail)", verdict: nil)
        problem.missing = decisive?.missing
        problem.reason = decisive?.code
        problem.proofEnded = decisive?.proofEnded
        return problem
    }
}
