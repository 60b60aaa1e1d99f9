import Glibc

extension FileSystem {
    /// Puts a file in its place whole, for its owner alone, without waiting for the disk: for what
    /// can be had again.
    package static func keep(_ bytes: [UInt8], as path: String) throws(FileError) {
        let made = TemporaryName.take(in: folder(of: path)) { name in
            FileDescriptor.open(name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        }
        guard let (name, file) = made else { throw .creating(path, errno: errno) }
        defer { name.remove() }
        let failure = file.write(bytes.span)
        guard failure == 0 else { throw .writing(path, errno: failure) }
        let moved = unsafe name.path.withSystemPath { old in
            unsafe path.withSystemPath { unsafe rename(old, $0) }
        }
        guard moved == 0 else { throw .writing(path, errno: errno) }
        name.forget()
    }

    /// Removes what killed processes left in a folder of their own.
    package static func sweep(_ folder: String) { TemporaryName.sweep(folder) }
}
