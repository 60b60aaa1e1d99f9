package import PDFCore

/// The pages on which reported changes may be visible.
package struct ChangedPlaces: Sendable, Hashable {
    /// Page numbers, from 1.
    package private(set) var pages: Set<Int> = []
    /// Widgets of changed fields and signatures, on any page.
    private var widgets: Set<ObjectID> = []
    /// Whether a change may be visible on any page.
    private var isAnywhere = false
    /// Largest page area of one change, in square points.
    package private(set) var extent = usualExtent

    /// Used if the area is unknown: about a field with three lines, in square points.
    private static let usualExtent = 10_000.0

    /// Changes that are invisible on all pages: validation data, metadata.
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
