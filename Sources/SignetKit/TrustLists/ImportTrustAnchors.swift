public import Base
import CryptoBridge
import PDFCore
import SystemBridge
import TrustKit

/// The formats of imported lists of trust anchors; the raw value is the name for verification.
public enum AnchorListKind: String, CaseIterable, Sendable {
    /// Adobe's security settings with the Adobe Approved Trust List: a PDF with XML, or the XML.
    case aatl
    /// Mozilla's `certdata.txt`.
    case mozilla
}

/// Imports a list of trust anchors from a file, and stores it. Nothing is downloaded.
public struct ImportTrustAnchors: Sendable {
    /// The format of the list.
    public let kind: AnchorListKind
    /// Path of the list.
    public let file: String
    /// Files with trust anchors for the signature of the list.
    public var anchors: [String] = []
    /// Whether an older or unsigned list, one of another signer, or one that distrusts less or has
    /// far fewer trust anchors may replace the stored one, whether a damaged stored one may be
    /// replaced, and whether the signer may have expired.
    public var force = false

    /// - Parameter file: path of the list.
    public init(_ kind: AnchorListKind, file: String) {
        self.kind = kind
        self.file = file
    }

    /// Reads the list, verifies its signature, and replaces the stored list of this kind.
    ///
    /// - Throws: ``SignetError``: `malformedInput` for another format, without trust anchor, and if
    ///   the stored list is damaged, `wrongAnswer` for an invalid signature and for a list that is
    ///   older, distrusts less or is far shorter than the stored one, `credentialRefused` for an unconfirmed or expired signer, and for an unsigned
    ///   list or another signer if the stored list is signed.
    public func run() throws -> ImportedTrustAnchors {
        let given = try reading(file) {
            try FileSystem.readAll(file, limit: TrustListLimits.byteCount)
        }
        let signed =
            kind == .aatl && given.starts(with: Self.pdfStart) ? try signedList(given) : nil
        if signed == nil, !anchors.isEmpty {
            throw SignetError(
                .credentialRefused, file: file,
                "the list is not signed, so no trust anchor can confirm it")
        }
        if kind == .aatl, signed == nil, given.first(where: { $0 > 0x20 }) != UInt8(ascii: "<"),
            !given.starts(with: Self.byteOrderMark)
        {
            throw SignetError(
                .malformedInput, file: file, "the list is neither a PDF nor XML",
                hint: Sentence(.giveSecuritySettings))
        }
        let list = signed?.list ?? given
        let found = try Self.read(kind, list, file: file)
        let hash = Hex.encode(try DigestAlgorithm.sha256.hash(list))
        let entry = TrustListCache.Entry(
            location: file, sequence: 0, issued: signed?.time?.description ?? "", nextUpdate: nil,
            sha256: hash, fetched: SystemClock.now().rfc3339, signer: signed?.signer.subject,
            signerIssuer: signed?.signer.issuer, signerKey: signed?.keyHashes.first,
            signerIssuerKey: signed?.keyHashes.dropFirst().first)
        var overridden = signed?.overridden ?? []
        func overriding(_ check: () throws -> Void) throws {
            do {
                try check()
            } catch let error as SignetError where force { overridden.append(error.message) }
        }
        var changes: AnchorList.Changes?
        try TrustListCache.changing(
            root: Self.root(kind), remedy: Sentence(.replaceList, kind.rawValue),
            replacing: force ? { overridden.append($0.message) } : nil
        ) { cache in
            var state = cache.state
            if let stored = state.lists[kind.rawValue] {
                try overriding { try requireSuccessor(of: stored, signed) }
                try overriding {
                    let found = found.changes(since: try Self.read(stored, kind, in: cache))
                    changes = found
                    try requireEntries(found)
                }
            }
            state.lists[kind.rawValue] = entry
            try cache.replace(with: state, documents: [hash: list])
        }
        return ImportedTrustAnchors(
            name: kind.rawValue, file: file, anchorCount: found.anchors.count, sha256: hash,
            added: changes?.added.map(ImportedTrustAnchors.Entry.init) ?? [],
            removed: changes?.removed.map(ImportedTrustAnchors.Entry.init) ?? [],
            signer: signed?.signer.subject, issued: signed?.time, overridden: overridden)
    }

