import ByteKit
import Glibc

/// Questions about the file system.
package enum FileSystem {
    /// Whether something with this name exists, be it a symbolic link that leads nowhere.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether the path leads to a folder.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder, sorted, without `.` and `..`.
    package static func list(_ folder: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw .reading(folder, errno: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
                unsafe String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw .reading(folder, errno: errno) }
        return names.sorted()
    }

    /// The whole content of a small file; `-` is standard input.
    ///
    /// - Throws: ``FileError``, `.tooLarge` when the file has more than `limit` bytes.
    package static func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let file = try InputFile(path: path)
        guard file.byteCount <= limit else {
            throw FileError(
                .tooLarge, path: path,
                detail: "\(file.byteCount) bytes, at most \(limit) are accepted")
        }
        do {
            return try file.bytes(at: 0, count: file.byteCount)
        } catch {
            throw FileError(.io, path: path, detail: error.detail)
        }
    }
}

extension FileSystem {
    /// Whether two paths lead to the same existing file, also through links.
    package static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
