import Base
import PDFCore
import PDFSigning

/// Searches the keys and actions of a document within a budget. It examines the known places first,
/// which messages name, and then all objects reachable from the trailer.
struct DynamicContentSearch {
    let document: PDFDocument
    private let form: AcroForm?
    private(set) var remaining: Int
    private let effort: DynamicContent.Effort
    /// Numbers of objects that are referenced but do not exist.
    private var missing: Set<Int> = []
    private(set) var isComplete = true
    var found: [DocumentFinding: (first: String, count: Int)] = [:]
    /// Codes found at known places, which are not reported again for other objects.
    private var settled: Set<DocumentFinding> = []
    private var visited: Set<ObjectID> = []
    /// Fonts that only empty fields use, so that no displayed text depends on them.
    private var formFonts: Set<ObjectID> = []
    /// `roots`: the fields that the form lists. `formParts`: these, their descendants and widgets.
    private var (roots, formParts): (Set<ObjectID>, Set<ObjectID>) = ([], [])
    /// Streams that are not encrypted, and streams that need no encryption.
    var (clearStreams, outsideStreams): ([ObjectID], Set<ObjectID>) = ([], [])

    private static let unseenFlags =
        AnnotationFlags.hidden | AnnotationFlags.noView | AnnotationFlags.toggleNoView
    /// Types of actions that change the displayed content or start something (ISO 32000-2 Table
    /// 201).
    private static let effects: Set<PDFName> = [
        "Launch", "ImportData", "Hide", "SetOCGState", "Rendition", "Movie", "Sound", "ResetForm",
        "RichMediaExecute", "GoTo3DView",
    ]
    /// Types of actions that are expected after a click on a link, but not without one.
    private static let unasked: Set<PDFName> = [
        "SubmitForm", "URI", "GoToR", "GoToE", "Named", "Thread", "Trans",
    ]
    /// Annotations that some viewers show without an appearance.
    private static let drawnByViewers: Set<PDFName> = [
        "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline",
        "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Redact", "Text", "Watermark",
    ]
    private static let media: Set<PDFName> = ["Screen", "Movie", "Sound", "RichMedia", "3D"]

    init(_ document: PDFDocument, _ form: AcroForm?, _ effort: DynamicContent.Effort) {
        self.document = document
        self.form = form
        self.effort = effort
        remaining = effort.objectCount(of: document)
    }

    mutating func run() {
        guard let catalog = try? document.catalog() else { return }
        look(atCatalog: catalog)
        lookAtEncryption()
        look(atLayers: dictionary(catalog["OCProperties"]))
        if let form = dictionary(catalog["AcroForm"]) { look(atForm: form) }
        for index in 0..<((try? document.pageCount()) ?? 0) {
            guard spend() else { break }
            guard let page = try? document.page(at: index) else { continue }
            look(at: page, " on page \(index + 1)")
        }
        settled = Set(found.keys).subtracting([.clearPart, .foreignPart, .unusedPage])
        // Title, author and so on: some viewers use an older /Info if the newest trailer has none.
        let information = document.sections.lazy.compactMap { $0.trailer["Info"] }.first
        lookForClearInformation(information)
        // No other object should refer to the encryption dictionary.
        let roots = document.trailer.entries.filter { $0.key != "Encrypt" }.map(\.value)
        walk(roots + [information].compactMap { $0 })
        noteForeignParts()
        lookForUnusedPages()
        lookForRemovedObjects()
    }

    // MARK: Known places

    private static let slideShow = "sound, video or a presentation"
    private static let layers = "optional content: layers that a viewer can show or hide"

    private mutating func look(atCatalog catalog: PDFDictionary) {
        action(catalog["OpenAction"], at: " when the document is opened", isAskedFor: false)
        triggers(catalog["AA"], at: " of the document")
        let names = dictionary(catalog["Names"])
        let trees: [(PDFName, DocumentFinding, String)] = [
            ("JavaScript", .javascript, "a script runs when the document is opened"),
            ("EmbeddedFiles", .embeddedFile, "files are embedded in the document"),
            ("Templates", .unusedPage, "template pages that are not displayed"),
            ("AlternatePresentations", .multimedia, Self.slideShow + " (AlternatePresentations)"),
            ("Renditions", .multimedia, Self.slideShow + " (Renditions)"),
        ]
        for (key, code, message) in trees {
            guard let tree = dictionary(names?[key]),
                !array(tree["Names"]).isEmpty || !array(tree["Kids"]).isEmpty
            else { continue }
            note(code, message)
        }
        if dictionary(catalog["Collection"]) != nil {
            note(
                .portfolio,
                "the document is a portfolio: some viewers display its embedded files instead of "
                    + "the pages")
        }
    }

