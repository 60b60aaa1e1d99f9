import Base
import CryptoBridge

/// The hash of a file.
public struct FileDigest: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.hash/1"
    /// The input: its path, or its name for an input in memory.
    public let file: String
    /// The hash algorithm: `sha256`.
    public let digest: String
    /// In the requested encoding.
    public let value: String
    /// Warnings after success, one sentence each.
    public let warnings: [String]
}

/// Hashes files of any size in constant memory.
public struct DigestFile: Sendable {
    private let algorithm: DigestAlgorithm
    private let encoding: HashOptions.Encoding
    private let warnings: [String]

    /// - Parameter encoding: hexadecimal or base64.
    public init(digest: HashOptions.Digest = .sha256, encoding: HashOptions.Encoding = .hex) {
        algorithm = digest.algorithm
        self.encoding = encoding
        warnings = digest == .sha1 ? [HashOptions.sha1Warning] : []
    }

    /// Reads the input once, however large it is.
    public func run(_ source: InputSource) throws -> FileDigest {
        let hash = try HashOptions.digest(algorithm, of: source)
        return FileDigest(
            file: source.name, digest: algorithm.rawValue,
            value: encoding == .base64 ? Base64.encode(hash) : Hex.encode(hash), warnings: warnings)
    }
}
