package import PDFCore

/// What makes the look of a document depend on more than its signed bytes: on scripts, on files
/// elsewhere, on the reader's fonts or state (ISO 32000-2 §12.8.7), or on later additions.
package struct DynamicContent: Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case javascript
        /// Actions that change what is shown, or start something.
        case action
        case externalStream = "external-stream"
        case referenceXObject = "reference-xobject"
        case alternateImage = "alternate-image"
        case layer
        /// Layers that printing, viewing or exporting switches.
        case layerByEvent = "layer-by-event"
        case hiddenAnnotation = "hidden-annotation"
        case danglingReference = "dangling-reference"
        case fontNotEmbedded = "font-not-embedded"
        /// One of the 14 that every reader has: too frequent to be warned of.
        case standardFont = "standard-font"
        case needAppearances = "need-appearances"
        case xfa
        case embeddedFile = "embedded-file"
        case multimedia

        /// Whether people are told without asking.
        package var deservesWarning: Bool { self != .standardFont }
    }

    package struct Finding: Sendable {
        package let code: Code
        /// One line, lower case, no full stop.
        package let message: String
    }

    /// How much is looked at.
    package enum Effort: Sendable {
        /// What costs next to nothing.
        case quick
        case thorough

        fileprivate var objectCount: Int {
            switch self {
            case .quick: 200
            case .thorough: 200_000
            }
        }
    }

    /// At most one for each code, in the order of the codes.
    package let findings: [Finding]
    /// Whether all was looked at that there is.
    package let isComplete: Bool

    package init(of document: PDFDocument, effort: Effort) {
        var search = DynamicContentSearch(document, objectCount: effort.objectCount)
        search.run()
        findings = Code.allCases.compactMap { code in
            search.found[code].map { found in
                let more = found.count > 1 ? " (and \(found.count - 1) more)" : ""
                return Finding(code: code, message: found.first + more)
            }
        }
        isComplete = search.isComplete
    }

    /// What people are warned of.
    package var warnings: [String] {
        findings.filter(\.code.deservesWarning).map(\.message)
    }
}

/// One walk through a document, within a budget.
private struct DynamicContentSearch {
    private let document: PDFDocument
    private var remaining: Int
    private(set) var isComplete = true
    private(set) var found: [DynamicContent.Code: (first: String, count: Int)] = [:]
    private var seen: Set<ObjectID> = []

    /// Actions that follow one another.
    private static let actionLimit = 32
    /// Forms inside forms.
    private static let nesting = 8
    /// Hidden, NoView and ToggleNoView (ISO 32000-2 Table 167).
    private static let unseenFlags = 2 | 32 | 256
    /// Types of actions that change what is shown or start something (ISO 32000-2 Table 201).
    private static let effects: Set<PDFName> = [
        "Launch", "ImportData", "Hide", "SetOCGState", "Rendition", "Movie", "Sound", "ResetForm",
        "RichMediaExecute", "GoTo3DView",
    ]
    private static let media: Set<PDFName> = ["Screen", "Movie", "Sound", "RichMedia", "3D"]

    init(_ document: PDFDocument, objectCount: Int) {
        self.document = document
        remaining = objectCount
    }

    mutating func run() {
        guard let catalog = try? document.catalog() else { return }
        lookAtCatalog(catalog)
        if let form = dictionary(catalog["AcroForm"]) { lookAt(form: form) }
        lookAtLayers(dictionary(catalog["OCProperties"]))
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
        action(catalog["OpenAction"], "when the document is opened")
        triggers(catalog["AA"], "of the document")
        if let names = dictionary(catalog["Names"]) {
            if let tree = dictionary(names["JavaScript"]), hasEntries(tree) {
                note(.javascript, "a script runs when the document is opened")
            }
            if let tree = dictionary(names["EmbeddedFiles"]), hasEntries(tree) {
                note(.embeddedFile, "files are embedded in the document")
            }
        }
        if dictionary(catalog["Collection"]) != nil {
            note(.embeddedFile, "the document is a collection of embedded files")
        }
    }

    private mutating func lookAt(form: PDFDictionary) {
        if form["XFA"] != nil {
            note(.xfa, "an XFA form: some readers show that instead of the pages")
        }
        if value(form["NeedAppearances"]).booleanValue == true {
            note(
                .needAppearances,
                "viewers draw the form's fields themselves (NeedAppearances): their look is not signed"
            )
        }
        var pending = Array(array(form["Fields"]).reversed())
        while let entry = pending.popLast(), remaining > 0 {
            guard isNew(entry), let field = dictionary(entry) else { continue }
            let name = value(field["T"]).stringValue.map {
                PDFString(bytes: $0, isHexadecimal: false).text
            }
            triggers(field["AA"], "in the field '\(name ?? "")'")
            pending += array(field["Kids"]).reversed()
        }
        if !pending.isEmpty { isComplete = false }
    }

