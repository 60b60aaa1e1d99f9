/// The RC4 stream cipher of old documents (ISO 32000-2 §7.6.2).
///
/// Implemented here because OpenSSL 3 has it only in the legacy provider, which may not be
/// installed. Loading that provider would also take longer than signing most files.
enum RC4 {
    /// Encrypts or decrypts; both are the same operation.
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
