import Base
import Glibc

extension FileSystem {
    /// Creates a folder and its parents; new ones are readable only by their owner.
    package static func makePrivateFolder(_ path: String) throws(FileError) {
        try makeFolders(path, mode: 0o700)
    }

    /// Creates a folder and its parents with normal permissions unless they exist.
    package static func makeFolders(_ path: String) throws(FileError) {
        try makeFolders(path, mode: 0o777)
    }

    private static func makeFolders(_ path: String, mode: mode_t) throws(FileError) {
        guard !isDirectory(path) else { return }
        let parent = folder(of: withoutEndingSlashes(path))
        if parent != "." && parent != "/" { try makeFolders(parent, mode: mode) }
        try makeFolder(path, mode: mode)
    }

    /// Creates a folder with normal permissions unless it exists.
    package static func makeFolder(_ path: String) throws(FileError) {
        try makeFolder(path, mode: 0o777)
    }

    private static func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
        let made = unsafe path.withSystemPath { unsafe mkdir($0, mode) }
        // Another process may have created it in the meantime.
        guard made == 0 || errno == EEXIST && isDirectory(path) else {
            if errno == EEXIST {
                throw FileError(.cannotCreate, path: path, detail: "a file with this name exists")
            }
            throw .creating(path, errno: errno)
        }
    }

    /// - Parameter path: the path in the error.
    /// - Throws: ``FileError`` if a folder and its parents cannot be created because of
    ///   permissions.
    package static func requireWritableFolder(
        _ folder: String, for path: String
    ) throws(FileError) {
        var folder = folder
        while !exists(folder), folder != "." && folder != "/" { folder = self.folder(of: folder) }
        guard unsafe folder.withSystemPath({ unsafe access($0, W_OK | X_OK) }) == 0 else {
            throw .creating(path, errno: errno)
        }
    }

    static func ignoresCase(_ folder: String) -> Bool {
        guard let (name, _) = TemporaryName.file(in: folder) else { return false }
        defer { name.remove() }
        return isSameFile(name.path, folder + "/" + self.name(of: name.path).uppercased())
    }

    /// Creates a folder; throws if it exists.
    package static func makeNewFolder(_ path: String) throws(FileError) {
        guard unsafe path.withSystemPath({ unsafe mkdir($0, 0o700) }) == 0 else {
            if errno == EEXIST {
                throw FileError(.exists, path: path, detail: "the folder already exists")
            }
            throw .creating(path, errno: errno)
        }
    }

    /// Renames a folder in one step; an existing nonempty folder is never replaced.
    package static func moveFolder(_ path: String, to target: String) throws(FileError) {
        guard unsafe path.withSystemPath(and: target, { unsafe rename($0, $1) }) == 0 else {
            if errno == ENOTEMPTY || errno == EEXIST {
                throw FileError(.exists, path: target, detail: "the folder already exists")
            }
            throw .creating(target, errno: errno)
        }
        syncFolder(folder(of: path))
        if !folder(of: path).isExactly(folder(of: target)) { syncFolder(folder(of: target)) }
    }

    /// Removes a folder with its files, a file, or a link without its target; subfolders are an
    /// error.
    package static func removeFolder(_ path: String) throws(FileError) {
        guard isDirectory(path), status(of: path)?.kind != S_IFLNK else {
            return try removeFile(path)
        }
        for name in try list(path) { try removeFile("\(path)/\(name)") }
        guard unsafe path.withSystemPath({ unsafe rmdir($0) }) == 0 else {
            throw FileError.writing(path, errno: errno)
        }
    }

    /// Removes a file; a missing file is not an error.
    package static func removeFile(_ path: String) throws(FileError) {
        guard unsafe path.withSystemPath({ unsafe unlink($0) }) == 0 || errno == ENOENT else {
            throw FileError.writing(path, errno: errno)
        }
    }

    /// Restricts a file or folder of the user to its owner.
    ///
    /// - Returns: whether others had access before.
    /// - Throws: ``FileError``, `.foreign` if it belongs to another user.
    package static func makePrivate(_ path: String) throws(FileError) -> Bool {
        guard let status = target(of: path) else { throw .reading(path, errno: errno) }
        // The superuser may change files of any user.
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw FileError(.foreign, path: path, detail: "the folder belongs to another user")
        }
        guard status.st_mode & 0o077 != 0 else { return false }
        guard
            unsafe path.withSystemPath({ unsafe chmod($0, status.st_mode & 0o700) }) == 0
        else { throw .writing(path, errno: errno) }
        return true
    }
}
