import Glibc

extension FileSystem {
    /// Makes a folder and its parents, each that is new readable by its owner alone.
    package static func makePrivateFolder(_ path: String) throws(FileError) {
        var missing: [String] = []
        var current = path
        while !isDirectory(current) {
            missing.append(current)
            guard let slash = current.lastIndex(of: "/"), slash != current.startIndex else { break }
            current = String(current[..<slash])
        }
        for folder in missing.reversed() {
            // Another process may have been quicker.
            if unsafe mkdir(folder, 0o700) != 0 && !(errno == EEXIST && isDirectory(folder)) {
                throw .creating(folder, errno: errno)
            }
        }
    }

    /// Makes a folder that must be new.
    package static func makeNewFolder(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == EEXIST {
                throw FileError(.exists, path: path, detail: "exists already")
            }
            throw .creating(path, errno: errno)
        }
    }

    /// Gives a folder another name in one step; a folder with content there is never replaced.
    package static func moveFolder(_ path: String, to target: String) throws(FileError) {
        guard unsafe rename(path, target) == 0 else {
            if errno == ENOTEMPTY || errno == EEXIST {
                throw FileError(.exists, path: target, detail: "exists already")
            }
            throw .creating(target, errno: errno)
        }
    }

    /// Removes a folder with the files in it; folders in it are an error.
    package static func removeFolder(_ path: String) throws(FileError) {
        for name in try list(path) {
            guard unsafe unlink("\(path)/\(name)") == 0 else {
                throw FileError.writing("\(path)/\(name)", errno: errno)
            }
        }
        guard unsafe rmdir(path) == 0 else { throw FileError.writing(path, errno: errno) }
    }
}
