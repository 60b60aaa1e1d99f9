package import Base
package import CryptoBridge

/// The result of verifying one signer: single facts and problems.
package struct SignatureCheck: Sendable {
    package let problems: [VerificationProblem]
    package let signedAttributesPresent: Bool
    /// The content's hash is the signed one.
    package let digestMatches: Bool?
    /// The signature value verifies with the key of ``signer``.
    package let signatureValid: Bool?
    /// The signing-certificate reference is the hash of ``signer``; nil without reference.
    package let signingCertificateMatches: Bool?
    package let digest: DigestAlgorithm?
    package let scheme: SignatureScheme?
    /// The signing-time attribute: the claimed signing time.
    package let claimedTime: CalendarTime?
    package internal(set) var statements = SignerStatements()
    /// The signing certificate; trust is not yet checked.
    package let signer: Certificate?
    /// The signature value, which a signature timestamp covers.
    package let signature: [UInt8]
    package let unsignedAttributes: [CMSAttribute]
    /// The countersignatures, each with its own; they have no effect on ``isVerified``.
    package internal(set) var countersignatures: [SignatureCheck] = []
    /// The other certificates of the message, as candidates for path building.
    package let certificates: [Certificate]
    /// Whether value, attributes and certificate reference are valid, without problems except
    /// warnings. Trust in the certificate is checked separately.
    package let isVerified: Bool

    /// Content and attributes are unchanged and signed; the signer's identity is not considered.
    package var isIntact: Bool { signatureValid == true && digestMatches == true }

    /// The problems that prevent success.
    package var failures: [VerificationProblem] { problems.filter { $0.verdict != nil } }
}

extension SignatureCheck {
    /// Combines the results of the steps.
    ///
    /// - Parameters:
    ///   - info: nil for a message without a signer.
    ///   - certificates: certificates of the message.
    ///   - problems: problems of the message itself.
    init(
        of info: SignerInfo? = nil, certificates: [Certificate], problems: [VerificationProblem],
        _ findings: SignerFindings = SignerFindings(form: Finding(nil))
    ) {
        let (attributes, value) = (findings.attributes.value, findings.value.value)
        self.problems = problems + findings.problems
        self.certificates = certificates
        signature = info?.signature ?? []
        unsignedAttributes = info?.unsignedAttributes ?? []
        digest = findings.form.value
        signedAttributesPresent = attributes.arePresent
        // Without signed attributes the signature is over the content itself.
        digestMatches = value.isOfContent ?? attributes.digestMatches
        claimedTime = attributes.claimedTime
        statements = attributes.statements
        signer = findings.signer.value.certificate
        signingCertificateMatches = findings.signer.value.isReferenced
        scheme = value.scheme
        signatureValid = value.isValid
        isVerified =
            info != nil && signer != nil && digest != nil && scheme != nil && signatureValid == true
            && digestMatches == true && !self.problems.contains { $0.verdict != nil }
    }
}

/// The result of verifying an XML signature: single facts and problems.
package struct XMLSignatureFacts {
    package var value: [UInt8] = []
    package var signer: Certificate?
    /// Whether signed properties name the signer; nil if they name none.
    package var isReferenced: Bool?
    /// The weakest digest algorithm used.
    package var digest: DigestAlgorithm?
    package var scheme: SignatureScheme?
    /// Whether the value matches; nil if it was not checked.
    package var isValid: Bool?
    package var digestMatches = false
    package var claimedTime: CalendarTime?
    package var certificates: [Certificate] = []
    package var problems: [VerificationProblem] = []

    package init() {}
}

extension SignatureCheck {
    package init(_ facts: XMLSignatureFacts) {
        problems = facts.problems
        certificates = facts.certificates
        signature = facts.value
        unsignedAttributes = []
        digest = facts.digest
        signedAttributesPresent = true
        digestMatches = facts.digestMatches
        claimedTime = facts.claimedTime
        signer = facts.signer
        signingCertificateMatches = facts.isReferenced
        scheme = facts.scheme
        signatureValid = facts.isValid
        isVerified =
            facts.signer != nil && facts.scheme != nil && facts.isValid == true
            && facts.digestMatches && !facts.problems.contains { $0.verdict != nil }
    }
}
