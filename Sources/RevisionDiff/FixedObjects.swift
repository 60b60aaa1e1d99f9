import PDFCore
import PDFSigning

/// What makes up the pages of a revision and what the document does: whatever else such an object
/// is at the same time (a field, a part of the validation data, metadata), no update may touch it
/// under that name.
struct FixedObjects {
    /// Nodes of the page tree and pages.
    private var nodes = ObjectNumberSet()
    /// What is drawn, or part of that.
    private var drawn = ObjectNumberSet()
    /// What is done when something is opened, used or looked up.
    private var done = ObjectNumberSet()

    /// The catalogues that were looked at.
    private var known: Set<ObjectID> = []

    /// Entries of the catalogue that updates may change, by rules of their own.
    private static let catalogKeys: Set<PDFName> = [
        "AcroForm", "StructTreeRoot", "DSS", "Metadata", "Extensions", "Perms",
    ]
    /// Entries of a page that updates may change, that lead back, or that hold private data.
    private static let pageKeys: Set<PDFName> = ["Annots", "Parent", "Metadata", "PieceInfo"]
    /// Entries of a page that draw nothing.
    private static let actingPageKeys: Set<PDFName> = ["AA", "B", "AF", "PresSteps"]
    /// Entries of actions, beads and outline items that name fields, annotations and tags.
    private static let namingKeys: Set<PDFName> = [
        "T", "Fields", "Annots", "SE", "AN", "TA", "Annotation", "P", "Parent",
    ]

    /// - Parameter document: the oldest revision that is compared.
    init(of document: PDFDocument) throws(PDFError) {
        try update(to: document, defining: [])
    }

    /// Adds what a revision brings in.
    ///
    /// - Parameter defined: the objects that it defines or frees.
    mutating func update(
        to document: PDFDocument, defining defined: Set<ObjectID>
    ) throws(PDFError) {
        let catalog = try document.catalog()
        let catalogID = try document.catalogID
        let isCatalogNew = known.insert(catalogID).inserted || defined.contains(catalogID)
        var waiting = Waiting()
        if isCatalogNew {
            waiting.tree.add(catalog["Pages"])
            waiting.drawing.add(catalog["OCProperties"])
            for key in catalog.keys where !Self.catalogKeys.contains(key) {
                if key != "Pages", key != "OCProperties" { waiting.acting.add(catalog[key]) }
            }
        }
        let formID = catalog["AcroForm"]?.referenceValue
        if isCatalogNew || formID.map(defined.contains) == true {
            // What cannot be read is a doubt of its own.
            let form = try? document.value(catalog, "AcroForm").dictionaryValue
            waiting.acting.add(form?["XFA"])
        }
        for id in defined where contains(id) {
            guard let object = try? document.object(id) else { continue }
            if nodes.contains(id.number) { waiting.add(node: object) }
            if drawn.contains(id.number) { waiting.drawing.add(object) }
            if done.contains(id.number) { waiting.add(done: object) }
        }
        while let id = waiting.tree.next() {
            guard !nodes.contains(id.number) else { continue }
            nodes.insert(id.number)
            if let object = try? document.object(id) { waiting.add(node: object) }
        }
        while let id = waiting.drawing.next() {
            guard !drawn.contains(id.number) else { continue }
            drawn.insert(id.number)
            waiting.drawing.add(try? document.object(id))
        }
        while let id = waiting.acting.next() {
            // Destinations lead to pages.
            guard !contains(id) else { continue }
            done.insert(id.number)
            if let object = try? document.object(id) { waiting.add(done: object) }
        }
    }

    func contains(_ id: ObjectID) -> Bool {
        [nodes, drawn, done].contains { $0.contains(id.number) }
    }

    /// What is still to be followed, by what it is for.
    private struct Waiting {
        var tree = References()
        var drawing = References()
        var acting = References()

        mutating func add(node object: PDFObject) {
            guard let node = object.dictionaryValue else { return }
            for key in node.keys where !FixedObjects.pageKeys.contains(key) {
                if key == "Kids" {
                    tree.add(node[key])
                } else if FixedObjects.actingPageKeys.contains(key) {
                    acting.add(node[key])
                } else {
                    drawing.add(node[key])
                }
            }
        }

        mutating func add(done object: PDFObject) {
            guard object.dictionaryValue?["Type"]?.nameValue != "Page" else { return }
            acting.add(object, without: FixedObjects.namingKeys)
        }
    }

    /// References that are still to be followed.
    private struct References {
        private var waiting: [ObjectID] = []

        mutating func next() -> ObjectID? { waiting.popLast() }

        /// Adds every reference in an object; the parser bounds how large that can be.
        mutating func add(_ object: PDFObject?, without keys: Set<PDFName> = []) {
            var walk = ReferenceWalk(through: object, besides: keys)
            while let id = walk.next() { waiting.append(id) }
        }
    }
}