    private mutating func look(atLayers properties: PDFDictionary?) {
        guard let properties, !array(properties["OCGs"]).isEmpty else { return }
        note(.layer, Self.layers)
        let others = array(properties["Configs"]).prefix(max(0, remaining))
        for entry in [properties["D"]].compactMap(\.self) + others {
            guard let configuration = dictionary(entry), !array(configuration["AS"]).isEmpty else {
                continue
            }
            note(
                .layerByEvent, "layers that change when the document is viewed, printed or exported"
            )
        }
    }

    private mutating func look(atForm entries: PDFDictionary) {
        if entries["XFA"] != nil {
            note(.xfa, "an XFA form: some viewers display it instead of the pages")
        }
        if value(entries["NeedAppearances"]).booleanValue == true {
            note(
                .needAppearances,
                "viewers generate the appearances of the form fields (NeedAppearances)")
        }
        let fonts = dictionary(dictionary(entries["DR"])?["Font"])?.entries ?? []
        formFonts = Set(fonts.compactMap(\.value.referenceValue))
        guard let form, form.isComplete else {
            isComplete = false
            return
        }
        for field in form.fields {
            triggers(field.dictionary["AA"], at: " in the field \(field.fullName.inQuotes)")
        }
        roots = Set(form.fieldReferences.compactMap(\.referenceValue))
        formParts = roots.union(form.fields.flatMap { $0.widgetIDs + [$0.id] })
        for id in form.parentIDs {
            let field = dictionary(.reference(id))
            triggers(field?["AA"], at: " in the form")
            formParts.formUnion([id] + array(field?["Kids"]).compactMap(\.referenceValue))
        }
    }

    private mutating func look(at page: PDFPage, _ place: String) {
        triggers(page.dictionary["AA"], at: place)
        for entry in array(page.dictionary["Annots"]) {
            guard remaining > 0 else { break }
            guard let annotation = dictionary(entry) else { continue }
            let subtype = name(annotation["Subtype"]) ?? ""
            look(atAnnotation: annotation, subtype, place)
            let parent = annotation["Parent"]?.referenceValue
            if subtype == "Widget", isComplete, !isInForm(entry.referenceValue, below: parent) {
                note(
                    .strayField,
                    "a form field\(place) that is not part of the form: some viewers display it")
            }
        }
        let resources = (try? page.resources(in: document)).map { PDFObject.dictionary($0) }
        walk([page.dictionary["Contents"], resources].compactMap { $0 }, at: place)
    }

    private func isInForm(_ widget: ObjectID?, below parent: ObjectID?) -> Bool {
        guard let widget, formParts.contains(widget) else { return false }
        return roots.contains(widget)
            || parent.map { $0 != widget && formParts.contains($0) } == true
    }

    private mutating func look(
        atAnnotation annotation: PDFDictionary, _ subtype: PDFName, _ place: String
    ) {
        action(annotation["A"], at: place)
        triggers(annotation["AA"], at: place)
        if Self.media.contains(subtype) { note(.multimedia, "sound, video or 3D content\(place)") }
        if subtype == "FileAttachment" { note(.embeddedFile, "a file is attached\(place)") }
        if subtype == "Redact" {
            note(.action, "a redaction annotation that is not applied\(place)")
        }
        let flags = AnnotationFlags(value(annotation["F"]))
        let appearances = dictionary(annotation["AP"])
        let isDrawn = Self.drawnByViewers.contains(subtype)
        if subtype != "Popup", let doubt = flags.doubt {
            note(.hiddenAnnotation, "an annotation (\(subtype))\(place): \(doubt)")
        } else if subtype != "Widget", subtype != "Popup", appearances != nil || isDrawn,
            flags.mayHave(Self.unseenFlags)
        {
            note(.hiddenAnnotation, "a hidden annotation (\(subtype))\(place)")
        }
        if value(appearances?["N"]) == .null, !flags.mayBeHidden,
            isDrawn
                || subtype == "Widget" && ["Tx", "Ch"].contains(name(annotation["FT"]))
                    && value(annotation["V"]).stringValue?.isEmpty == false
        {
            let what = subtype == "Widget" ? "a form field" : "an annotation (\(subtype))"
            note(.noAppearance, "viewers generate the appearance of \(what)\(place)")
        }
        let others = ["R", "D"].compactMap { appearances?[$0] }
        if subtype != "Widget", others.contains(where: { $0 != appearances?["N"] }) {
            note(
                .rollover,
                "an annotation (\(subtype)) has a rollover appearance (/R)\(place)")
        }
    }

