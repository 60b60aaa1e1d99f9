import CCodecs

/// Decompresses many zlib streams (RFC 1950) through one buffer, for callers that examine the bytes
/// and keep none. Checksums are not verified; that would take a quarter more time.
///
/// The buffer lives as long as the object. Callers receive only the bytes written to it.
@safe package final class FlateReader {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: partByteCount)
    private var isReady = false
    package static let partByteCount = 64 * 1024

    /// The compression method deflate, and the flag of a preset dictionary (not supported)
    /// (RFC 1950 §2.2).
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
    ///   - input: A zlib stream with its two-byte header; bytes after its end are ignored.
    ///   - limit: Maximum length of the output.
    ///   - body: Receives all bytes, part by part, and must not use this reader.
    /// - Returns: Length of the output. `nil` if the stream is damaged or the output exceeds the
    ///   limit; `body` may have received some bytes by then.
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
                if status == Z_STREAM_END { return total }
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
