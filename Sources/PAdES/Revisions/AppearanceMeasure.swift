import PDFCore

/// A glyph of an appearance, as far as the next one is compared with it.
struct PlacedGlyph {
    var (end, y, size, ink) = (0.0, 0.0, 0.0, 0.0)
    let track: GlyphTrack

    /// Whether nothing makes one of the two smaller or paler than the other.
    func isLike(size: Double, ink: Double) -> Bool {
        abs(self.size - size) <= 0.1 * size && abs(self.ink - ink) <= 0.1
    }
}

/// Where a glyph stands as it is read, whatever way the text is turned.
struct GlyphTrack {
    private let direction: SIMD2<Double>
    /// Along the line and above it.
    private let (start, end, height): (Double, Double, Double)
    private let size: Double

    /// Parts of the size: how much of a glyph may lie under the next, and how far apart heights are
    /// that are another line's.
    private static let (overlap, tolerance) = (0.3, 0.5)
    /// Which part of a glyph's width may lie over the one before, and how much of that one stands before
    /// it at least: on top of one another narrow letters look like one.
    private static let (widestOverlap, leastStep) = (2.0 / 3, 0.6)

    /// - Parameters:
    ///   - length: how far it goes at least; 0 where that is not certain.
    ///   - height: the size of the text, which may be negative.
    init(_ placed: Transform, length: Double, height: Double) {
        let stretch = (placed.a * placed.a + placed.b * placed.b).squareRoot()
        let along = SIMD2(placed.a, placed.b) * (height < 0 ? -1 : 1)
        direction = stretch > 0 ? along / stretch : SIMD2(1, 0)
        let place = SIMD2(placed.e, placed.f)
        start = (place * direction).sum()
        end = start + length.magnitude * stretch
        self.height = (place * SIMD2(-direction.y, direction.x)).sum()
        size = height.magnitude * (placed.c * placed.c + placed.d * placed.d).squareRoot()
    }

    /// Whether it is read after another one: behind it, or on a line below.
    func follows(_ last: GlyphTrack) -> Bool {
        guard (direction * last.direction).sum() > 0.9 else { return false }
        let step = max(size, last.size)
        if abs(height - last.height) <= Self.tolerance * step {
            let length = end - start
            let overlap = min(
                Self.overlap * step, length > 0 ? Self.widestOverlap * length : .infinity)
            return start >= last.end - overlap
                && start >= last.start + Self.leastStep * (last.end - last.start)
        }
        return height < last.height
    }
}

/// Places, sizes and colours of what is drawn, as people compare them.
enum AppearanceMeasure {
    /// Least difference between the brightness of text and ground.
    static let leastContrast = 0.4

    /// Whether readers count alike with these numbers, however precisely they do it: large ones that
    /// cancel out, or tiny ones, some of them lose (ISO 32000-2 Annex C).
    static func areCertain(_ numbers: [Double]) -> Bool {
        numbers.allSatisfy { $0 == 0 || (1e-4...32_767).contains(abs($0)) }
    }

    /// Whether these are numbers with which others can be calculated: beyond, readers differ, and what comes
    /// of them may be none.
    static func areBounded(_ numbers: [Double]) -> Bool {
        numbers.allSatisfy { $0.magnitude <= largestNumber }
    }

    private static let largestNumber = 1e12

    /// Nil when a part is out of range, and for other numbers of parts than those of gray, RGB and CMYK.
    static func brightness(_ parts: [Double]) -> Double? {
        guard parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        return switch parts.count {
        case 1: parts[0]
        case 3: 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2]
        case 4: (1 - parts[3]) * (1 - 0.3 * parts[0] - 0.6 * parts[1] - 0.1 * parts[2])
        default: nil
        }
    }
}
