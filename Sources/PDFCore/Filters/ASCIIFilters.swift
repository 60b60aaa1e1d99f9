import Base

/// `ASCIIHexDecode` and `ASCII85Decode` (ISO 32000-2 §7.4.2 and §7.4.3).
enum ASCIIFilters {
    static func decodeHex(_ data: [UInt8]) throws(PDFError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(data.count / 2)
        var high: UInt8?
        for byte in data {
            if byte == 62 { break }
            if Characters.isWhiteSpace(Int(byte)) { continue }
            guard let digit = Hex.value(of: byte) else {
                throw PDFError(.malformedStream, "not a hexadecimal digit")
            }
            if let first = high {
                output.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if let high { output.append(high << 4) }
        return output
    }

    static func decode85(_ data: [UInt8]) throws(PDFError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(data.count / 5 * 4)
        var group: UInt64 = 0
        var count = 0
        for byte in data {
            switch byte {
            case 126:
                return try finish85(output, group, count)
            case 122 where count == 0:
                output.append(contentsOf: [0, 0, 0, 0])
            case 33...117:
                group = group * 85 + UInt64(byte - 33)
                count += 1
                if count == 5 {
                    try append(group, 4, to: &output)
                    group = 0
                    count = 0
                }
            default:
                guard Characters.isWhiteSpace(Int(byte)) else {
                    throw PDFError(.malformedStream, "not a base-85 digit")
                }
            }
        }
        return try finish85(output, group, count)
    }

    private static func finish85(
        _ output: [UInt8], _ group: UInt64, _ count: Int
    ) throws(PDFError) -> [UInt8] {
        guard count > 0 else { return output }
        guard count > 1 else { throw PDFError(.malformedStream, "the base-85 data is truncated") }
        var padded = group
        for _ in count..<5 { padded = padded * 85 + 84 }
        var result = output
        try append(padded, count - 1, to: &result)
        return result
    }

    private static func append(
        _ group: UInt64, _ byteCount: Int, to output: inout [UInt8]
    ) throws(PDFError) {
        guard group <= UInt64(UInt32.max) else {
            throw PDFError(.malformedStream, "base-85 group out of range")
        }
        for index in 0..<byteCount { output.append(UInt8(group >> (24 - 8 * index) & 0xFF)) }
    }
}

/// `RunLengthDecode` (ISO 32000-2 §7.4.5).
enum RunLengthDecoder {
    static func decode(_ data: [UInt8], limit: Int) throws(PDFError) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < data.count {
            let length = Int(data[index])
            index += 1
            if length == 128 { break }
            if length < 128 {
                let end = min(index + length + 1, data.count)
                output.append(contentsOf: data[index..<end])
                index = end
            } else if index < data.count {
                output.append(contentsOf: repeatElement(data[index], count: 257 - length))
                index += 1
            }
            guard output.count <= limit else {
                throw PDFError(.limitExceeded, "stream of more than \(limit) bytes")
            }
        }
        return output
    }
}
