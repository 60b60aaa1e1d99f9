import Appearance
import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TrustKit

/// What signing did, or would do.
public struct SignedDocument: Encodable, Sendable {
    public let schema = "signet.sign/1"
    public let file: String
    /// Nil after a mere check.
    public let output: String?
    public let field: String
    public let level: String
    public let digest: String
    public let algorithm: String
    /// The signer's common name.
    public let signer: String
    /// RFC 3339.
    public let claimedTime: String
    /// Oddities of the document or the credential that did not prevent signing.
    public let warnings: [String]

    /// For people: `Signature1, PAdES B-B, rsa-pkcs1, sha256`.
    public var summary: String { "\(field), PAdES \(level), \(algorithm), \(digest)" }
}

/// Signs PDF files: one credential and one set of options for any number of files.
///
/// The original bytes are copied and hashed in one pass; the signature follows in an incremental
/// update (ISO 32000-2 §7.5.6, ETSI EN 319 142-1 §6 level B-B).
public struct SignDocument: Sendable {
    private let credential: SigningCredential
    private let options: SigningOptions
    private let password: DocumentPassword?
    private let now: CalendarTime?

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - now: seconds since 1970 instead of the system's clock.
    public init(
        credential: SigningCredential, options: SigningOptions, password: DocumentPassword? = nil,
        now: Int? = nil
    ) {
        self.credential = credential
        self.options = options
        self.password = password
        self.now = now.map { CalendarTime(secondsSinceEpoch: $0) }
    }

    /// Makes every check that `run` makes and writes nothing.
    public func check(_ input: String) throws -> SignedDocument {
        let job = try prepare(input)
        return job.result(file: input, output: nil)
    }

    /// Signs `input` into `destination`. After a failure no output is left.
    public func run(_ input: String, into destination: Destination) throws -> SignedDocument {
        let job = try prepare(input)
        let output = try write(job, into: destination) { digest in
            try job.builder.sign(messageDigest: digest)
        }
        try writing(destination.path) { try output.commit() }
        return job.result(file: input, output: destination.path)
    }

    /// Copies and hashes the original in one pass, and appends the update with the CMS that
    /// `makeCMS` makes of the hash.
    ///
    /// - Returns: the output, to be committed.
    func write(
        _ job: Job, into destination: Destination, _ makeCMS: ([UInt8]) throws -> [UInt8]
    ) throws -> AtomicOutput {
        let output = try writing(destination.path) {
            try AtomicOutput(
                path: destination.path, mode: destination.isInPlace ? .like(job.file) : .normal,
                replace: destination.replacesExisting)
        }
        var prepared = job.prepared
        let digest = try reading(credential.source) {
            try DigestContext(job.builder.signer.digest)
        }
        do {
            try output.copy(from: job.file, range: 0..<job.file.byteCount) { part in
                try digest.update(part)
            }
        } catch let error as FileError {
            throw SignetError(error)
        }
        try reading(credential.source) {
            try digest.update(prepared.headBytes)
            try digest.update(prepared.tailBytes)
            try prepared.embed(try makeCMS(try digest.finish()))
        }
        try writing(destination.path) { try output.write(prepared.bytes) }
        return output
    }

    /// A document with everything decided but the signature's value.
    struct Job {
        let file: InputFile
        let builder: SignedDataBuilder
        let prepared: PreparedSignature
        let fieldName: String
        let signerName: String
        let claimedTime: CalendarTime
        let level: String
        let warnings: [String]

        func result(file: String, output: String?) -> SignedDocument {
            SignedDocument(
                file: file, output: output, field: fieldName, level: level,
                digest: builder.signer.digest.rawValue, algorithm: builder.signer.scheme.name,
                signer: signerName, claimedTime: claimedTime.rfc3339, warnings: warnings)
        }
    }

    func prepare(_ input: String) throws -> Job {
        let claimedTime =
            options.claimedTime.map { CalendarTime(secondsSinceEpoch: $0) } ?? now
            ?? SystemClock.now()
        let doubts = try credential.checkEligibility(at: claimedTime)
        return try reading(input) {
            let file = try InputFile(path: input)
            guard file.byteCount > 0 else {
                throw SignetError(.malformedInput, file: input, "the file is empty")
            }
            return try prepare(file, input, claimedTime, doubts)
        }
    }

