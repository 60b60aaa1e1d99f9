import ByteKit
import PDFCore
import SignatureTerms

/// The interactive form (ISO 32000-2 §12.7): fields, their values and their looks.
extension RevisionComparison {
    mutating func compareForm() throws {
        guard formAfter.exists else {
            if formBefore.exists { forbid("the form was removed") }
            return
        }
        try compareFormDictionary()
        // What looks were replaced in place shows in the fields alone.
        if let changedFields, try areOnlyFieldsAndPagesPending() {
            for index in changedFields {
                try compareField(formBefore.fields[index], formAfter.fields[index])
            }
            return
        }
        let references = Set(formAfter.fieldReferences.compactMap(\.referenceValue))
        for case let id? in formBefore.fieldReferences.map(\.referenceValue)
        where !references.contains(id) {
            forbid("a form field was removed")
        }
        mayHoldLooks = try isAnyLookPending()
        for field in formAfter.fields {
            if let earlier = knownField(field.id) {
                try compareField(earlier, field)
            } else {
                try judgeNewField(field)
            }
        }
        for id in Self.repeated(in: formAfter.fieldReferences, notIn: formBefore.fieldReferences) {
            let name = placesAfter.fields[id].map { formAfter.fields[$0].fullName } ?? ""
            noteTechnical(.formFilling, "the form lists the field \(name.inQuotes) twice")
        }
        let remaining = Set(formAfter.fields.map(\.id))
        for field in formBefore.fields where !remaining.contains(field.id) {
            forbid("the form field \(field.fullName.inQuotes) was removed")
        }
    }

    /// Whether anything that was replaced in place may be a look: no field, widget or page.
    private func isAnyLookPending() throws -> Bool {
        try pending.values.contains { id in
            guard knownField(id) == nil else { return false }
            let dictionary = try old.object(id).dictionaryValue
            let kind = dictionary?["Subtype"]?.nameValue ?? dictionary?["Type"]?.nameValue
            return !["Widget", "Page", "Catalog"].contains(kind)
        }
    }

    private mutating func compareFormDictionary() throws {
        let (before, after) = (formBefore.dictionary, formAfter.dictionary)
        guard after.duplicateKeys.isEmpty else {
            forbid("the form has the key /\(after.duplicateKeys[0]) twice")
            return
        }
        let catalog = try old.catalogID.number
        if let id = formAfter.id, formBefore.id == id, try belongsOnly(to: [catalog], id) {
            settle(id)
        }
        let holders: Set<Int> = [catalog, formBefore.id?.number ?? catalog]
        if let id = formAfter.fieldsID, formBefore.fieldsID == id,
            try belongsOnly(to: holders, id)
        {
            settle(id)
        }
        for key in try equivalence.changedKeys(before, after) {
            switch key {
            case "Fields", "SigFlags": break
            case "NeedAppearances":
                guard try new.resolve(after[key] ?? .null).booleanValue == true else { continue }
                let words = "viewers were told to draw the form fields anew"
                // They show the values then, in whatever way, and some no signature's look.
                let isAnyShown = try formBefore.fields.contains { field in
                    try !field.isSignature
                        || field.widgetIDs.contains { try isShown($0, in: old) }
                }
                result.note(.formFilling, words, isContent: isAnyShown)
                if isAnyShown { doubt(words + ": how they look is unknown") }
            case "DA", "Q":
                guard formBefore.exists else { continue }
                note(.formFilling, "the form's defaults were changed")
                try doubtDrawing("the form's default /\(key) was changed")
            case "DR": break
            default: forbid("the form's entry /\(key) was changed")
            }
        }
        try compareResources(holders: holders)
    }

    /// Says so when viewers draw fields that existed by what was changed.
    private mutating func doubtDrawing(_ words: String) throws {
        guard try areFieldsDrawnByViewers() else { return }
        doubt(words + ", by which viewers draw form fields")
    }

    /// Whether fields that existed have no look, or viewers are told to draw all of them.
    private func areFieldsDrawnByViewers() throws -> Bool {
        let fields = formBefore.fields.filter { !$0.isSignature }
        guard !fields.isEmpty else { return false }
        if formBefore.asksForAppearances || formAfter.asksForAppearances { return true }
        return try fields.contains { field in
            try field.widgetIDs.contains { id in
                guard memory.takeLook() else { return true }
                return try WidgetLook(id, in: old).isMissing
            }
        }
    }

    /// Resources of the form may be added, and never exchanged: fields that exist use them.
    private mutating func compareResources(holders: Set<Int>) throws {
        let before = formBefore.dictionary["DR"]
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        let after = try new.value(formAfter.dictionary, "DR")
        guard after == .null || after.dictionaryValue != nil else {
            forbid("the form's resources are no dictionary any more")
            return
        }
        let later = after.dictionaryValue ?? PDFDictionary()
        var containers = [before]
        var isAdded = false
        for category in Set(earlier.keys + later.keys) {
            containers.append(earlier[category])
            let was = try old.value(earlier, category).dictionaryValue
            let after = try new.value(later, category)
            let now = after.dictionaryValue
            guard now != nil || after.streamValue == nil else {
                forbid("the form's resources (\(category)) are no dictionary any more")
                return
            }
            guard was != nil || now != nil else { continue }
            let names = try sameContent.changedKeys(
                was ?? PDFDictionary(), now ?? PDFDictionary())
            guard !names.isEmpty else { continue }
            isAdded = true
            for name in names {
                if was?[name] != nil {
                    if category == "Font" {
                        forbid("the form's font /\(name) was exchanged")
                    } else {
                        try doubtDrawing(
                            "the form's resource /\(name) (\(category)) was exchanged")
                    }
                } else if try !isPlain(category, now?[name]) {
                    try doubtDrawing("the form's resource /\(name) (\(category)) was added")
                }
            }
        }
        let owners = holders.union(containers.compactMap { $0?.referenceValue?.number })
        for case let id? in containers.map({ $0?.referenceValue }) where pending[id.number] != nil {
            if try belongsOnly(to: owners, id) { settle(id) }
        }
        if isAdded, formBefore.exists {
            noteTechnical(.formFilling, "the form's resources were changed")
        }
    }

    /// Whether a new resource shows what is written in it, so that who lacked it shows that now.
    private func isPlain(_ category: PDFName, _ entry: PDFObject?) throws -> Bool {
        guard category == "Font" else { return category == "Encoding" || category == "ProcSet" }
        guard let font = try new.resolve(entry ?? .null).dictionaryValue else { return false }
        if try new.value(font, "BaseFont").nameValue == "ZapfDingbats" { return true }
        // Viewers that draw a value find the codes of its characters there.
        return try SimpleFont(font, in: new)?.showsASCII == true
    }
}
