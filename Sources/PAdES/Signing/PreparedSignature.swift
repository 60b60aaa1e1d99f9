import ByteKit
package import PDFCore

/// The bytes that a signature covers: two spans around the gap that holds the signature
/// (ISO 32000-2 §12.8.1).
package struct ByteRange: Hashable, Sendable {
    /// First span, from the first byte of the file.
    package let first: Range<Int>
    /// Second span, behind the gap.
    package let second: Range<Int>

    package init(first: Range<Int>, second: Range<Int>) {
        self.first = first
        self.second = second
    }

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

/// An incremental update with an empty signature: everything is final but the signature's value.
///
/// The signed bytes are the original file, then `headBytes`, then `tailBytes`; in between lies the
/// gap, which `embed` fills.
package struct PreparedSignature {
    /// All bytes to append to the original file.
    package private(set) var bytes: [UInt8]
    package let byteRange: ByteRange
    /// The widgets and what is drawn in them, in the order of the looks.
    private(set) var shown: [(widget: ObjectID, look: SignatureLook, appearance: ObjectID)] = []
    /// The numbers of the objects that are new.
    package let newNumbers: [Int]
    /// The objects that the document had, and that are written anew.
    package let changedObjects: Set<ObjectID>
    /// Whether viewers need not draw the form's fields any more: all have their looks.
    package var settlesAppearances: Bool { settledAppearances != nil }
    /// What the one who signs has to know of that.
    package let settledAppearances: String?
    private let originalByteCount: Int
    private let signatureID: ObjectID
    private let gap: Range<Int>

    package var headBytes: ArraySlice<UInt8> { bytes[..<gap.lowerBound] }
    package var tailBytes: ArraySlice<UInt8> { bytes[gap.upperBound...] }

    /// Lays out the update that signs `target`.
    ///
    /// - Parameters:
    ///   - looks: the stamp in each widget; none leaves the signature invisible.
    ///   - kind: what the signature dictionary says.
    ///   - update: may already hold objects that the look refers to.
    ///   - reservedByteCount: bytes kept for the CMS, an integrity code included.
    ///   - isSealed: whether the signature is to carry an integrity code.
    ///   - fileIdentifier: 16 random bytes for the second half of the trailer's /ID.
    package init(
        document: PDFDocument, form: AcroForm, target: SignatureTarget, looks: [SignatureLook],
        kind: SignatureKind, reservedByteCount: Int, isSealed: Bool = false,
        update: IncrementalUpdate,
        fileIdentifier: [UInt8]
    ) throws {
        var update = update
        let signatureID = update.allocate()
        self.signatureID = signatureID
        let signature = try SignatureDictionary(
            kind, reservedByteCount: reservedByteCount,
            catalogID: try document.catalogID
        ) { text throws(PDFError) in try document.encrypted(text, in: signatureID) }
        update.set(signatureID, .verbatim(signature.bytes))
        if isSealed { update.setTrailer("AuthCode", IntegritySeal.entry(for: signatureID)) }
        var certifies = false
        if case .signature(let properties) = kind {
            certifies = properties.restriction.certification != nil
        }
        if certifies { try Self.certify(signatureID, in: document, &update) }
        for (id, object) in looks.flatMap(\.resources) { update.set(id, object) }
        // Nobody has signed yet how the form is drawn, and time stamps are for programs.
        var missingLooks: MissingLooks?
        if case .signature = kind, try !form.hasSignature(in: document) {
            var stamped: ObjectID?
            if case .existing(let field) = target, !looks.isEmpty { stamped = field.id }
            missingLooks = try MissingLooks(of: form, except: stamped, in: document)
            try missingLooks?.add(to: &update)
        }
        settledAppearances = missingLooks?.note
        let settlesAppearances = missingLooks != nil

        let holder: ObjectID
        var widgets: [ObjectID] = []
        switch target {
        case .existing(let field):
            (holder, widgets) = (field.id, field.widgetIDs)
            shown = try Self.fill(
                field, signatureID: signatureID, looks: looks, in: document, &update)
            if form.needsMarking || settlesAppearances {
                try form.rewrite(
                    adding: nil, settlesAppearances: settlesAppearances, in: document, &update)
            }
        case .new(let name):
            let look = looks.first
            // A document without pages can be signed all the same: the field is on none.
            let page = try look?.page ?? (document.pageCount() > 0 ? document.page(at: 0) : nil)
            let fieldID = update.allocate()
            holder = fieldID
            let appearanceID = update.allocate()
            update.set(appearanceID, .stream(look?.appearance ?? Self.emptyAppearance))
            if let look { shown = [(fieldID, look, appearanceID)] }
            var field = Self.newField(
                name: name, signatureID: signatureID, appearanceID: appearanceID,
                rect: look?.rect ?? [0, 0, 0, 0], pageID: page?.id)
            if let page {
                var isTagged = false
                // Time stamps are for programs, and certified documents permit no tags for them.
                // Some validators count new tags as a change to what others have signed.
                if case .signature = kind, try !form.hasSignature(in: document) {
                    isTagged = Self.tag(&field, fieldID, on: page, in: document, &update)
                }
                try Self.append(
                    fieldID, toAnnotationsOf: page, isTagged: isTagged, in: document, &update)
            }
            update.set(fieldID, .dictionary(field))
            try form.rewrite(
                adding: fieldID, settlesAppearances: settlesAppearances, in: document, &update)
        }

        try Self.requireSoleRoles(
            of: holder, widgets: widgets, for: signatureID, certifies: certifies, form: form,
            in: document, update)
        let serialized = try update.serialize(fileIdentifier: fileIdentifier)
        bytes = serialized.bytes
        originalByteCount = serialized.startOffset
        newNumbers = serialized.newNumbers
        let new = Set(serialized.newNumbers)
        changedObjects = Set(serialized.bodyOffsets.keys.filter { !new.contains($0.number) })
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

    /// Reads the finished file as those do who repair nothing, where the document was repaired in any
    /// way: what is signed must open.
    ///
    /// - Throws: ``PDFError`` or `malformedForm` when it would not, or has not what was signed.
    package func requireReadable(after document: PDFDocument) throws {
        guard !document.warnings.isEmpty else { return }
        let revised = try document.revised(by: bytes, repair: .never)
        let form = try AcroForm(of: revised)
        let isNamed = form.signatureFields.contains {
            $0.value?.referenceValue == signatureID
        }
        guard isNamed, try revised.object(signatureID).dictionaryValue != nil else {
            throw PAdESError(
                .malformedForm, "readers that repair nothing would not find the signature")
        }
        let count = try revised.pageCount()
        if count > 0 { _ = try revised.page(at: 0) }
        guard try count == document.pageCount() else {
            throw PAdESError(
                .malformedForm, "readers that repair nothing would find \(count) pages, not all")
        }
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

    /// Print and Locked: what PDF/A allows and Acrobat writes (ISO 32000-2 §12.5.3).
    private static let annotationFlags = 132

    private static var emptyAppearance: PDFStream {
        var dictionary = PDFDictionary()
        dictionary["Type"] = .name("XObject")
        dictionary["Subtype"] = .name("Form")
        dictionary["BBox"] = .array([.integer(0), .integer(0), .integer(0), .integer(0)])
        return PDFStream(dictionary: dictionary, data: [])
    }

    private static func newField(
        name: String, signatureID: ObjectID, appearanceID: ObjectID, rect: [Double],
        pageID: ObjectID?
    ) -> PDFDictionary {
        var field = PDFDictionary()
        field["Type"] = .name("Annot")
        field["Subtype"] = .name("Widget")
        field["FT"] = .name("Sig")
        field["T"] = .string(.text(name))
        field["V"] = .reference(signatureID)
        field["Rect"] = .array(rect.map { .number($0) })
        field["P"] = pageID.map { .reference($0) }
        field["F"] = .integer(annotationFlags)
        var appearance = PDFDictionary()
        appearance["N"] = .reference(appearanceID)
        field["AP"] = .dictionary(appearance)
        return field
    }

    /// What a screen reader says of the field.
    private static let fieldDescription = "Digital signature"

    /// Puts a new field into the structure tree of a tagged document.
    ///
    /// - Returns: false where there is no tree, or none that can be understood: a signature does
    ///   not fail for want of tags.
    private static func tag(
        _ field: inout PDFDictionary, _ fieldID: ObjectID, on page: PDFPage,
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) -> Bool {
        var attempt = update
        guard
            let key = try? StructureTree(of: document, in: update)?.tag(
                [(fieldID, page.id)], as: "Form", description: fieldDescription, &attempt)
        else { return false }
        update = attempt
        field["StructParent"] = .integer(key)
        field["TU"] = .string(.text(fieldDescription))
        return true
    }

    /// Gives an existing field its value, and every widget its look: none keeps what others drew.
    ///
    /// - Returns: the widgets that show something.
    private static func fill(
        _ field: FormField, signatureID: ObjectID, looks: [SignatureLook],
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws -> [(widget: ObjectID, look: SignatureLook, appearance: ObjectID)] {
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
            update.set(appearanceID, .stream(look?.appearance ?? emptyAppearance))
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
        return shown
    }

    /// Adds a widget to the page's own array of annotations. An array that is an object may have
    /// other uses: the annotations of another page, the fields of the form, kids.
    private static func append(
        _ widgetID: ObjectID, toAnnotationsOf page: PDFPage, isTagged: Bool,
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws {
        var dictionary = update.pending(page.id)?.dictionaryValue ?? page.dictionary
        let annotations = try document.annotations(of: dictionary, on: page.id)
        dictionary["Annots"] = .array((annotations ?? []) + [.reference(widgetID)])
        // The first annotation of a tagged page: in the order of the tags (PDF/UA-1 §7.18.3).
        if isTagged, annotations == nil, dictionary["Tabs"] == nil {
            dictionary["Tabs"] = .name("S")
        }
        update.set(page.id, .dictionary(dictionary))
    }
}

extension AcroForm {
    /// A form that has no field yet. Where there is a form some readers look in it for the fonts of
    /// annotations without a look of their own, and show no text where they find none.
    private static let newForm: PDFDictionary = [
        "DA": .string(.text("/Helv 0 Tf 0 g")),
        "DR": .dictionary([
            "Font": .dictionary([
                "Helv": .dictionary([
                    "Type": .name("Font"), "Subtype": .name("Type1"),
                    "BaseFont": .name("Helvetica"), "Encoding": .name("WinAnsiEncoding"),
                ])
            ])
        ]),
    ]

    /// SignaturesExist and AppendOnly (ISO 32000-2 Table 225).
    private static let signatureFlags = 3

    /// Whether the form has to be rewritten even when no field is added.
    fileprivate var needsMarking: Bool {
        (dictionary["SigFlags"]?.integerValue ?? 0) & Self.signatureFlags != Self.signatureFlags
    }

    /// Adds a field and the flags.
    fileprivate func rewrite(
        adding fieldID: ObjectID?, settlesAppearances: Bool, in document: PDFDocument,
        _ update: inout IncrementalUpdate
    ) throws {
        // PDF/A wants no font that is not embedded, and its annotations have looks.
        let new = document.archivalPart == nil ? Self.newForm : [:]
        var form = exists ? dictionary : new
        if settlesAppearances { form["NeedAppearances"] = nil }
        if let fieldID {
            guard pageInForm == nil else {
                throw PAdESError(
                    .malformedForm,
                    "a part of the form (\(pageInForm ?? ObjectID(number: 0))) is a part of the page "
                        + "tree too: a new field would become a page")
            }
            // Not into an array that is an object: a page may have it for its annotations.
            form["Fields"] = .array(fieldReferences + [.reference(fieldID)])
        }
        if needsMarking {
            let flags = dictionary["SigFlags"]?.integerValue ?? 0
            form["SigFlags"] = .integer(flags | Self.signatureFlags)
        }
        guard form != dictionary || !exists else { return }
        if let id {
            update.set(id, .dictionary(form))
        } else {
            try update.changeCatalog(of: document) { $0["AcroForm"] = .dictionary(form) }
        }
    }
}

extension IncrementalUpdate {
    /// Changes the catalog as it stands in the update so far.
    mutating func changeCatalog(
        of document: PDFDocument, _ change: (inout PDFDictionary) -> Void
    ) throws {
        let id = try document.catalogID
        var catalog = try pending(id)?.dictionaryValue ?? document.catalog()
        change(&catalog)
        set(id, .dictionary(catalog))
    }
}
