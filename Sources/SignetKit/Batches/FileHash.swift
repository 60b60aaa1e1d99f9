import Base
import CryptoBridge
import SystemBridge

/// The SHA-256 of files, for recognizing them later.
public enum FileHash {
    /// SHA-256 of a file, hexadecimal.
    ///
    /// - Throws: ``SignetError`` if the file cannot be read.
    public static func sha256(of path: String) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: .file(path)))
    }

    /// SHA-256 of an output of an earlier run, hexadecimal.
    ///
    /// - Throws: ``SignetError`` if the file cannot be read.
    public static func sha256(ofOutput path: String) throws -> String {
        Hex.encode(
            try reading(path) { try HashOptions.digest(.sha256, of: InputFile(outputOf: path)) })
    }

    /// SHA-256 of an output before it is renamed to its final name, hexadecimal.
    static func sha256(of file: InputFile) throws -> String {
        Hex.encode(try HashOptions.digest(.sha256, of: file))
    }
}
