import PDFCore

/// What one revision changed against the one before it, judged object by object through the
/// document's structure: whatever is not on the list of permitted changes is forbidden.
///
/// Every object number that the later revision defines needs a reason to be there. An object that
/// existed and differs now, without such a reason, is a forbidden change.
struct RevisionComparison {
    private(set) var level: ChangeLevel = .none
    private(set) var details: [String] = []
    /// Full names of the fields whose value, look or state changed.
    private(set) var changedFields: Set<String> = []

    private let old: PDFDocument
    private let new: PDFDocument
    private let defined: Set<ObjectID>
    /// Object numbers whose definition has been accounted for.
    private var explained: Set<Int> = []

    /// Most objects that a walk over references visits.
    private static let maximumWalkCount = 100_000

    /// - Parameters:
    ///   - old: the document as the earlier revision left it.
    ///   - new: the document as the later one left it.
    ///   - defined: the objects that the later revision defines or frees.
    init(from old: PDFDocument, to new: PDFDocument, defining defined: Set<ObjectID>) throws {
        self.old = old
        self.new = new
        self.defined = defined
        guard old.trailer["Root"] == new.trailer["Root"] else {
            forbid("the document's root was exchanged")
            return
        }
        guard old.trailer["Encrypt"] == new.trailer["Encrypt"] else {
            forbid("the document's encryption was exchanged")
            return
        }
        try compareCatalog()
        try compareForm()
        try compareDocumentInformation()
        try comparePagesAndAnnotations()
        try compareRest()
    }

    private mutating func note(_ level: ChangeLevel, _ detail: String) {
        self.level = max(self.level, level)
        if !details.contains(detail) { details.append(detail) }
    }

    private mutating func forbid(_ detail: String) { note(.forbidden, detail) }

    private func isDefined(_ number: Int) -> Bool { defined.contains { $0.number == number } }

    private func existed(_ id: ObjectID) throws(PDFError) -> Bool {
        switch try old.location(of: id) {
        case nil, .free?: false
        default: true
        }
    }

    /// Accounts for `root` and all that it refers to, as long as it is new: an object that existed
    /// is left to be compared.
    private mutating func explainNewObjects(from root: PDFObject) throws(PDFError) {
        var stack = [root]
        var visited = 0
        while let next = stack.popLast() {
            visited += 1
            guard visited <= Self.maximumWalkCount else { return }
            switch next {
            case .reference(let id):
                let isNew = try !existed(id)
                guard isNew, explained.insert(id.number).inserted else { continue }
                stack.append(try new.object(id))
            case .array(let elements): stack += elements
            case .dictionary(let dictionary):
                stack += dictionary.keys.filter { $0 != "P" && $0 != "Parent" }
                    .compactMap { dictionary[$0] }
            case .stream(let stream):
                stack += stream.dictionary.keys.compactMap { stream.dictionary[$0] }
            default: break
            }
        }
    }

    // MARK: Catalog

    private mutating func compareCatalog() throws {
        explained.insert(try old.catalogID.number)
        let (before, after) = (try old.catalog(), try new.catalog())
        guard after.duplicateKeys.isEmpty else {
            forbid("the catalog has the key /\(after.duplicateKeys[0]) twice")
            return
        }
        for key in Set(before.keys + after.keys).sorted(by: { $0.description < $1.description }) {
            let isSame = before[key] == after[key]
            switch key {
            case "AcroForm": break
            case "DSS": try compareSecurityStore(before[key], after[key])
            case "Metadata":
                if let id = after[key]?.referenceValue, !isSame || isDefined(id.number) {
                    explained.insert(id.number)
                    note(.archival, "metadata updated")
                }
            case "Extensions", "Version":
                if !isSame { note(.archival, "document version or extensions updated") }
                try explainNewObjects(from: after[key] ?? .null)
            default:
                if !isSame { forbid("the document's entry /\(key) was changed") }
            }
        }
    }

    /// ISO 32000-2 §12.8.4.3: entries may come and, certificates apart from VRI, go; nothing else.
    private mutating func compareSecurityStore(_ before: PDFObject?, _ after: PDFObject?) throws {
        guard let after else {
            if before != nil { forbid("the validation data (DSS) was removed") }
            return
        }
        let store = try new.resolve(after).dictionaryValue ?? PDFDictionary()
        let known: Set<PDFName> = ["Type", "Certs", "OCSPs", "CRLs", "VRI"]
        if let stranger = store.keys.first(where: { !known.contains($0) }) {
            forbid("the validation data (DSS) has the unknown entry /\(stranger)")
            return
        }
        try explainNewObjects(from: after)
        // The store's own containers may be rewritten in place; its streams may not.
        var isChanged = before != after
        var containers = [after]
        containers += ["Certs", "OCSPs", "CRLs", "VRI"].compactMap { store[$0] }
        if let entries = try new.value(store, "VRI").dictionaryValue {
            containers += entries.keys.compactMap { entries[$0] }
        }
        for case .reference(let id) in containers where isDefined(id.number) {
            if case .stream = try old.object(id) { continue }
            let wasPartOfStore = try old.resolve(before ?? .null) != .null
            if wasPartOfStore { explained.insert(id.number) }
            isChanged = true
        }
        if isChanged { note(.archival, "validation data (DSS) added") }
    }

