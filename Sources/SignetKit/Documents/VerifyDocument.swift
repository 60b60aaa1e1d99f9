internal import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import RevisionDiff
import SystemBridge
import TimestampKit
import TrustKit

/// Verifies PDF files with one set of trust anchors.
public struct VerifyDocument: Sendable {
    var trust: TrustSettings
    let time: CalendarTime?
    private let password: DocumentPassword?
    var fetcher: RevocationFetcher?
    /// Verifies only this field's signature; nil for all.
    public var field: String?
    /// Certificate policies required of signers' paths.
    public var policies = CertificatePolicies()
    /// Required level: signatures below it are indeterminate. Nil requires none.
    public var requiredLevel: SignatureLevel?
    /// Whether content changes after signing make a signature indeterminate, even if they are
    /// permitted.
    public var requiresUnchanged = false
    /// Whether the result contains the document's certificates.
    public var keepsCertificates = false
    /// Whether the result explains signature levels.
    public var explainsLevels = false
    /// Whether the result contains the pages with visible changes, for viewers.
    public var findsChangedPages = false
    /// Whether the result contains the file's hash, for a report.
    public var keepsHash = false

    /// - Parameter password: for encrypted documents.
    /// - Throws: ``SignetError`` if a file in the options cannot be read.
    public init(
        _ options: VerificationOptions = VerificationOptions(), password: DocumentPassword? = nil
    ) throws {
        trust = try TrustSettings(options)
        time = options.time?.time
        fetcher = options.fetcher
        self.password = password
    }

    /// Verifies the signatures of a PDF. An invalid signature is a result.
    ///
    /// - Throws: ``SignetError`` for unreadable or truncated input, and if ``field`` is not signed.
    public func run(_ source: InputSource) throws -> VerifiedDocument {
        let input = source.name
        fetcher?.beginFile()
        trust.beginFile()
        return try reading(input) {
            let file = try source.open()
            if file.byteCount == 0 {
                throw SignetError(.malformedInput, file: input, "the file is empty")
            }
            let reading = DocumentReading(of: file, hashing: keepsHash ? .sha256 : nil)
            let (document, damage) = try open(file, path: input)
            let now = time ?? SystemClock.now()
            let validator = try trust.validator(at: time, policies)
            var verifier = DocumentVerifier(validator: validator, pinned: trust.pinned, time: now)
            verifier.requiredLevel = requiredLevel
            verifier.policyDocument = trust.policyDocument
            verifier.requiresUnchanged = requiresUnchanged
            verifier.keepsCertificates = keepsCertificates
            verifier.explainsLevels = explainsLevels
            let report = try verifier.verify(document, fieldName: field, reading: reading)
            if let damage, report.signatures.isEmpty { throw damage }
            if report.signatures.isEmpty { try document.refuseUnfinishedSignature(input) }
            if let field, report.signatures.isEmpty {
                throw SignetError(
                    .usage, file: input, "the field '\(field)' contains no signature",
                    hint: Sentence(.seeFields, input))
            }
            let hash = try keepsHash ? Self.hash(of: file, reading) : nil
            let signatures = try report.signatures.map { signature in
                var verified = try VerifiedSignature(
                    signature, file: input,
                    trust.trustLists?.finding(about: .init(signature, at: now)))
                if findsChangedPages {
                    verified.record.changedPages = try signature.findings?.revision.changedPlaces
                        .pages(in: document)
                }
                return verified
            }
            let result = VerifiedDocument(
                file: input,
                verdict: report.verdict.map(VerifiedDocument.Verdict.init) ?? .unsigned,
                signatures: signatures, problems: report.problems,
                integrityCode: report.integrityCode.map(VerifiedDocument.IntegrityCode.init),
                dynamicContent: ShownDynamicContent(
                    DynamicContent(
                        of: document, form: try? AcroForm(of: document), effort: .quick)),
                warnings: report.warnings + trust.warnings,
                defects: Self.defects(report.warnings, of: document),
                certificates: report.certificates,
                content: hash.map { (Hex.encode($0), file.byteCount) })
            return try trust.described(result, isReported: keepsHash)
        }
    }

    /// The SHA-256 hash of the file, which the verification has calculated if it read all of it.
    private static func hash(of file: InputFile, _ reading: DocumentReading) throws -> [UInt8] {
        try reading.hasher.whole()?.finish() ?? HashOptions.digest(.sha256, of: file)
    }

    /// The warnings that ask for no action. A key that does not fit is a mistake of the reader.
    private static func defects(_ warnings: [String], of document: PDFDocument) -> [String] {
        let unneeded = document.firstWarning(.uselessPassword)?.description
        return warnings.filter { $0 != unneeded }
    }

