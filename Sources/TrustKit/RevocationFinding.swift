package import Base
package import CryptoBridge

/// The revocation status of one certificate from all data.
package struct RevocationFinding: Sendable {
    /// Records by permitted signers.
    package internal(set) var records: [StatusRecord] = []
    package internal(set) var rejected: [RejectedEvidence] = []

    /// Whether a permitted responder does not know the certificate (RFC 6960 §2.2).
    var isUnknownToResponder = false

    package var statements: [RevocationStatement] { records.map(\.statement) }

    package struct RejectedEvidence: Sendable, Equatable {
        /// A sentence, for people.
        package let description: String
        /// It expired before the checked time.
        let isOutdated: Bool
        /// The status was not checked, because a limit was reached.
        var isUnchecked = false
    }

    /// Whether there is revocation data for the certificate, accepted or not.
    package var hasData: Bool {
        !statements.isEmpty || !rejected.isEmpty || isUnknownToResponder
    }

    /// Validity of revocation data without nextUpdate.
    static let defaultValiditySeconds = 86_400

    private static let hold = RevocationStatement.hold

    /// Whether signatures made before the revocation stay valid, because of its reason; false
    /// without a reason.
    static func isHarmless(_ statement: RevocationStatement) -> Bool {
        statement.reason.map(RevocationStatement.harmlessReasons.contains) ?? false
    }

    /// The revocation of the certificate: the earliest final one, else a hold that was not lifted. A
    /// certificate in an issued CRL is revoked even if the entry has a later date.
    ///
    /// - Parameters:
    ///   - time: when the certificate was used.
    ///   - existence: the earliest time at which the signature provably existed, since a compromised
    ///     key could have back-dated it; the later of both counts. Nil if `time` is proven otherwise.
    ///   - now: the current time. At or after it, all records issued until then count.
    package func revocation(
        at time: CalendarTime, existence: CalendarTime? = nil, now: CalendarTime
    ) -> RevocationStatement? {
        let latest = now.adding(CalendarTime.clockTolerance)
        func counts(_ statement: RevocationStatement) -> Bool {
            guard let since = statement.revokedAt else { return false }
            let asked = Self.isHarmless(statement) ? time : max(time, existence ?? time)
            return since <= asked || statement.thisUpdate <= asked
                || asked >= now && statement.thisUpdate <= latest
        }
        let final = statements.filter { $0.reason != Self.hold && counts($0) }
        if let first = final.min(by: { ($0.revokedAt ?? time) < ($1.revokedAt ?? time) }) {
            return first
        }
        return activeHold.map(\.statement).flatMap { counts($0) ? $0 : nil }
    }

    /// The newest record that puts the certificate on hold; nil if a later record without
    /// revocation lifts it.
    private var activeHold: StatusRecord? {
        let holds = records.filter { $0.statement.reason == Self.hold }
        guard let last = holds.max(by: { $0.statement.thisUpdate < $1.statement.thisUpdate }) else {
            return nil
        }
        let isLifted = statements.contains {
            $0.revokedAt == nil && $0.thisUpdate > last.statement.thisUpdate
                && $0.reasons.contains(.certificateHold)
        }
        return isLifted ? nil : last
    }

    /// Whether the status is known at `time`: there is a revocation, or records cover all reasons.
    package func isKnown(at time: CalendarTime) -> Bool { !decisiveRecords(at: time).isEmpty }

    /// The records that prove the status at `time`: a revocation with any date; otherwise the
    /// newest record for all revocation reasons; otherwise the records for some reasons, if they
    /// cover all reasons. Empty if the status is unknown.
    ///
    /// Records by the issuer itself, and by signers without need for a revocation check, have
    /// priority.
    package func decisiveRecords(at time: CalendarTime) -> [StatusRecord] {
        let final = records.first {
            $0.statement.revokedAt != nil && $0.statement.reason != Self.hold
        }
        if let revoked = final ?? activeHold { return [revoked] }
        let covering = records.filter {
            $0.statement.revokedAt == nil && Self.covers($0.statement, at: time)
        }
        func rank(_ word: StatusRecord) -> (Int, Int) {
            (word.signerNeedsStatus ? 1 : 0, -word.statement.thisUpdate.secondsSinceEpoch)
        }
        let whole = covering.filter { $0.statement.reasons.isSuperset(of: .all) }
        if let best = whole.min(by: { rank($0) < rank($1) }) { return [best] }
        let covered = covering.reduce(RevocationReasons()) { $0.union($1.statement.reasons) }
        return covered.isSuperset(of: .all) ? covering : []
    }

    /// Whether a record covers `time`: a later one does, an earlier one until its nextUpdate.
    package static func covers(_ statement: RevocationStatement, at time: CalendarTime) -> Bool {
        statement.thisUpdate >= time || time <= end(of: statement)
    }

    /// The latest expiry of the records without revocation; nil if there is none.
    package var latestExpiry: CalendarTime? {
        statements.filter { $0.revokedAt == nil }.map(Self.end).max()
    }

    static func end(of statement: RevocationStatement) -> CalendarTime {
        statement.nextUpdate ?? statement.thisUpdate.adding(seconds: defaultValiditySeconds)
    }
}

package struct StatusRecord: Sendable {
    package enum Source: Sendable {
        /// A complete CRL, or a delta CRL with its base.
        case list(RevocationList, base: RevocationList?)
        case response(OCSPResponse)
    }

    package let statement: RevocationStatement
    package let source: Source
    /// The signer; nil for the certificate's issuer.
    package let statusSigner: Certificate?

    package var evidence: RevocationEvidence {
        switch source {
        case .list(let list, let base):
            RevocationEvidence(lists: [list] + [base].compactMap(\.self), responses: [])
        case .response(let response): RevocationEvidence(lists: [], responses: [response])
        }
    }

    var signerNeedsStatus: Bool { statusSigner.map { !RevocationCheck.needsNone($0) } ?? false }
}
