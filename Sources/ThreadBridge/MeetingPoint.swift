import Glibc

/// Where threads that do the same wait for each other, so that what comes next can be done for all of
/// them at one go. Those who have come go on once nobody is on the way any more.
@safe
package final class MeetingPoint: @unchecked Sendable {
    // Sendable: everything mutable is touched with the lock held.
    private var onTheWay = 0
    private var round = 0
    /// Allocated, because a lock must not move.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Whoever finishes something else begins the next within this time.
    private static let quietMilliseconds = 100
    /// Nobody waits longer, whoever is still on the way.
    private static let limitMilliseconds = 30_000

    package init() {
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    /// One thread's way to the meeting. Ends with ``meet()``, or when it is let go.
    package final class Way {
        private let point: MeetingPoint
        private var isEnded = false

        fileprivate init(_ point: MeetingPoint) {
            self.point = point
            point.change { $0 += 1 }
        }

        deinit { end() }

        private func end() {
            guard !isEnded else { return }
            isEnded = true
            point.change { $0 -= 1 }
        }

        /// Waits for the others.
        package func meet() {
            end()
            OrderedWork.whileWaiting(isLong: true) { point.wait() }
        }
    }

    /// Sets out.
    package func setOut() -> Way { Way(self) }

    private func change(_ body: (inout Int) -> Void) {
        unsafe pthread_mutex_lock(lock)
        body(&onTheWay)
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(lock)
    }

    private func wait() {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        let mine = round
        let end = ContinuousClock.now + .milliseconds(Self.limitMilliseconds)
        while round == mine {
            let isQuiet = onTheWay == 0
            let timedOut = waitForChange()
            guard round == mine else { return }
            if ContinuousClock.now >= end || timedOut && isQuiet && onTheWay == 0 {
                round += 1
                unsafe pthread_cond_broadcast(changed)
            }
        }
    }

    /// - Returns: whether nothing changed for a while.
    private func waitForChange() -> Bool {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        moment.tv_nsec += Self.quietMilliseconds * 1_000_000
        moment.tv_sec += moment.tv_nsec / 1_000_000_000
        moment.tv_nsec %= 1_000_000_000
        return unsafe pthread_cond_timedwait(changed, lock, &moment) == ETIMEDOUT
    }
}
