internal import Base
import CryptoBridge

/// A request for the revocation status of one certificate at a time.
struct RevocationQuestion {
    let certificate: Certificate
    let issuer: Certificate?
    /// The path of the certificate; signers of revocation data must have the same trust anchor.
    let chain: [Certificate]
    let time: CalendarTime
    let check: RevocationCheck
    /// Whether the certificate is itself a signer of revocation data: then signers are not checked
    /// recursively.
    var isSecondary = false

    /// The reason why revocation data is rejected.
    private struct Objection: Error {
        let reason: String
        let isOutdated: Bool
        let isOfLimit: Bool

        init(_ reason: String, isOutdated: Bool = false, isOfLimit: Bool = false) {
            self.reason = reason
            self.isOutdated = isOutdated
            self.isOfLimit = isOfLimit
        }

        /// Unchecked data may contain any status.
        static let tooMuch = Objection(
            "too much revocation data to check all of it", isOfLimit: true)
    }

    // MARK: Lists

    func readLists(into finding: inout RevocationFinding) throws(CryptoError) {
        var bases: [Base] = []
        var deltas: [RevocationList] = []
        for list in check.evidence.lists {
            let reasons: RevocationReasons
            var limit: Objection?
            let bearing = list.bearing(on: certificate)
            if bearing != .none { check.use?.note(list) }
            switch bearing {
            case .none: continue
            case .limited(let why):
                reasons = []
                limit = Objection(why)
            case .full(let covered): reasons = covered
            }
            do throws(Objection) {
                let signer = try authenticate(list)
                let statusSigner = signer.certificate
                if case .revoked(let since, let reason) = list.entry(about: certificate),
                    !list.isForAttributes, !reasons.isEmpty || !list.isIndirect
                {
                    finding.records.append(
                        StatusRecord(
                            statement: RevocationStatement(
                                revokedAt: since, reason: reason, thisUpdate: list.thisUpdate,
                                nextUpdate: list.nextUpdate),
                            source: .list(list, base: nil), statusSigner: statusSigner))
                    if list.isDelta {
                        deltas.append(list)
                    } else {
                        bases.append(Base(list: list, reasons: reasons, statusSigner: statusSigner))
                    }
                    continue
                }
                if let limit { throw limit }
                try checkDistrust(of: signer)
                try checkForm(of: list)
                // RFC 5280 §5.3.1: only delta CRLs can remove entries.
                if !list.isDelta, list.entry(about: certificate) == .removed {
                    throw Objection("it removes an entry, but is not a delta CRL")
                }
                if list.isDelta {
                    deltas.append(list)
                } else {
                    bases.append(Base(list: list, reasons: reasons, statusSigner: statusSigner))
                    try checkSilence(of: statement(of: list, reasons), list.keepsExpiredSince)
                    finding.records.append(
                        StatusRecord(
                            statement: statement(of: list, reasons),
                            source: .list(list, base: nil), statusSigner: statusSigner))
                }
            } catch {
                finding.rejected.append(rejected(list, because: error))
            }
        }
        for delta in deltas { apply(delta, to: bases, &finding) }
    }

    /// An accepted complete CRL.
    private struct Base {
        let list: RevocationList
        let reasons: RevocationReasons
        /// The certificate of the CRL's signer; nil if the certificate's issuer signed it.
        let statusSigner: Certificate?
    }

    /// A delta CRL without an entry, combined with its base, or a delta that lifts a hold, is a
    /// record of the base at the delta's time (RFC 5280 §5.2.4).
    private func apply(
        _ delta: RevocationList, to bases: [Base], _ finding: inout RevocationFinding
    ) {
        if case .revoked = delta.entry(about: certificate) { return }
        var objection = Objection("the base CRL of this delta CRL was not found")
        for base in bases where delta.continues(base.list) {
            let isRemoved = delta.entry(about: certificate) == .removed
            // An entry of the base remains valid until the delta removes it.
            if case .revoked = base.list.entry(about: certificate), !isRemoved { return }
            let word = statement(of: delta, base.reasons)
            do throws(Objection) {
                try checkSilence(of: word, delta.keepsExpiredSince)
                finding.records.append(
                    StatusRecord(
                        statement: word, source: .list(delta, base: base.list),
                        statusSigner: base.statusSigner))
                return
            } catch {
                objection = error
            }
        }
        finding.rejected.append(rejected(delta, because: objection))
    }

