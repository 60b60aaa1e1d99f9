import Glibc

/// An open file, closed with its last owner.
final class FileDescriptor: Sendable {
    let number: Int32
    private let closesWhenDone: Bool

    /// Takes over an open descriptor.
    ///
    /// - Parameter borrowed: Leave it open at the end, as standard input and output must be.
    init(_ number: Int32, borrowed: Bool = false) {
        self.number = number
        closesWhenDone = !borrowed
    }

    deinit {
        if closesWhenDone { close(number) }
    }

    /// `open(2)`, tried again when a signal interrupts; `nil` with `errno` set when it fails.
    static func open(_ path: String, flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
        var number: Int32
        repeat {
            number = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        } while number < 0 && errno == EINTR
        return number < 0 ? nil : FileDescriptor(number)
    }

    /// `fstat(2)`; `nil` with `errno` set when it fails.
    func status() -> stat? {
        var result = stat()
        return unsafe fstat(number, &result) == 0 ? result : nil
    }

    /// Reads into `buffer` at its own position until it is full or the file ends.
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
                return -Int(errno)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
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
                    return errno
                }
                // Zero bytes for a positive count: the device takes nothing more.
                if count == 0 { return ENOSPC }
                written += count
            }
            return 0
        }
    }

    /// A file without a name in the folder for temporary files: it vanishes when closed.
    static func anonymousTemporary() throws(FileError) -> FileDescriptor {
        let folder = ProcessEnvironment.string("TMPDIR") ?? "/tmp"
        var template = Array("\(folder)/signet-XXXXXX".utf8CString)
        let number = unsafe mkstemp(&template)
        guard number >= 0 else { throw .creating(folder, errno: errno) }
        _ = unsafe unlink(template)
        return FileDescriptor(number)
    }
}
