package import Base
import Glibc

/// Why a server cannot listen.
package typealias ListeningError = CodedError<ListeningErrorCode>

/// The codes of ``ListeningError``.
package enum ListeningErrorCode: Sendable {
    /// The address cannot be read or does not exist.
    case badAddress
    /// The port is in use, or the address is not permitted.
    case addressRefused
    /// The computer does not have the address.
    case addressMissing
    /// The operating system provided no socket, thread or signal.
    case system
}

extension ListeningError {
    static func failing(_ what: String, error number: Int32) -> ListeningError {
        let code: ListeningErrorCode =
            switch number {
            case EADDRINUSE, EACCES: .addressRefused
            case EADDRNOTAVAIL, EAFNOSUPPORT: .addressMissing
            default: .system
            }
        return ListeningError(code, "\(what): \(FileError.systemMessage(number))")
    }
}

/// A socket that waits for connections at one address.
package final class ListeningSocket: Sendable {
    private let file: FileDescriptor
    /// The actual address: `127.0.0.1:8080`, `[::1]:8080`.
    package let address: String

    private static let backlog: Int32 = 512

    /// - Parameter address: `HOST:PORT`, `[IPv6]:PORT` or `:PORT`, which is loopback. Port 0 lets
    ///   the system choose.
    package convenience init(address: String) throws(ListeningError) {
        try self.init(address, isReserved: false)
    }

    /// A socket that keeps other programs from an address, at which connections are refused.
    ///
    /// - Returns: nil if the computer does not have the address.
    package static func reserving(_ address: String) throws(ListeningError) -> ListeningSocket? {
        do throws(ListeningError) {
            return try ListeningSocket(address, isReserved: true)
        } catch {
            if error.code == .addressMissing { return nil }
            throw error
        }
    }

    private init(_ address: String, isReserved: Bool) throws(ListeningError) {
        guard let (host, port) = Self.split(address) else {
            throw ListeningError(
                .badAddress, "'\(address)' is not an address such as 127.0.0.1:8080")
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
        guard number >= 0 else { throw .failing("no socket", error: errno) }
        file = FileDescriptor(number)
        var isShared: Int32 = isReserved ? 0 : 1
        _ = unsafe setsockopt(
            number, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(number, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            isReserved || listen(number, Self.backlog) == 0
        else { throw .failing(address, error: errno) }
        self.address = unsafe Self.text { unsafe getsockname(number, $0, $1) }
    }

    /// The pause in milliseconds if no further connection can be accepted.
    private static let pause: Int32 = 20

    /// Waits for a connection; only briefly without a stop signal, or if no further connection is
    /// permitted.
    ///
    /// - Returns: false after a stop signal.
    package func wait(isFull: Bool, stop: StopSignal?) -> Bool {
        // poll ignores negative descriptors.
        var descriptors = [
            pollfd(fd: stop?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isFull ? -1 : file.number, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(
            &descriptors, nfds_t(descriptors.count), isFull || stop == nil ? Self.pause : -1)
        return descriptors[0].revents == 0
    }

    /// The next connection; nil if none is waiting.
    ///
    /// - Parameter stop: signal that also ends waiting on the connection.
    package func accept(stop: StopSignal?) -> ConnectedSocket? {
        let number = Glibc.accept(file.number, nil, nil)
        guard number >= 0 else {
            // The connection is still waiting, so `accept` would fail again immediately.
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                OrderedWork.pause(.milliseconds(Int(Self.pause)))
            }
            return nil
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return ConnectedSocket(
            FileDescriptor(number),
            peer: unsafe Self.text { unsafe getpeername(number, $0, $1) }, stop: stop)
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

    /// The numeric text of an address returned by a call.
    private static func text(
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
