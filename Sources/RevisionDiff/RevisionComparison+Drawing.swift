import Base
import PDFCore
import PDFSigning

/// Entries by which viewers draw fields: colors and borders (ISO 32000-2 §12.5.4, §12.7.4.3).
extension RevisionComparison {
    /// New appearances may have the color of the default appearance, so it must stay.
    mutating func compareColor(
        _ was: DefaultAppearance?, _ now: DefaultAppearance?, _ owner: String
    ) {
        if let was = was?.color, let now = now?.color, was.isAlike(now) { return }
        reportUncertain("the text color \(owner) was changed (/DA)")
    }

    /// The default appearance of a field or widget, its own or that of an ancestor or the form; nil
    /// if it is unreadable.
    func defaultAppearance(
        of widget: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> DefaultAppearance? {
        if let own = try document.inherited("DA", of: widget) { return DefaultAppearance(own) }
        let form = document === old ? formBefore : formAfter
        return DefaultAppearance(try document.value(form.dictionary, "DA"))
    }

    mutating func compareDrawnEntry(
        _ key: PDFName, _ earlier: PDFDictionary, _ later: PDFDictionary, of field: FormField
    ) throws {
        let name = field.fullName.inQuotes
        let (was, now) = (try old.value(earlier, key), try new.value(later, key))
        guard
            key != "MK" || ![was, now].allSatisfy({ $0.dictionaryValue?.isEmpty ?? ($0 == .null) })
        else { return }
        // MuPDF writes the default border with every value.
        if key == "BS", try hasDefaultBorder(earlier, in: old), try hasDefaultBorder(later, in: new)
        {
            return
        }
        noteEntry(
            key == "BS" ? .formFilling : .annotations,
            "the entry /\(key) of field \(name) was changed", of: field)
        // A solid border without a color.
        if key == "BS", try isPlainBorder(was, in: old) && isPlainBorder(now, in: new),
            try !hasBorderColor(earlier, in: old) && !hasBorderColor(later, in: new),
            try !viewersDraw(field)
        {
            return
        }
        reportUncertain(
            "the entry /\(key) of field \(name) was changed, which viewers may use to display it")
    }

    /// Whether the border is the default, with or without /BS: solid and 1 point wide (ISO 32000-2
    /// Tables 166 and 168).
    private func hasDefaultBorder(
        _ widget: PDFDictionary, in document: PDFDocument
    ) throws -> Bool {
        let style = try document.value(widget, "BS")
        let width = try style.dictionaryValue.map { try document.value($0, "W") } ?? .null
        return try isPlainBorder(style, in: document) && [.null, .integer(1)].contains(width)
            && (style != .null || isDefaultBorder(document.value(widget, "Border")))
    }

    /// Whether a border (/Border) is missing or has the default value (ISO 32000-2 Table 166).
    private func isDefaultBorder(_ border: PDFObject) -> Bool {
        border == .null || border.arrayValue?.map(\.numberValue) == [0, 0, 1]
    }

    private func isPlainBorder(_ style: PDFObject, in document: PDFDocument) throws -> Bool {
        guard style != .null else { return true }
        guard let style = style.dictionaryValue, style.duplicateKeys.isEmpty,
            Set(style.keys).isSubset(of: ["Type", "S", "W"])
        else { return false }
        return try [.null, .name("S")].contains(document.value(style, "S"))
            && [.null, .integer(0), .integer(1)].contains(document.value(style, "W"))
    }

    private func hasBorderColor(_ widget: PDFDictionary, in document: PDFDocument) throws -> Bool {
        let marks = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
        return try document.value(marks, "BC") != .null
    }

    /// Whether text has the color of the default appearance (/DA) or of the widget's earlier text.
    func hasKnownColor(_ shown: AppearanceStrings, of widget: ObjectID) throws -> Bool {
        guard let color = shown.textColor else { return true }
        let dictionary = try old.object(widget).dictionaryValue ?? PDFDictionary()
        let setting = try defaultAppearance(of: dictionary, in: old)
        if setting?.color?.isAlike(color) == true { return true }
        return try WidgetAppearance(widget, in: old).strings(isSigned: isSigned)?.contains {
            $0.textColor?.isAlike(color) == true
        } == true
    }
}
