import Glibc

/// A ring of buffers between two threads: one fills them, the other one empties them, in order.
@safe
package final class BufferRing: @unchecked Sendable {
    // Sendable: each buffer belongs to one side at a time, handed over by the semaphores.
    package static let bufferByteCount = 256 * 1024
    private static let bufferCount = 4

    private let storage: UnsafeMutableBufferPointer<UInt8>
    private let counts: UnsafeMutablePointer<Int>
    private let free: UnsafeMutablePointer<sem_t>
    private let filled: UnsafeMutablePointer<sem_t>
    /// The next buffer of each side.
    private var nextToFill = 0
    private var nextToEmpty = 0

    package init() {
        unsafe storage = .allocate(capacity: Self.bufferByteCount * Self.bufferCount)
        unsafe counts = .allocate(capacity: Self.bufferCount)
        unsafe counts.initialize(repeating: 0, count: Self.bufferCount)
        // Allocated, because a semaphore must not move.
        unsafe free = .allocate(capacity: 1)
        unsafe filled = .allocate(capacity: 1)
        unsafe sem_init(free, 0, UInt32(Self.bufferCount))
        unsafe sem_init(filled, 0, 0)
    }

    deinit {
        unsafe sem_destroy(free)
        unsafe sem_destroy(filled)
        unsafe free.deallocate()
        unsafe filled.deallocate()
        unsafe counts.deallocate()
        unsafe storage.deallocate()
    }

    /// Hands `body` a free buffer, waiting for one; what it says it has filled goes to the other
    /// side. No bytes, or an error, are the end.
    package func fill(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        unsafe wait(free)
        let slot = nextToFill
        nextToFill = (slot + 1) % Self.bufferCount
        unsafe counts[slot] = 0
        defer { unsafe sem_post(filled) }
        unsafe counts[slot] = try unsafe body(UnsafeMutableRawBufferPointer(buffer(slot)))
    }

    /// Hands `body` the oldest bytes that were filled in, waiting for them.
    ///
    /// - Returns: Whether there were any; `false` is the end.
    package func empty(_ body: (Span<UInt8>) throws -> Void) rethrows -> Bool {
        unsafe wait(filled)
        let slot = nextToEmpty
        let count = unsafe counts[slot]
        guard count > 0 else { return false }
        nextToEmpty = (slot + 1) % Self.bufferCount
        defer { unsafe sem_post(free) }
        try unsafe body(buffer(slot).span.extracting(0..<count))
        return true
    }

    private func wait(_ semaphore: UnsafeMutablePointer<sem_t>) {
        while unsafe sem_wait(semaphore) != 0 && errno == EINTR {}
    }

    private func buffer(_ slot: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let start = slot * Self.bufferByteCount
        return unsafe UnsafeMutableBufferPointer(
            rebasing: storage[start..<(start + Self.bufferByteCount)])
    }
}
