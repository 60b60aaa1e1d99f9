import CryptoBridge
import SystemBridge
import TimestampKit

/// Timestamps any file: writes the TSA's response next to it.
public struct TimestampFile: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm

    /// - Parameter digest: nil uses SHA-256, which every TSA supports.
    public init(_ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .usual
    }

    /// Timestamps `source` and writes the TSA's response to `destination`. After a failure, no
    /// output file remains.
    ///
    /// - Throws: ``SignetError``.
    public func run(_ source: InputSource, into destination: Destination) throws -> StampedFile {
        let input = source.name
        let output = try destination.output()
        let hash = try HashOptions.digest(digest, of: source)
        let stamp = try reading(input) { try timestamps.stamp(hash: hash, digest: digest) }
        try output.finish(stamp.reply)
        return StampedFile(file: input, output: destination.path, digest: digest, stamp: stamp)
    }
}

/// Sends an existing request by `tsp request` or another program.
public struct SendTimestampRequest: Sendable {
    private let timestamps: TimestampAuthorities

    /// - Parameter timestamps: TSAs, tried one by one until one returns a usable timestamp.
    public init(_ timestamps: TimestampAuthorities) { self.timestamps = timestamps }

    /// Sends the request and writes the TSA's response to `destination`.
    ///
    /// - Parameter source: a TimeStampReq: DER, PEM or base64.
    /// - Throws: ``SignetError``.
    public func run(_ source: InputSource, into destination: Destination) throws -> StampedFile {
        let input = source.name
        let output = try destination.output()
        let request = try reading(input) { try TimestampInput.request(in: source.open()) }
        return try reading(input) {
            let stamp = try timestamps.stamp(request)
            try output.finish(stamp.reply)
            return StampedFile(
                file: input, output: destination.path,
                digest: request.messageImprint.digest ?? .sha256, stamp: stamp)
        }
    }
}
