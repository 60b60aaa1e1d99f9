/// A ring of buffers between two threads: one fills them, the other one empties them, in sequence.
@safe
package final class BufferRing: @unchecked Sendable {
    // Sendable: each buffer belongs to one side at a time, handed over under the lock.
    package static let bufferByteCount = 256 * 1024
    private static let bufferCount = 4

    private let storage: UnsafeMutableBufferPointer<UInt8>
    private let monitor = Monitor()
    /// Guarded by the lock: the number of bytes in each buffer, and the number of filled buffers.
    private var counts = [Int](repeating: 0, count: bufferCount)
    private var filledCount = 0
    private var nextToFill = 0
    private var nextToEmpty = 0

    package init() { unsafe storage = .allocate(capacity: Self.bufferByteCount * Self.bufferCount) }

    deinit { unsafe storage.deallocate() }

    /// Calls `body` with a free buffer, after waiting for one. The filled bytes are passed to the
    /// other side. No bytes, or an error, end the transfer.
    package func fill(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
        monitor.locked { while filledCount == Self.bufferCount { monitor.wait() } }
        let slot = nextToFill
        nextToFill = (slot + 1) % Self.bufferCount
        var count = 0
        defer {
            monitor.locked {
                counts[slot] = count
                filledCount += 1
                monitor.wake()
            }
        }
        count = try unsafe body(UnsafeMutableRawBufferPointer(buffer(slot)))
    }

    /// Calls `body` with the oldest filled bytes, after waiting for them.
    ///
    /// - Returns: whether there were any; `false` means the end of the transfer.
    package func empty(_ body: (Span<UInt8>) throws -> Void) rethrows -> Bool {
        let slot = nextToEmpty
        let count = monitor.locked {
            while filledCount == 0 { monitor.wait() }
            return counts[slot]
        }
        guard count > 0 else { return false }
        nextToEmpty = (slot + 1) % Self.bufferCount
        defer {
            monitor.locked {
                filledCount -= 1
                monitor.wake()
            }
        }
        try unsafe body(buffer(slot).span.extracting(0..<count))
        return true
    }

    private func buffer(_ slot: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let start = slot * Self.bufferByteCount
        return unsafe UnsafeMutableBufferPointer(
            rebasing: storage[start..<(start + Self.bufferByteCount)])
    }
}
