import CSystemCalls
import Glibc

/// Work on several cores with results in sequence, on a pool of threads.
///
/// Neither Dispatch nor Swift concurrency is used: loading Dispatch, the base of Swift's executor,
/// takes longer than most commands, and both assume nonblocking threads, while these block in
/// `fsync`, PKCS#11 modules and libcurl.
package enum OrderedWork {
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Number of threads that may wait for a disk or a server while others compute: enough to sync
    /// many files at once.
    package static let waitingCount = 16

    /// Runs `work` for `0..<count` on threads, and passes the results on in that order.
    ///
    /// A thread is at most `jobs` results ahead of the next one needed, so that memory does not
    /// grow with `count`.
    ///
    /// - Parameters:
    ///   - jobs: number of threads that compute.
    ///   - waiting: number of further threads in ``whileWaiting(_:)``. With 0 and one job, all is
    ///     done on the calling thread.
    ///   - work: called on any thread.
    ///   - consume: called on the calling thread; an error ends the work.
    package static func run<Result: Sendable>(
        count: Int, jobs: Int, waiting: Int = 0, work: @escaping @Sendable (Int) -> Result,
        consume: (Int, Result) throws -> Void
    ) throws {
        let threads = min(jobs + waiting, count)
        guard threads > 1 else {
            for index in 0..<count { try consume(index, work(index)) }
            return
        }
        // Accessed only with the crew's lock held.
        let results = ValueBox<[Int: Result]>([:])
        let crew = WorkCrew(count: count, jobs: jobs, threads: threads) { index in
            let result = work(index)
            return { results.value[index] = result }
        }
        defer { crew.stop() }
        // Further threads start when one of these waits.
        let isStarted = (0..<min(jobs, threads)).count { _ in crew.startThread() } > 0
        for index in 0..<count {
            // If the system creates no thread, this thread does the work.
            try consume(
                index,
                isStarted
                    ? crew.collect(index) { results.value.removeValue(forKey: index) }
                    : work(index))
        }
    }

    /// Sleeps for a duration, or until the current run is cancelled.
    package static func pause(_ duration: Duration) {
        let step = Duration.milliseconds(50)
        var left = duration
        while WorkRun.current != nil, left > step, !WorkRun.isCancelled {
            sleep(step)
            left -= step
        }
        if !WorkRun.isCancelled { sleep(left) }
    }

    private static func sleep(_ duration: Duration) {
        let (seconds, fraction) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(fraction / 1_000_000_000))
        var rest = timespec()
        while unsafe nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
    }

    /// Runs `body`, which waits for a disk or a server; another thread computes in the meantime.
    ///
    /// - Parameters:
    ///   - thing: the resource: waiting times differ between resources.
    package static func whileWaiting<Result, Failure: Error>(
        for thing: Thing = .disk, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let places = unsafe CThread_places() else { return try body() }
        let mine = unsafe Unmanaged<WorkCrew>.fromOpaque(places).takeUnretainedValue()
        // A short wait is not worth a thread switch.
        let begun = Idleness()
        guard mine.isLong(thing) else {
            defer { mine.waited(begun.duration, for: thing) }
            return try body()
        }
        mine.leave()
        defer {
            mine.waited(begun.duration, for: thing)
            mine.comeBack()
        }
        return try body()
    }

    /// A resource that a thread may wait for.
    package enum Thing: Int, CaseIterable, Sendable { case disk, device }
}

/// Measures how long this thread was idle.
private struct Idleness {
    private let begun = ContinuousClock.now
    private let calculated = Self.calculated

    var duration: Duration { .now - begun - (Self.calculated - calculated) }

