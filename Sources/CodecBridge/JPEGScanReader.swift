import Base

/// The entropy-coded data of a scan, from marker to marker, as a window of plain bytes.
///
/// The zero bytes that follow bytes of ones are taken out (ITU-T T.81 B.1.1.5). Memory stays the
/// same however long the data is.
struct JPEGScanReader {
    /// As many bytes can be read past the data's end without harm: they are zero.
    static let slackByteCount = 4096
    private static let windowByteCount = 64 * 1024
    private static let chunkByteCount = 256 * 1024

    private let source: any ByteSource
    private var chunk: [UInt8] = []
    private var chunkIndex = 0
    /// Where the byte after the chunk stands in the source.
    private var nextOffset: Int
    private var isAfterOnes = false

    /// The data at hand, and ``slackByteCount`` zero bytes.
    private(set) var window = [UInt8](repeating: 0, count: windowByteCount + slackByteCount)
    private var byteCount = 0
    /// What was read of the window.
    var bitPosition = 0
    /// The marker that ends the data at hand; nothing is read past it.
    private var marker: UInt8?
    /// Where that marker stands in the source, or the last one that was passed over.
    private(set) var markerOffset: Int
    /// Bytes that no part of the picture needed.
    private(set) var strayByteCount = 0

    /// - Parameter offset: The first byte of data.
    init(_ source: any ByteSource, at offset: Int) {
        self.source = source
        nextOffset = offset
        markerOffset = offset
    }

    /// Whether no more was read than there was.
    var isWithinData: Bool { bitPosition <= byteCount * 8 }

    /// Makes sure that `bitCount` bits are at hand, or all up to the next marker.
    ///
    /// - Throws: ``CodecError``, `.truncated` when the source ends; what the source throws.
    @inline(__always)
    mutating func require(bitCount: Int) throws {
        if byteCount * 8 - bitPosition < bitCount, marker == nil { try fill() }
    }

    /// Passes over what is left of the data and over the marker after it.
    mutating func passMarker() throws -> UInt8 {
        while true {
            strayByteCount += max(0, byteCount - (bitPosition + 7) / 8)
            bitPosition = byteCount * 8
            if let found = marker {
                (marker, byteCount, bitPosition) = (nil, 0, 0)
                return found
            }
            try fill()
        }
    }

    private mutating func fill() throws {
        let used = min(bitPosition / 8, byteCount)
        unsafe window.withUnsafeMutableBytes { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<byteCount]))
        }
        byteCount -= used
        bitPosition -= used * 8
        while byteCount < Self.windowByteCount, marker == nil {
            if chunkIndex == chunk.count { try readChunk() }
            if isAfterOnes {
                interpret(chunk[chunkIndex])
                chunkIndex += 1
            } else {
                let limit = min(chunk.count, chunkIndex + Self.windowByteCount - byteCount)
                let end = min(limit, JPEGScanWalker.firstMarker(in: chunk, from: chunkIndex))
                takeFromChunk(upTo: end)
                isAfterOnes = end < limit
                chunkIndex = isAfterOnes ? end + 1 : end
            }
        }
        for index in byteCount..<(byteCount + Self.slackByteCount) { window[index] = 0 }
    }

    private mutating func takeFromChunk(upTo end: Int) {
        unsafe chunk.withUnsafeBytes { from in
            unsafe window.withUnsafeMutableBytes { to in
                // Both are as long as the caller made sure of.
                unsafe UnsafeMutableRawBufferPointer(rebasing: to[byteCount...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: from[chunkIndex..<end]))
            }
        }
        byteCount += end - chunkIndex
    }

    /// The byte after one of ones. Further ones only fill.
    private mutating func interpret(_ byte: UInt8) {
        switch byte {
        case 0xFF: return
        case 0:
            window[byteCount] = 0xFF
            byteCount += 1
        default:
            marker = byte
            markerOffset = nextOffset - chunk.count + chunkIndex - 1
        }
        isAfterOnes = false
    }

    private mutating func readChunk() throws {
        chunk = try source.bytes(at: nextOffset, count: Self.chunkByteCount)
        guard !chunk.isEmpty else {
            throw CodecError(.truncated, detail: "the data ends before the picture does")
        }
        nextOffset += chunk.count
        chunkIndex = 0
    }
}
