import ByteKit
import PDFCore

/// The data of an image that a filter for pictures decodes: in the file, or in memory where they were
/// decoded or decrypted before.
struct ImageData {
    enum Content {
        case file(any ByteSource, Range<Int>)
        case memory([UInt8])
    }

    let content: Content

    var count: Int {
        switch content {
        case .file(_, let range): range.count
        case .memory(let bytes): bytes.count
        }
    }

    /// - Returns: fewer bytes at the end.
    func bytes(at position: Int, count wanted: Int) throws -> [UInt8] {
        guard (0...count).contains(position) else { return [] }
        let wanted = min(wanted, count - position)
        return switch content {
        case .file(let source, let range):
            try source.bytes(at: range.lowerBound + position, count: wanted)
        case .memory(let bytes): Array(bytes[position..<(position + wanted)])
        }
    }

    func number(at position: Int, _ byteCount: Int) throws -> Int? {
        let bytes = try bytes(at: position, count: byteCount)
        return bytes.count == byteCount ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
    }
}

/// What JPEG 2000 data say of themselves (ISO/IEC 15444-1 Annexes A and I), as far as the dictionary
/// of an image says it too.
struct JPXHeader {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var componentCount = 0
    private(set) var depth = 0
    /// The colours of the file (`EnumCS`), where they are one of those that have a number.
    private(set) var colors: Int?
    /// Whether some components are no colours but cover, or stand for others in a table.
    private(set) var hasMore = false
    /// Whether some components have fewer samples than others.
    private(set) var isSubsampled = false
    /// What readers do not agree about, in words.
    private(set) var doubt: String?

    private static let boxLimit = 1000
    /// `jp2h`, `ihdr`, `colr`, `pclr`, `cdef`, `jp2c`.
    private static let header = 0x6A70_3268
    private static let size = 0x6968_6472
    private static let colorBox = 0x636F_6C72
    private static let palette = 0x7063_6C72
    private static let definitions = 0x6364_6566
    private static let stream = 0x6A70_3263

    init(_ data: ImageData) throws {
        if try data.number(at: 0, 4) == 0xFF4F_FF51 {
            try readStream(data, at: 0)
        } else {
            try readBoxes(data, in: 0..<data.count)
        }
        if doubt == nil, width <= 0 || height <= 0 || componentCount == 0 {
            doubt = "its JPEG 2000 data have no size"
        }
    }

    private mutating func readBoxes(_ data: ImageData, in range: Range<Int>) throws {
        var position = range.lowerBound
        var stated: (Int, Int, Int)?
        for _ in 0..<Self.boxLimit {
            guard position + 8 <= range.upperBound, let short = try data.number(at: position, 4),
                let kind = try data.number(at: position + 4, 4)
            else { break }
            var (start, end) = (position + 8, position + short)
            if short == 1, let high = try data.number(at: start, 4),
                let low = try data.number(at: start + 4, 4), high == 0
            {
                (start, end) = (start + 8, position + low)
            } else if short == 0 {
                end = range.upperBound
            }
            guard start <= end, end <= range.upperBound else {
                doubt = "its JPEG 2000 data are cut off"
                return
            }
            switch kind {
            // What is in it stands there one after the other, as the boxes outside do.
            case Self.header: end = start
            case Self.size:
                if let height = try data.number(at: start, 4),
                    let width = try data.number(at: start + 4, 4),
                    let count = try data.number(at: start + 8, 2)
                {
                    stated = (width, height, count)
                }
            case Self.colorBox:
                guard try data.number(at: start, 1) == 1 else { break }
                let found = try data.number(at: start + 3, 4)
                if colors != nil, colors != found {
                    doubt = "its JPEG 2000 data have two colour spaces"
                }
                colors = found
            case Self.palette: hasMore = true
            case Self.definitions:
                if try hasOpacity(data, start..<end) { hasMore = true }
            case Self.stream:
                try readStream(data, at: start)
                if let stated, doubt == nil, stated != (width, height, componentCount) {
                    doubt = "its JPEG 2000 data have two sizes"
                }
                return
            default: break
            }
            position = end
        }
    }

    /// Whether a component is no colour (ISO/IEC 15444-1 I.5.3.6).
    private func hasOpacity(_ data: ImageData, _ range: Range<Int>) throws -> Bool {
        let count = try data.number(at: range.lowerBound, 2) ?? 0
        for index in 0..<min(count, Self.boxLimit) {
            guard let kind = try data.number(at: range.lowerBound + 4 + 6 * index, 2) else { break }
            if kind != 0 { return true }
        }
        return false
    }

    /// The marker segment SIZ, which comes first.
    private mutating func readStream(_ data: ImageData, at start: Int) throws {
        let numbers = try [8, 12, 16, 20].map { try data.number(at: start + $0, 4) ?? 0 }
        guard try data.number(at: start, 4) == 0xFF4F_FF51,
            let count = try data.number(at: start + 40, 2),
            let bits = try data.number(at: start + 42, 1)
        else {
            doubt = "its JPEG 2000 data have no size"
            return
        }
        (width, height) = (numbers[0] - numbers[2], numbers[1] - numbers[3])
        (componentCount, depth) = (count, bits & 127 + 1)
        for index in 0..<min(count, Self.boxLimit) {
            let component = try data.bytes(at: start + 42 + 3 * index, count: 3)
            if component.count < 3 || Int(component[0]) != bits {
                doubt = "its JPEG 2000 data have components of several depths"
            }
            if component.dropFirst() != [1, 1] { isSubsampled = true }
        }
        if try data.number(at: data.count - 2, 2) != 0xFFD9, try !hasEnd(data) {
            doubt = "its JPEG 2000 data are cut off"
        }
    }

    /// An end of line, or padding, may follow.
    private func hasEnd(_ data: ImageData) throws -> Bool {
        let tail = try data.bytes(at: max(0, data.count - 16), count: 16)
        return zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }
}