    private mutating func compareDocumentInformation() throws {
        guard let id = new.trailer["Info"]?.referenceValue, isDefined(id.number) else { return }
        let isSameObject = old.trailer["Info"]?.referenceValue == id
        let existed = try existed(id)
        guard isSameObject || !existed else { return }
        explained.insert(id.number)
        try explainNewObjects(
            from: .dictionary(try new.object(id).dictionaryValue ?? PDFDictionary()))
        note(.archival, "document information updated")
    }

    // MARK: Form

    private mutating func compareForm() throws {
        let (before, after) = (try AcroForm(of: old), try AcroForm(of: new))
        guard after.exists else {
            if before.exists { forbid("the form was removed") }
            return
        }
        if let id = after.id, try before.id == id || !existed(id) { explained.insert(id.number) }
        if let id = after.fieldsID, try before.fieldsID == id || !existed(id) {
            explained.insert(id.number)
        }
        for key in Set(before.dictionary.keys + after.dictionary.keys)
        where key != "Fields" && before.dictionary[key] != after.dictionary[key] {
            switch key {
            case "SigFlags": break
            case "DA", "DR", "Q", "NeedAppearances":
                if before.exists { note(.formFilling, "the form's defaults were changed") }
                try explainNewObjects(from: after.dictionary[key] ?? .null)
            default: forbid("the form's entry /\(key) was changed")
            }
        }
        for reference in before.fieldReferences where !after.fieldReferences.contains(reference) {
            forbid("a form field was removed")
        }

        let known = Dictionary(before.fields.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
        for field in after.fields {
            if let earlier = known[field.id] {
                try compareField(earlier, field)
            } else {
                try judgeNewField(field)
            }
        }
        let remaining = Set(after.fields.map(\.id))
        for field in before.fields where !remaining.contains(field.id) {
            forbid("the form field '\(field.fullName)' was removed")
        }
    }

    /// A new field is permitted only when it is a signature that was made with it.
    private mutating func judgeNewField(_ field: FormField) throws {
        let value = try new.resolve(field.value ?? .null).dictionaryValue
        let isNew = try !existed(field.id)
        guard isNew, field.isSignature, let value else {
            forbid("the form field '\(field.fullName)' was added")
            return
        }
        try explainNewObjects(from: .reference(field.id))
        let isTimestamp = value["Type"]?.nameValue == "DocTimeStamp"
        if isTimestamp {
            note(.archival, "document timestamp '\(field.fullName)' added")
        } else {
            note(.formFilling, "signature '\(field.fullName)' added")
        }
    }

    private static let fillableKeys: Set<PDFName> = [
        "V", "AP", "AS", "I", "M", "F", "DA", "Q", "Ff", "Type",
    ]

    private mutating func compareField(_ before: FormField, _ after: FormField) throws {
        for id in Set([after.id] + after.widgetIDs) where isDefined(id.number) {
            let (oldObject, newObject) = (try old.object(id), try new.object(id))
            guard oldObject != newObject else {
                explained.insert(id.number)
                continue
            }
            guard let earlier = oldObject.dictionaryValue, let later = newObject.dictionaryValue
            else {
                forbid("the form field '\(after.fullName)' was replaced")
                continue
            }
            let changed = Set(earlier.keys + later.keys).filter { earlier[$0] != later[$0] }
            if let key = changed.first(where: { !Self.fillableKeys.contains($0) }) {
                forbid("the entry /\(key) of the form field '\(after.fullName)' was changed")
                continue
            }
            explained.insert(id.number)
            for key in changed {
                try explainNewObjects(from: later[key] ?? .null)
            }
            changedFields.insert(after.fullName)
        }
        try compareFieldValue(before, after)
    }

    private mutating func compareFieldValue(_ before: FormField, _ after: FormField) throws {
        let valueID = after.value?.referenceValue
        let isRewritten = valueID.map { isDefined($0.number) } ?? false
        guard before.value != after.value || isRewritten || changedFields.contains(after.fullName)
        else { return }
        let earlier = try old.resolve(before.value ?? .null)
        let later = try new.resolve(after.value ?? .null)
        guard after.isSignature else {
            if let valueID, isRewritten, try before.value == after.value || !existed(valueID) {
                explained.insert(valueID.number)
            }
            changedFields.insert(after.fullName)
            note(.formFilling, "field '\(after.fullName)' filled")
            return
        }
        if earlier == .null, later != .null {
            try explainNewObjects(from: after.value ?? .null)
            note(.formFilling, "signature '\(after.fullName)' added")
        } else if earlier != later || before.value != after.value {
            forbid("the signature '\(after.fullName)' was replaced or removed")
        } else {
            note(.formFilling, "the look of the signature field '\(after.fullName)' was changed")
        }
    }

    // MARK: Pages

    private mutating func comparePagesAndAnnotations() throws {
        let widgets = try Set(AcroForm(of: new).fields.flatMap { $0.widgetIDs + [$0.id] })
        for id in defined where !explained.contains(id.number) {
            guard let before = try old.object(id).dictionaryValue,
                before["Type"]?.nameValue == "Page",
                let after = try new.object(id).dictionaryValue
            else { continue }
            let changed = Set(before.keys + after.keys).filter { before[$0] != after[$0] }
            guard changed.isSubset(of: ["Annots"]) else {
                let keys = changed.subtracting(["Annots"]).map { "/\($0)" }.sorted()
                forbid("a page's \(keys.joined(separator: ", ")) was changed")
                continue
            }
            explained.insert(id.number)
            if !changed.isEmpty {
                try compareAnnotations(before["Annots"], after["Annots"], widgets: widgets)
            }
        }
        try compareSeparateAnnotationArrays(widgets: widgets)
    }

    /// Annotation arrays that are objects of their own are found through their pages, which is
    /// costly and done only when such an object changed.
    private mutating func compareSeparateAnnotationArrays(widgets: Set<ObjectID>) throws {
        var suspects: Set<ObjectID> = []
        for id in defined where !explained.contains(id.number) {
            if case .array = try old.object(id) { suspects.insert(id) }
        }
        guard !suspects.isEmpty else { return }
        for index in 0..<(try new.pageCount()) where !suspects.isEmpty {
            guard let id = try new.page(at: index).dictionary["Annots"]?.referenceValue,
                suspects.remove(id) != nil
            else { continue }
            explained.insert(id.number)
            try compareAnnotations(.reference(id), .reference(id), widgets: widgets)
        }
    }

    private mutating func compareAnnotations(
        _ before: PDFObject?, _ after: PDFObject?, widgets: Set<ObjectID>
    ) throws {
        let earlier = try old.resolve(before ?? .null).arrayValue ?? []
        let later = try new.resolve(after ?? .null).arrayValue ?? []
        if let id = after?.referenceValue, try !existed(id) { explained.insert(id.number) }
        for annotation in earlier where !later.contains(annotation) {
            if let id = annotation.referenceValue, widgets.contains(id) {
                forbid("a form field was taken off its page")
            } else {
                note(.annotations, "an annotation was removed")
            }
        }
        for annotation in later where !earlier.contains(annotation) {
            if let id = annotation.referenceValue, widgets.contains(id) { continue }
            try explainNewObjects(from: annotation)
            note(.annotations, "an annotation was added")
        }
    }

    // MARK: Everything else

    private mutating func compareRest() throws {
        for id in defined.sorted() where !explained.contains(id.number) {
            guard try existed(id) else { continue }
            let (before, after) = (try old.object(id), try new.object(id))
            guard try !isSame(before, after) else { continue }
            forbid(Self.describe(before, id))
        }
    }

    private func isSame(_ before: PDFObject, _ after: PDFObject) throws(PDFError) -> Bool {
        guard case .stream(let earlier) = before, case .stream(let later) = after else {
            return before == after
        }
        guard earlier.dictionary == later.dictionary else { return false }
        return try old.rawData(of: earlier) == new.rawData(of: later)
    }

    private static func describe(_ object: PDFObject, _ id: ObjectID) -> String {
        let dictionary = object.streamValue?.dictionary ?? object.dictionaryValue
        let kind = dictionary?["Subtype"]?.nameValue ?? dictionary?["Type"]?.nameValue
        switch (object, kind?.description) {
        case (.stream, "Image"?): return "an image was replaced (object \(id.number))"
        case (.stream, _): return "content was replaced (object \(id.number))"
        case (_, "Pages"?): return "the page tree was changed (object \(id.number))"
        case (_, let kind?): return "object \(id.number) (\(kind)) was changed"
        default: return "object \(id.number) was changed"
        }
    }
}
