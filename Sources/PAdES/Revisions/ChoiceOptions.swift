import ByteKit
import PDFCore

/// What a choice field offers, and what of it is chosen (ISO 32000-2 §12.7.5.4): some readers draw it
/// by that, others show its look.
struct ChoiceOptions {
    private struct Option {
        let export: String
        let shown: String
    }

    private var options: [Option] = []
    private var chosen: [String] = []
    /// What is chosen by number (/I).
    private var marked: [Int] = []
    /// The first option that a list shows (/TI).
    private var top = 0
    private var hasOddOption = false
    private let flags: Int
    /// Whether all of it was read, and how much text.
    private(set) var isComplete = true
    private(set) var byteCount = 0

    /// Bits of /Ff (Table 233).
    private static let (combo, editable, multiple) = (1 << 17, 1 << 18, 1 << 21)

    /// Nil for fields of other kinds.
    init?(_ field: FormField, in document: PDFDocument) throws {
        guard field.type == "Ch" else { return nil }
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        top = try document.inherited("TI", of: field.dictionary)?.integerValue ?? 0
        let value = try document.resolve(field.value ?? .null)
        for element in (value.arrayValue ?? [value]).prefix(FieldValue.listLimit) {
            chosen += try [text(of: document.resolve(element))].compactMap(\.self)
        }
        chosen.removeAll { FieldValue.folded($0).isEmpty }
        let numbers = try document.inherited("I", of: field.dictionary)?.arrayValue ?? []
        for number in numbers.prefix(FieldValue.listLimit) {
            marked += try [document.resolve(number).integerValue].compactMap(\.self)
        }
        let entries = try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? []
        if entries.count > FieldValue.listLimit { isComplete = false }
        for entry in entries.prefix(FieldValue.listLimit) {
            guard byteCount <= FieldValue.byteLimit else {
                isComplete = false
                return
            }
            let entry = try document.resolve(entry)
            var texts: [String] = []
            for part in entry.arrayValue?.prefix(3) ?? [entry] {
                texts += try [text(of: document.resolve(part))].compactMap(\.self)
            }
            if texts.count != (entry.arrayValue == nil ? 1 : 2) { hasOddOption = true }
            options.append(Option(export: texts.first ?? "", shown: texts.last ?? ""))
        }
    }

    private mutating func text(of object: PDFObject) -> String? {
        if let name = object.nameValue { return name.description }
        guard let bytes = object.stringValue, bytes.count <= FieldValue.byteLimit else {
            return nil
        }
        byteCount += bytes.count
        return PDFString(bytes: bytes).text
    }

    private var isList: Bool { flags & Self.combo == 0 }

    /// What it says against itself.
    var contradiction: String? {
        guard isComplete else { return nil }
        if hasOddOption { return "has an option that is neither a text nor two of them" }
        if chosen.count > 1, flags & Self.multiple == 0 {
            return "has several values, and can have one only"
        }
        if chosen.isEmpty, let index = marked.first(where: options.indices.contains) {
            return "marks \(Self.quoted(options[index].shown)) (/I), but has no value"
        }
        for value in chosen {
            let found = options.filter { $0.export == value }
            if let first = found.first, let other = found.last, first.shown != other.shown {
                return "has two options \(Self.quoted(value)), which read "
                    + "\(Self.quoted(first.shown)) and \(Self.quoted(other.shown))"
            }
            let isFree = !isList && flags & Self.editable != 0
            if found.isEmpty, !isFree {
                return "has a value that is none of its options, \(Self.quoted(value))"
            }
        }
        return nil
    }

    /// How the look of a list shows other options than it has, or marks others than are chosen.
    func contradiction(in look: WidgetLook) throws -> String? {
        guard isList, isComplete, !look.isMissing else { return nil }
        for case let shown? in try look.texts() where shown.isReadable {
            if let words = contradiction(in: shown) { return words }
        }
        return nil
    }

    private func contradiction(in look: AppearanceText) -> String? {
        let lines = look.text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated().map { (number: $0, text: String($1)) }
            .filter { !FieldValue.folded($0.text).isEmpty }
        let expected = options.dropFirst(max(0, top))
            .filter { !FieldValue.folded($0.shown).isEmpty }
        for (index, line) in lines.enumerated() {
            let option = index < expected.count ? expected[index].shown : ""
            if FieldValue.folded(line.text) != FieldValue.folded(option) {
                return "shows \(Self.quoted(line.text)), where its options have "
                    + Self.quoted(option)
            }
        }
        let seen = zip(lines, expected).filter { look.seenLines.contains($0.0.number) }
        let isChosen = seen.map { chosen.contains($0.1.export) }
        let isMarked = seen.map { look.markedLines.contains($0.0.number) }
        guard let value = chosen.first else {
            return isMarked.contains(true) ? "marks an option, but has no value" : nil
        }
        guard isChosen.contains(true) else {
            return "does not show its value, \(Self.quoted(value))"
        }
        // One alone needs no mark.
        guard isMarked != isChosen, seen.count > 1 else { return nil }
        // Some programs mark none at all.
        guard isMarked.contains(true) || !look.shown.isEven else { return nil }
        return "does not mark its value, \(Self.quoted(value)), or not that alone"
    }

    private static func quoted(_ text: String) -> String { FieldValue.short(text).inQuotes }
}
