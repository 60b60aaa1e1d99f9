/// Items for one thread at a time, created when needed; a thread waits if none is free.
@safe
package final class SharedPool<Item: Sendable>: @unchecked Sendable {
    // Sendable: mutable state is accessed only with the lock held.
    private var free: [Item] = []
    private var count = 0
    private var limit: Int
    private let monitor = Monitor()

    /// - Parameter limit: largest number of items, at least 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// What happens to an item after use.
    package enum Disposition { case kept, dropped }

    /// Provides `body` with an item.
    ///
    /// - Parameters:
    ///   - make: creates one; nil if there can be no more, which becomes the limit.
    ///   - body: returns its result, and whether the item can be used again; after an error it is
    ///     dropped.
    package func use<Result>(
        make: () throws -> Item?, drop: (Item) -> Void,
        _ body: (Item) throws -> (Result, Disposition)
    ) throws -> Result? {
        guard let item = try take(make) else { return nil }
        var fate = Disposition.dropped
        defer {
            // Dropped before its slot is free: there may be no capacity for another item.
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
            // If no item is in use, no item will be returned, so waiting would never end.
            guard unclaim(isFull: true) else { return nil }
        }
    }

    /// - Returns: A free item; nil if a new one may be created.
    private func claim() -> Item? {
        monitor.locked {
            while free.isEmpty && count >= limit { monitor.wait() }
            if let item = free.popLast() { return item }
            count += 1
            return nil
        }
    }

    /// Gives up a claimed place.
    ///
    /// - Parameter isFull: whether no more items can be created, which lowers the limit.
    /// - Returns: whether other items exist.
    @discardableResult private func unclaim(isFull: Bool) -> Bool {
        monitor.locked {
            count -= 1
            if isFull { limit = max(1, count) }
            monitor.wake()
            return count > 0
        }
    }
}
