public import Base
import CryptoBridge

/// The hash of a file.
public struct FileDigest: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.hash/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Hash value in the requested encoding.
    public let value: String
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]
}

/// Hashes files of any size in constant memory.
public struct DigestFile: Sendable {
    private let algorithm: DigestAlgorithm
    private let encoding: HashOptions.Encoding
    private let warnings: [Sentence]

    /// - Parameter encoding: hexadecimal or base64.
    public init(digest: HashOptions.Digest = .sha256, encoding: HashOptions.Encoding = .hex) {
        algorithm = digest.algorithm
        self.encoding = encoding
        warnings = digest == .sha1 ? [HashOptions.sha1Warning] : []
    }

    /// Hashes the input, which is read once.
    ///
    /// - Throws: ``SignetError`` if the input cannot be read.
    public func run(_ source: InputSource) throws -> FileDigest {
        let hash = try HashOptions.digest(algorithm, of: source)
        return FileDigest(
            file: source.name, digest: algorithm.rawValue,
            value: encoding == .base64 ? Base64.encode(hash) : Hex.encode(hash), warnings: warnings)
    }
}
