import Glibc

/// The user at the other end of a TCP connection on this computer.
package enum LoopbackPeer {
    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    private static let lineByteLimit = 512
    /// State of an open connection in the tables.
    private static let established = Array("01".utf8)
    /// A table can be read incompletely while many connections begin and end.
    private static let tryCount = 3

    /// Whether the other end of a connection belongs to the user of this process. False if the
    /// system does not list the connection.
    ///
    /// - Parameters:
    ///   - peer: address and port of the other end.
    ///   - server: address and port of this end.
    package static func isOwnUser(_ peer: String, to server: String) -> Bool {
        let (local, remote) = (entries(for: peer), entries(for: server))
        for _ in 0..<tryCount {
            let users = tables.flatMap { Self.users(in: $0, from: local, to: remote) }
            if !users.isEmpty { return users.allSatisfy { $0 == geteuid() } }
        }
        return false
    }

    private static func users(
        in table: String, from local: [[UInt8]], to remote: [[UInt8]]
    ) -> [uid_t] {
        var users: [uid_t] = []
        guard let file = FileDescriptor.open(table, flags: O_RDONLY) else { return [] }
        try? file.readLines(of: table, limit: lineByteLimit) { line in
            // Number, local and remote address, state, queues, timer, retransmissions, user,
            // timeouts, inode. A connection without an inode belongs to no process.
            let words = line.split(separator: 0x20)
            guard words.count > 9, words[3].elementsEqual(established),
                !words[9].elementsEqual([UInt8(ascii: "0")]),
                local.contains(where: { words[1].elementsEqual($0) }),
                remote.contains(where: { words[2].elementsEqual($0) }),
                let user = uid_t(String(decoding: words[7], as: UTF8.self))
            else { return }
            users.append(user)
        }
        return users
    }

    /// How the tables write an address and port, for sockets of both families: the words of the
    /// address in the byte order of the computer. Empty for other addresses than IPv4 and `::1`.
    private static func entries(for address: String) -> [[UInt8]] {
        let parts = address.split(separator: ":")
        guard let port = parts.last.flatMap({ UInt16($0) }) else { return [] }
        let end = ":" + hex(UInt32(port), digits: 4)
        let one = hex(UInt32(bigEndian: 1), digits: 8)
        if address.hasPrefix("[::1]:") {
            return [Array((String(repeating: "0", count: 24) + one + end).utf8)]
        }
        let bytes = parts[0].split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 2, bytes.count == 4 else { return [] }
        let word = hex(
            UInt32(bigEndian: bytes.reduce(0) { $0 << 8 | UInt32($1) }), digits: 8)
        let mapped =
            String(repeating: "0", count: 16) + hex(UInt32(bigEndian: 0xFFFF), digits: 8) + word
        return [word, mapped].map { Array(($0 + end).utf8) }
    }

    private static func hex(_ number: UInt32, digits count: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
