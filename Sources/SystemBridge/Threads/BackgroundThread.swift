import CSystemCalls

/// A thread of the operating system.
///
/// Neither Foundation nor Dispatch is used: loading them costs more than most commands take.
package struct BackgroundThread: Sendable {
    private let handle: pthread_t

    /// Starts `body` on a thread of its own, for the run of the calling thread.
    ///
    /// - Returns: `nil` if the system cannot create another thread.
    package init?(_ body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let retained = unsafe Unmanaged.passRetained(Body(body))
        let status = unsafe CThread_start(
            &handle,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard status == 0 else {
            unsafe retained.release()
            return nil
        }
        self.handle = handle
    }

    /// Waits until the thread ends. Either this or ``detach()`` must be called, once.
    package func join() { _ = pthread_join(handle, nil) }

    /// Lets the thread run without a later ``join()``.
    package func detach() { _ = pthread_detach(handle) }

    /// Passes a closure through `pthread_create`.
    private final class Body: Sendable {
        private let body: @Sendable () -> Void
        private let workRun = WorkRun.current

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            if let workRun { workRun.perform(body) } else { body() }
        }
    }
}
