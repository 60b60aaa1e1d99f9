import Base
import PDFCore
import PDFSigning

/// The interactive form (ISO 32000-2 §12.7): its dictionary, fields and resources.
extension RevisionComparison {
    mutating func compareForm() throws {
        guard formAfter.exists else {
            if formBefore.exists { forbid("the form was removed") }
            return
        }
        try compareFormDictionary()
        // Only fields and pages changed, so replaced appearance streams belong to the fields.
        if let changedFields, try areOnlyFieldsAndPagesPending() {
            for index in changedFields {
                try compareField(formBefore.fields[index], formAfter.fields[index])
            }
            return
        }
        guard try equivalence.holds(.array(formBefore.directParts), .array(formAfter.directParts))
        else {
            return forbid(
                "the form contains new direct field objects")
        }
        try judgeNewParents()
        try compareParents()
        let listed = formAfter.fieldReferences.compactMap(\.referenceValue)
        let references = Set(listed)
        if placesBefore.haveSharedWidgets {
            let known = formBefore.fieldReferences.compactMap(\.referenceValue)
            let kept = Set(known)
            if known.filter(references.contains) != listed.filter(kept.contains) {
                forbid("the order of form fields with a common widget was changed")
            }
        }
        for case let id? in formBefore.fieldReferences.map(\.referenceValue)
        where !references.contains(id) { forbid("a form field was removed") }
        mayHoldAppearances = try isAnyAppearancePending()
        for field in formAfter.fields {
            if let earlier = knownField(field.id) {
                try compareField(earlier, field)
            } else {
                try judgeNewField(field)
            }
        }
        for id in Self.repeated(in: formAfter.fieldReferences, notIn: formBefore.fieldReferences) {
            let name = placesAfter.fields[id].map { formAfter.fields[$0].fullName } ?? ExactText("")
            noteTechnical(.formFilling, "the form contains the field \(name.inQuotes) twice")
        }
        let remaining = Set(formAfter.fields.map(\.id))
        for field in formBefore.fields where !remaining.contains(field.id) {
            forbid("the form field \(field.fullName.inQuotes) was removed")
        }
    }

    /// Compares new non-terminal fields: they may neither have widgets nor contain existing fields.
    private mutating func judgeNewParents() throws {
        let parents = Set(formAfter.parentIDs)
        for id in formAfter.parentIDs where try !existed(id) {
            let parent = try new.object(id).dictionaryValue ?? PDFDictionary()
            for kid in try new.value(parent, "Kids").arrayValue ?? [] {
                guard let kidID = kid.referenceValue, try !existed(kidID),
                    placesAfter.fields[kidID] != nil || parents.contains(kidID)
                else { return forbid("a new form field refers to other objects as its fields") }
            }
        }
    }

    /// Compares ancestors of fields: a value may be inherited from them.
    private mutating func compareParents() throws {
        let known = Set(formBefore.parentIDs)
        for id in formAfter.parentIDs
        where unexplainedObjects[id.number] != nil && known.contains(id) {
            guard !fixed.contains(id), let earlier = try old.object(id).dictionaryValue,
                let later = try new.object(id).dictionaryValue, later.duplicateKeys.isEmpty,
                try equivalence.changedKeys(earlier, later) == ["V"]
            else { continue }
            accept(id)
            result.note(
                .formFilling, "a value that form fields inherit was changed",
                on: ChangedPlaces(widgets: [], extent: 0))
        }
    }

    /// Whether a replaced object may be an appearance stream and not a field, widget or page.
    private func isAnyAppearancePending() throws -> Bool {
        try unexplainedObjects.values.contains { id in
            guard knownField(id) == nil else { return false }
            let dictionary = try old.object(id).dictionaryValue
            let kind = dictionary?["Subtype"]?.nameValue ?? dictionary?["Type"]?.nameValue
            return !["Widget", "Page", "Catalog"].contains(kind)
        }
    }

    private mutating func compareFormDictionary() throws {
        let (before, after) = (formBefore.dictionary, formAfter.dictionary)
        guard after.duplicateKeys.isEmpty else {
            return forbid("the form has a duplicate key /\(after.duplicateKeys[0])")
        }
        let catalog = try old.catalogID.number
        if let id = formAfter.id, formBefore.id == id, try belongsOnly(to: [catalog], id) {
            accept(id)
        }
        let holders: Set<Int> = [catalog, formBefore.id?.number ?? catalog]
        if let id = formAfter.fieldsID, formBefore.fieldsID == id, try belongsOnly(to: holders, id)
        {
            accept(id)
        }
        for key in try equivalence.changedKeys(before, after) {
            switch PermittedChanges.form[key] {
            case .comparedByPart?: break
            case .needAppearances?: try compareNeedAppearances()
            case .defaultAppearance?:
                if formBefore.exists {
                    note(.formFilling, "the default text style of the form was changed")
                    compareColor(
                        DefaultAppearance(try old.value(before, "DA")),
                        DefaultAppearance(try new.value(after, "DA")), "of the form")
                }
                try reportGenerated("the default /\(key) of the form was changed")
            case nil: forbid("the entry /\(key) of the form was changed")
            }
        }
        try compareResources(holders: holders)
    }

