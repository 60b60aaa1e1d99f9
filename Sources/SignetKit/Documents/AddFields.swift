public import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import Pages
import SystemBridge

/// An empty signature field that is to be added to documents.
public struct NewFieldOptions: Sendable {
    /// Whether the signature is to certify the document.
    public enum Certification: Equatable, Sendable {
        case none
        case permitting(DocMDPPermission)
    }

    /// The full name: a dot in it would make a field within another one.
    public var name: String
    /// Nil shows nowhere. Only its place counts: page, position, size and margin.
    public var stamp: StampOptions?
    /// What people are told who rest on the field, or do not see it.
    public var tooltip: String?
    /// Whether the form is not complete without it.
    public var isRequired = false
    /// The fields that the signature has to lock.
    public var lock: SignatureLock?
    /// What the signature has to permit afterwards.
    public var lockLevel: DocMDPPermission?
    /// One of them has to be given.
    public var reasons: [String] = []
    /// One of them has to be the format; empty leaves it open.
    public var subFilters: [SigningOptions.SubFilter] = []
    /// One of them has to be the hash algorithm; empty leaves it open.
    public var digests: [SigningOptions.Digest] = []
    /// Nil leaves it open.
    public var certification: Certification?
    /// Where a time stamp over the signature has to come from.
    public var timestampAddress: String?
    /// Files; a certificate in them has to be the signer's.
    public var signerFiles: [String] = []
    /// Files; a certificate in them has to be among the signer's issuers.
    public var issuerFiles: [String] = []
    /// RFC 4514; what the signer's subject has to have, of several one.
    public var subjects: [String] = []
    /// What the signer's key has to be for, by the names of X.509.
    public var keyUsage: [String] = []
    /// Whether all this is recommended only. Locks and certification always hold.
    public var isAdvice = false

    /// - Parameter name: the full name.
    public init(name: String) { self.name = name }
}

/// What adding fields to a document did.
public struct ChangedForm: Encodable, Sendable {
    /// A field that was added.
    public struct Field: Encodable, Sendable {
        /// Its full name.
        public let name: String
        /// Where it shows; nil for one that does not.
        public let widget: SignedDocument.Widget?
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.field-add/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Where the result is: a path, `-` for standard output, or the name of a destination in
    /// memory.
    public let output: String
    /// In the order in which they were asked for.
    public let fields: [Field]
    /// What a person should know although nothing failed, a sentence each.
    public let warnings: [Sentence]

    /// For people: `Buyer on page 1 [10 10 180 66], Seller, invisible`.
    public var summary: String {
        fields.map { field in
            field.name + (field.widget.map { " on \($0.description)" } ?? ", invisible")
        }.joined(separator: ", ")
    }
}

/// Adds empty signature fields to documents, for others to sign: by an incremental update, so that
/// signatures that are there stay.
public struct AddFields: Sendable {
    private let fields: [NewFieldOptions]
    private let constraints: [SignatureConstraints?]
    private let password: DocumentPassword?
    /// Whether damaged documents are accepted that viewers may display differently.
    public var allowsDamaged = false

    /// Most fields that are added at once.
    public static let fieldLimit = 1000

    /// - Parameter password: for encrypted documents.
    /// - Throws: ``SignetError`` when a certificate cannot be read, or a subject.
    public init(_ fields: [NewFieldOptions], password: DocumentPassword? = nil) throws {
        self.fields = fields
        self.password = password
        constraints = try fields.map { try $0.constraints() }
    }

    /// Adds the fields to `input`, into `destination`. After a failure no output is left.
    public func run(_ input: InputSource, into destination: Destination) throws -> ChangedForm {
        try reading(input.name) {
            try add(
                ScannedInput(input.open(isReplaced: destination.isInPlace)), into: destination)
        }
    }

    private func add(_ input: ScannedInput, into destination: Destination) throws -> ChangedForm {
        let file = input.file
        let opened = try UpdatableDocument(
            file, password: password, allowsDamaged: allowsDamaged)
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
        let document = opened.document
        let form = try AcroForm(of: document)
        try SigningPermission.check(document, form: form)
        var places = StampPlaces(in: document, of: input.file)
        var taken: [StampPlaces.Place] = []
        var made: [NewSignatureField] = []
        for (options, constraints) in zip(fields, constraints) {
            let target = try SignatureTarget(.new(options.name), in: form, of: document)
            try SigningPermission.checkAccess(to: target, of: document)
            guard !made.contains(where: { $0.name == options.name }) else {
                throw SignetError(
                    .usage, "the field \(options.name.inQuotes) is named twice",
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
                    widget: field.pageNumber.map { .init(page: $0, rect: field.rect) })
            },
            try opened.problems(after: prepared, known: []) + places.warnings + lockNotes(form)
                + signedNotes(prepared, document, form)
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
                .usage, "\(what) would cover another new field",
                hint: Sentence(.chooseNextFreePlace))
        }
        places.remark(on: place.page, place.number, place.box)
        return place
    }

    /// A lock of a field that nobody has locks nothing.
    private func lockNotes(_ form: AcroForm) throws -> [String] {
        let known = Set(form.fields.map(\.fullName) + fields.map { ExactText($0.name) })
        var missing: [ExactText] = []
        for field in fields {
            let names: [String]
            switch field.lock {
            case .only(let locked): names = locked
            case .except(let open): names = open
            case .all, nil: continue
            }
            for name in names.map({ ExactText($0) })
            where !known.contains(name) && !missing.contains(name) {
                guard !known.contains(where: { $0.isBelow(name, separator: ".") }) else { continue }
                missing.append(name)
            }
        }
        return missing.map {
            "the lock names \($0.inQuotes), and the document has no such field"
        }
    }

    /// - Throws: `forbiddenByEarlierSignature`.
    private func signedNotes(
        _ prepared: PreparedFields, _ document: PDFDocument, _ form: AcroForm
    ) throws -> [String] {
        guard try form.hasSignature(in: document) else { return [] }
        let doubts = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        return doubts.isEmpty
            ? [
                "it is signed already: a verification will say that the field was added after that; fields "
                    + "are best added before the first signature"
            ] : doubts
    }
}

extension NewFieldOptions {
    fileprivate func constraints() throws -> SignatureConstraints? {
        var constraints = SignatureConstraints()
        constraints.reasons = reasons
        constraints.formats = subFilters.compactMap { .init(rawValue: $0.rawValue) }
        constraints.digests = digests.map(\.algorithm)
        switch certification {
        case .none?: constraints.certification = SignatureConstraints.Certification.none
        case .permitting(let permission)?: constraints.certification = .permitting(permission)
        case nil: break
        }
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
        at place: StampPlaces.Place?, in document: PDFDocument,
        _ constraints: SignatureConstraints?
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
