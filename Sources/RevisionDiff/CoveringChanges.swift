package import Base
package import PDFCore
import PDFSigning

/// Additions to pages and changed appearances, which may cover locked fields without changing them.
package struct CoveringChanges {
    /// New annotations and widgets, and those with a changed appearance.
    package var annotations: Set<ObjectID> = []
    /// Pages with a changed order of annotations: anything may be covered.
    package var pages: Set<ObjectID> = []

    package init() {}

    package var isEmpty: Bool { annotations.isEmpty && pages.isEmpty }

    package mutating func formUnion(_ other: CoveringChanges) {
        annotations.formUnion(other.annotations)
        pages.formUnion(other.pages)
    }
}

/// Positions of the newest revision's fields, read once for all signatures.
package final class ShownFields {
    private let document: PDFDocument
    private let form: AcroForm
    private let places: AcroForm.Places
    /// Positions in the page tree that list each annotation; the page named by a widget is ignored.
    private var listings: [ObjectID: [Int]] = [:]
    private var pages: [ObjectID: [Int]] = [:]
    private let budget = ValueBudget()

    private static let costOfPage = 16
    /// Budget cost of computing an annotation's rectangle.
    private static let costOfAnnotation = 64
    /// Overlaps of at most this many user space units are ignored.
    private static let slack = 0.1

    /// - Throws: ``TooMuchToCompare``.
    package init(in document: PDFDocument) throws {
        self.document = document
        form = try AcroForm(of: document)
        places = AcroForm.Places(of: form)
        for index in 0..<(try document.pageCount()) {
            try budget.spend(Self.costOfPage)
            let page = try document.page(at: index)
            pages[page.id, default: []].append(index)
            for id in try annotations(of: page) { listings[id, default: []].append(index) }
        }
    }

    /// Full names of the fields that changes may cover.
    ///
    /// - Throws: ``TooMuchToCompare``.
    package func names(coveredBy changes: CoveringChanges) throws -> Set<ExactText> {
        var covered: Set<ExactText> = []
        // Viewers draw an appearance in a box without size at different positions.
        let unbound = try changes.annotations.filter { id in
            try listings[id] != nil && !WidgetAppearance(id, in: document).hasPlace
        }
        let whole = Set(changes.pages.flatMap { pages[$0] ?? [] })
            .union(unbound.flatMap { listings[$0] ?? [] })
        for index in whole.union(changes.annotations.flatMap { listings[$0] ?? [] }).sorted() {
            let page = try document.page(at: index)
            let listed = try annotations(of: page)
            let fields = listed.compactMap { id in places.field(of: id).map { (id, $0) } }
            guard !whole.contains(index) else {
                covered.formUnion(fields.map { form.fields[$0.1].fullName })
                continue
            }
            let above = listed.intersection(changes.annotations)
            try budget.spend(Self.costOfAnnotation * (above.count + fields.count))
            let boxes = try fields.compactMap { id, field in
                try box(of: id, on: page).map { (field, $0) }
            }
            for id in above {
                guard let box = try box(of: id, on: page) else { continue }
                try budget.spend(boxes.count)
                let own = places.field(of: id)
                for (field, other) in boxes where field != own && Self.overlap(box, other) {
                    covered.insert(form.fields[field].fullName)
                }
            }
        }
        return covered
    }

    private func annotations(of page: PDFPage) throws -> Set<ObjectID> {
        let entries = try document.value(page.dictionary, "Annots").arrayValue ?? []
        try budget.spend(entries.count)
        return Set(entries.compactMap(\.referenceValue))
    }

    private func box(of id: ObjectID, on page: PDFPage) throws -> PDFRectangle? {
        guard let annotation = try document.object(id).dictionaryValue else { return nil }
        return try AnnotationExtent(of: annotation, on: page, in: document)?.box
    }

    private static func overlap(_ one: PDFRectangle, _ other: PDFRectangle) -> Bool {
        one.intersection(other).map { $0.width > slack && $0.height > slack } ?? false
    }
}
