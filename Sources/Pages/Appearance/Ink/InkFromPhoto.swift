import Base
import CodecBridge

/// Extracts the ink from a photo of a signature on paper.
///
/// The paper's brightness is estimated locally, which removes shadows. Pixels darker than the paper
/// by more than its grain are ink; darker ink is more opaque. Specks and shapes that reach the edge
/// of the photo are removed.
struct InkFromPhoto {
    let color: StampColor
    let width: Int
    let height: Int
    /// One byte per pixel; 255 is full ink.
    let alpha: [UInt8]
    /// Whether shadows may have hidden strokes or may appear as ink.
    let isDoubtful: Bool

    /// Approximate length of the longer side, in pixels, to which a photo is reduced first.
    static let workingSide = 1600
    /// Maximum length of the longer side of the result, in pixels; enough for 600 dpi at 40 mm.
    private static let resultSide = 1000
    /// Side length, in pixels, of the squares in which the paper's brightness is estimated.
    private static let tileSide = 32
    /// Share of a square's pixels that are darker than its paper level.
    private static let paperShare = 0.8
    /// Minimum darkness of ink, from 0 to 1.
    private static let leastThreshold = 0.10
    /// Share of the ink that is too light to determine its color.
    private static let colorShare = 0.65
    /// Maximum share of the photo that ink may cover.
    private static let largestInkShare = 0.35
    /// Minimum share of the result that handwriting covers.
    private static let leastCover = 0.008
    /// Minimum share of a square that a smudge covers, however faint. The squares are wider than
    /// strokes: this share of the longer side, but at least this side length in pixels.
    private static let smudgeCover = 0.9
    private static let (smudgeShare, leastSmudgeSide) = (1.0 / 24, 16)
    /// Minimum opacity of a visible pixel.
    private static let leastVisible: UInt8 = 26
    /// Maximum ratio of the ink removed at the photo's edge to the remaining ink.
    private static let largestEdgeRatio = 2

    /// - Throws: `noInk` if no handwriting is found.
    init(_ photo: PixelImage) throws(AppearanceError) {
        let longest = max(photo.width, photo.height)
        let photo = photo.onWhite.shrunk(
            by: max(1, (longest + Self.workingSide / 2) / Self.workingSide))
        let nothing = AppearanceError(
            .noInk, "no handwriting was found: the photo must show dark ink on plain light paper")
        guard photo.width >= 16, photo.height >= 16 else { throw nothing }
        let paper = PaperEstimate(photo, tileSide: Self.tileSide, share: Self.paperShare)
        let darkness = paper.darkness(of: photo)
        guard let threshold = Self.threshold(darkness) else { throw nothing }
        var mask = InkMask(darkness, width: photo.width, height: photo.height, threshold: threshold)
        mask.removeSpecks()
        guard let box = mask.bounds,
            Double(mask.count) < Self.largestInkShare * Double(photo.width * photo.height)
        else { throw nothing }

        // The darker pixels are fully opaque, lighter ones are more transparent.
        let full = max(mask.darkness(at: 0.55, of: darkness), threshold * 1.3)
        let soft = threshold * 0.55
        let alpha = darkness.indices.map { index in
            mask.isNear(index)
                ? min(1, max(0, (Double(darkness[index]) - soft) / (full - soft))) : 0
        }
        color = paper.inkColor(of: photo, at: mask.pixels(darkerThan: Self.colorShare, darkness))
        let factor = max(1, (max(box.width, box.height) + Self.resultSide - 1) / Self.resultSide)
        (width, height, self.alpha) = Self.cropped(
            alpha, photoWidth: photo.width, to: box, factor: factor)
        isDoubtful =
            mask.edgeCount > Self.largestEdgeRatio * mask.count
            || Self.isDoubtful(self.alpha, width: width, height: height)
    }

    /// Whether the result is almost empty, or contains an area larger than a stroke.
    private static func isDoubtful(_ alpha: [UInt8], width: Int, height: Int) -> Bool {
        // Numbers of visible pixels above and to the left.
        var sums = [Int](repeating: 0, count: (width + 1) * (height + 1))
        for y in 0..<height {
            var row = 0
            for x in 0..<width {
                row += alpha[y * width + x] >= leastVisible ? 1 : 0
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
            }
        }
        guard Double(sums.last ?? 0) >= leastCover * Double(width * height) else { return true }
        let side = max(leastSmudgeSide, Int(Double(max(width, height)) * smudgeShare))
        guard width >= side, height >= side else { return false }
        let most = Int(smudgeCover * Double(side * side))
        for y in side...height {
            for x in side...width {
                let (row, above) = (y * (width + 1), (y - side) * (width + 1))
                let sum = sums[row + x] - sums[row + x - side] - sums[above + x]
                if sum + sums[above + x - side] > most { return true }
            }
        }
        return false
    }

    /// The darkness that best separates ink from paper (Otsu's method); `nil` if there is no ink.
    private static func threshold(_ darkness: [Float]) -> Double? {
        var histogram = [Int](repeating: 0, count: 256)
        for value in darkness { histogram[Int(min(max(value, 0), 1) * 255)] += 1 }
        let total = Double(darkness.count)
        let sum = histogram.enumerated().reduce(0.0) { $0 + Double($1.offset * $1.element) }
        var (below, sumBelow, best, level) = (0.0, 0.0, 0.0, 0)
        for value in 0..<255 {
            below += Double(histogram[value])
            sumBelow += Double(value * histogram[value])
            guard below > 0, below < total else { continue }
            let difference = sumBelow / below - (sum - sumBelow) / (total - below)
            let spread = below * (total - below) * difference * difference
            if spread > best { (best, level) = (spread, value) }
        }
        guard best > 0 else { return nil }
        // Darkness up to 1.5 times that of 85 % of the pixels is grain of the paper.
        var (count, grain) = (0.0, 0)
        while grain < 255, count < total * 0.85 {
            count += Double(histogram[grain])
            grain += 1
        }
        return max(leastThreshold, Double(level) / 255 * 0.8, Double(grain) / 255 * 1.5)
    }

    private static func cropped(
        _ alpha: [Double], photoWidth: Int, to box: PixelBox, factor: Int
    ) -> (width: Int, height: Int, alpha: [UInt8]) {
        let (width, height) = (
            (box.width + factor - 1) / factor, (box.height + factor - 1) / factor
        )
        var result = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                var (sum, count) = (0.0, 0.0)
                for row in (box.top + y * factor)..<min(box.bottom, box.top + (y + 1) * factor) {
                    for column
                        in (box.left + x * factor)..<min(box.right, box.left + (x + 1) * factor)
                    {
                        sum += alpha[row * photoWidth + column]
                        count += 1
                    }
                }
                // Sixteen levels are visually sufficient, and compress well.
                result[y * width + x] = UInt8((sum / max(count, 1) * 15).rounded()) * 17
            }
        }
        return (width, height, result)
    }
}

/// A part of an image; `right` and `bottom` are exclusive.
struct PixelBox: Equatable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}
