/// One thing found wrong with a message or signature.
package struct CMSProblem: Sendable, Equatable {
    package enum Code: String, Sendable, CaseIterable {
        case noSigner = "no-signer"
        case severalSigners = "several-signers"
        case contentEmbedded = "content-embedded"
        case contentMissing = "content-missing"
        case contentTypeUnexpected = "content-type-unexpected"
        case signedAttributesMissing = "signed-attributes-missing"
        case contentTypeAttributeMissing = "content-type-attribute-missing"
        case contentTypeMismatch = "content-type-mismatch"
        case messageDigestMissing = "message-digest-missing"
        case attributeRepeated = "attribute-repeated"
        case attributeMalformed = "attribute-malformed"
        case digestMismatch = "digest-mismatch"
        case digestUnavailable = "digest-unavailable"
        case algorithmMismatch = "algorithm-mismatch"
        case algorithmUnsupported = "algorithm-unsupported"
        case keyUnsupported = "key-unsupported"
        case signatureInvalid = "signature-invalid"
        case signerCertificateMissing = "signer-certificate-missing"
        case signerCertificateMalformed = "signer-certificate-malformed"
        case signerNotPinned = "signer-not-pinned"
        case signingCertificateReferenceMissing = "signing-certificate-reference-missing"
        case signingCertificateMismatch = "signing-certificate-mismatch"
        /// The hash fits, the hint of issuer and serial beside it does not.
        case signingCertificateHintMismatch = "signing-certificate-hint-mismatch"
        case attributesNotSorted = "attributes-not-sorted"
        case signingTimePresent = "signing-time-present"
        case versionUnusual = "version-unusual"
        case digestNotListed = "digest-not-listed"
        case digestNamedBySignature = "digest-named-by-signature"
        /// Not DER, and readers may differ about what was signed.
        case encodingAmbiguous = "encoding-ambiguous"
        case signerNameEncoding = "signer-name-encoding"
    }

    /// What a problem does to the verdict; the terms of ETSI EN 319 102-1 §5.
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
        /// Tolerated; reported all the same.
        case warning
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
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
        case .encodingAmbiguous: .signatureConstraints
        case .attributesNotSorted, .signingTimePresent, .signingCertificateHintMismatch,
            .signerNameEncoding, .versionUnusual, .digestNamedBySignature:
            .warning
        default: .formatFailure
        }
    }
}
