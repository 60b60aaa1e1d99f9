import Base
package import PDFCore

/// The bytes that a signature covers: two spans around the Contents placeholder (ISO 32000-2
/// §12.8.1).
package struct ByteRange: Hashable, Sendable {
    /// First span, from the first byte of the file.
    package let first: Range<Int>
    /// Second span, after the placeholder.
    package let second: Range<Int>

    package var gap: Range<Int> { first.upperBound..<second.lowerBound }
}

extension ByteRange {
    /// A range that begins at the first byte and leaves out one gap; nil for any other.
    init?(_ numbers: [Int], in byteCount: Int) {
        guard numbers.count == 4, numbers[0] == 0, numbers[1] > 0, numbers[2] > numbers[1],
            numbers[3] > 0, let end = numbers[2].addingChecked(numbers[3]), end <= byteCount
        else { return nil }
        self.init(first: 0..<numbers[1], second: numbers[2]..<end)
    }
}

/// The appearance of a visible signature and its position.
package struct SignatureAppearance: Sendable {
    /// The widget of an existing field; nil for a new one.
    package let widgetID: ObjectID?
    package let page: PDFPage
    /// The page's number, from 1; nil if no page lists the widget.
    package let pageNumber: Int?
    /// /Rect of a new widget, in user space.
    package let rect: [Double]
    package let appearance: PDFStream
    /// Further objects that the appearance refers to.
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

package struct NewSignature {
    /// The field to sign.
    package let target: SignatureTarget
    /// The entries of the signature dictionary.
    package let kind: SignatureKind
    /// The appearance for each widget; an empty list makes the signature invisible.
    package let appearances: [SignatureAppearance]
    /// Bytes reserved for the CMS, including a MAC.
    package let reservedByteCount: Int
    /// Whether the signature contains a MAC.
    package let isSealed: Bool

    package init(
        in target: SignatureTarget, _ kind: SignatureKind, appearances: [SignatureAppearance] = [],
        reservedByteCount: Int, isSealed: Bool = false
    ) {
        self.target = target
        self.kind = kind
        self.appearances = appearances
        self.reservedByteCount = reservedByteCount
        self.isSealed = isSealed
    }

    fileprivate var certifies: Bool {
        guard case .signature(let properties) = kind else { return false }
        return properties.restriction.certification != nil
    }
}

/// An incremental update with an empty Contents placeholder: only the signature value is missing.
///
/// The signed bytes are the original file, `headBytes` and `tailBytes`; `embed` fills the
/// placeholder between them.
package struct PreparedSignature: PreparedUpdate {
    /// All bytes to append to the original file.
    package private(set) var bytes: [UInt8]
    package let byteRange: ByteRange
    package let reservedByteCount: Int
    /// The visible widgets, each with its placement and its appearance stream.
    private(set) var shown:
        [(widget: ObjectID, placed: SignatureAppearance, appearance: ObjectID)] = []
    private let originalByteCount: Int
    private let signatureID: ObjectID
    private let gap: Range<Int>

    package var headBytes: ArraySlice<UInt8> { bytes[..<gap.lowerBound] }
    package var tailBytes: ArraySlice<UInt8> { bytes[gap.upperBound...] }

    /// Prepares the incremental update that signs a field.
    ///
    /// - Parameters:
    ///   - update: may already contain objects that the appearances refer to.
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
            new.kind, reservedByteCount: new.reservedByteCount, catalogID: try document.catalogID
        ) { text throws(PDFError) in try document.encrypted(text, in: signatureID) }
        update.set(signatureID, .verbatim(signature.bytes))
        if new.isSealed { update.setTrailer("AuthCode", IntegritySeal.entry(for: signatureID)) }
        if new.certifies { try Self.certify(signatureID, in: document, &update) }
        for (id, object) in new.appearances.flatMap(\.resources) { update.set(id, object) }
        // Timestamps are invisible, and certified documents forbid tags and appearances for them.
        var isFirst = false
        if case .signature = new.kind { isFirst = try !form.hasSignature(in: document) }
        let filling = FieldFilling(
            document: document, form: form, signatureID: signatureID, appearances: new.appearances,
            isFirst: isFirst)
        let holder =
            switch new.target {
            case .existing(let field): try filling.fill(field, in: &update)
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

    /// Writes the signature's value into the placeholder, followed by zeros.
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

    /// Refers to the certification signature in the catalog (ISO 32000-2 §12.8.6).
    private static func certify(
        _ signatureID: ObjectID, in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws {
        let catalog = try document.catalog()
        var permissions = try document.value(catalog, "Perms").dictionaryValue ?? PDFDictionary()
        permissions["DocMDP"] = .reference(signatureID)
        try update.changeCatalog(of: document) { $0["Perms"] = .dictionary(permissions) }
    }
}

private struct FieldFilling {
    /// The field and its visible widgets.
    struct Holder {
        let field: ObjectID
        /// The widgets of an existing field.
        var widgets: [ObjectID] = []
        var shown: [(widget: ObjectID, placed: SignatureAppearance, appearance: ObjectID)] = []
    }

    let document: PDFDocument
    let form: AcroForm
    let signatureID: ObjectID
    let appearances: [SignatureAppearance]
    /// Whether it is the first signature: some validators treat new structure elements as changes
    /// to a signed document.
    let isFirst: Bool

    func add(_ name: String, _ update: inout IncrementalUpdate) throws -> Holder {
        let placed = appearances.first
        // A document without pages can have a field, but no page lists it.
        let page = try placed?.page ?? (document.pageCount() > 0 ? document.page(at: 0) : nil)
        let field = NewSignatureField(
            name: name, page: page, pageNumber: placed?.pageNumber,
            rect: placed?.rect ?? [0, 0, 0, 0])
        let added = try field.add(
            signature: signatureID, appearance: placed?.appearance, isTagged: isFirst, to: &update,
            of: document)
        try form.rewrite(adding: [added.field], in: document, &update)
        return Holder(
            field: added.field, shown: placed.map { [(added.field, $0, added.appearance)] } ?? [])
    }

    /// Sets the value of an existing field and the appearance of every widget.
    func fill(_ field: FormField, in update: inout IncrementalUpdate) throws -> Holder {
        var shown: [(widget: ObjectID, placed: SignatureAppearance, appearance: ObjectID)] = []
        var dictionary = field.dictionary
        dictionary["V"] = .reference(signatureID)
        for widgetID in field.widgetIDs where !appearances.isEmpty {
            let placed = appearances.first { $0.widgetID == widgetID }
            // Other kids than widgets are left unchanged.
            guard let widget = try document.object(widgetID).dictionaryValue,
                try placed != nil || document.value(widget, "Subtype").nameValue == "Widget"
            else { continue }
            let appearanceID = update.allocate()
            update.set(
                appearanceID, .stream(placed?.appearance ?? NewSignatureField.emptyAppearance()))
            let appearance: PDFDictionary = ["N": .reference(appearanceID)]
            if let placed { shown.append((widgetID, placed, appearanceID)) }
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
