import Base
package import PDFCore

/// The bytes that a signature covers: two spans around the gap that holds the signature
/// (ISO 32000-2 §12.8.1).
package struct ByteRange: Hashable, Sendable {
    /// First span, from the first byte of the file.
    package let first: Range<Int>
    /// Second span, behind the gap.
    package let second: Range<Int>

    package var gap: Range<Int> { first.upperBound..<second.lowerBound }
}

/// What a visible signature shows, and where.
package struct SignatureLook: Sendable {
    /// The widget of an existing field; nil for a new one.
    package let widgetID: ObjectID?
    package let page: PDFPage
    /// The page's number, from 1; nil where no page shows the widget.
    package let pageNumber: Int?
    /// /Rect of a new widget, in user space.
    package let rect: [Double]
    package let appearance: PDFStream
    /// Further objects the appearance refers to.
    package let resources: [(ObjectID, PDFObject)]

    package init(
        widgetID: ObjectID?, page: (PDFPage, number: Int?), rect: [Double], appearance: PDFStream,
        resources: [(ObjectID, PDFObject)]
    ) {
        self.widgetID = widgetID
        (self.page, pageNumber) = page
        self.rect = rect
        self.appearance = appearance
        self.resources = resources
    }
}

/// A signature that is to be laid out.
package struct NewSignature {
    /// The field that takes it.
    package let target: SignatureTarget
    /// What the signature dictionary says.
    package let kind: SignatureKind
    /// The stamp in each widget; none leaves the signature invisible.
    package let looks: [SignatureLook]
    /// Bytes kept for the CMS, an integrity code included.
    package let reservedByteCount: Int
    /// Whether the signature is to carry an integrity code.
    package let isSealed: Bool

    package init(
        in target: SignatureTarget, _ kind: SignatureKind, looks: [SignatureLook] = [],
        reservedByteCount: Int, isSealed: Bool = false
    ) {
        self.target = target
        self.kind = kind
        self.looks = looks
        self.reservedByteCount = reservedByteCount
        self.isSealed = isSealed
    }

    fileprivate var certifies: Bool {
        guard case .signature(let properties) = kind else { return false }
        return properties.restriction.certification != nil
    }
}

