public import Base
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge

/// The signature fields of a document.
public struct ListedFields: Encodable, Sendable {
    /// A requirement of a field for its signature.
    public struct Constraint: Encodable, Sendable {
        /// Kind of requirement: `reason`, `format`, `digest`, `certification`, `timestamp`,
        /// `signer`, `issuer`, ...
        public let kind: String
        /// Permitted values, of which one must be used.
        public let values: [String]
        /// Whether the requirement is mandatory; otherwise it is recommended.
        public let demanded: Bool
    }

    /// Whether the field is signed.
    public enum State: String, Encodable, Sendable {
        case empty, signed
        /// Prepared for signing, but without a signature.
        case pending
    }

    /// A signature field.
    public struct Field: Encodable, Sendable {
        /// Full name of the field.
        public let name: String
        /// Whether the field is signed.
        public let state: State
        /// Subject of the signing certificate; not verified here.
        public let signer: String?
        /// Whether the field contains a document timestamp. Not in the JSON.
        public let isTimestamp: Bool
        /// Positions of the field.
        public internal(set) var widgets: [SignedDocument.Widget] = []
        /// Tooltip of the field; nil without one.
        public let tooltip: String?
        /// Whether the form requires the signature (ISO 32000-2 Table 227).
        public let required: Bool
        /// The fields locked by its signature: `all`, `only:A,B` or `except:A,B`.
        public let lock: String?
        /// Changes that its signature permits afterwards, by the lock.
        public let lockLevel: DocMDPPermission?
        /// Requirements for its signature (ISO 32000-2 Table 237).
        public let constraints: [Constraint]
        /// Problems of its position: hidden, covered, or over page content.
        public internal(set) var doubts: [String] = []
        /// Further notes about the field, one sentence each.
        public internal(set) var notes: [String] = []

        private enum CodingKeys: String, CodingKey {
            case name, state, signer, widgets, tooltip, required, lock, lockLevel, constraints
            case doubts, notes
        }
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.field-list/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Signature fields in the order of the form.
    public let fields: [Field]
    /// Number of fields whose position was not determined.
    public let unplaced: Int
    /// Changes permitted by the document's certification; nil without certification.
    public let certification: DocMDPPermission?
}

/// Lists signature fields. Nothing is verified.
public struct ListFields: Sendable {
    private let password: DocumentPassword?

    /// Maximum number of fields with a determined position: each requires a search of all pages.
    private static let placedLimit = 64
    /// Maximum number of signature fields; more are an error.
    private static let fieldLimit = 10_000

    /// - Parameter password: for encrypted documents.
    public init(password: DocumentPassword? = nil) { self.password = password }

    /// Lists the signature fields; other fields are omitted.
    ///
    /// - Throws: ``SignetError``: `malformedInput` for an unreadable document, or one with over
    ///   10,000 signature fields.
    public func run(_ input: InputSource) throws -> ListedFields {
        try reading(input.name) {
            let file = try input.open()
            let document = try PDFDocument.open(file, path: input.name, password: password)
            let fields = try AcroForm(of: document).signatureFields
            guard fields.count <= Self.fieldLimit else {
                throw SignetError(
                    .malformedInput, "the document has too many signature fields (\(fields.count))")
            }
            return ListedFields(
                file: input.name,
                fields: try fields.enumerated().map { index, field in
                    try describe(field, in: document, isPlaced: index < Self.placedLimit)
                }, unplaced: max(0, fields.count - Self.placedLimit),
                certification: try SigningPermission.certification(of: document))
        }
    }

    private func describe(
        _ field: FormField, in document: PDFDocument, isPlaced: Bool
    ) throws -> ListedFields.Field {
        let isEmpty = try document.resolve(field.value ?? .null) == .null
        let isPending = try !isEmpty && PendingSignature.waits(in: field, of: document)
        let signature = isEmpty || !isPlaced ? nil : field.claimedSignature(in: document)
        var described = ListedFields.Field(
            name: field.fullName.text, state: isEmpty ? .empty : isPending ? .pending : .signed,
            signer: signature?.signer, isTimestamp: signature?.kind == .timestamp,
            tooltip: try field.tooltip(in: document),
            required: try field.isRequired(in: document),
            lock: try SignatureLock(of: field, in: document)?.argument,
            lockLevel: try SigningPermission.lockPermission(of: field, in: document),
            constraints: try SeedValue(of: field, in: document)?.listed().map {
                ListedFields.Constraint(kind: $0.kind, values: $0.values, demanded: $0.isMandatory)
            } ?? [])
        guard isPlaced else { return described }
        let placement = try FieldPlacement(of: field, in: document)
        described.widgets = placement.widgets.map { widget in
            SignedDocument.Widget(
                page: placement.pageNumber(of: widget.id), rect: widget.rect, in: document)
        }
        // Several widgets may have the same problems.
        for doubt in placement.doubts where !described.doubts.contains(doubt) {
            described.doubts.append(doubt)
        }
        described.notes = placement.notes
        return described
    }
}
