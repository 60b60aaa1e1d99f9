package import Base
package import CryptoBridge

/// The revocation status of one certificate from all data.
package struct RevocationFinding: Sendable {
    /// Records by permitted signers.
    package internal(set) var words: [StatusRecord] = []
    /// Rejected revocation data for the certificate.
    package internal(set) var rejected: [RejectedEvidence] = []

    /// Whether a permitted responder does not know the certificate (RFC 6960 §2.2).
    var isUnknownToResponder = false

    package var statements: [RevocationStatement] { words.map(\.statement) }

    /// Rejected revocation data.
    package struct RejectedEvidence: Sendable, Equatable {
        /// `the revocation list of CN=X of 2026-05-01T00:00:00Z expired on …`.
        package let description: String
        /// It was only replaced by newer data.
        let isOutdated: Bool
        /// It was not checked because of the limit.
        var isUnchecked = false
    }

    /// Whether there is revocation data for the certificate, accepted or not.
    package var isAddressed: Bool {
        !statements.isEmpty || !rejected.isEmpty || isUnknownToResponder
    }

    /// Validity of revocation data without nextUpdate.
    static let defaultValiditySeconds = 86_400

    private static let hold = RevocationStatement.hold

    /// Whether the revocation reason does not affect the key.
    static func isHarmless(_ statement: RevocationStatement) -> Bool {
        statement.reason.map(RevocationStatement.harmlessReasons.contains) ?? false
    }

    /// The revocation of the certificate: any final one, else a hold that was not lifted. A
    /// certificate in an issued CRL is revoked even if the entry has a later date.
    ///
    /// - Parameters:
    ///   - time: when the certificate was used.
    ///   - existence: proof of existence of the signature, since a compromised key could have
    ///     back-dated it; nil if `time` is proven otherwise.
    ///   - now: the current time. A revocation known now applies to everything that is not older
    ///     than its date.
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
        return lastHold.map(\.statement).flatMap { counts($0) ? $0 : nil }
    }

    /// The record that puts the certificate on hold, if it is the last one: later ones lift it.
    private var lastHold: StatusRecord? {
        let holds = words.filter { $0.statement.reason == Self.hold }
        guard let last = holds.max(by: { $0.statement.thisUpdate < $1.statement.thisUpdate }) else {
            return nil
        }
        let isLifted = statements.contains {
            $0.revokedAt == nil && $0.thisUpdate > last.statement.thisUpdate
                && $0.reasons.contains(.certificateHold)
        }
        return isLifted ? nil : last
    }

    /// Whether the certificate was not revoked at `time`: records cover all reasons, or the
    /// revocation is later.
    package func isKnown(at time: CalendarTime) -> Bool { !decisiveWords(at: time).isEmpty }

    /// The fewest records that prove the status at `time`, the newest of each kind: one if it
    /// suffices, else all with partial reasons; empty if the status is unknown.
    ///
    /// Records by the issuer itself, and by signers without need for a revocation check, have
    /// priority.
    package func decisiveWords(at time: CalendarTime) -> [StatusRecord] {
        let final = words.first {
            $0.statement.revokedAt != nil && $0.statement.reason != Self.hold
        }
        if let revoked = final ?? lastHold { return [revoked] }
        let speaking = words.filter {
            $0.statement.revokedAt == nil && Self.speaks($0.statement, for: time)
        }
        func rank(_ word: StatusRecord) -> (Int, Int) {
            (word.needsSupport ? 1 : 0, -word.statement.thisUpdate.secondsSinceEpoch)
        }
        let whole = speaking.filter { $0.statement.reasons.isSuperset(of: .all) }
        if let best = whole.min(by: { rank($0) < rank($1) }) { return [best] }
        let covered = speaking.reduce(RevocationReasons()) { $0.union($1.statement.reasons) }
        return covered.isSuperset(of: .all) ? speaking : []
    }

    /// Whether a record covers `time`: a later one does, an earlier one until its nextUpdate.
    package static func speaks(_ statement: RevocationStatement, for time: CalendarTime) -> Bool {
        statement.thisUpdate >= time || time <= end(of: statement)
    }

    /// When the newest record without revocation expires; nil if there is none.
    package var lastWordEnd: CalendarTime? {
        statements.filter { $0.revokedAt == nil }.map(Self.end).max()
    }

    static func end(of statement: RevocationStatement) -> CalendarTime {
        statement.nextUpdate ?? statement.thisUpdate.adding(seconds: defaultValiditySeconds)
    }
}

/// One status record of a certificate, and its source.
package struct StatusRecord: Sendable {
    package enum Source: Sendable {
        /// A complete CRL, or a delta CRL with its base.
        case list(RevocationList, base: RevocationList?)
        case response(OCSPResponse)
    }

    package let statement: RevocationStatement
    package let source: Source
    /// The signer; nil for the certificate's issuer.
    package let speaker: Certificate?

    /// The data of this record.
    package var evidence: RevocationEvidence {
        switch source {
        case .list(let list, let base):
            RevocationEvidence(lists: [list] + [base].compactMap(\.self), responses: [])
        case .response(let response): RevocationEvidence(lists: [], responses: [response])
        }
    }

    /// Whether the signer's own revocation status is needed.
    var needsSupport: Bool { speaker.map { !RevocationCheck.needsNone($0) } ?? false }
}
