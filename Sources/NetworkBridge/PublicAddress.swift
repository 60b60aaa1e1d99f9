/// The addresses that are public: neither of this machine nor of a local network. See the IANA
/// special-purpose address registries (RFC 6890).
enum PublicAddress {
    private struct Network {
        let bits: [UInt8]
        /// Number of leading bits that the addresses of the network share.
        let length: Int

        func contains(_ address: [UInt8]) -> Bool {
            let whole = length / 8
            let rest = length % 8
            return address.starts(with: bits.prefix(whole))
                && (rest == 0 || (address[whole] ^ bits[whole]) >> (8 - rest) == 0)
        }
    }

    private static let special: [Network] = [
        Network(bits: [0], length: 8), Network(bits: [10], length: 8),
        Network(bits: [100, 64], length: 10), Network(bits: [127], length: 8),
        Network(bits: [169, 254], length: 16), Network(bits: [172, 16], length: 12),
        Network(bits: [192, 0, 0], length: 24), Network(bits: [192, 168], length: 16),
        Network(bits: [198, 18], length: 15), Network(bits: [224], length: 3),
    ]
    /// Mapped, NAT64 and 6to4 addresses contain an IPv4 address (RFC 4291, RFC 6052, RFC 3056).
    private static let holders: [Network] = [
        Network(bits: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], length: 96),
        Network(bits: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], length: 96),
        Network(bits: [0x20, 0x02], length: 16),
    ]
    private static let global = Network(bits: [0x20], length: 3)
    /// Protocol assignments, including Teredo.
    private static let assigned = Network(bits: [0x20, 0x01, 0], length: 23)

    /// - Parameter address: an IPv4 (4 bytes) or IPv6 address (16 bytes).
    static func isPublic(_ address: [UInt8]) -> Bool {
        if address.count == 4 { return !special.contains { $0.contains(address) } }
        if let holder = holders.first(where: { $0.contains(address) }) {
            return isPublic(Array(address[(holder.length / 8)...].prefix(4)))
        }
        return global.contains(address) && !assigned.contains(address)
    }
}
