import Appearance
import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient
import TrustKit

/// What signing did, or would do.
public struct SignedDocument: Encodable, Sendable {
    public let schema = "signet.sign/1"
    public internal(set) var file: String
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
    /// Over the signature's value; nil without one.
    public let timestamp: TimestampReceipt?
    /// The pages that were made of photos; nil when a document was signed.
    public internal(set) var pages: [ConvertedPhotos.Page]?
    /// Drawings on pages; nil when there are none.
    public let marks: Marks?
    /// Oddities of the document or the credential that did not prevent signing.
    public internal(set) var warnings: [String]

    /// What was drawn on pages besides the stamp.
    public struct Marks: Encodable, Sendable {
        /// They say nothing about who drew them.
        public let kind = "drawing, not a signature"
        /// Numbers from 1.
        public let pages: [Int]
    }

    /// For people: `Signature1, PAdES B-B, rsa-pkcs1, sha256`.
    public var summary: String {
        let drawn = marks.map { marks in
            let count = marks.pages.count
            return "; marks drawn on \(count) page\(count == 1 ? "" : "s"), no signatures"
        }
        return "\(field), PAdES \(level), \(algorithm), \(digest)"
            + (timestamp.map { ", time stamp \($0.time)" } ?? "") + (drawn ?? "")
    }
}

/// Signs PDF files: one credential and one set of options for any number of files.
///
/// The original bytes are copied and hashed in one pass; the signature follows in an incremental
/// update (ISO 32000-2 §7.5.6, ETSI EN 319 142-1 §6 level B-B, with a timestamp B-T).
public struct SignDocument: Sendable {
    private let credential: SigningCredential
    private let options: SigningOptions
    private let password: DocumentPassword?
    private let timestamps: TimestampAuthorities?
    private let now: CalendarTime?
    private let picture: PictureFile?

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - timestamps: asked for a timestamp over each signature.
    ///   - now: seconds since 1970 instead of the system's clock.
    public init(
        credential: SigningCredential, options: SigningOptions, password: DocumentPassword? = nil,
        timestamps: TimestampAuthorities? = nil, now: Int? = nil
    ) {
        self.credential = credential
        self.options = options
        self.password = password
        self.timestamps = timestamps
        picture = options.picture.map { PictureFile($0) }
        self.now = now.map { CalendarTime(secondsSinceEpoch: $0) }
    }

    /// Makes every check that `run` makes and writes nothing.
    public func check(_ input: String) throws -> SignedDocument {
        try reading(input) {
            try prepare(InputFile(path: input), tokenByteCount: 0).result(file: input)
        }
    }

    /// Signs `input` into `destination`. After a failure no output is left: a timestamp that was
    /// asked for and not given is one.
    public func run(_ input: String, into destination: Destination) throws -> SignedDocument {
        try reading(input) {
            return try sign(try InputFile(path: input)) { signature, makeValue in
                try signature.write(into: destination, source: credential.source, makeValue)
            }
        }
    }

