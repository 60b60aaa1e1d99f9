import ByteKit
import CryptoBridge
import FileBridge

/// The SHA-256 of files, to know them again.
public enum FileHash {
    /// In hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(of path: String) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: path))
    }

    /// Of what an earlier run has written, in hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(ofOutput path: String) throws -> String {
        Hex.encode(
            try reading(path) { try HashOptions.digest(.sha256, of: InputFile(outputOf: path)) })
    }

    /// Whether what an earlier run has written is more than a file, and begins with its bytes, as a
    /// signed PDF does.
    ///
    /// - Throws: ``SignetError``.
    public static func output(_ path: String, beginsWith beginning: String) throws -> Bool {
        let (file, start) = try reading(path) {
            (try InputFile(outputOf: path), try InputFile(path: beginning))
        }
        guard file.byteCount > start.byteCount, start.byteCount > 0 else { return false }
        return try reading(path) {
            var place = 0
            while place < start.byteCount {
                let count = min(chunkByteCount, start.byteCount - place)
                guard
                    try file.bytes(at: place, count: count) == start.bytes(at: place, count: count)
                else { return false }
                place += count
            }
            return true
        }
    }

    private static let chunkByteCount = 1 << 20
}
