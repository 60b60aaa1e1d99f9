import ByteKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TrustKit

/// Verifies PDF files against one set of trust anchors.
public struct VerifyDocument: Sendable {
    private let validator: PathValidator
    private let pinned: Certificate?
    private let time: CalendarTime?
    private let field: String?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; none means the system's.
    ///   - signer: a file with the one certificate that counts as signer. Without `trust` it is
    ///     trusted, without a path to an anchor.
    ///   - time: validation time in seconds since 1970; nil is now.
    ///   - field: only this field's signature.
    public init(
        trust: [String] = [], signer: String? = nil, time: Int? = nil, field: String? = nil
    ) throws {
        pinned = try signer.map { try Self.single($0) }
        validator = PathValidator(
            anchors: try trust.isEmpty && pinned != nil
                ? .certificates([pinned].compactMap { $0 }) : Self.anchors(trust))
        self.time = time.map { CalendarTime(secondsSinceEpoch: $0) }
        self.field = field
    }

    /// Only unreadable input throws; a bad signature is an answer.
    public func run(_ input: String) throws -> VerifiedDocument {
        try reading(input) {
            let file = try InputFile(path: input)
            guard file.byteCount > 0 else {
                throw SignetError(.malformedInput, file: input, "the file is empty")
            }
            let document = try PDFDocument(source: file)
            let report = try DocumentVerifier(
                validator: validator, pinned: pinned, time: time ?? SystemClock.now()
            ).verify(document, fieldName: field)
            if let field, report.signatures.isEmpty {
                throw SignetError(
                    .usage, file: input, "there is no signature in a field '\(field)'",
                    hint: "see the fields with: signet show \(input)")
            }
            return try VerifiedDocument(report, file: input)
        }
    }

    private static func single(_ path: String) throws -> Certificate {
        let certificates = try SigningCredential.readCertificates(path)
        guard certificates.count == 1 else {
            throw SignetError(
                .usage, file: path, "holds \(certificates.count) certificates",
                hint: "--signer takes a file with one certificate")
        }
        return certificates[0]
    }

    private static func anchors(_ paths: [String]) throws -> TrustAnchors {
        guard !paths.isEmpty else {
            return SystemTrust.anchors(
                certificateFile: ProcessEnvironment.string("SSL_CERT_FILE"),
                certificateDirectory: ProcessEnvironment.string("SSL_CERT_DIR"),
                probe: SystemTrust.Probe(
                    isDirectory: { FileSystem.isDirectory($0) },
                    isFile: { FileSystem.exists($0) && !FileSystem.isDirectory($0) }))
        }
        var certificates: [Certificate] = []
        for path in paths {
            let files =
                FileSystem.isDirectory(path)
                ? try reading(path) { try FileSystem.list(path) }.map { "\(path)/\($0)" } : [path]
            for file in files where !FileSystem.isDirectory(file) {
                if files.count == 1 {
                    certificates += try SigningCredential.readCertificates(file)
                } else {
                    // A folder of anchors may hold other files as well.
                    certificates += (try? SigningCredential.readCertificates(file)) ?? []
                }
            }
        }
        guard !certificates.isEmpty else {
            throw SignetError(
                .malformedInput, file: paths[0], "holds no certificate",
                hint: "give the authority's certificate as PEM or DER")
        }
        return .certificates(certificates)
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

extension VerifiedDocument.Verdict {
    fileprivate init(_ verdict: PAdES.Verdict) {
        self =
            switch verdict {
            case .passed: .passed
            case .indeterminate: .indeterminate
            case .failed: .failed
            }
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
        level = report.level
        subfilter = report.subFilter
        digest = report.digest
        algorithm = report.algorithm
        signer = try report.signer.map { certificate in
            try Signer(
                subject: certificate.subject.description, issuer: certificate.issuer.description,
                serial: certificate.serialHex, sha256: Hex.encode(certificate.sha256),
                notBefore: certificate.notBefore.rfc3339, notAfter: certificate.notAfter.rfc3339,
                displayName: certificate.subject.commonName ?? certificate.subject.description)
        }
        claimedTime = report.claimedTime?.rfc3339
        certification = report.certification
        name = report.name
        reason = report.reason
        location = report.location
        problems = report.problems.map { Problem(code: $0.code, message: $0.message) }
    }
}
