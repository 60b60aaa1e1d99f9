import Base
import CSystemCalls
import Glibc

/// File attributes: owner, group, permissions, extended attributes.
enum FileAttributes {
    private static let nameByteLimit = 64 * 1024
    private static let valueByteLimit = 64 * 1024
    /// Access control lists, which a private file does not inherit.
    private static let accessPrefix = "system.posix_acl"

    /// Copies the attributes of a replaced file to the new one.
    ///
    /// - Parameters:
    ///   - old: status of the file at `path`.
    ///   - isSecret: only the owner has permissions.
    /// - Returns: messages about attributes that could not be kept.
    static func copy(
        _ old: stat, of path: String, to file: FileDescriptor, isSecret: Bool
    ) -> [String] {
        guard let new = file.status() else { return [] }
        var lost: [String] = []
        if old.st_uid != new.st_uid, fchown(file.number, old.st_uid, gid_t.max) != 0 {
            lost.append("the owner")
        }
        var mode = old.st_mode & 0o7777
        if old.st_gid != new.st_gid, fchown(file.number, uid_t.max, old.st_gid) != 0 {
            lost.append("the group")
            // Permissions of the old group must not apply to another one.
            mode &= ~0o2070 | (mode & 0o7) << 3
        }
        if !lost.isEmpty { mode &= 0o1777 }
        // The output replaces only this name: other hard links keep the former content.
        if old.st_nlink > 1, !isSecret {
            Notices.say(.otherNamesKeepContent, path, "\(Int(clamping: old.st_nlink - 1))")
        }
        if isSecret { mode = 0o600 }
        if fchmod(file.number, mode) != 0 { lost.append("the permissions") }
        return lost + copyExtended(from: path, to: file, withAccess: !isSecret && lost.isEmpty)
    }

    private static func copyExtended(
        from path: String, to file: FileDescriptor, withAccess: Bool
    ) -> [String] {
        let count = unsafe path.withSystemPath { unsafe listxattr($0, nil, 0) }
        guard count > 0 else { return [] }
        var names = [CChar](repeating: 0, count: nameByteLimit)
        let listed = unsafe path.withSystemPath { path in
            unsafe listxattr(path, &names, names.count)
        }
        guard listed > 0 else { return ["the extended attributes"] }
        var lost: [String] = []
        for name in names[..<listed].split(separator: 0) {
            let text = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(accessPrefix), !withAccess { continue }
            if !copy(Array(name) + [0], from: path, to: file) { lost.append(text) }
        }
        return lost
    }

    private static func copy(_ name: [CChar], from path: String, to file: FileDescriptor) -> Bool {
        var value = [UInt8](repeating: 0, count: valueByteLimit)
        let count = unsafe path.withSystemPath { path in
            unsafe getxattr(path, name, &value, value.count)
        }
        guard count >= 0 else { return false }
        return unsafe fsetxattr(file.number, name, value, count, 0) == 0
    }
}
