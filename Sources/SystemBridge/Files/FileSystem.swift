import Base
import Glibc

package enum FileSystem {
    /// Whether something with this name exists, including a dangling link.
    package static func exists(_ path: String) -> Bool { status(of: path) != nil }

    /// The status of a file, or of a symbolic link itself; nil with `errno` set if there is none.
    static func status(of path: String) -> stat? {
        var status = stat()
        return unsafe path.withSystemPath { unsafe lstat($0, &status) } == 0 ? status : nil
    }

    /// The status of a file, following links; nil with `errno` set if it does not exist.
    static func target(of path: String) -> stat? {
        var status = stat()
        return unsafe path.withSystemPath { unsafe stat($0, &status) } == 0 ? status : nil
    }

    /// The status of a path.
    struct Found {
        /// The status of the file after links; nil if it does not exist.
        let target: stat?
        let isLink: Bool
    }

    /// Usually one system call.
    static func find(_ path: String) -> Found {
        let named = status(of: path)
        let isLink = named?.kind == S_IFLNK
        return Found(target: isLink ? target(of: path) : named, isLink: isLink)
    }

    package static func isDirectory(_ path: String) -> Bool { target(of: path)?.kind == S_IFDIR }

    /// Whether the path leads to a folder; nil if nothing exists there.
    package static func isDirectoryIfThere(_ path: String) -> Bool? {
        let found = find(path)
        return found.target.map { $0.kind == S_IFDIR } ?? (found.isLink ? false : nil)
    }

    /// Whether the path leads to a folder. Throws if that cannot be determined.
    package static func hasFolder(_ path: String) throws(FileError) -> Bool {
        if let status = target(of: path) { return status.kind == S_IFDIR }
        guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw .reading(path, errno: errno) }
        return false
    }

    package static func isExecutable(_ path: String) -> Bool {
        unsafe path.withSystemPath { unsafe access($0, X_OK) } == 0 && isRegularFile(path)
    }

    /// Whether other users may change a file or folder: it belongs neither to the user nor to
    /// root, or its group or others may write to it. True if it does not exist.
    static func isChangeableByOthers(_ path: String) -> Bool {
        guard let status = target(of: path) else { return true }
        return !status.isOwn || status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// Whether other users may replace a folder in the path of a file: it is writable by all and
    /// has no sticky bit.
    static func isOpenToAll(_ folder: String) -> Bool {
        guard let status = target(of: folder) else { return true }
        return status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0
    }

    /// Whether a file belongs to the user or to root, and is not writable by all. Pipes and other
    /// files that are not regular are not checked.
    package static func isOwn(_ path: String) -> Bool {
        guard let status = target(of: path), status.kind == S_IFREG else { return true }
        return status.isOwn && status.st_mode & S_IWOTH == 0
    }

    /// Whether the path leads to a regular file: not to a folder, pipe or device.
    package static func isRegularFile(_ path: String) -> Bool { target(of: path)?.kind == S_IFREG }

    /// Whether the path leads to a named pipe. Opening and closing it would disconnect the other
    /// end.
    package static func isPipe(_ path: String) -> Bool { target(of: path)?.kind == S_IFIFO }

    /// The permission bits that all of these files have; other paths are ignored.
    package static func commonPermissions(of paths: [String]) -> UInt32 {
        paths.reduce(0o666) { bits, path in
            guard path != "-", let status = target(of: path), status.kind == S_IFREG
            else { return bits }
            return bits & UInt32(status.st_mode)
        }
    }

    /// The names in a folder, sorted, without `.` and `..`.
    package static func list(_ folder: String) throws(FileError) -> [String] {
        guard let stream = unsafe folder.withSystemPath({ unsafe opendir($0) }) else {
            throw .reading(folder, errno: errno)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                unsafe SystemPath.text(Array(buffer.prefix { $0 != 0 }))
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .reading(folder, errno: errno) }
        return names.sorted { ExactText($0) < ExactText($1) }
    }

    /// The names in a folder, sorted; empty if the folder does not exist.
    package static func listIfThere(_ folder: String) throws(FileError) -> [String] {
        do throws(FileError) {
            return try list(folder)
        } catch {
            if error.code == .missing { return [] }
            throw error
        }
    }

    /// The whole content of a small file; `-` is standard input.
    ///
    /// - Throws: ``FileError``, `.tooLarge` when the file has more than `limit` bytes.
    package static func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try readAll(try InputFile(path: path, pipeLimit: limit), limit: limit)
    }

    /// The content of an open file, like ``readAll(_:limit:)``.
    package static func readAll(_ file: InputFile, limit: Int) throws(FileError) -> [UInt8] {
        let path = file.path
        guard file.byteCount <= limit else {
            throw FileError(
                .tooLarge, path: path,
                detail: "the file has \(file.byteCount) bytes; the limit is \(limit)")
        }
        do {
            return try file.bytes(at: 0, count: file.byteCount)
        } catch {
            throw FileError(.io, path: path, detail: error.detail)
        }
    }
}

extension stat {
    /// `S_IFREG` and the like.
    var kind: mode_t { st_mode & S_IFMT }

    /// Whether the file belongs to the user or to root.
    fileprivate var isOwn: Bool { st_uid == geteuid() || st_uid == 0 }
}

extension FileSystem {
    package static func isLink(_ path: String) -> Bool { status(of: path)?.kind == S_IFLNK }

    /// Whether two paths lead to the same existing file, also through links.
    package static func isSameFile(_ one: String, _ other: String) -> Bool {
        guard let first = target(of: one), let second = target(of: other) else { return false }
        return InputFile.Identity(first) == InputFile.Identity(second)
    }

    /// Syncs a folder's names to disk, if the file system supports it.
    static func syncFolder(_ folder: String) {
        if let directory = FileDescriptor.open(folder, flags: O_RDONLY | O_DIRECTORY) {
            _ = fsync(directory.number)
        }
    }
}
