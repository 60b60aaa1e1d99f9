public import Base
import SystemBridge

/// The threads of the `async` functions.
///
/// Tasks wait for disks, servers and tokens, so they never run on the threads of Swift concurrency.
/// A cancelled task ends at its next step, within about a second while it waits for a server. It
/// leaves no output and throws `CancellationError`, unless its output was already complete.
public enum SignetThreads {
    /// Largest number of threads, at least 1: the default is the number of cores and 16. A task
    /// that waits for an ``AsyncSigner`` needs none.
    public static var limit: Int {
        get { TaskThreads.shared.limit }
        set { TaskThreads.shared.limit = newValue }
    }

    /// Hears the steps of tasks that the current Swift task runs.
    @TaskLocal static var listener: (@Sendable (TaskProgress) -> Void)?

    /// Runs blocking calls of this library, such as opening a key on a token.
    ///
    /// - Throws: what `body` throws, or `CancellationError`.
    public static func run<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await passes { .done(try body()) }
    }

    /// Passes the steps of all tasks that `body` awaits to `hear`, which is called on any thread.
    ///
    /// - Throws: what `body` throws.
    public static func following<Output>(
        _ hear: @escaping @Sendable (TaskProgress) -> Void, _ body: () async throws -> Output
    ) async rethrows -> Output {
        try await $listener.withValue(hear, operation: body)
    }

    /// Runs work in passes.
    static func passes<Output: Sendable>(
        _ first: @escaping @Sendable () throws -> Pass<Output>
    ) async throws -> Output {
        let run = WorkRun(hear: listener)
        return try await withTaskCancellationHandler {
            var pass = try await step(of: run, first)
            while true {
                if case .done(let output) = pass { return output }
                await SignatureRequest.answer([run])
                let next = pass
                pass = try await step(of: run) { try next.advanced() }
            }
        } onCancel: {
            run.cancel()
        }
    }

    static func step<Output: Sendable>(
        of run: WorkRun, _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            TaskThreads.shared.perform {
                continuation.resume(with: Result { try outcome(of: run, body) })
            }
        }
    }

    /// After a cancellation, errors are its consequence, and a result may lack what was not
    /// fetched.
    private static func outcome<Output>(
        of run: WorkRun, _ body: () throws -> Output
    ) throws -> Output {
        guard !run.isCancelled else { throw CancellationError() }
        let result = Result { try run.perform(body) }
        guard !run.isCancelled else { throw CancellationError() }
        return try result.get()
    }
}

/// A running task and its progress.
///
/// A released one cancels its task.
public final class RunningTask<Output: Sendable>: Sendable {
    /// The steps of the task until its end. Only the newest 64 are kept for a slow reader.
    public let progress: AsyncStream<TaskProgress>
    private let task: Task<Output, any Error>

    /// Starts `body`, in which `async` functions of this library report their steps.
    public init(_ body: @escaping @Sendable () async throws -> Output) {
        let (progress, continuation) = AsyncStream.makeStream(
            of: TaskProgress.self, bufferingPolicy: .bufferingNewest(64))
        self.progress = progress
        task = Task {
            defer { continuation.finish() }
            return try await SignetThreads.following({ continuation.yield($0) }, body)
        }
    }

    deinit { task.cancel() }

    /// The result. Cancelling the waiting Swift task cancels the running task.
    public var value: Output {
        get async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Cancels the task.
    public func cancel() { task.cancel() }
}
