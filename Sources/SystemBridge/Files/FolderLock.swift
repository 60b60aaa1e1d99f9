import Glibc

/// A lock for work on a folder. It ends with its last owner, however the process ends.
package final class FolderLock {
    private let file: FileDescriptor

    /// Seconds to wait for another program.
    private static let waitSeconds = 60
    private static let sleepMicroseconds: UInt32 = 5000

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - path: the lock file, created if necessary.
    ///   - isShared: whether other processes may share the lock.
    /// - Throws: ``FileError``, `.busy` if others hold it for too long.
    package init(_ path: String, isShared: Bool) throws(FileError) {
        guard
            let file = FileDescriptor.open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        else { throw .creating(path, errno: errno) }
        self.file = file
        guard Self.acquire(file, kind: isShared ? LOCK_SH : LOCK_EX) else {
            throw errno == EWOULDBLOCK
                ? FileError(.busy, path: path, detail: "another program uses it")
                : .writing(path, errno: errno)
        }
    }

    /// Waits for a lock of an open file, `LOCK_SH` or `LOCK_EX`; false with `errno` set after a
    /// failure, `EWOULDBLOCK` after a timeout.
    static func acquire(_ file: FileDescriptor, kind: Int32) -> Bool {
        let deadline = ContinuousClock.now + .seconds(waitSeconds)
        while flock(file.number, kind | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK, .now < deadline else { return false }
            usleep(sleepMicroseconds)
        }
        return true
    }
}
