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
        do {
            let (result, fate) = try body(item)
            // Before its place is free: there may be room for no more.
            if fate == .dropped { drop(item) }
            giveBack(item, fate)
            return result
        } catch {
            drop(item)
            giveBack(item, .dropped)
            throw error
        }
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
            switch claim() {
            case .free(let item): return item
            case .new: break
            }
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

    private enum Claim { case free(Item), new }

    private func claim() -> Claim {
        monitor.locked {
            while true {
                if let item = free.popLast() { return .free(item) }
                if count < limit {
                    count += 1
                    return .new
                }
                monitor.wait()
            }
        }
    }

    /// - Returns: Whether there are any.
    @discardableResult
    private func unclaim(isFull: Bool) -> Bool {
        monitor.locked {
            count -= 1
            if isFull { limit = max(1, count) }
            monitor.wake()
            return count > 0
        }
    }

    private func giveBack(_ item: Item, _ fate: Fate) {
        monitor.locked {
            if fate == .kept { free.append(item) } else { count -= 1 }
            monitor.wake()
        }
    }
}
