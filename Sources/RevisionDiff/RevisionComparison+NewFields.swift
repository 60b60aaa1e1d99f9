import Base
import PDFCore
import PDFSigning

extension RevisionComparison {
    private static let maximumParentCount = 64
    /// Field types (ISO 32000-2 Table 226).
    private static let fieldTypes: Set<PDFName> = ["Btn", "Tx", "Ch", "Sig"]

    /// Judges a new field: other fields than signatures are permitted only without restrictions.
    mutating func judgeNewField(_ field: FormField) throws {
        let name = field.fullName
        guard try !existed(field.id) else {
            return forbid(
                "the form field \(name.inQuotes) was added, from a signed object (object \(field.id.number))"
            )
        }
        if namesSoFar.isEmpty { namesSoFar = Set(formBefore.fields.map(\.fullName)) }
        guard namesSoFar.insert(name).inserted else {
            return forbid("a second form field \(name.inQuotes) was added")
        }
        let widgets = try field.widgetIDs.map { try new.object($0).dictionaryValue }
        let kind = try new.value(field.dictionary, "Subtype")
        guard kind == .null || kind.nameValue == "Widget",
            try field.widgetIDs.allSatisfy({ try !existed($0) }),
            try widgets.allSatisfy({ widget in
                try widget.map { try new.value($0, "Subtype").nameValue } == "Widget"
            })
        else {
            return forbid(
                "the form field \(name.inQuotes) was added with an existing object as widget")
        }
        guard let type = field.type, Self.fieldTypes.contains(type) else {
            return forbid("the form field \(name.inQuotes) of unknown type was added")
        }
        guard try !doesSomething(field, widgets: widgets) else {
            return forbid("the new form field \(name.inQuotes) has an action")
        }
        let isVisible = try !field.isSignature || field.widgetIDs.contains { try isShown($0) }
        if isVisible { result.covering.annotations.formUnion(field.widgetIDs) }
        let value = try new.resolve(field.value ?? .null)
        if field.isSignature, value != .null {
            try judgeNewSignature(field, isVisible: isVisible)
        } else {
            result.note(
                .annotations, "the form field \(name.inQuotes) was added",
                on: ChangedPlaces(widgets: field.widgetIDs))
            remark(.fieldAdded(name.text))
            result.changedFields.insert(name)
            if isVisible {
                remark(.annotationMayCoverContent("the new form field \(name.inQuotes)"))
            }
        }
    }

    private mutating func judgeNewSignature(_ field: FormField, isVisible: Bool) throws {
        let name = field.fullName
        guard let id = field.value?.referenceValue, try !existed(id),
            let signature = try new.object(id).dictionaryValue
        else { return forbid("the form field \(name.inQuotes) was added") }
        guard try holdsSignature(signature) else {
            return forbid(
                "the form field \(name.inQuotes) was added with a value that is not a signature")
        }
        let isTimestamp = try isDocumentTimestamp(signature)
        if isTimestamp, !isVisible {
            return note(.archival, "document timestamp \(name.inQuotes) added")
        }
        let kind =
            isTimestamp
            ? "visible document timestamp" : isVisible ? "visible signature" : "signature"
        result.note(
            .formFilling, "\(kind) \(name.inQuotes) added",
            isContent: false, on: ChangedPlaces(widgets: field.widgetIDs), part: .signature(name))
        guard isVisible else { return }
        remark(.visibleSignatureAdded(name.text))
        remark(.annotationMayCoverContent("the \(kind) \(name.inQuotes)"))
        // ETSI EN 319 142-1 §5.4.3: document timestamps are not shown on pages.
        if isTimestamp {
            reportUncertain(
                "the document timestamp \(name.inQuotes) is visible on a page and may hide content")
        }
    }

    /// Whether a signature has the required entries, valid or not (ISO 32000-2 Table 255). Without
    /// them no viewer treats it as a signature.
    func holdsSignature(_ signature: PDFDictionary) throws -> Bool {
        try new.value(signature, "ByteRange").arrayValue != nil
            && new.value(signature, "Contents").stringValue != nil
    }

    /// Whether it is a document timestamp, by its format or its /Type.
    func isDocumentTimestamp(_ signature: PDFDictionary) throws -> Bool {
        try new.value(signature, "Type").nameValue == "DocTimeStamp"
            || new.value(signature, "SubFilter").nameValue == "ETSI.RFC3161"
    }

    /// Whether the field, one of its widgets or a new parent has actions.
    private func doesSomething(_ field: FormField, widgets: [PDFDictionary?]) throws -> Bool {
        var current: PDFDictionary? = field.dictionary
        for _ in 0..<Self.maximumParentCount {
            guard let dictionary = current else { break }
            if dictionary["A"] != nil || dictionary["AA"] != nil { return true }
            guard let parent = dictionary["Parent"]?.referenceValue, try !existed(parent) else {
                current = nil
                break
            }
            current = try new.object(parent).dictionaryValue
        }
        // The number of ancestors exceeds the limit.
        if current != nil { return true }
        return widgets.contains { $0?["A"] != nil || $0?["AA"] != nil }
    }

    /// Whether the widget of a signature may be visible. Flags and boxes are ignored, because
    /// viewers treat them differently. An invisible widget has an empty appearance in a box without
    /// area, so that MuPDF draws nothing over it.
    func isShown(_ widget: ObjectID) throws -> Bool { try isShown(widget, in: new) }

    func isShown(_ widget: ObjectID, in document: PDFDocument) throws -> Bool {
        guard let dictionary = try document.object(widget).dictionaryValue else { return false }
        guard dictionary["A"] == nil, dictionary["AA"] == nil else { return true }
        let appearance = try WidgetAppearance(widget, in: document)
        guard let rect = appearance.rect, rect.width * rect.height == 0 else { return true }
        return try hasMarks(dictionary, in: document) || hasBorder(dictionary, in: document)
            || !appearance.isBlank
    }

    /// Whether viewers draw a background, border or caption for the widget (ISO 32000-2 Table 192).
    private func hasMarks(_ widget: PDFDictionary, in document: PDFDocument) throws -> Bool {
        let marks = try document.value(widget, "MK")
        guard let entries = marks.dictionaryValue else { return marks != .null }
        return entries.keys.contains { $0 != "R" }
    }

    /// Whether its entries set a border with a width (Tables 166 and 168).
    private func hasBorder(_ widget: PDFDictionary, in document: PDFDocument) throws -> Bool {
        if let style = try document.value(widget, "BS").dictionaryValue,
            try document.value(style, "W").numberValue != 0
        {
            return true
        }
        guard let border = try document.value(widget, "Border").arrayValue else { return false }
        return try border.count < 3 || document.resolve(border[2]).numberValue != 0
    }

    /// Whether viewers displayed an earlier field at a position on its page, even without a value.
    func hadPlace(_ widget: ObjectID) throws -> Bool {
        guard let dictionary = try old.object(widget).dictionaryValue else { return false }
        return try !AnnotationFlags(of: dictionary, in: old).mayBeHidden
            && isShown(widget, in: old)
    }
}
