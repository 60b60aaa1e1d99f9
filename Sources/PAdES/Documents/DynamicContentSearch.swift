import ByteKit
import CryptoBridge
import PDFCore
import SignatureTerms

/// One walk through the keys and actions of a document, within a budget: first the known places, then every
/// object that the trailer leads to.
struct DynamicContentSearch {
    let document: PDFDocument
    var remaining: Int
    private let effort: DynamicContent.Effort
    /// Numbers that something refers to, and that no object has.
    private var missing: Set<Int> = []
    /// The form's own list of fields.
    var roots: Set<ObjectID> = []
    var knownKids: [ObjectID: Set<ObjectID>] = [:]
    var isComplete = true
    private(set) var found: [DocumentFinding: (first: String, count: Int)] = [:]
    private var seen: Set<ObjectID> = []

    /// Actions that follow one another.
    private static let actionLimit = 1000
    /// Forms inside forms.
    private static let nesting = 8
    private static let unseenFlags =
        AnnotationFlags.hidden | AnnotationFlags.noView | AnnotationFlags.toggleNoView
    /// Types of actions that change what is shown or start something (ISO 32000-2 Table 201).
    static let effects: Set<PDFName> = [
        "Launch", "ImportData", "Hide", "SetOCGState", "Rendition", "Movie", "Sound", "ResetForm",
        "RichMediaExecute", "GoTo3DView",
    ]
    /// Types of actions that do what a link is for, but not when nobody clicks.
    private static let unasked: Set<PDFName> = [
        "SubmitForm", "URI", "GoToR", "GoToE", "Named", "Thread", "Trans",
    ]
    /// Annotations that show without a look of their own, in some readers.
    private static let drawnByReaders: Set<PDFName> = [
        "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline",
        "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Redact", "Text", "Watermark",
    ]
    private static let media: Set<PDFName> = ["Screen", "Movie", "Sound", "RichMedia", "3D"]

    init(_ document: PDFDocument, _ effort: DynamicContent.Effort) {
        self.document = document
        self.effort = effort
        remaining = effort.objectCount(of: document)
    }

    mutating func run() {
        guard let catalog = try? document.catalog() else { return }
        lookAtCatalog(catalog)
        lookAtEncryption()
        lookAtLayers(dictionary(catalog["OCProperties"]))
        if let form = dictionary(catalog["AcroForm"]) {
            roots = Set(array(form["Fields"]).compactMap(\.referenceValue))
            lookAt(form: form)
        }
        lookAtPages()
        lookAtEverything()
        lookForWhatIsRemoved()
    }

    /// Some readers search the file for a number that nothing has, and show what they find.
    private mutating func lookForWhatIsRemoved() {
        guard document.source.byteCount <= effort.searchedByteCount,
            let found = try? document.differenceWhenRebuilt(for: missing.sorted())
        else { return }
        note(
            .rebuiltDifferently,
            "an object refers to \(found.words): viewers that reconstruct the cross-reference table may "
                + "show other content")
    }

    private mutating func lookAtPages() {
        let count = (try? document.pageCount()) ?? 0
        for index in 0..<count {
            guard remaining > 0 else {
                isComplete = false
                return
            }
            guard let page = try? document.page(at: index) else { continue }
            remaining -= 1
            lookAt(page, number: index + 1)
        }
    }

    // MARK: Looking

    private mutating func lookAtCatalog(_ catalog: PDFDictionary) {
        action(catalog["OpenAction"], "when the document is opened", isAskedFor: false)
        triggers(catalog["AA"], "of the document")
        if let names = dictionary(catalog["Names"]) {
            if let tree = dictionary(names["JavaScript"]), hasEntries(tree) {
                note(.javascript, "a script runs when the document is opened")
            }
            if let tree = dictionary(names["EmbeddedFiles"]), hasEntries(tree) {
                note(.embeddedFile, "files are embedded in the document")
            }
            if let tree = dictionary(names["Templates"]), hasEntries(tree) {
                note(.unusedPage, "pages that are not shown (templates)")
            }
            for key in ["AlternatePresentations", "Renditions"] as [PDFName] {
                guard let tree = dictionary(names[key]), hasEntries(tree) else { continue }
                note(.multimedia, "sound, film or a slide show (\(key))")
            }
        }
        if dictionary(catalog["Collection"]) != nil {
            note(.embeddedFile, "the document is a collection of embedded files")
        }
    }

