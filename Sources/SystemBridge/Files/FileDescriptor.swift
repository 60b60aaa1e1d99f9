import CSystemCalls
import Glibc

/// An open file, closed with its last owner.
final class FileDescriptor: Sendable {
    let number: Int32
    private let closesWhenDone: Bool

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameter borrowed: whether it stays open, as for standard input and output.
    init(_ number: Int32, borrowed: Bool = false) {
        self.number = number
        closesWhenDone = !borrowed
    }

    deinit { if closesWhenDone { close(number) } }

    /// `open(2)`, retried after an interruption by a signal; `nil` with `errno` set on failure.
    static func open(_ path: String, flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
        var number: Int32
        repeat {
            number = unsafe path.withSystemPath { unsafe Glibc.open($0, flags | O_CLOEXEC, mode) }
        } while number < 0 && errno == EINTR
        return number < 0 ? nil : FileDescriptor(number)
    }

    /// Seconds to wait for the other end of a named pipe: both programs may be started in any
    /// order.
    static let pipeWaitSeconds = 5
    /// Interval of attempts to open the pipe.
    private static let pipePauseMilliseconds: Int32 = 20

    /// Makes reads of a descriptor opened with `O_NONBLOCK` blocking.
    ///
    /// - Returns: bytes already read from a pipe; nil for a pipe without a writer.
    func makeBlocking(isPipe: Bool) -> [UInt8]? {
        defer { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK) }
        guard isPipe else { return [] }
        let deadline = ContinuousClock.now + .seconds(Self.pipeWaitSeconds)
        var byte = [UInt8](repeating: 0, count: 1)
        while true {
            // Only a read distinguishes an empty pipe from one without a writer.
            let count = unsafe Glibc.read(number, &byte, 1)
            if count == 1 { return byte }
            if count < 0, errno == EAGAIN { return [] }
            // The writer closed the pipe without writing.
            var end = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&end, 1, Self.pipePauseMilliseconds) == 1,
                end.revents & Int16(POLLHUP) != 0, end.revents & Int16(POLLIN) == 0
            {
                return []
            }
            guard .now < deadline else { return nil }
        }
    }

    /// Opens a named pipe for writing, and waits for a reader.
    ///
    /// - Returns: nil with `errno` set, `ENXIO` without a reader.
    static func openToWrite(pipe path: String) -> FileDescriptor? {
        let deadline = ContinuousClock.now + .seconds(pipeWaitSeconds)
        while true {
            if let pipe = open(path, flags: O_WRONLY | O_NOCTTY | O_NONBLOCK) {
                _ = pipe.makeBlocking(isPipe: false)
                return pipe
            }
            guard errno == ENXIO, .now < deadline else { return nil }
            usleep(UInt32(pipePauseMilliseconds) * 1000)
        }
    }

    /// Whether nothing can be read: true for /dev/null, false for /dev/zero.
    var isExhausted: Bool {
        var byte: UInt8 = 0
        return unsafe Glibc.read(number, &byte, 1) == 0
    }

    /// `fstat(2)`; `nil` with `errno` set when it fails.
    func status() -> stat? {
        var result = stat()
        return unsafe fstat(number, &result) == 0 ? result : nil
    }

    /// Reads until `buffer` is full or the file ends.
    ///
    /// - Parameter offset: Where to read; `nil` for the descriptor's position.
    /// - Returns: How many bytes were read, or the error number as a negative value.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int?) -> Int {
        var filled = 0
        while filled < buffer.count {
            let target = unsafe buffer.baseAddress.map { unsafe $0 + filled }
            let wanted = buffer.count - filled
            let count =
                if let offset {
                    unsafe pread(number, target, wanted, off_t(offset + filled))
                } else {
                    unsafe Glibc.read(number, target, wanted)
                }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN, offset == nil, wait(for: POLLIN) { continue }
                return -Int(errno)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Reads like ``read(into:at:)``, but throws on failure.
    ///
    /// - Parameter path: path in the error.
    func read(
        into buffer: inout [UInt8], at offset: Int?, of path: String
    ) throws(FileError) -> Int {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(into: $0, at: offset) }
        guard count >= 0 else { throw .reading(path, errno: Int32(-count)) }
        return count
    }

    /// Passes each line of the whole content to `body` without its end, including an incomplete
    /// last one.
    ///
    /// - Parameter limit: maximum size of a line in bytes.
    func readLines(of path: String, limit: Int, _ body: ([UInt8]) throws -> Void) throws {
        var position = 0
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: InputFile.chunkByteCount)
        while true {
            let count = try read(into: &buffer, at: position, of: path)
            guard count > 0 else {
                if !line.isEmpty { try body(line) }
                return
            }
            position += count
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 10) {
                try body(line + rest[..<end])
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= limit else {
                throw FileError(
                    .malformed, path: path, detail: "a line has more than \(limit) bytes")
            }
        }
    }

    /// Waits for a pipe or terminal that another process has set to nonblocking mode.
    private func wait(for event: Int32) -> Bool {
        var state = pollfd(fd: number, events: Int16(event), revents: 0)
        while unsafe poll(&state, 1, -1) < 0 { guard errno == EINTR else { return false } }
        return true
    }

    /// Writes everything; returns 0 or the error number.
    func write(_ bytes: Span<UInt8>) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let source = unsafe buffer.baseAddress.map { unsafe $0 + written }
                let count = unsafe Glibc.write(number, source, buffer.count - written)
                if count < 0 {
                    if errno == EINTR { continue }
                    if errno == EAGAIN, wait(for: POLLOUT) { continue }
                    return errno
                }
                // Zero bytes for a positive count: the device is full.
                if count == 0 { return ENOSPC }
                written += count
            }
            return 0
        }
    }

    /// Writes like ``write(_:)``, but throws on failure.
    ///
    /// - Parameter path: path in the error.
    func write(_ bytes: Span<UInt8>, to path: String) throws(FileError) {
        let failure = write(bytes)
        guard failure == 0 else { throw .writing(path, errno: failure) }
    }

    /// Copies the whole content, regardless of the descriptor's position.
    ///
    /// - Parameter path: path of the output, for messages.
    func copyContent(to device: FileDescriptor, path: String) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: InputFile.chunkByteCount)
        var position = 0
        while true {
            let count = try read(into: &buffer, at: position, of: path)
            guard count > 0 else { return }
            try device.write(buffer.span.extracting(0..<count), to: path)
            position += count
        }
    }

    /// An unnamed file in the folder for temporary files: it vanishes when closed.
    static func anonymousTemporary() throws(FileError) -> FileDescriptor {
        let folder = ProcessEnvironment.absolutePath("TMPDIR") ?? "/tmp"
        // A temporary name is removed at the end of the scope.
        guard let made = create(in: folder, mode: 0o600) else {
            throw .creating(folder, errno: errno)
        }
        return made.file
    }

    /// A new file in a folder, without a name if possible; nil with `errno` set on failure.
    static func create(
        in folder: String, mode: mode_t
    ) -> (file: FileDescriptor, name: TemporaryName?)? {
        let number = unsafe folder.withSystemPath { unsafe CFile_open_unnamed($0, mode) }
        if number >= 0 { return (FileDescriptor(number), nil) }
        return TemporaryName.file(in: folder, mode: mode).map { ($0.made, $0.name) }
    }

    /// A temporary store for bytes: in memory if the system supports such files.
    static func temporaryStore() throws(FileError) -> FileDescriptor {
        if let file = inMemory() { return file }
        return try anonymousTemporary()
    }

    /// An unnamed file in memory; nil if not supported.
    static func inMemory() -> FileDescriptor? {
        let number = CFile_open_memory()
        return number < 0 ? nil : FileDescriptor(number)
    }
}
