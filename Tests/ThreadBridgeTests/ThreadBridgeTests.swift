import Synchronization
import Testing
import ThreadBridge

@Suite("Threads")
struct ThreadBridgeTests {
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
