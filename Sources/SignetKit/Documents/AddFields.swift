public import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import Pages
import SystemBridge

/// An empty signature field to add to documents.
public struct NewFieldOptions: Sendable {
    /// Whether the signature must certify the document.
    public typealias Certification = FieldCertification

    /// Full name of the field. A dot in it would make the field a child of another one.
    public var name: String
    /// Page, position, size and margin of the field; other values are ignored. Nil for an invisible
    /// field.
    public var stamp: StampOptions?
    /// Tooltip of the field, also for screen readers.
    public var tooltip: String?
    /// Whether the field must be signed to complete the form.
    public var isRequired = false
    /// The fields that the signature must lock.
    public var lock: SignatureLock?
    /// The changes that the signature must permit afterwards.
    public var lockLevel: DocMDPPermission?
    /// Permitted reasons: the signature must state one of them. Empty for any.
    public var reasons: [String] = []
    /// Permitted signature formats; empty for any.
    public var subFilters: [SigningOptions.SubFilter] = []
    /// Permitted digest algorithms; empty for any.
    public var digests: [SigningOptions.Digest] = []
    /// Required certification; nil for any.
    public var certification: Certification?
    /// URL of the TSA for a timestamp over the signature.
    public var timestampAddress: String?
    /// Files with permitted signing certificates.
    public var signerFiles: [String] = []
    /// Files with permitted issuer certificates.
    public var issuerFiles: [String] = []
    /// Permitted subjects as RFC 4514 names: the signer's subject must contain one of them.
    public var subjects: [String] = []
    /// Required key usages of the signing certificate, by RFC 5280 §4.2.1.3 names.
    public var keyUsage: [String] = []
    /// Whether the constraints are only recommended. Locks and certification are always required.
    public var isAdvice = false

    /// - Parameter name: the full name.
    public init(name: String) { self.name = name }
}

/// The result of adding fields to a document.
public struct ChangedForm: Encodable, Sendable {
    /// A field that was added.
    public struct Field: Encodable, Sendable {
        /// Full name of the field.
        public let name: String
        /// Position of the field; nil if invisible.
        public let widget: SignedDocument.Widget?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.field-add/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// The new fields in the order of the options.
    public let fields: [Field]
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]

    /// One-line summary: `Buyer on page 1, Seller, invisible`.
    public var summary: String {
        fields.map { field in
            field.name + (field.widget.map { " on \($0.pageText)" } ?? ", invisible")
        }.joined(separator: ", ")
    }
}

/// Adds empty signature fields for others to sign, by an incremental update that keeps existing
/// signatures valid.
public struct AddFields: Sendable {
    private let fields: [NewFieldOptions]
    private let constraints: [SignatureConstraints?]
    private let password: DocumentPassword?
    /// Whether damaged documents are accepted, even if viewers may display them differently.
    public var allowsDamaged = false

    /// Maximum number of fields added at once.
    public static let fieldLimit = 1000

    /// - Parameter password: for encrypted documents.
    /// - Throws: ``SignetError`` if a certificate or subject cannot be read.
    public init(_ fields: [NewFieldOptions], password: DocumentPassword? = nil) throws {
        self.fields = fields
        self.password = password
        constraints = try fields.map { try $0.constraints() }
    }

    /// Adds the fields to `input` and writes the result to `destination`. After a failure, no
    /// output file remains.
    ///
    /// - Throws: ``SignetError``.
    public func run(_ input: InputSource, into destination: Destination) throws -> ChangedForm {
        try reading(input.name) {
            try add(ScannedInput(input.open(isReplaced: destination.isInPlace)), into: destination)
        }
    }

    private func add(_ input: ScannedInput, into destination: Destination) throws -> ChangedForm {
        let file = input.file
        let opened = try UpdatableDocument(file, password: password, allowsDamaged: allowsDamaged)
        try opened.mend()
        let (update, fields, warnings) = try makeUpdate(of: opened, input)
        let output = try destination.output(from: file)
        try writing(destination.path) {
            try output.copy(from: file, range: 0..<file.byteCount)
            try file.requireUnchanged()
            try output.write(update.bytes)
            try output.commit()
        }
        return ChangedForm(
            file: file.path, output: destination.path, fields: fields,
            warnings: warnings.map { Sentence($0) })
    }

