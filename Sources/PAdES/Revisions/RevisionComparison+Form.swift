import PDFCore

/// The interactive form (ISO 32000-2 §12.7): fields, their values and their looks.
extension RevisionComparison {
    mutating func compareForm() throws {
        guard formAfter.exists else {
            if formBefore.exists { forbid("the form was removed") }
            return
        }
        try compareFormDictionary()
        for reference in formBefore.fieldReferences
        where !formAfter.fieldReferences.contains(reference) {
            forbid("a form field was removed")
        }
        let known = Dictionary(
            formBefore.fields.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for field in formAfter.fields {
            if let earlier = known[field.id] {
                try compareField(earlier, field)
            } else {
                try judgeNewField(field)
            }
        }
        let remaining = Set(formAfter.fields.map(\.id))
        for field in formBefore.fields where !remaining.contains(field.id) {
            forbid("the form field '\(field.fullName)' was removed")
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
                if after[key]?.booleanValue == true {
                    note(.formFilling, "viewers were told to draw the form fields anew")
                }
            case "DA", "Q":
                if formBefore.exists { note(.formFilling, "the form's defaults were changed") }
            case "DR": break
            default: forbid("the form's entry /\(key) was changed")
            }
        }
        try compareResources(holders: holders)
    }

    /// Resources of the form may be added, and fonts never exchanged: fields that exist use them.
    private mutating func compareResources(holders: Set<Int>) throws {
        let before = formBefore.dictionary["DR"]
        let after = formAfter.dictionary["DR"]
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        let later = try new.resolve(after ?? .null).dictionaryValue ?? PDFDictionary()
        var containers = [before]
        var isAdded = false
        for category in earlier.keys {
            containers.append(earlier[category])
            guard let was = try old.value(earlier, category).dictionaryValue else { continue }
            let now = try new.value(later, category).dictionaryValue ?? PDFDictionary()
            for name in was.keys where try !equivalence.holds(was[name], now[name]) {
                if category == "Font" { forbid("the form's font /\(name) was exchanged") }
                isAdded = true
            }
            isAdded = isAdded || now.count > was.count
        }
        let owners = holders.union(containers.compactMap { $0?.referenceValue?.number })
        for case let id? in containers.map({ $0?.referenceValue }) where pending[id.number] != nil {
            if try belongsOnly(to: owners, id) { settle(id) }
        }
        if isAdded || later.count > earlier.count && formBefore.exists {
            note(.formFilling, "the form's resources were changed")
        }
    }

    // MARK: New fields

    /// A new field is permitted only when it is a signature that was made with it.
    private mutating func judgeNewField(_ field: FormField) throws {
        let signature = try new.resolve(field.value ?? .null).dictionaryValue
        let isNew = try !existed(field.id)
        guard isNew, field.isSignature, let signature,
            let valueID = field.value?.referenceValue, try !existed(valueID)
        else {
            forbid("the form field '\(field.fullName)' was added")
            return
        }
        guard field.dictionary["A"] == nil, field.dictionary["AA"] == nil else {
            forbid("the new signature field '\(field.fullName)' does something when used")
            return
        }
        let isVisible = try field.widgetIDs.contains { try isShown($0) }
        if signature["Type"]?.nameValue == "DocTimeStamp", !isVisible {
            note(.archival, "document timestamp '\(field.fullName)' added")
        } else {
            note(.formFilling, "signature '\(field.fullName)' added")
            if isVisible { remark(.visibleSignatureAdded(field.fullName)) }
        }
    }

    private func isShown(_ widget: ObjectID) throws -> Bool {
        guard let dictionary = try new.object(widget).dictionaryValue else { return false }
        let corners = try (new.value(dictionary, "Rect").arrayValue ?? [])
            .map { try new.resolve($0).numberValue ?? 0 }
        guard corners.count == 4 else { return true }
        let isHidden = try WidgetFlags(dictionary, in: new).isHidden
        return corners[0] != corners[2] && corners[1] != corners[3] && !isHidden
    }

    // MARK: Fields that existed

    private static let fillableKeys: Set<PDFName> = [
        "V", "AP", "AS", "I", "M", "F", "DA", "Q", "Ff", "Type",
    ]