    private static var calculated: Duration {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// Threads that share the work items. As many compute at the same time as there are slots. While
/// one waits for a resource, another one takes its slot.
@safe private final class WorkCrew: @unchecked Sendable {
    // Sendable: mutable state is accessed only with the lock held.
    private let perform: @Sendable (Int) -> () -> Void
    private let count: Int
    private let threadLimit: Int
    private let isSingle: Bool
    /// Number of results that may be ahead of the next one needed.
    private let window: Int
    private var freePlaces: Int
    private var threads: [BackgroundThread] = []
    /// Threads started or being started.
    private var threadCount = 0
    /// Threads waiting for work or a slot.
    private var idleCount = 0
    /// Threads that finished waiting for a resource and need a slot: they have priority.
    private var returningCount = 0
    private var next = 0
    private var taken = 0
    /// Finished results that are not yet taken.
    private var readyCount = 0
    private var isStopped = false
    /// Whether the last wait for each resource was long.
    private var areLong = [Bool](repeating: false, count: OrderedWork.Thing.allCases.count)
    private let monitor = Monitor(events: Event.allCases.count)
    /// Threads wait for work with a slot, for a slot, or for the next result.
    private enum Event: Int, CaseIterable { case work, place, result }

    private static let shortWait = Duration.microseconds(100)
    /// Results are collected in groups, or after this time: two thread switches for each result
    /// could cost more than the work.
    private static let collectingMilliseconds = 20

    /// - Parameters:
    ///   - jobs: Number of threads that compute at the same time.
    ///   - threads: Maximum number of threads.
    ///   - perform: Does one work item. The closure that it returns stores the result and is
    ///     called with the lock held.
    init(count: Int, jobs: Int, threads: Int, perform: @escaping @Sendable (Int) -> () -> Void) {
        self.perform = perform
        self.count = count
        threadLimit = threads
        isSingle = jobs == 1
        window = 2 * threads
        freePlaces = jobs
    }

    // MARK: With the lock held

    private func wait(for event: Event) { monitor.wait(for: event.rawValue) }

    private func wake(_ event: Event) { monitor.wake(event.rawValue) }

    private func wakeAll(_ event: Event) { monitor.wakeAll(event.rawValue) }

    private var isOver: Bool { isStopped || next >= count }

    private var mayBegin: Bool { freePlaces > 0 && returningCount == 0 && next < taken + window }

    private func givePlace() {
        freePlaces += 1
        if returningCount > 0 { wake(.place) }
    }

    /// Keeps all slots in use.
    ///
    /// - Returns: whether another thread is needed.
    private func fillPlaces() -> Bool {
        guard mayBegin, !isOver else { return false }
        if idleCount > 0 { wake(.work) }
        return idleCount == 0 && threadCount < threadLimit
    }

    // MARK: The threads

    /// Starts a thread that works until nothing is left.
    ///
    /// - Returns: Whether a thread was started: the system may refuse.
    func startThread() -> Bool {
        let isWanted = monitor.locked {
            guard threadCount < threadLimit, !isOver else { return false }
            threadCount += 1
            return true
        }
        guard isWanted else { return false }
        let thread = BackgroundThread { self.serve() }
        monitor.locked {
            if let thread { threads.append(thread) } else { threadCount -= 1 }
        }
        return thread != nil
    }

    /// Begins no further work, and waits until the work in progress is done.
    func stop() {
        monitor.locked {
            isStopped = true
            wakeAll(.work)
        }
        // A joined thread may have started another one before.
        while let thread = monitor.locked({ threads.popLast() }) { thread.join() }
    }

    private func serve() {
        unsafe CThread_set_places(Unmanaged.passUnretained(self).toOpaque())
        defer { CThread_set_places(nil) }
        var index = claim()
        while let mine = index { index = claim(isDone: true, perform(mine)) }
    }

    /// Claims the next work item and a slot for it; nil if no work is left.
    ///
    /// - Parameters:
    ///   - isDone: whether this thread has finished a piece: its slot is released.
    ///   - keep: stores its result.
    private func claim(isDone: Bool = false, _ keep: () -> Void = {}) -> Int? {
        monitor.locked {
            if isDone {
                keep()
                readyCount += 1
                if isOver || 2 * readyCount >= window { wake(.result) }
                givePlace()
            }
            while !isOver, !mayBegin {
                idleCount += 1
                wait(for: .work)
                idleCount -= 1
            }
            guard !isOver else {
                wakeAll(.work)
                return nil
            }
            freePlaces -= 1
            next += 1
            _ = fillPlaces()
            return next - 1
        }
    }

    /// Waits until `poll` returns the result of an item. Called by one thread, in the order of
    /// the items.
    func collect<Value>(_ index: Int, _ poll: () -> Value?) -> Value {
        let (value, isOneMissing) = monitor.locked {
            while true {
                if let value = poll() {
                    taken = index + 1
                    readyCount -= 1
                    return (value, fillPlaces())
                }
                monitor.wait(for: Event.result.rawValue, milliseconds: Self.collectingMilliseconds)
            }
        }
        if isOneMissing { _ = startThread() }
        return value
    }

    // MARK: Waiting for a resource

    /// Whether the last wait for this resource was long. Always false for devices if there is one
    /// job: the device is then used by one thread at a time.
    func isLong(_ thing: OrderedWork.Thing) -> Bool {
        monitor.locked { areLong[thing.rawValue] && (thing == .disk || !isSingle) }
    }

    func waited(_ time: Duration, for thing: OrderedWork.Thing) {
        monitor.locked { areLong[thing.rawValue] = time > Self.shortWait }
    }

    /// Releases the slot while the thread waits.
    func leave() {
        let isOneMissing = monitor.locked {
            givePlace()
            return fillPlaces()
        }
        if isOneMissing { _ = startThread() }
    }

    /// Waits for a slot and takes it again.
    func comeBack() {
        monitor.locked {
            returningCount += 1
            while freePlaces == 0 { wait(for: .place) }
            returningCount -= 1
            freePlaces -= 1
            _ = fillPlaces()
        }
    }
}
