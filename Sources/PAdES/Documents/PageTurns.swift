import PDFCore

/// How the pages are turned that annotations are on, which is found out when it is asked.
final class PageTurns {
    private let document: PDFDocument
    /// Of annotations on pages that are turned.
    private lazy var quarters = turned()

    /// Most pages that are asked.
    private static let pageLimit = 100_000

    init(of document: PDFDocument) { self.document = document }

    /// By how many quarters people see the annotation's page turned, clockwise.
    func quarters(of annotation: ObjectID) -> Int { quarters[annotation] ?? 0 }

    private func turned() -> [ObjectID: Int] {
        var found: [ObjectID: Int] = [:]
        let pageCount = (try? document.pageCount()) ?? 0
        for index in 0..<min(pageCount, Self.pageLimit) {
            guard let page = try? document.page(at: index), page.rotate != 0,
                let annotations = try? document.value(page.dictionary, "Annots").arrayValue
            else { continue }
            for case let id? in annotations.map(\.referenceValue) { found[id] = page.rotate / 90 }
        }
        return found
    }
}
