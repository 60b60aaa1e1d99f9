import Base
import CodecBridge

/// Turns a photo of a signature on paper into ink without paper.
///
/// The paper's brightness is estimated all over the photo, so that shadows vanish; what is darker
/// than the paper by more than its grain is ink, the more opaque the darker. Specks, and what
/// reaches the photo's edge, such as the edge of the table, are left out.
struct InkFromPhoto {
    /// Of one colour throughout.
    let color: StampColor
    let width: Int
    let height: Int
    /// One a pixel, 255 full ink.
    let alpha: [UInt8]

    /// About how many pixels the longer side is reduced to before anything else.
    static let workingSide = 1600
    /// The longer side of the result; more than enough at 600 dots per inch and 40 mm.
    private static let resultSide = 1000
    /// Side of the squares in which the paper's brightness is taken.
    private static let tileSide = 32
    /// The share of a square's pixels that are darker than its paper, at the estimate.
    private static let paperShare = 0.8
    /// Of the darkness that counts as ink at least.
    private static let leastThreshold = 0.10
    /// The share of the ink that is too light to say what colour it is.
    private static let colorShare = 0.65
    /// Share of the photo that ink may cover.
    private static let largestInkShare = 0.35

    /// - Throws: `noInk` when nothing on it looks like handwriting.
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

        // Full ink is what the darker part of it reaches; what is lighter is thinner.
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
    }

    /// The darkness that best parts ink from paper (Otsu's method); nil when there is no ink.
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
        // Three times the grain of the paper is no ink yet.
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
                // Sixteen steps are enough for the eye, and compress well.
                result[y * width + x] = UInt8((sum / max(count, 1) * 15).rounded()) * 17
            }
        }
        return (width, height, result)
    }
}

/// A part of an image; `right` and `bottom` lie outside.
struct PixelBox: Equatable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}
