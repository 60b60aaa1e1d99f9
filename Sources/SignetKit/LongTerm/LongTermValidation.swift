import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import Synchronization
import SystemBridge
import TimestampKit
import TrustKit

/// How documents are made to last: whom validators will trust, what is known, and who is asked.
public struct LongTermOptions: Sendable {
    /// Files or folders of trust anchors; none means the system's.
    public var trust: [String] = []
    /// Whose services are believed too; nil for none.
    public var trustLists: TrustLists?
    /// Files with certificates on the way to an anchor.
    public var chain: [String] = []
    /// Files with revocation lists.
    public var revocationLists: [String] = []
    /// Files with OCSP responses.
    public var responses: [String] = []
    /// Asks nobody but time-stamping authorities; what earlier runs kept counts.
    public var isOffline = false
    /// Refuses what was said before a signature was made.
    public var requiresFresh = false
    /// How long to wait for the next revocation list.
    public var patience = Duration.zero
    /// Where answers of authorities are kept for later runs.
    public var cache = Cache.own
    /// A folder that gets a file for each piece that is gathered; nil for none.
    public var evidenceFolder: String?

    /// Where fetched evidence is kept for the next file.
    public enum Cache: Sendable {
        /// The user's own folder.
        case own
        case folder(String)
        case none
    }

    public init() {}

    fileprivate func openCache() throws -> EvidenceCache? {
        switch cache {
        case .own: EvidenceCache()
        case .folder(let path): try EvidenceCache(folder: path)
        case .none: nil
        }
    }
}

/// Until when the authorities' time stamps of a run last, as far as they gained nothing: whoever lasts
/// as long need not ask again.
final class VainRenewals: Sendable {
    private let known = Mutex<CalendarTime?>(nil)

    var end: CalendarTime? { known.withLock { $0 } }

    func note(_ data: ValidationData) {
        let end = data.renewBefore?.time
        known.withLock { $0 = end }
    }

    /// Whether what lasts so long would gain nothing.
    func covers(_ before: CalendarTime?) -> Bool {
        guard let end, let before else { return false }
        return end <= before
    }
}

/// The time of the newest time stamp in a run.
final class NewestStamp: Sendable {
    private let known = Mutex<CalendarTime?>(nil)

    var time: CalendarTime? { known.withLock { $0 } }

    func note(_ stamp: ObtainedTimestamp?) {
        guard let time = stamp?.token.info.genTime.time else { return }
        known.withLock { $0 = max($0 ?? time, time) }
    }
}

/// Gathers and appends what signatures need to be validated for years: levels B-LT and B-LTA
/// (ETSI EN 319 142-1 §6.3). One for a whole run: what was answered once serves all files.
public struct LongTermValidation: Sendable {
    let trust: TrustSettings
    private(set) var fetcher: RevocationFetcher
    /// The user's own certificate.
    private var own: Certificate?
    let timestamps: TimestampAuthorities?
    let password: DocumentPassword?
    private let options: LongTermOptions
    /// Whether the signatures are being made, and can be made at a lower level instead.
    var isSigning = true

    /// Whether a list or response that was given may have nothing to do with a file: then
    /// ``unusedFiles`` are told when all is done.
    public var toleratesUnusedFiles = false
    /// Whether damaged documents are accepted that viewers may display differently.
    public var allowsDamaged = false

    /// What this run knows of renewals that gain nothing.
    let vain = VainRenewals()
    /// The newest time stamp over a signature in this run: answers from after it serve all signatures.
    let newestStamp = NewestStamp()

    /// - Parameters:
    ///   - timestamps: gives the document timestamps of level B-LTA.
    ///   - password: for encrypted documents.
    public init(
        _ options: LongTermOptions, timestamps: TimestampAuthorities?,
        password: DocumentPassword? = nil
    ) throws {
        self.options = options
        self.timestamps = timestamps
        self.password = password
        let cache = try options.openCache()
        fetcher = RevocationFetcher(
            cache: cache, isOffline: options.isOffline, localAddresses: .ofTrustedPaths)
        if let cache { timestamps?.remember(in: cache) }
        var verification = VerificationOptions(trust: options.trust)
        verification.chain = options.chain
        verification.revocationLists = options.revocationLists
        verification.responses = options.responses
        verification.fetcher = fetcher
        verification.trustLists = options.trustLists
        trust = try TrustSettings(verification)
        if asksOthers { timestamps?.seek(IssuerSource(fetcher: fetcher) { _ in true }) }
    }

