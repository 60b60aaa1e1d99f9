import PDFCore
import Pages

/// The next free area of a page: next to the last of its signatures, in the same row, then in the rows above and
/// below; otherwise the first one from the lower right corner leftwards and upwards.
struct FreePlace {
    private let page: PDFPage
    private let shown: ShownPage
    private let width: Double
    private let height: Double
    private let margin: Double
    /// Size of the displayed page. All lengths here are in points.
    private let size: (width: Double, height: Double)
    /// Distance to the next signature, and step between tested positions. A third of it is the
    /// distance to other content.
    private let gap: Double

    /// Tolerance for rounding at the margin.
    private static let slack = 0.01
    /// Minimum gap (3 mm), and the gap as a share of the longer page side.
    private static let (smallestGap, gapShare) = (3 * StampOptions.pointsPerMillimetre, 1.0 / 250)

    /// - Parameters:
    ///   - stamp: the appearance to place; its margin applies to the page's edges.
    ///   - taken: boxes in user space that are not free.
    init(for stamp: StampOptions, on shown: ShownPage, besides taken: [[Double]]) {
        self.shown = shown
        page = shown.page
        (width, height, margin) = (stamp.width, stamp.height, stamp.margin)
        size = page.shownSize
        gap = max(Self.smallestGap, max(size.width, size.height) * Self.gapShare)
        for box in taken { shown.take(page.shown(PDFRectangle(box[0], box[1], box[2], box[3]))) }
    }

    /// Searches for a free area; nil if there is none.
    func box() -> StampBox? {
        if let newest = shown.signatures.last, let box = box(near: newest) { return box }
        var top = size.height - margin - height
        while top >= margin - Self.slack {
            var left = size.width - margin - width
            while left >= margin - Self.slack {
                if let box = free(left: left, top: top) { return box }
                left -= gap
            }
            top -= gap
        }
        return nil
    }

    private func box(near newest: ShownBox) -> StampBox? {
        let row = newest.bottom - height
        if let box = box(
            inRow: row, rightwardsFrom: newest.right + gap, leftwardsFrom: newest.left - gap - width
        ) {
            return box
        }
        let pitch = height + gap
        for top in [row - pitch, row + pitch] {
            if let box = box(
                inRow: top, rightwardsFrom: newest.left, leftwardsFrom: newest.left - gap)
            {
                return box
            }
        }
        return nil
    }

    /// The nearest free area in a row inside the margins.
    ///
    /// - Parameters:
    ///   - top: upper edge of the area.
    ///   - right: first left edge to test, then others to the right of it.
    ///   - left: first left edge to test, then others to the left of it.
    private func box(
        inRow top: Double, rightwardsFrom right: Double, leftwardsFrom left: Double
    ) -> StampBox? {
        guard top >= margin - Self.slack, top + height <= size.height - margin + Self.slack
        else { return nil }
        var distance = 0.0
        while distance <= size.width {
            for x in [right + distance, left - distance]
            where x >= margin - Self.slack && x + width <= size.width - margin + Self.slack {
                if let box = free(left: x, top: top) { return box }
            }
            distance += gap
        }
        return nil
    }

    /// The area at a position if it is free, with a distance to other content.
    private func free(left: Double, top: Double) -> StampBox? {
        let distance = gap / 3
        let place = ShownBox(
            left: left - distance, top: top - distance, right: left + width + distance,
            bottom: top + height + distance)
        guard shown.isFree(place) else { return nil }
        return try? StampBox(
            position: .topLeft(x: left, y: top), width: width, height: height, on: page)
    }
}

/// A box on a displayed page: in points from its top left corner.
struct ShownBox: Equatable {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
}

extension PDFPage {
    private var isSideways: Bool { rotate == 90 || rotate == 270 }

    /// Size of the displayed page, in points.
    var shownSize: (width: Double, height: Double) {
        let (width, height) = (cropBox.width * userUnit, cropBox.height * userUnit)
        return isSideways ? (height, width) : (width, height)
    }

    /// The displayed position of a box in user space.
    func shown(_ box: PDFRectangle) -> ShownBox {
        let (left, right) = (box.left - cropBox.left, box.right - cropBox.left)
        let (above, below) = (cropBox.top - box.top, cropBox.top - box.bottom)
        let (width, height) = (cropBox.width, cropBox.height)
        let sides =
            switch rotate {
            case 90: [height - below, left, height - above, right]
            case 180: [width - right, height - below, width - left, height - above]
            case 270: [above, width - right, below, width - left]
            default: [left, above, right, below]
            }
        return ShownBox(
            left: sides[0] * userUnit, top: sides[1] * userUnit, right: sides[2] * userUnit,
            bottom: sides[3] * userUnit)
    }
}
