/// Where threads that do the same wait for each other, so that what comes next can be done for all of
/// them at one go. Those who have come go on once nobody is on the way any more.
@safe
package final class MeetingPoint: @unchecked Sendable {
    // Sendable: everything mutable is touched with the lock held.
    private var onTheWay = 0
    private var round = 0
    private let monitor = Monitor()

    /// Whoever finishes something else begins the next within this time.
    private static let quietMilliseconds = 100
    /// Nobody waits longer, whoever is still on the way.
    private static let limitMilliseconds = 30_000

    package init() {}

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
        monitor.locked {
            body(&onTheWay)
            monitor.wakeAll()
        }
    }

    private func wait() {
        monitor.locked {
            let mine = round
            let end = ContinuousClock.now + .milliseconds(Self.limitMilliseconds)
            while round == mine {
                let isQuiet = onTheWay == 0
                let timedOut = monitor.wait(milliseconds: Self.quietMilliseconds)
                guard round == mine else { return }
                if ContinuousClock.now >= end || timedOut && isQuiet && onTheWay == 0 {
                    round += 1
                    monitor.wakeAll()
                }
            }
        }
    }
}
