package import Base
package import CryptoBridge

/// Revocation data of one certificate, chosen for storage.
package struct CollectedEvidence: Sendable {
    package enum Origin: Sendable, Equatable {
        /// Given by the user.
        case file
        case document
        /// Fetched from the URL, or other source, with this name.
        case fetched(String)
        /// Fetched from the source with this name in an earlier run.
        case kept(String)
    }

    package let certificate: Certificate
    package let role: EvidenceAudit.Role
    /// From the certificate to its trust anchor.
    package let chain: [Certificate]
    /// Empty if no revocation status is needed.
    package let records: [StatusRecord]
    package let origin: Origin?
    /// Whether it was issued after the certificate was used.
    package let isFresh: Bool
    /// Failed requests, with reasons.
    package let remarks: [String]
}

/// The reason why the validation data cannot be collected.
package enum EvidenceFailure: Error {
    /// The certificate was revoked or on hold when it was used.
    case revoked(Certificate, EvidenceAudit.Role, RevocationStatement)
    /// All requests failed, with reasons.
    case unavailable(Certificate, [String])
    /// The certificate contains no OCSP or CRL URL; the text states why given data was rejected.
    case noSource(Certificate, String?)
    /// All revocation data is older than the use of the certificate.
    case notFresh(Certificate, RevocationStatement)
    /// The certificates require too many others.
    case tooMany
    case other(CryptoError)
}