    /// With /NeedAppearances some viewers show the values, others the appearance streams.
    private mutating func compareNeedAppearances() throws {
        let isAsked = formAfter.asksForAppearances
        guard isAsked != formBefore.asksForAppearances else { return }
        let change = "/NeedAppearances was \(isAsked ? "set" : "removed")"
        let words =
            isAsked
            ? "\(change): viewers generate the appearances of form fields"
            : "\(change): viewers may display form fields differently"
        let isSignatureShown = try formBefore.fields.contains { field in
            try field.isSignature && field.widgetIDs.contains { try isShown($0, in: old) }
        }
        let isOtherShown = try isAnyOtherGenerated(withAppearances: true)
        let isSeen =
            isSignatureShown || isOtherShown || formBefore.fields.contains { !$0.isSignature }
        result.note(.formFilling, words, isContent: isSeen)
        if isOtherShown { reportUncertain(words) }
        if let field = try formAfter.fields.first(where: { try !isValueShown($0) }) {
            reportUncertain(
                "\(change): viewers may display field \(field.fullName.inQuotes) differently")
        }
    }

    /// Whether the appearances of a field show what viewers generate from its value.
    func isValueShown(_ field: FormField) throws -> Bool {
        guard !field.isSignature else { return true }
        let value = try FieldText(field, in: new)
        return try field.widgetIDs.allSatisfy { id in
            guard memory.takeAppearance() else { return false }
            let appearance = try WidgetAppearance(id, in: new)
            // A rewritten widget is compared with its field.
            if try appearance.isMissing {
                return value.text?.isEmpty != false || unexplainedObjects[id.number] != nil
            }
            if value.isPushButton { return try appearance.showsCaption }
            if value.isButton { return try value.markAgreement(with: appearance) == .agrees }
            return try isGenerated(value, as: appearance, of: id)
        }
    }

    private static let costOfFont = 256
    /// Maximum difference between the font sizes of an appearance and of /DA, in points.
    static let sizeTolerance = 1.0

    /// Whether viewers generate the same text as the appearance of a text or choice field: its value
    /// in the color of the default appearance, in the same font or one that is not embedded.
    private func isGenerated(
        _ value: FieldText, as appearance: WidgetAppearance, of id: ObjectID
    ) throws -> Bool {
        guard !value.isListBox, let shown = try appearance.strings(isSigned: { _ in true }),
            value.agreement(with: shown) == .agrees, shown.allSatisfy({ $0.oddityOfText == nil })
        else { return false }
        let colors = shown.compactMap(\.textColor)
        if colors.isEmpty { return true }
        let widget = try new.object(id).dictionaryValue ?? PDFDictionary()
        guard let style = try defaultAppearance(of: widget, in: new), let name = style.font,
            style.size == 0
                || shown.allSatisfy({ ($0.textSize - style.size).magnitude <= Self.sizeTolerance }),
            let color = style.color, colors.allSatisfy(color.isAlike), style.otherOperators.isEmpty,
            value.isReadAlike, value.isDrawnAlike,
            try new.inherited("RV", of: widget) == nil
        else { return false }
        try memory.values.spend(Self.costOfFont)
        let resources =
            try new.inherited("DR", of: widget) ?? new.value(formAfter.dictionary, "DR")
        let fonts = try resources.dictionaryValue.flatMap {
            try new.value($0, "Font").dictionaryValue
        }
        guard let entry = fonts?[name] else { return false }
        if let id = entry.referenceValue, shown.allSatisfy({ $0.textFont == id }) { return true }
        return try new.resolve(entry).dictionaryValue.flatMap { try AppearanceFont($0, in: new) }?
            .hasPlainASCII == true
    }

    /// Reports a change that makes viewers generate appearances of existing fields or texts.
    private mutating func reportGenerated(_ words: String) throws {
        guard try isAnyGenerated() else { return }
        note(.formFilling, words)
        reportUncertain(words + ", which viewers use to generate appearances")
    }

    /// Whether existing fields or texts have no appearance, or /NeedAppearances is set.
    private func isAnyGenerated() throws -> Bool {
        let isAsked = formBefore.asksForAppearances || formAfter.asksForAppearances
        let fields = formBefore.fields.filter { !$0.isSignature }
        if isAsked, !fields.isEmpty { return true }
        let isAnyMissing = try fields.contains { field in
            try field.widgetIDs.contains { id in
                guard memory.takeAppearance() else { return true }
                return try WidgetAppearance(id, in: old).isMissing
                    || WidgetAppearance(id, in: new).isMissing
            }
        }
        return try isAnyMissing || isAnyOtherGenerated(withAppearances: isAsked)
    }

