import ByteKit
import PDFCore
import SignatureTerms

/// Fields of the form that existed before (ISO 32000-2 §12.7.4, §12.7.5).
extension RevisionComparison {
    /// Entries that filling and signing write.
    private static let fillableKeys: Set<PDFName> = ["V", "AP", "AS", "M", "Type"]
    /// Entries that only say how viewers draw a field that has no look, or is to get a new one.
    private static let defaultKeys: Set<PDFName> = ["DA", "Q"]
    /// Entries of the annotation that draw nothing.
    private static let annotationKeys: Set<PDFName> = ["H", "NM", "Contents", "Lang", "AF"]
    /// Entries of the annotation that viewers may draw by.
    private static let drawnKeys: Set<PDFName> = ["MK", "BS", "Border", "BE", "C"]
    /// ReadOnly, Required and NoExport (ISO 32000-2 Table 227) change neither kind nor look.
    private static let harmlessFieldFlags = 7
    /// Most looks of one revision that are read.
    static let maximumLookCount = 10_000

    /// What of a field a revision defined anew.
    private struct Touched {
        /// Widgets written anew, or with a look that was replaced in place.
        var widgets: Set<ObjectID> = []
        /// Widgets with a look that was replaced in place.
        var replacedLooks: Set<ObjectID> = []
        /// Keys whose values differ.
        var keys: Set<PDFName> = []
    }

    mutating func compareField(_ before: FormField, _ after: FormField) throws {
        let name = after.fullName
        guard before.fullName == name, before.type == after.type else {
            forbid("the form field \(before.fullName.inQuotes) was turned into another")
            return
        }
        var touched = Touched()
        var isTouched = false
        let ids =
            after.widgetIDs.contains(after.id) ? after.widgetIDs : [after.id] + after.widgetIDs
        for id in ids {
            if pending[id.number] != nil {
                isTouched = true
                touched.widgets.insert(id)
                touched.keys.formUnion(try compareFieldDictionary(id, of: after))
            }
            if mayHoldLooks, try settleAppearance(of: id) {
                touched.widgets.insert(id)
                touched.replacedLooks.insert(id)
            }
        }
        if let id = after.value?.referenceValue, pending[id.number] != nil {
            isTouched = true
            // The text of a long value may be a stream.
            if !after.isSignature, before.value == after.value,
                try belongsOnly(to: [after.id.number], id)
            {
                settle(id)
            }
        }
        // The value may stand in a parent.
        guard
            try isTouched || !touched.widgets.isEmpty
                || !sameContent.holds(before.value, after.value)
        else { return }
        let isSameToPeople =
            try after.isSignature
            ? compareSignatureField(before, after, touched) : compareValue(before, after, touched)
        if !isSameToPeople || !touched.keys.isSubset(of: ["AP", "M"]) {
            result.changedFields.insert(name)
            result.covering.annotations.formUnion(after.widgetIDs)
        }
    }

    /// - Returns: The keys whose values differ.
    private mutating func compareFieldDictionary(
        _ id: ObjectID, of field: FormField
    ) throws -> [PDFName] {
        let name = field.fullName
        guard let earlier = try old.object(id).dictionaryValue,
            let later = try new.object(id).dictionaryValue
        else {
            forbid("the form field \(name.inQuotes) was replaced")
            return []
        }
        settle(id)
        guard !fixed.contains(id) else {
            forbid(
                "the form field \(name.inQuotes) was changed, which is shown as something else too")
            return []
        }
        let changed = try equivalence.changedKeys(earlier, later)
        guard later.duplicateKeys.isEmpty else {
            forbid("the form field \(name.inQuotes) has the key /\(later.duplicateKeys[0]) twice")
            return changed
        }
        for key in changed where !Self.fillableKeys.contains(key) {
            try judge(key, earlier, later, of: field)
        }
        if changed.contains("Type"), later["Type"]?.nameValue != "Annot" {
            forbid("the entry /Type of the form field \(name.inQuotes) was changed")
        }
        return changed
    }

