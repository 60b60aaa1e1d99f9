package import Base

/// Follows an image's data from its first scan to its end, in parts of any size, without decoding.
///
/// Finds the actual end of the image, because cameras append videos, previews and other images.
package struct JPEGScanWalker: Sendable {
    /// Number of bytes of entropy-coded data so far, without markers.
    package private(set) var dataByteCount = 0
    package private(set) var scanCount = 0
    package private(set) var restartCount = 0
    /// Whether a restart marker was out of sequence or a marker was invalid. Part of the image may
    /// be lost.
    package private(set) var isOutOfStep = false
    /// The first application segments and comments between scans, as offsets from the start of the
    /// walk. Those after the limit stay in the image.
    package private(set) var dispensable: [Range<Int>] = []

    private enum State {
        case data
        /// After the byte 0xFF.
        case marker
        case lengthHigh(UInt8)
        case lengthLow(UInt8, Int)
        case segment(Int)
    }

    /// The first part begins with a scan's marker.
    private var state = State.data
    private var walked = 0
    private var expectedRestart: UInt8 = 0xD0
    private let scanLimit: Int

    package init(scanLimit: Int = 500) { self.scanLimit = scanLimit }

    /// Processes the next part.
    ///
    /// - Returns: Number of its bytes that belong to the image, if its end was found; otherwise
    ///   `nil`.
    /// - Throws: ``CodecError`` if the data is invalid.
    package mutating func walk(_ part: [UInt8]) throws(CodecError) -> Int? {
        var index = 0
        while index < part.count {
            switch state {
            case .data:
                let next = part[index...].firstIndex(of: 0xFF) ?? part.count
                dataByteCount += next - index
                index = next + 1
                if index < part.count, part[index] == 0 {
                    // The most frequent case: a data byte 0xFF.
                    dataByteCount += 1
                    index += 1
                } else if next < part.count {
                    state = .marker
                }
            case .marker:
                let byte = part[index]
                index += 1
                if byte == 0xD9 {
                    walked += index
                    return index
                }
                try note(marker: byte, endingAt: walked + index)
            case .lengthHigh(let marker):
                state = .lengthLow(marker, Int(part[index]) << 8)
                index += 1
            case .lengthLow(let marker, let high):
                let length = high | Int(part[index])
                index += 1
                guard length >= 2 else {
                    throw CodecError(.malformed, "an empty segment between scans")
                }
                if Self.isDispensable(marker), dispensable.count < Self.dispensableLimit {
                    let start = walked + index - 4
                    dispensable.append(start..<(start + 2 + length))
                }
                state = length == 2 ? .data : .segment(length - 2)
            case .segment(let rest):
                let step = min(rest, part.count - index)
                index += step
                state = step == rest ? .data : .segment(rest - step)
            }
        }
        walked += part.count
        return nil
    }

    /// Walks through a source to the end of the image.
    ///
    /// - Parameters:
    ///   - start: Position of the first scan.
    ///   - body: Receives each part, the last one without the bytes after the image.
    /// - Returns: Position of the end of the image; `nil` if the source ends before it.
    /// - Throws: ``CodecError``, or an error of the source or of `body`.
    package mutating func walk(
        _ source: any ByteSource, from start: Int, _ body: ([UInt8]) throws -> Void = { _ in }
    ) throws -> Int? {
        var position = start
        while position < source.byteCount {
            let part = try source.bytes(at: position, count: Self.chunkByteCount)
            if let count = try walk(part) {
                try body(count == part.count ? part : Array(part.prefix(count)))
                return position + count
            }
            try body(part)
            position += part.count
        }
        return nil
    }

    private static let chunkByteCount = 256 * 1024

    /// Whether a segment is not needed for decoding: APP1 to APP13, APP15, comments.
    package static func isDispensable(_ marker: UInt8) -> Bool {
        (0xE1...0xED).contains(marker) || marker == 0xEF || marker == 0xFE
    }

    private static let dispensableLimit = 4096

    private mutating func note(marker: UInt8, endingAt position: Int) throws(CodecError) {
        switch marker {
        case 0x00:
            dataByteCount += 1
            state = .data
        case 0xFF: break
        case 0xD0...0xD7:
            restartCount += 1
            if marker != expectedRestart { isOutOfStep = true }
            expectedRestart = marker == 0xD7 ? 0xD0 : marker + 1
            state = .data
        case 0xDA:
            scanCount += 1
            expectedRestart = 0xD0
            guard scanCount <= scanLimit else {
                throw CodecError(.limitExceeded, "more than \(scanLimit) scans")
            }
            state = .lengthHigh(marker)
        case 0xD8: throw CodecError(.truncated, "another picture begins before this one ends")
        case 0xC4, 0xCC, 0xDB...0xDD, 0xE0...0xEF, 0xFE: state = .lengthHigh(marker)
        default:
            // libjpeg skips such bytes too, and viewers show the image.
            isOutOfStep = true
            state = .data
        }
    }
}
