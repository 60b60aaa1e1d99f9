internal import Base
import CCodecs

/// Decompresses one raw deflate stream (RFC 1951) whose input arrives in parts, through one buffer.
///
/// The buffer lives as long as the object. Callers receive only the bytes written to it.
@safe package final class DeflateStream {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: partByteCount)
    private static let partByteCount = 64 * 1024
    /// Whether the end of the compressed data was reached.
    package private(set) var isAtEnd = false

    /// - Throws: ``CodecError`` if zlib cannot start.
    package init() throws(CodecError) {
        unsafe stream.initialize(to: z_stream())
        guard unsafe CZlib_inflateInitRaw(stream) == Z_OK else {
            throw CodecError(.malformed, "zlib cannot start")
        }
    }

    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
        unsafe buffer.deallocate()
    }

    /// Decompresses the next part.
    ///
    /// - Parameters:
    ///   - input: The next compressed bytes. Bytes after the end of the compressed data are an
    ///     error.
    ///   - body: Receives the output, part by part, and must not use this object.
    /// - Throws: ``CodecError``, or an error of `body`.
    package func decode(_ input: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void) throws {
        guard !input.isEmpty else { return }
        guard !isAtEnd, input.count <= Int(UInt32.max / 2) else {
            throw CodecError(.malformed, "bytes follow the compressed data")
        }
        try unsafe input.withUnsafeBufferPointer { source in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = uInt(source.count)
            while !isAtEnd {
                unsafe stream.pointee.next_out = buffer
                unsafe stream.pointee.avail_out = uInt(Self.partByteCount)
                let status = unsafe CCodecs.inflate(stream, Z_NO_FLUSH)
                let count = Self.partByteCount - Int(unsafe stream.pointee.avail_out)
                isAtEnd = status == Z_STREAM_END
                guard isAtEnd || status == Z_OK || status == Z_BUF_ERROR else {
                    let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
                    throw CodecError(
                        .malformed, "compressed data: \(reason ?? "error \(status)")")
                }
                try unsafe body(UnsafeBufferPointer(start: buffer, count: count).span)
                if !isAtEnd, count < Self.partByteCount { break }
            }
            guard unsafe stream.pointee.avail_in == 0 else {
                throw CodecError(.malformed, "bytes follow the compressed data")
            }
        }
    }
}

/// The checksum of ZIP files (CRC-32, ISO 3309).
package struct Checksum32: Sendable {
    /// The checksum of the bytes so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count {
            let count = min(bytes.count - start, Int(UInt32.max / 2))
            let part = bytes.extracting(start..<(start + count))
            value = unsafe part.withUnsafeBufferPointer {
                UInt32(truncatingIfNeeded: unsafe crc32(uLong(value), $0.baseAddress, uInt(count)))
            }
            start += count
        }
    }
}
