import PDFCore
import PDFSigning

/// The appearances of one widget (ISO 32000-2 §12.5.5).
struct WidgetAppearance {
    /// The current state (/AS).
    let state: PDFName?
    let rect: PDFRectangle?
    private let document: PDFDocument
    private let widget: PDFDictionary
    /// /AP, resolved: a dictionary in correct files.
    private let entry: PDFObject
    private let appearances: PDFDictionary

    private static let kinds: [PDFName] = ["N", "R", "D"]

    init(_ id: ObjectID, in document: PDFDocument) throws(PDFError) {
        self.document = document
        widget = try document.object(id).dictionaryValue ?? PDFDictionary()
        state = try document.value(widget, "AS").nameValue
        rect = try document.rectangle(widget["Rect"])
        entry = try document.value(widget, "AP")
        appearances = entry.dictionaryValue ?? PDFDictionary()
    }

    /// Background, border, line and cell properties from the entries of the widget.
    private var frame: AppearanceFrame {
        get throws(PDFError) {
            var frame = AppearanceFrame()
            if let marks = try document.value(widget, "MK").dictionaryValue {
                frame.hasBackground = try document.value(marks, "BG").arrayValue?.isEmpty == false
                frame.hasBorder = try document.value(marks, "BC").arrayValue?.isEmpty == false
            }
            let flags = try document.inherited("Ff", of: widget)?.integerValue ?? 0
            frame.isMultiline =
                try document.inherited("FT", of: widget)?.nameValue == "Ch"
                ? flags & FieldFlags.combo == 0 : flags & FieldFlags.multiline != 0
            if flags & FieldFlags.comb != 0 {
                frame.cellCount = try document.inherited("MaxLen", of: widget)?.integerValue ?? 1
            }
            return frame
        }
    }

    /// Whether the widget has no normal appearance (/N), so that viewers may generate one.
    var isMissing: Bool {
        get throws(PDFError) {
            guard entry == .null || entry.dictionaryValue != nil else { return false }
            return try document.value(appearances, "N") == .null
        }
    }

    /// Names of the states other than Off. Nil for an appearance without states.
    var marks: Set<PDFName>? {
        get throws(PDFError) {
            try document.value(appearances, "N").dictionaryValue.map {
                Set($0.keys).subtracting(["Off"])
            }
        }
    }

    /// Whether a button shows one mark as a character in each state, and no mark in the state Off.
    ///
    /// - Parameter isKnown: whether a state of an appearance is unchanged.
    func isPlainButton(
        isKnown: (_ kind: PDFName, _ state: PDFName, PDFObject) throws -> Bool
    ) throws -> Bool {
        let frame = try frame
        for kind in Self.kinds where appearances[kind] != nil {
            guard let states = try document.value(appearances, kind).dictionaryValue,
                states.duplicateKeys.isEmpty, states.count <= Self.stateLimit
            else { return false }
            for (name, entry) in states.entries.map({ ($0.key, $0.value) })
            where try !isKnown(kind, name, entry) {
                guard let stream = try document.resolve(entry).streamValue else { return false }
                let shown = try AppearanceStrings(
                    stream, rect: rect, frame: frame, in: document
                ) { _ in true }
                guard shown.unreadablePart == nil, shown.oddity == nil, shown.codeCount == 0,
                    shown.markCount == (name == "Off" ? 0 : 1)
                else { return false }
            }
        }
        return !appearances.isEmpty && appearances.duplicateKeys.isEmpty
    }

    /// The appearance of a kind (/N, /R or /D) in a state; nil if there is none.
    func part(_ kind: PDFName, _ state: PDFName) throws(PDFError) -> PDFObject? {
        try document.value(appearances, kind).dictionaryValue?[state]
    }

    /// Whether the normal appearance shows the caption of a push button (/CA, ISO 32000-2 Table 192),
    /// which viewers use to generate one.
    var showsCaption: Bool {
        get throws {
            let marks = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
            let caption = try document.value(marks, "CA").stringValue ?? []
            let words = TextExcerpt.words(PDFString(bytes: caption).text)
            return try strings(isSigned: { _ in true })?.allSatisfy {
                $0.unreadablePart == nil && !$0.hasUnknownCharacters
                    && TextExcerpt.words($0.text) == words
            } == true
        }
    }

    /// Whether the appearances of all states are empty. The box is ignored: viewers also draw
    /// appearances in a box without area.
    var isBlank: Bool {
        get throws(PDFError) {
            let frame = try frame
            guard entry == .null || entry.dictionaryValue != nil else { return false }
            var parts: [PDFObject] = []
            for entry in appearances.entries {
                let value = try document.resolve(entry.value)
                parts += value.dictionaryValue?.entries.map(\.value) ?? [value]
            }
            guard parts.count <= Self.partLimit else { return false }
            for part in parts {
                let part = try document.resolve(part)
                if part == .null { continue }
                guard let stream = part.streamValue,
                    try AppearanceStrings(
                        stream, rect: rect, frame: frame, in: document, isSigned: { _ in true }
                    ).isBlank
                else { return false }
            }
            return true
        }
    }

    /// Whether the appearance is blank or the box of the widget has an area.
    var hasPlace: Bool {
        get throws(PDFError) {
            guard let rect, rect.width > 0, rect.height > 0 else { return try isBlank }
            return true
        }
    }

    /// Maximum number of appearances of all states that are read.
    private static let partLimit = 256
    /// Maximum number of states of a button whose appearances are read.
    private static let stateLimit = 16

    /// Whether both widgets refer to the same appearances. A stream replaced in place is not
    /// detected.
    func hasSameStreams(as other: WidgetAppearance, by equivalence: Equivalence) throws -> Bool {
        try equivalence.holds(entry, other.entry)
    }

    /// The strings of the normal, rollover and down appearance in the current state.
    ///
    /// - Returns: nil if an appearance is not a stream, or an entry is duplicated.
    func strings(isSigned: @escaping (ObjectID) -> Bool) throws(PDFError) -> [AppearanceStrings]? {
        guard entry.dictionaryValue != nil, appearances.duplicateKeys.isEmpty else { return nil }
        let frame = try frame
        var found: [AppearanceStrings] = []
        for kind in Self.kinds where appearances[kind] != nil {
            let value = try document.value(appearances, kind)
            var stream = value.streamValue
            if stream == nil, let states = value.dictionaryValue, let state {
                stream = try document.value(states, state).streamValue
            }
            guard let stream else { return nil }
            found.append(
                try AppearanceStrings(
                    stream, rect: rect, frame: frame, in: document, isSigned: isSigned))
        }
        return found
    }
}
