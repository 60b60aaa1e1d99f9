import Glibc

/// Writes to a file on a thread of its own, so that the caller reads and hashes the next part
/// meanwhile. What is written is the very buffer that the caller saw.
@safe
final class BackgroundWriter: @unchecked Sendable {
    // Sendable: each buffer belongs to one side at a time, handed over by the semaphores.
    static let bufferByteCount = 256 * 1024
    private static let bufferCount = 4

    private let descriptor: FileDescriptor
    private let storage: UnsafeMutableRawBufferPointer
    private var counts = [Int](repeating: 0, count: bufferCount)
    private var failure: Int32 = 0
    private let semaphores: UnsafeMutablePointer<sem_t>
    private var thread = pthread_t()
    private var next = 0

    /// - Returns: nil when no thread can be had.
    init?(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        unsafe storage = .allocate(
            byteCount: Self.bufferByteCount * Self.bufferCount, alignment: 4096)
        // The first counts free buffers, the second filled ones.
        unsafe semaphores = .allocate(capacity: 2)
        unsafe sem_init(semaphores, 0, UInt32(Self.bufferCount))
        unsafe sem_init(semaphores + 1, 0, 0)
        // Released by finish(), which joins the thread.
        let context = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<BackgroundWriter>.fromOpaque(context).takeUnretainedValue()
                        .run()
                }
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            unsafe context.release()
            return nil
        }
    }

    deinit {
        unsafe sem_destroy(semaphores)
        unsafe sem_destroy(semaphores + 1)
        unsafe semaphores.deallocate()
        unsafe storage.deallocate()
    }

    /// Hands `body` a free buffer to fill; what it says it filled is written. No bytes end it all.
    func fill(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        wait(0)
        let slot = next % Self.bufferCount
        next += 1
        counts[slot] = 0
        defer { unsafe sem_post(semaphores + 1) }
        counts[slot] = try unsafe body(buffer(slot))
    }

    /// Waits until everything is written; 0 or the error number of the first failure.
    func finish() -> Int32 {
        unsafe fill { _ in 0 }
        _ = pthread_join(thread, nil)
        unsafe Unmanaged.passUnretained(self).release()
        return failure
    }

    private func run() {
        var slot = 0
        var writeBack = WriteBack(descriptor)
        while true {
            wait(1)
            let count = counts[slot]
            guard count > 0 else { return }
            // After a failure the rest is taken and dropped: the caller must not wait forever.
            if failure == 0 {
                let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer(slot)[..<count])
                failure = unsafe descriptor.write(bytes.bytes)
                writeBack.note(count)
            }
            slot = (slot + 1) % Self.bufferCount
            unsafe sem_post(semaphores)
        }
    }

    private func wait(_ semaphore: Int) {
        while unsafe sem_wait(semaphores + semaphore) != 0 && errno == EINTR {}
    }

    private func buffer(_ slot: Int) -> UnsafeMutableRawBufferPointer {
        let start = slot * Self.bufferByteCount
        return unsafe UnsafeMutableRawBufferPointer(
            rebasing: storage[start..<(start + Self.bufferByteCount)])
    }
}
