import PDFCore
import PDFSigning

/// Follows a form from revision to revision, newest first. Only fields that a later revision
/// changed or added are read: reading every form completely would take quadratic time.
struct FormHistory {
    /// The revision reached so far.
    private var document: PDFDocument
    /// Numbers of the objects read to find the fields.
    private var numbers: Set<Int>
    /// Numbers of the catalog, the form and its list of fields.
    private var lists: Set<Int>
    private var roots: Set<ObjectID>
    /// The remaining number of list entries to read.
    private var remaining = 10_000_000
    /// Fields by the object numbers of their signatures.
    private var holders: [Int: Set<ObjectID>] = [:]

    init(_ form: AcroForm, in document: PDFDocument) throws {
        self.document = document
        numbers = form.objectNumbers
        lists = Set([try document.catalogID, form.id, form.fieldsID].compactMap { $0?.number })
        roots = Set(form.fieldReferences.compactMap(\.referenceValue))
        for field in form.signatureFields { note(field.value, of: field.id) }
    }

    /// Whether a change of the object with this number may change fields or signatures.
    func touches(_ number: Int) -> Bool {
        numbers.contains(number) || lists.contains(number) || holders[number] != nil
    }

    mutating func note(_ value: PDFObject?, of field: ObjectID) {
        if let number = value?.referenceValue?.number { holders[number, default: []].insert(field) }
    }

    /// Continues with an older revision, in which the objects `changed` differ.
    ///
    /// - Returns: the fields whose signatures may differ in it; nil if it may have unknown fields.
    mutating func step(
        to older: PDFDocument, over changed: Set<Int>
    ) throws(PDFError) -> Set<ObjectID>? {
        var found: Set<ObjectID> = []
        guard try hasKnownLists(older, changed.intersection(lists)) else { return nil }
        for number in changed where !lists.contains(number) {
            found.formUnion(holders[number] ?? [])
            // Skips objects that the later revision added.
            guard numbers.contains(number), let generation = try older.generation(of: number)
            else { continue }
            let id = ObjectID(number: number, generation: generation)
            guard let then = try older.object(id).dictionaryValue,
                let now = try document.object(id).dictionaryValue,
                AcroForm.structuralKeys.allSatisfy({ then[$0] == now[$0] }),
                // Inherited values affect other fields.
                then["Kids"] == nil || then["V"] == now["V"]
            else { return nil }
            found.insert(id)
        }
        document = older
        return found
    }

    /// Whether an older revision has another catalog.
    func isOther(_ older: PDFDocument) throws(PDFError) -> Bool {
        try older.catalogID != document.catalogID
    }

    /// Whether the field list of an older revision is known.
    ///
    /// - Parameter changed: numbers of the changed objects among catalog, form and /Fields.
    private mutating func hasKnownLists(
        _ older: PDFDocument, _ changed: Set<Int>
    ) throws(PDFError) -> Bool {
        if try !isOther(older) {
            if changed.isEmpty { return true }
            // Updates with validation data often replace the catalog.
            if try changed == [document.catalogID.number],
                try AcroForm.haveSameForm(older, document)
            {
                return true
            }
        }
        return try readLists(of: older)
    }

    /// Whether all fields listed by an older revision are known.
    private mutating func readLists(of older: PDFDocument) throws(PDFError) -> Bool {
        lists.insert(try older.catalogID.number)
        let entry = try older.catalog()["AcroForm"] ?? .null
        let form = try target(of: entry, in: older)
        // A document without a form has no signatures.
        if form == .null { return true }
        let fields = form?.dictionaryValue?["Fields"] ?? .null
        guard let listed = try target(of: fields, in: older)?.arrayValue else { return false }
        remaining -= listed.count
        return remaining >= 0 && listed.allSatisfy { $0.referenceValue.map(roots.contains) ?? true }
    }

    /// The object or reference that a list entry contains; nil for a reference to a reference.
    private mutating func target(
        of entry: PDFObject, in older: PDFDocument
    ) throws(PDFError) -> PDFObject? {
        guard let id = entry.referenceValue else { return entry }
        lists.insert(id.number)
        let found = try older.object(id)
        return found.referenceValue == nil ? found : nil
    }
}
