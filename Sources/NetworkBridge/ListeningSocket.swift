import Base
import Glibc

/// A socket that waits for connections at one address.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    /// `127.0.0.1:8080`, `[::1]:8080`: where it really listens.
    let address: String

    private static let backlog: Int32 = 512

    /// - Parameter address: `HOST:PORT`, `[IPv6]:PORT` or `:PORT`, which is loopback. Port 0 lets
    ///   the system choose.
    init(address: String) throws(ListeningError) {
        guard let (host, port) = Self.split(address) else {
            throw ListeningError(.badAddress, "'\(address)' is no address such as 127.0.0.1:8080")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, port, &hints, &found)
        guard status == 0, let first = unsafe found else {
            throw ListeningError(
                .badAddress, "'\(address)': \(unsafe String(cString: gai_strerror(status)))")
        }
        defer { unsafe freeaddrinfo(found) }
        let number = unsafe socket(
            first.pointee.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .failing("no socket", errno) }
        var yes: Int32 = 1
        _ = unsafe setsockopt(
            number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(number, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            listen(number, Self.backlog) == 0
        else {
            let failure = errno
            close(number)
            throw .failing(address, failure)
        }
        descriptor = number
        self.address = unsafe SocketAddress.text { unsafe getsockname(number, $0, $1) }
    }

    deinit { close(descriptor) }

    /// How long nobody is asked for, in microseconds, where the system has no place for a connection.
    private static let pause: UInt32 = 20_000

    /// The next connection, non-blocking; nil when there is none at present.
    func accept() -> (descriptor: Int32, peer: String)? {
        let number = Glibc.accept(descriptor, nil, nil)
        guard number >= 0 else {
            // One waits, and would be told again at once.
            let failure = errno
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure) { usleep(Self.pause) }
            return nil
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        return (number, unsafe SocketAddress.text { unsafe getpeername(number, $0, $1) })
    }

    private static func split(_ address: String) -> (host: String, port: String)? {
        guard let colon = address.lastIndex(of: ":") else { return nil }
        let port = String(address[address.index(after: colon)...])
        guard let number = Int(port), (0...65_535).contains(number), port == String(number) else {
            return nil
        }
        var host = address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }
}

enum SocketAddress {
    /// The numeric text of the address that a call gives.
    static func text(
        _ get: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe get(address, &length) == 0 else { return Int32(-1) }
                return unsafe getnameinfo(
                    address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard status == 0 else { return "unknown" }
        let hostText = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        let portText = String(decoding: port.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return hostText.contains(":") ? "[\(hostText)]:\(portText)" : "\(hostText):\(portText)"
    }
}
