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
    /// How many cells a field has that shows each character in one (ISO 32000-2 Table 231).
    private let cellCount: Int?

    private static let passwordFlag = 1 << 13
    private static let pushButtonFlag = 1 << 16
    private static let comboFlag = 1 << 17
    private static let combFlag = 1 << 24
    /// How far from the border of cells a line stands at most, in parts of the width.
    private static let cellTolerance = 0.02
    /// Longest part of a value that is put into words.
    private static let wordLimit = 60
    private static let scalarLimit = 4 * wordLimit

    init(_ field: FormField, in document: PDFDocument) throws {
        type = field.type
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        let isComb = type == "Tx" && flags & Self.combFlag != 0
        cellCount =
            isComb ? try document.inherited("MaxLen", of: field.dictionary)?.integerValue : nil
        let actions = try document.value(field.dictionary, "AA").dictionaryValue
        isFormatted = actions?["F"] != nil
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
        byteCount = reading.byteCount
    }

    /// Most values of one field, and most options, that are read.
    private static let listLimit = 1000
    /// Longest text that is compared, in bytes.
    private static let byteLimit = 1 << 16

    /// Reads texts, and counts what that costs.
    private struct TextReading {
        let document: PDFDocument
        var byteCount = 0
        var isTooLong = false

        init(_ document: PDFDocument) { self.document = document }

        /// A value as people read it: one text, or several where more than one is chosen
        /// (ISO 32000-2 §12.7.5.4).
        mutating func text(of value: PDFObject) throws(PDFError) -> String? {
            guard let elements = value.arrayValue else { return single(value) }
            var texts: [String] = []
            isTooLong = elements.count > listLimit
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
    var isPushButton: Bool { isButton && flags & Self.pushButtonFlag != 0 }

    /// Whether a widget shows the value.
    func agreement(with look: WidgetLook) throws -> Agreement {
        guard isComplete else { return .unknown }
        return switch type {
        case "Btn"?: isPushButton ? .agrees : markAgreement(with: look)
        case "Tx"?: try textAgreement(with: look)
        // A list shows all options and marks one of them in some way.
        case "Ch"?: flags & Self.comboFlag != 0 ? try textAgreement(with: look) : .unknown
        default: .unknown
        }
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
        if type == "Tx", flags & Self.passwordFlag != 0 {
            let isMasked = Set(seenMarks).count <= 1 && !seenMarks.contains(where: \.isNumber)
            return isMasked ? .agrees : .unknown
        }
        // Cells of their own stand apart.
        if Self.words(shown) == Self.words(said) || cellCount != nil && seenMarks == saidMarks {
            return .agrees
        }
        // What has the same letters may read otherwise, and so may what no font shows.
        if seenMarks.filter(\.isASCII) == saidMarks.filter(\.isASCII) { return .unknown }
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

/// What one of a widget's looks says, and how.
struct PlainText {
    let words: String
    let shown: ShownText
    let frames: [Frame]
}

/// How one widget looks (ISO 32000-2 §12.5.5).
final class WidgetLook {
    /// /AS.
    let state: PDFName?
    private let document: PDFDocument
    private let rect: PDFRectangle?
    private let appearances: PDFDictionary
    /// Whether the entry /AP is something else than a dictionary: some readers take it for one.
    private let isOdd: Bool
    /// /MK: how viewers are to draw it (ISO 32000-2 Table 192).
    private let characteristics: PDFDictionary
    private var knownTexts: [AppearanceText?]?
    /// How much content was read.
    private(set) var byteCount = 0

    private static let kinds: [PDFName] = ["N", "R", "D"]

    init(_ id: ObjectID, in document: PDFDocument) throws {
        self.document = document
        let widget = try document.object(id).dictionaryValue ?? PDFDictionary()
        state = try document.value(widget, "AS").nameValue
        rect = try document.rectangle(widget["Rect"])
        let appearance = try document.value(widget, "AP")
        isOdd = appearance != .null && appearance.dictionaryValue == nil
        appearances = appearance.dictionaryValue ?? PDFDictionary()
        characteristics = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
    }

    /// Whether it has no look of its own: viewers may draw one.
    var isMissing: Bool {
        !isOdd && ((try? document.resolve(appearances["N"] ?? .null)) ?? .null) == .null
    }

    /// The states that are marked; nil when the look has no states.
    var marks: Set<PDFName>? {
        guard let states = try? document.value(appearances, "N").dictionaryValue else { return nil }
        return Set(states.keys).subtracting(["Off"])
    }

    /// Whether the looks of all states are the same for certain, as far as they are not replaced
    /// in place.
    func hasSameLooks(as other: WidgetLook, by equivalence: Equivalence) throws -> Bool {
        try !isOdd && !other.isOdd
            && equivalence.holds(.dictionary(appearances), .dictionary(other.appearances))
    }

    /// What `read` makes of each state of a button, by kind of look and state; nil when there are
    /// none, or it makes nothing of one.
    func states<Value>(
        _ read: (PDFStream, PDFDocument) throws -> Value?
    ) throws -> [String: Value]? {
        guard !isOdd, appearances.duplicateKeys.isEmpty, !appearances.isEmpty else { return nil }
        var found: [String: Value] = [:]
        for kind in appearances.keys {
            guard Self.kinds.contains(kind),
                let states = try document.value(appearances, kind).dictionaryValue,
                states.duplicateKeys.isEmpty, states.count <= Self.stateLimit
            else { return nil }
            for state in states.keys {
                guard let form = try document.value(states, state).streamValue,
                    let value = try read(form, document)
                else { return nil }
                byteCount += Self.stateCost
                found["\(kind)/\(state)"] = value
            }
        }
        return found
    }

    /// Most states of a button that are compared, and what each costs, in bytes.
    private static let (stateLimit, stateCost) = (16, 512)

    /// What is shown by itself, under the pointer and when pressed, in the current state; nil where
    /// there is nothing of the kind.
    func texts() throws -> [AppearanceText?] {
        if let knownTexts { return knownTexts }
        // Which of two entries counts is each viewer's choice.
        guard !isOdd, appearances.duplicateKeys.isEmpty else { return [nil] }
        let found: [AppearanceText?] = try Self.kinds.filter { appearances[$0] != nil }.map {
            kind in
            let look = try document.value(appearances, kind)
            let form =
                try look.streamValue
                ?? state.flatMap { state in
                    try look.dictionaryValue.flatMap { try document.value($0, state).streamValue }
                }
            return try form.map { try AppearanceText($0, rect: rect, in: document) }
        }
        byteCount += found.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        knownTexts = found
        return found
    }

    /// How the text is shown by itself, under the pointer and when pressed, with its words; nil where
    /// anything is not plain.
    func plainTexts() throws -> [PlainText]? {
        var found: [PlainText] = []
        for text in try texts() {
            guard let text, text.isReadable, text.isPlain else { return nil }
            found.append(
                PlainText(
                    words: FieldValue.words(text.text), shown: text.shown, frames: text.frames))
        }
        return found
    }

    /// Whether it draws no ground or frame but what the field says, or what was there before: it
    /// could hide what the page says.
    func drawsOnlyAsDeclared(before was: WidgetLook? = nil) throws -> Bool {
        let known = try was?.texts().compactMap { $0 } ?? []
        let hasGround = try hasColor("BG")
        let hasBorder = try hasColor("BC")
        return try texts().compactMap { $0 }.allSatisfy { look in
            let isCovered = look.shown.cover.map { cover in
                known.contains { $0.shown.cover?.contains(cover) == true }
            }
            return (hasGround || isCovered ?? true)
                && (hasBorder || !look.hasFrame || known.contains(where: \.hasFrame))
        }
    }

    /// Whether both hide the same of the page.
    func hasSameGround(as other: WidgetLook) throws -> Bool {
        func covers(_ look: WidgetLook) throws -> [PDFRectangle] {
            look.isMissing ? [] : try look.texts().compactMap { $0?.shown.cover }
        }
        let (mine, others) = (try covers(self), try covers(other))
        func frames(_ look: WidgetLook) throws -> [Frame] {
            look.isMissing ? [] : try look.texts().flatMap { $0?.frames ?? [] }
        }
        return try mine.count == others.count
            && zip(mine, others).allSatisfy { ShownText.areAlike($0, $1) }
            && Frame.areAlike(frames(self), frames(other))
    }

    private func hasColor(_ key: PDFName) throws -> Bool {
        try document.value(characteristics, key).arrayValue?.isEmpty == false
    }

    /// Some text that is shown; nil when it cannot be told.
    var text: String? {
        (try? texts())?.lazy.compactMap { $0 }.first { $0.isReadable }?.text
    }
}

extension PDFDocument {
    /// Parents that are asked.
    private static let maximumFieldDepth = 64

    /// A field's entry, its own or inherited (ISO 32000-2 §12.7.4.1).
    func inherited(_ key: PDFName, of field: PDFDictionary) throws(PDFError) -> PDFObject? {
        var current: PDFDictionary? = field
        for _ in 0..<Self.maximumFieldDepth {
            guard let dictionary = current else { return nil }
            if let entry = dictionary[key] { return try resolve(entry) }
            current = try value(dictionary, "Parent").dictionaryValue
        }
        return nil
    }

    /// Four numbers; nil when they are not.
    func rectangle(_ entry: PDFObject?) throws(PDFError) -> PDFRectangle? {
        guard let elements = try resolve(entry ?? .null).arrayValue, elements.count == 4 else {
            return nil
        }
        var numbers: [Double] = []
        for element in elements {
            guard let number = try resolve(element).numberValue else { return nil }
            numbers.append(number)
        }
        return PDFRectangle(numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
