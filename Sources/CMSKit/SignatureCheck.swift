package import Base
package import CryptoBridge

/// What verifying one signer found: the facts, each by itself, and the problems.
package struct SignatureCheck: Sendable {
    package let problems: [CMSProblem]
    package let signedAttributesPresent: Bool
    /// Nil where the question did not arise.
    package let contentTypeMatches: Bool?
    /// The content's hash is the signed one.
    package let digestMatches: Bool?
    /// The signature value verifies with the key of ``signer``.
    package let signatureValid: Bool?
    /// The signing-certificate reference is the hash of ``signer``; nil without reference.
    package let signingCertificateMatches: Bool?
    package let digest: DigestAlgorithm?
    package let scheme: SignatureScheme?
    /// The signing-time attribute: a claim.
    package let claimedTime: CalendarTime?
    /// The certificate that the signer is said to have; trusted by nobody yet.
    package let signer: Certificate?
    /// The signature value, which a signature timestamp covers.
    package let signature: [UInt8]
    package let unsignedAttributes: [CMSAttribute]
    /// The other certificates of the message, as hints for path building.
    package let certificates: [Certificate]
    /// Present only when nothing but warnings was found.
    package let verified: VerifiedSignature?

    /// Content and attributes are unchanged and signed, whoever the signer may be.
    package var isIntact: Bool { signatureValid == true && digestMatches == true }

    /// The problems that stand in the way of success.
    package var failures: [CMSProblem] { problems.filter(\.isFailure) }
}

extension CMSProblem {
    fileprivate var isFailure: Bool { consequence != .warning }
}

extension SignatureCheck {
    /// Puts together what the steps found, and draws the conclusion: the only place where a signature
    /// becomes one that verified.
    ///
    /// - Parameters:
    ///   - info: nil for a message without a signer.
    ///   - certificates: those of the message.
    ///   - problems: those of the message, whoever signed it.
    init(
        of info: SignerInfo? = nil, certificates: [Certificate], problems: [CMSProblem],
        _ findings: SignerFindings = SignerFindings(form: Finding(nil))
    ) {
        let (attributes, value) = (findings.attributes.value, findings.value.value)
        self.problems = problems + findings.problems
        self.certificates = certificates
        signature = info?.signature ?? []
        unsignedAttributes = info?.unsignedAttributes ?? []
        digest = findings.form.value
        signedAttributesPresent = attributes.arePresent
        contentTypeMatches = attributes.contentTypeMatches
        // Without attributes the value is over the content itself.
        digestMatches = value.isOfContent ?? attributes.digestMatches
        claimedTime = attributes.claimedTime
        signer = findings.signer.value.certificate
        signingCertificateMatches = findings.signer.value.isReferenced
        scheme = value.scheme
        signatureValid = value.isValid
        guard let info, let signer, let digest, let scheme, signatureValid == true,
            digestMatches == true, !self.problems.contains(where: \.isFailure)
        else {
            verified = nil
            return
        }
        verified = VerifiedSignature(signer: signer, digest: digest, scheme: scheme, info: info)
    }
}

/// A signature that verified: mathematics, attributes and certificate reference. Whether the
/// certificate deserves trust is a separate question. Only ``SignedDataVerifier`` makes these.
package struct VerifiedSignature: Sendable {
    package let signer: Certificate
    package let digest: DigestAlgorithm
    package let scheme: SignatureScheme
    package let signature: [UInt8]
    package let signedAttributes: [CMSAttribute]

    fileprivate init(
        signer: Certificate, digest: DigestAlgorithm, scheme: SignatureScheme, info: SignerInfo
    ) {
        self.signer = signer
        self.digest = digest
        self.scheme = scheme
        signature = info.signature
        signedAttributes = info.signedAttributes
    }
}
