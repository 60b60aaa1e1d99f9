import Base
import CSystemCalls
import Glibc

/// Makes SIGINT and SIGTERM available as a descriptor to poll, so that work in progress can be
/// completed.
package final class StopSignal: Sendable {
    private let reader: FileDescriptor
    /// Readable from the first signal on, since the other end of the pipe is then closed.
    var descriptor: Int32 { reader.number }

    /// Must be created before any other thread: later threads inherit the blocked signals.
    package init() throws(ListeningError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe CFile_pipe(&ends) == 0 else { throw .failing("no pipe", error: errno) }
        reader = FileDescriptor(ends[0])
        let writer = FileDescriptor(ends[1])
        _ = unsafe pthread_sigmask(Int32(SIG_BLOCK), [Self.signals], nil)
        let thread = BackgroundThread {
            withExtendedLifetime(writer) {
                var number: Int32 = 0
                while unsafe sigwait([Self.signals], &number) != 0 {}
            }
        }
        guard let thread else { throw ListeningError(.system, "no thread") }
        thread.detach()
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        return signals
    }
}
