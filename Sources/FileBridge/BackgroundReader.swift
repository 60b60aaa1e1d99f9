import Glibc
import Synchronization
import ThreadBridge

/// Reads a file on a thread of its own, a few buffers ahead of the caller, who hashes meanwhile.
final class BackgroundReader {
    private let ring = BufferRing()
    private let state = State()
    private let thread: BackgroundThread

    private final class State: Sendable {
        let isStopped = Atomic(false)
        /// The error number of the first failure, or ``endOfFile``.
        let failure = Atomic<Int32>(0)
    }

    /// Stands for an error number: the file has fewer bytes than it had.
    static let endOfFile: Int32 = -1

    /// - Returns: nil when no thread can be had.
    init?(_ descriptor: FileDescriptor, range: Range<Int>) {
        let (ring, state) = (ring, state)
        let thread = BackgroundThread {
            var position = range.lowerBound
            var isOpen = true
            while isOpen {
                unsafe ring.fill { buffer in
                    let wanted = min(buffer.count, range.upperBound - position)
                    isOpen = wanted > 0 && !state.isStopped.load(ordering: .relaxed)
                    guard isOpen else { return 0 }
                    let count = unsafe descriptor.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]),
                        at: position)
                    isOpen = count == wanted
                    guard isOpen else {
                        let failure = count < 0 ? Int32(clamping: -count) : Self.endOfFile
                        state.failure.store(failure, ordering: .relaxed)
                        return 0
                    }
                    position += count
                    return count
                }
            }
        }
        guard let thread else { return nil }
        self.thread = thread
    }

    /// Hands all parts to `body`, whose error ends the reading.
    ///
    /// - Returns: 0, the error number of a failure, or ``endOfFile``.
    func forEachPart(_ body: (Span<UInt8>) throws -> Void) rethrows -> Int32 {
        defer { thread.join() }
        do {
            while try ring.empty(body) {}
        } catch {
            state.isStopped.store(true, ordering: .relaxed)
            // The thread may wait for a free buffer.
            while ring.empty({ _ in }) {}
            throw error
        }
        return state.failure.load(ordering: .relaxed)
    }
}
