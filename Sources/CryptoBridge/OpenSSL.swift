internal import COpenSSL
internal import Synchronization

/// Initialization and error queue of OpenSSL.
enum OpenSSL {
    /// Maximum number of reasons kept for one error.
    static let reasonLimit = 16

    private static let initialised: Bool = COpenSSL_init() == 1

    /// Initializes OpenSSL on first use, without openssl.cnf: verification must not depend on a
    /// file elsewhere. Clears the thread's error queue.
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
                    library: library, reason: reason, text: String(decoding: words, as: UTF8.self)))
        }
        return reasons
    }

    /// The result of an OpenSSL function; throws an error with the error queue if there is none.
    static func require<Value>(
        _ value: Value?, _ detail: @autoclosure () -> String,
        _ code: CryptoError.Code = .internalFailure
    ) throws(CryptoError) -> Value {
        guard let value else { throw CryptoError.draining(code, detail()) }
        return value
    }

    /// Throws an error with the error queue if an OpenSSL function failed.
    static func require(
        _ isDone: Bool, _ detail: @autoclosure () -> String,
        _ code: CryptoError.Code = .internalFailure
    ) throws(CryptoError) { guard isDone else { throw CryptoError.draining(code, detail()) } }

    /// Parses all bytes with a `d2i` function; nil if parsing fails or bytes remain.
    static func parse(
        _ der: [UInt8], freeing free: (OpaquePointer?) -> Void,
        _ body: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let parsed = unsafe body(&cursor, buffer.count)
            guard let start = buffer.baseAddress, let end = unsafe cursor,
                unsafe end - start == buffer.count
            else {
                unsafe free(parsed)
                return nil
            }
            return unsafe parsed
        }
    }

    /// The bytes that an `i2d` function writes; nil when it fails.
    static func encode(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        var buffer: UnsafeMutablePointer<UInt8>?
        // If `*out` is NULL, i2d allocates the buffer, which the caller frees.
        let count = unsafe body(&buffer)
        defer { unsafe COpenSSL_free(buffer) }
        guard count >= 0, let start = unsafe buffer else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Encodes a secret like ``encode(_:)``, and wipes the C buffer.
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

/// OpenSSL's implementations of algorithms, each fetched once and kept for the process: fetching
/// takes longer than hashing or encrypting a short string.
@safe
struct Fetched: @unchecked Sendable {
    // Sendable: an EVP_MD or EVP_CIPHER is immutable and reference counted; this one is never freed.
    private let pointer: OpaquePointer?

    private static let known = Mutex<[String: Fetched]>([:])

    /// The implementation, borrowed.
    static func digest(_ algorithm: DigestAlgorithm) throws(CryptoError) -> OpaquePointer {
        try unsafe get(algorithm.displayName) { unsafe EVP_MD_fetch(nil, $0, nil) }
    }

    /// The implementation, borrowed.
    static func cipher(_ name: String) throws(CryptoError) -> OpaquePointer {
        try unsafe get(name) { unsafe EVP_CIPHER_fetch(nil, $0, nil) }
    }

    private static func get(
        _ name: String, _ fetch: (String) -> OpaquePointer?
    ) throws(CryptoError) -> OpaquePointer {
        let fetched = known.withLock { known in
            if let found = known[name] { return found }
            OpenSSL.prepare()
            let made = unsafe Fetched(pointer: fetch(name))
            known[name] = made
            return made
        }
        return try unsafe OpenSSL.require(
            fetched.pointer, "\(name) is not available", .unsupportedAlgorithm)
    }
}
