import Base
import Glibc
import Synchronization

/// A name of an unfinished file: `.signet-PID-RANDOM.tmp`.
///
/// Most outputs have no name until they are complete. Such a file is locked while in use, so that
/// other processes recognize files of killed processes.
final class TemporaryName {
    let path: String
    private var ticket: Int?
    private var isGone = false

    private static let prefix = ".signet-"
    private static let suffix = ".tmp"
    /// Attempts with another random name.
    private static let tries = 16

    private init(_ path: String) {
        self.path = path
        // Before the file exists, since a signal may come in between.
        ticket = SignalCleanup.register(path: path)
    }

    deinit { remove() }

    /// Whether a name is that of an unfinished file.
    static func isOne(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(suffix) }

    /// Creates an object with a new name. Files of killed processes are removed from the folder first:
    /// a run that takes no such name, such as one with new outputs only, does not read the folder.
    ///
    /// - Parameter make: returns nil, with `errno` set, on failure.
    /// - Returns: nil, with `errno` set, on failure.
    static func take<Made>(
        in folder: String, _ make: (String) -> Made?
    ) -> (name: TemporaryName, made: Made)? {
        sweep(folder)
        for _ in 0..<tries {
            let random = UInt64.random(in: .min ... .max)
            let name = TemporaryName(
                "\(folder)/\(prefix)\(getpid())-\(String(random, radix: 36))\(suffix)")
            if let made = make(name.path) { return (name, made) }
            let failure = errno
            name.forget()
            errno = failure
            guard failure == EEXIST else { return nil }
        }
        return nil
    }

    /// A new file with such a name; nil, with `errno` set, on failure.
    static func file(
        in folder: String, mode: mode_t = 0o600
    ) -> (name: TemporaryName, made: FileDescriptor)? {
        take(in: folder) {
            FileDescriptor.open($0, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
        }
    }

    /// Removes the file, unless the name was already released.
    func remove() {
        guard !isGone else { return }
        _ = unsafe path.withSystemPath { unsafe unlink($0) }
        forget()
    }

    /// Registers that no file has the name any more.
    func forget() {
        isGone = true
        if let ticket { SignalCleanup.forget(ticket) }
        ticket = nil
    }

    // MARK: Files of killed processes

    private static let swept = Mutex<Set<ExactText>>([])
    /// Maximum number of entries of a folder read.
    private static let entryLimit = 20_000
    /// Seconds after which a process number may be reused.
    private static let reuseSeconds = 60

    /// Removes files of killed processes from a folder, once per run.
    static func sweep(_ folder: String) {
        guard swept.withLock({ $0.insert(ExactText(folder)).inserted }),
            let stream = unsafe folder.withSystemPath({ unsafe opendir($0) })
        else { return }
        defer { unsafe closedir(stream) }
        var left: [String] = []
        for _ in 0..<entryLimit {
            guard let entry = unsafe readdir(stream) else { break }
            // Most names are skipped after their first characters.
            guard unsafe entry.pointee.d_name.0 == 0x2E, unsafe entry.pointee.d_name.1 == 0x73
            else { continue }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 1) { characters in
                    unsafe String(systemPath: characters)
                }
            }
            if isOne(name) { left.append(name) }
        }
        for name in left { removeIfLeft("\(folder)/\(name)", name: name) }
    }

    private static func removeIfLeft(_ path: String, name: String) {
        let parts = name.dropFirst(prefix.count).split(separator: "-")
        guard parts.count == 2, let process = pid_t(parts[0]), process > 0,
            let file = FileDescriptor.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            let status = file.status(), status.kind == S_IFREG,
            status.st_uid == geteuid(), flock(file.number, LOCK_EX | LOCK_NB) == 0
        else { return }
        // A new file may not be locked yet.
        let isAlive = kill(process, 0) == 0 || errno != ESRCH
        guard !isAlive || time(nil) - status.st_ctim.tv_sec > reuseSeconds else { return }
        _ = unsafe path.withSystemPath { unsafe unlink($0) }
    }
}
