package import ByteKit
package import CryptoBridge
import ThreadBridge

/// Hashes the byte ranges of all signatures of a file while reading it once.
///
/// Ranges share their beginning: one running state per algorithm follows the file from its first
/// byte, and each signature forks it where its gap begins.
package final class ByteRangeHasher {
    package struct Request: Equatable, Sendable {
        package let byteRange: ByteRange
        package let algorithm: DigestAlgorithm

        package init(byteRange: ByteRange, algorithm: DigestAlgorithm) {
            self.byteRange = byteRange
            self.algorithm = algorithm
        }
    }

    /// From this size on a thread of its own pays.
    private static let backgroundByteCount = 1 << 20

    private enum Outcome {
        /// One for each request.
        case digests([[UInt8]])
        case failure(any Error)
    }

    private let requests: [Request]
    private let task: BackgroundTask<Outcome>

    /// Begins to hash, behind the caller's back where that is worth it.
    ///
    /// - Parameters:
    ///   - requests: Their ranges must lie inside `source` and begin at its first byte.
    package init(_ requests: [Request], in source: any ByteSource) {
        self.requests = requests
        var byteCount = 0
        for request in requests { byteCount = max(byteCount, request.byteRange.second.upperBound) }
        task = BackgroundTask(isWorthThread: byteCount >= Self.backgroundByteCount) {
            cancellation in
            do {
                var pass = HashingPass(requests)
                try pass.run(over: source, cancellation)
                return .digests(pass.digests)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Whether asking for a digest may have to wait.
    package var isBusy: Bool { task.isInBackground }

    /// The digest of a request, waited for; `nil` for one that was not made.
    package func digest(_ request: Request) throws -> [UInt8]? {
        guard let index = requests.firstIndex(of: request) else { return nil }
        switch task.value() {
        case .digests(let digests): return digests[index]
        case .failure(let error): throw error
        }
    }
}

/// One reading of a file. There are few requests and fewer algorithms: all are looked through at
/// each place where a range begins or ends.
private struct HashingPass {
    /// A request on its way.
    private struct Work {
        let range: ByteRange
        let algorithm: DigestAlgorithm
        /// The state since the fork.
        var context: DigestContext?
        var digest: [UInt8] = []
    }

    private var works: [Work]
    /// The states that follow the file from its first byte.
    private var running: [DigestContext] = []

    private struct Cancelled: Error {}

    init(_ requests: [ByteRangeHasher.Request]) {
        works = requests.map { Work(range: $0.byteRange, algorithm: $0.algorithm) }
    }

    var digests: [[UInt8]] { works.map { $0.digest } }

    mutating func run(over source: any ByteSource, _ cancellation: Cancellation) throws {
        var stops: [Int] = []
        for work in works {
            if !running.contains(where: { $0.algorithm == work.algorithm }) {
                running.append(try DigestContext(work.algorithm))
            }
            let (first, second) = (work.range.first, work.range.second)
            stops += [first.upperBound, second.lowerBound, second.upperBound]
        }
        var position = 0
        for stop in stops.sorted() {
            if position < stop {
                let contexts = contexts(from: position)
                if !contexts.isEmpty {
                    try source.stream(range: position..<stop) { part in
                        guard !cancellation.isRequested else { throw Cancelled() }
                        for context in contexts { try context.update(part) }
                    }
                }
                position = stop
            }
            try turn(at: stop)
        }
    }

    /// Who takes the bytes from here to the next stop.
    private func contexts(from position: Int) -> [DigestContext] {
        // Behind the last fork the shared states are not needed any more.
        var contexts = running.filter { context in
            works.contains {
                $0.algorithm == context.algorithm && position < $0.range.first.upperBound
            }
        }
        for work in works where work.range.second.contains(position) {
            if let context = work.context { contexts.append(context) }
        }
        return contexts
    }

    /// Forks where first spans end, and finishes where second ones do.
    private mutating func turn(at stop: Int) throws {
        for index in works.indices {
            let work = works[index]
            if work.context == nil, work.digest.isEmpty, work.range.first.upperBound == stop {
                works[index].context = try running.first { $0.algorithm == work.algorithm }?.copy()
            }
            if work.range.second.upperBound == stop, let context = works[index].context {
                works[index].digest = try context.finish()
                works[index].context = nil
            }
        }
    }
}
