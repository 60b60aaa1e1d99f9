internal import COpenSSL

/// Bytes from OpenSSL's generator.
package enum RandomBytes {
    /// `count` unpredictable bytes.
    package static func generate(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard (0...1_048_576).contains(count) else {
            throw CryptoError(.invalidParameter, "\(count) random bytes at once")
        }
        OpenSSL.prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        try OpenSSL.require(unsafe RAND_bytes(&bytes, Int32(count)) == 1, "no random bytes")
        return bytes
    }
}
