import Base

extension VerificationProblem {
    /// A problem of a message or signature, with its effect on the verdict (ETSI EN 319 102-1 §5.2).
    ///
    /// - Parameter isMild: whether content and signer are certain in spite of a problem that would
    ///   fail the signature: it only makes it indeterminate.
    static func ofMessage(_ code: ProblemCode, _ message: String, isMild: Bool = false) -> Self {
        switch code {
        case .signerNotPinned:
            Self(code, message, verdict: .failed, subIndication: .noSigningCertificateFound)
        case .digestMismatch: .failure(code, message, .hashFailure)
        case .signatureInvalid: .failure(code, message, .signatureCryptoFailure)
        case .signerCertificateMissing, .signerCertificateMalformed,
            .signingCertificateReferenceMissing, .signingCertificateMismatch:
            .doubt(code, message, .noSigningCertificateFound)
        case .algorithmUnsupported, .keyUnsupported, .digestUnavailable:
            .doubt(code, message, .cryptoConstraintsFailureNoPOE)
        case .encodingAmbiguous, .attributeNotSigned: .doubt(code, message)
        case .attributesNotSorted, .signingTimePresent, .signingCertificateHintMismatch,
            .signerNameEncoding, .versionUnusual, .digestNamedBySignature, .attributeCopied:
            .remark(code, message)
        default: isMild ? .doubt(code, message) : .failure(code, message)
        }
    }
}
