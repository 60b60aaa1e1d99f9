package import ByteKit
package import CryptoBridge

/// What verifying one signer found: the facts, each by itself, and the problems.
package struct SignatureCheck: Sendable {
    package internal(set) var problems: [CMSProblem] = []
    package internal(set) var signedAttributesPresent = false
    /// Nil where the question did not arise.
    package internal(set) var contentTypeMatches: Bool?
    /// The content's hash is the signed one.
    package internal(set) var digestMatches: Bool?
    /// The signature value verifies with the key of ``signer``.
    package internal(set) var signatureValid: Bool?
    /// The signing-certificate reference is the hash of ``signer``; nil without reference.
    package internal(set) var signingCertificateMatches: Bool?
    package internal(set) var digest: DigestAlgorithm?
    package internal(set) var scheme: SignatureScheme?
    /// The signing-time attribute: a claim.
    package internal(set) var claimedTime: CalendarTime?
    /// The certificate that the signer is said to have; trusted by nobody yet.
    package internal(set) var signer: Certificate?
    /// The signature value, which a signature timestamp covers.
    package internal(set) var signature: [UInt8] = []
    package internal(set) var unsignedAttributes: [CMSAttribute] = []
    /// The other certificates of the message, as hints for path building.
    package internal(set) var certificates: [Certificate] = []
    /// Present only when nothing but warnings was found.
    package internal(set) var verified: VerifiedSignature?

    /// Content and attributes are unchanged and signed, whoever the signer may be.
    package var isIntact: Bool { signatureValid == true && digestMatches == true }

    mutating func note(_ code: CMSProblem.Code, _ message: String) {
        problems.append(CMSProblem(code, message))
    }

    /// The problems that stand in the way of success.
    package var failures: [CMSProblem] { problems.filter { $0.consequence != .warning } }
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

extension SignatureCheck {
    /// Draws the conclusion from the facts.
    mutating func conclude(_ info: SignerInfo) {
        guard failures.isEmpty, isIntact, let signer, let digest, let scheme else { return }
        verified = VerifiedSignature(signer: signer, digest: digest, scheme: scheme, info: info)
    }
}
