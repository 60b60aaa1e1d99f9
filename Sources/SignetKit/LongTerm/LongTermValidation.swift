import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import Synchronization
import SystemBridge
import TimestampKit
import TrustKit

/// Options for long-term validation: trust anchors, given data and network use.
public struct LongTermOptions: Sendable {
    /// Trust anchors and given validation data. Its time and fetcher are not used.
    public var verification = VerificationOptions()
    /// Whether only TSAs are contacted and cached data is used.
    public var isOffline = false
    /// Whether revocation data older than the signature is rejected.
    public var requiresFresh = false
    /// Maximum time to wait for the next CRL.
    public var patience = Duration.zero
    /// The cache of fetched data for later runs.
    public var cache = Cache.own
    /// Folder to which each collected item is written as a file; nil for none.
    public var evidenceFolder: String?

    /// The cache of fetched data.
    public enum Cache: Sendable {
        /// The cache folder of the user.
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

/// Expiry of a timestamp whose renewal had no benefit. Files with a timestamp of at least this
/// expiry are skipped.
final class RenewalLimit: Sendable {
    private let known = Mutex<CalendarTime?>(nil)

    var end: CalendarTime? { known.withLock { $0 } }

    func note(_ data: ValidationData) {
        let end = data.renewBefore?.time
        known.withLock { $0 = end }
    }

    /// Whether a renewal has no benefit for a timestamp with this expiry.
    func covers(_ before: CalendarTime?) -> Bool {
        guard let end, let before else { return false }
        return end <= before
    }
}

/// The time of the newest timestamp in a run.
final class NewestStamp: Sendable {
    private let known = Mutex<CalendarTime?>(nil)

    var time: CalendarTime? { known.withLock { $0 } }

    func note(_ stamp: ObtainedTimestamp?) {
        guard let time = stamp?.token.info.genTime.time else { return }
        known.withLock { $0 = max($0 ?? time, time) }
    }
}

/// Collects and adds validation data for levels B-LT and B-LTA (ETSI EN 319 142-1 §6.3). One
/// instance for a whole run: responses are shared by all files.
public struct LongTermValidation: Sendable {
    let trust: TrustSettings
    private(set) var fetcher: RevocationFetcher
    /// The user's own signing certificate; nil for signatures of others.
    private var own: Certificate?
    let timestamps: TimestampAuthorities?
    let password: DocumentPassword?
    private let options: LongTermOptions
    /// Whether signatures are being created, so that hints may suggest a lower level.
    var isSigning = true

    /// Whether given CRLs or OCSP responses may be unrelated to a file. ``unusedFiles`` are then
    /// reported at the end.
    public var toleratesUnusedFiles = false
    /// Whether damaged documents are accepted, even if viewers may display them differently.
    public var allowsDamaged = false

    /// Renewals without benefit in this run.
    let vain = RenewalLimit()
    /// Time of the newest timestamp over a signature in this run. Revocation data issued later is
    /// fresh for all signatures.
    let newestStamp = NewestStamp()

    /// - Parameters:
    ///   - timestamps: TSAs for the document timestamps of level B-LTA.
    ///   - password: for encrypted documents.
    /// - Throws: ``SignetError`` if a file or folder in the options cannot be read.
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
        var verification = options.verification
        verification.fetcher = fetcher
        trust = try TrustSettings(verification)
        if asksOthers { timestamps?.seek(IssuerSource(fetcher: fetcher) { _ in true }) }
    }

    /// Whether servers other than TSAs are contacted.
    var asksOthers: Bool { !options.isOffline }

    /// A copy for one file, possibly used in parallel with others. Responses are shared.
    ///
    /// - Parameter signer: the user's signing certificate; nil for signatures of others.
    func forFile(of signer: Certificate? = nil) -> LongTermValidation {
        var copy = self
        copy.fetcher = fetcher.forFile()
        copy.own = signer
        return copy
    }

    /// Number of files signed in a batch before validation data is collected for them: each keeps
    /// two files open, and systems permit 256.
    public static let groupSize = 112

    // MARK: Present data