    private mutating func triggers(_ entry: PDFObject?, at place: String) {
        for trigger in dictionary(entry)?.entries ?? [] {
            action(trigger.value, at: place, isAskedFor: false)
        }
    }

    /// - Parameter isAskedFor: whether the action runs only after a click.
    private mutating func action(_ entry: PDFObject?, at place: String, isAskedFor: Bool = true) {
        var pending = [entry].compactMap { $0 }
        var seen: Set<ObjectID> = []
        while let next = pending.popLast() {
            if let id = next.referenceValue, !seen.insert(id).inserted { continue }
            // An array is a destination, not an action.
            guard let action = dictionary(next) else { continue }
            let type = name(action["S"]) ?? ""
            if type == "JavaScript" || action["JS"] != nil {
                note(.javascript, "a script runs\(place)")
            } else if Self.effects.contains(type) || !isAskedFor && Self.unasked.contains(type) {
                note(.action, "an action (\(type)) runs\(place)")
            }
            let several = array(action["Next"])
            pending += several.isEmpty ? [action["Next"]].compactMap { $0 } : several
        }
    }

    // MARK: All objects

    /// Examines objects and all objects reachable from them.
    private mutating func walk(_ roots: [PDFObject], at place: String = "") {
        var pending = roots
        while let next = pending.popLast() {
            switch next {
            case .array(let elements): pending += elements.reversed().filter(\.mayRefer)
            case .dictionary(let dictionary):
                look(at: dictionary, place)
                pending += dictionary.entries.reversed().map(\.value).filter(\.mayRefer)
            case .stream(let stream):
                look(atStream: stream.dictionary, place)
                pending.append(.dictionary(stream.dictionary))
            case .reference(let id):
                guard visited.insert(id).inserted else { continue }
                guard spend() else { return }
                noteIfMissing(id)
                guard let object = try? document.object(id) else { continue }
                let isFont = object.dictionaryValue?["BaseFont"] != nil
                if place.isEmpty, isFont, formFonts.contains(id) { continue }
                lookForClearParts(object, of: id)
                pending.append(object)
            default: break
            }
        }
    }

    private mutating func look(at dictionary: PDFDictionary, _ place: String) {
        if found[.layer] == nil, isLayered(dictionary) { note(.layer, Self.layers) }
        let type = name(dictionary["S"]) ?? ""
        if type == "JavaScript" || dictionary["JS"] != nil { note(.javascript, "a script\(place)") }
        if Self.effects.contains(type) { note(.action, "an action (\(type))\(place)") }
        // The function of a soft mask belongs to the mask.
        if dictionary["G"] == nil { look(atState: dictionary, place) }
        if dictionary["EF"] != nil { note(.embeddedFile, "files are embedded in the document") }
        lookAtEncryption(of: dictionary)
        let isFont = name(dictionary["Type"]) == "Font" || dictionary["BaseFont"] != nil
        if isFont, dictionary["DescendantFonts"] != nil || dictionary["CIDSystemInfo"] == nil {
            look(atFont: dictionary)
        }
    }

    private mutating func look(atStream stream: PDFDictionary, _ place: String) {
        if stream["F"] != nil {
            note(
                .externalStream, "content from another file\(place), which signatures do not cover")
        }
        if stream["Alternates"] != nil { note(.alternateImage, "an alternate image\(place)") }
        if stream["Ref"] != nil {
            note(.referenceXObject, "a page of another document is displayed\(place)")
        }
        if stream["PS"] != nil
            || ["Subtype", "Subtype2"].contains(where: { name(stream[$0]) == "PS" })
        {
            note(.postScript, "PostScript that is printed but not displayed\(place)")
        }
        if stream["OPI"] != nil {
            note(
                .printReplacement,
                "the printed content may differ from the displayed content (OPI)\(place)")
        }
    }

    /// Entries that make viewers treat a dictionary as optional content, whatever its /Type is (ISO
    /// 32000-2 Tables 96 and 97).
    private static let layerKeys: [PDFName] = ["OCGs", "VE", "Usage"]

