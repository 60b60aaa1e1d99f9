internal import COpenSSL

/// An error with a key, certificate, digest or signature.
///
/// Equality compares only the codes. Neither `detail` nor `reasons` contains secret bytes.
package struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The bytes contain no key, certificate or bundle of a known format.
        case unrecognisedFormat
        case malformedKey
        /// A public key for which anybody can create valid signatures.
        case degenerateKey
        case malformedCertificate
        case malformedRequest
        case malformedBundle
        case malformedName
        /// A key store in Java's own format; the detail is its type.
        case javaKeyStore
        case wrongPassphrase
        /// The key is encrypted and no passphrase was given.
        case passphraseNeeded
        case unsupportedAlgorithm
        /// The private key does not match the certificate or public key.
        case keyMismatch
        case digestLength
        case signatureFailed
        case invalidParameter
        case limitExceeded
        /// An old PKCS#12 needs OpenSSL's legacy provider, but it is not installed.
        case legacyProviderMissing
        /// The random number generator of the system returned no bytes.
        case noRandomness
        /// An internal failure, not caused by the input.
        case internalFailure
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    /// OpenSSL's error texts, oldest first; empty if the error was found here.
    package let reasons: [String]

    package init(_ code: Code, _ detail: String, reasons: [String] = []) {
        self.code = code
        self.detail = detail
        self.reasons = reasons
    }

    package static func == (a: CryptoError, b: CryptoError) -> Bool { a.code == b.code }

    package var description: String {
        reasons.isEmpty ? detail : "\(detail) (\(reasons.joined(separator: "; ")))"
    }
}

/// One entry of OpenSSL's error queue.
struct OpenSSLReason: Sendable {
    let library: Int32
    let reason: Int32
    let text: String
}

extension CryptoError {
    /// An error with the thread's whole OpenSSL error queue, which is empty afterwards.
    static func draining(_ code: Code, _ detail: String) -> CryptoError {
        let reasons = OpenSSL.drainErrors()
        // Missing randomness is reported regardless of the failing operation.
        let lacksRandomness = reasons.contains { $0.library == ERR_LIB_RAND }
        return CryptoError(
            lacksRandomness ? .noRandomness : code,
            lacksRandomness ? "the system provides no random numbers" : detail,
            reasons: reasons.map(\.text))
    }
}