    private mutating func compareField(_ before: FormField, _ after: FormField) throws {
        let name = after.fullName
        guard before.fullName == name, before.type == after.type else {
            forbid("the form field '\(before.fullName)' was turned into another")
            return
        }
        var isTouched = false
        var keys: Set<PDFName> = []
        for id in Set([after.id] + after.widgetIDs) {
            if pending[id.number] != nil {
                isTouched = true
                keys.formUnion(try compareFieldDictionary(id, of: name))
            }
            if try settleAppearance(of: id) { isTouched = true }
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
        guard try isTouched || !equivalence.holds(before.value, after.value) else { return }
        let isSameToPeople =
            try after.isSignature
            ? compareSignatureField(before, after) : compareValue(before, after)
        if !isSameToPeople || !keys.isSubset(of: ["AP", "M"]) { result.changedFields.insert(name) }
    }

    /// - Returns: The keys whose values differ.
    private mutating func compareFieldDictionary(
        _ id: ObjectID, of name: String
    ) throws -> [PDFName] {
        guard let earlier = try old.object(id).dictionaryValue,
            let later = try new.object(id).dictionaryValue
        else {
            forbid("the form field '\(name)' was replaced")
            return []
        }
        settle(id)
        let changed = try equivalence.changedKeys(earlier, later)
        guard later.duplicateKeys.isEmpty else {
            forbid("the form field '\(name)' has the key /\(later.duplicateKeys[0]) twice")
            return changed
        }
        for key in changed {
            switch key {
            case "Type" where later[key]?.nameValue == "Annot": break
            case "Type": forbid("the entry /Type of the form field '\(name)' was changed")
            // A tag for the field; the structure tree is judged by itself.
            case "StructParent" where earlier[key] == nil: break
            case "F":
                let (was, now) = (
                    try WidgetFlags(earlier, in: old), try WidgetFlags(later, in: new)
                )
                if was.isHidden != now.isHidden {
                    note(
                        .formFilling,
                        "field '\(name)' was \(now.isHidden ? "hidden" : "uncovered")")
                }
            default:
                if !Self.fillableKeys.contains(key) {
                    forbid("the entry /\(key) of the form field '\(name)' was changed")
                }
            }
        }
        return changed
    }

    /// Takes the looks of a field or annotation off the list that are replaced in place and used by
    /// nothing else.
    ///
    /// - Returns: Whether anything about the look is new.
    mutating func settleAppearance(of id: ObjectID) throws -> Bool {
        guard !pending.isEmpty, let dictionary = try old.object(id).dictionaryValue,
            let appearance = dictionary["AP"]
        else { return false }
        var isNew = false
        var holders: Set<Int> = [id.number]
        var level = [appearance]
        // The appearance dictionary, its entries, their states.
        for _ in 0..<3 {
            var next: [PDFObject] = []
            for entry in level {
                let entryID = entry.referenceValue
                if let entryID, pending[entryID.number] != nil,
                    try belongsOnly(to: holders, entryID)
                {
                    settle(entryID)
                    isNew = true
                }
                guard let states = try old.resolve(entry).dictionaryValue else { continue }
                if let entryID { holders.insert(entryID.number) }
                next += states.keys.compactMap { states[$0] }
            }
            level = next
        }
        return isNew
    }

    /// - Returns: Whether value and look are the same as before.
    private mutating func compareSignatureField(
        _ before: FormField, _ after: FormField
    ) throws -> Bool {
        let name = after.fullName
        let earlier = try old.resolve(before.value ?? .null)
        let later = try new.resolve(after.value ?? .null)
        if earlier == .null, later != .null {
            guard let id = after.value?.referenceValue, try !existed(id) else {
                forbid("the signature field '\(name)' was filled with what was there before")
                return false
            }
            note(.formFilling, "signature '\(name)' added")
        } else if earlier != .null, later == .null {
            forbid("the signature '\(name)' was removed")
        } else if try !equivalence.holds(before.value, after.value)
            || before.value?.referenceValue != after.value?.referenceValue
            || after.value?.referenceValue.map({ pending[$0.number] != nil }) == true
        {
            forbid("the signature '\(name)' was replaced")
        } else if earlier != .null {
            let looks = try FieldLook(after, in: new)
            if try FieldLook(before, in: old).isKnownToEqual(looks, by: equivalence) {
                note(.archival, "the signature field '\(name)' was written anew")
                return true
            } else {
                forbid("the look of the signature '\(name)' was changed")
            }
        } else {
            note(.formFilling, "the empty signature field '\(name)' was changed")
        }
        return false
    }

    /// - Returns: Whether value and look are the same as before.
    private mutating func compareValue(_ before: FormField, _ after: FormField) throws -> Bool {
        let name = after.fullName
        let (was, now) = (try FieldLook(before, in: old), try FieldLook(after, in: new))
        if was.value != now.value {
            note(.formFilling, Self.describe(name, from: was.value, to: now.value))
        } else if try !was.isKnownToEqual(now, by: equivalence) {
            // The value stayed, what is seen did not (shadow attack, replace).
            forbid(
                "the look of field '\(name)' was changed while its value stayed"
                    + (now.shown.map { ": it shows '\(FieldLook.short($0))'" } ?? ""))
            return false
        } else {
            note(.formFilling, "field '\(name)' was written anew with the same value")
        }
        // Who draws the fields anew shows their values.
        if !formAfter.asksForAppearances, let contradiction = now.contradiction {
            forbid("field '\(name)' \(contradiction)")
        }
        return was.value == now.value
    }

    private static func describe(_ name: String, from was: String?, to now: String?) -> String {
        switch (was ?? "", now ?? "") {
        case ("", let now): "field '\(name)' filled: '\(FieldLook.short(now))'"
        case (let was, ""): "field '\(name)' emptied, it was '\(FieldLook.short(was))'"
        case (let was, let now):
            "field '\(name)' changed from '\(FieldLook.short(was))' to '\(FieldLook.short(now))'"
        }
    }
}

/// The flags of an annotation (ISO 32000-2 Table 167).
struct WidgetFlags {
    private let value: Int

    init(_ dictionary: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        value = try document.value(dictionary, "F").integerValue ?? 0
    }

    /// Invisible, Hidden or NoView.
    var isHidden: Bool { value & (1 | 2 | 32) != 0 }
}
