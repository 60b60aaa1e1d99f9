package import ByteKit
package import CryptoBridge

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

    private static let chunkByteCount = 256 * 1024

    /// The digest of each request. The ranges must lie inside `source` and begin at its first byte.
    package static func digests(
        of requests: Set<Request>, in source: any ByteSource
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
            while position < stop {
                let count = min(chunkByteCount, stop - position)
                let chunk = try source.bytes(at: position, count: count)
                guard chunk.count == count else {
                    throw SourceError(
                        .readFailed, detail: "the file became shorter while it was read",
                        offset: position)
                }
                for context in contexts { try context.update(chunk) }
                position += count
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
