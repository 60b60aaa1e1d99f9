import CryptoBridge
import SystemBridge
import TimestampKit

/// Proves that any file existed: the authority's answer beside it.
public struct TimestampFile: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm

    /// - Parameter digest: nil is SHA-256, which every authority knows.
    public init(_ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .sha256
    }

    /// Stamps `source`; the authority's answer goes into `destination`. After a failure no output is
    /// left.
    public func run(_ source: InputSource, into destination: Destination) throws -> StampedFile {
        let input = source.name
        let output = try destination.output()
        let hash = try HashOptions.digest(digest, of: source)
        let stamp = try reading(input) { try timestamps.stamp(hash: hash, digest: digest) }
        try output.finish(stamp.reply)
        return StampedFile(file: input, output: destination.path, digest: digest, stamp: stamp)
    }
}

/// Sends a request that was made before, by `tsp request` or another program.
public struct SendTimestampRequest: Sendable {
    private let timestamps: TimestampAuthorities

    /// - Parameter timestamps: asked in order until one answers well.
    public init(_ timestamps: TimestampAuthorities) { self.timestamps = timestamps }

    /// - Parameter source: a TimeStampReq: DER, PEM or base64.
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