    /// Verifies the signatures of a document.
    ///
    /// - Parameter source: source of network requests; nil to work offline.
    /// - Throws: ``SignetError``: `nothingToVerify` without a signature.
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
                .nothingToVerify, file: file.path, "the file has no signature",
                hint: Sentence(.signFirst, file.path))
        }
        return report
    }

    /// The validation data present in signatures and document.
    struct Held {
        let material: ValidationMaterial
        /// DER of the certificates that need not be added.
        let carried: Set<[UInt8]>

        init(_ material: ValidationMaterial, _ paths: [JudgedPath]) {
            self.material = material
            var carried = Set(material.certificates.map(\.der))
            for path in paths { carried.formUnion(path.carried) }
            self.carried = carried
        }
    }

    /// The validation data required for the signatures of a document to reach a level.
    struct Plan {
        let report: DocumentReport
        let needs: [EvidenceCollector.Need]
        /// Data required in addition after timestamping, checked as if the signatures were
        /// timestamped now.
        let expected: [EvidenceCollector.Need]
        /// Signers with only data older than the signature, though newer data should exist by now.
        let outdated: [Certificate]

        /// Whether a timestamp must be added first.
        var needsStampFirst: Bool { !expected.isEmpty }
        var signatures: [SignatureReport] { report.signatures.filter { $0.kind == .signature } }
        var level: SignatureLevel? { signatures.map { $0.level ?? .cms }.min() }

        /// The earliest time of existence by a timestamp, trusted or not.
        func stampedTime(of signature: SignatureReport) -> CalendarTime? {
            signature.times?.provenTime ?? signature.paths.first { $0.role == .tsa }?.time
        }

        /// The validation data of the document.
        var held: Held {
            let material = ValidationMaterial(
                certificates: report.storeCertificates, evidence: report.evidence)
            return Held(material, report.signatures.flatMap(\.paths))
        }
    }

    /// Determines the missing data of a document.
    ///
    /// - Parameter stamp: field of the timestamp to cover; nil for the newest trusted one.
    /// - Throws: ``SignetError`` if a signature is invalid, or has no trusted chain.
    func plan(
        _ file: InputFile, for level: SignatureLevel, renewing: Bool, covering stamp: String? = nil
    ) throws -> Plan {
        var report = try verify(file)
        try requireGood(report, path: file.path)
        // Missing issuers may be fetched.
        if report.signatures.flatMap(\.paths).contains(where: { $0.chain.isEmpty }) {
            report = try verify(file, source: issuers)
            try requireGood(report, path: file.path)
        }
        var needs: [EvidenceCollector.Need] = []
        var expected: [EvidenceCollector.Need] = []
        var outdated: [Certificate] = []
        var laterStamp: JudgedPath?
        let isUnsigned = !report.signatures.contains { $0.kind == .signature }
        let newest = stamp ?? Self.newestStamp(report)?.field
        for signature in report.signatures.reversed() {
            if signature.kind == .timestamp {
                // Untrusted timestamps of others are ignored.
                guard signature.isSettled || signature.field == newest,
                    let path = signature.paths.first
                else { continue }
                laterStamp = path
                // Before a new timestamp the data for the previous one is added.
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
                    "the signing certificate of the signature '\(signature.field)' was not found")
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

    /// The data required for a signer whose revocation data is all older than the signature. A
    /// certificate revoked a minute before signing would seem valid (ETSI EN 319 102-1 §5.2.5.4).
    ///
    /// - Parameter time: proof of existence of the signature.
    /// - Returns: nil if there is newer data, or there cannot be any yet.
    private func outdatedNeed(
        _ signer: JudgedPath, at time: CalendarTime, _ report: DocumentReport, _ file: String
    ) throws -> EvidenceCollector.Need? {
        let now = SystemClock.now()
        // CAs may remove expired certificates from CRLs.
        guard signer.chain.count > 1, signer.leaf.notAfter > now else { return nil }
        let validator = try trust.validator(at: now, CertificatePolicies())
        func words(_ evidence: RevocationEvidence) throws -> [StatusRecord] {
            try validator.audit(
                [signer],
                with: ValidationMaterial(
                    certificates: report.storeCertificates, evidence: evidence),
                at: time
            ).entries.first { $0.certificate == signer.leaf }?.records ?? []
        }
        let known = try words(report.evidence)
        guard !known.isEmpty, known.allSatisfy({ $0.statement.thisUpdate <= time }) else {
            return nil
        }
        // OCSP responders create responses at any time.
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

    private func requireGood(_ report: DocumentReport, path: String) throws {
        for signature in report.signatures where signature.verdict == .failed {
            let problem = signature.allProblems.first { $0.verdict == .failed }
            if isSigning, let problem, problem.code == .revoked {
                throw SignetError(.signerRevoked, file: path, problem.message)
            }
            throw SignetError(
                .invalidSignature, file: path,
                "the signature '\(signature.field)' failed: "
                    + (problem?.message ?? "it is invalid"),
                hint: Sentence(.seeFailedDocument, path))
        }
    }

    /// Source that only fetches missing certificates.
    var issuers: any RevocationSource {
        IssuerSource(fetcher: fetcher) { [isSigning, own, timestamps] in
            !isSigning || $0 == own || timestamps?.hasSent($0) == true
        }
    }

    /// The data required for a path.
    ///
    /// - Throws: ``SignetError`` if the path has no trust anchor, or a certificate of a TSA's path
    ///   has expired.
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
        let name = path.leaf.displayName
        guard !verdict.chain.isEmpty else {
            throw Self.noAnchor(above: path.leaf, path.role, verdict, file)
        }
        if path.role == .tsa, let expired = TimestampEnd.expired(in: verdict.chain, at: now) {
            let whose =
                expired == path.leaf
                ? "the TSA certificate ('\(name)')"
                : "the CA certificate '\(expired.displayName)' of the TSA '\(name)'"
            throw SignetError(
                .untrusted, file: file,
                "\(whose) expired on \(expired.notAfter.text), before a newer timestamp: the "
                    + "signature can no longer be extended")
        }
        return EvidenceCollector.Need(chain: verdict.chain, role: path.role, time: time)
    }

    // MARK: Collecting

    /// The collected data to append.
    struct Material {
        var items: [CollectedEvidence] = []
        var certificates: [Certificate] = []
        var evidence = RevocationEvidence()
        var warnings: [String] = []
    }

    /// Collects all data.
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
            throw self.error(error, file: path)
        }
        var known = held.carried
        for item in material.items {
            for word in item.records {
                material.evidence.formUnion(word.evidence)
                if case .response(let response) = word.source {
                    known.formUnion(response.certificates.map(\.der))
                }
            }
        }
        let statusSigners = material.items.flatMap(\.records).compactMap(\.statusSigner)
        for certificate in chains + material.items.flatMap(\.chain) + statusSigners
        where known.insert(certificate.der).inserted { material.certificates.append(certificate) }
        material.warnings = acceptsOlder ? [] : material.items.flatMap(Self.warnings)
        try requireUse(of: material, chains, path)
        if let folder = options.evidenceFolder { try material.save(in: folder) }
        return material
    }

    private static let largeListByteCount = 1 << 20

    private static func warnings(_ item: CollectedEvidence) -> [String] {
        guard let word = item.records.first else { return [] }
        let name = item.certificate.displayName
        var warnings = item.remarks.prefix(1).map { "\($0); another server was used" }
        if item.role == .signer || item.role == .tsa, !item.isFresh {
            let next = word.statement.nextUpdate.map {
                "; extend the signature again after \($0.text), when newer data is available"
            }
            warnings.append(
                "the revocation data for '\(name)', issued \(word.statement.thisUpdate.text), is "
                    + "older than the signature" + (next ?? ""))
        }
        if case .list(let list, _) = word.source, list.der.count > largeListByteCount {
            warnings.append("the revocation list for '\(name)' adds \(list.der.count >> 20) MiB")
        }
        return warnings
    }

    /// Rejects a given CRL or OCSP response that applies to no certificate of this file: it is
    /// probably the wrong one. With ``toleratesUnusedFiles`` it may apply to other inputs.
    private func requireUse(of material: Material, _ chains: [Certificate], _ path: String) throws {
        let used = material.items.filter { $0.origin == .file }.flatMap(\.records).map(\.evidence)
            .reduce(RevocationEvidence()) { $0 + $1 }
        trust.noteUse(of: used, chains + material.items.flatMap(\.chain))
        guard !toleratesUnusedFiles, let file = trust.unusedFiles.first else { return }
        throw SignetError(
            .usage, file: file,
            "the revocation data in the file is not needed for the signatures of \(path)",
            hint: Sentence(.leaveOutOrGiveAnother))
    }

    /// Paths of given CRLs and OCSP responses that applied to no signature so far.
    public var unusedFiles: [String] { trust.unusedFiles }
}

/// Fetches issuer certificates without revocation checks.
private struct IssuerSource: RevocationSource {
    let fetcher: RevocationFetcher
    /// Whether a certificate may cause requests to the local network: it is from a document that
    /// the user extends, the user's own, or from a TSA that the user named.
    let isOwn: @Sendable (Certificate) -> Bool

    func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure> {
        .failure(RevocationSourceFailure("not fetched yet"))
    }

    func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate] {
        fetcher.issuers(of: certificate, at: address, permitsLocal: isOwn(leaf))
    }

    func name(of place: RevocationPlace) -> String { fetcher.name(of: place) }
}