    /// Whether a dictionary is a layer, depends on one, or names one for content.
    private mutating func isLayered(_ dictionary: PDFDictionary) -> Bool {
        if let type = name(dictionary["Type"]), type == "OCG" || type == "OCMD" { return true }
        if self.dictionary(dictionary["OC"]) != nil { return true }
        let named = self.dictionary(dictionary["Properties"])?.entries ?? []
        return named.contains { entry in
            let part = self.dictionary(entry.value)
            return Self.layerKeys.contains { part?[$0] != nil }
        }
    }

    /// Reports functions that change colors in some viewers only.
    private mutating func look(atState state: PDFDictionary, _ place: String) {
        for key in ["TR", "TR2"] as [PDFName] where state[key] != nil {
            let function = value(state[key])
            let parts = function.arrayValue.map { $0.map { value($0) } } ?? [function]
            let dictionaries = parts.map { $0.dictionaryValue ?? $0.streamValue?.dictionary }
            guard dictionaries.contains(where: { $0?["FunctionType"] != nil }) else { continue }
            note(
                .transferFunction,
                "a transfer function changes colors in some viewers (\(key))\(place)")
        }
    }

    private mutating func look(atFont font: PDFDictionary) {
        let subtype = name(font["Subtype"])
        guard subtype != "Type3" else { return }
        let holder =
            subtype == "Type0" ? dictionary(array(font["DescendantFonts"]).first) ?? font : font
        let descriptor = dictionary(holder["FontDescriptor"])
        let files = ["FontFile", "FontFile2", "FontFile3"] as [PDFName]
        if files.contains(where: { value(descriptor?[$0]).streamValue != nil }) { return }
        let name = name(font["BaseFont"])?.description ?? "without a name"
        if StandardFont.named(name) != nil || ["Symbol", "ZapfDingbats"].contains(name) {
            note(
                .standardFont,
                "font \(name) is not embedded; every viewer has a similar standard font")
        } else {
            note(.fontNotEmbedded, "font \(name) is not embedded; viewers may substitute it")
        }
    }

    /// Reports unreferenced pages and catalogs: a later update can use them by adding a reference.
    private mutating func lookForUnusedPages() {
        let numbers = Set(visited.map(\.number))
        let highest = document.highestObjectNumber
        for number in stride(from: 1, through: highest, by: 1) where !numbers.contains(number) {
            guard spend() else { return }
            guard let generation = try? document.generation(of: number),
                let object = try? document.object(ObjectID(number: number, generation: generation)),
                let type = name(object.dictionaryValue?["Type"]),
                type == "Page" || type == "Catalog"
            else { continue }
            note(
                .unusedPage,
                "a \(type.description.lowercased()) that is not in the page tree (object \(number))"
            )
        }
    }

    /// Compares with viewers that search the file for an unlisted object and display what they
    /// find.
    private mutating func lookForRemovedObjects() {
        guard document.source.byteCount <= effort.searchedByteCount,
            let found = try? document.differenceWhenRebuilt(for: missing.sorted())
        else { return }
        note(
            .rebuiltDifferently,
            "an object refers to \(found.words): viewers that reconstruct the cross-reference table may "
                + "display other content")
    }

    // MARK: Reading

    mutating func note(_ code: DocumentFinding, _ message: String) {
        guard !settled.contains(code) else { return }
        found[code] = (found[code]?.first ?? message, (found[code]?.count ?? 0) + 1)
    }

    /// Takes one object from the budget; false if the budget is used up.
    private mutating func spend() -> Bool {
        guard remaining > 0 else {
            isComplete = false
            return false
        }
        remaining -= 1
        return true
    }

    /// The value of an entry; null beyond the budget and for an unreadable object.
    mutating func value(_ entry: PDFObject?) -> PDFObject {
        guard let id = entry?.referenceValue else { return entry ?? .null }
        guard spend() else { return .null }
        noteIfMissing(id)
        return (try? document.resolve(.reference(id))) ?? .null
    }

    private mutating func noteIfMissing(_ id: ObjectID) {
        let definition: PDFDocument.Definition?
        do { definition = try document.definition(of: id.number) } catch { return }
        if definition == nil || definition?.location == .free { missing.insert(id.number) }
        guard definition == nil else { return }
        note(
            .danglingReference,
            "a referenced object is missing: a later update could add it (object \(id.number))")
    }

    mutating func dictionary(_ entry: PDFObject?) -> PDFDictionary? { value(entry).dictionaryValue }

    private mutating func array(_ entry: PDFObject?) -> [PDFObject] {
        value(entry).arrayValue ?? []
    }

    private mutating func name(_ entry: PDFObject?) -> PDFName? { value(entry).nameValue }
}
