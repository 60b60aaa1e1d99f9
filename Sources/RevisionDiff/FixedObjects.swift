import PDFCore

/// Objects of a revision's pages and actions. No update may redefine them, even if they are also
/// fields, validation data or metadata.
struct FixedObjects {
    /// Nodes of the page tree and pages.
    private var nodes = ObjectNumberSet()
    private var drawn = ObjectNumberSet()
    /// Actions, and objects that they use.
    private var done = ObjectNumberSet()

    /// The catalogs already read.
    private var known: Set<ObjectID> = []

    /// Catalog entries that other rules check.
    private static let catalogKeys: Set<PDFName> = [
        "AcroForm", "StructTreeRoot", "DSS", "Metadata", "Extensions", "Perms",
    ]
    /// Entries of a page that updates may change, that refer back, or that hold private data.
    private static let pageKeys: Set<PDFName> = ["Annots", "Parent", "Metadata", "PieceInfo"]
    /// Entries of a page that are not drawn.
    private static let actingPageKeys: Set<PDFName> = ["AA", "B", "AF", "PresSteps"]
    /// Entries of actions, beads and outline items that name fields, annotations and tags.
    private static let namingKeys: Set<PDFName> = [
        "T", "Fields", "Annots", "SE", "AN", "TA", "Annotation", "P", "Parent",
    ]

    /// - Parameter document: the oldest compared revision.
    init(of document: PDFDocument) throws(PDFError) { try update(to: document, defining: []) }

    /// Adds the objects of a revision.
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
            // An unreadable form is reported separately.
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
            // Destinations refer to pages.
            guard !contains(id) else { continue }
            done.insert(id.number)
            if let object = try? document.object(id) { waiting.add(done: object) }
        }
    }

    func contains(_ id: ObjectID) -> Bool {
        [nodes, drawn, done].contains { $0.contains(id.number) }
    }

    /// References still to follow, by purpose.
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

    /// References still to follow.
    private struct References {
        private var waiting: [ObjectID] = []

        mutating func next() -> ObjectID? { waiting.popLast() }

        /// Adds every reference in an object; the parser limits its size.
        mutating func add(_ object: PDFObject?, without keys: Set<PDFName> = []) {
            var walk = ReferenceWalk(through: object, besides: keys)
            while let id = walk.next() { waiting.append(id) }
        }
    }
}
