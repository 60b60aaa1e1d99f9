import CCodecs

/// Decompresses many zlib streams (RFC 1950) through one buffer, for those who look at the bytes and
/// keep none. Checksums are not compared: that would cost a quarter more.
///
/// The buffer lives as long as the object, and only what was written in it is handed out.
@safe package final class FlateReader {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: partByteCount)
    private var isReady = false
    /// How many bytes come out at once at most.
    package static let partByteCount = 64 * 1024
    /// How many bytes of the last stream were taken, without its checksum.
    package private(set) var takenByteCount = 0

    /// What a stream begins with, besides the checksum of these two bytes: deflate, and no dictionary.
    private static let (method, dictionaryFlag): (UInt8, UInt8) = (8, 0x20)

    package init() { unsafe stream.initialize(to: z_stream()) }

    deinit {
        if isReady { _ = unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
        unsafe buffer.deallocate()
    }

    /// Decompresses a stream.
    ///
    /// - Parameters:
    ///   - input: with a header of two bytes; bytes after the end are ignored.
    ///   - limit: the most bytes that may come out.
    ///   - body: gets all of the bytes, part by part, and must not use this reader.
    /// - Returns: How many bytes came out; nil where something is wrong with the stream, or too much
    ///   came out. Then `body` has had some bytes.
    package func inflate(_ input: [UInt8], limit: Int, _ body: (Span<UInt8>) -> Void) -> Int? {
        guard input.count > 2, input[0] & 15 == Self.method, input[1] & Self.dictionaryFlag == 0,
            (Int(input[0]) << 8 | Int(input[1])) % 31 == 0, input.count <= Int(UInt32.max / 2)
        else { return nil }
        let status = unsafe isReady ? inflateReset(stream) : CZlib_inflateInitRaw(stream)
        guard status == Z_OK else { return nil }
        isReady = true
        return unsafe input.withUnsafeBufferPointer { source in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(
                mutating: source.baseAddress.map { unsafe $0 + 2 })
            unsafe stream.pointee.avail_in = uInt(source.count - 2)
            var total = 0
            while true {
                let (count, status) = step()
                total += count
                guard total <= limit else { return nil }
                unsafe body(UnsafeBufferPointer(start: buffer, count: count).span)
                if status == Z_STREAM_END {
                    takenByteCount = source.count - Int(unsafe stream.pointee.avail_in)
                    return total
                }
                guard status == Z_OK, count > 0 else { return nil }
            }
        }
    }

    /// Fills the buffer.
    private func step() -> (count: Int, status: Int32) {
        unsafe stream.pointee.next_out = buffer
        unsafe stream.pointee.avail_out = uInt(Self.partByteCount)
        let status = unsafe CCodecs.inflate(stream, Z_NO_FLUSH)
        return (Self.partByteCount - Int(unsafe stream.pointee.avail_out), status)
    }
}