    private func makeUpdate(
        of opened: UpdatableDocument, _ input: ScannedInput
    ) throws -> (PreparedFields, [ChangedForm.Field], warnings: [String]) {
        let (document, form) = (opened.document, opened.form)
        try SigningPermission.check(document, form: form)
        var places = StampPlaces(in: document, of: input.file)
        var taken: [StampPlaces.Place] = []
        var made: [NewSignatureField] = []
        for (options, constraints) in zip(fields, constraints) {
            let target = try SignatureTarget(.new(options.name), in: form, of: document)
            try SigningPermission.checkAccess(to: target, of: document)
            guard !made.contains(where: { $0.name == options.name }) else {
                throw SignetError(
                    .usage, "the field name \(options.name.inQuotes) is given twice",
                    hint: Sentence(.nameEachField))
            }
            var place: StampPlaces.Place?
            if let stamp = options.stamp {
                let found = try find(stamp, for: options.name, &places, taken)
                taken.append(found)
                place = found
            }
            made.append(try options.field(at: place, in: document, constraints))
        }
        let prepared = try PreparedFields(
            made, document: document, form: form,
            update: IncrementalUpdate(
                document: document, avoiding: try input.numbers(in: document)),
            fileIdentifier: newFileIdentifier())
        return (
            prepared,
            made.map { field in
                ChangedForm.Field(
                    name: field.name,
                    widget: field.pageNumber.map {
                        .init(page: $0, rect: field.rect, in: document)
                    })
            },
            try opened.problems(after: prepared, known: []) + places.warnings
                + form.notes(onLocked: lockedNames, besides: fields.map(\.name))
                + closingNotes(form)
                + signedNotes(prepared, document, form) + document.usageRightsDoubts()
        )
    }

    private func find(
        _ stamp: StampOptions, for name: String, _ places: inout StampPlaces,
        _ taken: [StampPlaces.Place]
    ) throws -> StampPlaces.Place {
        let what = "the field \(name.inQuotes)"
        let place = try places.find(stamp, for: what, besides: taken)
        let box = place.box.rect
        let covers = taken.contains { other in
            other.page.id == place.page.id
                && zip(0..<2, other.box.rect).allSatisfy { axis, low in
                    min(other.box.rect[axis + 2], box[axis + 2]) - max(low, box[axis]) > 0.5
                }
        }
        guard !covers else {
            throw SignetError(
                .usage, "\(what) would overlap another new field",
                hint: Sentence(.chooseNextFreePlace))
        }
        places.remark(on: place.page, place.number, place.box)
        return place
    }

    private var lockedNames: [String] { fields.flatMap { $0.lock?.names ?? [] } }

    /// Notes about new fields that lock other empty signature fields: these can then not be signed.
    private func closingNotes(_ form: AcroForm) -> [String] {
        fields.compactMap { field in
            let closed = field.lock.flatMap {
                form.fieldsClosed(by: $0, of: field.name, besides: fields.map(\.name))
            }
            return closed.map {
                "a signature in the field \(field.name.inQuotes) locks \($0), which can then not be "
                    + "signed"
            }
        }
    }

    /// Notes about earlier signatures of a signed document.
    ///
    /// - Throws: `forbiddenByEarlierSignature`.
    private func signedNotes(
        _ prepared: PreparedFields, _ document: PDFDocument, _ form: AcroForm
    ) throws -> [String] {
        guard try form.hasSignature(in: document) else { return [] }
        let doubts = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        return doubts.isEmpty
            ? [
                "the document is already signed: verification will list the new field as a change; add fields "
                    + "before the first signature"
            ] : doubts
    }
}

extension NewFieldOptions {
    fileprivate func constraints() throws -> SignatureConstraints? {
        var constraints = SignatureConstraints()
        constraints.reasons = reasons
        constraints.formats = subFilters
        constraints.digests = digests.map(\.algorithm)
        constraints.certification = certification
        constraints.timestampAddress = timestampAddress
        constraints.signers = try signerFiles.flatMap { file in
            try SigningCredential.readCertificates(file).prefix(1).map(\.der)
        }
        constraints.issuers = try issuerFiles.flatMap { file in
            try SigningCredential.readCertificates(file).map(\.der)
        }
        constraints.subjects = try subjects.map(DistinguishedName.given)
        constraints.keyUsage = try KeyUsage.named(keyUsage)
        constraints.isMandatory = !isAdvice
        do {
            try constraints.check()
        } catch {
            throw SignetError(reading: name, error)
        }
        return constraints.isEmpty ? nil : constraints
    }

    fileprivate func field(
        at place: StampPlaces.Place?, in document: PDFDocument, _ constraints: SignatureConstraints?
    ) throws -> NewSignatureField {
        let first = try document.pageCount() > 0 ? document.page(at: 0) : nil
        var field = NewSignatureField(
            name: name, page: place?.page ?? first, pageNumber: place?.number,
            rect: place?.box.rect ?? [0, 0, 0, 0])
        field.tooltip = tooltip
        field.isRequired = isRequired
        field.lock = lock
        field.lockLevel = lockLevel
        field.constraints = constraints
        return field
    }
}
