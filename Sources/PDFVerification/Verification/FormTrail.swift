import PDFCore
import PDFSigning

/// A form that is followed from revision to revision, into the past: where a later revision wrote
/// fields anew, or added some, these alone are looked at. To read the whole form for each of many
/// revisions would cost the product.
struct FormTrail {
    /// The revision that was reached.
    private var document: PDFDocument
    /// Numbers of what was read to find the fields.
    private var numbers: Set<Int>
    /// Numbers of the catalog, the form and its list of fields.
    private var lists: Set<Int>
    private var roots: Set<ObjectID>
    /// How many more entries of lists are looked at.
    private var remaining = 10_000_000
    /// Fields by the numbers of the signatures that they have.
    private var holders: [Int: Set<ObjectID>] = [:]

    init(_ form: AcroForm, in document: PDFDocument) throws {
        self.document = document
        numbers = form.objectNumbers
        lists = Set([try document.catalogID, form.id, form.fieldsID].compactMap { $0?.number })
        roots = Set(form.fieldReferences.compactMap(\.referenceValue))
        for field in form.signatureFields { note(field.value, of: field.id) }
    }

    /// Whether fields or signatures may be others where the object with this number is another.
    func touches(_ number: Int) -> Bool {
        numbers.contains(number) || lists.contains(number) || holders[number] != nil
    }

    mutating func note(_ value: PDFObject?, of field: ObjectID) {
        if let number = value?.referenceValue?.number {
            holders[number, default: []].insert(field)
        }
    }

    /// Goes to an older revision, which differs in the objects `changed` among those that matter.
    ///
    /// - Returns: The fields that may have other signatures in it; nil when that revision may have
    ///   fields that are not known.
    mutating func step(
        to older: PDFDocument, over changed: Set<Int>
    ) throws(PDFError) -> Set<ObjectID>? {
        var found: Set<ObjectID> = []
        guard try hasKnownLists(older, changed.intersection(lists)) else { return nil }
        for number in changed where !lists.contains(number) {
            found.formUnion(holders[number] ?? [])
            // What came with the later revision did not exist.
            guard numbers.contains(number), let generation = try older.generation(of: number)
            else { continue }
            let id = ObjectID(number: number, generation: generation)
            guard let then = try older.object(id).dictionaryValue,
                let now = try document.object(id).dictionaryValue,
                AcroForm.structuralKeys.allSatisfy({ then[$0] == now[$0] }),
                // What is inherited counts for other fields.
                then["Kids"] == nil || then["V"] == now["V"]
            else { return nil }
            found.insert(id)
        }
        document = older
        return found
    }

    /// Whether an older revision begins with another catalog.
    func isOther(_ older: PDFDocument) throws(PDFError) -> Bool {
        try older.catalogID != document.catalogID
    }

    /// - Parameter changed: numbers of what leads to the fields.
    private mutating func hasKnownLists(
        _ older: PDFDocument, _ changed: Set<Int>
    ) throws(PDFError) -> Bool {
        if try !isOther(older) {
            if changed.isEmpty { return true }
            // Validation data come with a new catalog, time and again.
            if try changed == [document.catalogID.number],
                try AcroForm.haveSameForm(older, document)
            {
                return true
            }
        }
        return try readLists(of: older)
    }

    /// Whether an older revision lists no field that is not known.
    private mutating func readLists(of older: PDFDocument) throws(PDFError) -> Bool {
        lists.insert(try older.catalogID.number)
        let entry = try older.catalog()["AcroForm"] ?? .null
        let form = try target(of: entry, in: older)
        // Nothing can be signed without a form.
        if form == .null { return true }
        let fields = form?.dictionaryValue?["Fields"] ?? .null
        guard let listed = try target(of: fields, in: older)?.arrayValue else { return false }
        remaining -= listed.count
        return remaining >= 0 && listed.allSatisfy { $0.referenceValue.map(roots.contains) ?? true }
    }

    /// What an entry of a list is or refers to; nil for what a reference leads to that leads
    /// further.
    private mutating func target(
        of entry: PDFObject, in older: PDFDocument
    ) throws(PDFError) -> PDFObject? {
        guard let id = entry.referenceValue else { return entry }
        lists.insert(id.number)
        let found = try older.object(id)
        return found.referenceValue == nil ? found : nil
    }
}