    /// A document with a damaged cross-reference table is read anyway, to report its signatures;
    /// none of them can pass.
    private func open(
        _ file: InputFile, path: String
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

extension VerifiedDocument.IntegrityCode {
    fileprivate init(_ code: IntegrityCodeReport) {
        self.init(
            present: code.isPresent, required: code.isRequired, valid: code.isValid,
            location: code.location?.rawValue, digest: code.digest?.rawValue,
            problems: code.problems)
    }
}

extension QualificationQuestion {
    fileprivate init(_ report: SignatureReport, at now: CalendarTime) {
        let stamp = report.times?.timestamp
        self.init(
            kind: report.kind, verdict: report.verdict, signer: report.signer,
            authority: stamp?.authority, stampedTime: stamp?.info.genTime.time,
            provenTime: report.times?.provenTime, now: now)
    }
}

extension VerifiedSignature {
    /// - Parameters:
    ///   - file: file name in the command that explains a level.
    ///   - qualified: result from trusted lists; nil if none were used.
    fileprivate init(
        _ report: SignatureReport, file: String, _ qualified: QualificationFinding?
    ) throws {
        self.init(
            field: report.field, kind: report.kind, verdict: report.verdict,
            subindication: report.subIndication, level: report.level, problems: report.problems,
            qualification: qualified?.signature)
        guard let found = report.findings else { return }
        take(found.candidate)
        take(found.revision)
        try take(found.value, qualified: qualified)
        noteFormat()
        levelExplained = report.explanation.map {
            ExplainedLevel(
                $0, level: report.level, StampState(of: report.times), paths: report.paths,
                file: file)
        }
    }

    private mutating func take(_ candidate: SignatureCandidate) {
        subfilter = candidate.subFilter
        claimedTime = candidate.claimedTime?.moment
        (name, reason, location) = (candidate.name, candidate.reason, candidate.location)
        record.coveredByteCount = candidate.coveredByteCount
    }

    private mutating func take(_ revision: RevisionFinding) {
        coverage = revision.coverage
        record.revision = revision.signedRevision
        changes = revision.changes
        changesDetail = revision.changesDetail
        contentChanges = revision.contentChanges
        certification = revision.certification
        lock = revision.lock.map(Lock.init)
    }

    private mutating func take(_ value: ValueFinding, qualified: QualificationFinding?) throws {
        let (checked, times) = (value.checked, value.times)
        intact = checked?.isIntact ?? false
        digest = checked?.digest.rawValue
        algorithm = checked?.algorithm
        claimedTime = claimedTime ?? checked?.claimedTime?.moment
        timestamp = times?.timestamp.map {
            Timestamp(
                $0.info, authority: $0.authority, isTrusted: $0.isTrusted, qualified?.timestamp)
        }
        provenTime = times?.provenTime?.moment
        statements = VerifiedStatements(
            checked?.check?.statements, value.contentTimestamps, policyMatches: value.policyMatches)
        record.provenBy = times?.provenBy?.displayName
        record.provenAnchor = value.paths.first { $0.leaf == times?.provenBy }?.chain.last?.der
        let path = value.path
        try adopt(checked?.signer, isTrusted: path?.isTrusted ?? false, path?.end, path?.revocation)
        record.noteStatements(of: checked?.signer)
        guard let signed = value.signedValue else { return }
        record.value = signed.signature
        let (first, second) = (signed.byteRange.first, signed.byteRange.second)
        record.byteRange = [first.lowerBound, first.count, second.lowerBound, second.count]
        record.contentDigest = signed.digest
        record.signedAttributes = signed.attributes
        record.token = signed.token
        record.proof = times?.provenToken
        record.adopt(
            value.paths.first { ($0.role == .tsa) == (kind == .timestamp) }?.chain,
            of: checked?.signer, path?.revocation)
    }

    /// Sets the signing certificate, its trust and its trust anchor.
    mutating func adopt(
        _ certificate: Certificate?, isTrusted: Bool, _ end: PathEnd?, _ word: StatusRecord?
    ) throws {
        signer = try certificate.map { try Signer($0) }
        trusted = isTrusted
        anchor = end
        revocation = certificate.flatMap { certificate in
            word.map { Revocation($0, of: certificate) }
        }
    }
}

extension SignatureRecord {
    /// Records whether the certificate needs a revocation status, and whether it claims to be
    /// qualified.
    mutating func noteStatements(of certificate: Certificate?) {
        guard let certificate else { return }
        claimsQualified = certificate.qualifiedStatements.isCompliant
        namesRevocationPlace = certificate.namesPlace
        needsNoRevocation = RevocationCheck.needsNone(certificate)
    }

    /// - Parameter path: from the signing certificate to its trust anchor; empty if there is none.
    mutating func adopt(
        _ path: [Certificate]?, of signer: Certificate?, _ revocation: StatusRecord?
    ) {
        isAnchored = path.map { !$0.isEmpty } ?? false
        chain = (isAnchored ? path ?? [] : [signer].compactMap(\.self)).map(\.der)
        guard let known = revocation?.evidence else { return }
        evidence = known.lists.map { .list($0.der) } + known.responses.map { .response($0.der) }
    }
}

extension VerifiedSignature.Timestamp {
    /// - Parameter qualification: nil if no trusted lists were used.
    init(
        _ info: TSTInfo, authority: Certificate?, isTrusted: Bool,
        _ qualification: VerifiedTimestampQualification?
    ) {
        self.init(
            time: info.genTime,
            tsa: authority?.displayName ?? info.tsaText, trusted: isTrusted,
            accuracy: info.accuracy?.description, policy: info.policy.description,
            serial: info.serialHex, qualification: qualification)
    }
}
