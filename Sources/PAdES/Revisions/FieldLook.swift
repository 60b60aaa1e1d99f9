import PDFCore

/// What a field says as data (/V), and what its appearance shows to a person.
struct FieldLook {
    /// The value as text; nil when there is none.
    let value: String?
    /// The text that each widget's appearance shows; nil where it cannot be told.
    private let texts: [String?]
    private let type: PDFName?
    private let flags: Int
    private let isFormatted: Bool
    /// What choice fields show for the value.
    private let label: String?
    private let state: PDFName?
    private let stateNames: Set<PDFName>
    /// The normal appearances, in the order of the widgets.
    private let appearances: [PDFObject]

    private static let passwordFlag = 1 << 13
    private static let comboFlag = 1 << 17
    private static let pushButtonFlag = 1 << 16
    private static let maximumWidgetCount = 100
    /// Longest part of a value that is put into words.
    private static let wordLimit = 60

    init(_ field: FormField, in document: PDFDocument) throws {
        type = field.type
        flags = try document.value(field.dictionary, "Ff").integerValue ?? 0
        let actions = try document.value(field.dictionary, "AA").dictionaryValue
        isFormatted = actions?["F"] != nil
        let value = try Self.text(document.resolve(field.value ?? .null), in: document)
        self.value = value
        label = try Self.label(of: value, field, in: document)
        var found: [PDFObject] = []
        var texts: [String?] = []
        var state: PDFName?
        var stateNames: Set<PDFName> = []
        for id in field.widgetIDs.prefix(Self.maximumWidgetCount) {
            guard let widget = try document.object(id).dictionaryValue else { continue }
            let appearances = try document.value(widget, "AP").dictionaryValue
            let normal = try document.resolve(appearances?["N"] ?? .null)
            state = try document.value(widget, "AS").nameValue ?? state
            if let states = normal.dictionaryValue { stateNames.formUnion(states.keys) }
            let content = normal.streamValue.flatMap { try? document.decodedData(of: $0) }
            found.append(normal)
            texts.append(try Self.text(normal.streamValue, content, in: document))
        }
        self.state = state
        self.stateNames = stateNames
        appearances = found
        self.texts = texts
    }

    /// The text that the field shows in one of its places; nil when it cannot be told.
    var shown: String? { texts.compactMap { $0 }.first }

    /// A value as people read it.
    private static func text(
        _ object: PDFObject, in document: PDFDocument
    ) throws -> String? {
        switch object {
        case .string(let string): return string.text
        case .name(let name): return name.description
        case .array(let elements):
            return try elements.compactMap { try text(document.resolve($0), in: document) }
                .joined(separator: ", ")
        case .stream(let stream):
            return (try? document.decodedData(of: stream)).map { PDFString(bytes: $0).text }
        default: return nil
        }
    }

    /// What a choice shows for its export value (ISO 32000-2 Table 234).
    private static func label(
        of value: String?, _ field: FormField, in document: PDFDocument
    ) throws -> String? {
        guard field.type == "Ch" else { return value }
        for option in try document.value(field.dictionary, "Opt").arrayValue ?? [] {
            guard let pair = try document.resolve(option).arrayValue, pair.count == 2 else {
                continue
            }
            let texts = try pair.map { try text(document.resolve($0), in: document) }
            if texts[0] == value { return texts[1] }
        }
        return value
    }

    /// The text of an appearance whose fonts show what the bytes say.
    private static func text(
        _ form: PDFStream?, _ content: [UInt8]?, in document: PDFDocument
    ) throws -> String? {
        guard let form, let content, let strings = ShownText.strings(in: content) else {
            return nil
        }
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        let fonts = try resources.map { try document.value($0, "Font").dictionaryValue }
        var text = ""
        for (name, bytes) in strings {
            guard let name, let entry = fonts??[name],
                let font = try document.resolve(entry).dictionaryValue,
                try FontEncoding.isPlain(font, in: document)
            else { return nil }
            text += PDFString(bytes: bytes).text
        }
        // Other forms may show the rest.
        let forms = try resources.map { try document.value($0, "XObject").dictionaryValue }
        return (forms??.isEmpty ?? true) ? text : nil
    }

