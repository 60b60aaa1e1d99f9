import PDFCore

/// How the pages are turned that annotations are on, which is found out when it is asked.
final class PageTurns {
    /// Whether all pages were looked at, where any had to be.
    private(set) var isComplete = true

    private let document: PDFDocument
    /// Most pages, and most annotations on those that are turned, that are looked at.
    private let limit: Int
    /// Of annotations on pages that are turned.
    private lazy var quarters = turned()

    init(of document: PDFDocument, _ effort: DynamicContent.Effort) {
        self.document = document
        limit = effort.objectCount(of: document)
    }

    /// By how many quarters people see the annotation's page turned, clockwise; nil when it is not known.
    func quarters(of annotation: ObjectID) -> Int? {
        quarters[annotation] ?? (isComplete ? 0 : nil)
    }

    private func turned() -> [ObjectID: Int] {
        // To find them one by one would cost the square of the tree.
        _ = try? document.firstDisputedPageIndex()
        var found: [ObjectID: Int] = [:]
        var remaining = limit
        for index in 0..<((try? document.pageCount()) ?? 0) {
            guard remaining > 0 else {
                isComplete = false
                break
            }
            remaining -= 1
            guard let page = try? document.page(at: index), page.rotate != 0,
                let annotations = try? document.value(page.dictionary, "Annots").arrayValue
            else { continue }
            for case let id? in annotations.prefix(max(0, remaining)).map(\.referenceValue) {
                found[id] = page.rotate / 90
            }
            // Pages may share one list.
            remaining -= annotations.count
        }
        return found
    }
}