    /// Judges an entry that holds neither value nor look.
    private mutating func judge(
        _ key: PDFName, _ earlier: PDFDictionary, _ later: PDFDictionary, of field: FormField
    ) throws {
        let name = field.fullName
        switch key {
        // A tag for the field; the structure tree is judged by itself.
        case "StructParent" where earlier[key] == nil: break
        case "F": try compareFlags(earlier, later, of: field)
        case "Ff":
            let was = try old.value(earlier, key).integerValue ?? 0
            let now = try new.value(later, key).integerValue ?? 0
            note(.formFilling, "the flags of field \(name.inQuotes) were changed")
            if (was ^ now) & ~Self.harmlessFieldFlags != 0 {
                doubt("the flags of field \(name.inQuotes) were changed")
            }
        // Which options are chosen, beside the value that says it.
        case "I":
            note(.formFilling, "the choice of field \(name.inQuotes) was changed")
            if try !sameContent.holds(earlier["V"], later["V"]) { break }
            doubt("the choice of field \(name.inQuotes) was changed while its value stayed")
        case "Kids": try compareKids(earlier[key], later[key], of: name)
        case _ where Self.defaultKeys.contains(key):
            note(.formFilling, "the entry /\(key) of field \(name.inQuotes) was changed")
            if try viewersDraw(field) {
                doubt("viewers draw field \(name.inQuotes), and its entry /\(key) was changed")
            }
        case _ where Self.annotationKeys.contains(key):
            note(.annotations, "the entry /\(key) of field \(name.inQuotes) was changed")
        case _ where Self.drawnKeys.contains(key):
            // An empty dictionary says nothing.
            let (was, now) = (try old.value(earlier, key), try new.value(later, key))
            guard ![was, now].allSatisfy({ $0.dictionaryValue?.isEmpty ?? ($0 == .null) }) else {
                return
            }
            // PyMuPDF writes a border's style with every value.
            note(
                key == "BS" ? .formFilling : .annotations,
                "the entry /\(key) of field \(name.inQuotes) was changed")
            // What holds without it says nothing new (ISO 32000-2 Table 168).
            if key == "BS", try isPlainBorder(was, old), try isPlainBorder(now, new),
                try was == .null || !hasBorderColor(earlier, old) && !hasBorderColor(later, new),
                try !viewersDraw(field)
            {
                break
            }
            doubt("viewers may draw field \(name.inQuotes) by its entry /\(key), which was changed")
        default: forbid("the entry /\(key) of the form field \(name.inQuotes) was changed")
        }
    }

    private func isPlainBorder(_ style: PDFObject, _ document: PDFDocument) throws -> Bool {
        guard style != .null else { return true }
        guard let style = style.dictionaryValue, style.duplicateKeys.isEmpty,
            Set(style.keys).isSubset(of: ["Type", "S", "W"])
        else { return false }
        return try [.null, .name("S")].contains(document.value(style, "S"))
            && [.null, .integer(0), .integer(1)].contains(document.value(style, "W"))
    }

    private func hasBorderColor(_ widget: PDFDictionary, _ document: PDFDocument) throws -> Bool {
        let marks = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
        return try document.value(marks, "BC") != .null
    }

    private mutating func compareFlags(
        _ earlier: PDFDictionary, _ later: PDFDictionary, of field: FormField
    ) throws {
        let (was, now) = (
            try AnnotationFlags(of: earlier, in: old), try AnnotationFlags(of: later, in: new)
        )
        guard was.showing != now.showing else { return }
        let words =
            was.isSurelyHidden == now.isSurelyHidden
            ? "shown in other places (screen, paper)" : now.isSurelyHidden ? "hidden" : "uncovered"
        note(.formFilling, "field \(field.fullName.inQuotes) was \(words)")
        // Who signs brings the look along, which is named.
        if try !isSignedNow(field) { doubt("field \(field.fullName.inQuotes) was \(words)") }
    }

    /// Widgets may go where annotations may.
    private mutating func compareKids(
        _ before: PDFObject?, _ after: PDFObject?, of name: ExactText
    ) throws {
        let earlier = try old.resolve(before ?? .null).arrayValue ?? []
        let later = try new.resolve(after ?? .null).arrayValue ?? []
        var remaining = later[...]
        for kid in earlier where remaining.first == kid { remaining = remaining.dropFirst() }
        guard remaining.isEmpty, later.count < earlier.count else {
            forbid("the entry /Kids of the form field \(name.inQuotes) was changed")
            return
        }
        note(.annotations, "widgets of field \(name.inQuotes) were removed")
        doubt("widgets of field \(name.inQuotes) were removed")
    }

