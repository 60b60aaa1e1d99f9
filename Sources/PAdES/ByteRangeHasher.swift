package import ByteKit
package import CryptoBridge
import ThreadBridge

/// Hashes the byte ranges of all signatures of a file while reading it once.
///
/// Ranges share their beginning: one running state per algorithm follows the file from its first
/// byte, and each signature forks it where its gap begins.
package struct ByteRangeHasher {
    package struct Request: Hashable {
        package let byteRange: ByteRange
        package let algorithm: DigestAlgorithm

        package init(byteRange: ByteRange, algorithm: DigestAlgorithm) {
            self.byteRange = byteRange
            self.algorithm = algorithm
        }
    }

    /// From this size on a thread of its own pays.
    private static let backgroundByteCount = 1 << 20

    private let task: BackgroundTask<Result<[Request: [UInt8]], any Error>>

    /// Begins to hash, behind the caller's back where that is worth it.
    ///
    /// - Parameters:
    ///   - requests: Their ranges must lie inside `source` and begin at its first byte.
    package init(_ requests: Set<Request>, in source: any ByteSource) {
        let byteCount = requests.lazy.map(\.byteRange.second.upperBound).max() ?? 0
        task = BackgroundTask(isWorthThread: byteCount >= Self.backgroundByteCount) {
            cancellation in
            Result { try Self.digests(of: requests, in: source, cancellation) }
        }
    }

    /// The digest of each request, waited for.
    package func digests() throws -> [Request: [UInt8]] {
        try task.value().get()
    }

    private struct Cancelled: Error {}

    private static func digests(
        of requests: Set<Request>, in source: any ByteSource,
        _ cancellation: BackgroundTask<Result<[Request: [UInt8]], any Error>>.Cancellation
    ) throws -> [Request: [UInt8]] {
        guard !requests.isEmpty else { return [:] }
        var running: [DigestAlgorithm: DigestContext] = [:]
        for request in requests where running[request.algorithm] == nil {
            running[request.algorithm] = try DigestContext(request.algorithm)
        }
        // Beyond the last fork the shared states are not needed any more.
        var lastFork: [DigestAlgorithm: Int] = [:]
        for request in requests {
            let fork = request.byteRange.first.upperBound
            lastFork[request.algorithm] = max(lastFork[request.algorithm] ?? 0, fork)
        }
        let stops = Set(
            requests.flatMap {
                [
                    $0.byteRange.first.upperBound, $0.byteRange.second.lowerBound,
                    $0.byteRange.second.upperBound,
                ]
            }
        ).sorted()

        var active: [Request: DigestContext] = [:]
        var results: [Request: [UInt8]] = [:]
        var waiting: [Request: DigestContext] = [:]
        var position = 0
        for stop in stops {
            let needed = running.filter { position < lastFork[$0.key] ?? 0 }.map(\.value)
            let contexts = needed + active.values
            if contexts.isEmpty {
                position = stop
            }
            if position < stop {
                try source.stream(range: position..<stop) { part in
                    guard !cancellation.isRequested else { throw Cancelled() }
                    for context in contexts { try context.update(part) }
                }
                position = stop
            }
            for request in requests {
                let range = request.byteRange
                if range.first.upperBound == stop {
                    waiting[request] = try running[request.algorithm]?.copy()
                }
                if range.second.lowerBound == stop {
                    active[request] = waiting.removeValue(forKey: request)
                }
                if range.second.upperBound == stop,
                    let context = active.removeValue(forKey: request)
                {
                    results[request] = try context.finish()
                }
            }
        }
        return results
    }
}
