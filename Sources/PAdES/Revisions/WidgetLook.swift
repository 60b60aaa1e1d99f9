import PDFCore

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
    let document: PDFDocument
    private let rect: PDFRectangle?
    private let appearances: PDFDictionary
    /// Whether the entry /AP is something else than a dictionary: some readers take it for one.
    private let isOdd: Bool
    /// /MK: how viewers are to draw it (ISO 32000-2 Table 192).
    private let characteristics: PDFDictionary
    private let fonts: LookFonts
    private var knownTexts: [AppearanceText?]?
    /// How much content was read.
    var byteCount = 0

    private static let kinds: [PDFName] = ["N", "R", "D"]

    init(_ id: ObjectID, in document: PDFDocument, fonts: LookFonts = LookFonts()) throws {
        (self.document, self.fonts) = (document, fonts)
        let widget = try document.object(id).dictionaryValue ?? PDFDictionary()
        state = try document.value(widget, "AS").nameValue
        rect = try document.rectangle(widget["Rect"])
        let appearance = try document.value(widget, "AP")
        isOdd = appearance != .null && appearance.dictionaryValue == nil
        appearances = appearance.dictionaryValue ?? PDFDictionary()
        characteristics = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
    }

    /// What a button says on it (/MK /CA).
    var caption: String? {
        get throws {
            guard case .string(let caption) = try document.value(characteristics, "CA") else {
                return nil
            }
            return caption.text
        }
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

    /// What is drawn in a state while nobody touches it.
    func normalLook(in state: PDFName) throws -> PDFStream? {
        byteCount += Self.stateCost
        guard let states = try document.value(appearances, "N").dictionaryValue else { return nil }
        return try document.value(states, state).streamValue
    }

    /// Whether a button's caption is left away for a picture (/MK /TP).
    var hidesCaption: Bool {
        get throws { try document.value(characteristics, "TP").integerValue == 1 }
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
    static let (stateLimit, stateCost) = (16, 512)

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
            return try form.map {
                try AppearanceText($0, rect: rect, in: document, fonts: fonts)
            }
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
