import Base
import SystemBridge

/// A task that makes one output of one input.
public protocol DocumentTask: Sendable {
    associatedtype Output: Sendable
    /// Runs the task on this thread.
    ///
    /// - Throws: ``SignetError``. No output remains then.
    func run(_ input: InputSource, into destination: Destination) throws -> Output
    /// Runs the first step of the task. Between steps no thread waits for an ``AsyncSigner``. The
    /// default is one step.
    func steps(_ input: InputSource, into destination: Destination) throws -> TaskSteps<Output>
}

/// A task between two of its steps.
public struct TaskSteps<Output: Sendable>: Sendable {
    let pass: Pass<Output>
}

extension DocumentTask {
    /// The default: the whole task.
    public func steps(
        _ input: InputSource, into destination: Destination
    ) throws -> TaskSteps<Output> {
        TaskSteps(pass: .done(try run(input, into: destination)))
    }

    /// Runs the task on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`. No output remains then.
    public func run(_ input: InputSource, into destination: Destination) async throws -> Output {
        try await SignetThreads.passes { try steps(input, into: destination).pass }
    }

    /// Runs the task on many files at once. An ``AsyncSigner`` signs up to 64 of them in one call.
    ///
    /// - Returns: one result for each file, in the same order. After a cancellation, those that are
    ///   not finished are failures with `CancellationError`.
    public func run(
        _ files: [(input: InputSource, destination: Destination)]
    ) async -> [Result<Output, any Error>] {
        var results: [Result<Output, any Error>] = []
        while results.count < files.count {
            let group = files[results.count..<min(files.count, results.count + 64)]
            results += await run(group: Array(group), after: results.count, of: files.count)
        }
        return results
    }

    /// Runs the task on the files of a group, one step of all files after the other.
    private func run(
        group: [(input: InputSource, destination: Destination)], after count: Int, of total: Int
    ) async -> [Result<Output, any Error>] {
        let runs = group.map { _ in WorkRun(hear: SignetThreads.listener) }
        var passes: [Int: Pass<Output>] = [:]
        var results: [Int: Result<Output, any Error>] = [:]
        func take(_ index: Int, _ result: Result<Pass<Output>, any Error>) {
            passes[index] = nil
            switch result {
            case .success(.done(let output)): results[index] = .success(output)
            case .success(let pass): return passes[index] = pass
            case .failure(let error): results[index] = .failure(error)
            }
            SignetThreads.listener?(.finished(count: count + results.count, of: total))
        }
        return await withTaskCancellationHandler {
            let first = group.map { file in
                { @Sendable in try steps(file.input, into: file.destination).pass }
            }
            await Self.perform(Array(first.enumerated()), of: runs, take)
            while !passes.isEmpty {
                await SignatureRequest.answer(passes.keys.sorted().map { runs[$0] })
                let next = passes.sorted { $0.key < $1.key }.map { index, pass in
                    (index, { @Sendable in try pass.advanced() })
                }
                await Self.perform(next, of: runs, take)
            }
            return group.indices.map { results[$0] ?? .failure(CancellationError()) }
        } onCancel: {
            for run in runs { run.cancel() }
        }
    }

    /// Runs one step of each file, and passes the results on as they come.
    private static func perform(
        _ steps: [(Int, @Sendable () throws -> Pass<Output>)], of runs: [WorkRun],
        _ take: (Int, Result<Pass<Output>, any Error>) -> Void
    ) async {
        await withTaskGroup { group in
            for (index, body) in steps {
                group.addTask {
                    do {
                        let pass = try await SignetThreads.step(of: runs[index], body)
                        return (index, Result<Pass<Output>, any Error>.success(pass))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for await (index, result) in group { take(index, result) }
        }
    }
}
