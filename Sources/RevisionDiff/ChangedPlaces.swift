package import PDFCore

/// The pages on which named changes may be seen.
package struct ChangedPlaces: Sendable, Hashable {
    /// Numbers of pages, from 1.
    package private(set) var pages: Set<Int> = []
    /// Widgets of changed fields and signatures, on whatever pages they are.
    private var widgets: Set<ObjectID> = []
    /// Whether a change may be seen on any page.
    private var isAnywhere = false
    /// How much of a page one change may take up, in square points.
    package private(set) var extent = usualExtent

    /// About as much as a field of three lines.
    private static let usualExtent = 10_000.0

    /// Changes that no page shows: validation data, metadata.
    package static let none = ChangedPlaces()
    static let anywhere: ChangedPlaces = {
        var places = ChangedPlaces()
        places.isAnywhere = true
        return places
    }()

    private init() {}

    package init(page: Int, extent: Double = usualExtent) {
        pages = [page]
        self.extent = extent
    }

    package init(widgets: [ObjectID], extent: Double = usualExtent) {
        self.widgets = Set(widgets)
        self.extent = extent
    }

    package mutating func formUnion(_ other: ChangedPlaces) {
        pages.formUnion(other.pages)
        widgets.formUnion(other.widgets)
        isAnywhere = isAnywhere || other.isAnywhere
    }

    /// The numbers of the pages, from 1, in a document that has the changes. Nil for any page.
    package func pages(in document: PDFDocument) throws -> Set<Int>? {
        guard !isAnywhere else { return nil }
        guard !widgets.isEmpty else { return pages }
        var found = pages
        for index in 0..<(try document.pageCount()) {
            let page = try document.page(at: index).dictionary
            let annotations = try document.value(page, "Annots").arrayValue ?? []
            if annotations.contains(where: { $0.referenceValue.map(widgets.contains) == true }) {
                found.insert(index + 1)
            }
        }
        return found
    }
}
