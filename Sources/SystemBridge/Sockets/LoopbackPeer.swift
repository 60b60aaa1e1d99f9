import Glibc

/// The user at the other end of a TCP connection on this computer.
package enum LoopbackPeer {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    private static let lineByteLimit = 512

    /// Whether a connection comes from another user than that of this process; nil if the system
    /// does not list it.
    ///
    /// - Parameters:
    ///   - peer: address and port of the other end.
    ///   - server: address and port of this end.
    package static func isOtherUser(_ peer: String, to server: String) -> Bool? {
        guard let own = port(of: server), let port = port(of: peer) else { return nil }
        for table in tables {
            guard let file = FileDescriptor.open(table, flags: O_RDONLY) else { continue }
            var user: uid_t?
            try? file.readLines(of: table, limit: lineByteLimit) { line in
                // Number, local and remote address, state, queues, timer, retransmissions, user.
                let words = line.split(separator: 0x20)
                guard words.count > 7, Self.port(in: words[1]) == port,
                    Self.port(in: words[2]) == own
                else { return }
                user = uid_t(String(decoding: words[7], as: UTF8.self))
            }
            if let user { return user != geteuid() }
        }
        return nil
    }

    private static func port(of address: String) -> Int? {
        address.split(separator: ":").last.flatMap { Int($0) }
    }

    /// The port of an address in hexadecimal digits.
    private static func port(in address: ArraySlice<UInt8>) -> Int? {
        address.split(separator: UInt8(ascii: ":")).last.flatMap {
            Int(String(decoding: $0, as: UTF8.self), radix: 16)
        }
    }
}