    private mutating func lookAtLayers(_ properties: PDFDictionary?) {
        guard let properties, !array(properties["OCGs"]).isEmpty else { return }
        note(.layer, "layers that a reader can switch on and off")
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
            if let annotation = dictionary(entry) { lookAt(annotation: annotation, place) }
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
        if subtype != "Widget", subtype != "Popup", dictionary(annotation["AP"]) != nil,
            (value(annotation["F"]).integerValue ?? 0) & Self.unseenFlags != 0
        {
            note(.hiddenAnnotation, "a hidden annotation (\(subtype)) \(place)")
        }
    }

    private mutating func lookAt(_ resources: PDFDictionary, _ place: String, depth: Int) {
        for entry in dictionary(resources["Font"])?.entries ?? [] {
            guard isNew(entry.value), let font = dictionary(entry.value) else { continue }
            lookAt(font: font, place)
        }
        for entry in dictionary(resources["XObject"])?.entries ?? [] where isNew(entry.value) {
            lookAt(stream: entry.value, place, depth: depth + 1)
        }
    }

    private mutating func lookAt(stream entry: PDFObject, _ place: String, depth: Int = 0) {
        guard let stream = value(entry).streamValue?.dictionary else { return }
        if stream["F"] != nil { note(.externalStream, "content from another file \(place)") }
        if stream["Alternates"] != nil { note(.alternateImage, "an alternate image \(place)") }
        if stream["Ref"] != nil {
            note(.referenceXObject, "a page of another document is shown \(place)")
        }
        guard depth > 0, let resources = dictionary(stream["Resources"]) else { return }
        guard depth < Self.nesting else {
            isComplete = false
            return
        }
        lookAt(resources, place, depth: depth)
    }

    /// The names of the 14 fonts that need not be embedded (ISO 32000-2 §9.6.2.2).
    private static let standardFonts: Set<String> = [
        "Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique", "Helvetica",
        "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique", "Times-Roman",
        "Times-Bold", "Times-Italic", "Times-BoldItalic", "Symbol", "ZapfDingbats",
    ]

    private mutating func lookAt(font: PDFDictionary, _ place: String) {
        let subtype = value(font["Subtype"]).nameValue
        guard subtype != "Type3" else { return }
        var descriptor = dictionary(font["FontDescriptor"])
        if subtype == "Type0", let first = array(font["DescendantFonts"]).first {
            descriptor = dictionary(dictionary(first)?["FontDescriptor"])
        }
        let files: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]
        if let descriptor, files.contains(where: { descriptor[$0] != nil }) { return }
        let name = value(font["BaseFont"]).nameValue?.description ?? "without name"
        if Self.standardFonts.contains(name) {
            note(
                .standardFont, "the font \(name) is not embedded, but every reader has one like it")
        } else {
            note(.fontNotEmbedded, "the font \(name) is not embedded: readers show another one")
        }
    }

    private mutating func triggers(_ entry: PDFObject?, _ place: String) {
        for trigger in dictionary(entry)?.entries ?? [] { action(trigger.value, place) }
    }

    private mutating func action(_ entry: PDFObject?, _ place: String) {
        guard let entry else { return }
        var pending = [entry]
        var count = 0
        while let next = pending.popLast(), count < Self.actionLimit {
            count += 1
            // An array is a destination.
            guard let action = dictionary(next) else { continue }
            let type = value(action["S"]).nameValue ?? ""
            if type == "JavaScript" || action["JS"] != nil {
                note(.javascript, "a script runs \(place)")
            } else if Self.effects.contains(type) {
                note(.action, "an action (\(type)) \(place)")
            }
            guard let following = action["Next"] else { continue }
            let several = array(following)
            pending += several.isEmpty ? [following] : several
        }
    }

    // MARK: Reading

    private mutating func note(_ code: DynamicContent.Code, _ message: String) {
        found[code] = (found[code]?.first ?? message, (found[code]?.count ?? 0) + 1)
    }

    private mutating func isNew(_ entry: PDFObject) -> Bool {
        guard let id = entry.referenceValue else { return true }
        return seen.insert(id).inserted
    }

    /// What an entry is; null beyond the budget, and for what cannot be read.
    private mutating func value(_ entry: PDFObject?) -> PDFObject {
        guard let entry else { return .null }
        guard let id = entry.referenceValue else { return entry }
        guard remaining > 0 else {
            isComplete = false
            return .null
        }
        remaining -= 1
        if (try? document.definition(of: id.number) == nil) == true {
            note(
                .danglingReference,
                "object \(id.number) is referred to and missing: a later addition could bring it")
        }
        return (try? document.resolve(entry)) ?? .null
    }

    private mutating func dictionary(_ entry: PDFObject?) -> PDFDictionary? {
        value(entry).dictionaryValue
    }

    private mutating func array(_ entry: PDFObject?) -> [PDFObject] {
        value(entry).arrayValue ?? []
    }

    private mutating func hasEntries(_ tree: PDFDictionary) -> Bool {
        !array(tree["Names"]).isEmpty || !array(tree["Kids"]).isEmpty
    }
}
