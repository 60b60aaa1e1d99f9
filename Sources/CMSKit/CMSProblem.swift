package import Base

/// One problem of a message or signature.
package struct CMSProblem: Sendable, Equatable {
    package typealias Code = ProblemCode

    /// The effect of a problem on the verdict, in terms of ETSI EN 319 102-1 §5.
    package enum Consequence: Sendable {
        /// TOTAL-FAILED, FORMAT_FAILURE.
        case formatFailure
        /// TOTAL-FAILED, HASH_FAILURE.
        case hashFailure
        /// TOTAL-FAILED, SIG_CRYPTO_FAILURE.
        case signatureFailure
        /// INDETERMINATE, NO_SIGNING_CERTIFICATE_FOUND.
        case noSigningCertificate
        /// INDETERMINATE, CRYPTO_CONSTRAINTS_FAILURE_NO_POE.
        case cryptoConstraints
        /// INDETERMINATE, SIG_CONSTRAINTS_FAILURE.
        case signatureConstraints
        /// Tolerated, but reported.
        case warning
    }

    package let code: Code
    package let message: String
    /// Whether content and signer are certain in spite of the problem.
    private let isMild: Bool

    /// - Parameter isMild: whether a problem that would fail the signature only makes it
    ///   indeterminate.
    package init(_ code: Code, _ message: String, isMild: Bool = false) {
        self.code = code
        self.message = message
        self.isMild = isMild
    }

    package static func == (a: CMSProblem, b: CMSProblem) -> Bool { a.code == b.code }

    package var consequence: Consequence {
        switch code {
        case .digestMismatch: .hashFailure
        case .signatureInvalid: .signatureFailure
        case .signerCertificateMissing, .signerCertificateMalformed, .signerNotPinned,
            .signingCertificateReferenceMissing, .signingCertificateMismatch:
            .noSigningCertificate
        case .algorithmUnsupported, .keyUnsupported, .digestUnavailable: .cryptoConstraints
        case .encodingAmbiguous, .attributeNotSigned: .signatureConstraints
        case .attributesNotSorted, .signingTimePresent, .signingCertificateHintMismatch,
            .signerNameEncoding, .versionUnusual, .digestNamedBySignature, .attributeCopied:
            .warning
        default: isMild ? .signatureConstraints : .formatFailure
        }
    }
}
