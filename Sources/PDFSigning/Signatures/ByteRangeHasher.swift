package import Base
package import CryptoBridge
import SystemBridge

/// Hashes the byte ranges of all signatures of a file while reading it once.
///
/// Ranges share their beginning: one digest state per algorithm follows the file from its first
/// byte, and each signature copies it at its Contents placeholder.
package final class ByteRangeHasher {
    package struct Request: Hashable, Sendable {
        package let byteRange: ByteRange
        package let algorithm: DigestAlgorithm

        package init(byteRange: ByteRange, algorithm: DigestAlgorithm) {
            self.byteRange = byteRange
            self.algorithm = algorithm
        }
    }

    /// Minimum size of a file that is read on a separate thread, in bytes.
    private static let backgroundByteCount = 1 << 20

    private enum Outcome {
        /// One digest for each request, and the state after all bytes for a companion.
        case digests([[UInt8]], whole: DigestContext?)
        case failure(any Error)
    }

    /// Receives all bytes of the file while they are read.
    package struct Companion: Sendable {
        /// The digest algorithm for the whole file; nil for no digest.
        package let algorithm: DigestAlgorithm?
        /// Called with all bytes, in sequence, on any thread.
        package let look: @Sendable (Span<UInt8>) -> Void

        package init(algorithm: DigestAlgorithm?, look: @escaping @Sendable (Span<UInt8>) -> Void) {
            self.algorithm = algorithm
            self.look = look
        }
    }

    private let source: any ByteSource
    private let companion: Companion?
    private let head: BackgroundTask<HashedHead>?
    /// The index of each request.
    private var indices: [Request: Int] = [:]
    private var task: BackgroundTask<Outcome>?

    /// Starts hashing a large file on a background thread, before the signed ranges are known:
    /// nearly all of them begin with nearly the whole file.
    ///
    /// - Parameter waits: whether hashing starts only when the signed ranges are known.
    package init(of source: any ByteSource, with companion: Companion? = nil, waits: Bool = false) {
        self.source = source
        self.companion = companion
        head =
            waits || source.byteCount < Self.backgroundByteCount
            ? nil : BackgroundTask { HashedHead(of: source, companion, until: $0) }
    }

    /// Hashes the requested ranges. Call once.
    ///
    /// - Parameter requests: their ranges are inside the source and begin at its first byte.
    package func begin(_ requests: [Request]) {
        var distinct: [Request] = []
        for request in requests where indices[request] == nil {
            indices[request] = distinct.count
            distinct.append(request)
        }
        let requests = distinct
        head?.stop()
        guard !requests.isEmpty else { return }
        let (source, companion, head) = (source, companion, head?.value())
        let isLarge = source.byteCount >= Self.backgroundByteCount
        task = BackgroundTask(isWorthThread: isLarge) { cancellation in
            do {
                var pass = HashingPass(requests, companion, source.byteCount)
                try pass.run(over: source, after: head, cancellation)
                return .digests(pass.digests, whole: pass.whole)
            } catch {
                return .failure(error)
            }
        }
    }

    /// The digest of a request; nil if it was not requested. Blocks until the file was read.
    package func digest(_ request: Request) throws -> [UInt8]? {
        guard let task, let index = indices[request] else { return nil }
        switch task.value() {
        case .digests(let digests, _): return digests[index]
        case .failure(let error): throw error
        }
    }

    /// Whether a companion received all bytes of the file. Blocks until the file was read.
    package func hasPassed() throws -> Bool {
        switch task?.value() {
        case .digests?: return companion != nil
        case .failure(let error)?: throw error
        case nil: return false
        }
    }

    /// The state after all bytes of the file; nil without a companion's algorithm, or if nothing
    /// was hashed. Blocks until the file was read.
    package func whole() throws -> DigestContext? {
        switch task?.value() {
        case .digests(_, let whole)?: return whole
        case .failure(let error)?: throw error
        case nil: return nil
        }
    }
}

/// The state after the first bytes of a file.
private struct HashedHead: Sendable {
    /// Nil if hashing failed. The later pass over the file reports the error.
    private(set) var context: DigestContext?
    private(set) var byteCount = 0

    /// Bytes hashed between two checks for cancellation.
    private static let stepByteCount = 128 * 1024
    /// Limit of bytes hashed before the ranges are known: bytes after a placeholder may have to be
    /// hashed twice.
    private static let mostByteCount = 16 << 20