    static func short(_ text: String) -> String {
        text.count > wordLimit ? String(text.prefix(wordLimit)) + "…" : text
    }

    // MARK: Comparing

    /// Whether the two looks show the same for certain.
    func isKnownToEqual(_ other: FieldLook, by equivalence: Equivalence) throws -> Bool {
        guard state == other.state || type != "Btn" else { return false }
        if try equivalence.holds(.array(appearances), .array(other.appearances)) { return true }
        guard texts.count == other.texts.count else { return false }
        return zip(texts, other.texts).allSatisfy { mine, others in
            guard let mine, let others else { return false }
            return Self.folded(mine) == Self.folded(others)
        }
    }

    /// In which way the look says something else than the value; nil when it does not, as far as
    /// that can be told.
    var contradiction: String? {
        switch type {
        case "Btn"?:
            guard flags & Self.pushButtonFlag == 0, let state, !stateNames.isEmpty else {
                return nil
            }
            let isOn = value.map { stateNames.contains(PDFName($0)) && $0 != "Off" } ?? false
            if state == "Off", isOn { return "shows no mark, but its value is '\(value ?? "")'" }
            if state != "Off", !isOn, stateNames.contains(state) {
                return "shows a mark, but its value is '\(value ?? "Off")'"
            }
            return nil
        case "Tx"?, "Ch"?:
            guard flags & Self.passwordFlag == 0 || type == "Ch",
                type == "Tx" || flags & Self.comboFlag != 0
            else { return nil }
            guard let other = texts.compactMap({ $0 }).first(where: { !isSaid(by: $0) }) else {
                return nil
            }
            return "shows '\(Self.short(other))', but its value is '\(Self.short(label ?? ""))'"
        default: return nil
        }
    }

    /// Whether a shown text is the value's. Only ASCII counts: how fonts encode the rest is theirs.
    private func isSaid(by shown: String) -> Bool {
        let seen = Self.folded(shown).filter(\.isASCII)
        let said = Self.folded(label ?? "").filter(\.isASCII)
        if seen == said { return true }
        // A script shows numbers and dates in other ways, with the same digits.
        guard isFormatted else { return false }
        let (a, b) = (seen.filter(\.isNumber), said.filter(\.isNumber))
        return a.hasPrefix(b) || b.hasPrefix(a) || a.sorted() == b.sorted()
    }

    /// Without spaces and line ends, which appearances break up as they need.
    private static func folded(_ text: String) -> String {
        String(text.filter { !$0.isWhitespace })
    }
}

/// Whether a font's bytes are the characters that people see.
enum FontEncoding {
    /// Names of the glyphs that ASCII's punctuation and digits show, from the space on; letters
    /// are their own names (Adobe Glyph List).
    private static let glyphNames = """
        space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright \
        asterisk plus comma hyphen period slash zero one two three four five six seven eight nine \
        colon semicolon less equal greater question at
        """.split(separator: " ").map { PDFName(String($0)) }

    /// Whether it is a simple font, not embedded, that shows ASCII as ASCII.
    static func isPlain(
        _ font: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard try document.value(font, "Subtype").nameValue != "Type0",
            try document.value(font, "Subtype").nameValue != "Type3"
        else { return false }
        let descriptor = try document.value(font, "FontDescriptor").dictionaryValue
        for key in ["FontFile", "FontFile2", "FontFile3"] as [PDFName] where descriptor?[key] != nil
        {
            return false
        }
        guard let encoding = try document.value(font, "Encoding").dictionaryValue else {
            return true
        }
        var code = 0
        for entry in try document.value(encoding, "Differences").arrayValue ?? [] {
            if let number = entry.integerValue {
                code = max(0, min(number, 256))
            } else if let name = entry.nameValue {
                guard !(32..<127).contains(code) || isUsual(name, for: code) else { return false }
                code = min(code + 1, 256)
            }
        }
        return true
    }

    private static func isUsual(_ name: PDFName, for code: Int) -> Bool {
        if code - 32 < glyphNames.count { return name == glyphNames[code - 32] }
        // What remains in ASCII are letters, and signs that no amount needs.
        let letter = PDFName(bytes: [UInt8(code)])
        let isLetter = (65...90).contains(code) || (97...122).contains(code)
        return !isLetter || name == letter
    }
}