    /// Whether others than time-stamping authorities are asked.
    var asksOthers: Bool { !options.isOffline }

    /// The same for one file, which may be handled while others are: what was answered is shared.
    ///
    /// - Parameter signer: the certificate that the user signs with; nil for others' signatures.
    func forFile(of signer: Certificate? = nil) -> LongTermValidation {
        var copy = self
        copy.fetcher = fetcher.forFile()
        copy.own = signer
        return copy
    }

    /// How many files of a batch are signed before validation data is gathered for them: each keeps
    /// two files open meanwhile, and systems permit 256.
    public static let groupSize = 112

    // MARK: What there is

    /// - Parameter source: who is asked; nil is nobody.
    func verify(_ file: InputFile, source: (any RevocationSource)? = nil) throws -> DocumentReport {
        let reading = DocumentReading(of: file)
        let document = try PDFDocument.open(file, path: file.path, password: password)
        let now = SystemClock.now()
        var validator = trust.validator(at: now)
        validator.source = source
        let report = try DocumentVerifier(validator: validator, time: now)
            .verify(document, reading: reading)
        guard !report.signatures.isEmpty else {
            throw SignetError(
                .nothingToVerify, file: file.path, "has no signature", hint: Sentence(.signFirst))
        }
        return report
    }

    /// What signatures bring along already.
    struct Held {
        let material: ValidationMaterial
        /// DER of all certificates that need not be added.
        let carried: Set<[UInt8]>

        init(_ material: ValidationMaterial, _ paths: [JudgedPath]) {
            self.material = material
            var carried = Set(material.certificates.map(\.der))
            for path in paths { carried.formUnion(path.carried) }
            self.carried = carried
        }
    }

    /// What has to be known for the signatures of a document to reach a level.
    struct Plan {
        let report: DocumentReport
        let needs: [EvidenceCollector.Need]
        /// What has to be known besides once something proves when the signatures were made: as if
        /// that were now.
        let expected: [EvidenceCollector.Need]
        /// Signers of whom all that is known is from before they signed, though something younger
        /// is to be had by now.
        let outdated: [Certificate]

        /// Whether something has to prove first when the signatures were made.
        var needsStampFirst: Bool { !expected.isEmpty }
        var signatures: [SignatureReport] { report.signatures.filter { $0.kind == .signature } }
        var level: SignatureLevel? { signatures.map { $0.level ?? .cms }.min() }

        /// When a signature existed at the latest, as a time stamp says, proven or not yet.
        func stampedTime(of signature: SignatureReport) -> CalendarTime? {
            signature.times?.provenTime ?? signature.paths.first { $0.role == .tsa }?.time
        }

        /// What the document brings.
        var held: Held {
            let material = ValidationMaterial(
                certificates: report.storeCertificates, evidence: report.evidence)
            return Held(material, report.signatures.flatMap(\.paths))
        }
    }

    /// Looks at a document.
    ///
    /// - Parameter stamp: the field of the time stamp that is to be covered; nil for the newest that
    ///   proves something.
    /// - Throws: ``SignetError`` where a signature failed, or leads to no anchor.
    func plan(
        _ file: InputFile, for level: SignatureLevel, renewing: Bool, covering stamp: String? = nil
    ) throws -> Plan {
        var report = try verify(file)
        try requireGood(report, file.path)
        // Whose issuers are missing can say where they are.
        if report.signatures.flatMap(\.paths).contains(where: { $0.chain.isEmpty }) {
            report = try verify(file, source: issuers)
            try requireGood(report, file.path)
        }
        var needs: [EvidenceCollector.Need] = []
        var expected: [EvidenceCollector.Need] = []
        var outdated: [Certificate] = []
        var laterStamp: JudgedPath?
        let isUnsigned = !report.signatures.contains { $0.kind == .signature }
        let newest = stamp ?? Self.newestStamp(report)?.field
        for signature in report.signatures.reversed() {
            if signature.kind == .timestamp {
                // Others' time stamps that prove nothing are let be.
                guard signature.isSettled || signature.field == newest,
                    let path = signature.paths.first
                else { continue }
                laterStamp = path
                // The one before a new one is proven by what is said now.
                if level == .lta || isUnsigned, signature.field == newest {
                    needs.append(try need(path, at: path.time, file.path))
                }
                continue
            }
            let signer = signature.paths.first { $0.role == .signer }
            if let known = signature.level, known >= level, signature.isSettled {
                if let signer, let time = signature.times?.provenTime,
                    let need = try outdatedNeed(signer, at: time, report, file.path)
                {
                    outdated.append(signer.leaf)
                    needs.append(need)
                }
                continue
            }
            guard let signer else {
                throw SignetError(
                    .untrusted, file: file.path,
                    "the certificate of the signature '\(signature.field)' is not known")
            }
            let own = signature.paths.first { $0.role == .tsa }
            let stamp = [own, laterStamp].compactMap(\.self).min { $0.time < $1.time }
            guard let stamp else {
                expected.append(try need(signer, at: SystemClock.now(), file.path))
                continue
            }
            needs.append(try need(signer, at: stamp.time, file.path))
            needs.append(try need(stamp, at: stamp.time, file.path))
        }
        return Plan(report: report, needs: needs, expected: expected, outdated: outdated)
    }

