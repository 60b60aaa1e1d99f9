import Foundation

/// A TCP connection to a port of this machine, for valid and malformed HTTP.
package final class LoopbackClient {
    private let descriptor: Int32

    /// - Parameter port: on 127.0.0.1.
    package init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else {
            throw CommandRunnerError(description: "no connection to port \(port)")
        }
        // The tests expect nothing that takes longer than 30 seconds.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Without TCP_NODELAY, a request in two parts would wait for an acknowledgment of the first
        // part.
        var yes: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: whether all bytes were sent.
    @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// A received response.
    package struct Response: Sendable {
        package let status: Int
        package let head: String
        package let body: [UInt8]
    }

    private var buffer: [UInt8] = []

    /// The next response, read by its Content-Length; nil if the connection ended before.
    package func receive() -> Response? {
        let gap = Array("\r\n\r\n".utf8)
        while true {
            if let end = buffer.indices.first(where: { buffer[$0...].starts(with: gap) }) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                let lines = head.split(separator: "\r\n")
                let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
                let length =
                    lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
                while buffer.count < end + 4 + length { guard fill() else { return nil } }
                let body = Array(buffer[(end + 4)..<(end + 4 + length)])
                buffer.removeFirst(end + 4 + length)
                return Response(status: status, head: head, body: body)
            }
            guard fill() else { return nil }
        }
    }

    /// Whether the server closes the connection without sending more.
    package var isClosed: Bool { buffer.isEmpty && !fill() }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}
