import PDFCore

/// Colour spaces that are measured (ISO 32000-2 §8.6.5.2, §8.6.5.3). Some readers compute their
/// colours, others take them for those of a device: they have to be about the same.
enum MeasuredColors {
    private static let gammaRange = 0.9...3.0
    /// X and Z of lights that paper and screens are seen in, from incandescent to overcast sky; Y is 1.
    private static let (whiteX, whiteZ) = (0.85...1.15, 0.3...1.3)
    private static let whiteY = 0.95...1.05
    /// How bright black may be.
    private static let darkest = 0.1
    /// What parts colours that are full from such that are none, and how near white comes to it, in
    /// amounts of light.
    private static let (middle, white) = (0.25, 0.7)
    /// From shares of the white point to amounts of red, green and blue (IEC 61966-2-1, for D65).
    private static let device = [
        [3.0803, -1.5372, -0.5430], [-0.9210, 1.8758, 0.0452], [0.0529, -0.2040, 1.1511],
    ]

    /// - Returns: In words what departs; nil for nothing.
    static func doubt(
        _ family: PDFName, _ values: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> String? {
        guard let white = try document.numbers(values, "WhitePoint"), white.count == 3,
            white.allSatisfy({ $0 > 0 })
        else { return "a colour space \(family) without a white point" }
        guard whiteX.contains(white[0]), whiteY.contains(white[1]), whiteZ.contains(white[2]) else {
            return "a colour space \(family) whose white is not white"
        }
        if try document.value(values, "BlackPoint") != .null {
            guard let black = try document.numbers(values, "BlackPoint"), black.count == 3,
                black.allSatisfy({ (0...darkest).contains($0) })
            else { return "a colour space \(family) whose black is not black" }
        }
        if family == "Lab" { return nil }
        let gamma = try document.value(values, "Gamma")
        let count = family == "CalGray" ? 1 : 3
        let gammas =
            try gamma == .null
            ? [Double](repeating: 1, count: count)
            : gamma.arrayValue == nil
                ? [gamma.numberValue ?? 0] : document.numbers(values, "Gamma") ?? []
        guard gammas.count == count, gammas.allSatisfy(gammaRange.contains) else {
            return "a colour space \(family) with a gamma that no device has"
        }
        guard count == 3, try document.value(values, "Matrix") != .null else { return nil }
        guard let matrix = try document.numbers(values, "Matrix"), matrix.count == 9,
            areUsual(matrix, white)
        else { return "a colour space \(family) with a matrix that no device has" }
        return nil
    }

    /// Whether full red, green and blue and what is mixed of them come out as what they are called.
    private static func areUsual(_ matrix: [Double], _ white: [Double]) -> Bool {
        for corner in 0..<8 {
            let parts = (0..<3).map { corner >> $0 & 1 }
            let light = (0..<3).map { axis in
                (0..<3).reduce(0.0) { $0 + Double(parts[$1]) * matrix[3 * $1 + axis] } / white[axis]
            }
            for (part, row) in zip(parts, device) {
                let amount = (0..<3).reduce(0.0) { $0 + row[$1] * light[$1] }
                guard amount.isFinite, (amount > middle) == (part == 1) else { return false }
                if corner == 7, amount < Self.white { return false }
            }
        }
        return true
    }
}
