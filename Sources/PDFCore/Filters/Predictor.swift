/// Reverses the predictor function (ISO 32000-2 §7.4.4.4).
struct Predictor {
    private enum Kind { case none, tiff, png }
    private let kind: Kind
    private let colors: Int
    private let bitsPerComponent: Int
    private let columns: Int

    init(_ parameters: PDFDictionary) throws(PDFError) {
        let predictor = parameters["Predictor"]?.integerValue ?? 1
        colors = parameters["Colors"]?.integerValue ?? 1
        bitsPerComponent = parameters["BitsPerComponent"]?.integerValue ?? 8
        columns = parameters["Columns"]?.integerValue ?? 1
        switch predictor {
        case 1: kind = .none
        case 2: kind = .tiff
        case 10...15: kind = .png
        default: throw PDFError(.malformedStream, "predictor \(predictor)")
        }
        guard
            kind == .none
                || ((1...32).contains(colors) && [1, 2, 4, 8, 16].contains(bitsPerComponent)
                    && (1...(1 << 26)).contains(columns))
        else { throw PDFError(.malformedStream, "impossible predictor parameters") }
    }

    private var bytesPerRow: Int { (colors * bitsPerComponent * columns + 7) / 8 }

    func decode(_ data: [UInt8]) throws(PDFError) -> [UInt8] {
        switch kind {
        case .none: return data
        case .tiff: return try tiff(data)
        case .png: return try png(data)
        }
    }

    /// Each row begins with its filter type (ISO/IEC 15948 clause 9), whichever PNG predictor the
    /// dictionary declares. A short last row is decoded as far as it goes. Viewers read unknown
    /// types in several ways.
    private func png(_ data: [UInt8]) throws(PDFError) -> [UInt8] {
        let rowLength = bytesPerRow
        let distance = (colors * bitsPerComponent + 7) / 8
        var output = [UInt8](
            repeating: 0, count: data.count - (data.count + rowLength) / (rowLength + 1))
        var source = 0
        var target = 0
        while source < data.count {
            let filter = data[source]
            source += 1
            let length = min(rowLength, data.count - source)
            let hasRowAbove = target >= rowLength
            // A separate loop for each filter type, because cross-reference streams have megabytes
            // of rows.
            switch filter {
            case 1:
                for column in 0..<length {
                    let left = column >= distance ? output[target + column - distance] : 0
                    output[target + column] = data[source + column] &+ left
                }
            case 2 where hasRowAbove:
                for column in 0..<length {
                    output[target + column] =
                        data[source + column] &+ output[target + column - rowLength]
                }
            case 3, 4:
                for column in 0..<length {
                    let position = target + column
                    let left = column >= distance ? output[position - distance] : 0
                    let up = hasRowAbove ? output[position - rowLength] : 0
                    let corner =
                        column >= distance && hasRowAbove
                        ? output[position - rowLength - distance] : 0
                    let prediction =
                        filter == 3
                        ? UInt8((Int(left) + Int(up)) / 2)
                        : Self.paeth(Int(left), Int(up), Int(corner))
                    output[position] = data[source + column] &+ prediction
                }
            case 0, 2:
                for column in 0..<length { output[target + column] = data[source + column] }
            default: throw PDFError(.malformedStream, "PNG filter type \(filter)")
            }
            source += length
            target += length
        }
        return output
    }

    @inline(__always)
    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> UInt8 {
        let estimate = left + up - corner
        let distances = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return UInt8(left) }
        return UInt8(distances.1 <= distances.2 ? up : corner)
    }

    /// Horizontal differencing (TIFF 6.0 section 14). Outside images, only 8-bit components occur.
    private func tiff(_ data: [UInt8]) throws(PDFError) -> [UInt8] {
        guard bitsPerComponent == 8 else {
            throw PDFError(
                .unsupportedFilter, "TIFF predictor with \(bitsPerComponent) bits per component")
        }
        var output = data
        let rowLength = bytesPerRow
        for start in stride(from: 0, to: output.count, by: rowLength) {
            let end = min(start + rowLength, output.count)
            for position in stride(from: start + colors, to: end, by: 1) {
                output[position] = output[position] &+ output[position - colors]
            }
        }
        return output
    }
}
