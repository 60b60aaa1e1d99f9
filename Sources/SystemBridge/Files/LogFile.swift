import Base
import Glibc
import Synchronization

/// An append-only file of lines: each is written in one call, so that a killed process leaves
/// complete lines. One process at a time has it open, if locks are supported.
package final class LogFile: Sendable {
    /// The path as it was given.
    package let path: String
    private let descriptor: FileDescriptor
    private let identity: InputFile.Identity
    /// Whether the last line is incomplete, as after a power failure.
    private let endsInPart: Atomic<Bool>

    package static let lineByteLimit = 1 << 20
    /// Attempts to open the file if another one replaces it.
    private static let openLimit = 16

    /// Opens or creates the file. Nothing is written yet: it may be another program's file.
    ///
    /// - Throws: ``FileError``, `.busy` if another process has it.
    package init(_ path: String) throws(FileError) {
        var opened: (descriptor: FileDescriptor, status: stat)?
        for _ in 0..<Self.openLimit where opened == nil { opened = try Self.openLocked(path) }
        guard let (descriptor, status) = opened else {
            throw FileError(.busy, path: path, detail: "other programs replace the file")
        }
        self.path = path
        self.descriptor = descriptor
        identity = InputFile.Identity(status)
        endsInPart = Atomic(Self.endsInPart(descriptor, status: status))
        // No output may replace it.
        RunFiles.current?.note(read: identity)
    }

    /// - Returns: nil if another file has the name when this one is locked.
    private static func openLocked(
        _ path: String
    ) throws(FileError) -> (descriptor: FileDescriptor, status: stat)? {
        guard
            let descriptor = FileDescriptor.open(
                path, flags: O_RDWR | O_CREAT | O_APPEND | O_NOCTTY, mode: 0o666)
        else { throw .creating(path, errno: errno) }
        guard let found = descriptor.status(), found.kind == S_IFREG else {
            throw FileError(.cannotCreate, path: path, detail: "the path is not a file")
        }
        while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: throw FileError(.busy, path: path, detail: "another program uses it")
            case ENOLCK, ENOSYS, EINVAL, EOPNOTSUPP:
                Notices.say(.cannotLock, path)
                return (descriptor, found)
            default: throw .creating(path, errno: errno)
            }
        }
        // Another process may have written to it, or moved it.
        guard let status = descriptor.status() else { throw .reading(path, errno: errno) }
        return hasName(path, identity: InputFile.Identity(status)) ? (descriptor, status) : nil
    }

    /// Whether a path leads to this file, as far as can be determined.
    private static func hasName(_ path: String, identity: InputFile.Identity) -> Bool {
        guard let named = FileSystem.target(of: path) else { return errno != ENOENT }
        return InputFile.Identity(named) == identity
    }

    /// Passes each line to `body` without its end, including an incomplete last one.
    ///
    /// - Throws: ``FileError``, `.malformed` for a line beyond the limit, or what `body` throws.
    package func readLines(_ body: ([UInt8]) throws -> Void) throws {
        try descriptor.readLines(of: path, limit: Self.lineByteLimit, body)
    }

    /// Appends a line without line ends. For one thread at a time.
    ///
    /// - Throws: ``FileError``; the line is then removed if possible. `.changed` if the file was
    ///   moved or removed: another run would not find the line.
    package func append(_ line: [UInt8]) throws(FileError) {
        guard Self.hasName(path, identity: identity) else {
            throw FileError(
                .changed, path: path, detail: "the file was moved or removed while it was in use")
        }
        let before = descriptor.status()?.st_size
        let isBehindPart = endsInPart.load(ordering: .relaxed)
        let failure = descriptor.write(((isBehindPart ? [10] : []) + line + [10]).span)
        guard failure == 0 else {
            // Otherwise the next line would follow an incomplete one.
            if let before { ftruncate(descriptor.number, before) }
            throw .writing(path, errno: failure)
        }
        endsInPart.store(false, ordering: .relaxed)
    }

    /// Syncs all lines to disk.
    package func sync() throws(FileError) {
        guard fdatasync(descriptor.number) == 0 else { throw .writing(path, errno: errno) }
    }

    private static func endsInPart(_ descriptor: FileDescriptor, status: stat) -> Bool {
        guard status.st_size > 0 else { return false }
        var last: [UInt8] = [0]
        let count = try? descriptor.read(into: &last, at: Int(status.st_size) - 1, of: "")
        return count == 1 && last != [10]
    }
}
