import PDFCore

/// A glyph of an appearance, as far as the next one is compared with it.
struct PlacedGlyph {
    var (end, y, size, ink) = (0.0, 0.0, 0.0, 0.0)

    /// Whether nothing makes one of the two smaller or paler than the other.
    func isLike(size: Double, ink: Double) -> Bool {
        abs(self.size - size) <= 0.1 * size && abs(self.ink - ink) <= 0.1
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

    /// Nil when a part is out of range.
    static func brightness(_ parts: [Double]) -> Double? {
        guard parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        return switch parts.count {
        case 1: parts[0]
        case 3: 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2]
        default: (1 - parts[3]) * (1 - 0.3 * parts[0] - 0.6 * parts[1] - 0.1 * parts[2])
        }
    }
}
