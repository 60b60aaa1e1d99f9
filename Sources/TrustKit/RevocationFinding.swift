package import Base
package import CryptoBridge

/// What the evidence says about one certificate.
package struct RevocationFinding: Sendable {
    /// What authorities said that may speak about it.
    package internal(set) var words: [RevocationWord] = []
    /// Evidence that was meant for the certificate and does not count, in words.
    package internal(set) var useless: [Useless] = []

    package var statements: [RevocationStatement] { words.map(\.statement) }

    /// Evidence that does not count.
    package struct Useless: Sendable, Equatable {
        /// `the revocation list of CN=X of 2026-05-01T00:00:00Z expired on …`.
        package let description: String
        /// It is merely older than what counts.
        let isOutdated: Bool
        /// Nobody knows what it is worth: there was too much to check.
        var isUnchecked = false
    }

    /// Whether there is evidence that was meant for the certificate, of use or not.
    package var isAddressed: Bool { !statements.isEmpty || !useless.isEmpty }

    /// How long an authority's word counts that does not say when it speaks next.
    static let defaultValiditySeconds = 86_400

    private static let hold = RevocationStatement.hold

    /// Whether a revocation says nothing against the key.
    static func isHarmless(_ statement: RevocationStatement) -> Bool {
        statement.reason.map(RevocationStatement.harmlessReasons.contains) ?? false
    }

    /// What says that the certificate does not count: any revocation that is final, else a hold
    /// that nobody has lifted. Who had been named as revoked by then was so, whatever date the entry
    /// bears.
    ///
    /// - Parameters:
    ///   - time: when the certificate was used.
    ///   - existence: when what it made is known to exist, for what a compromised key could have
    ///     made with an earlier date at any time; nil where `time` is proven by others.
    ///   - now: the present. Who is revoked then is so whatever date the authority gives: only what
    ///     is older than that date is not affected.
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

    /// The word that puts the certificate on hold, if it is the last: later ones lift it.
    private var lastHold: RevocationWord? {
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

    /// Whether it is known for `time` that the certificate was not revoked: somebody who would have
    /// to say so did not, for all reasons together; or the revocation came later.
    package func isKnown(at time: CalendarTime) -> Bool {
        !decisiveWords(at: time).isEmpty
    }

    /// The fewest words by which it is known for `time`, the youngest of each kind that does: one
    /// where one suffices, else all that speak for some reasons; none where it is not known.
    ///
    /// Words by the issuer itself, and by those whose own revocation need not be asked about, go
    /// before others.
    package func decisiveWords(at time: CalendarTime) -> [RevocationWord] {
        let final = words.first {
            $0.statement.revokedAt != nil && $0.statement.reason != Self.hold
        }
        if let revoked = final ?? lastHold { return [revoked] }
        let speaking = words.filter {
            $0.statement.revokedAt == nil && Self.speaks($0.statement, for: time)
        }
        func rank(_ word: RevocationWord) -> (Int, Int) {
            (word.needsSupport ? 1 : 0, -word.statement.thisUpdate.secondsSinceEpoch)
        }
        let whole = speaking.filter { $0.statement.reasons.isSuperset(of: .all) }
        if let best = whole.min(by: { rank($0) < rank($1) }) { return [best] }
        let covered = speaking.reduce(RevocationReasons()) { $0.union($1.statement.reasons) }
        return covered.isSuperset(of: .all) ? speaking : []
    }

    /// A word spoken after `time` tells what was then; an earlier one counts until the next.
    package static func speaks(_ statement: RevocationStatement, for time: CalendarTime) -> Bool {
        statement.thisUpdate >= time || time <= end(of: statement)
    }

    /// When the youngest word ends by which the certificate was not revoked; nil without one.
    package var lastWordEnd: CalendarTime? {
        statements.filter { $0.revokedAt == nil }.map(Self.end).max()
    }

    static func end(of statement: RevocationStatement) -> CalendarTime {
        statement.nextUpdate ?? statement.thisUpdate.adding(seconds: defaultValiditySeconds)
    }
}

/// One thing that an authority said about a certificate, and where that stands.
package struct RevocationWord: Sendable {
    package enum Source: Sendable {
        /// A list, and with a delta the one that it changes.
        case list(RevocationList, base: RevocationList?)
        case response(OCSPResponse)
    }

    package let statement: RevocationStatement
    package let source: Source
    /// Who said it; nil for the certificate's issuer itself.
    package let speaker: Certificate?

    /// The evidence, as far as it is this word's.
    package var evidence: RevocationEvidence {
        switch source {
        case .list(let list, let base):
            RevocationEvidence(lists: [list] + [base].compactMap(\.self), responses: [])
        case .response(let response): RevocationEvidence(lists: [], responses: [response])
        }
    }

    /// Whether something has to be known about who said it.
    var needsSupport: Bool { speaker.map { !RevocationCheck.needsNone($0) } ?? false }
}
