/// `LZWDecode` (ISO 32000-2 §7.4.4).
enum LZWDecoder {
    private static let clearCode = 256
    private static let endCode = 257
    private static let tableLimit = 4096

    /// - Parameter earlyChange: Whether the code width increases one code early, which is the
    ///   default.
    static func decode(_ data: [UInt8], earlyChange: Bool, limit: Int) throws(PDFError) -> [UInt8] {
        var output: [UInt8] = []
        // Each table entry is a range of the output, so only its start and length are stored.
        var starts = [Int](repeating: 0, count: tableLimit)
        var lengths = [Int](repeating: 0, count: tableLimit)
        var next = endCode + 1
        var width = 9
        var previous: (start: Int, length: Int)?
        var bits = 0
        var bitCount = 0
        for byte in data {
            bits = (bits << 8 | Int(byte)) & 0xFF_FFFF
            bitCount += 8
            guard bitCount >= width else { continue }
            bitCount -= width
            let code = bits >> bitCount & (1 << width - 1)
            if code == endCode { return output }
            if code == clearCode {
                next = endCode + 1
                width = 9
                previous = nil
                continue
            }
            let start = output.count
            if code < 256 {
                output.append(UInt8(code))
            } else if code < next {
                let end = starts[code] + lengths[code]
                for position in starts[code]..<end { output.append(output[position]) }
            } else if code == next, let previous {
                for position in previous.start..<(previous.start + previous.length) {
                    output.append(output[position])
                }
                output.append(output[previous.start])
            } else {
                throw PDFError(.malformedStream, "impossible LZW code \(code)")
            }
            guard output.count <= limit else {
                throw PDFError(.limitExceeded, "stream of more than \(limit) bytes")
            }
            if let previous, next < tableLimit {
                // The previous range and the byte after it, which are adjacent in the output.
                starts[next] = previous.start
                lengths[next] = previous.length + 1
                next += 1
            }
            previous = (start, output.count - start)
            let threshold = next + (earlyChange ? 1 : 0)
            width = threshold >= 2048 ? 12 : threshold >= 1024 ? 11 : threshold >= 512 ? 10 : 9
        }
        return output
    }
}
