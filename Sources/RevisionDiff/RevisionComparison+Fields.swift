import Base
import PDFCore
import PDFSigning

/// Fields of the form that existed before (ISO 32000-2 §12.7.4, §12.7.5).
///
/// An appearance may change with the value if its strings do not contradict it. A changed
/// appearance with an unchanged value is indeterminate, unless its strings show the value.
extension RevisionComparison {
    /// The parts of a field that a revision rewrote.
    struct Touched {
        /// Widgets that were rewritten or whose appearance stream was replaced in place.
        var widgets: Set<ObjectID> = []
        /// Widgets whose appearance stream was replaced in place.
        var replacedStreams: Set<ObjectID> = []
        /// Keys whose values differ.
        var keys: Set<PDFName> = []
    }

    mutating func compareField(_ before: FormField, _ after: FormField) throws {
        let name = after.fullName
        guard before.fullName == name, before.type == after.type else {
            return forbid("the form field \(before.fullName.inQuotes) was replaced by another one")
        }
        var touched = Touched()
        var isTouched = false
        let ids =
            after.widgetIDs.contains(after.id) ? after.widgetIDs : [after.id] + after.widgetIDs
        for id in ids {
            if unexplainedObjects[id.number] != nil {
                isTouched = true
                touched.widgets.insert(id)
                touched.keys.formUnion(try compareFieldDictionary(id, of: after))
            }
            if mayHoldAppearances, try settleAppearance(of: id) {
                touched.widgets.insert(id)
                touched.replacedStreams.insert(id)
            }
        }
        if let id = after.value?.referenceValue, unexplainedObjects[id.number] != nil {
            isTouched = true
            // A long value may be a stream.
            if !after.isSignature, before.value == after.value,
                try belongsOnly(to: [after.id.number], id)
            {
                accept(id)
            }
        }
        // The value may be in an ancestor.
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

    /// Entries of a field that viewers also read in its widgets.
    private static let fieldKeys: Set<PDFName> = ["V", "Ff", "I", "FT"]

    /// - Returns: the keys whose values differ.
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
        accept(id)
        guard !fixed.contains(id) else {
            forbid(
                "the form field \(name.inQuotes) was changed, which is also used as another object")
            return []
        }
        let changed = try equivalence.changedKeys(earlier, later)
        guard later.duplicateKeys.isEmpty else {
            forbid("the form field \(name.inQuotes) has a duplicate key /\(later.duplicateKeys[0])")
            return changed
        }
        // Some viewers fail on these entries.
        for (key, value) in later.entries.map({ ($0.key, $0.value) })
        where value != earlier[key]
            && (value == .null || key == "AS" && value.referenceValue != nil)
        { reportUncertain("the entry /\(key) of field \(name.inQuotes) is null or indirect") }
        for key in changed {
            if try Self.fieldKeys.contains(key) && id != field.id && later[key] != nil
                && ![try new.inherited(key, of: field.dictionary), later["AS"]]
                    .contains(new.value(later, key))
            {
                reportUncertain(
                    "a widget of field \(name.inQuotes) and the field have different /\(key)")
            }
            try apply(PermittedChanges.field[key], to: key, of: field, earlier, later)
        }
        return changed
    }

