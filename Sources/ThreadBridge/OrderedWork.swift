import CThread
import Glibc

/// Work for several cores whose results are wanted in order.
package enum OrderedWork {
    /// The cores of the machine.
    package static var coreCount: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// Threads that may wait for a disk or a server while others calculate: enough for a disk to
    /// bring many files to safety at one go.
    package static let waitingCount = 16

    /// Does `work` for `0..<count` on threads, and hands the results over in that order.
    ///
    /// A thread stays at most `jobs` results ahead of the one that is wanted next, so that memory
    /// does not grow with `count`.
    ///
    /// - Parameters:
    ///   - jobs: How many calculate at once.
    ///   - waiting: How many more may be in ``whileWaiting(_:)``. Without any and with one job, all
    ///     is done on the calling thread.
    ///   - work: Called on any thread.
    ///   - consume: Called on the calling thread; what it throws ends the work.
    package static func run<Result: Sendable>(
        count: Int, jobs: Int, waiting: Int = 0, work: @escaping @Sendable (Int) -> Result,
        consume: (Int, Result) throws -> Void
    ) throws {
        let threads = min(jobs + waiting, count)
        guard threads > 1 else {
            for index in 0..<count { try consume(index, work(index)) }
            return
        }
        let queue = WorkQueue<Result>(
            count: count, window: 2 * threads, places: WorkPlaces(jobs), work: work)
        let started = (0..<threads).compactMap { _ in queue.startThread() }
        defer {
            queue.stop()
            for thread in started { thread.join() }
        }
        for index in 0..<count {
            // Without any thread (the system refuses them) this one does the work.
            try consume(index, started.isEmpty ? work(index) : queue.take(index))
        }
    }

    /// Does nothing for a while.
    package static func pause(_ duration: Duration) {
        let (seconds, fraction) = duration.components
        var time = timespec(
            tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
        var rest = timespec()
        while unsafe nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }

    /// Runs `body`, which waits for a disk or a server and calculates next to nothing: meanwhile
    /// another thread does.
    ///
    /// - Parameter isLong: whether the body waits for other threads, which need the place.
    package static func whileWaiting<Result, Failure: Error>(
        isLong: Bool = false, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let places = unsafe CThread_places() else { return try body() }
        let mine = unsafe Unmanaged<WorkPlaces>.fromOpaque(places).takeUnretainedValue()
        // What takes no time is not worth a change of threads.
        guard isLong || mine.isWaitingLong else {
            let begun = ContinuousClock.now
            defer { mine.waited(for: .now - begun) }
            return try body()
        }
        mine.leave()
        let begun = ContinuousClock.now
        defer {
            mine.waited(for: .now - begun)
            mine.take()
        }
        return try body()
    }
}

/// Places for threads that calculate: as many as there are jobs.
@safe private final class WorkPlaces: @unchecked Sendable {
    private var free: Int
    private var isLong = false
    /// Allocated, because a lock must not move.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Shorter waits cost less than two changes of threads.
    private static let shortWait = Duration.microseconds(100)

    init(_ count: Int) {
        free = count
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    func take() {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while free == 0 { unsafe pthread_cond_wait(changed, lock) }
        free -= 1
    }

    func leave() {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        free += 1
        unsafe pthread_cond_signal(changed)
    }

    /// Whether the last wait was a long one.
    var isWaitingLong: Bool {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return isLong
    }

    func waited(for time: Duration) {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        isLong = time > Self.shortWait
    }

    /// Runs `body` with a place taken, which ``OrderedWork/whileWaiting(_:)`` gives away.
    func occupied<Result>(_ body: () -> Result) -> Result {
        take()
        unsafe CThread_set_places(Unmanaged.passUnretained(self).toOpaque())
        defer {
            CThread_set_places(nil)
            leave()
        }
        return body()
    }
}

/// What the threads share. Everything mutable is touched with the lock held.
@safe private final class WorkQueue<Result: Sendable>: @unchecked Sendable {
    private let count: Int
    private let window: Int
    private let places: WorkPlaces
    private let work: @Sendable (Int) -> Result
    private var next = 0
    private var taken = 0
    private var results: [Int: Result] = [:]
    private var isStopped = false
    /// Allocated, because a lock must not move. Freed in `deinit`, after the threads were joined.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(
        count: Int, window: Int, places: WorkPlaces, work: @escaping @Sendable (Int) -> Result
    ) {
        self.count = count
        self.window = window
        self.places = places
        self.work = work
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    /// Starts a thread that works until nothing is left; `nil` when the system refuses.
    func startThread() -> BackgroundThread? {
        BackgroundThread { self.serve() }
    }

    /// Waits for a result.
    func take(_ index: Int) -> Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while true {
            if let result = results.removeValue(forKey: index) {
                taken = index + 1
                unsafe pthread_cond_broadcast(changed)
                return result
            }
            unsafe pthread_cond_wait(changed, lock)
        }
    }

    func stop() {
        unsafe pthread_mutex_lock(lock)
        isStopped = true
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(lock)
    }

    private func serve() {
        while let index = claim() {
            let result = places.occupied { work(index) }
            unsafe pthread_mutex_lock(lock)
            results[index] = result
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(lock)
        }
    }

    private func claim() -> Int? {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        while !isStopped, next < count, next >= taken + window {
            unsafe pthread_cond_wait(changed, lock)
        }
        guard !isStopped, next < count else { return nil }
        next += 1
        return next - 1
    }
}
