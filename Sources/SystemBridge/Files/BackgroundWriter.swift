import Glibc
import Synchronization

/// Writes to a file on a thread of its own, so that the caller reads and hashes the next part
/// meanwhile. What is written is the very buffer that the caller saw.
final class BackgroundWriter {
    private let ring = BufferRing()
    private let outcome = Outcome()
    private let thread: BackgroundThread

    /// The error number of the first failure.
    private final class Outcome: Sendable {
        let failure = Atomic<Int32>(0)
    }

    /// - Parameter alongside: Sees the bytes on the thread that writes.
    /// - Returns: nil when no thread can be had.
    init?(_ descriptor: FileDescriptor, alongside: (@Sendable (Span<UInt8>) -> Void)? = nil) {
        let (ring, outcome) = (ring, outcome)
        let thread = BackgroundThread {
            var writeBack = WriteBack(descriptor)
            // After a failure the rest is taken and dropped: the caller must not wait forever.
            while ring.empty({ bytes in
                guard outcome.failure.load(ordering: .relaxed) == 0 else { return }
                outcome.failure.store(descriptor.write(bytes), ordering: .relaxed)
                writeBack.note(bytes.count)
                alongside?(bytes)
            }) {}
        }
        guard let thread else { return nil }
        self.thread = thread
    }

    /// Hands `body` a free buffer to fill; what it says it filled is written.
    func fill(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        try unsafe ring.fill(body)
    }

    /// Waits until everything is written; 0 or the error number of the first failure.
    func finish() -> Int32 {
        unsafe ring.fill { _ in 0 }
        thread.join()
        return outcome.failure.load(ordering: .relaxed)
    }
}
