package import Base
package import CryptoBridge
internal import Synchronization

/// Whether the certificates of a path were revoked (ETSI EN 319 102-1 §5.2.5, §5.2.6; RFC 5280
/// §6.3; RFC 6960).
package struct RevocationCheck: Sendable {
    var evidence: RevocationEvidence
    /// Possible signers of CRLs and OCSP responses, and their issuers.
    let candidates: CertificateIndex
    let anchors: TrustAnchors
    /// Data issued later than this is rejected.
    let now: CalendarTime
    let budget: EvidenceBudget
    /// Trusted lists. Data by a signer that they distrust counts only if it reports a revocation.
    var listed: (any ListedServices)?
    /// CRLs given by the user: unusable ones among them are reported.
    var given: Set<ObjectIdentifier> = []
    /// Data given by the user or fetched. It has its own budget, so that data in the file cannot
    /// use it up.
    var own: Set<ObjectIdentifier> = []
    var ownBudget = EvidenceBudget()
    /// Certificates for which requests were sent.
    var asked: Set<Certificate> = []
    /// Certificates for which a request was omitted because of the request limit of the file.
    var unasked: Set<Certificate> = []
    let statusSigners = StatusIssuerCache()
    /// Records which CRLs applied to a certificate.
    var use: ListUse?

    /// - Parameters:
    ///   - candidates: possible signers of CRLs and OCSP responses.
    ///   - anchors: trust anchors of their paths.
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

    /// Records data that is not from the file.
    mutating func note(own evidence: RevocationEvidence) {
        own.formUnion(evidence.lists.map(ObjectIdentifier.init))
        own.formUnion(evidence.responses.map(ObjectIdentifier.init))
    }

    func budget(for piece: ObjectIdentifier) -> EvidenceBudget {
        own.contains(piece) ? ownBudget : budget
    }

    /// Cached findings about signers of revocation data.
    final class StatusIssuerCache: Sendable {
        private struct Key: Hashable {
            let statusSigner: Certificate
            let issuer: Certificate
        }

        private let known = Mutex<[Key: RevocationFinding]>([:])

        func finding(
            about statusSigner: Certificate, by issuer: Certificate, _ find: () -> RevocationFinding
        ) -> RevocationFinding {
            let key = Key(statusSigner: statusSigner, issuer: issuer)
            if let finding = known.withLock({ $0[key] }) { return finding }
            let finding = find()
            known.withLock { $0[key] = finding }
            return finding
        }
    }

    /// The issuer of a certificate at the end of a path, found by checking its signature.
    func issuer(of certificate: Certificate) -> Certificate? {
        candidates.certificates.first {
            $0.isNamedAsIssuer(of: certificate) && certificate.isSigned(by: $0)
        } ?? (certificate.isSelfSigned ? certificate : nil)
    }

    // MARK: One certificate

    /// The revocation finding for a certificate.
    ///
    /// - Parameters:
    ///   - chain: its path, whose trust anchor is also required for CRL signers.
    ///   - issuer: nil if unknown: then no data is accepted.
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

    struct Need {
        /// The user gave CRLs, which must cover the certificates.
        var isListGiven = false
        /// Online requests are enabled.
        var isAsked = false

        func includes(_ certificate: Certificate, isAnchor: Bool, isLeaf: Bool) -> Bool {
            guard isAnchor else { return isListGiven || RevocationCheck.namesSource(certificate) }
            guard isLeaf, !certificate.isSelfSigned else { return false }
            return isListGiven || isAsked && RevocationCheck.namesSource(certificate)
        }
    }

    /// Violations at `time`: a revocation, or a missing status that is required.
    ///
    /// - Parameters:
    ///   - chain: leaf first, trust anchor last. A self-issued anchor is checked only if it is the
    ///     leaf; any other anchor also if there is revocation data about it.
    ///   - existence: see ``RevocationFinding/revocation(at:existence:now:)``.
    ///   - until: when every certificate with revocation data must still have a status; nil if the
    ///     status at `time` suffices.
    ///   - need: certificates that need a status.
    /// - Returns: the violations, the rejected revocation data, and the record with the leaf's
    ///   status.
    func judge(
        _ chain: [Certificate], at time: CalendarTime, existence: CalendarTime?,
        until: CalendarTime? = nil, need: Need
    ) throws(CryptoError) -> (
        violations: [VerificationProblem], rejected: [String], leaf: StatusRecord?
    ) {
        var violations: [VerificationProblem] = []
        var rejected: [String] = []
        var leaf: StatusRecord?
        for (index, certificate) in chain.enumerated() {
            let isAnchor = index == chain.count - 1
            if isAnchor, index > 0, certificate.isSelfIssued { continue }
            // Without revocation data no issuer is needed: finding one costs a signature check.
            let issuer =
                !isAnchor ? chain[index + 1] : evidence.isEmpty ? nil : issuer(of: certificate)
            let finding = try finding(about: certificate, issuer: issuer, in: chain, at: time)
            if index == 0 { leaf = finding.decisiveRecords(at: time).first }
            let who =
                index == 0
                ? "the certificate"
                : "the issuer certificate \(certificate.displayName.inQuotes)"
            let said = finding.revocation(at: time, existence: existence, now: now)
            if said == nil, let limit = limit(finding, of: certificate) {
                violations.add(.revocationUnusable, "revocation status of \(who): \(limit)")
            }
            if let said {
                violations.append(Self.revocation(said, of: who, isLeaf: index == 0))
            } else if !finding.isKnown(at: time), !Self.needsNone(certificate),
                finding.hasData
                    || need.includes(certificate, isAnchor: isAnchor, isLeaf: index == 0)
            {
                violations.append(
                    missingStatus(finding, about: certificate, who, isLeaf: index == 0))
                rejected += finding.rejected.dropFirst().map(\.description)
                continue
            } else if let end = expiryOfOutdatedStatus(finding, about: certificate) {
                violations.add(
                    .revocationUnanswered,
                    "the revocation data for \(who) expired on \(end.text)")
            } else if let until, finding.hasData, !Self.needsNone(certificate),
                !finding.isKnown(at: until)
            {
                let end = finding.latestExpiry.map { " on \($0.text)" } ?? ""
                violations.add(
                    .revocationOutdated,
                    "the revocation data for \(who) expired\(end)")
            }
            rejected += finding.rejected.filter { !$0.isOutdated }.map(\.description)
        }
        return (violations, rejected, leaf)
    }

    private static func revocation(
        _ said: RevocationStatement, of whom: String, isLeaf: Bool
    ) -> VerificationProblem {
        let reason = said.reason.map { " (\($0))" } ?? ""
        var violation = VerificationProblem.ofCertificate(
            isLeaf ? .revoked : .authorityRevoked,
            "\(whom) was revoked on \(said.revokedAt?.text ?? "")\(reason)")
        violation.isAboutKey = !RevocationFinding.isHarmless(said)
        return violation
    }

    /// The reason why some revocation data of a certificate was not checked; nil if all was
    /// checked.
    private func limit(_ finding: RevocationFinding, of certificate: Certificate) -> String? {
        if finding.rejected.contains(where: \.isUnchecked) {
            return "not all data was checked (limit reached)"
        }
        return unasked.contains(certificate)
            ? "not all data was fetched (limit reached)" : nil
    }

    /// The missing status of a certificate, with its reason.
    private func missingStatus(
        _ finding: RevocationFinding, about certificate: Certificate, _ who: String, isLeaf: Bool
    ) -> VerificationProblem {
        var code = finding.hasData ? ProblemCode.revocationUnusable : .revocationUnknown
        var why = finding.rejected.first.map { ": \($0.description)" } ?? ""
        var gap: VerificationProblem.RevocationGap?
        if finding.isUnknownToResponder {
            (code, gap) = (.revocationUnknown, .unknownToResponder)
            why = ": the OCSP responder returned the status 'unknown'"
        } else if !finding.hasData, let address = RevocationPlace.onlyAddress(of: certificate) {
            let isList = certificate.revocationListAddresses.contains(address)
            gap = isList ? .addressNotFetched : nil
            why = ": Signet does not fetch its \(isList ? "CRL" : "OCSP") address \(address)"
        } else if asked.contains(certificate) {
            code = .revocationUnanswered
        }
        let whose = isLeaf && !why.isEmpty ? "" : " for \(who)"
        var problem = VerificationProblem.ofCertificate(code, "no revocation data\(whose)\(why)")
        problem.revocationGap = gap
        return problem
    }

    /// When the last status of a certificate expired, if a newer one was required but is missing;
    /// nil if it is still valid or final. Nil also for expired certificates: CAs may remove them
    /// from CRLs, so a later status would prove nothing (RFC 5280 §3.3).
    private func expiryOfOutdatedStatus(
        _ finding: RevocationFinding, about certificate: Certificate
    ) -> CalendarTime? {
        guard asked.contains(certificate), now <= certificate.notAfter,
            !finding.statements.contains(where: { $0.revokedAt != nil }),
            let end = finding.latestExpiry, end < now
        else { return nil }
        return end
    }

    /// Whether the certificate contains cRLDistributionPoints, or an OCSP URL in
    /// authorityInfoAccess.
    static func namesSource(_ certificate: Certificate) -> Bool {
        !needsNone(certificate)
            && (certificate.extensionValue(.cRLDistributionPoints) != nil
                || !certificate.ocspAddresses.isEmpty)
    }

    /// Whether no revocation status is needed. Each extension counts only in the kind of certificate
    /// that it is for.
    package static func needsNone(_ certificate: Certificate) -> Bool {
        func has(_ oid: OID) -> Bool { certificate.extensionValue(oid) != nil }
        // id-pkix-ocsp-nocheck, of responders (RFC 6960 §4.2.2.2.1).
        if has(.ocspNoCheck), certificate.extendedKeyUsage?.contains(.ocspSigning) == true {
            return true
        }
        let namesPlace = has(.cRLDistributionPoints) || !certificate.ocspAddresses.isEmpty
        // Validity assured (ETSI EN 319 412-1 §5.2): of short-term certificates, and of any without
        // an OCSP or CRL URL.
        let isShort =
            certificate.notAfter <= certificate.notBefore.adding(seconds: shortTermSeconds)
        if has(.shortTermAssured), isShort || !namesPlace { return true }
        // noRevAvail; not valid in CA certificates or with OCSP or CRL URLs (RFC 9608 §4).
        return has(.noRevocationAvailable) && !certificate.isCA && !namesPlace
    }

    /// The longest validity of a short-term certificate that contains OCSP or CRL URLs: one month.
    private static let shortTermSeconds = 31 * 86_400
}
