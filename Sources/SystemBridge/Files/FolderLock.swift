import Base
import Glibc

/// A lock for work on a folder. It ends with its last owner, however the process ends.
package final class FolderLock {
    private let file: FileDescriptor

    /// How long to wait for another program that works on the folder, and when to say so.
    private static let waitLimit: Duration = .seconds(10)
    private static let noticeDelay: Duration = .seconds(2)
    /// How long to wait for a file that another program writes.
    static let fileWaitLimit: Duration = .seconds(60)
    private static let sleepMicroseconds: UInt32 = 5000

    /// Waits for the lock, with a notice after two seconds, and for ten seconds at most.
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
        let kind = isShared ? LOCK_SH : LOCK_EX
        if Self.acquire(file, kind: kind, within: Self.noticeDelay) { return }
        if errno == EWOULDBLOCK { Notices.say(.waitingForProgram, path) }
        guard Self.acquire(file, kind: kind, within: Self.waitLimit - Self.noticeDelay) else {
            throw errno == EWOULDBLOCK
                ? FileError(.busy, path: path, detail: "another program uses it")
                : .writing(path, errno: errno)
        }
    }

    /// Waits for a lock of an open file, `LOCK_SH` or `LOCK_EX`; false with `errno` set after a
    /// failure, `EWOULDBLOCK` after a timeout.
    static func acquire(
        _ file: FileDescriptor, kind: Int32, within limit: Duration = fileWaitLimit
    ) -> Bool {
        let deadline = ContinuousClock.now + limit
        while flock(file.number, kind | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK, .now < deadline else { return false }
            usleep(sleepMicroseconds)
        }
        return true
    }
}