    /// Makes every check of signing a document that an output holds so far.
    func check(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) {
            try prepare(InputFile(output), tokenByteCount: 0).result(file: output.path)
        }
    }

    /// Signs the document that an output holds so far, and commits the output.
    func finish(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) {
            try sign(try InputFile(output)) { signature, makeValue in
                try signature.append(to: output, source: credential.source, makeValue) { hash in
                    try signature.file.stream(range: 0..<signature.file.byteCount, hash)
                }
                return output
            }
        }
    }

    /// Signs with room for a timestamp, if there is to be one.
    ///
    /// - Parameter write: Writes with the value that it is given a function for.
    private func sign(
        _ file: InputFile,
        _ write: (AppendedSignature, _ makeValue: ([UInt8]) throws -> [UInt8]) throws
            -> AtomicOutput
    ) throws -> SignedDocument {
        guard let timestamps else { return try sign(file, tokenByteCount: 0, write) }
        var (signed, notes) = try timestamps.withRoom { room in
            try sign(file, tokenByteCount: room, write)
        }
        signed.warnings += notes
        return signed
    }

    private func sign(
        _ file: InputFile, tokenByteCount: Int,
        _ write: (AppendedSignature, _ makeValue: ([UInt8]) throws -> [UInt8]) throws
            -> AtomicOutput
    ) throws -> SignedDocument {
        let job = try prepare(file, tokenByteCount: tokenByteCount)
        var stamp: ObtainedTimestamp?
        let output = try write(job.appended) { hash in
            let signed = try job.builder.sign(
                messageDigest: hash, timestamps: timestamps, source: credential.source)
            stamp = signed.stamp
            return signed.message
        }
        try writing(output.path) { try output.commit() }
        return job.result(file: file.path, output: output.path, stamp: stamp)
    }

    /// A document with everything decided but the signature's value.
    struct Job {
        let appended: AppendedSignature
        let builder: SignedDataBuilder
        let fieldName: String
        let signerName: String
        let claimedTime: CalendarTime
        let level: String
        let marks: SignedDocument.Marks?
        let warnings: [String]

        /// - Parameter output: nil after a mere check.
        func result(
            file: String, output: String? = nil, stamp: ObtainedTimestamp? = nil
        ) -> SignedDocument {
            SignedDocument(
                file: file, output: output, field: fieldName, level: level,
                digest: builder.signer.digest.rawValue, algorithm: builder.signer.scheme.name,
                signer: signerName, claimedTime: claimedTime.rfc3339,
                timestamp: stamp.map(TimestampReceipt.init),
                marks: marks, warnings: warnings + (stamp?.notes ?? []))
        }
    }

    /// Lays out the update.
    ///
    /// - Parameter tokenByteCount: room for a timestamp.
    func prepare(_ file: InputFile, tokenByteCount: Int) throws -> Job {
        let (claimedTime, doubts) = try checkCredential()
        return try PDFDocument.update(file, password: password) { document in
            try prepare(file, document, claimedTime, doubts, tokenByteCount)
        }
    }

    /// Whether the credential may sign at the time that the signature will claim.
    @discardableResult
    func checkCredential() throws -> (claimedTime: CalendarTime, doubts: [String]) {
        let claimedTime =
            options.claimedTime.map { CalendarTime(secondsSinceEpoch: $0) } ?? now
            ?? SystemClock.now()
        return (claimedTime, try credential.checkEligibility(at: claimedTime))
    }

    private func prepare(
        _ file: InputFile, _ document: PDFDocument, _ claimedTime: CalendarTime,
        _ doubts: [String], _ tokenByteCount: Int
    ) throws -> Job {
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
        var design = StampDesign(
            options: options, picture: picture, reason: terms.reason, signerName: signerName,
            subject: credential.certificate.subject, claimedTime: claimedTime, document: document)
        let look = try design.look(for: target, &update)
        let marks = try options.marks.map { marks in
            try SigningPermission.checkDrawing(on: document, form: form)
            return SignedDocument.Marks(
                pages: try design.draw(marks, beside: look, &update))
        }
        var properties = SignatureProperties(
            name: options.name, reason: terms.reason, location: options.location,
            contact: options.contact, claimedTime: claimedTime)
        properties.format = terms.format
        properties.restriction = terms.restriction
        let reservedByteCount = try builder.maximumByteCount(
            unsignedAttributesByteCount: tokenByteCount)
        let prepared = try PreparedSignature(
            document: document, form: form, target: target, look: look,
            kind: .signature(properties), reservedByteCount: reservedByteCount, update: update,
            fileIdentifier: AppendedSignature.fileIdentifier())
        let level = timestamps == nil ? "B-B" : "B-T"
        return Job(
            appended: AppendedSignature(
                file: file, prepared: prepared, digest: builder.signer.digest,
                reservedByteCount: reservedByteCount),
            builder: builder, fieldName: target.name, signerName: signerName,
            claimedTime: claimedTime, level: terms.format == .pades ? level : "CMS",
            marks: marks,
            warnings: doubts + Self.warnings(form) + document.warnings.map(\.description))
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
        terms.isTimestamped = timestamps != nil
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