    /// Whether the field has a widget without a look, or viewers draw all fields.
    private func viewersDraw(_ field: FormField) throws -> Bool {
        if formAfter.asksForAppearances { return true }
        return try field.widgetIDs.contains { try WidgetLook($0, in: new).isMissing }
    }

    func isSignedNow(_ field: FormField) throws -> Bool {
        guard field.isSignature, let before = knownField(field.id) else { return false }
        return try old.resolve(before.value ?? .null) == .null
            && new.resolve(field.value ?? .null) != .null
    }

    // MARK: Signature fields

    /// - Returns: Whether value and look are the same as before.
    private mutating func compareSignatureField(
        _ before: FormField, _ after: FormField, _ touched: Touched
    ) throws -> Bool {
        let name = after.fullName
        let earlier = try old.resolve(before.value ?? .null)
        let later = try new.resolve(after.value ?? .null)
        if earlier == .null, later != .null {
            try compareSigned(before, after)
        } else if earlier != .null, later == .null {
            forbid("the signature \(name.inQuotes) was removed")
        } else if try !equivalence.holds(before.value, after.value)
            || before.value?.referenceValue != after.value?.referenceValue
            || after.value?.referenceValue.map({ pending[$0.number] != nil }) == true
        {
            forbid("the signature \(name.inQuotes) was replaced")
        } else if try touched.widgets.contains(where: { try !hasSameLook($0, touched) }) {
            forbid(
                earlier == .null
                    ? "the look of the empty signature field \(name.inQuotes) was changed"
                    : "the look of the signature \(name.inQuotes) was changed")
        } else if earlier == .null {
            noteTechnical(
                .formFilling, "the empty signature field \(name.inQuotes) was written anew")
        } else {
            note(.archival, "the signature field \(name.inQuotes) was written anew")
            return true
        }
        return false
    }

    /// An empty field that has a signature now.
    private mutating func compareSigned(_ before: FormField, _ after: FormField) throws {
        let name = after.fullName
        guard let id = after.value?.referenceValue, try !existed(id),
            let signature = try new.object(id).dictionaryValue, try holdsSignature(signature)
        else {
            forbid("the signature field \(name.inQuotes) was filled with what is no new signature")
            return
        }
        let isTimestamp = try isDocumentTimestamp(signature)
        // Who may sign brings a stamp along, but not over what was signed.
        let isCovering = try after.widgetIDs.contains {
            try isShown($0, in: new) && !WidgetLook($0, in: new).isMissing && !isOnEmptyGround($0)
        }
        result.note(
            .formFilling,
            "\(isTimestamp ? "document timestamp" : "signature") \(name.inQuotes) added",
            isContent: isCovering, part: .signature(name))
        if isCovering {
            remark(.annotationMayCoverContent("the look of the signature \(name.inQuotes)"))
        }
        // ETSI EN 319 142-1 §5.4.3: time stamps have no business on the page.
        if isTimestamp, try after.widgetIDs.contains(where: { try isShown($0, in: new) }) {
            doubt("the document timestamp \(name.inQuotes) draws in a field for a signature")
        }
        for widget in after.widgetIDs where try isShown(widget, in: new) {
            guard try existed(widget), try !isShown(widget, in: old) else { continue }
            remark(.visibleSignatureAdded(name.text))
        }
    }

    private func hasSameLook(_ widget: ObjectID, _ touched: Touched) throws -> Bool {
        guard !touched.replacedLooks.contains(widget) else { return false }
        let (was, now) = (try WidgetLook(widget, in: old), try WidgetLook(widget, in: new))
        return try was.state == now.state && was.hasSameLooks(as: now, by: sameContent)
    }

    // MARK: Other fields

