internal import Base
package import CryptoBridge

extension SignedDataVerifier {
    /// Checks the signed attributes (RFC 5652 §11, EN 319 122-1 §5).
    ///
    /// - Parameters:
    ///   - contentType: nil for a countersignature.
    ///   - contentHash: nil if the content is unknown.
    func attributeFinding(
        of info: SignerInfo, _ contentType: OID?, _ contentHash: [UInt8]?
    ) -> Finding<CheckedAttributes> {
        var finding = Finding(CheckedAttributes(arePresent: info.signedAttributesRaw != nil))
        guard finding.value.arePresent else {
            if profile.requiresSignedAttributes || contentType ?? .data != .data {
                finding.note(.signedAttributesMissing, "the signature has no signed attributes")
            }
            return finding
        }
        let attributes = info.signedAttributes
        if !info.signedAttributesAreSorted {
            // The signature covers the bytes as received, whatever their order.
            finding.note(.attributesNotSorted, "the signed attributes are not in DER order")
        }
        finding.problems += contentTypeProblems(attributes, contentType)
        if let bytes = finding.take(single(.messageDigest, attributes, "message-digest")) {
            finding.value.digestMatches = finding.take(messageDigest(bytes, equals: contentHash))
        } else if attributes.all(.messageDigest).isEmpty {
            finding.note(.messageDigestMissing, "the message-digest attribute is missing")
        }
        finding.value.statements = SignerStatements(in: attributes)
        finding.problems += Set(finding.value.statements.unreadable).sorted().map {
            .remark(.attributeMalformed, "the signed attribute \($0) cannot be read")
        }
        finding.problems += algorithmProblems(of: info)
        for (oid, name) in CMSAttribute.otherStatements {
            finding.problems += single(oid, attributes, name, isMild: true).problems
        }
        if let bytes = finding.take(single(.signingTime, attributes, "signing-time", isMild: true))
        {
            let node = ASN1Node.parse(bytes, .der)
            finding.value.claimedTime = node?.time()
            if finding.value.claimedTime == nil,
                let time = node.flatMap({ ASN1Time.readOffset($0.tag, content: $0.content) })
            {
                finding.value.claimedTime = time
                finding.problems.append(
                    .remark(
                        .attributeMalformed,
                        "the signing-time attribute has a time zone offset; the standard requires UTC"
                    ))
            } else if finding.value.claimedTime == nil {
                finding.note(.attributeMalformed, "the signing-time attribute is not a time")
            }
            if profile.forbidsSigningTime {
                finding.note(
                    .signingTimePresent,
                    "PAdES does not permit the signing-time attribute (no effect on the result)")
            }
        }
        return finding
    }

    /// RFC 5652 §11.1: the type of the content; a countersignature (§11.4) must not name one.
    private func contentTypeProblems(
        _ attributes: [CMSAttribute], _ contentType: OID?
    ) -> [VerificationProblem] {
        guard let contentType else {
            return attributes.all(.contentType).isEmpty
                ? []
                : [
                    .doubt(
                        .contentTypeUnexpected,
                        "a countersignature must not have the content-type attribute")
                ]
        }
        var finding = single(.contentType, attributes, "content-type")
        if let bytes = finding.value {
            if ASN1Node.parse(bytes, .der)?.objectIdentifier != contentType {
                finding.note(
                    .contentTypeMismatch,
                    "the content-type attribute differs from the type of the content")
            }
        } else if attributes.all(.contentType).isEmpty {
            finding.note(.contentTypeAttributeMissing, "the content-type attribute is missing")
        }
        return finding.problems
    }

    /// Compares the signer's algorithms with the signed ones.
    private func algorithmProblems(of info: SignerInfo) -> [VerificationProblem] {
        let name = AlgorithmProtection.name
        let found = single(.algorithmProtection, info.signedAttributes, name)
        guard let bytes = found.value else { return found.problems }
        guard let protection = try? AlgorithmProtection(bytes, AlgorithmProtection.signatureTag)
        else { return [.ofMessage(.attributeMalformed, "\(name) cannot be read")] }
        guard protection.names(digest: info.digestAlgorithm, info.signatureAlgorithm) else {
            return [
                VerificationProblem.ofMessage(
                    .algorithmMismatch,
                    "the algorithms differ from the CMSAlgorithmProtection attribute")
            ]
        }
        return []
    }

    /// Whether message-digest is the hash of the content; nil if unknown.
    private func messageDigest(_ bytes: [UInt8], equals contentHash: [UInt8]?) -> Finding<Bool?> {
        var finding = Finding<Bool?>(nil)
        guard let node = ASN1Node.parse(bytes, .der),
            let digest = try? node.octets("message-digest")
        else {
            finding.note(.attributeMalformed, "the message-digest attribute is not an octet string")
            return finding
        }
        guard let contentHash else {
            finding.note(.digestUnavailable, "the digest of the content is missing")
            return finding
        }
        finding.value = digest == contentHash
        if digest != contentHash {
            finding.note(
                .digestMismatch,
                "the signed content was modified or damaged after signing (digest mismatch)")
        }
        return finding
    }

    /// The only value of the only attribute of a type; reports repetition and several values.
    ///
    /// - Parameter isMild: whether the attribute is not about content or signer: then repetition
    ///   only makes the signature indeterminate.
    private func single(
        _ oid: OID, _ attributes: [CMSAttribute], _ name: String, isMild: Bool = false
    ) -> Finding<[UInt8]?> {
        let found = attributes.all(oid)
        var finding = Finding<[UInt8]?>(nil)
        guard let first = found.first else { return finding }
        if found.count == 1, first.values.count == 1 {
            finding.value = first.values[0]
        } else {
            finding.problems.append(
                .ofMessage(
                    .attributeRepeated, "\(name) must be present once, with one value",
                    isMild: isMild))
        }
        return finding
    }

