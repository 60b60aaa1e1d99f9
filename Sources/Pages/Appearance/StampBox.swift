package import Base
package import PDFCore

/// The position of a stamp as given by the user. It is measured on the page as a viewer shows it,
/// after /Rotate, within the crop box (ISO 32000-2 §14.11.2).
package enum StampPosition: Equatable, Sendable {
    /// One of nine positions, `margin` points away from the page's edges.
    case named(StampPlace, margin: Double)
    /// The stamp's top left corner, in points from the page's top left corner.
    case topLeft(x: Double, y: Double)
    /// A rectangle in raw user space: x1, y1, x2, y2.
    case userSpace(Double, Double, Double, Double)
}

extension StampPlace {
    /// Share of the free width to the left of the stamp.
    fileprivate var horizontalShare: Double {
        switch self {
        case .topLeft, .left, .bottomLeft: 0
        case .top, .center, .bottom: 0.5
        case .topRight, .right, .bottomRight: 1
        }
    }

    /// Share of the free height above the stamp.
    fileprivate var verticalShare: Double {
        switch self {
        case .topLeft, .top, .topRight: 0
        case .left, .center, .right: 0.5
        case .bottomLeft, .bottom, .bottomRight: 1
        }
    }
}

package struct StampBox: Equatable, Sendable {
    /// The annotation's /Rect in user space: lower left x, y, upper right x, y.
    package let rect: [Double]
    /// Width and height of the upright appearance, in user space units.
    package let width: Double
    package let height: Double
    /// /Matrix of the appearance, which makes it upright on a rotated page; `nil` for identity.
    package let matrix: [Int]?
    /// Points per unit of user space (the page's UserUnit). Text sizes are divided by it.
    package let pointsPerUnit: Double

    /// Places a stamp of `width` × `height` points on `page`.
    ///
    /// - Throws: `boxOffPage` with both sizes if the box extends beyond the visible page,
    ///   `pageDisputed` if viewers may show the page differently.
    package init(
        position: StampPosition, width: Double, height: Double, on page: PDFPage
    ) throws(AppearanceError) {
        let crop = page.cropBox
        // Viewers calculate with limited precision, so distant or tiny boxes would collapse.
        let edges = [crop.left, crop.bottom, crop.right, crop.top]
        guard edges.allSatisfy({ $0.magnitude <= Self.largestCoordinate }) else {
            throw AppearanceError(
                .badSize, "the page \(Self.list(edges)) is too large for a visible signature")
        }

        if case .userSpace(let x1, let y1, let x2, let y2) = position {
            let rect = [min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)]
            try Self.requireInside(rect, crop: crop)
            try self.init(fieldRect: rect, on: page)
            return
        }
        guard page.doubts.isEmpty else {
            throw AppearanceError(
                .pageDisputed,
                "viewers display the page differently (\(page.doubts.joined(separator: "; "))): "
                    + "the visible signature would be displayed at different positions")
        }
        try Self.checkSize(width, height: height)
        let unit = page.userUnit
        let (w, h) = (width / unit, height / unit)
        let smallest = unit == 1 ? Self.smallestSide : Self.smallestSideInLargeUnits
        guard min(w, h) >= smallest, max(w, h) <= Self.largestCoordinate else {
            throw AppearanceError(
                .stampCollapses,
                "the UserUnit of the page is \(unit) pt: the visible signature would collapse to "
                    + "\(Self.text(w)) x \(Self.text(h)) units")
        }
        let place = ShownPlace(position, w, h, on: page)
        try place.requireOnPage()
        self.init(rect: place.userSpaceRect, shownWidth: w, shownHeight: h, page)
    }

    /// - Throws: `boxOffPage` if a rectangle extends beyond the visible page, `badSize` if it is
    ///   too small.
    private static func requireInside(
        _ rect: [Double], crop: PDFRectangle
    ) throws(AppearanceError) {
        guard
            rect[0] >= crop.left - slack, rect[1] >= crop.bottom - slack,
            rect[2] <= crop.right + slack, rect[3] <= crop.top + slack
        else {
            throw AppearanceError(
                .boxOffPage,
                "the rectangle \(list(rect)) is partly outside the visible page "
                    + list([crop.left, crop.bottom, crop.right, crop.top]))
        }
        guard min(rect[2] - rect[0], rect[3] - rect[1]) >= smallestSide else {
            throw AppearanceError(
                .badSize, "the rectangle \(list(rect)) is too small for a visible signature")
        }
    }

    /// A stamp's box on the page as a viewer shows it, from its top left corner, in user space
    /// units.
    private struct ShownPlace {
        let page: PDFPage
        let left: Double
        let top: Double
        let width: Double
        let height: Double
        let pageWidth: Double
        let pageHeight: Double

        init(_ position: StampPosition, _ width: Double, _ height: Double, on page: PDFPage) {
            let (crop, unit) = (page.cropBox, page.userUnit)
            let isSideways = page.rotate == 90 || page.rotate == 270
            let pageWidth = isSideways ? crop.height : crop.width
            let pageHeight = isSideways ? crop.width : crop.height
            switch position {
            case .named(let place, let margin):
                let edge = margin / unit
                left = edge + (pageWidth - width - 2 * edge) * place.horizontalShare
                top = edge + (pageHeight - height - 2 * edge) * place.verticalShare
            case .topLeft(let x, let y): (left, top) = (x / unit, y / unit)
            case .userSpace: (left, top) = (0, 0)
            }
            (self.page, self.width, self.height) = (page, width, height)
            (self.pageWidth, self.pageHeight) = (pageWidth, pageHeight)
        }

        func requireOnPage() throws(AppearanceError) {
            guard min(left, top) >= -StampBox.slack, left + width <= pageWidth + StampBox.slack,
                top + height <= pageHeight + StampBox.slack
            else {
                func mm(_ length: Double) -> String {
                    StampBox.text((length * page.userUnit * 254 / 72).rounded() / 10)
                }
                throw AppearanceError(
                    .boxOffPage,
                    "the visible signature does not fit on the page (\(mm(pageWidth)) x "
                        + "\(mm(pageHeight)) mm): its corners would be \(mm(left)),\(mm(top)) "
                        + "and \(mm(left + width)),\(mm(top + height)) mm")
            }
        }

        /// The box converted from the displayed page (origin at the lower left corner) to user
        /// space.
        var userSpaceRect: [Double] {
            let crop = page.cropBox
            let right = left + width
            let upper = pageHeight - top
            let lower = upper - height
            let turned: [Double] =
                switch page.rotate {
                case 90: [crop.width - upper, left, crop.width - lower, right]
                case 180:
                    [
                        crop.width - right, crop.height - upper, crop.width - left,
                        crop.height - lower,
                    ]
                case 270: [lower, crop.height - right, upper, crop.height - left]
                default: [left, lower, right, upper]
                }
            return [
                turned[0] + crop.left, turned[1] + crop.bottom, turned[2] + crop.left,
                turned[3] + crop.bottom,
            ]
        }
    }

    private init(rect: [Double], shownWidth: Double, shownHeight: Double, _ page: PDFPage) {
        self.rect = rect
        width = shownWidth
        height = shownHeight
        matrix = Self.uprightMatrix(page.rotate)
        pointsPerUnit = page.userUnit
    }

    /// The box of an existing field. Its /Rect may be anywhere.
    package init(fieldRect corners: [Double], on page: PDFPage) throws(AppearanceError) {
        guard corners.count == 4 else {
            throw AppearanceError(.badSize, "the field's rectangle has \(corners.count) numbers")
        }
        let rect = [
            min(corners[0], corners[2]), min(corners[1], corners[3]),
            max(corners[0], corners[2]), max(corners[1], corners[3]),
        ]
        let (w, h) = (rect[2] - rect[0], rect[3] - rect[1])
        try Self.checkSize(w, height: h)
        let isSideways = page.rotate == 90 || page.rotate == 270
        self.init(rect: rect, shownWidth: isSideways ? h : w, shownHeight: isSideways ? w : h, page)
    }

    /// Rounding tolerance in user space units, so that a stamp may touch the edge of the page.
    private static let slack = 0.01
    /// Minimum side length, in user space units, that every viewer shows.
    package static let smallestSide = 1.0
    /// Minimum side length of a stamp if units are not points. Viewers that ignore UserUnit show
    /// one unit as a point.
    private static let smallestSideInLargeUnits = 4.0
    /// Maximum distance from the origin at which viewers with 24-bit numbers still distinguish
    /// units.
    private static let largestCoordinate = 1e6
    /// Maximum page side of ISO 32000-1 Annex C, in points.
    private static let largestSide = 14_400.0

    private static func checkSize(_ width: Double, height: Double) throws(AppearanceError) {
        guard width > 0, height > 0, width <= largestSide, height <= largestSide else {
            throw AppearanceError(
                .badSize,
                "a visible signature of \(text(width)) x \(text(height)) pt cannot be drawn")
        }
    }

    /// The appearance's bounding box is fitted to /Rect (ISO 32000-2 §12.5.5), so a rotation
    /// suffices.
    private static func uprightMatrix(_ rotate: Int) -> [Int]? {
        switch rotate {
        case 90: [0, 1, -1, 0, 0, 0]
        case 180: [-1, 0, 0, -1, 0, 0]
        case 270: [0, -1, 1, 0, 0, 0]
        default: nil
        }
    }

    private static func list(_ values: [Double]) -> String {
        "[" + values.map(text).joined(separator: " ") + "]"
    }

    private static func text(_ value: Double) -> String {
        String(decoding: PDFReal((value * 100).rounded() / 100).text, as: UTF8.self)
    }
}