    /// - Returns: Whether value and look are the same as before.
    private mutating func compareValue(
        _ before: FormField, _ after: FormField, _ touched: Touched
    ) throws -> Bool {
        let name = after.fullName
        let (was, now) = (try value(of: before, in: old), try value(of: after, in: new))
        if was.isTooLong || now.isTooLong, try !sameContent.holds(before.value, after.value) {
            note(.formFilling, "field \(name.inQuotes) changed")
            doubt("the value of field \(name.inQuotes) is too long to be compared")
            return false
        }
        let hasValueChanged = was.text != now.text
        if hasValueChanged {
            note(.formFilling, Self.describe(name, from: was, to: now))
            if !now.isReadAlike, try viewersDraw(after) {
                doubt(
                    "the value of field \(name.inQuotes) is written in a way that viewers may show "
                        + "differently")
            }
        } else {
            noteTechnical(
                .formFilling, "field \(name.inQuotes) was written anew with the same value")
            try compareSpelling(before, was, after, now)
        }
        if hasValueChanged, !now.readsLike(was) { memory.forgetLooks(of: after.widgetIDs) }
        var isSame = !hasValueChanged
        // All places show a new value.
        for widget in hasValueChanged
            ? after.widgetIDs : after.widgetIDs.filter(touched.widgets.contains)
        {
            guard memory.takeLook() else {
                doubt("field \(name.inQuotes) has too many places to compare their looks")
                return false
            }
            let hasLookChanged = try !hasSameLook(widget, touched)
            guard hasValueChanged || hasLookChanged else { continue }
            if hasLookChanged { isSame = false }
            try compareLook(
                of: widget, now, before, hasLookChanged ? touched : nil, hasValueChanged)
            if hasValueChanged, hasLookChanged, now.readsLike(was) {
                try comparePlace(of: widget, name)
            }
        }
        return isSame
    }

    /// What it costs to read a byte of a value, beyond what most have.
    private static let costOfByte = 2
    private static let usualByteCount = 64

    func value(of field: FormField, in document: PDFDocument) throws -> FieldValue {
        let value = try FieldValue(field, in: document)
        try memory.values.spend(
            value.optionCount
                + max(0, value.byteCount - Self.usualByteCount) * Self.costOfByte)
        return value
    }

    /// A value that reads the same may be of another kind, or spelled as viewers do not show it.
    private mutating func compareSpelling(
        _ before: FormField, _ was: FieldValue, _ after: FormField, _ now: FieldValue
    ) throws {
        guard !(was.isPlain && now.isPlain && was.hasSameText(as: now)),
            try !sameContent.holds(before.value, after.value)
        else { return }
        let name = after.fullName.inQuotes
        guard now.text != nil else {
            return doubt("the value of field \(name) was changed, and cannot be read")
        }
        note(.formFilling, "the value of field \(name) was written in another way")
        doubt(
            "the value of field \(name) was written in another way, which viewers may show "
                + "differently")
    }

    /// - Parameter touched: nil when the look stayed.
    private mutating func compareLook(
        of widget: ObjectID, _ value: FieldValue, _ before: FormField, _ touched: Touched?,
        _ hasValueChanged: Bool
    ) throws {
        let name = before.fullName
        let (was, now) = (try WidgetLook(widget, in: old), try WidgetLook(widget, in: new))
        defer { memory.spendLook(was.byteCount + now.byteCount) }
        // Who draws the fields anew shows their values, and who does not what was there before.
        if touched == nil, formAfter.asksForAppearances, !value.isButton { return }
        if touched != nil, !was.isMissing, now.isMissing {
            doubt("the look of field \(name.inQuotes) was taken away: viewers draw one")
            return
        }
        let states = [was, now].map { $0.state ?? "Off" }
        if value.isButton, states[0] != states[1], value.isPushButton || !hasValueChanged {
            note(.formFilling, "the state of field \(name.inQuotes) was changed")
            guard !value.isPushButton else { return forbidLook(of: name, now) }
            doubt("the state of field \(name.inQuotes) was changed while its value stayed")
        }
        let areLooksKept =
            try touched.map { !$0.replacedLooks.contains(widget) } ?? true
            && was.hasSameLooks(as: now, by: sameContent)
        if value.isButton, !areLooksKept, try !hasSameMarks(widget, was, now) {
            // What stands for a mark or a picture is another now.
            if was.isMissing {
                doubt("field \(name.inQuotes) got a look, and what it shows cannot be told")
            } else if hasValueChanged {
                doubt("the looks of field \(name.inQuotes) cannot be compared with those before")
            } else {
                forbid("the look of field \(name.inQuotes) was changed while its value stayed")
            }
            return
        }
        if touched != nil, !value.isButton, try !now.drawsOnlyAsDeclared(before: was) {
            doubt(
                "the look of field \(name.inQuotes) has a ground or frame that the field does not")
        }
        switch try value.agreement(with: now) {
        case .contradicts(let words) where hasValueChanged || value.isButton:
            forbid("field \(name.inQuotes) \(words)")
        case .contradicts:
            forbidLook(of: name, now)
        case .unknown:
            doubt("the look of field \(name.inQuotes) cannot be compared with its value")
        case .agrees where value.isButton: break
        case .agrees where hasValueChanged: try judgeGround(of: widget, was, now, before)
        case .agrees where was.isMissing: try judgeFirstLook(of: widget, now, value, before)
        case .agrees:
            try compareTexts(of: widget, was, now, name)
        }
    }

