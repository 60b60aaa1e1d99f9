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

    private let source: any ByteSource
    private let head: BackgroundTask<HashedHead>?
    private var requests: [Request] = []
    private var task: BackgroundTask<Outcome>?

    /// Begins to hash a large file, behind the caller's back: which ranges are signed is not known
    /// yet, but nearly all of them begin with nearly the whole file, and most are hashed alike.
    package init(of source: any ByteSource) {
        self.source = source
        head =
            source.byteCount < Self.backgroundByteCount
            ? nil : BackgroundTask { HashedHead(of: source, until: $0) }
    }

    /// Goes on with what is to be hashed. To be called once.
    ///
    /// - Parameter requests: Their ranges must lie inside the source and begin at its first byte.
    package func begin(_ requests: [Request]) {
        self.requests = requests
        head?.stop()
        guard !requests.isEmpty else { return }
        let (source, head) = (source, head?.value())
        task = BackgroundTask(isWorthThread: head != nil) { cancellation in
            do {
                var pass = HashingPass(requests)
                try pass.run(over: source, after: head, cancellation)
                return .digests(pass.digests)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Whether asking for a digest may have to wait.
    package var isBusy: Bool { task?.isInBackground ?? false }

    /// The digest of a request, waited for; `nil` for one that was not made.
    package func digest(_ request: Request) throws -> [UInt8]? {
        guard let task, let index = requests.firstIndex(of: request) else { return nil }
        switch task.value() {
        case .digests(let digests): return digests[index]
        case .failure(let error): throw error
        }
    }
}

/// The state after the first bytes of a file.
private struct HashedHead: Sendable {
    /// nil when nothing could be hashed, which shows again later.
    private(set) var context: DigestContext?
    private(set) var byteCount = 0

    /// How much is hashed between two looks at whether to go on.
    private static let stepByteCount = 128 * 1024
    /// More than is hashed while a document is opened, unless somebody types its password
    /// meanwhile: what lies behind a range's gap would be hashed twice.
    private static let mostByteCount = 16 << 20

    init(of source: any ByteSource, until cancellation: Cancellation) {
        guard let context = try? DigestContext(.sha256) else { return }
        let mostByteCount = min(source.byteCount, Self.mostByteCount)
        while !cancellation.isRequested, byteCount < mostByteCount {
            let end = min(byteCount + Self.stepByteCount, mostByteCount)
            do {
                try source.stream(range: byteCount..<end) { try context.update($0) }
            } catch {
                return
            }
            byteCount = end
        }
        self.context = context
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

    /// - Parameter head: What is hashed already.
    mutating func run(
        over source: any ByteSource, after head: HashedHead?, _ cancellation: Cancellation
    ) throws {
        var position = 0
        if let head, let context = head.context,
            works.allSatisfy({
                $0.algorithm == context.algorithm && $0.range.first.upperBound >= head.byteCount
            })
        {
            running = [context]
            position = head.byteCount
        }
        var stops: [Int] = []
        for work in works {
            if !running.contains(where: { $0.algorithm == work.algorithm }) {
                running.append(try DigestContext(work.algorithm))
            }
            let (first, second) = (work.range.first, work.range.second)
            stops += [first.upperBound, second.lowerBound, second.upperBound]
        }
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