    private mutating func apply(
        _ rule: PermittedChanges.FieldRule?, to key: PDFName, of field: FormField,
        _ earlier: PDFDictionary, _ later: PDFDictionary
    ) throws {
        let name = field.fullName.inQuotes
        let words = "the entry /\(key) of field \(name) was changed"
        switch rule {
        case .comparedWithField?: break
        case .named(let level)?: noteEntry(level, words, of: field)
        case .type?:
            if later[key]?.nameValue != "Annot" { forbid(words) }
        case .newTag?:
            if earlier[key] != nil { forbid(words) }
        case .flags?: try compareFlags(earlier, later, of: field)
        case .fieldFlags?:
            let was = try old.value(earlier, key).integerValue ?? 0
            let now = try new.value(later, key).integerValue ?? 0
            let words = "the flags of field \(name) (such as read-only) were changed"
            noteEntry(.formFilling, words, of: field)
            if (was ^ now) & ~PermittedChanges.harmlessFieldFlags != 0 { reportUncertain(words) }
        case .chosenIndices?:
            noteEntry(.formFilling, "the selection of field \(name) was changed", of: field)
            if try !sameContent.holds(earlier["V"], later["V"]) { break }
            reportUncertain("the selection of field \(name) was changed, but not its value")
        case .options?:
            guard let texts = try optionTexts(earlier, in: old),
                try texts == optionTexts(later, in: new)
            else {
                return forbid(words)
            }
            // Poppler compares options and value by bytes.
            noteEntry(.formFilling, words, of: field)
            reportUncertain("the options of field \(name) were rewritten with another encoding")
        case .kids?: try compareKids(earlier[key], later[key], of: field.fullName)
        case .defaultAppearance?:
            var isMoved = key == "Q"
            if key == "DA" {
                let was = try defaultAppearance(of: earlier, in: old)
                let now = try defaultAppearance(of: later, in: new)
                // PyMuPDF writes the color operator before the font operator.
                if was == now, now?.isSpelledPlainly == true { break }
                compareColor(was, now, "of field \(name)")
                isMoved = abs((was?.size ?? 0) - (now?.size ?? 0)) > Self.sizeTolerance
            }
            noteEntry(.formFilling, words, of: field)
            if isMoved, try sameContent.holds(earlier["V"], later["V"]) {
                reportUncertain("\(words), but not its value")
            }
            if try viewersDraw(field), try !isValueShown(field) {
                reportUncertain(
                    "the entry /\(key) of field \(name) was changed, which viewers use to generate its appearance"
                )
            }
        case .drawnByViewers?: try compareDrawnEntry(key, earlier, later, of: field)
        case nil: forbid("the entry /\(key) of the form field \(name) was changed")
        }
    }

    /// The texts of the options of a choice field (/Opt); nil for options that are not strings.
    private func optionTexts(
        _ field: PDFDictionary, in document: PDFDocument
    ) throws -> [[String]]? {
        let options = try document.value(field, "Opt").arrayValue ?? []
        let pairs = options.prefix(FieldText.listLimit).map { $0.arrayValue ?? [$0] }
        guard options.count == pairs.count,
            pairs.joined().allSatisfy({ $0.stringValue != nil })
        else { return nil }
        return pairs.map { $0.compactMap(\.stringValue).map { PDFString(bytes: $0).text } }
    }

    /// Reports a changed entry with extent 0, so that changes of values are listed first.
    mutating func noteEntry(_ level: ChangeLevel, _ words: String, of field: FormField) {
        result.note(level, words, on: ChangedPlaces(widgets: field.widgetIDs, extent: 0))
    }

    private mutating func compareFlags(
        _ earlier: PDFDictionary, _ later: PDFDictionary, of field: FormField
    ) throws {
        let (was, now) = (
            try AnnotationFlags(of: earlier, in: old), try AnnotationFlags(of: later, in: new)
        )
        guard was.showing != now.showing else { return }
        let words =
            was.mayBeHidden == now.mayBeHidden
            ? "changed between screen and print"
            : now.mayBeHidden ? "hidden" : "made visible"
        note(.formFilling, "field \(field.fullName.inQuotes) was \(words)")
        // A new signature is reported separately.
        if try !isSignedNow(field) {
            reportUncertain("field \(field.fullName.inQuotes) was \(words)")
        }
    }

    /// Compares widgets, which may be removed if annotation changes are permitted.
    private mutating func compareKids(
        _ before: PDFObject?, _ after: PDFObject?, of name: ExactText
    ) throws {
        let earlier = try old.resolve(before ?? .null).arrayValue ?? []
        let later = try new.resolve(after ?? .null).arrayValue ?? []
        var remaining = later[...]
        for kid in earlier where remaining.first == kid { remaining = remaining.dropFirst() }
        guard remaining.isEmpty, later.count < earlier.count else {
            return forbid("the entry /Kids of the form field \(name.inQuotes) was changed")
        }
        note(.annotations, "widgets of field \(name.inQuotes) were removed")
        reportUncertain("widgets of field \(name.inQuotes) were removed")
    }