    /// A signed list is replaced only by newer lists of the same signer: all other certificates
    /// below the trust anchor could sign lists too.
    private func requireSuccessor(
        of stored: TrustListCache.Entry, _ signed: SignedSettings?
    ) throws {
        guard let signer = stored.signer else { return }
        let hint = Sentence(.forceImport)
        guard let signed else {
            throw SignetError(
                .credentialRefused, file: file, "the list is not signed, but the stored one is",
                hint: hint)
        }
        let known = [stored.signerKey, stored.signerIssuerKey].compactMap(\.self)
        guard signed.signer.subject == signer, !signed.keys.isDisjoint(with: known) else {
            throw SignetError(
                .credentialRefused, file: file,
                "the list is signed by \(signed.signer.subject.inQuotes) (issuer: "
                    + "\(signed.signer.issuer)), but the stored one by "
                    + (signed.signer.subject == signer
                        ? "a certificate of that name with another key"
                        : "\(signer.inQuotes) (issuer: \(stored.signerIssuer ?? ""))"),
                hint: hint)
        }
        guard let last = CalendarTime(rfc3339: stored.issued) else { return }
        guard let time = signed.time, time.time >= last else {
            throw SignetError(
                .wrongAnswer, file: file,
                "the list is older than the stored one, which was signed at \(Moment(last).text)",
                hint: hint)
        }
    }

    private static let namedEntryCount = 3

    /// A list that was cut off or manipulated lacks entries.
    private func requireEntries(_ changes: AnchorList.Changes) throws {
        var reasons: [String] = []
        if !changes.weakening.isEmpty {
            let names = changes.weakening.prefix(Self.namedEntryCount).map {
                "\(ImportedTrustAnchors.Entry($0).words) \($0.name.inQuotes)"
            }
            let more = changes.weakening.count - names.count
            reasons.append(
                "the list lacks restrictions of the stored one: " + names.joined(separator: ", ")
                    + (more > 0 ? " and \(more) more" : ""))
        }
        let (count, total) = changes.anchorCount
        if count > 0, 5 * count >= total {
            reasons.append(
                "\(count) of \(total) trust anchors of the stored list are missing or changed")
        }
        guard !reasons.isEmpty else { return }
        throw SignetError(
            .wrongAnswer, file: file, reasons.joined(separator: "; "),
            hint: Sentence(.forceImport))
    }

    /// A stored list, and its name and hash for results.
    static func stored(
        _ kind: AnchorListKind
    ) throws -> (list: AnchorList, used: UsedTrustLists.Imported) {
        guard let (entry, list) = try loaded(kind) else {
            throw SignetError(
                .missingInput, file: try root(kind), "no list \(kind.rawValue) is stored",
                hint: Sentence(.importList, kind.rawValue))
        }
        return (
            list,
            UsedTrustLists.Imported(
                name: kind.rawValue, sha256: entry.sha256,
                issued: CalendarTime(rfc3339: entry.issued)?.moment)
        )
    }

    /// Describes a stored list; nil if there is none.
    static func shown(_ kind: AnchorListKind) -> ShownTrustLists.Imported? {
        var shown = ShownTrustLists.Imported(name: kind.rawValue)
        do {
            guard let (entry, list) = try loaded(kind) else { return nil }
            shown.signer = entry.signer
            shown.issued = CalendarTime(rfc3339: entry.issued)?.moment
            shown.anchorCount = list.anchors.count
        } catch {
            shown.problem = (error as? SignetError)?.message ?? "the list cannot be read"
        }
        return shown
    }

