import Base
import Glibc
import SystemBridge

/// Turns SIGINT and SIGTERM into something to wait for, so that work in progress can end well.
final class StopSignal: Sendable {
    /// Counts as readable once a signal came, and ever after: the other end of a pipe is closed.
    let descriptor: Int32

    /// To be made before any other thread: signals are held back in those that begin later.
    init() throws(ListeningError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .failing("no pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        let writer = ends[1]
        _ = unsafe pthread_sigmask(Int32(SIG_BLOCK), [Self.signals], nil)
        let thread = BackgroundThread {
            var number: Int32 = 0
            while unsafe sigwait([Self.signals], &number) != 0 {}
            close(writer)
        }
        guard let thread else {
            close(writer)
            throw ListeningError(.system, "no thread")
        }
        thread.detach()
    }

    deinit { close(descriptor) }

    private static var signals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        return signals
    }
}
