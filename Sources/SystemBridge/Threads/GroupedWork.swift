/// Work in passes on many files, one group after the other.
package struct GroupedWork: Sendable {
    private let jobs: Int
    private let waiting: Int
    private let groupSize: Int

    /// - Parameters:
    ///   - jobs: as for ``OrderedWork``, like `waiting`.
    ///   - groupSize: number of files between two passes at the same time; each may keep files
    ///     open.
    package init(jobs: Int, waiting: Int = 0, groupSize: Int) {
        self.jobs = jobs
        self.waiting = waiting
        self.groupSize = groupSize
    }

    /// Runs `work` for `0..<count`, and passes the results on in sequence.
    package func run<Value: Sendable>(
        count: Int, work: @escaping @Sendable (Int) throws -> Pass<Value>,
        consume: (Int, Result<Value, any Error>) throws -> Void
    ) throws {
        var open: [(index: Int, body: () throws -> Pass<Value>)] = []
        var results: [Int: Result<Value, any Error>] = [:]
        var (begunCount, consumedCount) = (0, 0)
        func take(_ index: Int, result pass: Result<Pass<Value>, any Error>) throws {
            switch pass {
            case .success(.next(let body)): return open.append((index, body))
            case .success(.done(let value)): results[index] = .success(value)
            case .failure(let error): results[index] = .failure(error)
            }
            while let result = results.removeValue(forKey: consumedCount) {
                consumedCount += 1
                try consume(consumedCount - 1, result)
            }
        }
        while begunCount < count {
            repeat {
                let start = begunCount
                begunCount += min(groupSize - open.count, count - start)
                try OrderedWork.run(count: begunCount - start, jobs: jobs, waiting: waiting) {
                    offset in
                    Result { try work(start + offset) }
                } consume: { offset, pass in
                    try take(start + offset, result: pass)
                }
            } while begunCount < count && (1..<groupSize).contains(open.count)
            while !open.isEmpty {
                let group = Group(passes: open)
                open = []
                try OrderedWork.run(count: group.passes.count, jobs: jobs, waiting: waiting) {
                    index in
                    Result { try group.passes[index].body() }
                } consume: { index, pass in
                    try take(group.passes[index].index, result: pass)
                }
            }
        }
    }

    /// The next passes.
    private struct Group<Value: Sendable>: @unchecked Sendable {
        // Sendable: each is called once.
        let passes: [(index: Int, body: () throws -> Pass<Value>)]
    }
}