    private static func loaded(
        _ kind: AnchorListKind
    ) throws -> (entry: TrustListCache.Entry, list: AnchorList)? {
        let cache = try cache(kind)
        guard let entry = cache.state.lists[kind.rawValue] else { return nil }
        do {
            return (entry, try read(entry, kind, in: cache))
        } catch {
            // An update removes the list that it replaces.
            let next = try Self.cache(kind)
            guard let newer = next.state.lists[kind.rawValue], newer.sha256 != entry.sha256 else {
                throw error
            }
            return (newer, try read(newer, kind, in: next))
        }
    }

    private static func read(
        _ entry: TrustListCache.Entry, _ kind: AnchorListKind, in cache: TrustListCache
    ) throws -> AnchorList {
        do {
            let list = try cache.read(entry.sha256)
            guard Hex.encode(try DigestAlgorithm.sha256.hash(list)) == entry.sha256 else {
                throw SignetError(
                    .malformedInput, file: cache.root, "the stored list was modified",
                    hint: Sentence(.replaceList, kind.rawValue))
            }
            return try read(kind, list, file: cache.root)
        } catch let error as TrustListError {
            throw SignetError(
                .malformedInput, file: cache.root, error.detail,
                hint: Sentence(.replaceList, kind.rawValue))
        }
    }

    private static func cache(_ kind: AnchorListKind) throws -> TrustListCache {
        try TrustListCache(root: root(kind), remedy: Sentence(.replaceList, kind.rawValue))
    }

    private static func root(_ kind: AnchorListKind) throws -> String {
        try IdentityStore.defaultRoot() + "/trust/\(kind.rawValue)"
    }

    private static func read(
        _ kind: AnchorListKind, _ document: [UInt8], file: String
    ) throws -> AnchorList {
        do {
            return switch kind {
            case .aatl: try AnchorList(securitySettings: document)
            case .mozilla: try AnchorList(certdata: document)
            }
        } catch {
            throw SignetError(error, file: file)
        }
    }

    // MARK: Lists in PDFs

