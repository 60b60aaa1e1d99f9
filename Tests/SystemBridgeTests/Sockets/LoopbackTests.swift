import Base
import Glibc
import SystemBridge
import Testing

@Suite("Sockets on this computer")
struct LoopbackTests {
    private func connection(
        to server: ListeningSocket, _ family: Int32
    ) throws -> (client: Int32, accepted: ConnectedSocket) {
        let port = UInt16(server.address.split(separator: ":").last ?? "") ?? 0
        let client = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let status: Int32
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            status = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        } else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            // ::ffff:127.0.0.1, or ::1
            unsafe address.sin6_addr.__in6_u.__u6_addr8.15 = 1
            if server.address.hasPrefix("127.") {
                unsafe address.sin6_addr.__in6_u.__u6_addr8.10 = 0xFF
                unsafe address.sin6_addr.__in6_u.__u6_addr8.11 = 0xFF
                unsafe address.sin6_addr.__in6_u.__u6_addr8.12 = 127
            }
            status = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        try #require(status == 0)
        _ = server.wait(isFull: false, stop: nil)
        return (client, try #require(server.accept(stop: nil)))
    }

    @Test("a peer is known by both addresses and ports, whatever family its socket has")
    func ownUser() throws {
        let servers =
            [(try ListeningSocket(address: "127.0.0.1:0"), [AF_INET, AF_INET6])]
            + [((try? ListeningSocket(address: "[::1]:0")), [AF_INET6])]
            .compactMap { socket, families in socket.map { ($0, families) } }
        for (server, families) in servers {
            for family in families {
                let (client, accepted) = try connection(to: server, family)
                let peer = accepted.peer
                #expect(LoopbackPeer.isOwnUser(peer, to: server.address), "\(peer)")
                let port = peer.split(separator: ":").last ?? ""
                for other in ["127.0.0.2:\(port)", "[::2]:\(port)", "unknown"] {
                    #expect(!LoopbackPeer.isOwnUser(other, to: server.address), "\(other)")
                }
                // Only what is open counts.
                close(client)
                withExtendedLifetime(accepted) {
                    #expect(!LoopbackPeer.isOwnUser(peer, to: server.address))
                }
            }
        }
    }

    @Test("a reserved port refuses connections, and other programs cannot listen there")
    func reserves() throws {
        let socket = try #require(try ListeningSocket.reserving("127.0.0.1:0"))
        #expect(throws: ListeningError(.addressRefused, "")) {
            try ListeningSocket(address: socket.address)
        }
        #expect(throws: ListeningError(.addressRefused, "")) {
            try ListeningSocket.reserving(socket.address)
        }
        #expect(try ListeningSocket.reserving("192.0.2.1:0") == nil)
    }
}
