import Glibc

/// A connected socket that is read with deadlines. Used by one thread.
final class Connection {
    /// Why nothing more can be read or written.
    enum Failure: Error {
        case closed
        case timeout
        case stopped
    }

    private let descriptor: Int32
    /// Becomes readable when the server is to stop.
    private let stopDescriptor: Int32
    private var buffer: [UInt8] = []
    private static let chunkByteCount = 16_384
    /// Whether what is under way is to be given up before its deadline.
    var isHurried: (() -> Bool)?
    /// How soon that is noticed, in milliseconds.
    private static let hurryMilliseconds: Int32 = 100

    /// Takes over a non-blocking socket.
    init(takingOwnership descriptor: Int32, stopDescriptor: Int32) {
        self.descriptor = descriptor
        self.stopDescriptor = stopDescriptor
        var yes: Int32 = 1
        // A response is one write: it need not wait for more.
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Waits for a request's first byte; gives up when the server stops or is short of places.
    func awaitFirstByte(
        until deadline: ContinuousClock.Instant, isCrowded: () -> Bool
    ) throws(Failure) {
        guard buffer.isEmpty else { return }
        while true {
            let slice = min(deadline, .now + .milliseconds(250))
            do {
                try fill(until: slice, stopsEarly: true)
                return
            } catch {
                guard error == .timeout, .now < deadline, !isCrowded() else { throw error }
            }
        }
    }

    /// Bytes up to and without `CRLF CRLF` or `LF LF`; nil when there are over `limit`.
    func readHead(
        limit: Int, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8]? {
        var searched = 0
        while true {
            // Empty lines before a request are skipped (RFC 9112 §2.2).
            if searched == 0 {
                buffer.removeFirst(buffer.prefix { $0 == 0x0D || $0 == 0x0A }.count)
            }
            var index = max(0, searched - 3)
            while index < buffer.count {
                guard buffer[index] == 0x0A else {
                    index += 1
                    continue
                }
                let next = index + 1
                let end =
                    buffer[next...].starts(with: [0x0A])
                    ? next + 1
                    : buffer[next...].starts(with: [0x0D, 0x0A]) ? next + 2 : nil
                if let end {
                    guard index <= limit else { return nil }
                    let hasReturn = index > 0 && buffer[index - 1] == 0x0D
                    let head = Array(buffer[..<(hasReturn ? index - 1 : index)])
                    buffer.removeFirst(end)
                    return head
                }
                index = next
            }
            searched = buffer.count
            guard buffer.count <= limit else { return nil }
            try fill(until: deadline)
        }
    }

    /// A line without its end; nil when it is longer than `limit`.
    func readLine(
        limit: Int, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                guard end <= limit else { return nil }
                let line = Array(buffer[..<(end > 0 && buffer[end - 1] == 0x0D ? end - 1 : end)])
                buffer.removeFirst(end + 1)
                return line
            }
            guard buffer.count <= limit else { return nil }
            try fill(until: deadline)
        }
    }

    func read(_ count: Int, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
        while buffer.count < count { try fill(until: deadline) }
        let bytes = Array(buffer[..<count])
        buffer.removeFirst(count)
        return bytes
    }

    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { storage in
                unsafe send(
                    descriptor, storage.baseAddress.map { unsafe $0 + written },
                    storage.count - written, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                written += count
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                try wait(for: Int16(POLLOUT), until: deadline, stopsEarly: false)
            } else {
                throw .closed
            }
        }
    }

    /// Ends the connection so that the client gets to read the last response: closing with unread
    /// bytes would reset it (RFC 9112 §9.6).
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
        let deadline = ContinuousClock.Instant.now + .seconds(1)
        for _ in 0..<64 {
            buffer.removeAll()
            guard (try? fill(until: deadline)) != nil else { return }
        }
    }

    private func fill(
        until deadline: ContinuousClock.Instant, stopsEarly: Bool = false
    ) throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount)
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                buffer += chunk[..<count]
                return
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { throw .closed }
            try wait(for: Int16(POLLIN), until: deadline, stopsEarly: stopsEarly)
        }
    }

    private func wait(
        for events: Int16, until deadline: ContinuousClock.Instant, stopsEarly: Bool
    ) throws(Failure) {
        while true {
            let left = deadline - .now
            guard left > .zero, isHurried?() != true else { throw .timeout }
            let (seconds, attoseconds) = left.components
            let milliseconds =
                min(Int32.max / 2000, Int32(clamping: seconds)) * 1000
                + Int32(attoseconds / 1_000_000_000_000_000) + 1
            // A negative number is one that poll passes over.
            var descriptors = [
                pollfd(fd: descriptor, events: events, revents: 0),
                pollfd(
                    fd: stopsEarly ? stopDescriptor : -1, events: Int16(POLLIN), revents: 0),
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
