import Base
import Glibc

/// Paths are handled as bytes: a slash before a combining mark separates folders, though both are
/// one character of a `String`.
extension FileSystem {
    private static let slash = UInt8(ascii: "/")

    /// The absolute path; `-` (standard input or output) stays unchanged.
    package static func absolute(_ path: String) -> String {
        guard path != "-", !isAbsolute(path) else { return path }
        return resolved(".") + "/" + path
    }

    package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

    package static func endsInSlash(_ path: String) -> Bool { path.utf8.last == slash }

    /// The folder that contains the path's last component.
    package static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Whether a text may be a path. A key or password in its place is never printed, because it
    /// would be logged: it has several lines, or is long and not in an existing folder.
    package static func isPlausible(_ path: String) -> Bool {
        !path.hasPrefix("-----BEGIN") && !path.contains(where: \.isNewline)
            && (path.utf8.count <= plausibleLength
                || exists(folder(of: path)) && path.contains("/"))
    }

    private static let plausibleLength = 100

    /// The path's last component; empty if the path ends with a slash.
    package static func name(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return path }
        return String(path[path.utf8.index(after: end)...])
    }

    /// The path without final slashes, except the root.
    package static func withoutEndingSlashes(_ path: String) -> String {
        var rest = Substring(path)
        while rest.utf8.count > 1, rest.utf8.last == slash {
            rest = rest[..<rest.utf8.index(before: rest.endIndex)]
        }
        return String(rest)
    }

    /// A name in a folder; an empty folder adds nothing.
    package static func joined(_ folder: String, _ name: String) -> String {
        folder.isEmpty || endsInSlash(folder) ? folder + name : folder + "/" + name
    }

    /// The path relative to a folder; nil if it is not inside.
    package static func below(_ folder: String, _ path: String) -> String? {
        let folder = folder == "/" ? "" : folder
        guard ExactText(path).isBelow(ExactText(folder), separator: "/") else { return nil }
        return String(Substring(path.utf8.dropFirst(folder.utf8.count + 1)))
    }

    /// The path without an extension, including its dot; nil if it has another one.
    ///
    /// - Parameter ending: ASCII characters, case-insensitive.
    package static func without(ending: String, _ path: String) -> String? {
        let (bytes, end) = (path.utf8, ending.utf8)
        func folded(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }
        guard bytes.count >= end.count,
            bytes.suffix(end.count).elementsEqual(end, by: { folded($0) == folded($1) })
        else { return nil }
        return String(Substring(bytes.dropLast(end.count)))
    }

    /// The path with all links resolved; the path itself if the file does not exist.
    package static func resolved(_ path: String) -> String { resolvedIfThere(path) ?? path }

    private static func resolvedIfThere(_ path: String) -> String? {
        unsafe path.withSystemPath { name in
            guard let resolved = unsafe realpath(name, nil) else { return nil }
            defer { unsafe free(resolved) }
            return unsafe String(systemPath: resolved)
        }
    }

    /// The canonical path of an existing or new file: the absolute folder without links, and the
    /// name. `-` (standard input or output) stays unchanged.
    package static func place(_ path: String) -> String {
        guard path != "-" else { return path }
        var names: [String] = []
        var folder = absolute(path)
        // Nonexistent parts contain no links.
        while folder != "/" {
            folder = withoutEndingSlashes(folder)
            let name = name(of: folder)
            folder = withoutEndingSlashes(self.folder(of: folder))
            if [".", ".."].contains(name), let whole = resolvedIfThere(joined(folder, name)) {
                folder = whole
                break
            }
            if name != "." && !name.isEmpty { names.append(name) }
            if let whole = resolvedIfThere(folder) {
                folder = whole
                break
            }
        }
        return names.reversed().reduce(into: folder) { place, name in
            place = name == ".." ? self.folder(of: place) : joined(place, name)
        }
    }

    /// The path with a resolved folder but an unresolved last name. Links of devices and open files
    /// are resolved.
    static func inResolvedFolder(_ path: String, isLink: Bool) -> String {
        let whole = joined(resolved(folder(of: path)), name(of: path))
        guard isLink else { return whole }
        let isSystem = ["/dev", "/proc"].contains { below($0, whole) != nil }
        return isSystem ? resolved(path) : whole
    }
}