    /// A signer of whom nothing is known that was said after they signed: who was revoked a minute
    /// before is good by the last word (ETSI EN 319 102-1 §5.2.5.4).
    ///
    /// - Parameter time: when the signature existed at the latest.
    /// - Returns: nil where there is something younger, or there cannot be yet.
    private func outdatedNeed(
        _ signer: JudgedPath, at time: CalendarTime, _ report: DocumentReport, _ file: String
    ) throws -> EvidenceCollector.Need? {
        let now = SystemClock.now()
        // Authorities forget whose certificates have ended.
        guard signer.chain.count > 1, signer.leaf.notAfter > now else { return nil }
        let validator = try trust.validator(at: now, CertificatePolicies())
        func words(_ evidence: RevocationEvidence) throws -> [RevocationWord] {
            try validator.audit(
                [signer],
                ValidationMaterial(certificates: report.storeCertificates, evidence: evidence),
                at: time
            ).entries.first { $0.certificate == signer.leaf }?.words ?? []
        }
        let known = try words(report.evidence)
        guard !known.isEmpty, known.allSatisfy({ $0.statement.thisUpdate <= time }) else {
            return nil
        }
        // Responders answer at any time.
        let isDue =
            options.requiresFresh
            || known.contains {
                if case .response = $0.source { return true }
                return $0.statement.nextUpdate.map { $0 <= now } ?? true
            }
        let isGiven = try words(validator.evidence).contains { $0.statement.thisUpdate > time }
        guard isDue || isGiven else { return nil }
        return EvidenceCollector.Need(chain: signer.chain, role: .signer, time: time)
    }

    private func requireGood(_ report: DocumentReport, _ path: String) throws {
        for signature in report.signatures where signature.verdict == .failed {
            let problem = signature.allProblems.first { $0.verdict == .failed }
            if isSigning, let problem, problem.code == .revoked {
                throw SignetError(.signerRevoked, file: path, problem.message)
            }
            throw SignetError(
                .invalidSignature, file: path,
                "the signature '\(signature.field)' failed: "
                    + (problem?.message ?? "it does not verify"),
                hint: Sentence(.seeFailedDocument, path))
        }
    }

    /// Who is asked for missing certificates alone.
    var issuers: any RevocationSource {
        IssuerSource(fetcher: fetcher) { [isSigning, own, timestamps] in
            !isSigning || $0 == own || timestamps?.hasSent($0) == true
        }
    }

    /// What has to be known of a path.
    ///
    /// - Throws: ``SignetError`` where it leads to no anchor, or its authority's certificate has
    ///   ended.
    func need(
        _ path: JudgedPath, at time: CalendarTime, _ file: String
    ) throws -> EvidenceCollector.Need {
        let now = SystemClock.now()
        var validator = trust.validator(at: now)
        validator.evidence = RevocationEvidence()
        validator.policy = SignerPolicy(purpose: path.role == .tsa ? .timestamps : .documents)
        validator.source = issuers
        let verdict = try validator.validate(
            PathValidator.Question(leaf: path.leaf, candidates: path.candidates, at: time))
        let name = path.leaf.subject.shortText
        guard !verdict.chain.isEmpty else {
            throw Self.noAnchor(above: path.leaf, path.role, verdict, file)
        }
        if path.role == .tsa, let expired = TimestampEnd.expired(in: verdict.chain, at: now) {
            let whose =
                expired == path.leaf
                ? "the time-stamping authority's certificate ('\(name)')"
                : "the certificate of '\(expired.subject.shortText)', above the time-stamping "
                    + "authority '\(name)',"
            throw SignetError(
                .untrusted, file: file,
                "\(whose) expired on \(expired.notAfter.rfc3339), before a newer time stamp: this "
                    + "cannot be mended")
        }
        return EvidenceCollector.Need(chain: verdict.chain, role: path.role, time: time)
    }

