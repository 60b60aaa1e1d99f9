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
    ///   - isWorthThread: Whether to take a thread for it; small work is done at once. So is all
    ///     work when the system refuses.
    ///   - work: May return anything when it was told to stop.
    package init(isWorthThread: Bool = true, _ work: @escaping @Sendable (Cancellation) -> Value) {
        let (box, cancellation) = (box, cancellation)
        if isWorthThread { thread = BackgroundThread { box.value = work(cancellation) } }
        if thread == nil { box.value = work(cancellation) }
    }

    deinit {
        cancellation.request()
        thread?.join()
    }

    /// Tells the work to stop; what it has by then is its result.
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

/// Checked by the work from time to time: whether the result is still needed.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    package var isRequested: Bool { flag.load(ordering: .relaxed) }
    fileprivate func request() { flag.store(true, ordering: .relaxed) }
}

/// Holds a value that one thread at a time touches.
final class ValueBox<Value: Sendable>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
