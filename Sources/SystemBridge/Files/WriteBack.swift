import Glibc

/// Starts writing a file's bytes to disk while more are appended, so that the final sync is short.
struct WriteBack {
    private let descriptor: FileDescriptor
    private var begun: Int
    private var written: Int

    /// Shorter ranges are not worth the call.
    private static let stretchByteCount = 8 * 1024 * 1024

    /// Starts at the descriptor's position.
    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        begun = max(0, lseek(descriptor.number, 0, SEEK_CUR))
        written = begun
    }

    /// Records that more bytes were written.
    mutating func note(_ byteCount: Int) {
        written += byteCount
        guard written - begun >= Self.stretchByteCount else { return }
        // For this advice Linux starts writing without waiting; the pages stay in memory until they
        // are on disk.
        _ = posix_fadvise(
            descriptor.number, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
        begun = written
    }
}
