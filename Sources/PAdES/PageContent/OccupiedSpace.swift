package import PDFCore

/// Which parts of a page show something already: text, pictures, drawings, annotations.
package struct OccupiedSpace {
    /// Where signatures show or may be put, in the order of the page's annotations.
    package let signatures: [PDFRectangle]
    /// Whether all that the page shows could be read.
    package let isReadable: Bool
    /// Whether a picture fills the page, of which nobody knows what it shows where.
    package let liesOnPicture: Bool
    private let map: SpaceMap

    /// Most annotations that are looked at.
    private static let annotationLimit = 20_000

    /// - Parameter taken: further boxes in user space that are not free.
    package init(
        of page: PDFPage, in document: PDFDocument, besides taken: [[Double]] = []
    ) throws {
        let map = SpaceMap(page.cropBox)
        var content = CoveredContent(in: page.cropBox, of: document, space: map)
        content.seesOutlines = true
        content.look(at: page)
        var signatures: [PDFRectangle] = []
        let annotations = try document.value(page.dictionary, "Annots").arrayValue ?? []
        for entry in annotations.prefix(Self.annotationLimit) {
            guard
                let (subtype, annotation, extent) = try CoveredContent.shownAnnotation(
                    entry, on: page, besides: [], in: document)
            else { continue }
            map.take(extent.box)
            if subtype == "Widget", extent.box.width > 0, extent.box.height > 0,
                try document.inherited("FT", of: annotation)?.nameValue == "Sig"
            {
                signatures.append(extent.box)
            }
        }
        for box in taken {
            let rect = PDFRectangle(box[0], box[1], box[2], box[3])
            map.take(rect)
            signatures.append(rect)
        }
        map.settle()
        self.map = map
        self.signatures = signatures
        isReadable = content.isReadable && annotations.count <= Self.annotationLimit
        liesOnPicture = content.hasPicture && map.hasGround
    }

    /// Whether nothing shows in a box, or nearer to it than `distance`, in user space units.
    package func isFree(_ rect: [Double], distance: Double) -> Bool {
        map.isFree(
            PDFRectangle(
                rect[0] - distance, rect[1] - distance, rect[2] + distance, rect[3] + distance))
    }
}

/// A page divided into cells, and how often each was drawn on. To take a box costs the same whatever
/// its size, as does to ask for one.
final class SpaceMap {
    /// Whether something was drawn that spans the page, which is ground and takes no place.
    private(set) var hasGround = false
    private let page: PDFRectangle
    private let columns: Int
    private let rows: Int
    /// First where boxes begin and end; once settled, how often the cells from the first one to
    /// this were taken.
    private var counts: [Int]

    /// Cells of half a millimetre, but no more than these across.
    private static let cellSize = 1.4
    private static let cellLimit = 1024.0
    /// The part of the page's width and height that a ground spans.
    private static let groundShare = 0.6

    init(_ page: PDFRectangle) {
        self.page = page
        func count(_ length: Double) -> Int {
            Int(min(Self.cellLimit, max(1, length / Self.cellSize)).rounded(.up))
        }
        (columns, rows) = (count(page.width), count(page.height))
        counts = [Int](repeating: 0, count: (columns + 1) * (rows + 1))
    }

    /// The cells that a box touches; nil where it is off the page.
    private func cells(_ box: PDFRectangle) -> (columns: Range<Int>, rows: Range<Int>)? {
        guard box.right > page.left, box.left < page.right, box.top > page.bottom,
            box.bottom < page.top
        else { return nil }
        func range(
            _ low: Double, _ high: Double, _ start: Double, _ length: Double, _ count: Int
        ) -> Range<Int> {
            let scale = Double(count) / length
            func index(_ value: Double) -> Int {
                Int(max(0, min(Double(count - 1), (value - start) * scale)))
            }
            return index(low)..<(index(high) + 1)
        }
        return (
            range(box.left, box.right, page.left, page.width, columns),
            range(box.bottom, box.top, page.bottom, page.height, rows)
        )
    }

    private func index(_ column: Int, _ row: Int) -> Int { row * (columns + 1) + column }

    /// Whether something spans the page.
    func isGround(_ box: PDFRectangle) -> Bool {
        box.width >= Self.groundShare * page.width && box.height >= Self.groundShare * page.height
    }

    func take(_ box: PDFRectangle) {
        guard !isGround(box) else {
            hasGround = true
            return
        }
        guard let (columns, rows) = cells(box) else { return }
        counts[index(columns.lowerBound, rows.lowerBound)] += 1
        counts[index(columns.upperBound, rows.lowerBound)] -= 1
        counts[index(columns.lowerBound, rows.upperBound)] -= 1
        counts[index(columns.upperBound, rows.upperBound)] += 1
    }

    /// Nothing more is taken.
    func settle() {
        // Twice: from changes to counts, from counts to sums.
        for _ in 0..<2 {
            for row in 0...rows {
                for column in 1...columns {
                    counts[index(column, row)] += counts[index(column - 1, row)]
                }
            }
            for row in 1...rows {
                for column in 0...columns {
                    counts[index(column, row)] += counts[index(column, row - 1)]
                }
            }
        }
    }

    func isFree(_ box: PDFRectangle) -> Bool {
        guard let (columns, rows) = cells(box) else { return true }
        func sum(_ column: Int, _ row: Int) -> Int {
            column > 0 && row > 0 ? counts[index(column - 1, row - 1)] : 0
        }
        return sum(columns.upperBound, rows.upperBound) - sum(columns.lowerBound, rows.upperBound)
            - sum(columns.upperBound, rows.lowerBound) + sum(columns.lowerBound, rows.lowerBound)
            == 0
    }
}
