import ByteKit
import PDFCore

/// What a field says as data (/V), and how that is shown.
struct FieldValue {
    /// The value as text; nil when there is none.
    let text: String?
    /// What choice fields show for the value.
    let label: String?
    /// Whether all of the value was read, and of what it may be a choice.
    let isComplete: Bool
    /// Whether it is a string as all viewers read it.
    let isPlain: Bool
    /// Whether all viewers that draw it read the same.
    let isReadAlike: Bool
    /// Whether it is longer than what is read.
    let isTooLong: Bool
    /// How many options were looked at, and how many bytes of text, which fields may share.
    let optionCount: Int
    let byteCount: Int
    private let type: PDFName?
    private let flags: Int
    private let isFormatted: Bool
    /// What a field says as rich text, where that is something else than the value (/RV).
    private let otherText: String?
    /// How many cells a field has that shows each character in one (ISO 32000-2 Table 231).
    private let cellCount: Int?

    /// How far from the border of cells a line stands at most, in parts of the width.
    private static let cellTolerance = 0.02
    /// Longest part of a value that is put into words.
    private static let wordLimit = 60
    private static let scalarLimit = 4 * wordLimit

    init(_ field: FormField, in document: PDFDocument) throws {
        type = field.type
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        let isComb = type == "Tx" && flags & FieldFlags.comb != 0
        cellCount =
            isComb ? try document.inherited("MaxLen", of: field.dictionary)?.integerValue : nil
        isFormatted = try Self.isFormatted(field, in: document)
        let value = try document.resolve(field.value ?? .null)
        let options =
            field.type == "Ch"
            ? try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? [] : []
        var reading = TextReading(document)
        text = try reading.text(of: value)
        isTooLong = reading.isTooLong
        isPlain = !isTooLong && value.stringValue.map(PDFString.isPlain) ?? false
        isReadAlike =
            try isPlain || value == .null || type == "Btn"
            || type == "Ch" && !isTooLong
                && value.arrayValue?.prefix(Self.listLimit).allSatisfy {
                    try document.resolve($0).stringValue.map(PDFString.isPlain) == true
                } == true
        optionCount = min(options.count, Self.listLimit)
        isComplete =
            !isTooLong && options.count <= Self.listLimit
            && text?.utf8.count ?? 0 <= Self.byteLimit
        label = try reading.label(of: text, among: options.prefix(Self.listLimit))
        let rich = try document.inherited("RV", of: field.dictionary) ?? .null
        let richText =
            try field.type == "Tx" ? reading.text(of: rich).map(MarkupText.plain) : nil
        otherText = richText.flatMap { [text] in
            let said = Self.folded($0)
            return said.isEmpty || said == Self.folded(text ?? "") ? nil : $0
        }
        byteCount = reading.byteCount
    }

    /// Whether a script makes of the value what is shown (ISO 32000-2 Table 199).
    private static func isFormatted(_ field: FormField, in document: PDFDocument) throws -> Bool {
        guard let actions = try document.value(field.dictionary, "AA").dictionaryValue,
            let action = try document.value(actions, "F").dictionaryValue,
            try document.value(action, "S").nameValue == "JavaScript"
        else { return false }
        let script = try document.value(action, "JS")
        return script.stringValue?.isEmpty == false || script.streamValue != nil
    }

    /// Most values of one field, and most options, that are read.
    static let listLimit = 1000
    /// Longest text that is compared, in bytes.
    static let byteLimit = 1 << 16

    /// Reads texts, and counts what that costs.
    struct TextReading {
        let document: PDFDocument
        private(set) var byteCount = 0
        private(set) var isTooLong = false
        /// Whether it read as much as it may.
        var isFull: Bool { byteCount > byteLimit }

        init(_ document: PDFDocument) { self.document = document }

        /// A value as people read it: one text, or several where more than one is chosen
        /// (ISO 32000-2 §12.7.5.4).
        mutating func text(of value: PDFObject) throws(PDFError) -> String? {
            guard let elements = value.arrayValue else { return single(value) }
            var texts: [String] = []
            isTooLong = elements.count > listLimit
            for element in elements.prefix(listLimit) {
                guard !isFull else {
                    isTooLong = true
                    break
                }
                guard let text = single(try document.resolve(element)) else { continue }
                texts.append(text)
            }
            return texts.joined(separator: ", ")
        }

