import PDFCore

/// Whether all readers draw the looks of an annotation, or none (ISO 32000-2 §12.5.5), and in one place.
struct AnnotationLook {
    private let document: PDFDocument

    /// Annotations whose looks some readers draw and others do not.
    private static let drawnByFew: Set<PDFName> = ["Link", "Popup"]

    /// What some readers ask for before they draw a look (ISO 32000-2 Tables 181 and 182).
    private static let needed: [PDFName: PDFName] = [
        "Polygon": "Vertices", "PolyLine": "Vertices", "Highlight": "QuadPoints",
        "Underline": "QuadPoints", "Squiggly": "QuadPoints", "StrikeOut": "QuadPoints",
    ]

    /// From where on readers cut what they draw, in units of the form.
    private static let boxLimit = 1e8

    init(in document: PDFDocument) { self.document = document }

    /// - Parameter annotation: one with an entry /AP.
    /// - Returns: Why readers draw different things, in words; nil when they do not.
    func doubt(about annotation: PDFDictionary) throws(PDFError) -> String? {
        let flags = try AnnotationFlags(of: annotation, in: document)
        guard !flags.isSurelyHidden,
            let looks = try document.value(annotation, "AP").dictionaryValue
        else { return nil }
        let look = try document.value(looks, "N")
        guard look != .null else { return nil }
        let kind = try document.value(annotation, "Subtype").nameValue
        guard let kind else { return "it does not say what it is (/Subtype)" }
        if flags.mayHave(AnnotationFlags.invisible), kind != "Widget" {
            return "it is Invisible, which some readers follow whatever it is (/F)"
        }
        if let key = Self.needed[kind], try numbers(annotation[key]) == nil {
            return "it has no /\(key), without which some readers pass over a \(kind)"
        }
        if Self.drawnByFew.contains(kind) {
            return "some readers draw the look of a \(kind), others do not"
        }
        guard let sides = try numbers(annotation["Rect"]), sides.count == 4 else {
            return "its place (/Rect) is not four numbers"
        }
        // Of no size at all it is not meant to be seen.
        if (sides[0] == sides[2]) != (sides[1] == sides[3]) {
            return "its place (/Rect) is a line"
        }
        if kind == "Highlight", try document.value(annotation, "CA").numberValue == 0 {
            return "some readers show it as opaque as its look, others not at all (/CA)"
        }
        let isButton: Bool
        switch kind == "Widget" ? try document.inherited("FT", of: annotation)?.nameValue : "Sig" {
        case "Btn":
            let flags = try document.inherited("Ff", of: annotation)?.integerValue ?? 0
            isButton = flags & FieldFlags.pushButton == 0
        case "Tx", "Ch", "Sig": isButton = false
        default: return "it does not say what kind of field it is (/FT)"
        }
        guard let states = look.dictionaryValue else {
            return isButton ? "it has one look for all states of a button (/AP)" : nil
        }
        guard !states.isEmpty else { return nil }
        return try doubt(
            aboutStateOf: annotation, of: kind, states, isButton: isButton,
            isReference: looks["N"]?.referenceValue != nil)
    }

    /// - Parameters:
    ///   - kind: the annotation's Subtype.
    ///   - states: its looks, one for each state.
    ///   - isReference: whether they stand elsewhere.
    private func doubt(
        aboutStateOf annotation: PDFDictionary, of kind: PDFName, _ states: PDFDictionary,
        isButton: Bool, isReference: Bool
    ) throws(PDFError) -> String? {
        let state = try document.value(annotation, "AS")
        let isChosen = kind != "Widget" || state.nameValue.map { states[$0] != nil } ?? true
        if annotation["AS"]?.referenceValue != nil || isChosen && isReference {
            return
                "some readers do not follow references to the one of its looks that is shown (/AP, /AS)"
        }
        if isButton, let name = state.nameValue, name != "Off", states[name] == nil {
            return "it is in a state without a look (/AS)"
        }
        // Nothing is drawn for a mark that is off, whether that has a look or not.
        if let name = state.nameValue {
            let isKnown = name == "Off" || states[name] != nil
            return isKnown || kind == "Widget" ? nil : "it is in a state without a look (/AS)"
        }
        return kind == "Widget" && state == .null
            ? nil : "it has several looks, and does not say which is shown (/AS)"
    }

    /// The same of a form that it draws, or a page.
    func doubt(aboutForm form: PDFDictionary) throws(PDFError) -> String? {
        guard let box = try numbers(form["BBox"]), box.count == 4 else {
            return "its box (/BBox) is not four numbers"
        }
        guard box.allSatisfy({ $0.magnitude < Self.boxLimit }) else {
            return "its box (/BBox) is larger than some readers go"
        }
        // PostScript is told as such.
        let other = try document.value(form, "Subtype2")
        guard other == .null || other.nameValue == "PS" else {
            return "some readers take it for another object (/Subtype2)"
        }
        if let group = try document.value(form, "Group").dictionaryValue,
            try document.value(group, "K").booleanValue == true
        {
            return "it is a knockout group (/K), which few readers know"
        }
        guard let entry = form["Matrix"], try document.resolve(entry) != .null else { return nil }
        guard let matrix = try numbers(entry), matrix.count == 6 else {
            return "its /Matrix is not six numbers"
        }
        // Some readers go on without it.
        return matrix[0] * matrix[3] == matrix[1] * matrix[2]
            ? "its /Matrix leaves nothing of it" : nil
    }

    /// nil when it is no array of numbers.
    private func numbers(_ entry: PDFObject?) throws(PDFError) -> [Double]? {
        guard let elements = try document.resolve(entry ?? .null).arrayValue else { return nil }
        var found: [Double] = []
        for element in elements {
            guard let number = try document.resolve(element).numberValue, number.isFinite else {
                return nil
            }
            found.append(number)
        }
        return found
    }
}
