internal import COpenSSL

/// What went wrong with a key, certificate, digest or signature.
///
/// Equality compares codes alone. Neither `detail` nor `reasons` ever holds secret bytes.
package struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The bytes hold no key, certificate or bundle that can be recognised.
        case unrecognisedFormat
        case malformedKey
        /// A public key under which anybody can sign.
        case degenerateKey
        case malformedCertificate
        case malformedRequest
        case malformedBundle
        case malformedName
        /// Where one private key should be, there are several.
        case severalKeys
        /// The passphrase does not open the key.
        case wrongPassphrase
        /// The key is encrypted and no passphrase was given.
        case passphraseNeeded
        case unsupportedAlgorithm
        /// A private key does not belong to the certificate or public key beside it.
        case keyMismatch
        case digestLength
        case signatureFailed
        case invalidParameter
        case limitExceeded
        /// An old PKCS#12 needs OpenSSL's legacy provider, which is not installed.
        case legacyProviderMissing
        /// The system's generator gave nothing.
        case noRandomness
        /// A failure that no input explains.
        case internalFailure
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    /// OpenSSL's own words, oldest first; empty when the failure was found here.
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
    /// An error carrying the thread's whole OpenSSL queue, which is empty afterwards.
    static func draining(_ code: Code, _ detail: String) -> CryptoError {
        let reasons = OpenSSL.drainErrors()
        // Whatever was being done then.
        let lacksRandomness = reasons.contains { $0.library == ERR_LIB_RAND }
        return CryptoError(
            lacksRandomness ? .noRandomness : code,
            lacksRandomness ? "the system gives no random numbers" : detail,
            reasons: reasons.map(\.text))
    }
}
