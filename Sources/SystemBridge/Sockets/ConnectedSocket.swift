import Glibc

/// A connected socket that is read and written with deadlines. Used by one thread.
package final class ConnectedSocket: Sendable {
    /// The reason why nothing more can be read or written.
    package enum Failure: Error {
        case closed
        case timeout
        case stopped
    }

    /// Numeric address of the other side, for logs.
    package let peer: String
    private let file: FileDescriptor
    private let stop: StopSignal?
    private static let chunkByteCount = 16_384
    /// Interval in milliseconds at which `isHurried` is checked.
    private static let hurryMilliseconds: Int32 = 100

    init(_ file: FileDescriptor, peer: String, stop: StopSignal?) {
        (self.file, self.peer, self.stop) = (file, peer, stop)
        _ = fcntl(file.number, F_SETFL, O_NONBLOCK)
        var yes: Int32 = 1
        // A response is one write, so it is sent without delay.
        _ = unsafe setsockopt(
            file.number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    package init(takingOwnership descriptor: Int32) {
        (file, peer, stop) = (FileDescriptor(descriptor), "", nil)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Receives at least one byte.
    ///
    /// - Parameters:
    ///   - isHurried: Whether to stop waiting before the deadline.
    ///   - stopsEarly: Whether to stop waiting after a stop signal.
    package func receive(
        until deadline: ContinuousClock.Instant, isHurried: (() -> Bool)?, stopsEarly: Bool
    ) throws(Failure) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while true {
            let count = unsafe recv(file.number, &chunk, chunk.count, 0)
            if count > 0 { return Array(chunk[..<count]) }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw .closed }
            try wait(for: POLLIN, until: deadline, isHurried, stopsEarly: stopsEarly)
        }
    }

    package func send(
        _ bytes: [UInt8], until deadline: ContinuousClock.Instant, isHurried: (() -> Bool)?
    ) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(file.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                try wait(for: POLLOUT, until: deadline, isHurried, stopsEarly: false)
            } else {
                throw .closed
            }
        }
    }

    /// Closes the sending direction.
    package func finishSending() { shutdown(file.number, Int32(SHUT_WR)) }

    private func wait(
        for event: Int32, until deadline: ContinuousClock.Instant, _ isHurried: (() -> Bool)?,
        stopsEarly: Bool
    ) throws(Failure) {
        while true {
            let left = deadline - .now
            guard left > .zero, isHurried?() != true else { throw .timeout }
            let milliseconds = Int32(min(left / .milliseconds(1), 1e9)) + 1
            // poll ignores negative descriptors.
            var descriptors = [
                pollfd(fd: file.number, events: Int16(event), revents: 0),
                pollfd(
                    fd: stopsEarly ? stop?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(
                &descriptors, nfds_t(descriptors.count),
                isHurried == nil ? milliseconds : min(milliseconds, Self.hurryMilliseconds))
            if descriptors[0].revents != 0 { return }
            if descriptors[1].revents != 0 { throw .stopped }
            guard ready >= 0 || errno == EINTR else { throw .closed }
        }
    }
}
