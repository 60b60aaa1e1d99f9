import Base
import CryptoBridge
import SystemBridge

/// The SHA-256 of files, to know them again.
public enum FileHash {
    /// In hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(of path: String) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: .file(path)))
    }

    /// Of what an earlier run has written, in hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(ofOutput path: String) throws -> String {
        Hex.encode(
            try reading(path) { try HashOptions.digest(.sha256, of: InputFile(outputOf: path)) })
    }

    /// Of an output that has no name yet, in hexadecimal.
    static func sha256(of file: InputFile) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: file))
    }
}