    private func statement(
        of list: RevocationList, _ reasons: RevocationReasons
    ) -> RevocationStatement {
        RevocationStatement(
            revokedAt: nil, thisUpdate: list.thisUpdate, nextUpdate: list.nextUpdate,
            reasons: reasons)
    }

    private func checkForm(of list: RevocationList) throws(Objection) {
        if let oid = list.unknownCriticalExtension {
            throw Objection("it has the unknown critical extension \(oid)")
        }
    }

    /// The signer of revocation data; nil for the certificate's issuer.
    /// Its path is without the certificates of the checked one.
    private typealias StatusSigner = (certificate: Certificate?, path: [Certificate])

    /// A distrusted signer may report a revocation, but not its absence.
    private func checkDistrust(of signer: StatusSigner) throws(Objection) {
        let known = check.candidates.certificates
        if let found = check.listed?.distrust(in: signer.path, candidates: known) {
            throw Objection(found.reason)
        }
    }

    /// Checks that the CRL signer is authorized for the certificate.
    private func authenticate(_ list: RevocationList) throws(Objection) -> StatusSigner {
        var objection = Objection("the certificate of its signer was not found")
        let near = ([issuer].compactMap(\.self) + chain).filter { list.isIssued(by: $0) }
        var seen: Set<Certificate> = []
        let others = list.issuers(among: check.candidates)
        let budget = check.budget(for: ObjectIdentifier(list))
        for signer in near + others.prefix(Self.signerLimit) where seen.insert(signer).inserted {
            guard
                let isSigned = isOfPath(signer)
                    ? list.isSigned(by: signer) : list.isSigned(by: signer, within: budget)
            else { throw Objection.tooMuch }
            guard isSigned else {
                objection = Objection(
                    "its signature does not match the key of the issuer certificate")
                continue
            }
            guard signer.keyUsage.map({ $0.contains(.cRLSign) }) ?? true else {
                objection = Objection("its issuer certificate does not permit signing CRLs")
                continue
            }
            do throws(Objection) {
                try checkStrength(list.signatureDigest, of: signer, since: list.thisUpdate)
                try checkValidity(of: signer, speakingAt: list.thisUpdate)
                if signer == issuer { return (nil, []) }
                return (signer, try checkPath(of: signer, speakingAt: list.thisUpdate, budget))
            } catch {
                objection = error
            }
        }
        throw others.count > Self.signerLimit ? Objection.tooMuch : objection
    }

    /// Whether the CRL signer has a valid path to the certificate's trust anchor (RFC 5280 §6.3.3
    /// (f)) without a known revocation.
    ///
    /// - Returns: the path, without certificates of the checked one.
    private func checkPath(
        of signer: Certificate, speakingAt thisUpdate: CalendarTime, _ budget: EvidenceBudget
    ) throws(Objection) -> [Certificate] {
        guard !chain.contains(signer) else { return [] }
        let spoken = max(time, thisUpdate)
        let candidates = check.candidates.certificates
        guard budget.spendPath(among: candidates.count) else { throw Objection.tooMuch }
        let request = ChainRequest(
            leaf: signer, intermediates: candidates, anchors: check.anchors, time: spoken)
        guard case .valid(let path)? = try? request.validate() else {
            throw Objection("its issuer certificate has no chain to a trust anchor")
        }
        guard path.last == chain.last else {
            throw Objection("its issuer certificate has a chain to another trust anchor")
        }
        let own = path.filter { !chain.contains($0) }
        guard !isSecondary else { return own }
        for (below, above) in zip(path, path.dropFirst()) where !chain.contains(below) {
            if isRevoked(below, by: above, in: path, at: spoken) {
                throw Objection("its issuer certificate was revoked")
            }
        }
        return own
    }

