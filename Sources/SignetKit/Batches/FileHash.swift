import ByteKit
import CryptoBridge

/// The SHA-256 of files, to know them again.
public enum FileHash {
    /// In hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(of path: String) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: path))
    }
}