    private static let pdfStart = Array("%PDF-".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private struct SignedSettings {
        let list: [UInt8]
        let signer: VerifiedSignature.Signer
        /// SHA-256 of the public keys of the signer and, if known, of its issuer, hexadecimal.
        let keyHashes: [String]
        let time: Moment?
        /// Problems that are accepted by ``ImportTrustAnchors/force``.
        let overridden: [String]

        var keys: Set<String> { Set(keyHashes) }
    }

    /// The list embedded in a PDF. Its signature must be valid at the claimed signing time, like that
    /// of a European list. Only validation data and document timestamps may follow it.
    private func signedList(_ document: [UInt8]) throws -> SignedSettings {
        guard !anchors.isEmpty else {
            throw SignetError(
                .credentialRefused, file: file,
                "the list is signed, but no trust anchor for its signature is given",
                hint: Sentence(.confirmListSigner, file))
        }
        let source = InputSource.bytes(document, name: file)
        var options = VerificationOptions(trust: anchors)
        let current = try VerifyDocument(options).run(source)
        let claimed = current.signatures.first { $0.kind == .signature }
        if let time = claimed?.claimedTime?.time, time > SystemClock.now() {
            throw SignetError(
                .wrongAnswer, file: file,
                "the signing time of the list is in the future (\(Moment(time).text))")
        }
        options.time = claimed?.claimedTime
        let isCurrent = Self.decisiveProblem(of: current) == nil
        let verified = isCurrent ? current : try VerifyDocument(options).run(source)
        let signatures = verified.signatures.filter { $0.kind == .signature }
        guard let signature = signatures.first, signatures.count == 1, let signer = signature.signer
        else {
            throw SignetError(.wrongAnswer, file: file, "the list must have exactly one signature")
        }
        if let problem = Self.decisiveProblem(of: verified) {
            throw SignetError(
                problem.verdict == .failed ? .wrongAnswer : .credentialRefused, file: file,
                "the signature of the list is not valid: \(problem.message)")
        }
        guard signature.intact, signature.anchor != nil, signature.changes <= .archival,
            signature.coverage != .partial, let range = signature.record.byteRange
        else {
            throw SignetError(.wrongAnswer, file: file, "the signature of the list is not valid")
        }
        var overridden: [String] = []
        if !isCurrent, signer.notAfter.time < SystemClock.now() {
            let problem =
                "the certificate that signed the list expired on \(signer.notAfter.text), and no "
                + "trusted timestamp proves that it was valid at the time of signing"
            guard force else {
                throw SignetError(
                    .credentialRefused, file: file, problem, hint: Sentence(.forceExpired))
            }
            overridden.append(problem)
        }
        // The signed revision.
        let signed = Array(document.prefix(range.suffix(2).reduce(0, +)))
        let path = signature.record.chain.prefix(2).compactMap { try? Certificate(der: $0) }
        return SignedSettings(
            list: try embeddedList(in: signed), signer: signer,
            keyHashes: try path.map { Hex.encode(try DigestAlgorithm.sha256.hash($0.spkiDER)) },
            time: signature.claimedTime, overridden: overridden)
    }

    private func embeddedList(in document: [UInt8]) throws -> [UInt8] {
        let list = try reading(file) {
            try PDFDocument(source: MemorySource(document)).embeddedFile(
                AnchorList.securitySettingsName, byteLimit: TrustListLimits.byteCount)
        }
        guard let list else {
            throw SignetError(
                .malformedInput, file: file,
                "the PDF does not contain \(AnchorList.securitySettingsName)")
        }
        return list
    }

    /// The worst problem of a list's signature. Revocation data is not required, but counts if it is
    /// there; document timestamps do not matter.
    private static func decisiveProblem(of document: VerifiedDocument) -> VerificationProblem? {
        let signatures = document.signatures.filter { $0.kind == .signature }
        let problems = (signatures.flatMap(\.problems) + document.problems).filter {
            $0.verdict != nil && !revocationGaps.contains($0.code)
        }
        return problems.first { $0.verdict == .failed } ?? problems.first
    }

    private static let revocationGaps: Set<ProblemCode> = [
        .revocationUnknown, .revocationUnusable, .revocationUnanswered, .revocationOutdated,
        .revocationDataUnusable, .revocationDataUnproven, .revocationNotFetched,
    ]
}

/// An imported list of trust anchors.
public struct ImportedTrustAnchors: Encodable, Sendable {
    /// A statement of a list about a certificate.
    public struct Entry: Encodable, Sendable {
        /// `trust-anchor`, `policy-restriction`, `distrust-date`, `distrust-record`, or
        /// `distrusted-certificate` for the certificate of a record.
        public let kind: String
        /// The name of the certificate's holder, or its issuer and serial number.
        public let name: String

        init(_ entry: AnchorList.Entry) {
            kind = entry.kind.rawValue
            name = entry.name
        }

        /// The kind as words, in the singular.
        public var words: String { kind.split(separator: "-").joined(separator: " ") }
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.trust-import/1"
    /// Name for `verify --trust-list`.
    public let name: String
    /// Path of the imported file.
    public let file: String
    /// Number of trust anchors in the list, at least 1.
    public let anchorCount: Int
    /// SHA-256 of the list, hexadecimal.
    public let sha256: String
    /// What the stored list did not contain; empty if there was none.
    public let added: [Entry]
    /// What only the stored list contained.
    public let removed: [Entry]
    /// Subject of the certificate that signed the list; nil if the list is not signed.
    @Nullable public private(set) var signer: String?
    /// Claimed signing time; nil if the list is not signed.
    @Nullable public private(set) var issued: Moment?
    /// Reasons to refuse the list that ``ImportTrustAnchors/force`` overrode.
    public let overridden: [String]
}
