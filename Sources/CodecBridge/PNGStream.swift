/// The compressed data of a PNG file that a PDF can contain unchanged. `FlateDecode` with the PNG
/// predictor is the same format (ISO 32000-2 §7.4.4.4).
package struct PNGStream: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1, 2, 4, 8 or 16.
    package let bitsPerSample: Int
    /// Samples per pixel in the data: 1 for gray and palettes, 3 for RGB.
    package let componentCount: Int
    /// Red, green and blue of each entry; nil without a palette.
    package let palette: [UInt8]?
    package let data: [UInt8]
}

extension Flate {
    /// Compresses rows of 8-bit samples. Each row has the PNG filter with the smallest result by
    /// the usual heuristic (ISO/IEC 15948 §12.8). Decoding requires `/Predictor 15`.
    ///
    /// - Parameters:
    ///   - width: Pixels per row.
    ///   - componentCount: Samples per pixel.
    package static func deflate(rows: [UInt8], width: Int, componentCount: Int) -> [UInt8] {
        let rowCount = width * componentCount
        guard rowCount > 0 else { return deflate([]) }
        var filtered: [UInt8] = []
        filtered.reserveCapacity(rows.count + rows.count / rowCount)
        var above = [UInt8](repeating: 0, count: rowCount)
        var candidates = [[UInt8]](repeating: [UInt8](repeating: 0, count: rowCount), count: 3)
        for start in stride(from: 0, through: rows.count - rowCount, by: rowCount) {
            let row = Array(rows[start..<(start + rowCount)])
            var costs = [0, 0, 0]
            for index in 0..<rowCount {
                let value = row[index]
                let left = index >= componentCount ? row[index - componentCount] : 0
                let corner = index >= componentCount ? above[index - componentCount] : 0
                let up = above[index]
                let residues = (value, value &- up, value &- paeth(Int(left), Int(up), Int(corner)))
                candidates[0][index] = residues.0
                candidates[1][index] = residues.1
                candidates[2][index] = residues.2
                costs[0] += Int(min(residues.0, 0 &- residues.0))
                costs[1] += Int(min(residues.1, 0 &- residues.1))
                costs[2] += Int(min(residues.2, 0 &- residues.2))
            }
            let best = costs[2] < min(costs[0], costs[1]) ? 2 : costs[1] <= costs[0] ? 1 : 0
            filtered.append([0, 2, 4][best])
            filtered += candidates[best]
            above = row
        }
        return deflate(filtered)
    }

    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> UInt8 {
        let estimate = left + up - corner
        let distances = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return UInt8(left) }
        return UInt8(distances.1 <= distances.2 ? up : corner)
    }
}
