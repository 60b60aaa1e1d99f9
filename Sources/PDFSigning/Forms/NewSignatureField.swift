package import Base
package import PDFCore

/// A new signature field, signed in the same update or left empty.
package struct NewSignatureField {
    package let name: String
    /// The page that lists it; nil in a document without pages.
    package let page: PDFPage?
    /// The page's number, from 1.
    package let pageNumber: Int?
    /// Left, bottom, right, top in user space; a box without an area is invisible.
    package let rect: [Double]
    /// The tooltip of the field (/TU), also read by screen readers.
    package var tooltip: String?
    package var isRequired = false
    /// The lock of its future signature (ISO 32000-2 Table 236).
    package var lock: SignatureLock?
    /// Changes that its signature will permit, given with the lock.
    package var lockLevel: DocMDPPermission?
    package var constraints: SignatureConstraints?

    package init(name: String, page: PDFPage?, pageNumber: Int? = nil, rect: [Double]) {
        self.name = name
        self.page = page
        self.pageNumber = pageNumber
        self.rect = rect
    }

    /// Print and Locked, as PDF/A permits and Acrobat writes (ISO 32000-2 §12.5.3).
    private static let annotationFlags = 132
    /// The description for screen readers.
    private static let fieldDescription = "Digital signature"

    /// Adds the field with its widget to the update. The caller must add the field to the form's
    /// /Fields array.
    ///
    /// - Parameters:
    ///   - signature: the value; nil leaves the field empty.
    ///   - appearance: the appearance stream; nil for an empty one.
    ///   - isTagged: whether a tagged document gets a structure element for it.
    package func add(
        signature: ObjectID? = nil, appearance: PDFStream? = nil, isTagged: Bool,
        to update: inout IncrementalUpdate, of document: PDFDocument
    ) throws -> (field: ObjectID, appearance: ObjectID) {
        let fieldID = update.allocate()
        let appearanceID = update.allocate()
        let empty = Self.emptyAppearance(width: rect[2] - rect[0], height: rect[3] - rect[1])
        update.set(appearanceID, .stream(appearance ?? empty))
        var field: PDFDictionary = [
            "Type": .name("Annot"), "Subtype": .name("Widget"), "FT": .name("Sig"),
            "T": .string(.text(name)),
        ]
        field["V"] = signature.map { .reference($0) }
        field["Rect"] = .array(rect.map { .number($0) })
        field["P"] = page.map { .reference($0.id) }
        field["F"] = .integer(Self.annotationFlags)
        field["AP"] = .dictionary(["N": .reference(appearanceID)])
        if isRequired { field["Ff"] = .integer(FieldFlags.required) }
        field["TU"] = tooltip.map { .string(.text($0)) }
        field["Lock"] = lockDictionary.map { .reference(update.add(.dictionary($0))) }
        field["SV"] = constraints.map { .reference(update.add(.dictionary($0.dictionary))) }
        if let page {
            let hasTag = isTagged && tag(&field, fieldID, on: page, in: document, &update)
            try update.append(fieldID, toAnnotationsOf: page, isTagged: hasTag, in: document)
        }
        update.set(fieldID, .dictionary(field))
        return (fieldID, appearanceID)
    }

    private var lockDictionary: PDFDictionary? {
        guard lock != nil || lockLevel != nil else { return nil }
        var dictionary: PDFDictionary = ["Type": .name("SigFieldLock")]
        // A lock level without field names is written as a lock of no fields, because Table 236
        // requires /Action.
        for entry in (lock ?? .only([])).entries.entries { dictionary[entry.key] = entry.value }
        dictionary["P"] = lockLevel.map { .integer($0.p) }
        return dictionary
    }

    static func emptyAppearance(width: Double = 0, height: Double = 0) -> PDFStream {
        PDFStream(
            dictionary: [
                "Type": .name("XObject"), "Subtype": .name("Form"),
                "BBox": .array([.integer(0), .integer(0), .number(width), .number(height)]),
            ], data: [])
    }

    /// Adds a new field to the structure tree of a tagged document.
    ///
    /// - Returns: false if there is no usable structure tree, which does not prevent signing.
    private func tag(
        _ field: inout PDFDictionary, _ fieldID: ObjectID, on page: PDFPage,
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) -> Bool {
        var attempt = update
        let description = tooltip ?? Self.fieldDescription
        guard
            let key = try? StructureTree(of: document, in: update)?.tag(
                [(fieldID, page.id)], as: "Form", description: description, &attempt)
        else { return false }
        update = attempt
        field["StructParent"] = .integer(key)
        field["TU"] = .string(.text(description))
        return true
    }
}

extension AcroForm {
    /// A form without fields. Some viewers use the fonts of an existing form for annotations
    /// without an appearance, and show no text without such fonts.
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
    static let signedFlags = 3
    /// Only SignaturesExist: without AppendOnly, a program that fills in the form may rewrite the
    /// whole file.
    package static let fieldFlags = 1

    /// Whether the form must be rewritten for these flags even if no field is added.
    func needsMarking(_ flags: Int = signedFlags) -> Bool {
        (dictionary["SigFlags"]?.integerValue ?? 0) & flags != flags
    }

    func rewrite(
        adding fieldIDs: [ObjectID], flags: Int = signedFlags,
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws {
        // PDF/A forbids fonts that are not embedded, and its annotations have appearances. If
        // a document only claims PDF/A, annotations without an appearance need the form's fonts.
        let isBare = try !exists && document.archivalPart != nil && !DrawnByForm.isAny(in: document)
        var form = exists ? dictionary : isBare ? [:] : Self.newForm
        if !fieldIDs.isEmpty {
            guard pageInForm == nil else {
                throw PAdESError(
                    .malformedForm,
                    "the file is damaged: object \(pageInForm ?? ObjectID(number: 0)) belongs to the form and to "
                        + "the pages, so no field can be added")
            }
            // An indirect array may also be a page's list of annotations.
            form["Fields"] = .array(fieldReferences + fieldIDs.map { .reference($0) })
        }
        if needsMarking(flags) {
            form["SigFlags"] = .integer((dictionary["SigFlags"]?.integerValue ?? 0) | flags)
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
    /// Adds an annotation to the page. An indirect /Annots array is replaced by a direct copy,
    /// because other objects may refer to it.
    mutating func append(
        _ annotation: ObjectID, toAnnotationsOf page: PDFPage, isTagged: Bool,
        in document: PDFDocument
    ) throws {
        var dictionary = pending(page.id)?.dictionaryValue ?? page.dictionary
        let annotations = try document.annotations(of: dictionary, on: page.id) ?? []
        dictionary["Annots"] = .array(annotations + [.reference(annotation)])
        // PDF/UA-1 §7.18.3 requires structure order for the annotations of a tagged page.
        if isTagged, annotations.isEmpty, dictionary["Tabs"] == nil {
            dictionary["Tabs"] = .name("S")
        }
        set(page.id, .dictionary(dictionary))
    }

    /// Changes the catalog, keeping its earlier changes in the update.
    package mutating func changeCatalog(
        of document: PDFDocument, _ change: (inout PDFDictionary) -> Void
    ) throws {
        let id = try document.catalogID
        var catalog = try pending(id)?.dictionaryValue ?? document.catalog()
        change(&catalog)
        set(id, .dictionary(catalog))
    }
}
