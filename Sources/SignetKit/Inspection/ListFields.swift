import ByteKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
public import SignatureTerms

/// The signature fields of a document.
public struct ListedFields: Encodable, Sendable {
    /// Something that a field asks of its signature.
    public struct Constraint: Encodable, Sendable {
        /// `reason`, `format`, `digest`, `certification`, `timestamp`, `signer`, `issuer`, ...
        public let kind: String
        /// Of several, one is to be given.
        public let values: [String]
        /// Whether it is demanded; else it is recommended.
        public let demanded: Bool
    }

    public enum State: String, Encodable, Sendable {
        case empty, signed
        /// Prepared, and without a signature yet.
        case pending
    }

    public struct Field: Encodable, Sendable {
        public let name: String
        public let state: State
        /// Whom the signature's certificate names; not verified here.
        public let signer: String?
        /// Where it shows.
        public internal(set) var widgets: [SignedDocument.Widget] = []
        public let tooltip: String?
        public let required: Bool
        /// The fields that its signature locks: `all`, `only:A,B` or `except:A,B`.
        public let lock: String?
        /// What its signature permits afterwards, by the lock.
        public let lockLevel: DocMDPPermission?
        public let constraints: [Constraint]
        /// Why it is no plain place for a signature: hidden, covered, over what the page says.
        public internal(set) var doubts: [String] = []
        public internal(set) var notes: [String] = []
    }

    public let schema = "signet.field-list/1"
    public let file: String
    public let fields: [Field]
    /// Of how many fields it was not looked at where they show.
    public let unplaced: Int
    /// What the document's certification permits; nil when it is not certified.
    public let certification: DocMDPPermission?
}

/// Lists signature fields. Nothing is verified.
public struct ListFields: Sendable {
    private let password: DocumentPassword?

    /// Of how many fields it is looked where they show: for each all pages are searched.
    private static let placedLimit = 64
    /// Most fields that are listed.
    private static let fieldLimit = 10_000

    /// - Parameter password: for encrypted documents.
    public init(password: DocumentPassword? = nil) { self.password = password }

    public func run(_ input: InputSource) throws -> ListedFields {
        try reading(input.name) {
            let file = try input.open()
            let document = try PDFDocument.open(file, path: input.name, password: password)
            let fields = try AcroForm(of: document).signatureFields
            guard fields.count <= Self.fieldLimit else {
                throw SignetError(
                    .malformedInput, "it has \(fields.count) signature fields, which are too many")
            }
            return ListedFields(
                file: input.name,
                fields: try fields.enumerated().map { index, field in
                    try describe(field, in: document, isPlaced: index < Self.placedLimit)
                },
                unplaced: max(0, fields.count - Self.placedLimit),
                certification: try SigningPermission.certification(of: document))
        }
    }

    private func describe(
        _ field: FormField, in document: PDFDocument, isPlaced: Bool
    ) throws -> ListedFields.Field {
        let isEmpty = try document.resolve(field.value ?? .null) == .null
        let isPending = try !isEmpty && PendingSignature.waits(in: field, of: document)
        let signer = isEmpty || !isPlaced ? nil : field.claimedSigner(in: document)
        var described = ListedFields.Field(
            name: field.fullName, state: isEmpty ? .empty : isPending ? .pending : .signed,
            signer: signer?.shortText, tooltip: try field.tooltip(in: document),
            required: try field.isRequired(in: document),
            lock: try SignatureRestriction.Lock(of: field, in: document)?.argument,
            lockLevel: try SigningPermission.lockPermission(of: field, in: document),
            constraints: try SeedValue(of: field, in: document)?.listed().map {
                ListedFields.Constraint(
                    kind: $0.kind, values: $0.values, demanded: $0.isMandatory)
            } ?? [])
        guard isPlaced else { return described }
        let placement = try FieldPlacement(of: field, in: document)
        described.widgets = placement.widgets.map { widget in
            SignedDocument.Widget(page: placement.pageNumber(of: widget.id), rect: widget.rect)
        }
        // Several widgets may raise the same ones.
        for doubt in placement.doubts where !described.doubts.contains(doubt) {
            described.doubts.append(doubt)
        }
        described.notes = placement.notes
        return described
    }
}
