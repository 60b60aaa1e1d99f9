package import Base
package import CryptoBridge

/// Verifies the signatures of a SignedData against hashes of its content.
package struct SignedDataVerifier: Sendable {
    /// The requirements of a kind of signature.
    package struct Profile: Sendable {
        /// Exactly one signer, as in PDF.
        package var requiresOneSigner = false
        /// The content is detached; attached content is rejected as an attack.
        package var isDetached = true
        /// Content types accepted; empty accepts any.
        package var contentTypes: Set<OID> = []
        package var requiresSignedAttributes = false
        package var requiresSigningCertificateReference = false
        package var forbidsSigningTime = false

        /// ETSI.CAdES.detached (ETSI EN 319 142-1 §6.3).
        package static let pades = Profile(
            requiresOneSigner: true, contentTypes: [.data], requiresSignedAttributes: true,
            requiresSigningCertificateReference: true, forbidsSigningTime: true)
        /// adbe.pkcs7.detached (ISO 32000-2 §12.8.3.3).
        package static let adobeDetached = Profile(
            requiresOneSigner: true, contentTypes: [.data], requiresSignedAttributes: true)
        /// adbe.pkcs7.sha1: the attached content is the SHA-1 of the document.
        package static let adobeSHA1 = Profile(
            requiresOneSigner: true, isDetached: false, contentTypes: [.data])
        /// Any detached CMS.
        package static let detached = Profile()
        /// Any CMS with attached content.
        package static let attached = Profile(isDetached: false)
        /// An RFC 3161 token: ESS reference required (RFC 3161 §2.4.2, RFC 5816).
        package static let timestampToken = Profile(
            requiresOneSigner: true, isDetached: false, contentTypes: [.tstInfo],
            requiresSignedAttributes: true, requiresSigningCertificateReference: true)
    }

    package var profile: Profile
    /// Other certificates that may be the signer's.
    package var additionalCertificates: [Certificate] = []
    /// If set, only this certificate is accepted as signer, compared by its bytes.
    package var pinned: Certificate?
    /// Parsed certificates by their bytes: loading the key of a new one takes a millisecond.
    package var known: [[UInt8]: Certificate] = [:]

    /// Detached content, for signatures over the content itself (Ed25519 and Ed448 without signed
    /// attributes, RFC 8419 §3.1); nil if it is not available.
    package var detachedContent: [UInt8]?

    package init(profile: Profile) { self.profile = profile }

    /// Verifies every signer, in sequence. For detached messages `contentDigests` maps each of
    /// ``SignedData/requiredDigests`` to the hash of the content; attached content is hashed here.
    /// A message without signers gives one check that reports it.
    package func verify(
        _ message: SignedData, contentDigests: [DigestAlgorithm: [UInt8]] = [:]
    ) throws(CryptoError) -> [SignatureCheck] {
        let carried = CarriedCertificates(message.certificates, known: known)
        var problems = problems(of: message)
        guard !message.signers.isEmpty else {
            problems.append(.ofMessage(.noSigner, "the CMS SignedData contains no signature"))
            return [SignatureCheck(certificates: carried.certificates, problems: problems)]
        }
        var checks: [SignatureCheck] = []
        var countersignatureCount = 0
        for info in message.signers {
            let form = formFinding(of: info, listed: message.digestAlgorithms)
            let findings = try findings(
                about: info, form, carried, message.contentType
            ) { digest throws(CryptoError) in
                if profile.isDetached {
                    SignedContent(
                        digest: digest, hash: contentDigests[digest], bytes: detachedContent)
                } else {
                    SignedContent(
                        digest: digest,
                        hash: try message.content.map { bytes throws(CryptoError) in
                            try digest.hash(bytes)
                        }, bytes: message.content)
                }
            }
            var check = SignatureCheck(
                of: info, certificates: carried.certificates, problems: problems, findings)
            check.countersignatures = try countersignatures(
                of: info, carried, count: &countersignatureCount)
            checks.append(check)
        }
        return checks
    }

    /// Each step uses the results of earlier steps.
    ///
    /// - Parameter contentType: nil for a countersignature.
    func findings(
        about info: SignerInfo, _ form: Finding<DigestAlgorithm?>, _ carried: CarriedCertificates,
        _ contentType: OID?, content: (DigestAlgorithm) throws(CryptoError) -> SignedContent
    ) throws(CryptoError) -> SignerFindings {
        guard let digest = form.value else { return SignerFindings(form: form) }
        let content = try content(digest)
        let attributes = attributeFinding(of: info, contentType, content.hash)
        let signer = try signerFinding(of: info, carried)
        return SignerFindings(
            form: form, attributes: attributes, signer: signer,
            value: try valueFinding(of: info, content, signer.value.certificate))
    }

    private func problems(of message: SignedData) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        func note(_ code: ProblemCode, _ text: String) {
            problems.append(.ofMessage(code, text))
        }
        if message.isAmbiguous {
            note(
                .encodingAmbiguous,
                "the CMS SignedData is not DER, so validators may read it differently")
        }
        if profile.requiresOneSigner, message.signers.count > 1 {
            note(
                .severalSigners,
                "the signature has \(message.signers.count) signers; only one is permitted")
        }
        if profile.isDetached, message.content != nil {
            note(
                .contentEmbedded,
                "the CMS SignedData contains attached content, but must be detached")
        }
        if !profile.isDetached, message.content == nil {
            note(.contentMissing, "the CMS SignedData contains no content")
        }
        // The version has no effect, and many signers write another than required: extending a
        // signature often keeps the old one. RFC 5652 §5.1: anything but X.509 certificates and
        // CRLs has a context tag and requires version 3 or more.
        let isPlainForm =
            message.contentType == .data && message.signers.allSatisfy(\.isVersion1)
        let isPlain = (message.certificateChoices + message.revocationChoices)
            .allSatisfy { $0.first == ASN1Tag.sequence }
        let versions = isPlainForm ? (isPlain ? 1...1 : 1...5) : 3...5
        if !versions.contains(message.version) {
            note(
                .versionUnusual,
                "the CMS SignedData version is \(message.version), expected is \(versions.lowerBound)"
            )
        }
        if !profile.contentTypes.isEmpty, !profile.contentTypes.contains(message.contentType) {
            note(
                .contentTypeUnexpected, "the content has the unexpected type \(message.contentType)"
            )
        }
        return problems
    }

    /// The signer's digest algorithm (nil if unknown) and problems with its form.
    ///
    /// - Parameter listed: the digest algorithms of the message; nil for a countersignature.
    func formFinding(
        of info: SignerInfo, listed: [AlgorithmIdentifier]?
    ) -> Finding<DigestAlgorithm?> {
        var finding = Finding(info.digest, unsignedStatements(of: info))
        let expectedVersion = info.isVersion1 ? 1 : 3
        if info.version != expectedVersion {
            finding.note(
                .versionUnusual,
                "the SignerInfo version is \(info.version), expected is \(expectedVersion)")
        }
        guard let digest = info.digest else {
            finding.note(
                .algorithmUnsupported,
                "the digest algorithm \(info.digestAlgorithm.oid) is unknown")
            return finding
        }
        if DigestAlgorithm(info.digestAlgorithm) == nil {
            finding.note(
                .digestNamedBySignature,
                "the digest algorithm field contains a signature algorithm (\(digest.displayName))")
        }
        if let listed, !listed.contains(where: { DigestAlgorithm(named: $0) == digest }) {
            finding.note(
                .digestNotListed, "\(digest.displayName) is missing in digestAlgorithms")
        }
        return finding
    }

    // MARK: The value

    private func scheme(
        of info: SignerInfo, _ digest: DigestAlgorithm
    ) -> Finding<SignatureScheme?> {
        var finding = Finding<SignatureScheme?>(nil)
        switch SignatureScheme.read(info.signatureAlgorithm, digest: digest) {
        case .scheme(let scheme):
            finding.value = scheme
            if scheme == .ed448, digest != .shake256 {
                finding.note(
                    .algorithmUnsupported,
                    "Ed448 requires SHAKE256 (RFC 8419 §3.1), but the digest is \(digest.displayName)"
                )
            }
        case .mismatch(let message): finding.note(.algorithmMismatch, message)
        case .unsupported(let message): finding.note(.algorithmUnsupported, message)
        }
        return finding
    }

    /// Whether the signature verifies with the signer's key.
    private func valueFinding(
        of info: SignerInfo, _ content: SignedContent, _ signer: Certificate?
    ) throws(CryptoError) -> Finding<CheckedValue> {
        let used = scheme(of: info, content.digest)
        var finding = Finding(CheckedValue(scheme: used.value), used.problems)
        guard let scheme = used.value, let signer else { return finding }
        let key: PublicKey
        do {
            key = try signer.publicKey
        } catch {
            finding.note(.keyUnsupported, error.description)
            return finding
        }
        guard scheme.fits(key.algorithm) else {
            finding.note(
                .algorithmMismatch,
                "a \(scheme.name) signature from a key of type \(key.algorithm)")
            return finding
        }
        guard let signature = info.signatureValue(key) else {
            finding.value.isValid = false
            finding.note(.signatureInvalid, "the signature length does not match the key")
            return finding
        }
        if !info.signedBytes.isEmpty {
            finding.value.isValid = false
            for message in info.signedBytes where finding.value.isValid == false {
                finding.value.isValid = try key.verify(
                    signature: signature, scheme: scheme, message: message)
            }
        } else {
            // Without signed attributes the signature is over the content itself.
            let isValid: Bool
            if scheme.digest != nil {
                guard let hash = content.hash else {
                    finding.note(
                        .digestUnavailable,
                        "the \(content.digest.displayName) digest of the content is missing")
                    return finding
                }
                isValid = try key.verify(signature: signature, scheme: scheme, digest: hash)
            } else if let bytes = content.bytes {
                isValid = try key.verify(signature: signature, scheme: scheme, message: bytes)
            } else {
                finding.note(
                    .algorithmUnsupported,
                    "\(scheme.name) over the content, without signed attributes, is not supported")
                return finding
            }
            (finding.value.isValid, finding.value.isOfContent) = (isValid, isValid)
        }
        if finding.value.isValid == false {
            let isNullMissing = try lacksNull(signature, scheme, info, content, key)
            finding.note(.signatureInvalid, isNullMissing ? Self.withoutNull : Self.noMatch)
        }
        return finding
    }

    private static let noMatch = "the signature value does not match the signing certificate"
    private static let withoutNull =
        "the signature value is malformed: its DigestInfo lacks the NULL parameters (RFC 8017 B.1)"

    /// Whether the only fault of a PKCS #1 v1.5 signature is a DigestInfo without the NULL
    /// parameters. Such a signature is invalid; the result only explains the reason.
    private func lacksNull(
        _ signature: [UInt8], _ scheme: SignatureScheme, _ info: SignerInfo,
        _ content: SignedContent, _ key: PublicKey
    ) throws(CryptoError) -> Bool {
        guard case .rsaPKCS1(let digest) = scheme else { return false }
        var hashes = [content.hash].compactMap(\.self)
        if !info.signedBytes.isEmpty {
            hashes = []
            for message in info.signedBytes { hashes.append(try digest.hash(message)) }
        }
        return hashes.contains { key.lacksNull(signature: signature, hash: $0, digest) }
    }
}

extension PublicKey {
    /// Whether the only fault of a PKCS #1 v1.5 signature is a DigestInfo without the NULL
    /// parameters.
    package func lacksNull(signature: [UInt8], hash: [UInt8], _ digest: DigestAlgorithm) -> Bool {
        let algorithm = AlgorithmIdentifier(oid: digest.oid, parameters: nil).encoded
        return verifiesBare(
            signature: signature, over: DERWriter.sequence(algorithm, DERWriter.octets(hash)))
    }
}
