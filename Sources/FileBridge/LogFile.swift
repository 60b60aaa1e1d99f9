import Glibc

/// A file of lines that grows: each is written at one go, so that a process that is killed leaves
/// whole lines. One process at a time has it.
package final class LogFile: Sendable {
    /// The path as it was given.
    package let path: String
    private let descriptor: FileDescriptor

    /// Longer lines are nobody's of ours.
    package static let lineByteLimit = 1 << 20
    private static let chunkByteCount = 1 << 16

    /// Opens the file, or makes it.
    ///
    /// - Throws: ``FileError``, `.busy` when another process has it.
    package init(_ path: String) throws(FileError) {
        guard
            let descriptor = FileDescriptor.open(
                path, flags: O_RDWR | O_CREAT | O_APPEND | O_NOCTTY, mode: 0o666)
        else { throw .creating(path, errno: errno) }
        guard let status = descriptor.status(), status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(.cannotCreate, path: path, detail: "is no file")
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError(.busy, path: path, detail: "another program holds it")
        }
        self.path = path
        self.descriptor = descriptor
        try endTornLine(status)
    }

    /// Hands over each whole line that there is, without its end.
    ///
    /// - Throws: ``FileError``, `.malformed` for a line beyond the limit, or what `body` throws.
    package func readLines(_ body: ([UInt8]) throws -> Void) throws {
        var position = 0
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { storage in
                unsafe descriptor.read(into: storage, at: position)
            }
            guard count >= 0 else { throw FileError.reading(path, errno: Int32(-count)) }
            guard count > 0 else { return }
            position += count
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 10) {
                try body(line + rest[..<end])
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= Self.lineByteLimit else {
                throw FileError(
                    .malformed, path: path,
                    detail: "a line has over \(Self.lineByteLimit) bytes")
            }
        }
    }

    /// Appends a line, which must hold no end of line itself. For one thread at a time.
    ///
    /// - Throws: ``FileError``; then nothing of the line is there, as far as that can be.
    package func append(_ line: [UInt8]) throws(FileError) {
        let before = descriptor.status()?.st_size
        let failure = descriptor.write((line + [10]).span)
        guard failure == 0 else {
            // The next line would stand behind a part of this one.
            if let before { ftruncate(descriptor.number, before) }
            throw .writing(path, errno: failure)
        }
    }

    /// Brings all lines to the disk.
    package func sync() throws(FileError) {
        guard fdatasync(descriptor.number) == 0 else { throw .writing(path, errno: errno) }
    }

    /// A power failure may have left a part of a line: what follows is another one.
    private func endTornLine(_ status: stat) throws(FileError) {
        guard status.st_size > 0 else { return }
        var last: [UInt8] = [0]
        let count = unsafe last.withUnsafeMutableBytes { storage in
            unsafe descriptor.read(into: storage, at: Int(status.st_size) - 1)
        }
        if count == 1, last != [10] { try append([]) }
    }
}