    /// Whether the field has a widget without an appearance, or viewers generate all appearances.
    func viewersDraw(_ field: FormField) throws -> Bool {
        if formAfter.asksForAppearances { return true }
        return try field.widgetIDs.contains { try WidgetAppearance($0, in: new).isMissing }
    }

    func isSignedNow(_ field: FormField) throws -> Bool {
        guard field.isSignature, let before = knownField(field.id) else { return false }
        return try old.resolve(before.value ?? .null) == .null
            && new.resolve(field.value ?? .null) != .null
    }

    // MARK: Signature fields

    /// - Returns: whether value and appearance are unchanged.
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
            || after.value?.referenceValue.map({ unexplainedObjects[$0.number] != nil }) == true
        {
            forbid("the signature \(name.inQuotes) was replaced")
        } else if try touched.widgets.contains(where: {
            try !hasSameAppearance($0, touched: touched)
        }) {
            forbid(
                earlier == .null
                    ? "the appearance of the empty signature field \(name.inQuotes) was changed"
                    : "the appearance of the signature \(name.inQuotes) was changed")
        } else if earlier == .null {
            noteTechnical(.formFilling, "the empty signature field \(name.inQuotes) was rewritten")
        } else {
            noteTechnical(.archival, "the signature field \(name.inQuotes) was rewritten")
            return true
        }
        return false
    }

    /// Compares a field that was empty and is signed now.
    private mutating func compareSigned(_ before: FormField, _ after: FormField) throws {
        let name = after.fullName
        guard let id = after.value?.referenceValue, try !existed(id),
            let signature = try new.object(id).dictionaryValue, try holdsSignature(signature)
        else {
            return forbid(
                "the signature field \(name.inQuotes) was filled with an object that is not a new signature"
            )
        }
        let isTimestamp = try isDocumentTimestamp(signature)
        let isVisible = try after.widgetIDs.contains { try isShown($0) }
        result.note(
            .formFilling,
            "\(isTimestamp ? "document timestamp" : "signature") \(name.inQuotes) added",
            isContent: false, on: ChangedPlaces(widgets: after.widgetIDs), part: .signature(name))
        guard isVisible else { return }
        // If the field was visible before, its position was signed.
        if try !before.widgetIDs.contains(where: { try hadPlace($0) }) {
            remark(.annotationMayCoverContent("the appearance of the signature \(name.inQuotes)"))
        }
        // ETSI EN 319 142-1 §5.4.3: document timestamps are not shown on pages.
        if isTimestamp {
            reportUncertain(
                "the document timestamp \(name.inQuotes) has an appearance, which may cover content"
            )
        }
        for widget in after.widgetIDs where try isShown(widget) {
            guard try existed(widget), try !hadPlace(widget) else { continue }
            remark(.visibleSignatureAdded(name.text))
        }
    }

    private func hasSameAppearance(_ widget: ObjectID, touched: Touched) throws -> Bool {
        guard !touched.replacedStreams.contains(widget) else { return false }
        let was = try WidgetAppearance(widget, in: old)
        let now = try WidgetAppearance(widget, in: new)
        return try was.state == now.state && was.hasSameStreams(as: now, by: sameContent)
    }

    // MARK: Other fields

    /// - Returns: whether value and appearance are unchanged.
    private mutating func compareValue(
        _ before: FormField, _ after: FormField, _ touched: Touched
    ) throws -> Bool {
        let name = after.fullName.inQuotes
        let (was, now) = (try text(of: before, in: old), try text(of: after, in: new))
        if was.isTooLong || now.isTooLong, try !sameContent.holds(before.value, after.value) {
            result.note(
                .formFilling, "field \(name) changed", on: ChangedPlaces(widgets: after.widgetIDs))
            reportUncertain("the value of field \(name) is too long to compare")
            return false
        }
        let hasValueChanged = was.text != now.text
        if hasValueChanged {
            result.note(
                .formFilling, now.change(from: was, name: name),
                on: ChangedPlaces(widgets: after.widgetIDs))
            if !now.hasRightIndices {
                reportUncertain("the selection of field \(name) differs from its value")
            }
            if !now.isReadAlike, try viewersDraw(after) {
                reportUncertain(
                    "viewers may display the value of field \(name) differently (encoding)")
            }
        } else {
            result.note(
                .formFilling, "field \(name) was rewritten with the same value",
                isContent: false, on: ChangedPlaces(widgets: after.widgetIDs))
            try compareSpelling(before, was, after, now)
        }
        var isSame = !hasValueChanged
        for widget in hasValueChanged
            ? after.widgetIDs : after.widgetIDs.filter(touched.widgets.contains)
        {
            guard memory.takeAppearance() else {
                reportUncertain("field \(name) has too many widgets to compare their appearances")
                return false
            }
            let isKept = try hasSameAppearance(widget, touched: touched)
            guard hasValueChanged || !isKept else { continue }
            if !isKept { isSame = false }
            if now.isButton {
                try compareButton(widget, now, hasValueChanged, touched, name)
            } else {
                try compareAppearance(of: widget, now, hasValueChanged, isKept: isKept, name)
            }
        }
        if hasValueChanged, now.isButton, try !isState(now, of: after) {
            reportUncertain("the value of field \(name) is not one of its states")
        }
        return isSame
    }

    /// Whether a button's value is Off or a state of one of its widgets.
    private func isState(_ value: FieldText, of field: FormField) throws -> Bool {
        guard !value.isOff else { return true }
        return try field.widgetIDs.contains {
            try WidgetAppearance($0, in: new).marks.map(value.isOne(of:)) ?? true
        }
    }

    private static let costOfByte = 2
    private static let usualCost = 64

    private func text(of field: FormField, in document: PDFDocument) throws -> FieldText {
        let text = try FieldText(field, in: document)
        try memory.values.spend(max(0, text.cost - Self.usualCost) * Self.costOfByte)
        return text
    }

    /// Compares the encoding of an equal value. Its type or its interpretation may differ.
    private mutating func compareSpelling(
        _ before: FormField, _ was: FieldText, _ after: FormField, _ now: FieldText
    ) throws {
        let isAlike = was.isPlain && now.isPlain && was.hasSameText(as: now)
        let (earlier, later) = (
            try old.resolve(before.value ?? .null), try new.resolve(after.value ?? .null)
        )
        let isDrawn = try earlier.stringValue != later.stringValue && viewersDraw(after)
        guard try isDrawn || !isAlike && !sameContent.holds(earlier, later) else { return }
        let name = after.fullName.inQuotes
        guard now.text != nil else {
            return reportUncertain("the value of field \(name) was changed and cannot be read")
        }
        note(.formFilling, "the value of field \(name) was rewritten with another encoding")
        reportUncertain(
            "the value of field \(name) was rewritten with another encoding, which viewers may "
                + "display differently")
    }

    /// Compares the appearance of a text or choice field.
    ///
    /// - Parameter isKept: whether the appearance is unchanged.
    private mutating func compareAppearance(
        of widget: ObjectID, _ value: FieldText, _ hasValueChanged: Bool, isKept: Bool,
        _ name: String
    ) throws {
        let now = try WidgetAppearance(widget, in: new)
        if try now.isMissing {
            guard !isKept else { return }
            if hasValueChanged {
                let words = "field \(name) has no appearance: viewers may display it differently"
                remark(.appearanceNote(words))
                if !value.isDrawnAlike {
                    reportUncertain("viewers may display the value of field \(name) differently")
                }
            } else {
                reportUncertain(
                    "the appearance of field \(name) was removed: viewers generate another one")
            }
            return
        }
        // With /NeedAppearances, viewers generate a new appearance or display the existing one.
        if isKept, formAfter.asksForAppearances { return }
        let shown = try now.strings(isSigned: isSigned)
        memory.spendAppearance(shown?.reduce(0) { $0 + $1.byteCount } ?? 0)
        switch value.agreement(with: shown) {
        case .contradicts(let words): return reportUncertain("field \(name) \(words)")
        case .unknown where hasValueChanged:
            remark(
                .appearanceNote(
                    "the text shown by field \(name) is unknown: a font has no readable encoding"))
        case .unknown:
            reportUncertain(
                "the appearance of field \(name) was changed, but not its value, and cannot be "
                    + "read")
        case .agrees where hasValueChanged: break
        case .agrees:
            let words = "the appearance of field \(name) was changed, but not its value"
            result.note(.formFilling, words, on: ChangedPlaces(widgets: [widget]))
            if try didShow(shown, of: widget) {
                remark(.appearanceNote("\(words); it shows the same value"))
            } else {
                reportUncertain("\(words); the signed appearance did not show the value")
            }
        }
        if !isKept, try shown?.contains(where: { try !hasKnownColor($0, of: widget) }) == true {
            reportUncertain(
                "the new appearance of field \(name) may display differently: its text has neither the "
                    + "color of the default appearance (/DA) nor that of the earlier text")
        }
        if !isKept, value.isListBox {
            reportUncertain("the appearance of the list box \(name) was changed")
        }
        if !isKept, try shown.map({ try hasOtherUnit($0, value, widget) }) == true {
            reportUncertain("field \(name) shows another unit or currency than before")
        }
        if !isKept, let oddity = shown?.lazy.compactMap(\.oddityOfText).first {
            reportUncertain(
                "the new appearance of field \(name) may display differently: \(oddity)")
        }
    }

    /// Whether a formatted number has other letters or symbols than the earlier one.
    private func hasOtherUnit(
        _ shown: [AppearanceStrings], _ value: FieldText, _ widget: ObjectID
    ) throws -> Bool {
        func units(_ strings: [AppearanceStrings]) -> Set<String> {
            Set(strings.map { $0.text.filter { $0.isLetter || $0.isSymbol } })
        }
        guard value.isFormattedNumber else { return false }
        let was = try WidgetAppearance(widget, in: old).strings(isSigned: isSigned) ?? []
        return units(was).contains { !$0.isEmpty } && units(was) != units(shown)
    }

    /// Whether the widget displayed the same strings before, or had no appearance.
    private func didShow(_ shown: [AppearanceStrings]?, of widget: ObjectID) throws -> Bool {
        let was = try WidgetAppearance(widget, in: old)
        guard try !was.isMissing else { return true }
        let before = try was.strings(isSigned: isSigned)
        return before?.map(\.text).map(TextExcerpt.words)
            == shown?.map(\.text).map(TextExcerpt.words)
    }

    /// Whether an object is in the bytes that a signature of the earlier revision covers.
    func isSigned(_ id: ObjectID) -> Bool {
        guard !definedNumbers.contains(id.number) else { return false }
        var location = try? old.definition(of: id.number)?.location
        if case .compressed(let stream, _) = location {
            location = try? old.definition(of: stream)?.location
        }
        guard case .offset(let offset, _) = location else { return false }
        return offset < signedEnd
    }

    /// End of the last signed byte range (/ByteRange) in the earlier revision, as a file offset.
    private var signedEnd: Int {
        if let known = memory.knownSignedEnd, known.section == section { return known.end }
        let ends = formBefore.fields.lazy.filter(\.isSignature).compactMap { [old] field -> Int? in
            let signature = try? old.resolve(field.value ?? .null).dictionaryValue
            let range = try? signature.flatMap { try old.value($0, "ByteRange").arrayValue }
            let numbers = (range ?? []).compactMap(\.integerValue)
            return numbers.count == 4 ? numbers[2].addingChecked(numbers[3]) : nil
        }
        let end = ends.max() ?? 0
        memory.knownSignedEnd = (section, end)
        return end
    }
}