    /// Whether a button's marks were only drawn anew, much as they were first: many small changes are
    /// a large one.
    private func hasSameMarks(
        _ widget: ObjectID, _ was: WidgetLook, _ now: WidgetLook
    ) throws -> Bool {
        guard let before = try was.markLooks(), let after = try now.markLooks() else {
            return false
        }
        let first = memory.firstMarks(of: widget, before)
        return try [before, first].allSatisfy { earlier in
            try Set(earlier.keys) == Set(after.keys)
                && after.allSatisfy { state, look in
                    try earlier[state].map { try look.isLike($0, sameContent.holds) } ?? false
                }
        }
    }

    /// The value stayed: what was seen must have said the same, at the same place.
    private mutating func compareTexts(
        of widget: ObjectID, _ was: WidgetLook, _ now: WidgetLook, _ name: ExactText
    ) throws {
        let likeness = try memory.likeness(of: widget, was, now)
        if likeness != nil, likeness != .other, try !memory.hasSameFrames(widget, now),
            try !isOnEmptyGround(widget, isStrict: true)
        {
            doubt(
                "the look of field \(name.inQuotes) has another frame, which may hide or uncover "
                    + "what the page shows")
        }
        switch likeness {
        case .same?: return
        case .moved?:
            note(.formFilling, "what field \(name.inQuotes) shows was moved within it")
        case .other?, nil:
            let (before, after) = (was.text.map(FieldValue.folded), now.text.map(FieldValue.folded))
            if let before, before != after {
                forbidLook(of: name, now)
            } else {
                doubt("the look of field \(name.inQuotes) cannot be compared with the one before")
            }
        }
    }

    /// People take the value for the one before: what is seen of it must be where it was.
    private mutating func comparePlace(of widget: ObjectID, _ name: ExactText) throws {
        let (was, now) = (try WidgetLook(widget, in: old), try WidgetLook(widget, in: new))
        guard !was.isMissing, !now.isMissing else { return }
        switch try memory.likeness(of: widget, was, now, byWords: false) {
        case .same?, .moved?: break
        case .other?, nil: doubt("what field \(name.inQuotes) shows stands elsewhere in it")
        }
    }

    /// The value stayed, what is seen did not (shadow attack, replace).
    private mutating func forbidLook(of name: ExactText, _ look: WidgetLook) {
        forbid(
            "the look of field \(name.inQuotes) was changed while its value stayed"
                + (look.text.map { ": it shows \(FieldValue.short($0).inQuotes)" } ?? ""))
    }

    private static func describe(
        _ name: ExactText, from was: FieldValue, to now: FieldValue
    ) -> String {
        let (before, after) = (was.text ?? "", now.text ?? "")
        if !before.isEmpty, !after.isEmpty, was.words == now.words {
            let (from, to) = FieldValue.difference(before, after)
            return "field \(name.inQuotes) changed from \(from.inQuotes) to \(to.inQuotes)"
        }
        return switch (before, after) {
        case ("", _): "field \(name.inQuotes) filled: \(now.words)"
        case (_, ""): "field \(name.inQuotes) emptied, it was \(was.words)"
        default:
            "field \(name.inQuotes) changed from \(was.words(besides: now)) to "
                + now.words(besides: was)
        }
    }
}
