internal import COpenSSL

/// A hash being computed.
///
/// Sendable so that one thread can hand it over to another; never used by two at a time.
@safe
package final class DigestContext: @unchecked Sendable {
    package let algorithm: DigestAlgorithm
    private let context: OpaquePointer

    package init(_ algorithm: DigestAlgorithm) throws(CryptoError) {
        let implementation = unsafe try FetchedDigest.get(algorithm)
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no digest context")
        }
        guard unsafe EVP_DigestInit_ex(context, implementation, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw CryptoError.draining(.internalFailure, "digest did not start")
        }
        self.algorithm = algorithm
        unsafe self.context = context
    }

    private init(takingOwnership context: OpaquePointer, _ algorithm: DigestAlgorithm) {
        self.algorithm = algorithm
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    package func update(_ bytes: [UInt8]) throws(CryptoError) {
        try update(bytes.span)
    }

    package func update(_ bytes: ArraySlice<UInt8>) throws(CryptoError) {
        try update(bytes.span)
    }

    package func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let done = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        guard done == 1 else { throw CryptoError.draining(.internalFailure, "digest update") }
    }

    /// A second context continuing from the same state.
    package func copy() throws(CryptoError) -> DigestContext {
        guard let duplicate = unsafe EVP_MD_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no digest context")
        }
        guard unsafe EVP_MD_CTX_copy_ex(duplicate, context) == 1 else {
            unsafe EVP_MD_CTX_free(duplicate)
            throw CryptoError.draining(.internalFailure, "digest did not copy")
        }
        return unsafe DigestContext(takingOwnership: duplicate, algorithm)
    }

    /// The hash. The context is spent afterwards.
    package func finish() throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: algorithm.byteCount)
        let done: Int32
        if algorithm == .shake256 {
            done = unsafe EVP_DigestFinalXOF(context, &output, output.count)
        } else {
            var count: UInt32 = 0
            done = unsafe EVP_DigestFinal_ex(context, &output, &count)
        }
        guard done == 1 else { throw CryptoError.draining(.internalFailure, "digest end") }
        return output
    }
}