        /// One text.
        mutating func single(_ value: PDFObject) -> String? {
            switch value {
            case .string(let string):
                guard string.bytes.count <= byteLimit else {
                    isTooLong = true
                    return nil
                }
                byteCount += string.bytes.count
                return string.text
            case .name(let name): return name.description
            case .stream(let stream):
                guard let bytes = try? document.plainData(of: stream, upTo: byteLimit) else {
                    return nil
                }
                byteCount += bytes.count
                return PDFString(bytes: bytes).text
            default: return nil
            }
        }

        /// What a choice shows for its export value (ISO 32000-2 Table 234).
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

    /// Whether both have the same characters: what Unicode takes for equal fonts may lack.
    func hasSameText(as other: FieldValue) -> Bool {
        switch (text, other.text) {
        case (let mine?, let others?): mine.unicodeScalars.elementsEqual(others.unicodeScalars)
        case (nil, nil): true
        default: false
        }
    }

    /// Whether people may take both for the same, but for spaces and case.
    func readsLike(_ other: FieldValue) -> Bool {
        let (mine, others) = (Self.folded(text ?? ""), Self.folded(other.text ?? ""))
        return !mine.isEmpty && mine.lowercased() == others.lowercased()
    }

    static func short(_ text: String) -> String {
        // One character may have any number of marks.
        let start = String(text.unicodeScalars.prefix(scalarLimit))
        return start.count > wordLimit || start.utf8.count < text.utf8.count
            ? String(start.prefix(wordLimit)) + "…" : text
    }

    /// How far before the first difference of two texts they are shown.
    private static let differenceLead = 20

    /// Two texts around their first difference.
    static func difference(_ first: String, _ second: String) -> (String, String) {
        let common = zip(first, second).prefix { $0 == $1 }.count
        let start = max(0, common - differenceLead)
        func part(_ text: String) -> String {
            (start > 0 ? "…" : "") + short(String(text.dropFirst(start)))
        }
        return (part(first), part(second))
    }

    /// The value in words, with what stands for it on the page where that is something else.
    var words: String { words(besides: nil) }

    /// The value in words, of a long one the part in which another value differs.
    func words(besides other: FieldValue?) -> String {
        let quoted = Self.excerpt(text ?? "", besides: other?.text).inQuotes
        guard let label, label != text else { return quoted }
        return quoted + " (shown as \(Self.excerpt(label, besides: other?.label).inQuotes))"
    }

    /// How much of what two texts have in common stands before the part in which they differ.
    private static let contextLength = 20

    static func excerpt(_ text: String, besides other: String?) -> String {
        let (all, others) = (text.unicodeScalars, (other ?? "").unicodeScalars)
        let common = zip(all, others).prefix { $0 == $1 }.count
        guard text.count > wordLimit, common > wordLimit - contextLength else {
            return short(text)
        }
        return "…" + short(String(String.UnicodeScalarView(all.dropFirst(common - contextLength))))
    }

    // MARK: What a look makes of it

    enum Agreement: Equatable {
        case agrees
        /// What is seen cannot be told for certain.
        case unknown
        /// In which way the look says something else than the value.
        case contradicts(String)
    }

    /// Whether a mark or picture shows the value rather than text.
    var isButton: Bool { type == "Btn" }
    var isPushButton: Bool { isButton && flags & FieldFlags.pushButton != 0 }

    /// Whether a widget shows the value.
    func agreement(with look: WidgetLook) throws -> Agreement {
        guard isComplete else { return .unknown }
        return switch type {
        case "Btn"?: isPushButton ? try captionAgreement(with: look) : markAgreement(with: look)
        case "Tx"?: try textAgreement(with: look)
        // A list shows all options and marks one of them in some way.
        case "Ch"?: flags & FieldFlags.combo != 0 ? try textAgreement(with: look) : .unknown
        default: .unknown
        }
    }

