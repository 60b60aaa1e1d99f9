import PDFCore

/// Which pages list an annotation, as one revision after the other has it. What was read for one
/// serves the next, but for the pages and lists that this one defines anew.
final class AnnotationHolders {
    /// Index of the section, from the oldest, whose revision is known.
    private var age = -1
    private var pages: [Int: Set<ObjectID>] = [:]
    /// What each page lists.
    private var annotations: [ObjectID: Set<Int>] = [:]
    /// The pages that depend on an object: on themselves, and on their lists.
    private var dependents: [Int: [ObjectID]] = [:]
    /// How many more entries of lists may be read.
    private var remaining = 2_000_000

    /// - Parameter takePage: called for each page that is read.
    /// - Throws: ``TooMuchToCompare``.
    func pages(
        with annotation: ObjectID, in document: PDFDocument,
        takePage: () throws(TooMuchToCompare) -> Void
    ) throws -> Set<ObjectID> {
        let newest = document.sections.count - 1
        if age < 0 || age > newest {
            (pages, annotations, dependents) = ([:], [:], [:])
            for index in 0..<(try document.pageCount()) {
                try takePage()
                try read(try document.page(at: index).id, in: document)
            }
        } else {
            var stale: Set<ObjectID> = []
            for section in document.sections.prefix(newest - age) {
                try section.forEachEntry { (entry) throws(PDFError) in
                    stale.formUnion(dependents[entry.number] ?? [])
                }
            }
            for page in stale {
                try takePage()
                for annotation in annotations[page] ?? [] { pages[annotation]?.remove(page) }
                try read(page, in: document)
            }
        }
        age = newest
        return pages[annotation.number] ?? []
    }

    private func read(_ page: ObjectID, in document: PDFDocument) throws {
        let dictionary = try document.object(page).dictionaryValue ?? PDFDictionary()
        let list = dictionary["Annots"] ?? .null
        for id in [page, list.referenceValue].compactMap({ $0 })
        where dependents[id.number]?.contains(page) != true {
            dependents[id.number, default: []].append(page)
        }
        let entries = try document.resolve(list).arrayValue ?? []
        remaining -= entries.count
        guard remaining >= 0 else { throw TooMuchToCompare() }
        let numbers = Set(entries.compactMap(\.referenceValue?.number))
        annotations[page] = numbers
        for number in numbers { pages[number, default: []].insert(page) }
    }
}
