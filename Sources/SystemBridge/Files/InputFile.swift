package import Base
import Glibc

/// A file opened for reading.
///
/// A file that shrinks causes an error, not a signal, and memory use is independent of the file's
/// size.
package final class InputFile: ByteSource {
    /// A larger buffer would slow down small files.
    static let chunkByteCount = 64 * 1024

    /// The identity of a file, independent of its name.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// Modification time and status change time: the latter cannot be reset.
    struct Times: Equatable, Sendable {
        let written: [Int]
        private let changed: [Int]

        init(_ status: stat) {
            written = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    struct Opened: Sendable {
        let descriptor: FileDescriptor
        let byteCount: Int
        let permissions: UInt32
        /// Nil unless the file was opened by its path.
        let identity: Identity?
        let times: Times
        /// Whether the bytes were copied because they can be read only once.
        let isCopy: Bool
    }

    /// The path as it was given.
    package let path: String
    private let opened: Opened
    package var byteCount: Int { opened.byteCount }
    /// The permission bits, `0o777` at most.
    package var permissions: UInt32 { opened.permissions }
    /// `nil` unless the file was opened by its path, or is an output.
    package var identity: Identity? { opened.identity }
    var descriptor: FileDescriptor { opened.descriptor }
    /// Whether its permissions are meaningful: it has a name, and is not a pipe.
    var hasPermissions: Bool { identity != nil && !opened.isCopy }

    /// Opens a file; `-` is standard input.
    ///
    /// A source without random access (a pipe, a terminal) is first copied to an unnamed temporary
    /// file.
    ///
    /// - Parameters:
    ///   - isReplaced: whether an output will replace it: it is then locked, waiting for other
    ///     processes that do the same.
    ///   - pipeLimit: most bytes read from a pipe.
    package init(
        path: String, isReplaced: Bool = false, pipeLimit: Int = pipeByteLimit
    ) throws(FileError) {
        self.path = path
        func open() throws(FileError) -> Opened {
            guard let run = RunFiles.current else { return try Self.open(path, limit: pipeLimit) }
            return try run.open(path) { () throws(FileError) in
                try Self.open(path, limit: pipeLimit)
            }
        }
        var file = try open()
        while isReplaced {
            if !FolderLock.acquire(file.descriptor, kind: LOCK_EX), errno == EWOULDBLOCK {
                throw FileError(.busy, path: path, detail: "another program replaces the file")
            }
            // The previous holder of the lock has replaced this file.
            guard let named = FileSystem.target(of: path), Identity(named) != file.identity
            else { break }
            RunFiles.current?.forget(path)
            file = try open()
        }
        opened = file
    }

    /// Opens an output of an earlier run, which this run may replace.
    package init(outputOf path: String) throws(FileError) {
        self.path = path
        opened = try Self.open(path, limit: Self.pipeByteLimit)
    }

    /// Bytes in memory.
    ///
    /// - Parameter name: name in messages, in place of a path.
    package init(bytes: [UInt8], name: String) throws(FileError) {
        path = name
        let file = try FileDescriptor.temporaryStore()
        try file.write(bytes.span, to: name)
        opened = Opened(
            descriptor: file, byteCount: bytes.count, permissions: 0o600, identity: nil,
            times: Times(stat()), isCopy: true)
    }

    /// A file that is open for reading. It stays open.
    ///
    /// - Parameter name: name in messages, in place of a path.
    package init(descriptor: Int32, name: String) throws(FileError) {
        path = name
        opened = try Self.open(
            name, limit: Self.pipeByteLimit, given: FileDescriptor(descriptor, borrowed: true),
            atPosition: false)
    }

    private static func open(_ path: String, limit: Int) throws(FileError) -> Opened {
        let given = path == "-" ? FileDescriptor(STDIN_FILENO, borrowed: true) : nil
        return try open(path, limit: limit, given: given, atPosition: true)
    }

    /// - Parameters:
    ///   - given: an open file.
    ///   - atPosition: whether to use only the bytes after its position.
    private static func open(
        _ path: String, limit: Int, given: FileDescriptor?, atPosition: Bool
    ) throws(FileError) -> Opened {
        let file: FileDescriptor
        if let given {
            file = given
        } else {
            // Without O_NONBLOCK opening a pipe would block until there is a writer.
            let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK
            guard let named = FileDescriptor.open(path, flags: flags) else {
                throw .reading(path, errno: errno)
            }
            file = named
        }
        guard let status = file.status() else { throw .reading(path, errno: errno) }
        let type = status.kind
        // Reads of a regular file never wait.
        let head = given != nil || type == S_IFREG ? [] : file.makeBlocking(isPipe: type == S_IFIFO)
        guard let head else {
            throw FileError(
                .notAFile, path: path,
                detail: "the pipe has no writer (waited "
                    + "\(FileDescriptor.pipeWaitSeconds) s)")
        }
        guard type != S_IFDIR else {
            throw FileError(.notAFile, path: path, detail: "the path is a folder")
        }
        guard type != S_IFCHR || given != nil || isatty(file.number) == 1 || file.isExhausted else {
            throw FileError(.notAFile, path: path, detail: "the path is a device")
        }
        let isPlain =
            type == S_IFREG
            && (given == nil || !atPosition || lseek(file.number, 0, SEEK_CUR) == 0)
        let copied = isPlain ? nil : try spool(head, from: file, path: path, limit)
        return Opened(
            descriptor: copied?.file ?? file, byteCount: copied?.byteCount ?? Int(status.st_size),
            permissions: UInt32(status.st_mode & 0o777),
            identity: given == nil ? Identity(status) : nil, times: Times(status),
            isCopy: copied != nil)
    }

    /// Throws unless a path still leads to the opened file, unmodified.
    func requireUnchanged(at path: String) throws(FileError) {
        guard let now = FileSystem.target(of: path),
            Identity(now) == opened.identity, now.st_size == opened.byteCount,
            Times(now) == opened.times
        else { throw Self.wasChanged(self.path) }
    }

    /// Whether a path names the opened file, and the file was not written since. Renaming a file
    /// is a change, but not a write.
    func isUnwrittenFile(at path: String) -> Bool {
        guard let now = FileSystem.status(of: path) else { return false }
        return Identity(now) == opened.identity && now.st_size == opened.byteCount
            && Times(now).written == opened.times.written
    }

    static func wasChanged(_ path: String) -> FileError {
        FileError(.changed, path: path, detail: "the file was changed since it was read")
    }

    /// Throws if the file was written since it was opened.
    package func requireUnchanged() throws(FileError) {
        guard !opened.isCopy else { return }
        guard let now = descriptor.status(), now.st_size == opened.byteCount,
            Times(now) == opened.times
        else {
            throw FileError(.changed, path: path, detail: "the file was changed while it was read")
        }
    }

    /// Opens the content of an unfinished output.
    package init(_ output: AtomicOutput) throws(FileError) {
        guard let status = output.descriptor.status() else {
            throw .reading(output.path, errno: errno)
        }
        path = output.path
        opened = Opened(
            descriptor: output.descriptor, byteCount: Int(status.st_size),
            permissions: UInt32(status.st_mode & 0o777), identity: nil, times: Times(status),
            isCopy: false)
    }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: byteCount)
        guard Self.hasMemory(range.count) else {
            throw SourceError(.readFailed, detail: "out of memory", offset: offset)
        }
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

    /// Reads a range from its start to its end through one reused buffer.
    ///
    /// - Throws: ``FileError`` when reading fails, or what `body` throws.
    package func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
        try requireInside(range)
        var position = range.lowerBound
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
            try note(position, in: range)
        }
    }

    /// Passes each line to `body` without its end, including an incomplete last one.
    ///
    /// - Throws: ``FileError``, `.malformed` for a line of more than `limit` bytes, or what `body`
    ///   throws.
    package func readLines(limit: Int, _ body: ([UInt8]) throws -> Void) throws {
        try descriptor.readLines(of: path, limit: limit, body)
    }

    private var becameShorter: FileError {
        FileError(.io, path: path, detail: "the file became shorter")
    }

    /// Streams the file like ``stream(range:_:)``; each part is written on a background thread after it
    /// was passed to `tee`.
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
            try note(position, in: range)
        }
    }

    /// Tells the current run of a pass over a range, and ends it if the run was cancelled.
    private func note(_ position: Int, in range: Range<Int>) throws(FileError) {
        guard let run = WorkRun.current else { return }
        try WorkRun.check(path)
        run.tell(.read(byteCount: position - range.lowerBound, of: range.count))
    }

    private func requireInside(_ range: Range<Int>) throws(FileError) {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw FileError(.io, path: path, detail: "range \(range) is outside the file")
        }
    }

    /// Smaller amounts are not checked.
    private static let largeByteCount = 1 << 20

    /// Whether this much memory is available: a failed array allocation ends the process.
    private static func hasMemory(_ byteCount: Int) -> Bool {
        guard byteCount >= largeByteCount else { return true }
        let probe = unsafe malloc(byteCount)
        defer { unsafe free(probe) }
        return unsafe probe != nil
    }

    /// Pipes up to this size stay in memory, since they may contain keys and passphrases.
    private static let spooledInMemory = 1 << 20
    /// Maximum number of bytes read from a pipe: more than PDF offsets can address.
    package static let pipeByteLimit = 10_000_000_000

    private static func spool(
        _ head: [UInt8], from input: FileDescriptor, path: String, _ limit: Int
    ) throws(FileError) -> (file: FileDescriptor, byteCount: Int) {
        var buffer = [UInt8](repeating: 0, count: chunkByteCount)
        var output = FileDescriptor.inMemory()
        var total = 0
        var head = head
        while true {
            for index in head.indices { buffer[index] = head[index] }
            let count =
                head.isEmpty
                ? try input.read(into: &buffer, at: nil, of: path) : head.count
            head = []
            var target =
                if let output { output } else { try FileDescriptor.anonymousTemporary() }
            if total <= spooledInMemory, total + count > spooledInMemory, output != nil {
                let onDisk = try FileDescriptor.anonymousTemporary()
                try target.copyContent(to: onDisk, path: path)
                target = onDisk
            }
            output = target
            guard count > 0 else { return (target, total) }
            try target.write(buffer.span.extracting(0..<count), to: path)
            total += count
            // The pipe may never end.
            guard total <= limit else {
                throw FileError(
                    .tooLarge, path: path, detail: "the input has more than \(limit) bytes")
            }
        }
    }
}
