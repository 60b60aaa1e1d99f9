import ByteKit
import PDFCore

/// What a choice field offers, and what of it is chosen (ISO 32000-2 §12.7.5.4): some readers draw it
/// by that, others show its look.
struct ChoiceOptions {
    struct Option {
        let export: String
        let shown: String
    }

    private(set) var options: [Option] = []
    /// The values, and the export value of the option that each means; nil where it means none.
    private var chosen: [(value: String, option: String?)] = []
    /// What is chosen by number (/I), of the options that there are.
    private var marked: [Int] = []
    /// The first option that a list shows (/TI).
    let top: Int
    private var hasOddOption = false
    private let flags: Int
    /// Whether all of it was read, and how much text.
    let isComplete: Bool
    private(set) var byteCount = 0

    /// What it costs to read a value, an option or a number, beyond its text.
    private static let elementCost = 4
    /// As many parts as an option has, and one that is too many.
    private static let partLimit = 3

    /// Nil for fields of other kinds.
    init?(_ field: FormField, in document: PDFDocument) throws {
        guard field.type == "Ch" else { return nil }
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        top = try document.inherited("TI", of: field.dictionary)?.integerValue ?? 0
        var reading = FieldValue.TextReading(document)
        let values = Self.elements(try document.resolve(field.value ?? .null))
        let entries = try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? []
        let numbers = Self.elements(try document.inherited("I", of: field.dictionary) ?? .null)
        var isCut = [values, entries, numbers].contains { $0.count > FieldValue.listLimit }
        var texts: [String] = []
        for value in values.prefix(FieldValue.listLimit) {
            isCut = isCut || reading.isFull
            guard !isCut, let text = try reading.single(document.resolve(value)) else { continue }
            texts.append(text)
        }
        for entry in entries.prefix(FieldValue.listLimit) {
            isCut = isCut || reading.isFull
            guard !isCut else { break }
            let entry = try document.resolve(entry)
            var parts: [String] = []
            for part in entry.arrayValue?.prefix(Self.partLimit) ?? [entry] {
                parts += try [reading.single(document.resolve(part))].compactMap(\.self)
            }
            if parts.count != (entry.arrayValue == nil ? 1 : 2) { hasOddOption = true }
            options.append(Option(export: parts.first ?? "", shown: parts.last ?? ""))
        }
        for number in numbers.prefix(FieldValue.listLimit) {
            guard let index = try document.resolve(number).integerValue,
                options.indices.contains(index)
            else { continue }
            marked.append(index)
        }
        isComplete = !isCut && !reading.isTooLong
        byteCount =
            reading.byteCount
            + Self.elementCost
            * [values, entries, numbers].reduce(0) { $0 + min($1.count, FieldValue.listLimit) }
        choose(texts)
    }

    private static func elements(_ object: PDFObject) -> [PDFObject] {
        object == .null ? [] : object.arrayValue ?? [object]
    }

    /// Some programs write what is shown in place of the export value.
    private mutating func choose(_ values: [String]) {
        let exports = Set(options.map(\.export))
        let shown = Dictionary(
            options.map { ($0.shown, $0.export) }, uniquingKeysWith: { first, _ in first })
        for value in values {
            if exports.contains(value) {
                chosen.append((value, value))
            } else if !FieldValue.folded(value).isEmpty {
                chosen.append((value, shown[value]))
            }
        }
    }

    var isList: Bool { flags & FieldFlags.combo == 0 }

    /// A value that a list shows as chosen.
    var firstChosen: String? { chosen.first?.value }
    var chosenExports: Set<String> { Set(chosen.map { $0.option ?? $0.value }) }

    // MARK: What it says against itself

    var contradiction: String? {
        guard isComplete else { return nil }
        if hasOddOption { return "has an option that is neither a text nor two of them" }
        if chosen.count > 1, flags & FieldFlags.multipleChoice == 0 {
            return "has several values, and can have one only"
        }
        return doubtfulValue ?? otherMark
    }

    /// A value that stands for none of the options, or for several.
    private var doubtfulValue: String? {
        var first: [String: String] = [:]
        var other: [String: String] = [:]
        for option in options {
            if let known = first[option.export] {
                if known != option.shown { other[option.export] = option.shown }
            } else {
                first[option.export] = option.shown
            }
        }
        for (value, option) in chosen {
            if let one = first[value], let other = other[value] {
                return "has two options \(Self.quoted(value)), which read \(Self.quoted(one)) and "
                    + Self.quoted(other)
            }
            // A list marks its options by their export values.
            if isList ? option != value : option == nil && !isFree {
                return "has a value that is none of its options, \(Self.quoted(value))"
            }
        }
        return nil
    }

    /// Whether any text can be entered, or what there is to choose from is a script's.
    private var isFree: Bool {
        !isList && (flags & FieldFlags.editable != 0 || options.isEmpty)
    }

    /// What some readers take for chosen by its number.
    private var otherMark: String? {
        guard let value = chosen.first?.value else {
            let said = marked.first {
                !FieldValue.folded(options[$0].shown + options[$0].export).isEmpty
            }
            return said.map { "marks \(Self.quoted(options[$0].shown)) (/I), but has no value" }
        }
        let meant = chosenExports
        guard !marked.isEmpty, Set(marked.map { options[$0].export }) != meant else { return nil }
        let other = marked.first { !meant.contains(options[$0].export) }
        let words =
            other.map { "marks \(Self.quoted(options[$0].shown)) (/I)" }
            ?? "does not mark all that is chosen (/I)"
        return words + ", but its value is \(Self.quoted(value))"
    }

    static func quoted(_ text: String) -> String { FieldValue.short(text).inQuotes }
}
