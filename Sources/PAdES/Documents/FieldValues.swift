import ByteKit
import PDFCore
import SignatureTerms
import TrustKit

/// Compares what fields hold with their looks: some readers show the one, others the other.
struct FieldValues {
    private(set) var problems: [VerificationProblem] = []
    private(set) var isComplete = true

    private let document: PDFDocument
    private let pages: PageTurns
    private let fonts = LookFonts()
    /// How many widgets may still be looked at.
    private var remaining: Int

    /// What some readers take of a widget and others of its field: each has them only once
    /// (ISO 32000-2 §12.7.4.1).
    private static let fieldKeys: [PDFName] = ["FT", "V", "Ff", "Opt", "MaxLen", "RV", "I"]

    /// Ends with the first contradiction.
    init(of form: AcroForm, in document: PDFDocument, _ effort: DynamicContent.Effort) throws {
        self.document = document
        pages = PageTurns(of: document, effort)
        remaining = effort.widgetCount
        defer { if !pages.isComplete { isComplete = false } }
        for field in form.fields where !field.isSignature && !field.widgetIDs.isEmpty {
            if let words = try contradiction(of: field) {
                problems = [
                    .doubt(
                        .contentAmbiguous,
                        "the field \(Self.quoted(field)) \(words): readers show the one or the other",
                        .signatureConstraintsFailure)
                ]
                return
            }
            guard remaining > 0 else {
                isComplete = false
                // Whoever fills the budget would hide a field behind it.
                guard effort == .thorough else { return }
                problems = [
                    .doubt(
                        .tooMuchShown,
                        "fields show more than is compared with what they hold: not all were looked at",
                        .signatureConstraintsFailure)
                ]
                return
            }
        }
    }

    private static func quoted(_ field: FormField) -> String {
        FieldValue.short(field.fullName.text).inQuotes
    }

    private mutating func contradiction(of field: FormField) throws -> String? {
        let value = try FieldValue(field, in: document)
        let options = try ChoiceOptions(field, in: document)
        let list = ListedOptions(options)
        remaining -= (options?.byteCount ?? 0) / DynamicContentSearch.byteShare
        if !value.isComplete || options?.isComplete == false { isComplete = false }
        if let words = value.ownContradiction ?? options?.contradiction { return words }
        // Of several buttons one is on.
        let isGroup = value.isButton && !value.isPushButton && field.widgetIDs.count > 1
        var looks: [WidgetLook] = []
        for id in field.widgetIDs {
            remaining -= 1 + value.byteCount / DynamicContentSearch.byteShare
            guard remaining > 0 else { return nil }
            guard let widget = try document.object(id).dictionaryValue else { continue }
            let flags = try AnnotationFlags(of: widget, in: document)
            guard !flags.isSurelyHidden else { continue }
            if id != field.id, let key = try ownEntry(of: widget, below: field) {
                return "has a widget with another /\(key)"
            }
            let look = try WidgetLook(id, in: document, fonts: fonts)
            looks.append(look)
            if !isGroup, case .contradicts(let words) = try value.agreement(with: look) {
                return words
            }
            let concealment =
                try value.concealment(
                    in: look,
                    onPageTurnedBy: flags.surelyHas(AnnotationFlags.noRotate)
                        ? 0 : pages.quarters(of: id))
                ?? list?.contradiction(in: look)
            remaining -= look.byteCount / DynamicContentSearch.byteShare
            if let concealment { return concealment }
        }
        if isGroup, case .contradicts(let words) = value.agreement(withGroup: looks) {
            return words
        }
        return nil
    }

    /// Which entry of a field a widget has of its own, with another value.
    private mutating func ownEntry(
        of widget: PDFDictionary, below field: FormField
    ) throws -> PDFName? {
        try Self.fieldKeys.first { key in
            guard let entry = widget[key] else { return false }
            if let id = entry.referenceValue, field.dictionary[key]?.referenceValue == id {
                return false
            }
            let own = try document.resolve(entry)
            guard own != .null else { return false }
            // Some programs write the state of a mark there too.
            if key == "V", field.type == "Btn",
                try own.nameValue == document.value(widget, "AS").nameValue ?? "Off"
            {
                return false
            }
            // No flags are 0 (ISO 32000-2 Table 226).
            let none: PDFObject = key == "Ff" ? .integer(0) : .null
            let due = try document.inherited(key, of: field.dictionary) ?? .null
            return try !isSame(own, due == .null ? none : due)
        }
    }

    /// Arrays within options, and what costs as much to compare as to look at a widget.
    private static let (entryDepth, entriesPerWidget) = (2, 64)

    /// Whether two entries say the same, however they are spelled. What is longer than anybody compares
    /// is not, and what there is no budget for is not said to be another.
    private mutating func isSame(
        _ own: PDFObject, _ due: PDFObject, depth: Int = 0
    ) throws -> Bool {
        if case (.string(let own), .string(let due)) = (own, due) {
            let byteCount = max(own.bytes.count, due.bytes.count)
            remaining -= byteCount / DynamicContentSearch.byteShare
            return own.bytes == due.bytes
                || byteCount <= FieldValue.byteLimit && own.text == due.text
        }
        guard let own = own.arrayValue, let due = due.arrayValue else { return own == due }
        guard own.count == due.count, depth < Self.entryDepth else { return false }
        remaining -= own.count / Self.entriesPerWidget
        for (own, due) in zip(own, due) where own.referenceValue == nil || own != due {
            guard remaining > 0 else { return true }
            guard try isSame(document.resolve(own), document.resolve(due), depth: depth + 1) else {
                return false
            }
        }
        return true
    }
}