    /// Lays out the update. A damaged file is opened once more with all its objects searched for,
    /// when the damage shows only later.
    private func prepare(
        _ file: InputFile, _ input: String, _ claimedTime: CalendarTime, _ doubts: [String]
    ) throws -> Job {
        do {
            return try prepare(file, input, .whenNeeded, claimedTime, doubts)
        } catch let error as PDFError where error.code.isDamage {
            do {
                return try prepare(file, input, .always, claimedTime, doubts)
            } catch is PDFError {
                throw error
            }
        }
    }

    private func prepare(
        _ file: InputFile, _ input: String, _ repair: PDFOptions.Repair,
        _ claimedTime: CalendarTime, _ doubts: [String]
    ) throws -> Job {
        let document = try PDFDocument.open(
            file, path: input, password: password, options: PDFOptions(repair: repair))
        let form = try AcroForm(of: document)
        try SigningPermission.check(document, form: form)
        let target = try SignatureTarget(options.field.choice, in: form, of: document)
        try SigningPermission.checkAccess(to: target, of: document)
        let terms = try terms(for: target, in: document)
        try SigningPermission.check(
            target, terms: terms, isVisible: options.stamp != nil, form: form, of: document)
        let builder = try reading(credential.source) {
            try signedDataBuilder(terms, claimedTime)
        }
        var update = IncrementalUpdate(document: document)
        let look = try StampDesign(
            options: options, reason: terms.reason, signerName: signerName,
            subject: credential.certificate.subject,
            claimedTime: claimedTime
        ).look(for: target, in: document, &update)
        var properties = SignatureProperties(
            name: options.name, reason: terms.reason, location: options.location,
            contact: options.contact, claimedTime: claimedTime)
        properties.format = terms.format
        properties.restriction = terms.restriction
        let prepared = try PreparedSignature(
            document: document, form: form, target: target, look: look, properties: properties,
            reservedByteCount: try builder.maximumByteCount(), update: update,
            fileIdentifier: Self.fileIdentifier())
        return Job(
            file: file, builder: builder, prepared: prepared, fieldName: target.name,
            signerName: signerName, claimedTime: claimedTime,
            level: terms.format == .pades ? "B-B" : "CMS",
            warnings: doubts + Self.warnings(form) + document.warnings.map(\.description))
    }

    /// 16 bytes that no other file has. They are no secret: the system's generator serves, and
    /// OpenSSL's need not be started for them.
    private static func fileIdentifier() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    private static func warnings(_ form: AcroForm) -> [String] {
        form.asksForAppearances
            ? [
                "viewers draw the form's fields themselves (NeedAppearances): their look is not signed"
            ]
            : []
    }

    private var signerName: String {
        options.name ?? credential.certificate.subject.commonName
            ?? credential.certificate.subject.description
    }

    /// What the person asked for, then what the field demands.
    private func terms(
        for target: SignatureTarget, in document: PDFDocument
    ) throws -> SigningTerms {
        var terms = SigningTerms(
            digest: options.digest.flatMap { DigestAlgorithm(name: $0.rawValue) },
            reason: options.reason,
            restriction: SignatureRestriction(
                certificationLevel: options.certification?.level,
                lock: options.lock?.restriction))
        guard case .existing(let field) = target else { return terms }
        if let lock = try SignatureRestriction.Lock(of: field, in: document) {
            guard terms.restriction.lock == nil || terms.restriction.lock == lock else {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' says itself which fields it locks",
                    hint: "leave out --lock")
            }
            terms.restriction.lock = lock
        }
        try SeedValue(of: field, in: document)?.apply(
            to: &terms, chain: [credential.certificate] + credential.chain)
        return terms
    }

    private func signedDataBuilder(
        _ terms: SigningTerms, _ claimedTime: CalendarTime
    ) throws -> SignedDataBuilder {
        var builder = SignedDataBuilder(
            signer: try credential.signer(digest: terms.digest, padding: options.padding))
        if terms.format == .pkcs7 { builder.signingTime = claimedTime }
        return builder
    }
}

extension SigningOptions.Certification {
    /// DocMDP /P (ISO 32000-2 Table 257).
    fileprivate var level: Int {
        switch self {
        case .noChanges: 1
        case .formFilling: 2
        case .annotations: 3
        }
    }
}

extension SigningOptions.Lock {
    fileprivate var restriction: SignatureRestriction.Lock {
        switch self {
        case .all: .all
        case .only(let names): .only(names)
        case .except(let names): .except(names)
        }
    }
}

extension SigningOptions.Field {
    fileprivate var choice: FieldChoice {
        switch self {
        case .automatic: .automatic
        case .named(let name): .named(name)
        case .new(let name): .new(name)
        }
    }
}
