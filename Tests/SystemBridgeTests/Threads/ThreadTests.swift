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
            if waits { OrderedWork.whileWaiting { OrderedWork.pause(.milliseconds(5)) } }
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

@Suite("Work in passes")
struct PassTests {
    /// Lets `count` files ask between two passes, and gives the number of those that asked each time.
    private func groups(
        count: Int, size: Int, jobs: Int, asks: @escaping @Sendable (Int) -> Bool
    ) throws -> [Int] {
        let state = Mutex((waiting: 0, groups: [Int]()))
        var results: [Int] = []
        try GroupedWork(jobs: jobs, waiting: 2, groupSize: size).run(count: count) { index in
            guard asks(index) else { return .done(index) }
            state.withLock { $0.waiting += 1 }
            return .next {
                state.withLock { state in
                    if state.waiting > 0 { state.groups.append(state.waiting) }
                    state.waiting = 0
                }
                return .next { .done(index) }
            }
        } consume: { index, result in
            #expect(index == results.count)
            results.append(try result.get())
        }
        #expect(results == Array(0..<count))
        return state.withLock { $0.groups }
    }

    @Test("fills every group but the last", arguments: [1, 2, 4])
    func full(jobs: Int) throws {
        #expect(try groups(count: 7, size: 3, jobs: jobs) { _ in true } == [3, 3, 1])
        #expect(try groups(count: 7, size: .max, jobs: jobs) { _ in true } == [7])
    }

    @Test("fills groups with those who ask")
    func skipped() throws {
        #expect(
            try groups(count: 40, size: 4, jobs: 2) { $0 % 3 != 0 }.dropLast().allSatisfy {
                $0 == 4
            })
        #expect(try groups(count: 40, size: 4, jobs: 2) { _ in false }.isEmpty)
    }

    @Test("hands over errors of any pass")
    func errors() throws {
        struct Refusal: Error {}
        var failed: [Int] = []
        try GroupedWork(jobs: 2, groupSize: 4).run(count: 9) { index -> Pass<Int> in
            guard index != 2 else { throw Refusal() }
            return .next {
                guard index != 5 else { throw Refusal() }
                return .done(index)
            }
        } consume: { index, result in
            if (try? result.get()) == nil { failed.append(index) }
        }
        #expect(failed == [2, 5])
    }

    @Test("the end sees what became of all passes")
    func ends() throws {
        struct Refusal: Error {}
        func end(_ pass: Pass<Int>) throws -> String {
            try Pass.run({ pass }) { result in (try? result.get()).map { "\($0)" } ?? "failed" }
                .finish()
        }
        #expect(try end(.done(1)) == "1")
        #expect(try end(.next { .next { .done(2) } }) == "2")
        #expect(try end(.next { throw Refusal() }) == "failed")
    }
}
