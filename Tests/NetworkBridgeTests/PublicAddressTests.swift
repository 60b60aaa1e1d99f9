import Glibc
import Testing

@testable import NetworkBridge

/// To which addresses requests go when only public ones are permitted.
struct PublicAddressTests {
    private func isPublic(_ text: String) throws -> Bool {
        let isLong = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        let isAddress = unsafe inet_pton(isLong ? AF_INET6 : AF_INET, text, &bytes)
        try #require(isAddress == 1)
        return PublicAddress.isPublic(bytes)
    }

    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "198.19.0.1",
        "224.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "fe80::1", "fec0::1", "fd00::1", "ff02::1", "64:ff9b::127.0.0.1",
        "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:c0a8:101::", "2001:0:7f00:1::",
    ])
    func addressesOfLocalNetworksAreNotPublic(address: String) throws {
        #expect(try !isPublic(address))
    }

    @Test(arguments: [
        "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.128.0.1", "198.20.0.1",
        "192.0.1.1", "223.255.255.255", "2606:2800:220:1::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::",
    ])
    func othersArePublic(address: String) throws {
        #expect(try isPublic(address))
    }

    @Test(arguments: ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:7f00:1]"])
    func localServersAreNotConnectedTo(host: String) throws {
        var request = HTTPRequest(
            try HTTPAddress("http://\(host):1/"), timeLimit: .seconds(5), answerByteLimit: 100)
        let client = try HTTPClient()
        #expect(throws: HTTPError(.unreachable, "")) { try client.send(request) }
        request.isPublic = true
        #expect(throws: HTTPError(.localAddress, "")) { try client.send(request) }
    }
}
