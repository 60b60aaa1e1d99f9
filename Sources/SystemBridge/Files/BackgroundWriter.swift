/// Writes to a file on a thread of its own, so that the caller reads and hashes the next part
/// meanwhile. What is written is the very buffer that the caller saw.
final class BackgroundWriter {
    private let ring = BufferRing()
    /// The error number of the first failure; the thread's until its end.
    private let failure = ValueBox<Int32>(0)
    private let thread: BackgroundThread

    /// - Parameter alongside: Sees the bytes on the thread that writes.
    /// - Returns: nil when no thread can be had.
    init?(_ descriptor: FileDescriptor, alongside: (@Sendable (Span<UInt8>) -> Void)? = nil) {
        let (ring, failure) = (ring, failure)
        let thread = BackgroundThread {
            var writeBack = WriteBack(descriptor)
            // After a failure the rest is discarded, so that the caller does not block.
            while ring.empty({ bytes in
                guard failure.value == 0 else { return }
                failure.value = descriptor.write(bytes)
                writeBack.note(bytes.count)
                alongside?(bytes)
            }) {}
        }
        guard let thread else { return nil }
        self.thread = thread
    }

    /// Calls `body` with a free buffer; the bytes it fills are written.
    func fill(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        try unsafe ring.fill(body)
    }

    /// Waits until everything is written; 0 or the error number of the first failure.
    func finish() -> Int32 {
        unsafe ring.fill { _ in 0 }
        thread.join()
        return failure.value
    }
}
