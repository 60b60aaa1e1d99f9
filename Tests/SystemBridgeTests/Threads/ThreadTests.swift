import Glibc
import Synchronization
import SystemBridge
import Testing

@Suite("Threads")
struct ThreadTests {
    @Test("a task gives its result, with a thread and without", arguments: [true, false])
    func result(isWorthThread: Bool) {
        let task = BackgroundTask(isWorthThread: isWorthThread) { _ in (1...1000).reduce(0, +) }
        #expect(task.value() == 500_500)
        #expect(task.value() == 500_500)
    }

    @Test("threads that meet go on together, without those who gave up")
    func meeting() throws {
        final class Log: Sendable {
            let cameCount = Atomic(0)
        }
        let (point, log) = (MeetingPoint(), Log())
        var seen: [Int] = []
        try OrderedWork.run(count: 9, jobs: 2, waiting: 9) { index -> Int in
            let way = point.setOut()
            guard index != 4 else { return 8 }
            log.cameCount.add(1, ordering: .sequentiallyConsistent)
            way.meet()
            return log.cameCount.load(ordering: .sequentiallyConsistent)
        } consume: { _, count in
            seen.append(count)
        }
        #expect(seen == [Int](repeating: 8, count: 9))
    }

    @Test("a task that nobody waits for is told to stop, and has stopped")
    func cancellation() {
        final class Log: Sendable {
            let isDone = Atomic(false)
        }
        let log = Log()
        do {
            let task = BackgroundTask { cancellation in
                while !cancellation.isRequested {}
                log.isDone.store(true, ordering: .sequentiallyConsistent)
            }
            _ = task
        }
        let isDone = log.isDone.load(ordering: .sequentiallyConsistent)
        #expect(isDone)
    }

    @Test("a ring hands over everything in order, also to a slower side")
    func ring() throws {
        let ring = BufferRing()
        let count = 100
        let filler = try #require(
            BackgroundThread {
                for number in 1...count {
                    unsafe ring.fill { buffer in
                        unsafe buffer.storeBytes(of: number, as: Int.self)
                        return MemoryLayout<Int>.size
                    }
                }
                unsafe ring.fill { _ in 0 }
            })
        var seen: [Int] = []
        while ring.empty({ unsafe seen.append($0.bytes.unsafeLoad(as: Int.self)) }) {}
        filler.join()
        #expect(seen == Array(1...count))
    }

    @Test("results come in order, however many threads there are", arguments: [1, 2, 7])
    func ordered(jobs: Int) throws {
        var seen: [Int] = []
        try OrderedWork.run(count: 50, jobs: jobs) {
            $0 * $0
        } consume: { index, square in
            #expect(square == index * index)
            seen.append(index)
        }
        #expect(seen == Array(0..<50))
    }

    /// How many threads took part, and how many of them at once in the part that calculates.
    private func crew(jobs: Int, waiting: Int, waits: Bool) throws -> (all: Int, atOnce: Int) {
        struct State {
            var threads: Set<UInt> = []
            var now = 0
            var most = 0
        }
        let state = Mutex(State())
        var seen: [Int] = []
        try OrderedWork.run(count: 60, jobs: jobs, waiting: waiting) { index in
            state.withLock { state in
                state.threads.insert(pthread_self())
                state.now += 1
                state.most = max(state.most, state.now)
            }
            OrderedWork.pause(.milliseconds(1))
            state.withLock { $0.now -= 1 }
            if waits {
                OrderedWork.whileWaiting(isLong: true) { OrderedWork.pause(.milliseconds(5)) }
            }
            return index
        } consume: { _, index in
            seen.append(index)
        }
        #expect(seen == Array(0..<60))
        return state.withLock { ($0.threads.count, $0.most) }
    }

    @Test("more threads than jobs are started only where some wait", arguments: [1, 2, 3])
    func crews(jobs: Int) throws {
        let busy = try crew(jobs: jobs, waiting: 8, waits: false)
        #expect(busy.all <= jobs && busy.atOnce <= jobs)
        let waiting = try crew(jobs: jobs, waiting: 8, waits: true)
        #expect(waiting.all > jobs && waiting.all <= jobs + 8)
        #expect(waiting.atOnce <= jobs)
    }

    @Test("an error of the consumer ends the work")
    func refusal() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try OrderedWork.run(count: 1000, jobs: 3) {
                $0
            } consume: { index, _ in
                if index == 5 { throw Refusal() }
            }
        }
    }
}

@Suite("Gathering what several threads want done")
struct GatheringTests {
    /// Lets `count` threads ask, and gives the sizes of the batches.
    private func batches(
        count: Int, limit: Int, jobs: Int, waiting: Int, skips: @escaping @Sendable (Int) -> Bool
    ) throws -> [Int] {
        let gathering = Gathering<Int, Int>(limit: limit)
        let sizes = Mutex<[Int]>([])
        gathering.expect(count, workers: min(count, jobs + waiting))
        var results: [Int?] = []
        try OrderedWork.run(count: count, jobs: jobs, waiting: waiting) { index in
            gathering.attending { () -> Int? in
                guard !skips(index) else { return nil }
                return OrderedWork.whileWaiting(isLong: true) {
                    gathering.run([index]) { items in
                        sizes.withLock { $0.append(items.count) }
                        return items.map { $0 * 2 }
                    }
                }?.first
            }
        } consume: { _, result in
            results.append(result)
        }
        #expect(results == (0..<count).map { skips($0) ? nil : $0 * 2 })
        return sizes.withLock { $0 }
    }

    @Test("fills every batch but the last", arguments: [1, 2, 4])
    func full(jobs: Int) throws {
        #expect(
            try batches(count: 7, limit: 3, jobs: jobs, waiting: 2) { _ in false } == [3, 3, 1])
    }

    @Test("waits for nobody who does not ask")
    func skipped() throws {
        let sizes = try batches(count: 40, limit: 4, jobs: 2, waiting: 3) { $0 % 3 != 0 }
        #expect(sizes.reduce(0, +) == 14 && sizes.count <= 5)
    }

    @Test("goes on when threads are held up by one that waits")
    func heldUp() throws {
        // The window of results that may be ahead ends before a second one asks.
        let sizes = try batches(count: 30, limit: 2, jobs: 1, waiting: 1) { $0 != 0 && $0 != 29 }
        #expect(sizes.reduce(0, +) == 2)
    }

    @Test("does at once what nobody announced")
    func alone() {
        let gathering = Gathering<Int, Int>(limit: 10)
        #expect(gathering.run([1, 2]) { $0.map { $0 + 1 } } == [2, 3])
        #expect(gathering.run([1, 2]) { _ in [] } == nil)
    }
}
