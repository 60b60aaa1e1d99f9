import PDFCore
import Pages

/// The next free place of a page: beside the newest signature's, in its row, then in the rows next to
/// it; else the first one from the lower right corner leftwards and upwards.
struct FreePlace {
    private let page: PDFPage
    private let shown: ShownPage
    private let width: Double
    private let height: Double
    private let margin: Double
    /// Of the page as shown, in points, like all lengths here.
    private let size: (width: Double, height: Double)
    /// Between what is there and what comes, and between places that are tried.
    private let gap: Double

    /// For what rounding does to places along the margin.
    private static let slack = 0.01
    /// 3 mm, more on large pages.
    private static let (smallestGap, gapShare) = (3 * StampOptions.pointsPerMillimetre, 1.0 / 250)

    /// - Parameters:
    ///   - stamp: what is to be placed; its margin is kept from the page's edges.
    ///   - taken: boxes in user space that will not be free.
    init(for stamp: StampOptions, on shown: ShownPage, besides taken: [[Double]]) {
        self.shown = shown
        page = shown.page
        (width, height, margin) = (stamp.width, stamp.height, stamp.margin)
        size = page.shownSize
        gap = max(Self.smallestGap, max(size.width, size.height) * Self.gapShare)
        for box in taken { shown.take(page.shown(PDFRectangle(box[0], box[1], box[2], box[3]))) }
    }

    /// Nil when no place is free.
    func box() -> StampBox? {
        if let newest = shown.signatures.last, let box = box(near: newest) { return box }
        var top = size.height - margin - height
        while top >= margin - Self.slack {
            var left = size.width - margin - width
            while left >= margin - Self.slack {
                if let box = free(left, top) { return box }
                left -= gap
            }
            top -= gap
        }
        return nil
    }

    private func box(near newest: ShownBox) -> StampBox? {
        let row = newest.bottom - height
        let pitch = height + gap
        if let box = box(inRow: row, rightFrom: newest.right + gap, leftFrom: newest.left - gap) {
            return box
        }
        for top in [row - pitch, row + pitch] {
            if let box = box(
                inRow: top, rightFrom: newest.left, leftFrom: newest.left + width - gap)
            {
                return box
            }
        }
        return nil
    }

    /// The nearest one of a row.
    ///
    /// - Parameters:
    ///   - right: where what lies to the right may begin.
    ///   - left: where what lies to the left may end.
    private func box(
        inRow top: Double, rightFrom right: Double, leftFrom left: Double
    ) -> StampBox? {
        var distance = 0.0
        while distance <= size.width {
            for x in [right + distance, left - width - distance]
            where x >= margin - Self.slack && x + width <= size.width - margin + Self.slack {
                if let box = free(x, top) { return box }
            }
            distance += gap
        }
        return nil
    }

    private func free(_ left: Double, _ top: Double) -> StampBox? {
        let distance = gap / 3
        let place = ShownBox(
            left: left - distance, top: top - distance, right: left + width + distance,
            bottom: top + height + distance)
        guard shown.isFree(place) else { return nil }
        return try? StampBox(
            position: .topLeft(x: left, y: top), width: width, height: height, on: page)
    }
}

/// A box on a page as a viewer shows it: in points from its top left corner.
struct ShownBox: Equatable {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
}

extension PDFPage {
    private var isSideways: Bool { rotate == 90 || rotate == 270 }

    /// Of what a viewer shows, in points.
    var shownSize: (width: Double, height: Double) {
        let (width, height) = (cropBox.width * userUnit, cropBox.height * userUnit)
        return isSideways ? (height, width) : (width, height)
    }

    /// Where a viewer shows a box of user space.
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
