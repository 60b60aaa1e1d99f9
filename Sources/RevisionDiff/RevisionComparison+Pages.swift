import Base
import PDFCore
import PDFSigning

/// Pages and their annotations (ISO 32000-2 §7.7.3, §12.5).
extension RevisionComparison {
    private static let costOfAnnotation = 16
    private static let costOfNewAnnotation = 128

    /// Maximum number of bytes of an annotation's text that are read.
    private static let readByteCount = 1000

    /// Compares all pages once, for the objects in ``unexplainedObjects``.
    mutating func comparePages() throws {
        try comparePageTree()
        let widgets = Set(formAfter.fields.flatMap { $0.widgetIDs + [$0.id] })
        var compared: Set<ObjectID> = []
        for index in 0..<(try new.pageCount()) {
            guard !unexplainedObjects.isEmpty else { return }
            try memory.takePage()
            let page = try new.page(at: index)
            let number = index + 1
            let arrayID = page.dictionary["Annots"]?.referenceValue
            let isReplaced = unexplainedObjects[page.id.number] != nil
            if isReplaced { try comparePage(page.id, number: number) }
            let isArrayReplaced = arrayID.map { unexplainedObjects[$0.number] != nil } ?? false
            if isReplaced || isArrayReplaced {
                guard let before = try old.object(page.id).dictionaryValue else { continue }
                if let arrayID, isArrayReplaced {
                    // Another object also uses these annotations, or the page uses them in another
                    // entry.
                    guard try belongsOnly(to: [page.id.number], arrayID) else { continue }
                    accept(arrayID)
                }
                let (was, now) = (before["Annots"], page.dictionary["Annots"])
                if isArrayReplaced || was != now {
                    try compareAnnotations(was, now, of: page.id, page: number, widgets: widgets)
                }
            }
            // Pages may share their annotations.
            if let arrayID, !compared.insert(arrayID).inserted { continue }
            for annotation in try new.value(page.dictionary, "Annots").arrayValue ?? [] {
                guard !unexplainedObjects.isEmpty else { return }
                try memory.values.spend(1)
                guard let id = annotation.referenceValue, !widgets.contains(id) else { continue }
                try compareAnnotation(id, page: number)
            }
        }
    }

    /// Compares the page tree: iText writes its version there; other changes are forbidden.
    private mutating func comparePageTree() throws {
        for id in unexplainedObjects.values.sorted() {
            guard let before = try old.object(id).dictionaryValue,
                before["Type"]?.nameValue == "Pages",
                let after = try new.object(id).dictionaryValue, after.duplicateKeys.isEmpty,
                try equivalence.changedKeys(before, after) == ["ITXT"]
            else { continue }
            accept(id)
            note(.archival, "a program added its name to the page tree (not visible)")
        }
    }

    private mutating func comparePage(_ id: ObjectID, number: Int) throws {
        guard let before = try old.object(id).dictionaryValue,
            let after = try new.object(id).dictionaryValue
        else { return }
        accept(id)
        guard after.duplicateKeys.isEmpty else {
            return forbid("page \(number) has a duplicate key /\(after.duplicateKeys[0])")
        }
        for key in try equivalence.changedKeys(before, after) {
            switch PermittedChanges.page[key] {
            case .comparedByPart?: break
            // PDF/UA requires it of pages with annotations.
            case .tabOrder? where try before[key] == nil && new.value(after, key) == .name("S"):
                noteTechnical(.formFilling, "page \(number): tab order set to structure order")
            case .tabOrder?:
                let isUsual = [.name("S"), .null].contains(try new.value(after, key))
                noteOnPage(
                    number, level: isUsual ? .formFilling : .annotations,
                    words: "tab order changed")
            case .newTag? where before[key] == nil: try compareStructureNumber(of: after, number)
            // Some programs write a copy of the resources.
            case .sameContent?
            where try before[key] != nil && after[key] != nil
                && sameContent.holds(before[key], after[key]):
                note(.archival, "page \(number): list of fonts and images rewritten (not visible)")
            case .sameContent?: forbidOnPage(number, words: "fonts or images replaced")
            // pypdf writes inherited entries into the page.
            case .inherited?
            where try before[key] == nil && after[key] != .null
                && sameContent.holds(old.inherited(key, of: before), after[key]):
                break
            case .inherited?: forbidOnPage(number, words: "size or position changed")
            case .forbidden(let words)?: forbidOnPage(number, words: words)
            case .newTag?, nil: forbidOnPage(number, words: "entry /\(key) changed")
            }
        }
    }

