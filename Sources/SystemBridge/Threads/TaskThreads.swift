/// Threads for tasks that may wait for disks and servers. They start when needed and end when idle.
package final class TaskThreads: Sendable {
    package static let shared = TaskThreads()

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// Index of the next one in ``waiting``.
        var next = 0
        var threadCount = 0
        var idleCount = 0
        var limit = OrderedWork.coreCount + OrderedWork.waitingCount
    }

    private let state = Guarded(State())
    private static let idleMilliseconds = 5000

    /// Largest number of threads, at least 1.
    package var limit: Int {
        get { state.locked { $0.limit } }
        set { state.locked { $0.limit = max(1, newValue) } }
    }

    /// Performs `body` on one of the threads, after those given before. Without any thread, on
    /// this one.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let startsThread = state.locked { state in
            state.waiting.append(body)
            if state.idleCount > 0 { self.state.monitor.wake() }
            guard state.waiting.count - state.next > state.idleCount,
                state.threadCount < state.limit
            else { return false }
            state.threadCount += 1
            return true
        }
        guard startsThread else { return }
        if let thread = BackgroundThread({ self.serve() }) { return thread.detach() }
        let isAlone = state.locked { state in
            state.threadCount -= 1
            return state.threadCount == 0
        }
        if isAlone { while let body = take(waits: false) { body() } }
    }

    private func serve() { while let body = take(waits: true) { body() } }

    /// - Returns: nil if there has been nothing to do for a while; the thread then ends.
    private func take(waits: Bool) -> (@Sendable () -> Void)? {
        state.monitor.locked {
            var hasWaited = !waits
            while state.value.next == state.value.waiting.count {
                guard !hasWaited, state.value.threadCount <= state.value.limit else {
                    if waits { state.value.threadCount -= 1 }
                    return nil
                }
                state.value.idleCount += 1
                hasWaited = !state.monitor.wait(milliseconds: Self.idleMilliseconds)
                state.value.idleCount -= 1
            }
            let body = state.value.waiting[state.value.next]
            state.value.next += 1
            // Taken ones are removed together, so that each costs the same.
            if 2 * state.value.next >= state.value.waiting.count {
                state.value.waiting.removeFirst(state.value.next)
                state.value.next = 0
            }
            return body
        }
    }
}

/// A value that is accessed with a lock held, and its monitor.
private final class Guarded<Value>: @unchecked Sendable {
    // Sendable: the value is accessed only with the lock held.
    var value: Value
    let monitor = Monitor()

    init(_ value: Value) { self.value = value }

    /// - Parameter body: must not wait: another thread would change the value during its exclusive
    ///   access.
    func locked<Result>(_ body: (inout Value) -> Result) -> Result {
        monitor.locked { body(&value) }
    }
}

/// Blocks a thread until another one has a result.
package final class Awaited<Value: Sendable>: Sendable {
    private let state = Guarded<Value?>(nil)
    private static var checkMilliseconds: Int { 50 }

    package init() {}

    package func give(_ value: Value) {
        state.locked {
            $0 = value
            state.monitor.wakeAll()
        }
    }

    /// Waits for the result.
    ///
    /// - Parameter stop: called once if the current run is cancelled.
    package func value(stop: () -> Void) -> Value {
        var hasStopped = false
        return state.monitor.locked {
            while true {
                if let value = state.value { return value }
                if !hasStopped, WorkRun.isCancelled {
                    hasStopped = true
                    stop()
                }
                state.monitor.wait(milliseconds: Self.checkMilliseconds)
            }
        }
    }
}
