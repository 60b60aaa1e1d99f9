package import Base

/// The position and size of a photo on its page. Lengths are in points.
package struct PageLayout: Equatable, Sendable {
    package struct Size: Equatable, Sendable {
        package var width: Double
        package var height: Double

        package init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }
    }

    /// The page size; `nil` for the photo's own size.
    package var pageSize: Size?
    package var fit = PhotoFit.contain
    package var margin = 0.0
    package var orientation = PhotoOrientation.auto
    /// Pixels per inch; replaces the photo's own resolution.
    package var dotsPerInch: Double?

    package init() {}

    /// Limits of page sides in points (ISO 32000-1 Annex C.2).
    private static let sideLimits = 3.0...14_400.0
    /// Resolution of photos that state none: one point per pixel.
    private static let defaultDotsPerInch = 72.0

    /// A page and the position of its photo.
    package struct Placement: Equatable, Sendable {
        package var page: Size
        /// Points per unit (ISO 32000-2 §8.3.2.3).
        package var userUnit: Int
        /// Maps the unit square to the area of the photo, rotated and mirrored to be upright.
        package var matrix: [Double]
        /// x, y, width and height of the area to which the photo is clipped; `nil` if it needs no
        /// clipping.
        package var clip: [Double]?

        /// The size of the page, and that of the whole upright photo on it, in points.
        package var sizes: (page: Size, photo: Size) {
            let unit = Double(userUnit)
            return (
                Size(width: page.width * unit, height: page.height * unit),
                Size(
                    width: (abs(matrix[0]) + abs(matrix[2])) * unit,
                    height: (abs(matrix[1]) + abs(matrix[3])) * unit)
            )
        }
    }

    package func place(
        width: Int, height: Int, density: (x: Double, y: Double)?, orientation turn: Int
    ) -> Placement? {
        let density =
            dotsPerInch.map { ($0, $0) } ?? density
            ?? (Self.defaultDotsPerInch, Self.defaultDotsPerInch)
        var natural = Size(
            width: Double(width) * 72 / density.0, height: Double(height) * 72 / density.1)
        if turn >= 5 { swap(&natural.width, &natural.height) }
        var page =
            pageSize
            ?? Size(width: natural.width + 2 * margin, height: natural.height + 2 * margin)
        let wantsLandscape =
            switch orientation {
            // A page of the photo's own size has the photo's orientation.
            case .auto: natural.width > natural.height
            case .portrait: false
            case .landscape: true
            }
        if page.width > page.height ? !wantsLandscape : wantsLandscape && page.width < page.height {
            swap(&page.width, &page.height)
        }
        let room = Size(width: page.width - 2 * margin, height: page.height - 2 * margin)
        guard room.width > 0, room.height > 0 else { return nil }
        let scales = (room.width / natural.width, room.height / natural.height)
        let isOwnPage = pageSize == nil && orientation == .auto
        let scale =
            switch fit {
            case .contain: isOwnPage ? 1 : min(scales.0, scales.1)
            case .cover: isOwnPage ? 1 : max(scales.0, scales.1)
            case .none: 1.0
            }
        let shown = Size(width: natural.width * scale, height: natural.height * scale)
        page.width = max(page.width, Self.sideLimits.lowerBound)
        page.height = max(page.height, Self.sideLimits.lowerBound)
        let userUnit = max(
            1,
            Int(nearest: (max(page.width, page.height) / Self.sideLimits.upperBound).rounded(.up)))
        let unit = Double(userUnit)
        let slack = 1e-6
        let isCut = shown.width > room.width + slack || shown.height > room.height + slack
        return Placement(
            page: Size(width: page.width / unit, height: page.height / unit), userUnit: userUnit,
            matrix: Self.matrix(
                turn, x: (page.width - shown.width) / 2 / unit,
                y: (page.height - shown.height) / 2 / unit, width: shown.width / unit,
                height: shown.height / unit),
            clip: isCut
                ? [margin / unit, margin / unit, room.width / unit, room.height / unit] : nil)
    }

    /// The matrix that draws a stored image upright in a box (CIPA DC-008 §4.6.4, Orientation).
    package static func matrix(
        _ turn: Int, x: Double, y: Double, width w: Double, height h: Double
    ) -> [Double] {
        switch turn {
        case 2: [-w, 0, 0, h, x + w, y]
        case 3: [-w, 0, 0, -h, x + w, y + h]
        case 4: [w, 0, 0, -h, x, y + h]
        case 5: [0, -h, -w, 0, x + w, y + h]
        case 6: [0, -h, w, 0, x, y + h]
        case 7: [0, h, w, 0, x, y]
        case 8: [0, h, -w, 0, x + w, y]
        default: [w, 0, 0, h, x, y]
        }
    }
}
