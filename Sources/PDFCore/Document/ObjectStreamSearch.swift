import CodecBridge
import SystemBridge

/// Searches object streams for references with two threads.
///
/// The streams are independent of each other: a second thread decompresses and searches every other
/// batch.
struct ObjectStreamSearch {
    private let reader: IndirectObjectReader
    private var batch = Batch()
    private var background: BackgroundTask<Outcome>?
    private(set) var numbers = ObjectNumberSet()

    /// Compressed bytes of a batch: large enough to justify a thread, small enough for memory.
    private static let batchByteCount = 256 * 1024

    init(_ reader: IndirectObjectReader) { self.reader = reader }

    /// Adds a stream.
    ///
    /// - Returns: Streams that are not plain Flate data or that failed; the caller must decode
    ///   them.
    mutating func add(_ stream: PDFStream) throws(PDFError) -> [PDFStream] {
        guard let (data, limit) = try reader.plainFlateData(of: stream) else { return [stream] }
        batch.items.append((stream, data, limit))
        batch.byteCount += data.count
        return batch.byteCount < Self.batchByteCount ? [] : searchBatch(isLast: false)
    }

    /// Passes the batch to a second thread, or searches it here if that thread is busy or this is
    /// the last batch.
    mutating func searchBatch(isLast: Bool) -> [PDFStream] {
        let ready = batch
        batch = Batch()
        // Two batches share the decoding budget.
        let budget = reader.decodingBudget / 2
        if background == nil, !isLast {
            background = BackgroundTask { _ in ready.search(budget) }
            return []
        }
        var outcomes = [ready.search(budget)]
        if let background { outcomes.append(background.value()) }
        background = nil
        for outcome in outcomes {
            reader.noteDecoded(outcome.byteCount)
            numbers.formUnion(outcome.numbers)
        }
        return outcomes.flatMap(\.failed)
    }

    private struct Outcome: Sendable {
        var numbers = ObjectNumberSet()
        var byteCount = 0
        var failed: [PDFStream] = []
    }

    private struct Batch: Sendable {
        var items: [(stream: PDFStream, data: [UInt8], limit: Int)] = []
        var byteCount = 0

        func search(_ budget: Int) -> Outcome {
            var outcome = Outcome()
            var scanner = ReferenceScanner()
            let flate = FlateReader()
            for (stream, data, limit) in items {
                let rest = min(limit, budget - outcome.byteCount)
                let count = flate.inflate(data, limit: rest) { scanner.scan($0) }
                scanner.end()
                outcome.byteCount += count ?? 0
                if count == nil { outcome.failed.append(stream) }
            }
            outcome.numbers = scanner.numbers
            return outcome
        }
    }
}
