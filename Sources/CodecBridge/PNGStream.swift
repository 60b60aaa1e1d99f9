import Base

/// The compressed data of a PNG file that a PDF can hold as it is: `FlateDecode` with the PNG
/// predictor is the same format (ISO 32000-2 §7.4.4.4).
package struct PNGStream: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1, 2, 4 or 8; with 16, PDF 1.4 has no use for it.
    package let bitsPerSample: Int
    /// Of one pixel in the data: 1 for grey and palettes, 3 for colours.
    package let componentCount: Int
    /// Red, green and blue of each entry; nil without a palette.
    package let palette: [UInt8]?
    package let data: [UInt8]

    /// 1/2.2 in the units of the gAMA chunk, what sRGB nearly is.
    private static let usualGamma = 45_455

    /// - Parameter file: one that ``PNGImage`` has decoded: the data is taken as sound.
    /// - Returns: nil when the picture is interlaced, has transparency, 16 bits, or
    ///   another gamma.
    package init?(_ file: [UInt8]) {
        var header: ArraySlice<UInt8>?
        var palette: [UInt8]?
        var data: [UInt8] = []
        var position = 8
        while let end = position.addingChecked(12), end <= file.count {
            let length = Self.number(file, at: position)
            guard length <= file.count - end else { return nil }
            let content = file[(position + 8)..<(position + 8 + length)]
            switch String(decoding: file[(position + 4)..<(position + 8)], as: UTF8.self) {
            case "IHDR": header = content
            case "PLTE": palette = Array(content)
            case "IDAT": data += content
            case "tRNS": return nil
            case "gAMA":
                guard length == 4,
                    abs(Self.number(file, at: position + 8) - Self.usualGamma) < 500
                else { return nil }
            default: break
            }
            position = end + length
        }
        guard let header, header.count == 13 else { return nil }
        let fields = Array(header)
        let (depth, colorType, interlace) = (Int(fields[8]), fields[9], fields[12])
        guard interlace == 0, [0, 2, 3].contains(colorType), [1, 2, 4, 8].contains(depth)
        else { return nil }
        if colorType == 3 {
            guard let palette, palette.count >= 3, palette.count % 3 == 0, palette.count <= 768
            else { return nil }
            self.palette = palette
        } else {
            self.palette = nil
        }
        width = Self.number(fields, at: 0)
        height = Self.number(fields, at: 4)
        bitsPerSample = depth
        componentCount = colorType == 2 ? 3 : 1
        self.data = data
    }

    private static func number(_ bytes: [UInt8], at index: Int) -> Int {
        bytes[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}

extension Flate {
    /// Compresses rows of 8-bit samples, each behind the PNG filter that makes it smallest by the
    /// usual guess (ISO/IEC 15948 §12.8). To be decoded with `/Predictor 15`.
    ///
    /// - Parameters:
    ///   - width: pixels in a row.
    ///   - componentCount: samples in a pixel.
    package static func deflate(
        rows: [UInt8], width: Int, componentCount: Int
    ) -> [UInt8] {
        let rowCount = width * componentCount
        guard rowCount > 0 else { return deflate([]) }
        var filtered: [UInt8] = []
        filtered.reserveCapacity(rows.count + rows.count / rowCount)
        var above = [UInt8](repeating: 0, count: rowCount)
        var candidates = [[UInt8]](
            repeating: [UInt8](repeating: 0, count: rowCount), count: 3)
        for start in stride(from: 0, through: rows.count - rowCount, by: rowCount) {
            let row = Array(rows[start..<(start + rowCount)])
            var costs = [0, 0, 0]
            for index in 0..<rowCount {
                let value = row[index]
                let left = index >= componentCount ? row[index - componentCount] : 0
                let corner = index >= componentCount ? above[index - componentCount] : 0
                let up = above[index]
                let residues = (
                    value, value &- up, value &- paeth(Int(left), Int(up), Int(corner))
                )
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
