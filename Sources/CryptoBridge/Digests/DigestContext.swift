internal import COpenSSL

/// A hash computation.
///
/// Sendable so that one thread can pass it to another; two threads never use it at the same time.
@safe
package final class DigestContext: @unchecked Sendable {
    package let algorithm: DigestAlgorithm
    private let context: OpaquePointer

    package init(_ algorithm: DigestAlgorithm) throws(CryptoError) {
        let implementation = unsafe try Fetched.digest(algorithm)
        self.algorithm = algorithm
        unsafe context = try OpenSSL.require(EVP_MD_CTX_new(), "no digest context")
        let done = unsafe EVP_DigestInit_ex(context, implementation, nil)
        try OpenSSL.require(done == 1, "digest did not start")
    }

    private init(copying other: DigestContext) throws(CryptoError) {
        algorithm = other.algorithm
        unsafe context = try OpenSSL.require(EVP_MD_CTX_new(), "no digest context")
        let done = unsafe EVP_MD_CTX_copy_ex(context, other.context)
        try OpenSSL.require(done == 1, "digest did not copy")
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) throws(CryptoError) { try update(bytes.span) }

    package func update(_ bytes: ArraySlice<UInt8>) throws(CryptoError) { try update(bytes.span) }

    package func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let done = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        try OpenSSL.require(done == 1, "digest update")
    }

    /// A second context continuing from the same state.
    package func copy() throws(CryptoError) -> DigestContext { try DigestContext(copying: self) }

    /// The hash. The context cannot be used afterwards.
    package func finish() throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: algorithm.byteCount)
        let done: Int32
        if algorithm == .shake128 || algorithm == .shake256 {
            done = unsafe EVP_DigestFinalXOF(context, &output, output.count)
        } else {
            var count: UInt32 = 0
            done = unsafe EVP_DigestFinal_ex(context, &output, &count)
        }
        try OpenSSL.require(done == 1, "digest end")
        return output
    }
}
