/// Things that one thread at a time uses, made as they are needed; who finds none free waits.
@safe
package final class SharedPool<Item: Sendable>: @unchecked Sendable {
    // Sendable: everything mutable is touched with the lock held.
    private var free: [Item] = []
    private var count = 0
    private var limit: Int
    private let monitor = Monitor()

    /// - Parameter limit: How many there may be at once, at least 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// What becomes of a thing that was used.
    package enum Fate { case kept, dropped }

    /// Lends `body` a thing of its own.
    ///
    /// - Parameters:
    ///   - make: Makes one; nil when there can be no more, which then is the limit.
    ///   - body: Says besides its result whether the thing may be used again; where it throws, it
    ///     is dropped.
    package func use<Result>(
        make: () throws -> Item?, drop: (Item) -> Void, _ body: (Item) throws -> (Result, Fate)
    ) throws -> Result? {
        guard let item = try take(make) else { return nil }
        var fate = Fate.dropped
        defer {
            // Before its place is free: there may be room for no more.
            if fate == .dropped { drop(item) }
            monitor.locked {
                if fate == .kept { free.append(item) } else { count -= 1 }
                monitor.wake()
            }
        }
        let result: Result
        (result, fate) = try body(item)
        return result
    }

    /// Empties the pool of what nobody uses now.
    package func drain() -> [Item] {
        monitor.locked {
            let items = free
            count -= items.count
            free = []
            return items
        }
    }

    private func take(_ make: () throws -> Item?) throws -> Item? {
        while true {
            if let item = claim() { return item }
            do {
                if let item = try make() { return item }
            } catch {
                unclaim(isFull: false)
                throw error
            }
            // With none in use nobody would ever give one back.
            guard unclaim(isFull: true) else { return nil }
        }
    }

    /// - Returns: One that is free; nil where there is room for a new one.
    private func claim() -> Item? {
        monitor.locked {
            while free.isEmpty && count >= limit { monitor.wait() }
            if let item = free.popLast() { return item }
            count += 1
            return nil
        }
    }

    /// - Returns: Whether there are any.
    @discardableResult private func unclaim(isFull: Bool) -> Bool {
        monitor.locked {
            count -= 1
            if isFull { limit = max(1, count) }
            monitor.wake()
            return count > 0
        }
    }
}
