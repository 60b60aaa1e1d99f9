package import ByteKit
import CWindow
import Glibc

/// A file opened for reading.
///
/// A file that shrinks meanwhile gives an error, not a signal, and memory use does not follow the
/// file's size.
package final class InputFile: ByteSource {
    static let chunkByteCount = 256 * 1024
    /// From this size on mapping pays.
    private static let mappedByteCount = 1 << 20
    private static let windowByteCount = 4 << 20

    /// Which file this is, whatever its name.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64
    }

    /// The path as it was given.
    package let path: String
    package let byteCount: Int
    /// The permission bits, `0o777` at most.
    package let permissions: UInt32
    /// `nil` for standard input and for outputs.
    package let identity: Identity?
    let descriptor: FileDescriptor

    /// Opens a file; `-` is standard input.
    ///
    /// What cannot be read at any position (a pipe, a terminal) is copied to a temporary file
    /// without a name first.
    package init(path: String) throws(FileError) {
        let opened: FileDescriptor
        if path == "-" {
            opened = FileDescriptor(STDIN_FILENO, borrowed: true)
        } else {
            guard let file = FileDescriptor.open(path, flags: O_RDONLY | O_NOCTTY) else {
                throw .reading(path, errno: errno)
            }
            opened = file
        }
        guard let status = opened.status() else { throw .reading(path, errno: errno) }
        let type = status.st_mode & S_IFMT
        guard type != S_IFDIR else {
            throw FileError(.notAFile, path: path, detail: "is a folder")
        }
        self.path = path
        if type == S_IFREG, path != "-" || lseek(opened.number, 0, SEEK_CUR) == 0 {
            descriptor = opened
            byteCount = Int(status.st_size)
        } else {
            descriptor = try FileDescriptor.anonymousTemporary()
            byteCount = try Self.spool(from: opened, to: descriptor, path: path)
        }
        permissions = UInt32(status.st_mode & 0o777)
        identity =
            path == "-"
            ? nil : Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Opens what was written to an output so far, before it has its name.
    package init(_ output: AtomicOutput) throws(FileError) {
        guard let status = output.descriptor.status() else {
            throw .reading(output.path, errno: errno)
        }
        path = output.path
        byteCount = Int(status.st_size)
        permissions = UInt32(status.st_mode & 0o777)
        identity = nil
        descriptor = output.descriptor
    }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: byteCount)
        var outcome = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) {
            buffer, initialized in
            outcome = unsafe descriptor.read(
                into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            initialized = max(0, outcome)
        }
        if outcome < 0 {
            throw SourceError(
                .readFailed, detail: FileError.systemMessage(Int32(-outcome)), offset: offset)
        }
        guard outcome == range.count else {
            throw SourceError(.readFailed, detail: "the file became shorter", offset: offset)
        }
        return bytes
    }

    /// Reads a range from its start to its end: mapped where there is much to read and the file
    /// system maps, else through one buffer that is used again and again.
    ///
    /// - Throws: ``FileError`` when reading fails, or what `body` throws.
    package func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
        try requireInside(range)
        var position =
            range.count < Self.mappedByteCount
            ? range.lowerBound : try streamMapped(range, body)
        guard position < range.upperBound else { return }
        var buffer = [UInt8](
            repeating: 0, count: min(Self.chunkByteCount, range.upperBound - position))
        while position < range.upperBound {
            let wanted = min(buffer.count, range.upperBound - position)
            let count = unsafe buffer.withUnsafeMutableBytes { storage in
                unsafe descriptor.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: storage[..<wanted]), at: position)
            }
            guard count >= 0 else { throw FileError.reading(path, errno: Int32(-count)) }
            guard count == wanted else { throw becameShorter }
            try body(buffer.span.extracting(0..<wanted))
            position += wanted
        }
    }

    /// Nothing is copied, and one window at a time keeps memory from growing with the file.
    ///
    /// - Returns: Up to where `body` was handed the bytes. Not every file system maps.
    private func streamMapped(
        _ range: Range<Int>, _ body: (Span<UInt8>) throws -> Void
    ) throws -> Int {
        let alignment = CWindow_alignment()
        var position = range.lowerBound
        while position < range.upperBound {
            let start = position / alignment * alignment
            let count = min(Self.windowByteCount, range.upperBound - start)
            var window = unsafe CWindow()
            guard unsafe CWindow_open(descriptor.number, Int64(start), count, &window) == 0 else {
                return position
            }
            let result = Result {
                let bytes = unsafe UnsafeBufferPointer(start: window.bytes, count: window.count)
                try unsafe body(bytes.span.extracting((position - start)..<count))
            }
            // What `body` says about bytes that are not in the file any more does not count: zeros
            // stood there, or the system could not write them elsewhere.
            guard unsafe CWindow_close(&window) == 0 else { throw becameShorter }
            if case .failure = result, descriptor.status().map({ $0.st_size }) ?? 0 < byteCount {
                throw becameShorter
            }
            try result.get()
            position = start + count
        }
        return position
    }

    private var becameShorter: FileError {
        FileError(.io, path: path, detail: "the file became shorter")
    }

    /// As above, each part being written behind the caller's back when `tee` has seen it.
    func stream(
        range: Range<Int>, through writer: BackgroundWriter, _ tee: (Span<UInt8>) throws -> Void
    ) throws {
        try requireInside(range)
        var position = range.lowerBound
        while position < range.upperBound {
            try unsafe writer.fill { buffer in
                let wanted = min(buffer.count, range.upperBound - position)
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                let count = unsafe descriptor.read(into: part, at: position)
                guard count >= 0 else { throw FileError.reading(path, errno: Int32(-count)) }
                guard count == wanted else { throw becameShorter }
                try unsafe tee(part.bindMemory(to: UInt8.self).span)
                position += wanted
                return wanted
            }
        }
    }

    private func requireInside(_ range: Range<Int>) throws(FileError) {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw FileError(.io, path: path, detail: "range \(range) is outside the file")
        }
    }

    private static func spool(
        from input: FileDescriptor, to output: FileDescriptor, path: String
    ) throws(FileError) -> Int {
        var buffer = [UInt8](repeating: 0, count: chunkByteCount)
        var total = 0
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { storage in
                unsafe input.read(into: storage, at: nil)
            }
            guard count >= 0 else { throw .reading(path, errno: Int32(-count)) }
            guard count > 0 else { return total }
            let failure = output.write(buffer.span.extracting(0..<count))
            guard failure == 0 else { throw .writing(path, errno: failure) }
            total += count
        }
    }
}
