import CFile
import Glibc

/// The end of the process.
package enum ProcessExit {
    /// Ends the process at once. Nothing is buffered and every output is committed or gone, so
    /// there is nothing that cleaning up would do but take time.
    package static func now(_ status: Int32) -> Never { _exit(status) }
}

/// Signals that are told as errors.
package enum ProcessSignals {
    /// A pipe that nobody reads and a file that may not grow are failures to write, as a full disk
    /// is. Where the runtime ends the process for want of memory, that is said.
    ///
    /// - Parameter shortOfMemory: The status to end with then.
    package static func prepare(shortOfMemory: Int32) {
        // The system keeps the pointer.
        unsafe CFile_prepare_signals(
            strdup("signet: error: there is not enough memory\n"), shortOfMemory)
    }
}
