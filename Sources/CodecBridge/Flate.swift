import Base
import CCodecs

/// The zlib format (RFC 1950), as used by `FlateDecode`.
package enum Flate {
    /// Maximum number of bytes reserved before there is any output.
    private static let mostReservedByteCount = 8 << 20
    fileprivate static let mostStepByteCount = Int(UInt32.max / 2)

    /// Decompresses a zlib stream.
    ///
    /// - Parameters:
    ///   - input: A zlib stream; bytes after its end are ignored.
    ///   - limit: Maximum length of the output.
    ///   - tolerateTruncation: Whether to return the decoded part if the data ends early, is
    ///     damaged or has a wrong checksum.
    /// - Throws: ``CodecError``; always `.limitExceeded` if the output exceeds the limit.
    package static func inflate(
        _ input: [UInt8], limit: Int, tolerateTruncation: Bool
    ) throws(CodecError) -> [UInt8] {
        var stream = unsafe z_stream()
        guard unsafe CZlib_inflateInit(&stream) == Z_OK else {
            throw CodecError(.malformed, "zlib cannot start")
        }
        defer { _ = unsafe inflateEnd(&stream) }

        var consumed = 0
        var status = Z_OK
        func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            unsafe stream.step(input, &consumed, buffer) {
                status = unsafe CCodecs.inflate(&$0, Z_NO_FLUSH)
            }
        }

        // One byte more than permitted distinguishes "exactly the limit" from "too much".
        let mostByteCount = limit.addingReportingOverflow(1).overflow ? limit : limit + 1
        let firstGuess = min(max(input.count, 256), mostReservedByteCount / 4) * 4
        var output = unsafe [UInt8](
            unsafeUninitializedCapacity: min(firstGuess, mostByteCount)
        ) { buffer, count in
            count = unsafe fill(buffer)
        }
        while status == Z_OK, output.count <= limit {
            let before = (output: output.count, consumed: consumed)
            let room = min(max(output.count, 16 * 1024), mostByteCount - output.count)
            unsafe output.append(addingCapacity: room) { unsafe fill($0) }
            // No input was read and no output was written: the input has ended.
            if status == Z_OK, before == (output.count, consumed) { status = Z_BUF_ERROR }
        }
        guard output.count <= limit else {
            throw CodecError(.limitExceeded, "more than \(limit) bytes come out")
        }
        if status == Z_STREAM_END { return output }
        if tolerateTruncation, !output.isEmpty { return output }
        if status == Z_BUF_ERROR {
            throw CodecError(.truncated, "compressed data ends early after \(output.count) bytes")
        }
        let reason = unsafe stream.msg.map { unsafe String(cString: $0) } ?? "error \(status)"
        let isChecksum = reason == "incorrect data check"
        throw CodecError(isChecksum ? .checksumMismatch : .malformed, "compressed data: \(reason)")
    }

    /// Whether some viewers decode a zlib stream differently. Poppler and PDF.js read ahead in a
    /// compressed block and lose a byte if a stored one follows, which no compressor writes for
    /// text; then they decode what follows the stream.
    package static func isAmbiguous(_ input: [UInt8]) -> Bool {
        var stream = unsafe z_stream()
        guard unsafe CZlib_inflateInit(&stream) == Z_OK else { return true }
        defer { _ = unsafe inflateEnd(&stream) }
        var consumed = 0
        var status = Z_OK
        var hasCompressedBlock = false
        var output = [UInt8](repeating: 0, count: 64 * 1024)
        while status == Z_OK {
            let before = consumed
            let written = unsafe output.withUnsafeMutableBufferPointer { buffer in
                unsafe stream.step(input, &consumed, buffer) {
                    status = unsafe CCodecs.inflate(&$0, Z_BLOCK)
                }
            }
            let state = unsafe stream.data_type
            if status == Z_OK, state & 0x80 != 0, state & 0x40 == 0 {
                // The header of a block: a bit for the last block, and two for the type.
                let bit = consumed * 8 - Int(state & 7)
                let header = (0..<3).map { offset in
                    let index = (bit + offset) / 8
                    return index < input.count ? input[index] >> UInt8((bit + offset) % 8) & 1 : 0
                }
                let isStored = header[1] == 0 && header[2] == 0
                let length = input.dropFirst((bit + 3 + 7) / 8).prefix(2)
                // Go's compressor ends with an empty block, after which nothing can be lost.
                let isEnd = header[0] == 1 && length.allSatisfy { $0 == 0 }
                if isStored, hasCompressedBlock, !isEnd { return true }
                if !isStored { hasCompressedBlock = true }
            } else if status == Z_OK, written == 0, consumed == before {
                return true
            }
        }
        return status != Z_STREAM_END || input.count - consumed > mostTrailingByteCount
    }

    /// Maximum number of bytes after a zlib stream: an end of line.
    private static let mostTrailingByteCount = 2

    /// Compresses with zlib's default level.
    package static func deflate(_ input: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        // Initialization does not depend on the input. It fails only if memory is exhausted, which
        // ends the process anyway, or with another major version of zlib, with which the program
        // would not start.
        guard unsafe CZlib_deflateInit(&stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
            fatalError("zlib cannot start")
        }
        defer { _ = unsafe deflateEnd(&stream) }

        var output: [UInt8] = []
        output.reserveCapacity(input.count / 2 + 64)
        var consumed = 0
        var status = Z_OK
        while status != Z_STREAM_END {
            unsafe output.append(addingCapacity: 16 * 1024) { buffer in
                let isLast = input.count - consumed <= mostStepByteCount
                return unsafe stream.step(input, &consumed, buffer) {
                    status = unsafe CCodecs.deflate(&$0, isLast ? Z_FINISH : Z_NO_FLUSH)
                }
            }
        }
        return output
    }
}

extension z_stream {
    /// Lets `run` consume the next input and write its output to `buffer`.
    ///
    /// - Parameter consumed: Number of consumed input bytes, which is increased.
    /// - Returns: Number of output bytes.
    fileprivate mutating func step(
        _ input: [UInt8], _ consumed: inout Int, _ buffer: UnsafeMutableBufferPointer<UInt8>,
        _ run: (inout z_stream) -> Void
    ) -> Int {
        let inputCount = min(input.count - consumed, Flate.mostStepByteCount)
        unsafe input.withUnsafeBufferPointer { source in
            unsafe next_in = UnsafeMutablePointer(
                mutating: source.baseAddress.map { unsafe $0 + consumed })
            unsafe avail_in = uInt(inputCount)
            unsafe next_out = buffer.baseAddress
            unsafe avail_out = uInt(buffer.count)
            unsafe run(&self)
        }
        consumed += unsafe inputCount - Int(avail_in)
        return unsafe buffer.count - Int(avail_out)
    }
}

extension Array where Element == UInt8 {
    /// Appends up to `capacity` bytes that `body` writes, without an intermediate buffer.
    ///
    /// - Parameter body: Fills the buffer from its start and returns the number of bytes written.
    fileprivate mutating func append(
        addingCapacity capacity: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        let oldCount = count
        append(contentsOf: repeatElement(0, count: capacity))
        let written = unsafe withUnsafeMutableBufferPointer { buffer in
            unsafe body(UnsafeMutableBufferPointer(rebasing: buffer[oldCount...]))
        }
        removeLast(capacity - written)
    }
}