    /// Whether revocation data reports that a signer of revocation data is revoked.
    private func isRevoked(
        _ statusSigner: Certificate, by issuer: Certificate, in path: [Certificate],
        at spoken: CalendarTime
    ) -> Bool {
        let finding = check.statusSigners.finding(about: statusSigner, by: issuer) {
            // The time is the start of the signer's validity: a revocation affects all of its data
            // and is searched once.
            let question = RevocationQuestion(
                certificate: statusSigner, issuer: issuer, chain: path,
                time: statusSigner.notBefore,
                check: check, isSecondary: true)
            var finding = RevocationFinding()
            try? question.readLists(into: &finding)
            try? question.readResponses(into: &finding)
            return finding
        }
        return finding.revocation(at: spoken, existence: check.now, now: check.now) != nil
    }

    /// After a certificate's expiry its key proves nothing (ETSI EN 319 102-1 §5.2.6.4). Trust
    /// anchors are not checked.
    private func checkValidity(
        of signer: Certificate, speakingAt thisUpdate: CalendarTime
    ) throws(Objection) {
        guard signer == chain.last || signer.isValid(at: thisUpdate) else {
            throw Objection("its issuer certificate was not valid when it was issued")
        }
    }

    // MARK: Responses

    func readResponses(into finding: inout RevocationFinding) throws(CryptoError) {
        guard let issuer else { return }
        for response in check.evidence.responses {
            let answers = response.allAnswers(about: certificate, issuer: issuer)
            for (index, answer) in answers.enumerated() {
                do throws(Objection) {
                    guard index < Self.answerLimit else { throw Objection.tooMuch }
                    try read(answer, of: response, by: issuer, into: &finding)
                } catch {
                    finding.rejected.append(rejected(response, answer.statement, error))
                    if index >= Self.answerLimit { break }
                }
            }
        }
    }

    /// Maximum number of answers about one certificate read in one response: each may state another
    /// time, at which its responder must be valid.
    private static let answerLimit = 4

    private func read(
        _ answer: OCSPResponse.Answer, of response: OCSPResponse, by issuer: Certificate,
        into finding: inout RevocationFinding
    ) throws(Objection) {
        let said = answer.statement
        let signer = try authenticate(response, issuer: issuer, speakingAt: said.thisUpdate)
        let statusSigner = signer.certificate
        if said.revokedAt == nil { try checkDistrust(of: signer) }
        guard !answer.isUnknown else {
            finding.isUnknownToResponder = true
            return
        }
        let isRevoked = said.revokedAt != nil
        let statement =
            isRevoked ? said : try goodWord(answer, of: response, until: statusSigner?.notAfter)
        finding.records.append(
            StatusRecord(
                statement: statement, source: .response(response), statusSigner: statusSigner))
    }

    private func goodWord(
        _ answer: OCSPResponse.Answer, of response: OCSPResponse, until end: CalendarTime?
    ) throws(Objection) -> RevocationStatement {
        if let oid = response.unknownCriticalExtension ?? answer.unknownCriticalExtension {
            throw Objection("it has the unknown critical extension \(oid)")
        }
        // A response is not valid longer than its responder's certificate.
        let said = answer.statement
        let next = [RevocationFinding.end(of: said), end].compactMap(\.self).min()
        let statement = RevocationStatement(
            revokedAt: nil, thisUpdate: said.thisUpdate,
            nextUpdate: said.nextUpdate == nil && end.map({ next == $0 }) != true ? nil : next)
        guard answer.namesCertificate != false else {
            throw Objection("it is about another certificate with the same serial number")
        }
        // A responder that repeats the certificate's hash still has a record of it.
        try checkSilence(
            of: statement,
            answer.namesCertificate == true ? certificate.notAfter : answer.keepsExpiredSince)
        guard response.producedAt <= latest else {
            throw Objection("it was issued after the validation time")
        }
        // Both times are from the responder's clock (RFC 6960 §4.2.2.1).
        guard
            said.thisUpdate
                <= response.producedAt.adding(CalendarTime.clockTolerance)
        else { throw Objection("thisUpdate is later than producedAt") }
        return statement
    }

