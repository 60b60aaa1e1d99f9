import Synchronization

/// Work on another thread, and its result.
///
/// An owner that is released without reading the result stops the work and waits for it, so that
/// nothing runs while the process ends.
package final class BackgroundTask<Value: Sendable> {
    private let box = ValueBox<Value?>(nil)
    private let cancellation = Cancellation()
    private var thread: BackgroundThread?

    /// Starts `work`.
    ///
    /// - Parameters:
    ///   - isWorthThread: whether to use a thread; otherwise, or without a free thread, the work is done
    ///     immediately.
    ///   - work: its result is ignored after cancellation.
    package init(isWorthThread: Bool = true, _ work: @escaping @Sendable (Cancellation) -> Value) {
        let (box, cancellation) = (box, cancellation)
        if isWorthThread { thread = BackgroundThread { box.value = work(cancellation) } }
        if thread == nil { box.value = work(cancellation) }
    }

    deinit {
        cancellation.request()
        thread?.join()
    }

    /// Requests that the work stops; its result is then what it has so far.
    package func stop() { cancellation.request() }

    /// Waits for the result.
    package func value() -> Value {
        thread?.join()
        thread = nil
        guard let value = box.value else {
            // The thread has ended after writing the value.
            preconditionFailure("work without result")
        }
        return value
    }
}

/// Checked by the work from time to time: whether its result is no longer needed.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    package var isRequested: Bool { flag.load(ordering: .relaxed) }
    fileprivate func request() { flag.store(true, ordering: .relaxed) }
}

/// Holds a value that only one thread accesses at a time.
final class ValueBox<Value: Sendable>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
