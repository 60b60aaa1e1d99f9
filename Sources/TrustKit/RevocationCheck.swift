package import Base
package import CryptoBridge
internal import Synchronization

/// Whether the certificates of a path were revoked (ETSI EN 319 102-1 §5.2.5, §5.2.6; RFC 5280
/// §6.3; RFC 6960).
package struct RevocationCheck: Sendable {
    var evidence: RevocationEvidence
    /// Who may have signed lists, and what stands above them.
    let candidates: CertificateIndex
    let anchors: TrustAnchors
    /// Nothing counts that was said later than this.
    let now: CalendarTime
    let budget: EvidenceBudget
    /// Lists that a person gave: whatever is of no use among them is told.
    var given: Set<ObjectIdentifier> = []
    /// Lists and responses that did not come with the file: a person gave them, or an authority when
    /// it was asked. What a file brings does not use up what is spent on these.
    var own: Set<ObjectIdentifier> = []
    var ownBudget = EvidenceBudget()
    /// Those about whom authorities were asked, whatever they answered.
    var asked: Set<Certificate> = []
    /// Those of them about whom somebody was not asked, because the file caused too many questions.
    var unasked: Set<Certificate> = []
    let speakers = KnownSpeakers()
    /// Told which lists had to do with a certificate.
    var use: ListUse?

    /// - Parameters:
    ///   - candidates: certificates that may have signed lists and responses.
    ///   - anchors: where their paths must end.
    package init(
        _ evidence: RevocationEvidence, candidates: [Certificate] = [], anchors: TrustAnchors,
        now: CalendarTime, budget: EvidenceBudget
    ) {
        self.evidence = evidence
        self.candidates = CertificateIndex(candidates)
        self.anchors = anchors
        self.now = now
        self.budget = budget
    }

    /// Takes note of what did not come with the file.
    mutating func note(own evidence: RevocationEvidence) {
        own.formUnion(evidence.lists.map(ObjectIdentifier.init))
        own.formUnion(evidence.responses.map(ObjectIdentifier.init))
    }

    func budget(for piece: ObjectIdentifier) -> EvidenceBudget {
        own.contains(piece) ? ownBudget : budget
    }

    /// What is said about those who speak about others.
    final class KnownSpeakers: Sendable {
        private struct Key: Hashable {
            let speaker: Certificate
            let issuer: Certificate
        }

        private let known = Mutex<[Key: RevocationFinding]>([:])

        func finding(
            about speaker: Certificate, by issuer: Certificate, _ find: () -> RevocationFinding
        ) -> RevocationFinding {
            let key = Key(speaker: speaker, issuer: issuer)
            if let finding = known.withLock({ $0[key] }) { return finding }
            let finding = find()
            known.withLock { $0[key] = finding }
            return finding
        }
    }

    /// Who may have issued a certificate that has nobody above it in the path: whoever's key signed
    /// it is its issuer.
    func issuer(of certificate: Certificate) -> Certificate? {
        candidates.certificates.first {
            $0.isNamedAsIssuer(of: certificate) && certificate.isSigned(by: $0)
        } ?? (certificate.isSelfSigned ? certificate : nil)
    }

    // MARK: One certificate

    /// What is said about a certificate.
    ///
    /// - Parameters:
    ///   - chain: the path that it stands in, whose end is the anchor of those who sign lists too.
    ///   - issuer: nil when it is not known: then nothing counts.
    func finding(
        about certificate: Certificate, issuer: Certificate?, in chain: [Certificate],
        at time: CalendarTime
    ) throws(CryptoError) -> RevocationFinding {
        var finding = RevocationFinding()
        let question = RevocationQuestion(
            certificate: certificate, issuer: issuer, chain: chain, time: time, check: self)
        try question.readLists(into: &finding)
        try question.readResponses(into: &finding)
        return finding
    }

    // MARK: A path

    /// Of whom something must be known.
    struct Need {
        /// Lists were given, so that certificates are to be looked for in them.
        var isListGiven = false
        /// Authorities are asked.
        var isAsked = false

        func includes(_ certificate: Certificate, isAnchor: Bool, isLeaf: Bool) -> Bool {
            guard isAnchor else { return isListGiven || RevocationCheck.namesSource(certificate) }
            guard isLeaf, !certificate.isSelfSigned else { return false }
            return isListGiven || isAsked && RevocationCheck.namesSource(certificate)
        }
    }

    /// What speaks against the path at `time`: a revocation, or nothing known where something
    /// should be.
    ///
    /// - Parameters:
    ///   - chain: leaf first, anchor last. The anchor is beyond question, unless it is the leaf or
    ///     there is evidence about it.
    ///   - existence: see ``RevocationFinding/revocation(at:existence:)``.
    ///   - until: when something must still be known of every certificate about which evidence is
    ///     at hand; nil where what was said for `time` suffices.
    ///   - need: of whom something must be known.
    /// - Returns: the violations, what of the evidence was of no use, and by which word it is known
    ///   whether the leaf was revoked.
    func judge(
        _ chain: [Certificate], at time: CalendarTime, existence: CalendarTime?,
        until: CalendarTime? = nil, need: Need
    ) throws(CryptoError) -> (
        violations: [PolicyViolation], useless: [String], leaf: RevocationWord?
    ) {
        var violations: [PolicyViolation] = []
        var useless: [String] = []
        var leaf: RevocationWord?
        for (index, certificate) in chain.enumerated() {
            let isAnchor = index == chain.count - 1
            if isAnchor, index > 0, certificate.isSelfIssued { continue }
            // Who nobody speaks about needs none: to find one is a check of a signature.
            let issuer =
                !isAnchor ? chain[index + 1] : evidence.isEmpty ? nil : issuer(of: certificate)
            let finding = try finding(
                about: certificate, issuer: issuer, in: chain, at: time)
            if index == 0 { leaf = finding.decisiveWords(at: time).first }
            let who = index == 0 ? "the certificate" : "the issuer's certificate"
            let whose = index == 0 ? "" : " (\(certificate.subject))"
            let said = finding.revocation(at: time, existence: existence, now: now)
            if said == nil, let limit = limit(finding, certificate) {
                let what = "not all that is said of whether \(who)\(whose) was revoked"
                violations.add(.revocationUnusable, "\(what) could be \(limit)")
            }
            if let said {
                violations.append(
                    Self.revocation(said, of: who + whose, isLeaf: index == 0))
            } else if !finding.isKnown(at: time), !Self.needsNone(certificate),
                finding.isAddressed
                    || need.includes(certificate, isAnchor: isAnchor, isLeaf: index == 0)
            {
                let why = finding.useless.first.map { ": \($0.description)" } ?? ""
                violations.add(
                    codeOfSilence(finding, about: certificate),
                    "nothing is known of whether \(who)\(whose) was revoked\(why)")
                useless += finding.useless.dropFirst().map(\.description)
                continue
            } else if let end = outdatedWord(finding, about: certificate) {
                violations.add(
                    .revocationUnanswered,
                    "nobody says whether \(who)\(whose) was revoked since; what is known "
                        + "counts until \(end.rfc3339)")
            } else if let until, finding.isAddressed, !Self.needsNone(certificate),
                !finding.isKnown(at: until)
            {
                violations.add(
                    .revocationOutdated,
                    "what is known of whether \(who)\(whose) was revoked ended before "
                        + until.rfc3339)
            }
            useless += finding.useless.filter { !$0.isOutdated }.map(\.description)
        }
        return (violations, useless, leaf)
    }

    private static func revocation(
        _ said: RevocationStatement, of whom: String, isLeaf: Bool
    ) -> PolicyViolation {
        let reason = said.reason.map { " (\($0))" } ?? ""
        var violation = PolicyViolation(
            isLeaf ? .revoked : .authorityRevoked,
            "\(whom) was revoked on \(said.revokedAt?.rfc3339 ?? "")\(reason)")
        violation.isAboutKey = !RevocationFinding.isHarmless(said)
        return violation
    }

    /// Where not all was looked at that may speak against a certificate.
    private func limit(_ finding: RevocationFinding, _ certificate: Certificate) -> String? {
        if finding.useless.contains(where: \.isUnchecked) { return "checked: it is too much" }
        return unasked.contains(certificate)
            ? "asked for: the file causes too many questions" : nil
    }

    private func codeOfSilence(
        _ finding: RevocationFinding, about certificate: Certificate
    ) -> PolicyViolation.Code {
        if asked.contains(certificate) { return .revocationUnanswered }
        return finding.isAddressed ? .revocationUnusable : .revocationUnknown
    }

    /// When the last word about a certificate ended, where a younger one was asked for and nobody
    /// gave it; nil where it still counts or is final, and for certificates that have expired:
    /// authorities may forget those, so that no later word would tell more (RFC 5280 §3.3).
    private func outdatedWord(
        _ finding: RevocationFinding, about certificate: Certificate
    ) -> CalendarTime? {
        guard asked.contains(certificate), now <= certificate.notAfter,
            !finding.statements.contains(where: { $0.revokedAt != nil }),
            let end = finding.lastWordEnd, end < now
        else { return nil }
        return end
    }

    /// Whether the certificate says where to ask: cRLDistributionPoints, or an OCSP responder in
    /// authorityInfoAccess.
    static func namesSource(_ certificate: Certificate) -> Bool {
        !needsNone(certificate)
            && (certificate.extensionValue(.cRLDistributionPoints) != nil
                || !certificate.ocspAddresses.isEmpty)
    }

    /// Whether nothing need be known. Whoever says that of a certificate of another kind than it is
    /// meant for has said nothing.
    package static func needsNone(_ certificate: Certificate) -> Bool {
        func has(_ oid: OID) -> Bool { certificate.extensionValue(oid) != nil }
        // id-pkix-ocsp-nocheck, of responders (RFC 6960 §4.2.2.2.1).
        if has(.ocspNoCheck),
            certificate.extendedKeyUsage?.contains(.ocspSigning) == true
        {
            return true
        }
        let namesPlace = has(.cRLDistributionPoints) || !certificate.ocspAddresses.isEmpty
        // Validity assured, of short-term certificates (ETSI EN 319 412-1 §5.2).
        let isShort =
            certificate.notAfter
            <= certificate.notBefore.adding(seconds: shortTermSeconds)
        if has(.shortTermAssured), isShort || !namesPlace { return true }
        // noRevAvail, of no authorities, and of none that name a place to ask (RFC 9608 §4).
        return has(.noRevocationAvailable) && !certificate.isCA && !namesPlace
    }

    /// The longest validity of a certificate that counts as short-term though it names a place to
    /// ask: a month.
    private static let shortTermSeconds = 31 * 86_400
}
