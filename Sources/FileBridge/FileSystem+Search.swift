import Glibc

extension FileSystem {
    /// The path of a program in one of the folders of PATH, never the one that one is in.
    package static func program(_ name: String) -> String? {
        (ProcessEnvironment.string("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
            .split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { isExecutable($0) }
    }

    /// The regular files below a folder by their paths below it, in the order of their names. Links
    /// are not followed: whoever may write into a folder chooses where they lead.
    ///
    /// - Parameters:
    ///   - patterns: as shells write them; those without a slash are for names alone, the others for
    ///     paths below the folder. Case does not matter.
    ///   - found: gets each path.
    /// - Throws: ``FileError``; `.tooLarge` when folders lie too deep in each other.
    package static func search(
        _ folder: String, for patterns: [String], found: (String) -> Void
    ) throws(FileError) {
        try search(folder, "", depth: 0, patterns, found)
    }

    /// More than people make, and less than what a path can hold.
    private static let searchDepth = 200

    private static func search(
        _ root: String, _ below: String, depth: Int, _ patterns: [String],
        _ found: (String) -> Void
    ) throws(FileError) {
        let folder = below.isEmpty ? root : root + "/" + below
        guard depth <= searchDepth else {
            throw FileError(
                .tooLarge, path: folder, detail: "over \(searchDepth) folders in each other")
        }
        for name in try list(folder) {
            let path = below.isEmpty ? name : below + "/" + name
            var status = stat()
            // What has gone meanwhile is not there.
            guard unsafe (root + "/" + path).withSystemPath({ unsafe lstat($0, &status) }) == 0
            else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try search(root, path, depth: depth + 1, patterns, found)
            case S_IFREG:
                if !TemporaryName.isOne(name), patterns.contains(where: { matches(path, $0) }) {
                    found(path)
                }
            case S_IFLNK:
                if isRegularFile(root + "/" + path),
                    patterns.contains(where: { matches(path, $0) })
                {
                    Notices.say("\(root)/\(path): is a link, which is not followed; name it itself")
                }
            default: continue
            }
        }
    }

    /// Whether a path fits a pattern with `*`, `?` and `[...]`.
    package static func matches(_ path: String, _ pattern: String) -> Bool {
        let subject = pattern.utf8.contains(0x2F) ? path : name(of: path)
        return unsafe pattern.withSystemPath { pattern in
            unsafe subject.withSystemPath { unsafe fnmatch(pattern, $0, foldsCase) } == 0
        }
    }

    /// FNM_CASEFOLD, which the C library shows only to who asks for its extensions.
    private static let foldsCase: Int32 = 1 << 4
}

extension FileSystem {
    /// The text of a path's bytes, which lead back to it whatever they are.
    package static func text(_ path: [UInt8]) -> String { SystemPath.text(path) }

    /// The bytes of a path.
    package static func bytes(of path: String) -> [UInt8] {
        unsafe path.withSystemPath { name in
            unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name))).map {
                UInt8(bitPattern: $0)
            }
        }
    }
}
