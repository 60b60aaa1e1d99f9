import Base
import CSystem
import Glibc

/// Turns SIGINT and SIGTERM into something to wait for, so that work in progress can end well.
package final class StopSignal: Sendable {
    private let reader: FileDescriptor
    /// Counts as readable once a signal came, and ever after: the other end of a pipe is closed.
    var descriptor: Int32 { reader.number }

    /// To be made before any other thread: signals are held back in those that begin later.
    package init() throws(ListeningError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe CFile_pipe(&ends) == 0 else { throw .failing("no pipe", errno) }
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
