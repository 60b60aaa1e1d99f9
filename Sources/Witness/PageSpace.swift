package import SystemBridge

/// Blank areas of a page, found in a picture of it. Boxes are fractions of the page's width and
/// height from its upper left corner: viewers differ in the size of pages with a /UserUnit.
package struct PageSpace: Sendable {
    private let width: Int
    private let height: Int
    /// Number of nonblank pixels above and to the left of each corner, after ``settle()``; before
    /// it, whether a pixel is nonblank.
    private var counts: [Int]

    /// Pixels per inch.
    private static let resolution = 72
    /// Minimum difference of a nonblank pixel from the paper: more than the noise of a scan.
    private static let contrast = 24
    /// Maximum share of dark pixels in a blank box: specks of a scan.
    private static let speckShare = 1.0 / 2000

    /// Draws a page with an installed viewer.
    ///
    /// - Parameter page: the number of the page, from 1.
    package init(of page: Int, in file: InputFile) throws(WitnessError) {
        let picture = try Viewer.drawer().pictures(
            of: page...page, in: file, resolution: Self.resolution, hidesAnnotations: true)[0]
        self.init(picture)
    }

    init(_ picture: Picture) {
        (width, height) = (picture.width, picture.height)
        let lightness = picture.lightness
        var histogram = [Int](repeating: 0, count: 256)
        for value in lightness { histogram[Int(value)] += 1 }
        let paper = histogram.indices.max { histogram[$0] < histogram[$1] } ?? 255
        counts = [Int](repeating: 0, count: (width + 1) * (height + 1))
        for (index, value) in lightness.enumerated() where abs(Int(value) - paper) > Self.contrast {
            counts[(index / width + 1) * (width + 1) + index % width + 1] = 1
        }
        settle()
    }

    private mutating func settle() {
        for row in 1...height {
            for column in 1...width {
                let index = row * (width + 1) + column
                counts[index] +=
                    counts[index - 1] + counts[index - width - 1] - counts[index - width - 2]
            }
        }
    }

    /// Whether a box is blank; areas outside the page are blank.
    package func isBlank(left: Double, top: Double, right: Double, bottom: Double) -> Bool {
        let (columns, rows) = (
            Picture.pixels(left, right, of: width), Picture.pixels(top, bottom, of: height)
        )
        guard !columns.isEmpty, !rows.isEmpty else { return true }
        let (x1, x2, y1, y2) = (
            columns.lowerBound, columns.upperBound, rows.lowerBound, rows.upperBound
        )
        func count(_ x: Int, _ y: Int) -> Int { counts[y * (width + 1) + x] }
        let dark = count(x2, y2) - count(x1, y2) - count(x2, y1) + count(x1, y1)
        return Double(dark) <= Double((x2 - x1) * (y2 - y1)) * Self.speckShare
    }
}