    private mutating func lookAtEncryption() {
        if document.encryption?.keyDependsOnReader == true {
            note(
                .keyByReader,
                "viewers may derive another key from the encryption dictionary, and show another document"
            )
        }
        if document.encryption?.isDecryptedBySome == true {
            note(
                .keyByReader,
                "attached files alone are encrypted, for the holders of certificates: some viewers "
                    + "decrypt the pages too, and may show another document")
        }
        if document.encryption?.isIdle == true {
            note(
                .clearPart,
                "nothing in the document is encrypted, though it names an encryption: whoever has no "
                    + "key may have changed all of it")
        } else if document.encryption?.leavesStringsOpen == true {
            note(
                .clearPart,
                "what links lead to, fields hold and annotations say is not encrypted, as the pages "
                    + "are: whoever has no key may have put it there")
        } else if document.encryption?.hidesIntegrityCodeDemand == true {
            note(
                .clearPart,
                "attached files alone are encrypted: whether an integrity code of the rest was taken "
                    + "away can be told only with what opens them")
        }
        // Each may have been given another key. Nothing that was made with one of them tells: a tag of
        // AES-GCM can be right under two, an integrity code binds those who have its key. Within one
        // envelope too the few bytes of padding can be right under two.
        let count = (document.encryption?.envelopes ?? []).reduce(0) { count, envelope in
            count + ((try? EnvelopedData(envelope))?.recipientCount ?? 1)
        }
        guard count > 1 else { return }
        note(
            .recipientGroups,
            "encrypted for \(count) recipients: each may have been given another key, and be shown "
                + "another document")
    }

    /// How much of a field's name is read.
    private static let nameByteCount = 1000

    private mutating func lookAt(form: PDFDictionary) {
        if form["XFA"] != nil {
            note(.xfa, "an XFA form: some viewers show it instead of the pages")
        }
        if value(form["NeedAppearances"]).booleanValue == true {
            note(
                .needAppearances,
                "viewers generate the appearances of the form fields (NeedAppearances): they are not signed"
            )
        }
        var pending = Array(array(form["Fields"]).reversed())
        while let entry = pending.popLast(), remaining > 0 {
            guard isNew(entry), let field = dictionary(entry) else { continue }
            if field["AA"] != nil {
                // No more of it than is told: many fields can have one long name.
                let name = value(field["T"]).stringValue?.prefix(Self.nameByteCount) ?? []
                let text = PDFString(bytes: Array(name), isHexadecimal: false).text
                triggers(field["AA"], "in the field \(text.inQuotes)")
            }
            pending += array(field["Kids"]).reversed()
        }
        if !pending.isEmpty { isComplete = false }
    }

    private mutating func lookAtLayers(_ properties: PDFDictionary?) {
        guard let properties, !array(properties["OCGs"]).isEmpty else { return }
        note(.layer, "layers that a viewer can switch on and off")
        let others = array(properties["Configs"])
        for entry in [properties["D"]] + others.prefix(max(0, remaining)).map({ $0 }) {
            guard let configuration = dictionary(entry), !array(configuration["AS"]).isEmpty else {
                continue
            }
            note(.layerByEvent, "layers that are switched by viewing, printing or exporting")
        }
    }

    private mutating func lookAt(_ page: PDFPage, number: Int) {
        let place = "on page \(number)"
        triggers(page.dictionary["AA"], place)
        for entry in array(page.dictionary["Annots"]) {
            guard remaining > 0 else { break }
            guard let annotation = dictionary(entry) else { continue }
            lookAt(annotation: annotation, place)
            if value(annotation["Subtype"]).nameValue == "Widget", !isInForm(entry, annotation) {
                note(
                    .strayField,
                    "a form field \(place) that is not in the form: some viewers show it")
            }
        }
        if let resources = try? page.resources(in: document) { lookAt(resources, place, depth: 0) }
        let contents = page.dictionary["Contents"] ?? .null
        let streams = array(contents)
        for stream in streams.isEmpty ? [contents] : streams { lookAt(stream: stream, place) }
    }

