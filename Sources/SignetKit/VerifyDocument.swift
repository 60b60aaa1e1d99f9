import ByteKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampKit
import TrustKit

/// Verifies PDF files against one set of trust anchors.
public struct VerifyDocument: Sendable {
    /// A PAdES baseline level (ETSI EN 319 142-1 §6).
    public enum Level: String, CaseIterable, Sendable {
        case b = "B"
        case t = "T"
        case lt = "LT"
        case lta = "LTA"
    }

    private let validator: PathValidator
    private let pinned: Certificate?
    private let time: CalendarTime?
    private let field: String?
    private let password: DocumentPassword?
    private let fetcher: RevocationFetcher?
    /// Signatures below this level do not pass.
    public var requiredLevel: Level?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; none means the system's.
    ///   - signer: a file with the one certificate that counts as signer. Without `trust` it is
    ///     trusted, without a path to an anchor.
    ///   - revocationLists: files with revocation lists, besides what the documents bring.
    ///   - time: validation time in seconds since 1970; nil is now.
    ///   - field: only this field's signature.
    ///   - password: for encrypted documents.
    ///   - fetcher: fetches revocation data that is missing; nil is no access to the network.
    public init(
        trust: [String] = [], signer: String? = nil, revocationLists: [String] = [],
        time: Int? = nil, field: String? = nil, password: DocumentPassword? = nil,
        fetcher: RevocationFetcher? = nil
    ) throws {
        let trust = try TrustSettings(
            trust: trust, signer: signer, revocationLists: revocationLists, fetcher: fetcher)
        pinned = trust.pinned
        validator = trust.validator
        self.time = time.map { CalendarTime(secondsSinceEpoch: $0) }
        self.field = field
        self.password = password
        self.fetcher = fetcher
    }

    /// Only unreadable input throws; a bad signature is an answer.
    public func run(_ input: String) throws -> VerifiedDocument {
        fetcher?.beginFile()
        return try reading(input) {
            let file = try InputFile(path: input)
            guard file.byteCount > 0 else {
                throw SignetError(.malformedInput, file: input, "the file is empty")
            }
            let hasher = ByteRangeHasher(of: file)
            let (document, damage) = try open(file, input)
            var verifier = DocumentVerifier(
                validator: validator, pinned: pinned, time: time ?? SystemClock.now())
            verifier.requiredLevel = requiredLevel.flatMap {
                SignatureLevel(rawValue: "B-\($0.rawValue)")
            }
            let report = try verifier.verify(document, fieldName: field, hasher: hasher)
            if let damage, report.signatures.isEmpty { throw damage }
            if let field, report.signatures.isEmpty {
                throw SignetError(
                    .usage, file: input, "there is no signature in a field '\(field)'",
                    hint: "see the fields with: signet show \(input)")
            }
            return try VerifiedDocument(report, file: input)
        }
    }

    /// A document whose cross-references are damaged is read all the same, to tell what is left of
    /// its signatures; none of them can pass.
    private func open(
        _ file: InputFile, _ path: String
    ) throws -> (document: PDFDocument, damage: PDFError?) {
        do {
            return (try PDFDocument.open(file, path: path, password: password), nil)
        } catch let error as PDFError where error.code == .damagedCrossReference {
            let repaired = try? PDFDocument.open(
                file, path: path, password: password, options: PDFOptions(repair: .whenNeeded))
            guard let repaired, repaired.isRebuilt else { throw error }
            return (repaired, error)
        }
    }
}

extension VerifiedDocument {
    fileprivate init(_ report: DocumentReport, file: String) throws {
        self.file = file
        verdict = report.verdict.map(Verdict.init) ?? .unsigned
        signatures = try report.signatures.map(VerifiedSignature.init)
        warnings = report.warnings
    }
}

extension VerifiedSignature {
    fileprivate init(_ report: SignatureReport) throws {
        field = report.field
        kind = report.kind.rawValue
        verdict = VerifiedDocument.Verdict(report.verdict)
        subindication = report.subIndication?.rawValue
        coverage = report.coverage.rawValue
        intact = report.isIntact
        trusted = report.isTrusted
        changes = report.changes.rawValue
        changesDetail = report.changesDetail
        level = report.level?.rawValue
        subfilter = report.subFilter
        digest = report.digest
        algorithm = report.algorithm
        signer = try report.signer.map { try Signer($0) }
        claimedTime = report.claimedTime?.rfc3339
        timestamp = report.timestamp.map(Timestamp.init)
        provenTime = report.provenTime?.rfc3339
        certification = report.certification
        name = report.name
        reason = report.reason
        location = report.location
        coveredByteCount = report.coveredByteCount
        problems = report.problems.map { Problem($0, signer: report.signer) }
    }
}

extension VerifiedSignature.Timestamp {
    fileprivate init(_ summary: SignatureTimestamp) {
        self.init(summary.info, authority: summary.authority, isTrusted: summary.isTrusted)
    }

    init(_ info: TSTInfo, authority: Certificate?, isTrusted: Bool) {
        let subject = authority?.subject
        self.init(
            time: info.genTime.rfc3339,
            tsa: subject?.commonName ?? subject?.description ?? info.tsaText, trusted: isTrusted,
            accuracy: info.accuracy?.description, policy: info.policy, serial: info.serialHex)
    }
}