/// An incremental update with an empty signature: everything is final but the signature's value.
///
/// The signed bytes are the original file, then `headBytes`, then `tailBytes`; in between lies the
/// gap, which `embed` fills.
package struct PreparedSignature: PreparedUpdate {
    /// All bytes to append to the original file.
    package private(set) var bytes: [UInt8]
    package let byteRange: ByteRange
    /// Bytes kept for the signature's value.
    package let reservedByteCount: Int
    /// The widgets and what is drawn in them, in the order of the looks.
    private(set) var shown: [(widget: ObjectID, look: SignatureLook, appearance: ObjectID)] = []
    private let originalByteCount: Int
    private let signatureID: ObjectID
    private let gap: Range<Int>

    package var headBytes: ArraySlice<UInt8> { bytes[..<gap.lowerBound] }
    package var tailBytes: ArraySlice<UInt8> { bytes[gap.upperBound...] }

    /// Lays out the update that signs a field.
    ///
    /// - Parameters:
    ///   - update: may already hold objects that the looks refer to.
    ///   - fileIdentifier: 16 random bytes for the second half of the trailer's /ID.
    package init(
        _ new: NewSignature, document: PDFDocument, form: AcroForm, update: IncrementalUpdate,
        fileIdentifier: [UInt8]
    ) throws {
        var update = update
        reservedByteCount = new.reservedByteCount
        let signatureID = update.allocate()
        self.signatureID = signatureID
        let signature = try SignatureDictionary(
            new.kind, reservedByteCount: new.reservedByteCount,
            catalogID: try document.catalogID
        ) { text throws(PDFError) in try document.encrypted(text, in: signatureID) }
        update.set(signatureID, .verbatim(signature.bytes))
        if new.isSealed { update.setTrailer("AuthCode", IntegritySeal.entry(for: signatureID)) }
        if new.certifies { try Self.certify(signatureID, in: document, &update) }
        for (id, object) in new.looks.flatMap(\.resources) { update.set(id, object) }
        // Time stamps are for programs, and certified documents permit no tags and looks for them.
        var isFirst = false
        if case .signature = new.kind { isFirst = try !form.hasSignature(in: document) }
        let filling = FieldFilling(
            document: document, form: form, signatureID: signatureID, looks: new.looks,
            isFirst: isFirst)
        let holder =
            switch new.target {
            case .existing(let field): try filling.fill(field, &update)
            case .new(let name): try filling.add(name, &update)
            }
        shown = holder.shown
        try SignatureRoles(
            signature: signatureID, field: holder.field, widgets: holder.widgets,
            certifies: new.certifies
        ).require(in: update, of: document, form)
        let serialized = try update.serialize(fileIdentifier: fileIdentifier)
        bytes = serialized.bytes
        originalByteCount = serialized.startOffset
        guard let bodyOffset = serialized.bodyOffsets[signatureID] else {
            throw PAdESError(.malformedForm, "the signature dictionary was not written")
        }
        let start = bodyOffset - originalByteCount
        gap =
            (start + signature.contentsGap.lowerBound)..<(start + signature.contentsGap.upperBound)
        byteRange = ByteRange(
            first: 0..<(originalByteCount + gap.lowerBound),
            second: (originalByteCount + gap.upperBound)..<(originalByteCount + bytes.count))
        let numbers =
            "\(byteRange.first.count) \(byteRange.second.lowerBound) \(byteRange.second.count)"
        let hole = start + signature.byteRangeHole.lowerBound
        bytes.replaceSubrange(hole..<(hole + numbers.utf8.count), with: numbers.utf8)
    }

    package func isPresent(in document: PDFDocument) throws -> Bool {
        try AcroForm(of: document).signatureFields.contains {
            $0.value?.referenceValue == signatureID
        } && document.object(signatureID).dictionaryValue != nil
    }

    /// Writes the signature's value into the gap, zeros behind it.
    package mutating func embed(_ cms: [UInt8]) throws(PAdESError) {
        let hex = Hex.digits(of: cms)
        guard hex.count <= gap.count - 2 else {
            throw PAdESError(
                .reservationExceeded,
                "the signature has \(cms.count) bytes, but \((gap.count - 2) / 2) are reserved")
        }
        let start = gap.lowerBound + 1
        bytes.replaceSubrange(start..<(start + hex.count), with: hex)
    }

    /// Names the certification signature in the catalog (ISO 32000-2 §12.8.6).
    private static func certify(
        _ signatureID: ObjectID, in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws {
        let catalog = try document.catalog()
        var permissions = try document.value(catalog, "Perms").dictionaryValue ?? PDFDictionary()
        permissions["DocMDP"] = .reference(signatureID)
        try update.changeCatalog(of: document) { $0["Perms"] = .dictionary(permissions) }
    }
}

/// How a field gets a signature.
private struct FieldFilling {
    /// The field, and the widgets that show something.
    struct Holder {
        let field: ObjectID
        /// Of an existing field.
        var widgets: [ObjectID] = []
        var shown: [(widget: ObjectID, look: SignatureLook, appearance: ObjectID)] = []
    }

    let document: PDFDocument
    let form: AcroForm
    let signatureID: ObjectID
    let looks: [SignatureLook]
    /// Whether nobody has signed yet how the form is drawn and tagged; some validators count new tags
    /// as a change to what others have signed.
    let isFirst: Bool

    /// A new field.
    func add(_ name: String, _ update: inout IncrementalUpdate) throws -> Holder {
        let look = looks.first
        // A document without pages can be signed all the same: the field is on none.
        let page = try look?.page ?? (document.pageCount() > 0 ? document.page(at: 0) : nil)
        let field = NewSignatureField(
            name: name, page: page, pageNumber: look?.pageNumber, rect: look?.rect ?? [0, 0, 0, 0])
        let added = try field.add(
            signature: signatureID, appearance: look?.appearance, isTagged: isFirst, to: &update,
            of: document)
        try form.rewrite(adding: [added.field], in: document, &update)
        return Holder(
            field: added.field, shown: look.map { [(added.field, $0, added.appearance)] } ?? [])
    }

    /// Gives an existing field its value, and every widget its look: none keeps what others drew.
    func fill(_ field: FormField, _ update: inout IncrementalUpdate) throws -> Holder {
        var shown: [(widget: ObjectID, look: SignatureLook, appearance: ObjectID)] = []
        var dictionary = field.dictionary
        dictionary["V"] = .reference(signatureID)
        for widgetID in field.widgetIDs where !looks.isEmpty {
            let look = looks.first { $0.widgetID == widgetID }
            // What is listed among the kids and is no widget belongs to others.
            guard let widget = try document.object(widgetID).dictionaryValue,
                try look != nil || document.value(widget, "Subtype").nameValue == "Widget"
            else { continue }
            let appearanceID = update.allocate()
            update.set(
                appearanceID, .stream(look?.appearance ?? NewSignatureField.emptyAppearance()))
            let appearance: PDFDictionary = ["N": .reference(appearanceID)]
            if let look { shown.append((widgetID, look, appearanceID)) }
            if widgetID == field.id {
                dictionary["AP"] = .dictionary(appearance)
                dictionary["AS"] = nil
            } else {
                var changed = widget
                changed["AP"] = .dictionary(appearance)
                changed["AS"] = nil
                update.set(widgetID, .dictionary(changed))
            }
        }
        update.set(field.id, .dictionary(dictionary))
        if form.needsMarking() { try form.rewrite(adding: [], in: document, &update) }
        return Holder(field: field.id, widgets: field.widgetIDs, shown: shown)
    }
}
