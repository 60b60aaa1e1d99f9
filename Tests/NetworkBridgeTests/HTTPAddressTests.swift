import Testing

@testable import NetworkBridge

/// Which servers are taken for those of the asker's own network, where no redirect may lead.
struct HTTPAddressTests {
    @Test(arguments: [
        "localhost", "localhost.", "printer", "router.local", "metadata.google.internal",
        "metadata.google.internal.", "pki.corp", "nas.home.arpa", "127.0.0.1", "127.0.0.1.",
        "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "198.18.0.1",
        "0.0.0.0", "224.0.0.1", "[::1]", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ])
    func namesOfTheOwnNetworkAreKnown(host: String) throws {
        #expect(try HTTPAddress("http://\(host)/ca.crl").isLocal)
    }

    @Test(arguments: [
        "example.com", "example.com.", "lists.example.org", "93.184.216.34", "172.32.0.1",
        "100.128.0.1", "198.20.0.1", "[2606:2800:220:1::1]", "internal.example.com",
    ])
    func othersAreThePublics(host: String) throws {
        #expect(try !HTTPAddress("http://\(host)/ca.crl").isLocal)
    }
}
