import Glibc
import SignetKit
import SystemBridge

/// Reads an identity store whose files contain the input. Zero bytes separate a key, its
/// certificates, its request and its name.
enum IdentityFuzz {
    /// The path of a new folder, in memory (/dev/shm) if available.
    private static func newRoot() -> String {
        let parent = FileSystem.isDirectory("/dev/shm") ? "/dev/shm" : "/tmp"
        return "\(parent)/signet-identity-fuzz-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    }

    static func failure(of bytes: [UInt8]) -> String? {
        let root = newRoot()
        defer { clear(root) }
        let parts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
            .map(Array.init)
        let ready = ["key.pem", "certificates.pem", "request.pem"]
        let pending = ["key.pem", nil, "request.pem", "name"]
        do {
            for folder in ["", "/identities", "/pending", "/work"] {
                try FileSystem.makePrivateFolder(root + folder)
            }
            try write(parts, ready, to: root + "/identities/me")
            try write(parts, pending, to: root + "/pending/00ff")
            let store = try IdentityStore(root: root)
            // Damaged identities are reported and skipped.
            let names = try store.list().map(\.name)
            _ = try? store.pending()
            _ = try? store.show("me")
            _ = try? store.credential(nil) { _ in
                .ask { throw SignetError(.usage, "nobody is asked") }
            }
            if !names.isEmpty, names != ["me"] { return "another identity than there is" }
            try store.remove("me")
            guard try store.list().isEmpty else { return "a removed identity is there" }
        } catch {
            return "the store cannot be used: \(error)"
        }
        return nil
    }

    private static func clear(_ root: String) {
        for folder in ["/identities", "/pending", "/work"].map({ root + $0 }) {
            for name in (try? FileSystem.listIfThere(folder)) ?? [] {
                try? FileSystem.removeFolder("\(folder)/\(name)")
            }
            try? FileSystem.removeFolder(folder)
        }
        try? FileSystem.removeFolder(root)
    }

    private static func write(_ parts: [[UInt8]], _ names: [String?], to folder: String) throws {
        try FileSystem.makePrivateFolder(folder)
        for (bytes, name) in zip(parts, names) {
            guard let name else { continue }
            let file = unsafe fopen("\(folder)/\(name)", "w")
            guard let file = unsafe file else { continue }
            _ = unsafe fwrite(bytes, 1, bytes.count, file)
            unsafe fclose(file)
        }
    }
}
