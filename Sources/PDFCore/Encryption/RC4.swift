/// The stream cipher of old documents (ISO 32000-2 §7.6.2).
///
/// Written out here because OpenSSL 3 keeps it in its legacy provider, which need not be
/// installed, and which would take longer to load than most files take to sign.
enum RC4 {
    /// Encrypts or decrypts, which are the same.
    ///
    /// - Parameter key: 1 to 256 bytes.
    static func apply(key: [UInt8], to data: [UInt8]) -> [UInt8] {
        guard !key.isEmpty else { return data }
        var state = (0...255).map { UInt8($0) }
        var j = 0
        for i in 0..<256 {
            j = (j + Int(state[i]) + Int(key[i % key.count])) & 0xFF
            state.swapAt(i, j)
        }
        var output = data
        var i = 0
        j = 0
        for position in output.indices {
            i = (i + 1) & 0xFF
            j = (j + Int(state[i])) & 0xFF
            state.swapAt(i, j)
            output[position] ^= state[(Int(state[i]) + Int(state[j])) & 0xFF]
        }
        return output
    }
}