    /// Checks that the issuer or a responder authorized by it (RFC 6960 §4.2.2.2) signed, with a
    /// certificate valid at that time.
    private func authenticate(
        _ response: OCSPResponse, issuer: Certificate, speakingAt thisUpdate: CalendarTime
    ) throws(Objection) -> StatusSigner {
        var objection = Objection("the certificate of its signer was not found")
        let near = (response.isNamed(issuer) ? [issuer] : []) + response.responderCertificates
        let others = response.responders(among: check.candidates)
        let budget = check.budget(for: ObjectIdentifier(response))
        for signer in near + others.prefix(Self.signerLimit) {
            guard
                let isSigned = isOfPath(signer)
                    ? response.isSigned(by: signer) : response.isSigned(by: signer, within: budget)
            else { throw Objection.tooMuch }
            guard isSigned else {
                objection = Objection(
                    "its signature does not match the key of the OCSP responder")
                continue
            }
            do throws(Objection) {
                guard signer != certificate else {
                    throw Objection("the OCSP responder certificate reports its own status")
                }
                try checkStrength(response.signatureDigest, of: signer, since: thisUpdate)
                if signer == issuer || signer.spkiDER == issuer.spkiDER {
                    return (nil, try checkIssuer(issuer, of: response, speakingAt: thisUpdate))
                }
                return (
                    signer,
                    try checkResponder(signer, issuer: issuer, of: response, speakingAt: thisUpdate)
                )
            } catch {
                objection = error
            }
        }
        throw others.count > Self.signerLimit ? Objection.tooMuch : objection
    }

    /// Checks that the issuer's key was valid both at thisUpdate and at producedAt: by the issuer's
    /// certificate, or by a renewed one with the same trust anchor. The holder of a key can issue
    /// further certificates for it.
    ///
    /// - Returns: the path of the renewed certificate.
    private func checkIssuer(
        _ issuer: Certificate, of response: OCSPResponse, speakingAt thisUpdate: CalendarTime
    ) throws(Objection) -> [Certificate] {
        let (first, last) = (
            min(thisUpdate, response.producedAt), max(thisUpdate, response.producedAt)
        )
        func check(_ holder: Certificate) throws(Objection) {
            try checkValidity(of: holder, speakingAt: first)
            try checkValidity(of: holder, speakingAt: last)
        }
        do throws(Objection) {
            try check(issuer)
            return []
        } catch {
            let others =
                response.certificates + self.check.candidates.named(issuer.canonicalSubject)
            let renewed = others.lazy.filter { $0 != issuer && $0.spkiDER == issuer.spkiDER }
            for holder in renewed.prefix(Self.renewalLimit) {
                do throws(Objection) {
                    try check(holder)
                    let budget = self.check.budget(for: ObjectIdentifier(response))
                    return try checkPath(of: holder, speakingAt: last, budget)
                } catch {}
            }
            throw error
        }
    }

    /// Maximum number of renewed CA certificates tried.
    private static let renewalLimit = 4

    private func checkResponder(
        _ responder: Certificate, issuer: Certificate, of response: OCSPResponse,
        speakingAt thisUpdate: CalendarTime
    ) throws(Objection) -> [Certificate] {
        guard issuer.isNamedAsIssuer(of: responder), responder.isSigned(by: issuer) else {
            throw Objection(
                "its OCSP responder certificate was not issued by the CA of the certificate")
        }
        guard responder.extendedKeyUsage?.contains(.ocspSigning) == true,
            responder.keyUsage.map({ $0.contains(.digitalSignature) }) ?? true
        else {
            throw Objection(
                "its OCSP responder certificate lacks the extended key usage OCSPSigning")
        }
        guard responder.isValid(at: thisUpdate), responder.isValid(at: response.producedAt) else {
            throw Objection("its OCSP responder certificate was not valid when it was issued")
        }
        let above = try checkIssuer(issuer, of: response, speakingAt: thisUpdate)
        // A path of two certificates, to check critical extensions and constraints.
        let request = ChainRequest(
            leaf: responder, intermediates: [], anchors: .certificates([issuer]), time: thisUpdate)
        guard case .valid? = try? request.validate() else {
            throw Objection("its OCSP responder certificate is not valid")
        }
        guard !isSecondary else { return [responder] + above }
        // The responder's status about itself is ignored: only the issuer's is valid.
        if isRevoked(responder, by: issuer, in: chain, at: thisUpdate) {
            throw Objection("its OCSP responder certificate was revoked")
        }
        return [responder] + above
    }

