import Base
import PDFCore
import PDFSigning

/// The value of a form field (/V) as text, and its comparison with the text of an appearance (ISO
/// 32000-2 §12.7.4).
struct FieldText {
    /// Nil for a field without a value.
    let text: String?
    /// The displayed text of a choice field's value (ISO 32000-2 Table 234).
    let label: String?
    /// Whether all viewers that generate an appearance interpret the value in the same way.
    let isReadAlike: Bool
    /// Whether the value is a string that all viewers decode in the same way.
    let isPlain: Bool
    /// Whether every viewer that generates an appearance displays the whole value. The characters
    /// must be printable, with line breaks only in a multiline field, and not more than /MaxLen.
    let isDrawnAlike: Bool
    /// Whether the indices of chosen options (/I) match the value, or are missing.
    let hasRightIndices: Bool
    /// Whether the value is longer than ``byteLimit``.
    let isTooLong: Bool
    /// Number of options and bytes read.
    let cost: Int
    private let type: PDFName?
    private let flags: Int
    private let hasFormatScript: Bool

    /// Maximum number of values and of options of a field that are read.
    static let listLimit = 1000
    /// Maximum length of a compared text, in bytes.
    static let byteLimit = 1 << 16

    init(_ field: FormField, in document: PDFDocument) throws(PDFError) {
        type = field.type
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        hasFormatScript = try Self.hasFormatScript(field, in: document)
        let value = try document.resolve(field.value ?? .null)
        let options =
            field.type == "Ch"
            ? try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? [] : []
        var reading = Reading(document)
        text = try reading.text(of: value)
        isPlain = !reading.isTooLong && value.stringValue.map(PDFString.isPlain) ?? false
        let isList = type == "Ch" && value.arrayValue != nil
        isReadAlike = isPlain || value == .null || type == "Btn" || isList
        label = try reading.label(of: text, among: options.prefix(Self.listLimit))
        let limit = try document.inherited("MaxLen", of: field.dictionary)?.integerValue
        let isMultiline = type == "Tx" && flags & FieldFlags.multiline != 0
        isDrawnAlike =
            (text ?? "").unicodeScalars.allSatisfy {
                switch $0.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    isMultiline && ($0 == "\n" || $0 == "\r")
                default: true
                }
            } && (text ?? "").count <= limit ?? .max
        hasRightIndices = try Self.hasRightIndices(field, value, options, in: document)
        isTooLong = reading.isTooLong || options.count > Self.listLimit
        cost = min(options.count, Self.listLimit) + reading.byteCount
    }

    private static func hasRightIndices(
        _ field: FormField, _ value: PDFObject, _ options: [PDFObject], in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard field.type == "Ch",
            let indices = try document.inherited("I", of: field.dictionary)?.arrayValue,
            options.count <= listLimit, indices.count <= listLimit
        else { return true }
        let values = value.arrayValue ?? (value == .null ? [] : [value])
        guard values.count == indices.count else { return false }
        var meant: Set<String> = []
        for value in values {
            meant.insert(PDFString(bytes: try document.resolve(value).stringValue ?? []).text)
        }
        for index in indices {
            guard let number = try document.resolve(index).integerValue,
                options.indices.contains(number)
            else { return false }
            let option = try document.resolve(options[number])
            let export = try document.resolve(option.arrayValue?.first ?? option)
            guard meant.contains(PDFString(bytes: export.stringValue ?? []).text) else {
                return false
            }
        }
        return true
    }

    var isButton: Bool { type == "Btn" }
    var isPushButton: Bool { isButton && flags & FieldFlags.pushButton != 0 }
    private var isPassword: Bool { type == "Tx" && flags & FieldFlags.password != 0 }
    private var isComb: Bool { type == "Tx" && flags & FieldFlags.comb != 0 }
    var isListBox: Bool { type == "Ch" && flags & FieldFlags.combo == 0 }

    /// Whether a script formats the value for display (ISO 32000-2 Table 199).
    private static func hasFormatScript(
        _ field: FormField, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard let actions = try document.value(field.dictionary, "AA").dictionaryValue,
            let action = try document.value(actions, "F").dictionaryValue
        else { return false }
        return try document.value(action, "S").nameValue == "JavaScript"
    }

    var isFormattedNumber: Bool { hasFormatScript && FormattedNumber(value: label ?? "") != nil }

    /// Whether both texts have the same Unicode scalars. A font may lack a canonically equivalent
    /// character.
    func hasSameText(as other: FieldText) -> Bool {
        text.map { ExactText($0) } == other.text.map { ExactText($0) }
    }

    func change(from was: FieldText, name: String) -> String {
        switch (was.text ?? "", text ?? "") {
        case ("", _): "field \(name) filled in: \(words(besides: nil))"
        case (_, ""): "field \(name) cleared, its value was \(was.words(besides: nil))"
        default: "field \(name) changed from \(was.words(besides: self)) to \(words(besides: was))"
        }
    }

    /// The value in quotes, shortened to the difference, with the displayed text of a choice.
    private func words(besides other: FieldText?) -> String {
        // pypdf writes the state of a button as text, with the slash of a name.
        let value = isButton ? stateNames.last?.description : text
        let quoted = TextExcerpt.difference(of: value ?? "", from: other?.text).inQuotes
        guard let label, label != text else { return quoted }
        let shown = TextExcerpt.difference(of: label, from: other?.label).inQuotes
        return "\(quoted) (shown as \(shown))"
    }

    // MARK: Appearances

    /// Result of comparing an appearance with the value.
    enum Agreement: Equatable {
        case agrees
        /// The encoding of a font does not identify the displayed characters.
        case unknown
        /// The appearance shows another or an unreadable value.
        case contradicts(String)
    }

    /// Whether a text or choice field's appearance shows the value.
    func agreement(with shown: [AppearanceStrings]?) -> Agreement {
        guard let shown else { return .contradicts("has an appearance that cannot be read") }
        var answer = Agreement.agrees
        for strings in shown {
            if let part = strings.unreadablePart { return .contradicts("shows \(part)") }
            guard !strings.hasUnknownCharacters else {
                answer = .unknown
                continue
            }
            guard !shows(strings.text) else { continue }
            return .contradicts(
                "shows \(TextExcerpt.short(TextExcerpt.words(strings.text)).inQuotes), but its value "
                    + "is \(TextExcerpt.short(label ?? "").inQuotes)")
        }
        return answer
    }

    private func shows(_ shown: String) -> Bool {
        let said = label ?? ""
        let (seen, meant) = (Self.folded(shown), Self.folded(said))
        if isPassword { return Set(seen).count <= 1 && !seen.contains(where: \.isNumber) }
        if isComb || isButton { return seen == meant }
        if TextExcerpt.words(shown) == TextExcerpt.words(said) || seen == meant { return true }
        guard hasFormatScript, let number = FormattedNumber(shown) else { return false }
        return FormattedNumber(value: said) == number
    }

    /// Removes white space, because appearances break lines, and unifies quotes and hyphens.
    private static func folded(_ text: String) -> String {
        String(text.compactMap { $0.isWhitespace ? nil : alike[$0] ?? $0 })
    }

    private static let alike: [Character: Character] = [
        "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "‘": "'", "’": "'", "“": "\"", "”": "\"",
    ]

    /// Whether a button's widget shows the value by the name of its state
    /// (ISO 32000-2 §12.7.5.2.3).
    func markAgreement(with appearance: WidgetAppearance) throws(PDFError) -> Agreement {
        guard let marks = try appearance.marks else {
            return try appearance.isMissing
                ? .agrees : .contradicts("has an appearance without states")
        }
        let expected = stateNames.first(where: marks.contains)
        switch (appearance.state, expected) {
        case (let state?, let expected?) where state == expected: return .agrees
        case (let state?, _) where marks.contains(state):
            return .contradicts("shows a mark, but its value is \((text ?? "Off").inQuotes)")
        case (nil, nil): return .contradicts("has no appearance state")
        case (_, nil): return .agrees
        case (_, let expected?):
            return .contradicts("shows no mark, but its value is \(expected.description.inQuotes)")
        }
    }

    var isOff: Bool { text.map { $0.isEmpty || $0 == "Off" } ?? true }

    func isOne(of marks: Set<PDFName>) -> Bool { stateNames.contains(where: marks.contains) }

    /// State names that match the value. Some programs write the value as text, with the slash of a
    /// name.
    private var stateNames: [PDFName] {
        guard let text else { return [] }
        return [text, text.hasPrefix("/") ? String(text.dropFirst()) : text].map { PDFName($0) }
    }

    // MARK: Reading

    /// Reads texts and adds up their cost.
    private struct Reading {
        let document: PDFDocument
        private(set) var byteCount = 0
        private(set) var isTooLong = false

        init(_ document: PDFDocument) { self.document = document }

        /// A value as text. Several chosen values are separated by commas (ISO 32000-2 §12.7.5.4).
        mutating func text(of value: PDFObject) throws(PDFError) -> String? {
            guard let elements = value.arrayValue else { return single(value) }
            var texts: [String] = []
            if elements.count > listLimit { isTooLong = true }
            for element in elements.prefix(listLimit) {
                guard byteCount <= byteLimit else {
                    isTooLong = true
                    break
                }
                guard let text = single(try document.resolve(element)) else { continue }
                texts.append(text)
            }
            return texts.joined(separator: ", ")
        }

        private mutating func single(_ value: PDFObject) -> String? {
            switch value {
            case .string(let string):
                byteCount += min(string.bytes.count, byteLimit)
                guard string.bytes.count <= byteLimit else {
                    isTooLong = true
                    return nil
                }
                return string.text
            case .name(let name): return name.description
            case .stream(let stream):
                guard let bytes = try? document.plainData(of: stream, upTo: byteLimit) else {
                    isTooLong = true
                    return nil
                }
                byteCount += bytes.count
                return PDFString(bytes: bytes).text
            default: return nil
            }
        }

        /// The displayed text of a choice field for an export value.
        mutating func label(
            of value: String?, among options: ArraySlice<PDFObject>
        ) throws(PDFError) -> String? {
            for option in options {
                guard let pair = try document.resolve(option).arrayValue, pair.count == 2 else {
                    continue
                }
                let (export, shown) = try (document.resolve(pair[0]), document.resolve(pair[1]))
                if single(export) == value { return single(shown) }
            }
            return value
        }
    }
}