    /// Whether a page has annotations outside the form that viewers draw with the form's defaults:
    /// unlisted widgets, and texts.
    ///
    /// - Parameter withAppearances: whether widgets with an appearance are included.
    private func isAnyOtherGenerated(withAppearances: Bool) throws -> Bool {
        for index in 0..<(try old.pageCount()) {
            try memory.takePage()
            let list = try old.value(try old.page(at: index).dictionary, "Annots").arrayValue ?? []
            for entry in list {
                try memory.values.spend(1)
                if let id = entry.referenceValue, wasField(id) { continue }
                guard let annotation = try old.resolve(entry).dictionaryValue,
                    try DrawnByForm.contains(annotation, withAppearances: withAppearances, in: old)
                else { continue }
                return true
            }
        }
        return false
    }

    /// Resource categories (ISO 32000-2 Table 34), and the encodings of older forms (§12.7.3).
    private static let resourceCategories: Set<PDFName> = [
        "ExtGState", "ColorSpace", "Pattern", "Shading", "XObject", "Font", "Properties",
        "Encoding",
    ]

    /// Compares resources of the form: existing fields use them, so only additions are permitted.
    private mutating func compareResources(holders: Set<Int>) throws {
        let before = formBefore.dictionary["DR"]
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        let after = try new.value(formAfter.dictionary, "DR")
        guard after == .null || after.dictionaryValue != nil else {
            return forbid("the resources of the form are no longer a dictionary")
        }
        let later = after.dictionaryValue ?? PDFDictionary()
        var containers = [before]
        var isAdded = false
        let categories = Set(earlier.keys + later.keys)
        for category in categories.sorted(by: { $0.description < $1.description }) {
            if Self.resourceCategories.contains(category) { containers.append(earlier[category]) }
            let was = try old.value(earlier, category).dictionaryValue
            let after = try new.value(later, category)
            let now = after.dictionaryValue
            guard now != nil || after.streamValue == nil else {
                return forbid("the resources of the form (\(category)) are no longer a dictionary")
            }
            guard was != nil || now != nil else { continue }
            let names = try sameContent.changedKeys(was ?? PDFDictionary(), now ?? PDFDictionary())
            guard !names.isEmpty else { continue }
            isAdded = true
            for name in names {
                if was?[name] != nil {
                    if category == "Font" {
                        forbid("the font /\(name) of the form was replaced")
                    } else {
                        try reportGenerated(
                            "the resource /\(name) (\(category)) of the form was replaced")
                    }
                } else if try formBefore.asksForAppearances
                    || !isPlain(category, name: name, now?[name])
                    || category == "Font" && isFontNamed(name)
                {
                    try reportGenerated("the resource /\(name) (\(category)) of the form was added")
                }
            }
        }
        // Other uses of these objects are compared separately.
        let ids = containers.compactMap { $0?.referenceValue }
        if ids.contains(where: { isPending(.reference($0)) }) {
            let named = try namedByCatalog(besides: "AcroForm")
            var owners = holders
            // A category dictionary in /DR belongs only to the form if /DR does: another object
            // that refers to /DR also uses the dictionary.
            for id in ids where try stays(.dictionary, id: id) && !named.contains(id) {
                let isPart = try isHolder(onlyFor: owners, id)
                if isPart { accept(id) }
                if isPart, id == before?.referenceValue { owners.insert(id.number) }
            }
        }
        if isAdded, formBefore.exists {
            noteTechnical(.formFilling, "the fonts and other resources of the form were changed")
        }
    }

    /// Whether a default appearance already names this font, so that viewers replaced it before.
    private func isFontNamed(_ name: PDFName) throws -> Bool {
        let ofForm = DefaultAppearance(try old.value(formBefore.dictionary, "DA"))
        return try ofForm?.font == name
            || formBefore.fields.contains { field in
                try field.widgetIDs.contains { id in
                    let widget = try old.object(id).dictionaryValue ?? PDFDictionary()
                    return try defaultAppearance(of: widget, in: old)?.font == name
                }
            }
    }

    /// The usual name of ZapfDingbats.
    private static let dingbatsName: PDFName = "ZaDb"

    /// Whether a new resource does not affect existing content: a Latin text font. A default
    /// appearance may already use its name.
    private func isPlain(
        _ category: PDFName, name: PDFName, _ entry: PDFObject?
    ) throws -> Bool {
        guard category == "Font" else { return category == "Encoding" || category == "ProcSet" }
        guard let font = try new.resolve(entry ?? .null).dictionaryValue else { return false }
        if try AppearanceFont.isDingbats(font, in: new) { return name == Self.dingbatsName }
        guard let font = try AppearanceFont(font, in: new) else { return false }
        return font.isStandard && font.hasPlainASCII
    }
}