/// Collects revocation data for every certificate of some paths, new enough for long-term
/// validation (ETSI EN 319 142-1 §6.3 r to t, EN 319 102-1 §5.2.5.4).
package struct EvidenceCollector {
    package typealias Need = EvidenceNeed

    private let validator: PathValidator
    private let documentEvidence: RevocationEvidence
    private let candidates: [Certificate]
    private let clock: Clock
    /// Whether revocation data older than the signature is an error instead of a warning.
    package var requiresFresh = false
    /// How long to wait for the next CRL.
    package var patience = Duration.zero
    /// Whether currently valid data suffices even if it is older than the use of the certificates.
    package var acceptsOlder = false
    /// Time of the newest timestamp of this run: newer responses are fresh for all its files.
    package var lastUse: CalendarTime?

    /// The current time, and a function to wait.
    package struct Clock {
        package let now: () -> CalendarTime
        /// Returns at or after the given time.
        package let wait: (_ until: CalendarTime) -> Void

        package init(now: @escaping () -> CalendarTime, wait: @escaping (CalendarTime) -> Void) {
            self.now = now
            self.wait = wait
        }
    }

    /// Maximum number of certificates checked in addition to those of the paths.
    private static let countLimit = 64
    /// A responder whose response is at most this old creates a new one for each request.
    private static let liveSeconds = 5

    /// - Parameters:
    ///   - validator: provides trust anchors, given data and the source.
    ///   - documentEvidence: revocation data in the document.
    ///   - candidates: possible signers of CRLs and OCSP responses.
    package init(
        _ validator: PathValidator, documentEvidence: RevocationEvidence,
        candidates: [Certificate], clock: Clock
    ) {
        self.validator = validator
        self.documentEvidence = documentEvidence
        self.candidates = candidates
        self.clock = clock
    }

    /// Marks signers and TSAs as needing data newer than their use, unless older data is
    /// accepted.
    private func wantingFresh(_ link: EvidenceNeed) -> EvidenceNeed {
        var link = link
        link.wantsFresh = !acceptsOlder && (link.role == .signer || link.role == .tsa)
        return link
    }

    /// Collects the data that the paths need: one request for each certificate, all requests of a
    /// round at once.
    package func collect(_ needs: [EvidenceNeed]) throws(EvidenceFailure) -> [CollectedEvidence] {
        var found: [CollectedEvidence] = []
        var open: [EvidenceNeed] = []
        for need in needs { Self.add(need.links.map(wantingFresh), to: &open) }
        var known: Set<[UInt8]> = []
        let named = Set(needs.flatMap(\.chain).map(\.der))
        while !open.isEmpty {
            for link in open { known.insert(link.certificate.der) }
            guard known.count <= named.count + Self.countLimit else { throw .tooMany }
            let round = try settle(open)
            found += round
            var next: [EvidenceNeed] = []
            for item in round { Self.add(supporters(of: item), to: &next) }
            open = next.filter { !known.contains($0.certificate.der) }
        }
        return found
    }

    /// Adds each certificate once, with the latest time at which it was used.
    private static func add(_ links: [EvidenceNeed], to all: inout [EvidenceNeed]) {
        for link in links {
            if let index = all.firstIndex(where: { $0.certificate == link.certificate }) {
                all[index].time = max(all[index].time, link.time)
            } else {
                all.append(link)
            }
        }
    }

    /// The signers of the collected data whose own revocation status is needed.
    private func supporters(of item: CollectedEvidence) -> [EvidenceNeed] {
        item.records.flatMap { word in
            let time = word.statement.thisUpdate
            return EvidenceNeed(chain: item.chain, role: item.role, time: time).needs(
                of: word, among: candidates, anchors: validator.anchors, validAt: time)
        }
    }

    // MARK: A round

    private func settle(_ links: [EvidenceNeed]) throws(EvidenceFailure) -> [CollectedEvidence] {
        var found: [CollectedEvidence] = []
        var open: [EvidenceNeed] = []
        for link in links {
            if let item = try settleWithoutAsking(link) {
                found.append(item)
            } else {
                open.append(link)
            }
        }
        guard let source = validator.source else {
            for link in open { found.append(try ask(link, from: nil)) }
            return found
        }
        // A response made in the same second as the timestamp seems older than it.
        let uses = open.filter(\.wantsFresh).map(\.time)
        if !uses.isEmpty, let last = (uses + [lastUse].compactMap(\.self)).max(),
            clock.now() == last
        {
            clock.wait(last.adding(seconds: 1))
        }
        source.prepare(open.compactMap { Self.inquiries($0).first })
        for link in open { found.append(try ask(link, from: source)) }
        return found
    }

    private static func inquiries(_ link: EvidenceNeed) -> [RevocationInquiry] {
        RevocationPlace.named(by: link.certificate).map {
            RevocationInquiry(
                place: $0, certificate: link.certificate, issuer: link.issuer,
                newerThan: link.wantsFresh ? link.time : nil)
        }
    }

    /// Given validation data is preferred over data in the document.
    private func settleWithoutAsking(_ link: EvidenceNeed) throws(EvidenceFailure)
        -> CollectedEvidence?
    {
        if RevocationCheck.needsNone(link.certificate) {
            return item(link, [], nil, isFresh: true, [])
        }
        let places: [(RevocationEvidence, CollectedEvidence.Origin)] = [
            (validator.evidence, .file), (documentEvidence, .document),
        ]
        for (evidence, origin) in places {
            let said = try records(about: link, in: evidence)
            guard !said.records.isEmpty, said.isFresh || !link.wantsFresh else { continue }
            return item(link, said.records, origin, isFresh: said.isFresh, [])
        }
        return nil
    }

    private func item(
        _ link: EvidenceNeed, _ records: [StatusRecord], _ origin: CollectedEvidence.Origin?,
        isFresh: Bool, _ remarks: [String]
    ) -> CollectedEvidence {
        CollectedEvidence(
            certificate: link.certificate, role: link.role, chain: link.chain, records: records,
            origin: origin, isFresh: isFresh, remarks: remarks)
    }

    private struct StatusOfCertificate {
        var records: [StatusRecord] = []
        var isFresh = false
        /// The reason why all data was rejected.
        var why: String?
    }

    /// The status records valid at the time of use and still current.
    ///
    /// - Throws: ``EvidenceFailure/revoked(_:_:_:)``.
    private func records(
        about link: EvidenceNeed, in evidence: RevocationEvidence
    ) throws(EvidenceFailure) -> StatusOfCertificate {
        let now = clock.now()
        var check = RevocationCheck(
            evidence, candidates: candidates + link.chain, anchors: validator.anchors, now: now,
            budget: validator.budget)
        check.listed = validator.listed
        check.use = validator.listUse
        let finding: RevocationFinding
        do {
            finding = try check.finding(
                about: link.certificate, issuer: link.issuer, in: link.chain, at: link.time)
        } catch {
            throw .other(error)
        }
        if let revoked = finding.revocation(
            at: link.time, existence: link.role == .tsa ? now : nil, now: now)
        {
            throw .revoked(link.certificate, link.role, revoked)
        }
        var said = StatusOfCertificate()
        said.records = finding.decisiveRecords(at: now)
        said.isFresh =
            !said.records.isEmpty && said.records.allSatisfy { $0.statement.thisUpdate > link.time }
        if said.records.isEmpty {
            said.why =
                finding.rejected.first?.description
                ?? (finding.records.isEmpty ? nil : "the revocation data is outdated")
        }
        return said
    }

    // MARK: Asking

    private func ask(
        _ link: EvidenceNeed, from source: (any RevocationSource)?
    ) throws(EvidenceFailure) -> CollectedEvidence {
        var failures: [(why: String, answer: RevocationEvidence)] = []
        var gathered = RevocationEvidence()
        var best: (said: StatusOfCertificate, origin: CollectedEvidence.Origin)?
        func consider(_ said: StatusOfCertificate, from origin: CollectedEvidence.Origin) {
            if !said.records.isEmpty, best.map({ !$0.said.isFresh && said.isFresh }) ?? true {
                best = (said, origin)
            }
        }
        let given = try records(about: link, in: validator.evidence)
        consider(given, from: .file)
        if best == nil { consider(try records(about: link, in: documentEvidence), from: .document) }
        for inquiry in Self.inquiries(link) {
            guard let source else { break }
            let name = source.name(of: inquiry.place)
            switch try answer(inquiry, for: link, from: source, with: gathered) {
            case .failure(let failure):
                failures.append(("\(name): \(failure.detail)", RevocationEvidence()))
            case .success(let answer):
                gathered.formUnion(answer.evidence)
                consider(answer.said, from: source.isKept(inquiry) ? .kept(name) : .fetched(name))
                if let why = answer.said.why {
                    failures.append(("\(name): \(why)", answer.evidence))
                }
            }
            if let best, best.said.isFresh || !link.wantsFresh { break }
        }
        guard let best else {
            guard RevocationPlace.named(by: link.certificate).isEmpty else {
                throw .unavailable(
                    link.certificate, source == nil ? ["not checked online"] : failures.map(\.why))
            }
            throw .noSource(link.certificate, given.why)
        }
        if link.wantsFresh, !best.said.isFresh {
            if let source, let later = try waitForNext(link, after: best.said, from: source) {
                return later
            }
            if requiresFresh, let oldest = best.said.records.first?.statement {
                throw .notFresh(link.certificate, oldest)
            }
        }
        // Data that is insufficient on its own may be used in combination.
        let used = Set(best.said.records.flatMap(\.evidence.lists).map(\.der))
        let rejected = failures.filter { used.isDisjoint(with: $0.answer.lists.map(\.der)) }
        return item(
            link, best.said.records, best.origin, isFresh: best.said.isFresh, rejected.map(\.why))
    }

    private typealias Answer = (evidence: RevocationEvidence, said: StatusOfCertificate)

    /// The data from one source. If the response is not newer than the time at which the
    /// certificate was used, it is requested again: one second later if the responder creates each
    /// response on request.
    private func answer(
        _ inquiry: RevocationInquiry, for link: EvidenceNeed, from source: any RevocationSource,
        with gathered: RevocationEvidence
    ) throws(EvidenceFailure) -> Result<Answer, RevocationSourceFailure> {
        func once() throws(EvidenceFailure) -> Result<Answer, RevocationSourceFailure> {
            switch source.ask(inquiry.place, about: inquiry.certificate, issuer: inquiry.issuer) {
            case .failure(let failure): return .failure(failure)
            case .success(let evidence):
                // CRLs may be partitioned by reasons, and then all parts are needed.
                var said = try records(about: link, in: gathered + evidence)
                if said.records.isEmpty, said.why == nil {
                    said.why = "the response contains no status of the certificate"
                }
                return .success((evidence, said))
            }
        }
        var first = try once()
        // Cached data may have expired, or newer data may exist. Data requested before a wait may
        // have expired too.
        if case .success(let answer) = first,
            source.isKept(inquiry)
                ? answer.said.records.isEmpty || link.wantsFresh && !answer.said.isFresh
                : answer.said.records.isEmpty && patience > .zero
        {
            source.forget([inquiry], isWrong: answer.said.records.isEmpty)
            first = try once()
        }
        guard case .responder = inquiry.place, link.wantsFresh, case .success(let answer) = first,
            !answer.said.isFresh, let spoken = answer.said.records.first?.statement.thisUpdate,
            spoken <= link.time
        else { return first }
        let now = clock.now()
        // A response cached for an earlier request may be older than this signature.
        let isKept = spoken.adding(seconds: Self.liveSeconds) < now
        if !isKept { clock.wait(now.adding(seconds: 1)) }
        source.forget([inquiry], isWrong: false)
        return try once()
    }

    /// Waits until the next update is due, if that is within ``patience``.
    private func waitForNext(
        _ link: EvidenceNeed, after said: StatusOfCertificate, from source: any RevocationSource
    ) throws(EvidenceFailure) -> CollectedEvidence? {
        guard let next = said.records.compactMap(\.statement.nextUpdate).min(),
            next <= clock.now().adding(patience), patience > .zero
        else { return nil }
        clock.wait(next.adding(seconds: 1))
        let inquiries = Self.inquiries(link)
        source.forget(inquiries, isWrong: false)
        for inquiry in inquiries {
            if case .success(let answer) = try answer(
                inquiry, for: link, from: source, with: RevocationEvidence()), answer.said.isFresh
            {
                return item(
                    link, answer.said.records, .fetched(source.name(of: inquiry.place)),
                    isFresh: true, [])
            }
        }
        return nil
    }
}
