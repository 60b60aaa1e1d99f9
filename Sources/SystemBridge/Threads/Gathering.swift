/// Gathers what several threads want done, and does it at one go: whoever comes last does it for all.
@safe
package final class Gathering<Item: Sendable, Outcome: Sendable>: @unchecked Sendable {
    // Sendable: everything mutable is touched with the lock held.
    private final class Entry {
        let item: Item
        var outcome: Outcome?

        init(_ item: Item) { self.item = item }
    }

    /// Who is to come.
    private struct Crowd {
        /// How many were announced and have not ended.
        var count: Int
        /// How many may wait here at once.
        var workers: Int
        /// How many have begun and neither ended nor wait here.
        var runningCount = 0
    }

    private let limit: Int
    private var queue: [Entry] = []
    private var crowd: Crowd?
    private var isWorking = false
    private var lastEvent = ContinuousClock.now
    private let monitor = Monitor()

    /// Nobody who was announced runs, and nothing has happened for so long: nobody will come.
    private static var patience: Duration { .seconds(1) }
    private static var checkMilliseconds: Int { 100 }

    /// - Parameter limit: Most items that are done at one go, at least 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Announces who is to come, so that they are waited for. Without that nobody is.
    ///
    /// - Parameters:
    ///   - count: How many; each calls ``attending(_:)`` once, and ``run(_:_:)`` there or
    ///     not.
    ///   - workers: How many threads there are for them.
    package func expect(_ count: Int, workers: Int) {
        locked { crowd = Crowd(count: count, workers: max(1, workers)) }
    }

    /// Does the work of one of those who were announced.
    package func attending<Result>(_ body: () throws -> Result) rethrows -> Result {
        locked { crowd?.runningCount += 1 }
        defer {
            locked {
                crowd?.runningCount -= 1
                crowd?.count -= 1
            }
        }
        return try body()
    }

    /// Waits for others, and for what comes of all of them.
    ///
    /// - Parameter work: Gives an outcome for each item, those of others too, in order. Called by one
    ///   thread at a time.
    /// - Returns: nil where the work gave too few outcomes.
    package func run(_ items: [Item], _ work: ([Item]) -> [Outcome]) -> [Outcome]? {
        let entries = items.map(Entry.init)
        return monitor.locked { run(entries, work) }
    }

    private func run(_ entries: [Entry], _ work: ([Item]) -> [Outcome]) -> [Outcome]? {
        queue += entries
        crowd?.runningCount -= 1
        note()
        defer {
            crowd?.runningCount += 1
            note()
        }
        var isLost = false
        while !isLost, entries.contains(where: { $0.outcome == nil }) {
            guard !isWorking, isReady else {
                monitor.wait(milliseconds: Self.checkMilliseconds)
                continue
            }
            let batch = Array(queue.prefix(limit))
            queue.removeFirst(batch.count)
            isWorking = true
            let outcomes = monitor.unlocked { work(batch.map(\.item)) }
            for (entry, outcome) in zip(batch, outcomes) { entry.outcome = outcome }
            isWorking = false
            isLost = outcomes.count < batch.count
            note()
        }
        let outcomes = entries.compactMap(\.outcome)
        return outcomes.count == entries.count ? outcomes : nil
    }

    private var isReady: Bool {
        guard !queue.isEmpty else { return false }
        guard let crowd, queue.count < limit, queue.count < min(crowd.workers, crowd.count) else {
            return true
        }
        return crowd.runningCount <= 0 && lastEvent.duration(to: .now) > Self.patience
    }

    private func note() {
        lastEvent = .now
        monitor.wakeAll()
    }

    private func locked(_ body: () -> Void) {
        monitor.locked {
            body()
            note()
        }
    }
}
