import PDFCore

/// Pages and their annotations (ISO 32000-2 §7.7.3, §12.5).
extension RevisionComparison {
    /// Goes through the pages once, for the objects that are still to be accounted for.
    mutating func comparePages() throws {
        try comparePageTree()
        let widgets = Set(formAfter.fields.flatMap { $0.widgetIDs + [$0.id] })
        for index in 0..<(try new.pageCount()) {
            guard !pending.isEmpty else { return }
            let page = try new.page(at: index)
            let number = index + 1
            let arrayID = page.dictionary["Annots"]?.referenceValue
            let isReplaced = pending[page.id.number] != nil
            if isReplaced { try comparePage(page.id, number) }
            let isArrayReplaced = arrayID.map { pending[$0.number] != nil } ?? false
            if isReplaced || isArrayReplaced {
                guard let before = try old.object(page.id).dictionaryValue else { continue }
                if let arrayID, isArrayReplaced {
                    // Others than the page itself take these annotations for their own.
                    guard try belongsOnly(to: [page.id.number], arrayID) else { continue }
                    settle(arrayID)
                }
                try compareAnnotations(
                    before["Annots"], page.dictionary["Annots"], page: number, widgets: widgets)
            }
            for annotation in try new.value(page.dictionary, "Annots").arrayValue ?? [] {
                guard let id = annotation.referenceValue, !widgets.contains(id) else { continue }
                try compareAnnotation(id, page: number)
            }
        }
    }

    /// iText leaves its version in the page tree; whatever else changes there is left to be
    /// forbidden.
    private mutating func comparePageTree() throws {
        for id in pending.values.sorted() {
            guard let before = try old.object(id).dictionaryValue,
                before["Type"]?.nameValue == "Pages",
                let after = try new.object(id).dictionaryValue, after.duplicateKeys.isEmpty,
                try equivalence.changedKeys(before, after) == ["ITXT"]
            else { continue }
            settle(id)
            note(.archival, "a program left its name in the page tree")
        }
    }

    private mutating func comparePage(_ id: ObjectID, _ number: Int) throws {
        guard let before = try old.object(id).dictionaryValue,
            let after = try new.object(id).dictionaryValue
        else { return }
        settle(id)
        guard after.duplicateKeys.isEmpty else {
            forbid("page \(number) has the key /\(after.duplicateKeys[0]) twice")
            return
        }
        for key in try equivalence.changedKeys(before, after) {
            switch key {
            case "Annots": break
            case "Tabs":
                let isUsual = ["S", nil].contains(after[key]?.nameValue)
                note(
                    isUsual ? .formFilling : .annotations,
                    "page \(number): the order of its fields was changed")
            // A number that the page did not have so far; the structure tree is judged by itself.
            case "StructParents" where before[key] == nil: break
            case "Contents": forbid("page \(number): content replaced")
            case "Resources": forbid("page \(number): fonts or images replaced")
            case "MediaBox", "CropBox", "Rotate", "UserUnit":
                forbid("page \(number): its size or position was changed")
            default: forbid("page \(number): its entry /\(key) was changed")
            }
        }
    }

    private mutating func compareAnnotations(
        _ before: PDFObject?, _ after: PDFObject?, page: Int, widgets: Set<ObjectID>
    ) throws {
        let earlier = try old.resolve(before ?? .null).arrayValue ?? []
        let later = try new.resolve(after ?? .null).arrayValue ?? []
        let (known, remaining) = (
            Set(earlier.compactMap(\.referenceValue)), Set(later.compactMap(\.referenceValue))
        )
        let widgetsBefore = Set(formBefore.fields.flatMap { $0.widgetIDs + [$0.id] })
        for id in known.subtracting(remaining).sorted() {
            if widgets.contains(id) || widgetsBefore.contains(id) {
                forbid("page \(page): a form field was taken off")
            } else {
                note(.annotations, "page \(page): \(try kind(of: id, in: old)) removed")
            }
        }
        for id in remaining.subtracting(known).sorted() {
            guard !widgets.contains(id) else {
                // Fields come onto a page when they are signed, at the latest.
                if widgetsBefore.contains(id), try !isSignedNow(id) {
                    forbid("page \(page): a form field was put on that was not there")
                }
                continue
            }
            try noteNewAnnotation(id, page: page)
        }
        let directBefore = earlier.filter { $0.referenceValue == nil }
        let directAfter = later.filter { $0.referenceValue == nil }
        if try !equivalence.holds(.array(directBefore), .array(directAfter)) {
            note(.annotations, "page \(page): annotations changed")
            result.remarks.insert(.annotationMayCoverContent("page \(page)"))
        }
    }

    private func isSignedNow(_ widget: ObjectID) throws -> Bool {
        guard
            let field = formAfter.fields.first(where: {
                $0.isSignature && ($0.id == widget || $0.widgetIDs.contains(widget))
            }), let before = formBefore.fields.first(where: { $0.id == field.id })
        else { return false }
        return try old.resolve(before.value ?? .null) == .null
            && new.resolve(field.value ?? .null) != .null
    }

    private mutating func noteNewAnnotation(_ id: ObjectID, page: Int) throws {
        let subtype = try new.object(id).dictionaryValue?["Subtype"]?.nameValue
        // A widget that belongs to no field draws like any other annotation.
        let kind = try kind(of: id, in: new)
        guard subtype != "Widget" else {
            forbid("page \(page): a form field was put on that belongs to no form")
            return
        }
        note(.annotations, "page \(page): \(kind) added")
        if try hasLook(id) { remark(.annotationMayCoverContent("page \(page): \(kind)")) }
    }

    private func hasLook(_ id: ObjectID) throws -> Bool {
        guard let dictionary = try new.object(id).dictionaryValue else { return false }
        let subtype = try new.value(dictionary, "Subtype").nameValue
        return subtype != "Popup" && dictionary["AP"] != nil || subtype == "FreeText"
    }

    /// An annotation that is no field's: it may change in any way where annotations may.
    private mutating func compareAnnotation(_ id: ObjectID, page: Int) throws {
        guard try existed(id), let before = try old.object(id).dictionaryValue,
            before["Subtype"]?.nameValue != nil, before["Rect"] != nil
        else { return }
        let isLookNew = try settleAppearance(of: id)
        guard pending[id.number] != nil || isLookNew,
            let after = try new.object(id).dictionaryValue,
            after["Subtype"]?.nameValue == before["Subtype"]?.nameValue
        else { return }
        settle(id)
        let kind = try kind(of: id, in: new)
        // Tags of the structure tree, which is judged by itself.
        let changed = try equivalence.changedKeys(before, after).filter {
            $0 != "StructParent" || before[$0] != nil
        }
        guard !changed.isEmpty || isLookNew else { return }
        note(.annotations, "page \(page): \(kind) changed")
        if try hasLook(id) { remark(.annotationMayCoverContent("page \(page): \(kind)")) }
    }

    private func kind(of id: ObjectID, in document: PDFDocument) throws -> String {
        let subtype = try document.object(id).dictionaryValue?["Subtype"]?.nameValue
        return subtype.map { "annotation (\($0))" } ?? "annotation"
    }
}
