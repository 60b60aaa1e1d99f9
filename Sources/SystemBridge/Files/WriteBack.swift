import Glibc

/// Has a file's bytes brought to the disk while more are appended, so that little is left for the
/// sync at its end.
struct WriteBack {
    private let descriptor: FileDescriptor
    private var begun: Int
    private var written: Int

    /// Shorter stretches cost more than they gain.
    private static let stretchByteCount = 8 * 1024 * 1024

    /// Counts from the descriptor's position on.
    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        begun = max(0, lseek(descriptor.number, 0, SEEK_CUR))
        written = begun
    }

    /// Notes that so many bytes more were written.
    mutating func note(_ byteCount: Int) {
        written += byteCount
        guard written - begun >= Self.stretchByteCount else { return }
        // Linux begins to write what it is told not to keep, without waiting; until it is on the
        // disk it stays in memory all the same.
        _ = posix_fadvise(
            descriptor.number, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
        begun = written
    }
}
