import Base
import CryptoBridge
import SystemBridge

/// The SHA-256 of files, for recognizing them later.
public enum FileHash {
    /// In hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(of path: String) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: .file(path)))
    }

    /// The hash of an output of an earlier run, in hexadecimal.
    ///
    /// - Throws: ``SignetError``.
    public static func sha256(ofOutput path: String) throws -> String {
        Hex.encode(
            try reading(path) { try HashOptions.digest(.sha256, of: InputFile(outputOf: path)) })
    }

    /// The hash of an output before it has its name, in hexadecimal.
    static func sha256(of file: InputFile) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: file))
    }
}
