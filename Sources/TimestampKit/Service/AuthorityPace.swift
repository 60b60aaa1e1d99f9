import Synchronization

/// The times of the next requests to each TSA, shared by all files of a run.
final class AuthorityPace: Sendable {
    private struct Times {
        /// The next request that the rate permits.
        var next: ContinuousClock.Instant?
        /// The end of the time that the TSA asked to wait.
        var heldUntil: ContinuousClock.Instant?
    }

    private let times = Mutex<[String: Times]>([:])

    /// The rest of the time that a TSA asked to wait; zero if it is over.
    func rest(of server: String) -> Duration {
        guard let end = times.withLock({ $0[server]?.heldUntil }) else { return .zero }
        return max(.zero, ContinuousClock.now.duration(to: end))
    }

    /// Makes all requests to a TSA wait.
    ///
    /// - Returns: whether this is longer than before.
    func hold(_ server: String, for delay: Duration) -> Bool {
        times.withLock { times in
            let end = ContinuousClock.now + delay
            guard end > times[server]?.heldUntil ?? .now else { return false }
            times[server, default: Times()].heldUntil = end
            return true
        }
    }

    /// Reserves the next request at a rate.
    ///
    /// - Parameter interval: the time between two requests.
    /// - Returns: the time until the request.
    func turn(at server: String, every interval: Duration) -> Duration {
        times.withLock { times in
            let now = ContinuousClock.now
            let start = max(now, times[server]?.next ?? now)
            times[server, default: Times()].next = start + interval
            return now.duration(to: start)
        }
    }
}
