import Glibc

/// A lock, and events (condition variables) that a thread waits for while it holds the lock.
@safe
final class Monitor: @unchecked Sendable {
    // Sendable: locks and conditions are made for several threads. They are allocated, because
    // their address must not change.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let count: Int

    /// - Parameter events: number of events, numbered from 0.
    init(events: Int = 1) {
        count = events
        unsafe conditions = .allocate(capacity: events)
        unsafe pthread_mutex_init(lock, nil)
        for event in 0..<events { unsafe pthread_cond_init(conditions + event, nil) }
    }

    deinit {
        for event in 0..<count { unsafe pthread_cond_destroy(conditions + event) }
        unsafe pthread_mutex_destroy(lock)
        unsafe conditions.deallocate()
        unsafe lock.deallocate()
    }

    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try body()
    }

    // MARK: With the lock held

    func wait(for event: Int = 0) { unsafe pthread_cond_wait(conditions + event, lock) }

    /// - Returns: false if the time passed first.
    @discardableResult func wait(for event: Int = 0, milliseconds: Int) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_nsec += milliseconds * 1_000_000
        end.tv_sec += end.tv_nsec / 1_000_000_000
        end.tv_nsec %= 1_000_000_000
        return unsafe pthread_cond_timedwait(conditions + event, lock, &end) == 0
    }

    func wake(_ event: Int = 0) { unsafe pthread_cond_signal(conditions + event) }

    func wakeAll(_ event: Int = 0) { unsafe pthread_cond_broadcast(conditions + event) }
}