    // MARK: Both

    /// Maximum number of certificates tried for one CRL or response, except those of the path.
    static let signerLimit = 16

    private func isOfPath(_ signer: Certificate) -> Bool {
        signer == issuer || chain.contains(signer)
    }

    private var latest: CalendarTime { check.now.adding(CalendarTime.clockTolerance) }

    /// Whether the absence of a revocation proves something.
    private func checkSilence(
        of said: RevocationStatement, _ keepsExpiredSince: CalendarTime?
    ) throws(Objection) {
        guard said.thisUpdate <= latest else {
            throw Objection("it was issued after the validation time")
        }
        if let next = said.nextUpdate, next < said.thisUpdate {
            throw Objection("nextUpdate is earlier than thisUpdate")
        }
        guard said.thisUpdate >= certificate.notBefore else {
            throw Objection("it was issued before the certificate")
        }
        // RFC 5280 §3.3: an expired certificate may be omitted even if it was revoked.
        guard
            said.thisUpdate <= certificate.notAfter
                || keepsExpiredSince.map({ $0 <= certificate.notAfter }) ?? false
        else {
            throw Objection(
                "it was issued after the certificate expired (\(certificate.notAfter.text)), and "
                    + "CAs may remove expired certificates from revocation data")
        }
        guard RevocationFinding.covers(said, at: time) else {
            let end = said.nextUpdate.map { " on \($0.text)" } ?? ""
            throw Objection("it expired\(end)", isOutdated: true)
        }
    }

    /// Revocation data must be as strong as signatures (ETSI TS 119 312), at its time of use or of
    /// creation, whichever is later.
    private func checkStrength(
        _ digest: SignatureDigest, of signer: Certificate, since made: CalendarTime
    ) throws(Objection) {
        let algorithm: DigestAlgorithm?
        switch digest {
        case .named(let name): algorithm = name
        case .ownHash: algorithm = nil
        case .unknown(let name): throw Objection("it is signed with the unknown algorithm \(name)")
        }
        guard let key = try? signer.publicKey else {
            throw Objection("it is signed with an unsupported key")
        }
        let weak = AlgorithmPolicy.weaknesses(digest: algorithm, key: key, at: max(time, made))
        if let first = weak.first { throw Objection("its signature is weak: \(first)") }
    }

    private func rejected(
        _ list: RevocationList, because objection: Objection
    ) -> RevocationFinding.RejectedEvidence {
        let kind = list.isDelta ? "delta CRL" : "CRL"
        return RevocationFinding.RejectedEvidence(
            description:
                "the \(kind) of \(list.issuer.shortText.inQuotes) (\(list.thisUpdate.moment.day)) was "
                + "ignored: \(objection.reason)",
            isOutdated: objection.isOutdated && !check.given.contains(ObjectIdentifier(list)),
            isUnchecked: objection.isOfLimit)
    }

    private func rejected(
        _ response: OCSPResponse, _ said: RevocationStatement, _ objection: Objection
    ) -> RevocationFinding.RejectedEvidence {
        RevocationFinding.RejectedEvidence(
            description: "the OCSP response (\(said.thisUpdate.text)) was ignored: "
                + objection.reason,
            isOutdated: objection.isOutdated, isUnchecked: objection.isOfLimit)
    }
}