    private mutating func lookAt(annotation: PDFDictionary, _ place: String) {
        action(annotation["A"], place)
        triggers(annotation["AA"], place)
        let subtype = value(annotation["Subtype"]).nameValue ?? ""
        if Self.media.contains(subtype) { note(.multimedia, "sound, film or a model \(place)") }
        if subtype == "FileAttachment" { note(.embeddedFile, "a file is attached \(place)") }
        let flags = AnnotationFlags(value(annotation["F"]))
        let looks = dictionary(annotation["AP"])
        if subtype != "Popup", let doubt = flags.doubt {
            note(.hiddenAnnotation, "an annotation (\(subtype)) \(place): \(doubt)")
        } else if subtype != "Widget", subtype != "Popup",
            looks != nil || Self.drawnByReaders.contains(subtype),
            flags.mayHave(Self.unseenFlags)
        {
            note(.hiddenAnnotation, "a hidden annotation (\(subtype)) \(place)")
        }
        if value(looks?["N"]) == .null, !flags.isSurelyHidden,
            Self.drawnByReaders.contains(subtype) || subtype == "Widget" && hasText(annotation)
        {
            let what = subtype == "Widget" ? "a form field" : "an annotation (\(subtype))"
            note(.noAppearance, "viewers generate the appearance of \(what) \(place)")
        }
        if subtype == "Redact" { note(.action, "a mark for text to be removed \(place)") }
        if subtype != "Widget", let looks,
            ["R", "D"].contains(where: { looks[$0] != nil && looks[$0] != looks["N"] })
        {
            note(
                .rollover,
                "an annotation (\(subtype)) has another appearance under the mouse (rollover) \(place)"
            )
        }
    }

    /// Whether a field shows text that has no look of its own.
    private mutating func hasText(_ widget: PDFDictionary) -> Bool {
        let type = value(widget["FT"]).nameValue
        guard type == "Tx" || type == "Ch", let text = value(widget["V"]).stringValue else {
            return false
        }
        return !text.isEmpty
    }

    private mutating func lookAt(_ resources: PDFDictionary, _ place: String, depth: Int) {
        for entry in dictionary(resources["Font"])?.entries ?? [] {
            guard isNew(entry.value), let font = dictionary(entry.value) else { continue }
            lookAt(font: font, place)
        }
        for entry in dictionary(resources["XObject"])?.entries ?? [] where isNew(entry.value) {
            lookAt(stream: entry.value, place, depth: depth + 1)
        }
        for entry in dictionary(resources["ExtGState"])?.entries ?? [] where isNew(entry.value) {
            guard let state = dictionary(entry.value) else { continue }
            lookAt(state: state, " " + place)
        }
    }

    private mutating func lookAt(stream entry: PDFObject, _ place: String, depth: Int = 0) {
        guard let stream = value(entry).streamValue?.dictionary else { return }
        if stream["F"] != nil { note(.externalStream, "content from another file \(place)") }
        if stream["Alternates"] != nil { note(.alternateImage, "an alternate image \(place)") }
        if stream["Ref"] != nil {
            note(.referenceXObject, "a page of another document is shown \(place)")
        }
        lookForPrinting(stream, " " + place)
        guard depth > 0, let resources = dictionary(stream["Resources"]) else { return }
        guard depth < Self.nesting else {
            isComplete = false
            return
        }
        lookAt(resources, place, depth: depth)
    }

    /// The names of the 14 fonts that need not be embedded (ISO 32000-2 §9.6.2.2).
    static let standardFonts: Set<String> = [
        "Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique", "Helvetica",
        "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique", "Times-Roman",
        "Times-Bold", "Times-Italic", "Times-BoldItalic", "Symbol", "ZapfDingbats",
    ]