    /// Some readers draw what a push button says by themselves.
    private func captionAgreement(with look: WidgetLook) throws -> Agreement {
        guard !look.isMissing, let caption = try look.caption.map(Self.folded), !caption.isEmpty
        else { return .agrees }
        guard let shown = try look.texts().first ?? nil, shown.isReadable else { return .unknown }
        let seen = Self.folded(shown.text)
        guard seen != caption, try !seen.isEmpty || !look.hidesCaption else { return .agrees }
        return .contradicts(
            "shows \(Self.short(shown.text).inQuotes), but its caption is "
                + Self.short(try look.caption ?? "").inQuotes)
    }

    /// What state a value means. Some programs write it as text, with the slash that names have in a
    /// file.
    private var stateNames: [PDFName] {
        guard let text else { return [] }
        return [text, text.hasPrefix("/") ? String(text.dropFirst()) : text].map { PDFName($0) }
    }

    /// Each widget shows a mark or none, by the name of its state (ISO 32000-2 §12.7.5.2.3).
    private func markAgreement(with look: WidgetLook) -> Agreement {
        guard let marks = look.marks else { return look.isMissing ? .agrees : .unknown }
        let expected = stateNames.first(where: marks.contains)
        switch (look.state, expected) {
        case (let state?, let expected?) where state == expected: return .agrees
        case (let state?, _) where marks.contains(state):
            return .contradicts("shows a mark, but its value is \((text ?? "Off").inQuotes)")
        case (nil, nil): return .unknown
        case (_, nil): return .agrees
        case (_, let expected?):
            return .contradicts("shows no mark, but its value is \(expected.description.inQuotes)")
        }
    }

    private func textAgreement(with look: WidgetLook) throws -> Agreement {
        if look.isMissing { return .agrees }
        var answer = Agreement.agrees
        for shown in try look.texts() {
            guard let shown, shown.isReadable else {
                answer = .unknown
                continue
            }
            switch agreement(withText: shown.text) {
            case .contradicts(let words): return .contradicts(words)
            case .unknown: answer = .unknown
            case .agrees: if !shown.isPlain || !partsCells(shown.dividers) { answer = .unknown }
            }
        }
        return answer
    }

    private func agreement(withText shown: String) -> Agreement {
        let said = label ?? ""
        let (seenMarks, saidMarks) = (Self.folded(shown), Self.folded(said))
        if type == "Tx", flags & FieldFlags.password != 0 {
            let isMasked = Set(seenMarks).count <= 1 && !seenMarks.contains(where: \.isNumber)
            return isMasked
                ? .agrees
                : .contradicts("shows \(Self.short(shown).inQuotes), and is for a password")
        }
        // Cells of their own stand apart.
        if Self.words(shown) == Self.words(said) || cellCount != nil && seenMarks == saidMarks {
            return .agrees
        }
        if LookWords(shown).mayShow(said) { return .unknown }
        // A script shows numbers and dates in other ways.
        if isFormatted {
            let (seen, meant) = (FormattedNumber(shown), FormattedNumber(value: said))
            return seen != nil && seen == meant ? .agrees : .unknown
        }
        return .contradicts(
            "shows \(Self.short(Self.words(shown)).inQuotes), but its value is "
                + Self.short(said).inQuotes)
    }

    /// Whether lines stand between all cells, and nowhere else: one alone reads like a letter.
    private func partsCells(_ dividers: [Double]) -> Bool {
        guard !dividers.isEmpty else { return true }
        guard let cellCount, cellCount > 0, dividers.count == cellCount - 1 else { return false }
        return dividers.sorted().enumerated().allSatisfy { index, place in
            abs(place - Double(index + 1) / Double(cellCount)) <= Self.cellTolerance
        }
    }

    /// Without spaces and line ends.
    static func folded(_ text: String) -> String {
        String(text.filter { !$0.isWhitespace })
    }

    /// With one space between the words, which appearances break up as they need; a hyphen may end
    /// a line.
    static func words(_ text: String) -> String {
        text.replacing("-\n", with: "-").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
