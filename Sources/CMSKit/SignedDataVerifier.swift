package import ASN1Kit
package import CryptoBridge
import SignatureTerms

/// Verifies the signatures of a SignedData against hashes of its content.
package struct SignedDataVerifier: Sendable {
    /// What a kind of signature must and must not have.
    package struct Profile: Sendable {
        /// Exactly one signer, as in PDF.
        package var requiresOneSigner: Bool
        /// The content is outside; carrying one inside as well is an attack.
        package var isDetached: Bool
        /// Content types accepted; empty accepts any.
        package var contentTypes: Set<OID>
        package var requiresSignedAttributes: Bool
        package var requiresSigningCertificateReference: Bool
        package var forbidsSigningTime: Bool

        /// ETSI.CAdES.detached (ETSI EN 319 142-1 §6.3).
        package static let pades = Profile(
            requiresOneSigner: true, isDetached: true, contentTypes: [.data],
            requiresSignedAttributes: true, requiresSigningCertificateReference: true,
            forbidsSigningTime: true)
        /// adbe.pkcs7.detached (ISO 32000-2 §12.8.3.3).
        package static let adobeDetached = Profile(
            requiresOneSigner: true, isDetached: true, contentTypes: [.data],
            requiresSignedAttributes: true, requiresSigningCertificateReference: false,
            forbidsSigningTime: false)
        /// adbe.pkcs7.sha1: the SHA-1 of the document is the content inside.
        package static let adobeSHA1 = Profile(
            requiresOneSigner: true, isDetached: false, contentTypes: [.data],
            requiresSignedAttributes: false, requiresSigningCertificateReference: false,
            forbidsSigningTime: false)
        /// Any detached CMS.
        package static let detached = Profile(
            requiresOneSigner: false, isDetached: true, contentTypes: [],
            requiresSignedAttributes: false, requiresSigningCertificateReference: false,
            forbidsSigningTime: false)
        /// Any CMS with its content inside.
        package static let attached = Profile(
            requiresOneSigner: false, isDetached: false, contentTypes: [],
            requiresSignedAttributes: false, requiresSigningCertificateReference: false,
            forbidsSigningTime: false)
        /// An RFC 3161 token: ESS reference required (RFC 3161 §2.4.2, RFC 5816).
        package static let timestampToken = Profile(
            requiresOneSigner: true, isDetached: false, contentTypes: [.tstInfo],
            requiresSignedAttributes: true, requiresSigningCertificateReference: true,
            forbidsSigningTime: false)
    }

    package var profile: Profile
    /// Certificates from elsewhere that may be the signer's.
    package var additionalCertificates: [Certificate] = []
    /// When set, only this certificate counts as signer, compared whole.
    package var pinned: Certificate?
    /// Certificates met before, by their bytes: to load the key of a new one takes a millisecond.
    package var known: [[UInt8]: Certificate] = [:]

    package init(profile: Profile) { self.profile = profile }

    /// Checks every signer, in order. For detached messages `contentDigests` maps each of
    /// ``SignedData/requiredDigests`` to the hash of the outside content; content carried inside
    /// is hashed here. A message without signers gives one check that says so.
    package func verify(
        _ message: SignedData, contentDigests: [DigestAlgorithm: [UInt8]] = [:]
    ) throws(CryptoError) -> [SignatureCheck] {
        var carried = CarriedCertificates()
        for der in message.certificates {
            if let certificate = known[der] ?? (try? Certificate(der: der)) {
                carried.certificates.append(certificate)
            } else {
                carried.areAllSound = false
            }
        }
        var common = SignatureCheck()
        common.certificates = carried.certificates
        checkMessage(message, &common)
        guard !message.signers.isEmpty else {
            common.note(.noSigner, "the message has no signature")
            return [common]
        }
        var checks: [SignatureCheck] = []
        for info in message.signers {
            var check = common
            try verify(info, message, carried, contentDigests, &check)
            check.conclude(info)
            checks.append(check)
        }
        return checks
    }

    /// The certificates that a message brings.
    struct CarriedCertificates {
        var certificates: [Certificate] = []
        /// False where one cannot be read.
        var areAllSound = true
    }

    private func checkMessage(_ message: SignedData, _ check: inout SignatureCheck) {
        if message.isAmbiguous {
            check.note(
                .encodingAmbiguous,
                "the message is encoded so that readers may take it for different things")
        }
        if profile.requiresOneSigner, message.signers.count > 1 {
            check.note(
                .severalSigners,
                "the signature has \(message.signers.count) signers, where one is allowed")
        }
        if profile.isDetached, message.content != nil {
            check.note(
                .contentEmbedded, "the message carries content, which a detached signature must not"
            )
        }
        if !profile.isDetached, message.content == nil {
            check.note(.contentMissing, "the message carries no content")
        }
        // Nothing depends on the version, and many signers write another than the standard asks
        // for: those who extend a signature later keep the old one. RFC 5652 §5.1: whatever is not a
        // plain X.509 certificate or list has a context tag and raises the version to 3 and more.
        let isPlainForm =
            message.contentType == .data && message.signers.allSatisfy(\.isVersion1)
        let isPlain = (message.certificateChoices + message.revocationChoices)
            .allSatisfy { $0.first == ASN1Tag.sequence }
        let versions = isPlainForm ? (isPlain ? 1...1 : 1...5) : 3...5
        if !versions.contains(message.version) {
            check.note(
                .versionUnusual,
                "the message says version \(message.version), its form is that of version "
                    + "\(versions.lowerBound)")
        }
        if !profile.contentTypes.isEmpty, !profile.contentTypes.contains(message.contentType) {
            check.note(
                .contentTypeUnexpected, "the content has the unexpected type \(message.contentType)"
            )
        }
    }

    private func verify(
        _ info: SignerInfo, _ message: SignedData, _ carried: CarriedCertificates,
        _ contentDigests: [DigestAlgorithm: [UInt8]], _ check: inout SignatureCheck
    ) throws(CryptoError) {
        check.signature = info.signature
        check.unsignedAttributes = info.unsignedAttributes
        let expectedVersion = info.isVersion1 ? 1 : 3
        if info.version != expectedVersion {
            check.note(
                .versionUnusual,
                "the signer's part says version \(info.version), its form is that of version "
                    + "\(expectedVersion)")
        }
        guard let digest = info.digest else {
            check.note(
                .algorithmUnsupported,
                "the digest algorithm \(info.digestAlgorithm.oid) is not known")
            return
        }
        check.digest = digest
        if DigestAlgorithm(info.digestAlgorithm) == nil {
            check.note(
                .digestNamedBySignature,
                "\(digest.displayName) is named by the identifier of a signature algorithm")
        }
        if !message.digestAlgorithms.contains(where: { DigestAlgorithm(named: $0) == digest }) {
            check.note(
                .digestNotListed, "\(digest.displayName) is not among the message's hash algorithms"
            )
        }
        let contentDigest: [UInt8]?
        if profile.isDetached {
            contentDigest = contentDigests[digest]
        } else if let content = message.content {
            contentDigest = try digest.hash(content)
        } else {
            contentDigest = nil
        }
        if info.signedAttributesRaw != nil {
            checkAttributes(info, message, contentDigest, &check)
        } else if profile.requiresSignedAttributes || message.contentType != .data {
            check.note(.signedAttributesMissing, "the signature has no signed attributes")
        }
        try findSigner(info, carried, &check)
        try checkSignature(info, digest, contentDigest, message.content, &check)
    }

    /// What the signature was made with; nil where that is not known.
    private func scheme(
        of info: SignerInfo, _ digest: DigestAlgorithm, _ check: inout SignatureCheck
    ) -> SignatureScheme? {
        switch SignatureScheme.read(info.signatureAlgorithm, digest: digest) {
        case .scheme(let scheme):
            check.scheme = scheme
            if scheme == .ed448, digest != .shake256 {
                check.note(
                    .algorithmUnsupported,
                    "Ed448 goes with SHAKE256 (RFC 8419 §3.1), not with \(digest.displayName)")
            }
            return scheme
        case .mismatch(let message): check.note(.algorithmMismatch, message)
        case .unsupported(let message): check.note(.algorithmUnsupported, message)
        }
        return nil
    }

    private func checkSignature(
        _ info: SignerInfo, _ digest: DigestAlgorithm, _ contentDigest: [UInt8]?,
        _ content: [UInt8]?, _ check: inout SignatureCheck
    ) throws(CryptoError) {
        guard let scheme = scheme(of: info, digest, &check), let signer = check.signer else {
            return
        }
        let key: PublicKey
        do {
            key = try signer.publicKey
        } catch {
            check.note(.keyUnsupported, error.description)
            return
        }
        guard scheme.fits(key.algorithm) else {
            check.note(
                .algorithmMismatch,
                "a \(scheme.name) signature from a key of type \(key.algorithm)")
            return
        }
        guard let signature = info.signatureValue(key) else {
            check.signatureValid = false
            check.note(.signatureInvalid, "the signature has not the length that its key asks for")
            return
        }
        if !info.signedBytes.isEmpty {
            check.signatureValid = false
            for message in info.signedBytes where check.signatureValid == false {
                check.signatureValid = try key.verify(
                    signature: signature, scheme: scheme, message: message)
            }
        } else if scheme.digest != nil {
            guard let contentDigest else {
                check.note(
                    .digestUnavailable, "there is no \(digest.displayName) hash of the content")
                return
            }
            let isValid = try key.verify(
                signature: signature, scheme: scheme, digest: contentDigest)
            // Without attributes the signature is over the content itself.
            check.signatureValid = isValid
            check.digestMatches = isValid
        } else if let content, !profile.isDetached {
            let isValid = try key.verify(
                signature: signature, scheme: scheme, message: content)
            check.signatureValid = isValid
            check.digestMatches = isValid
        } else {
            check.note(
                .algorithmUnsupported,
                "\(scheme.name) over the content, without signed attributes, is not supported")
            return
        }
        if check.signatureValid == false {
            check.note(.signatureInvalid, "the signature does not verify")
        }
    }
}