    mutating func lookAt(font: PDFDictionary, _ place: String) {
        let subtype = value(font["Subtype"]).nameValue
        guard subtype != "Type3" else { return }
        var descriptor = dictionary(font["FontDescriptor"])
        if subtype == "Type0", let first = array(font["DescendantFonts"]).first {
            descriptor = dictionary(dictionary(first)?["FontDescriptor"])
        }
        for file in ["FontFile", "FontFile2", "FontFile3"] as [PDFName] {
            guard let stream = value(descriptor?[file]).streamValue else { continue }
            if stream.dictionary["F"] != nil {
                note(.externalStream, "a font from another file \(place)")
            }
            return
        }
        let name = value(font["BaseFont"]).nameValue?.description ?? "without name"
        if Self.standardFonts.contains(name) {
            note(
                .standardFont, "the font \(name) is not embedded, but every viewer has one like it")
        } else {
            note(.fontNotEmbedded, "the font \(name) is not embedded: viewers may substitute it")
        }
    }

    private mutating func triggers(_ entry: PDFObject?, _ place: String) {
        for trigger in dictionary(entry)?.entries ?? [] {
            action(trigger.value, place, isAskedFor: false)
        }
    }

    /// - Parameter isAskedFor: Whether somebody has to click for it.
    private mutating func action(_ entry: PDFObject?, _ place: String, isAskedFor: Bool = true) {
        guard let entry else { return }
        var pending = [entry]
        var seen: Set<ObjectID> = []
        var count = 0
        while let next = pending.popLast() {
            count += 1
            guard count < Self.actionLimit else {
                isComplete = false
                return
            }
            if let id = next.referenceValue, !seen.insert(id).inserted { continue }
            // An array is a destination.
            guard let action = dictionary(next) else { continue }
            let type = value(action["S"]).nameValue ?? ""
            if type == "JavaScript" || action["JS"] != nil {
                note(.javascript, "a script runs \(place)")
            } else if Self.effects.contains(type) || !isAskedFor && Self.unasked.contains(type) {
                note(.action, "an action (\(type)) \(place)")
            }
            guard let following = action["Next"] else { continue }
            let several = array(following)
            pending += several.isEmpty ? [following] : several
        }
    }

    // MARK: Reading

    mutating func note(_ code: DocumentFinding, _ message: String) {
        found[code] = (found[code]?.first ?? message, (found[code]?.count ?? 0) + 1)
    }

    /// Replaces the message of a finding.
    mutating func replaceMessage(_ code: DocumentFinding, _ message: String) {
        found[code] = (message, found[code]?.count ?? 1)
    }

    mutating func isNew(_ entry: PDFObject) -> Bool {
        guard let id = entry.referenceValue else { return true }
        return seen.insert(id).inserted
    }

    /// What an entry is; null beyond the budget, and for what cannot be read.
    mutating func value(_ entry: PDFObject?) -> PDFObject {
        guard let entry else { return .null }
        guard let id = entry.referenceValue else { return entry }
        guard remaining > 0 else {
            isComplete = false
            return .null
        }
        remaining -= 1
        noteIfMissing(id)
        return (try? document.resolve(entry)) ?? .null
    }

    mutating func noteIfMissing(_ id: ObjectID) {
        let definition: PDFDocument.Definition?
        do { definition = try document.definition(of: id.number) } catch { return }
        if definition == nil || definition?.location == .free { missing.insert(id.number) }
        guard definition == nil else { return }
        note(
            .danglingReference,
            "object \(id.number) is referred to and missing: a later addition could bring it")
    }

    mutating func dictionary(_ entry: PDFObject?) -> PDFDictionary? {
        value(entry).dictionaryValue
    }

    func name(_ entry: PDFObject?) -> PDFName? {
        guard let id = entry?.referenceValue else { return entry?.nameValue }
        return try? document.object(id).nameValue
    }

    mutating func array(_ entry: PDFObject?) -> [PDFObject] {
        value(entry).arrayValue ?? []
    }

    private mutating func hasEntries(_ tree: PDFDictionary) -> Bool {
        !array(tree["Names"]).isEmpty || !array(tree["Kids"]).isEmpty
    }
}
