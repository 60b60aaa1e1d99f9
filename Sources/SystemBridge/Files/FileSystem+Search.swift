import Base
import Glibc

extension FileSystem {
    /// The path of a program in a folder of PATH, never in the current folder.
    package static func program(_ name: String) -> String? {
        (ProcessEnvironment.string("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
            .split(separator: ":").lazy.filter { isAbsolute(String($0)) }
            .map { "\($0)/\(name)" }.first { isExecutable($0) }
    }

    /// The file or folder through which other users can replace a program: the program, a parent
    /// folder, or those of link targets. Nil if there is none.
    package static func changeablePlace(of program: String) -> String? {
        for file in [program, resolved(program)] {
            var folder = folder(of: file)
            for place in [file, folder] where isChangeableByOthers(place) { return place }
            while folder != "/", isAbsolute(folder) {
                folder = self.folder(of: folder)
                if isOpenToAll(folder) { return folder }
            }
        }
        return nil
    }

    /// The regular files below a folder by relative path, in the order of their names. Links are
    /// not followed: anybody who may write to a folder can create them.
    ///
    /// - Parameters:
    ///   - patterns: shell patterns; those without a slash match names, the others relative paths.
    ///     Case-insensitive.
    ///   - closed: called with each subfolder that cannot be read or is too deep, and each
    ///     unreadable entry.
    ///   - found: called with each path.
    /// - Throws: ``FileError`` if the folder itself cannot be read.
    package static func search(
        _ folder: String, for patterns: [String], closed: (String) -> Void, found: (String) -> Void
    ) throws(FileError) {
        try search(folder, "", depth: 0, patterns) { path, isClosed in
            if isClosed { closed(path) } else { found(path) }
        }
    }

    /// Deeper than common folders, but within the longest path.
    private static let searchDepth = 200

    private static func search(
        _ root: String, _ below: String, depth: Int, _ patterns: [String],
        _ tell: (_ path: String, _ isClosed: Bool) -> Void
    ) throws(FileError) {
        let folder = below.isEmpty ? root : root + "/" + below
        guard depth <= searchDepth else {
            Notices.say(.tooDeep, folder, "\(searchDepth)")
            return tell(below, true)
        }
        let names: [String]
        do {
            names = try list(folder)
        } catch {
            guard depth > 0 else { throw error }
            return tell(below, true)
        }
        for name in names {
            let path = below.isEmpty ? name : below + "/" + name
            guard let status = status(of: root + "/" + path) else {
                // An entry that was removed in the meantime is skipped.
                if errno != ENOENT { tell(path, true) }
                continue
            }
            switch status.kind {
            case S_IFDIR: try search(root, path, depth: depth + 1, patterns, tell)
            case S_IFREG:
                if !TemporaryName.isOne(name), patterns.contains(where: { matches(path, $0) }) {
                    tell(path, false)
                }
            case S_IFLNK where isDirectory(root + "/" + path):
                Notices.say(.folderLinkNotFollowed, root + "/" + path)
            case S_IFLNK:
                guard patterns.contains(where: { matches(path, $0) }) else { continue }
                if isRegularFile(root + "/" + path) {
                    Notices.say(.linkNotFollowed, root + "/" + path)
                } else if target(of: root + "/" + path) == nil {
                    Notices.say(.linkLeadsNowhere, root + "/" + path)
                }
            default: continue
            }
        }
    }

    /// Whether a path matches a pattern with `*`, `?` and `[...]`.
    package static func matches(_ path: String, _ pattern: String) -> Bool {
        let subject = pattern.utf8.contains(0x2F) ? path : name(of: path)
        return unsafe pattern.withSystemPath(and: subject) {
            unsafe fnmatch($0, $1, foldsCase) == 0
        }
    }

    /// FNM_CASEFOLD, which the C library defines only as an extension.
    private static let foldsCase: Int32 = 1 << 4
}
