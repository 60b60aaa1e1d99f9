import Glibc

/// The end of the process.
package enum ProcessExit {
    /// Ends the process at once. Nothing is buffered and every output is committed or gone, so
    /// there is nothing that cleaning up would do but take time.
    package static func now(_ status: Int32) -> Never { _exit(status) }
}