    private mutating func compareAnnotations(
        _ before: PDFObject?, _ after: PDFObject?, of pageID: ObjectID, page: Int,
        widgets: Set<ObjectID>
    ) throws {
        let earlier = try old.resolve(before ?? .null).arrayValue ?? []
        let later = try new.resolve(after ?? .null).arrayValue ?? []
        try memory.values.spend(Self.costOfAnnotation * (earlier.count + later.count))
        let (known, remaining) = (
            Set(earlier.compactMap(\.referenceValue)), Set(later.compactMap(\.referenceValue))
        )
        for id in known.subtracting(remaining).sorted() {
            let isField = widgets.contains(id) || wasField(id)
            let what = isField ? "a form field" : try kind(of: id, in: old)
            noteOnPage(page, level: .annotations, words: "\(what) removed")
            guard isField else { continue }
            reportUncertain("page \(page): \(what) removed")
            if let field = field(of: id) { result.changedFields.insert(field.fullName) }
        }
        for id in remaining.subtracting(known).sorted() {
            guard widgets.contains(id), try isWidget(id) else {
                try noteNewAnnotation(id, page: page)
                continue
            }
            // Some programs list a field on a page only when it is signed.
            guard wasField(id) else { continue }
            guard let field = field(of: id), try isSignedNow(field) else {
                forbid("page \(page): a form field of the form was added to the page")
                continue
            }
            guard try !isListed(id) else {
                let name = field.fullName.inQuotes
                forbid("page \(page): form field \(name) of another page added")
                continue
            }
            if try isShown(id) { remark(.visibleSignatureAdded(field.fullName.text)) }
        }
        // Later annotations are drawn over earlier ones.
        if Self.order(of: remaining, in: earlier) != Self.order(of: known, in: later) {
            noteOnPage(page, level: .annotations, words: "order of annotations changed")
            noteCovering(of: pageID, page)
        }
        for id in Self.repeated(in: later, notIn: earlier) {
            let name = field(of: id)?.fullName
            let what = try name.map { "the form field \($0.inQuotes)" } ?? kind(of: id, in: new)
            noteOnPage(page, level: .annotations, words: "\(what) added again")
            noteCovering(of: pageID, page)
        }
        let directBefore = earlier.filter { $0.referenceValue == nil }
        let directAfter = later.filter { $0.referenceValue == nil }
        if try !equivalence.holds(.array(directBefore), .array(directAfter)) {
            try noteDirectAnnotations(directAfter, pageID, page: page)
        }
    }

    /// Whether any page showed an annotation before.
    private func isListed(_ id: ObjectID) throws -> Bool {
        try (0..<old.pageCount()).contains { index in
            try memory.values.spend(1)
            let listed = try old.value(old.page(at: index).dictionary, "Annots").arrayValue ?? []
            try memory.values.spend(listed.count)
            return listed.contains { $0.referenceValue == id }
        }
    }

    private mutating func noteOnPage(_ number: Int, level: ChangeLevel, words: String) {
        result.note(level, "page \(number): \(words)", on: ChangedPlaces(page: number))
    }

    private mutating func forbidOnPage(_ number: Int, words: String) {
        noteOnPage(number, level: .forbidden, words: words)
    }

    private mutating func noteCovering(of id: ObjectID, _ page: Int) {
        remark(.annotationMayCoverContent("page \(page): the changed order of annotations"))
        result.covering.pages.insert(id)
    }

    /// The references to `others` in sequence, with nil for each direct object. Direct objects are
    /// compared by content.
    private static func order(of others: Set<ObjectID>, in elements: [PDFObject]) -> [ObjectID?] {
        elements.map(\.referenceValue).filter { $0.map(others.contains) ?? true }
    }