    // MARK: The signer

    /// Finds the signing certificate by issuer and serial number or by key identifier. If the
    /// signed attributes contain a reference, the certificate with the referenced hash is
    /// preferred.
    func signerFinding(
        of info: SignerInfo, _ carried: CarriedCertificates
    ) throws(CryptoError) -> Finding<FoundSigner> {
        var finding = Finding(FoundSigner())
        let reference = finding.take(signingCertificateReference(info))
        let pool = carried.certificates + additionalCertificates + (pinned.map { [$0] } ?? [])
        let named = pool.filter { info.identifier.names($0) }
        var referenced: Certificate?
        if let reference {
            for candidate in pool where referenced == nil {
                if try reference.matches(candidate) { referenced = candidate }
            }
        }
        if let referenced, named.contains(referenced) {
            finding.value.certificate = referenced
        } else {
            // If a message contains a certificate with the signer's name, that certificate is used;
            // the pinned one is used only if there is none.
            let embedded = carried.certificates.filter { info.identifier.names($0) }
            let isPinnedSigner = pinned.map { embedded.isEmpty || embedded.contains($0) } ?? false
            finding.value.certificate =
                isPinnedSigner
                ? pinned.flatMap { named.contains($0) ? $0 : nil } ?? named.first : named.first
        }
        if let found = finding.value.certificate, !info.identifier.isEncoded(as: found) {
            finding.note(
                .signerNameEncoding,
                "the signer name is encoded differently than in the certificate")
        }
        guard let signer = finding.value.certificate else {
            finding.note(
                carried.areAllSound ? .signerCertificateMissing : .signerCertificateMalformed,
                carried.areAllSound
                    ? "the signing certificate is missing in the CMS SignedData"
                    : "the signing certificate is damaged or missing")
            return finding
        }
        if let reference {
            finding.value.isReferenced = finding.take(
                try comparison(of: reference, with: signer, info))
        } else if carried.certificates.contains(where: {
            $0 != signer && $0.spkiDER == signer.spkiDER
        }) {
            // The signer identifier is not signed (RFC 5035 §1).
            finding.note(
                .signingCertificateReferenceMissing,
                "several certificates have the signing key, and no signed attribute identifies one")
        }
        if let pinned, signer != pinned {
            finding.note(.signerNotPinned, try signer.message(required: pinned))
        }
        return finding
    }

    /// Whether a reference is the hash of the signer's certificate; reports issuer or serial number
    /// of another certificate.
    private func comparison(
        of reference: SigningCertificateReference, with signer: Certificate, _ info: SignerInfo
    ) throws(CryptoError) -> Finding<Bool> {
        var finding = Finding(try reference.matches(signer))
        guard finding.value else {
            finding.note(
                .signingCertificateMismatch,
                "the signing-certificate attribute contains the hash of another certificate")
            return finding
        }
        if let older = finding.take(olderReference(info)), try !older.matches(signer) {
            finding.note(
                .signingCertificateMismatch,
                "the signature refers to two different signing certificates (the older of two "
                    + "signing-certificate attributes contains the hash of another "
                    + "certificate)")
        } else if !reference.issuerSerialAgrees(with: signer) {
            finding.note(
                .signingCertificateHintMismatch,
                "the signing-certificate attribute has another issuer or serial number")
        }
        return finding
    }

    /// Compares a version 1 reference with version 2 (RFC 5035 §3): both must match the signer.
    private func olderReference(_ info: SignerInfo) -> Finding<SigningCertificateReference?> {
        let attributes = info.signedAttributes
        var finding = Finding<SigningCertificateReference?>(nil)
        guard !attributes.all(.signingCertificateV2).isEmpty,
            let bytes = attributes.values(.signingCertificate).first
        else { return finding }
        do {
            finding.value = try SigningCertificateReference(bytes, version: 1)
        } catch {
            finding.note(.attributeMalformed, error.detail)
        }
        return finding
    }

    /// Version 2 before version 1; with several certIDs the first is the signer's.
    private func signingCertificateReference(
        _ info: SignerInfo
    ) -> Finding<SigningCertificateReference?> {
        let attributes = info.signedAttributes
        var finding = Finding<SigningCertificateReference?>(nil)
        let v2 = finding.take(single(.signingCertificateV2, attributes, "signing-certificate-v2"))
        let v1 = finding.take(single(.signingCertificate, attributes, "signing-certificate"))
        guard let bytes = v2 ?? v1 else {
            if profile.requiresSigningCertificateReference {
                finding.note(
                    .signingCertificateReferenceMissing,
                    "the signed attributes contain no signing-certificate reference")
            }
            return finding
        }
        do {
            finding.value = try SigningCertificateReference(bytes, version: v2 != nil ? 2 : 1)
        } catch {
            finding.note(
                error.code == .unsupportedAlgorithm ? .algorithmUnsupported : .attributeMalformed,
                error.detail)
        }
        return finding
    }
}

extension SignerInfo.Identifier {
    /// Whether this identifier matches the certificate. Names are compared by RFC 5280 §7.1.
    package func names(_ certificate: Certificate) -> Bool {
        switch self {
        case .issuerAndSerial(let issuer, let serial):
            serial == certificate.serialDER && certificate.isIssued(by: issuer)
        case .subjectKeyIdentifier(let identifier): certificate.subjectKeyIdentifier == identifier
        }
    }

    func isEncoded(as certificate: Certificate) -> Bool {
        guard case .issuerAndSerial(let issuer, _) = self else { return true }
        return issuer == certificate.issuerDER
    }
}
