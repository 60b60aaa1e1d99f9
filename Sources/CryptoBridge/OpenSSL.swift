internal import COpenSSL

/// The library's start-up and its error queue.
enum OpenSSL {
    /// More reasons than this tell nobody anything.
    static let reasonLimit = 16

    private static let initialised: Bool = COpenSSL_init() == 1

    /// Starts OpenSSL on first use, without openssl.cnf: what a signature means must not depend
    /// on a file elsewhere. Clears the thread's error queue.
    static func prepare() {
        _ = initialised
        ERR_clear_error()
    }

    /// Empties the thread's error queue, oldest entry first.
    static func drainErrors() -> [OpenSSLReason] {
        var reasons: [OpenSSLReason] = []
        var text = [CChar](repeating: 0, count: 256)
        var library: Int32 = 0
        var reason: Int32 = 0
        while unsafe COpenSSL_next_error(&text, text.count, &library, &reason) == 1 {
            guard reasons.count < reasonLimit else { continue }
            let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            reasons.append(
                OpenSSLReason(
                    library: library, reason: reason,
                    text: String(decoding: words, as: UTF8.self)))
        }
        return reasons
    }

    /// The bytes that an `i2d` function writes; nil when it fails.
    static func encode(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        var buffer: UnsafeMutablePointer<UInt8>?
        // With *out NULL, i2d allocates; the buffer is ours.
        let count = unsafe body(&buffer)
        defer { unsafe COpenSSL_free(buffer) }
        guard count >= 0, let start = unsafe buffer else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// As ``encode(_:)`` for secrets: the C buffer is wiped.
    static func encodeSecret(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> SecretBytes? {
        var buffer: UnsafeMutablePointer<UInt8>?
        let count = unsafe body(&buffer)
        guard count >= 0, let start = unsafe buffer else { return nil }
        defer { unsafe COpenSSL_clear_free(start, Int(count)) }
        return unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