    init(
        of source: any ByteSource, _ companion: ByteRangeHasher.Companion?,
        until cancellation: Cancellation
    ) {
        guard let context = try? DigestContext(.sha256) else { return }
        let mostByteCount = min(source.byteCount, Self.mostByteCount)
        while !cancellation.isRequested, byteCount < mostByteCount {
            let end = min(byteCount + Self.stepByteCount, mostByteCount)
            do {
                try source.stream(range: byteCount..<end) { part in
                    try context.update(part)
                    companion?.look(part)
                    byteCount += part.count
                }
            } catch {
                return
            }
        }
        self.context = context
    }
}

/// One pass over a file. It stops at range boundaries: there it forks or finishes digests.
private struct HashingPass {
    /// A request in progress.
    private struct Work {
        let range: ByteRange
        let algorithm: DigestAlgorithm
        /// The state since the fork.
        var context: DigestContext?
        var digest: [UInt8] = []
    }

    private var works: [Work]
    /// Indices of requests not forked yet, the next one last.
    private var waiting: [Int]
    /// Indices of requests forked and not finished.
    private var forked: [Int] = []
    /// The digest states that follow the file from its first byte.
    private var running: [DigestContext] = []

    private struct Cancelled: Error {}

    /// The state after the last byte, if the companion asks for it.
    private(set) var whole: DigestContext?
    private let companion: ByteRangeHasher.Companion?
    private let byteCount: Int

    init(
        _ requests: [ByteRangeHasher.Request], _ companion: ByteRangeHasher.Companion?,
        _ byteCount: Int
    ) {
        (self.companion, self.byteCount) = (companion, byteCount)
        works = requests.map { Work(range: $0.byteRange, algorithm: $0.algorithm) }
        waiting = requests.indices.sorted {
            requests[$0].byteRange.first.upperBound > requests[$1].byteRange.first.upperBound
        }
    }

    var digests: [[UInt8]] { works.map { $0.digest } }

    /// - Parameter head: the state of the bytes already hashed.
    mutating func run(
        over source: any ByteSource, after head: HashedHead?, _ cancellation: Cancellation
    ) throws {
        var position = 0
        // The bytes that the companion has not received yet.
        let unseen = head?.byteCount ?? 0
        if let head, let context = head.context,
            works.allSatisfy({
                $0.algorithm == context.algorithm && $0.range.first.upperBound >= head.byteCount
            })
        {
            running = [context]
            position = head.byteCount
        }
        var stops: [Int] = []
        var lastForks: [DigestAlgorithm: Int] = [:]
        for work in works {
            let fork = work.range.first.upperBound
            lastForks[work.algorithm] = max(fork, lastForks[work.algorithm] ?? fork)
            if !running.contains(where: { $0.algorithm == work.algorithm }) {
                running.append(try DigestContext(work.algorithm))
            }
            let (first, second) = (work.range.first, work.range.second)
            stops += [first.upperBound, second.lowerBound, second.upperBound]
        }
        if companion != nil { stops += [unseen, byteCount] }
        if let algorithm = companion?.algorithm {
            lastForks[algorithm] = byteCount
            if !running.contains(where: { $0.algorithm == algorithm }) {
                running.append(try DigestContext(algorithm))
            }
        }
        for stop in stops.sorted() {
            if position < stop {
                // The shared states are not needed after the last fork.
                running.removeAll { position >= lastForks[$0.algorithm] ?? 0 }
                let contexts = running + forkedContexts(at: position)
                let look = position < unseen ? nil : companion?.look
                if !contexts.isEmpty || look != nil {
                    try source.stream(range: position..<stop) { part in
                        guard !cancellation.isRequested else { throw Cancelled() }
                        for context in contexts { try context.update(part) }
                        look?(part)
                    }
                }
                position = stop
            }
            try turn(at: stop)
        }
        whole = companion?.algorithm.flatMap { algorithm in
            running.first { $0.algorithm == algorithm }
        }
    }

    /// The forked digest states to update with the bytes up to the next stop.
    private func forkedContexts(at position: Int) -> [DigestContext] {
        forked.compactMap { index in
            works[index].range.second.contains(position) ? works[index].context : nil
        }
    }

    /// Forks at the ends of first spans, and finishes at the ends of second spans.
    private mutating func turn(at stop: Int) throws {
        while let index = waiting.last, works[index].range.first.upperBound == stop {
            waiting.removeLast()
            let algorithm = works[index].algorithm
            works[index].context = try running.first { $0.algorithm == algorithm }?.copy()
            forked.append(index)
        }
        for index in forked where works[index].range.second.upperBound == stop {
            works[index].digest = try works[index].context?.finish() ?? []
            works[index].context = nil
        }
        forked.removeAll { works[$0].context == nil }
    }
}
