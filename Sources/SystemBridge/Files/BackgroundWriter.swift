/// Writes to a file on a separate thread, so that the caller can read and hash the next part meanwhile.
/// The written buffers are the ones that the caller hashed.
final class BackgroundWriter {
    private let ring = BufferRing()
    /// The error number of the first failure; accessed only by the thread until it ends.
    private let failure = ValueBox<Int32>(0)
    private let thread: BackgroundThread

    /// - Parameter alongside: Called with the bytes on the writing thread.
    /// - Returns: nil if no thread can be created.
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
