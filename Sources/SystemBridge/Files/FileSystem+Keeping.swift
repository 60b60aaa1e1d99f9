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

    /// Removes temporary files of killed processes from a folder.
    package static func sweep(_ folder: String) { TemporaryName.sweep(folder) }
}