    // MARK: What is needed

    /// What was gathered: to be appended.
    struct Material {
        var items: [CollectedEvidence] = []
        var certificates: [Certificate] = []
        var evidence = RevocationEvidence()
        var warnings: [String] = []
    }

    /// Asks for everything.
    ///
    /// - Parameter acceptsOlder: see ``EvidenceCollector/acceptsOlder``.
    func gather(
        _ needs: [EvidenceCollector.Need], _ held: Held, _ path: String, acceptsOlder: Bool = false
    ) throws -> Material {
        var validator = trust.validator(at: SystemClock.now())
        validator.source = fetcher
        let chains = needs.flatMap(\.chain)
        var collector = EvidenceCollector(
            validator, documentEvidence: held.material.evidence,
            candidates: held.material.certificates + validator.intermediates + chains,
            clock: EvidenceCollector.Clock(
                now: { SystemClock.now() }, wait: { SystemClock.wait(until: $0) }))
        collector.requiresFresh = options.requiresFresh
        collector.patience = options.patience
        collector.acceptsOlder = acceptsOlder
        collector.lastUse = newestStamp.time
        var material = Material()
        do throws(EvidenceFailure) {
            material.items = try collector.collect(needs)
        } catch {
            throw SignetError(error, file: path, isSigning: isSigning)
        }
        var known = held.carried
        for item in material.items {
            for word in item.words {
                material.evidence.formUnion(word.evidence)
                if case .response(let response) = word.source {
                    known.formUnion(response.certificates.map(\.der))
                }
            }
        }
        let speakers = material.items.flatMap(\.words).compactMap(\.speaker)
        for certificate in chains + material.items.flatMap(\.chain) + speakers
        where known.insert(certificate.der).inserted { material.certificates.append(certificate) }
        material.warnings = acceptsOlder ? [] : material.items.flatMap(Self.warnings)
        try requireUse(of: material, chains, path)
        if let folder = options.evidenceFolder { try material.save(in: folder) }
        return material
    }

    private static let largeListByteCount = 1 << 20

    private static func warnings(_ item: CollectedEvidence) -> [String] {
        guard let word = item.words.first else { return [] }
        let name = item.certificate.subject.shortText
        var warnings = item.remarks.prefix(1).map { "\($0); another place answered" }
        if item.role == .signer || item.role == .tsa, !item.isFresh {
            let next = word.statement.nextUpdate.map {
                ": fresh evidence comes on \($0.rfc3339), extend it then"
                    + (item.certificate.namesPlace ? "" : " and give that")
            }
            warnings.append(
                "what is known of '\(name)' is from before the signature "
                    + "(\(word.statement.thisUpdate.rfc3339))" + (next ?? ""))
        }
        if case .list(let list, _) = word.source, list.der.count > largeListByteCount {
            warnings.append("the revocation list for '\(name)' adds \(list.der.count >> 20) MiB")
        }
        return warnings
    }

    /// A file that was given and says nothing of anybody is the wrong one. Where there are more
    /// inputs, or old ones, it may be there for others.
    private func requireUse(of material: Material, _ chains: [Certificate], _ path: String) throws {
        let used = material.items.filter { $0.origin == .file }.flatMap(\.words).map(\.evidence)
            .reduce(RevocationEvidence()) { $0 + $1 }
        trust.noteUse(of: used, chains + material.items.flatMap(\.chain))
        guard !toleratesUnusedFiles, let file = trust.unusedFiles.first else { return }
        throw SignetError(
            .usage, file: file, "says nothing that the signatures of \(path) need",
            hint: Sentence(.leaveOutOrGiveAnother))
    }

    /// Files and folders that were given, and had nothing to do with any signature so far.
    public var unusedFiles: [String] { trust.unusedFiles }
}

/// Finds issuers, and asks nobody whether they were revoked.
private struct IssuerSource: RevocationSource {
    let fetcher: RevocationFetcher
    /// Whether a certificate is of a document that the user extends, the user's own, or of a TSA that the
    /// user named: its chain may name addresses in the local network.
    let isOwn: @Sendable (Certificate) -> Bool

    func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure> {
        .failure(RevocationSourceFailure("not asked yet"))
    }

    func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate] {
        fetcher.issuers(of: certificate, at: address, permitsLocal: isOwn(leaf))
    }

    func name(of place: RevocationPlace) -> String { fetcher.name(of: place) }
}
