import Glibc

extension FileSystem {
    /// Writes a complete file for its owner only, without waiting for the disk: for data that can
    /// be restored.
    package static func keep(_ bytes: [UInt8], as path: String) throws(FileError) {
        guard let (name, file) = TemporaryName.file(in: folder(of: path)) else {
            throw .creating(path, errno: errno)
        }
        defer { name.remove() }
        try file.write(bytes.span, to: path)
        let moved = unsafe name.path.withSystemPath(and: path) { unsafe rename($0, $1) }
        guard moved == 0 else { throw .writing(path, errno: errno) }
        name.forget()
    }

    /// The content of a file that ``keep(_:as:)`` wrote; nil if there is none.
    ///
    /// - Throws: ``FileError``, `.foreign` for a link, and if other users have access.
    package static func kept(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        guard let file = FileDescriptor.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP
                ? FileError(.foreign, path: path, detail: "the file is a symbolic link")
                : .reading(path, errno: errno)
        }
        guard let status = file.status() else { throw .reading(path, errno: errno) }
        guard status.kind == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw FileError(.foreign, path: path, detail: "other users have access to the file")
        }
        let input = try InputFile(descriptor: file.number, name: path)
        return try withExtendedLifetime(file) { () throws(FileError) in
            try readAll(input, limit: limit)
        }
    }

    /// Removes temporary files of killed processes from a folder.
    package static func sweep(_ folder: String) { TemporaryName.sweep(folder) }
}