    /// Objects that `later` refers to more than once, and more often than `earlier`, sorted.
    static func repeated(in later: [PDFObject], notIn earlier: [PDFObject]) -> [ObjectID] {
        func counts(_ elements: [PDFObject]) -> [ObjectID: Int] {
            elements.compactMap(\.referenceValue).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        let before = counts(earlier)
        return counts(later).filter { $0.value > max(1, before[$0.key] ?? 1) }.keys.sorted()
    }

    private mutating func noteDirectAnnotations(
        _ annotations: [PDFObject], _ id: ObjectID, page: Int
    ) throws {
        for case let annotation? in annotations.map(\.dictionaryValue) {
            guard try AnnotationActions.areHarmless(of: annotation, in: new) else {
                return forbid("page \(page): annotations with actions added or changed")
            }
            if try new.value(annotation, "Subtype").nameValue == "Widget" {
                return forbid("page \(page): a form field was added that is not part of the form")
            }
        }
        result.note(
            .annotations, "page \(page): annotations changed",
            on: ChangedPlaces(page: page, extent: .infinity))
        noteCovering(of: id, page)
    }

    private func isWidget(_ id: ObjectID) throws -> Bool {
        guard let dictionary = try new.object(id).dictionaryValue else { return false }
        return try new.value(dictionary, "Subtype").nameValue == "Widget"
    }

    func field(of widget: ObjectID) -> FormField? {
        placesAfter.field(of: widget).map { formAfter.fields[$0] }
    }

    private mutating func noteNewAnnotation(_ id: ObjectID, page: Int) throws {
        try memory.values.spend(Self.costOfNewAnnotation)
        let dictionary = try new.object(id).dictionaryValue ?? PDFDictionary()
        // Viewers draw a widget even without a field, so it is forbidden, not ignored.
        guard try new.value(dictionary, "Subtype").nameValue != "Widget" else {
            return forbid("page \(page): a form field was added that is not part of the form")
        }
        try noteAnnotation(dictionary, id, changed: nil, page: page)
    }

    /// Reports a new or changed annotation.
    ///
    /// - Parameter keys: Keys of the changed entries; nil for a new annotation.
    private mutating func noteAnnotation(
        _ dictionary: PDFDictionary, _ id: ObjectID, changed keys: [PDFName]?, page: Int
    ) throws {
        let what = "page \(page): \(try kind(of: id, in: new))"
        let isMark = try keys == nil && new.value(dictionary, "Subtype").nameValue == "Stamp"
        let words =
            try words(of: dictionary, id)
            + (keys?.contains { $0 == "A" || $0 == "Dest" } ?? true
                ? target(of: dictionary) : "")
        result.note(
            .annotations, "\(what) \(keys == nil ? "added" : "changed")" + words,
            on: ChangedPlaces(
                page: page,
                extent: try AnnotationExtent.area(of: dictionary, in: new)),
            part: isMark ? .mark : nil)
        let hasNewActions = keys.map { !AnnotationActions.keys.isDisjoint(with: $0) } ?? true
        if hasNewActions, try !AnnotationActions.areHarmless(of: dictionary, in: new) {
            forbid("\(what) has an action")
        }
        // Viewers draw annotations without an appearance: icons, borders of links, highlights.
        result.covering.annotations.insert(id)
        if try dictionary["AP"] != nil || new.value(dictionary, "Subtype").nameValue != "Popup" {
            remark(.annotationMayCoverContent(what))
        }
    }

    /// The beginning of a text string, which many objects may share.
    static func beginning(of bytes: [UInt8]) -> String {
        let start = PDFString(bytes: Array(bytes.prefix(readByteCount)), isHexadecimal: false)
        return TextExcerpt.short(TextExcerpt.words(start.text))
    }

    /// Text for a message: a colon, the displayed text of an annotation, and its /Contents if that
    /// differs.
    private func words(of annotation: PDFDictionary, _ id: ObjectID) throws -> String {
        let said = try new.value(annotation, "Contents").stringValue.map(Self.beginning(of:)) ?? ""
        guard annotation["AP"] != nil else { return said.isEmpty ? "" : ": \(said.inQuotes)" }
        guard memory.takeAppearance(),
            let strings = try WidgetAppearance(id, in: new).strings(isSigned: isSigned)?.first
        else { return said.isEmpty ? "" : " (/Contents: \(said.inQuotes))" }
        memory.spendAppearance(strings.byteCount)
        // Text that may be invisible is omitted.
        let isLegible =
            !strings.hasUnknownCharacters && strings.unreadablePart == nil
            && strings.oddity == nil && !strings.isFaint
        let shown = isLegible ? TextExcerpt.short(TextExcerpt.words(strings.text)) : ""
        switch (shown.isEmpty, said.isEmpty) {
        case (true, true): return ""
        case (true, false): return " (/Contents: \(said.inQuotes))"
        case (false, false) where shown != said:
            return ": \(shown.inQuotes) (/Contents: \(said.inQuotes))"
        default: return ": \(shown.inQuotes)"
        }
    }

    /// The target of a link for a message: `, target 'https://example.com'` or `, target page 2`
    /// (ISO 32000-2 §12.3.2, §12.6.4).
    private func target(of link: PDFDictionary) throws -> String {
        let action = try new.value(link, "A").dictionaryValue ?? PDFDictionary()
        let named = try ["URI", "F", "D", "N"].map { try new.value(action, $0) }
        for value in try named + [new.value(link, "Dest")] {
            let file = try value.dictionaryValue.map {
                try [new.value($0, "UF"), new.value($0, "F")].lazy.compactMap(\.stringValue).first
            }
            if let text = file ?? value.stringValue {
                return ", target \(Self.beginning(of: text).inQuotes)"
            }
            if let name = value.nameValue {
                return ", target \(TextExcerpt.short(name.description).inQuotes)"
            }
            if let page = value.arrayValue?.first?.referenceValue {
                return try pageNumber(of: page).map { ", target page \($0)" } ?? ""
            }
        }
        return ""
    }

    /// The number of a page, for a message; nil if the limit is reached.
    private func pageNumber(of id: ObjectID) throws -> Int? {
        for index in 0..<(try new.pageCount()) where memory.remainingPlaces > 0 {
            memory.remainingPlaces -= 1
            if try new.page(at: index).id == id { return index + 1 }
        }
        return nil
    }

    /// Compares an annotation that is not a field: its level is that of annotations.
    private mutating func compareAnnotation(_ id: ObjectID, page: Int) throws {
        guard !fixed.contains(id), try existed(id), let before = try old.object(id).dictionaryValue,
            before["Subtype"]?.nameValue != nil, before["Rect"] != nil
        else { return }
        if let (was, now) = try unlistedField(id) { return try compareField(was, now) }
        let isAppearanceNew = try settleAppearance(of: id)
        guard unexplainedObjects[id.number] != nil || isAppearanceNew,
            let after = try new.object(id).dictionaryValue,
            after["Subtype"]?.nameValue == before["Subtype"]?.nameValue
        else { return }
        accept(id)
        guard before["Subtype"]?.nameValue != "Widget", before["FT"] == nil else {
            return forbid("page \(page): a form field was changed that is not part of the form")
        }
        // Structure tree entries are compared separately.
        let changed = try equivalence.changedKeys(before, after).filter {
            $0 != "StructParent" || before[$0] != nil
        }
        guard !changed.isEmpty || isAppearanceNew else { return }
        try noteAnnotation(after, id, changed: changed, page: page)
    }

    /// A field on a page that the form does not list: viewers treat it as part of the form.
    private func unlistedField(_ id: ObjectID) throws -> (FormField, FormField)? {
        guard unexplainedObjects[id.number] != nil,
            let was = try AcroForm.field(id, in: old), let now = try AcroForm.field(id, in: new),
            !was.isSignature, !now.isSignature
        else { return nil }
        return (was, now)
    }

    private func kind(of id: ObjectID, in document: PDFDocument) throws -> String {
        let subtype = try document.object(id).dictionaryValue?["Subtype"]?.nameValue
        return subtype.map { "annotation (\(TextExcerpt.short($0.description)))" } ?? "annotation"
    }
}

/// Actions of annotations when they are used or shown (ISO 32000-2 §12.6).
private enum AnnotationActions {
    static let keys: Set<PDFName> = ["A", "AA", "PA"]
    /// Actions with a visible destination.
    private static let harmless: Set<PDFName> = ["GoTo", "GoToR", "URI", "Named", "Thread"]
    private static let maximumCount = 100

    static func areHarmless(
        of annotation: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        var stack = [annotation["A"], annotation["PA"]].compactMap { $0 }
        let triggers = try document.value(annotation, "AA")
        guard triggers == .null || triggers.dictionaryValue?.isEmpty == true else { return false }
        var count = 0
        while let next = stack.popLast() {
            count += 1
            guard count <= maximumCount else { return false }
            switch try document.resolve(next) {
            case .null: break
            case .array(let actions):
                guard actions.count <= maximumCount else { return false }
                stack += actions
            case .dictionary(let action):
                guard let kind = try document.value(action, "S").nameValue,
                    harmless.contains(kind), action.duplicateKeys.isEmpty
                else { return false }
                if let following = action["Next"] { stack.append(following) }
            default: return false
            }
        }
        return true
    }
}
