import Glibc

/// Work for several cores whose results are wanted in order.
package enum OrderedWork {
    /// The cores of the machine.
    package static var coreCount: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// Does `work` for `0..<count` on threads, and hands the results over in that order.
    ///
    /// A thread stays at most `jobs` results ahead of the one that is wanted next, so that memory
    /// does not grow with `count`.
    ///
    /// - Parameters:
    ///   - jobs: How many threads; with one, all is done on the calling thread.
    ///   - work: Called on any thread.
    ///   - consume: Called on the calling thread; what it throws ends the work.
    package static func run<Result: Sendable>(
        count: Int, jobs: Int, work: @escaping @Sendable (Int) -> Result,
        consume: (Int, Result) throws -> Void
    ) throws {
        let threads = min(jobs, count)
        guard threads > 1 else {
            for index in 0..<count { try consume(index, work(index)) }
            return
        }
        let queue = WorkQueue<Result>(count: count, window: 2 * threads, work: work)
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
}

/// What the threads share. Everything mutable is touched with the lock held.
@safe private final class WorkQueue<Result: Sendable>: @unchecked Sendable {
    private let count: Int
    private let window: Int
    private let work: @Sendable (Int) -> Result
    private var next = 0
    private var taken = 0
    private var results: [Int: Result] = [:]
    private var isStopped = false
    /// Allocated, because a lock must not move. Freed in `deinit`, after the threads were joined.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(count: Int, window: Int, work: @escaping @Sendable (Int) -> Result) {
        self.count = count
        self.window = window
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
            let result = work(index)
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
