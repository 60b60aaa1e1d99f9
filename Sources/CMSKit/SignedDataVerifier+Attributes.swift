internal import ASN1Kit
package import CryptoBridge
import SignatureTerms

extension SignedDataVerifier {
    /// Checks the signed attributes (RFC 5652 §11, EN 319 122-1 §5).
    func checkAttributes(
        _ info: SignerInfo, _ message: SignedData, _ contentDigest: [UInt8]?,
        _ check: inout SignatureCheck
    ) {
        check.signedAttributesPresent = true
        let attributes = info.signedAttributes
        if !info.signedAttributesAreSorted {
            // The signature covers the bytes as received, whatever their order.
            check.note(.attributesNotSorted, "the signed attributes are not in DER order")
        }
        if let bytes = single(.contentType, attributes, "content-type", &check) {
            let type = ASN1Node.parse(bytes, .der)?.objectIdentifier
            let matches = type == message.contentType
            check.contentTypeMatches = matches
            if !matches {
                check.note(
                    .contentTypeMismatch, "content-type names another type than the content's")
            }
        } else if attributes.all(.contentType).isEmpty {
            check.note(.contentTypeAttributeMissing, "the content-type attribute is missing")
        }
        if let bytes = single(.messageDigest, attributes, "message-digest", &check) {
            checkMessageDigest(bytes, contentDigest, &check)
        } else if attributes.all(.messageDigest).isEmpty {
            check.note(.messageDigestMissing, "the message-digest attribute is missing")
        }
        checkAlgorithmProtection(info, &check)
        if let bytes = single(.signingTime, attributes, "signing-time", &check) {
            check.claimedTime = ASN1Node.parse(bytes, .der)?.time()
            if check.claimedTime == nil {
                check.note(.attributeMalformed, "signing-time is no time")
            }
            if profile.forbidsSigningTime {
                check.note(.signingTimePresent, "signing-time has no place in a PAdES signature")
            }
        }
    }

    /// CMSAlgorithmProtection (RFC 6211 §2): the signer's algorithms must be those that were
    /// signed.
    ///
    ///     CMSAlgorithmProtection ::= SEQUENCE { digestAlgorithm,
    ///         signatureAlgorithm [1] OPTIONAL, macAlgorithm [2] OPTIONAL }
    private func checkAlgorithmProtection(_ info: SignerInfo, _ check: inout SignatureCheck) {
        let name = "algorithm-protection"
        guard
            let bytes = single(
                .algorithmProtection, info.signedAttributes, name, &check)
        else { return }
        guard let node = ASN1Node.parse(bytes, .der),
            var reader = try? NodeReader(node, ASN1Tag.sequence, name),
            let first = try? reader.next(),
            let digest = try? AlgorithmIdentifier(first, name),
            let tagged = reader.next(if: ASN1Tag.context(1)),
            let signature = try? AlgorithmIdentifier(tagged, tag: ASN1Tag.context(1), name),
            reader.isAtEnd
        else {
            check.note(.attributeMalformed, "\(name) cannot be read")
            return
        }
        if !digest.isSame(as: info.digestAlgorithm)
            || !signature.isSame(as: info.signatureAlgorithm)
        {
            check.note(
                .algorithmMismatch, "the signature names other algorithms than those it protects")
        }
    }

    private func checkMessageDigest(
        _ bytes: [UInt8], _ contentDigest: [UInt8]?, _ check: inout SignatureCheck
    ) {
        guard let node = ASN1Node.parse(bytes, .der),
            let digest = try? node.octets("message-digest")
        else {
            check.note(.attributeMalformed, "message-digest is no octet string")
            return
        }
        guard let contentDigest else {
            check.note(.digestUnavailable, "there is no hash of the content to compare with")
            return
        }
        check.digestMatches = digest == contentDigest
        if digest != contentDigest {
            check.note(.digestMismatch, "the content is not what was signed")
        }
    }

    /// The only value of the only attribute of a type; notes repetition and several values.
    func single(
        _ oid: OID, _ attributes: [CMSAttribute], _ name: String,
        _ check: inout SignatureCheck
    ) -> [UInt8]? {
        let found = attributes.all(oid)
        guard let first = found.first else { return nil }
        guard found.count == 1, first.values.count == 1 else {
            check.note(.attributeRepeated, "\(name) must stand once, with one value")
            return nil
        }
        return first.values[0]
    }

    /// Finds the signer's certificate: named by issuer and serial or key identifier, and, when
    /// the signed attributes refer to one, the one with that hash.
    func findSigner(
        _ info: SignerInfo, _ carried: CarriedCertificates, _ check: inout SignatureCheck
    ) throws(CryptoError) {
        let reference = signingCertificateReference(info, &check)
        let pool = carried.certificates + additionalCertificates + (pinned.map { [$0] } ?? [])
        let named = pool.filter { info.identifier.names($0) }
        var referenced: Certificate?
        if let reference {
            for candidate in pool where referenced == nil {
                if try reference.matches(candidate) { referenced = candidate }
            }
        }
        if let referenced, named.contains(referenced) {
            check.signer = referenced
        } else if let referenced, info.identifier.namesLoosely(referenced) {
            // The hash is proof; the name may be the same in another string type.
            check.signer = referenced
            check.note(
                .signerNameEncoding, "the signer is named unlike in the certificate")
        } else {
            // A message that brings a certificate of the signer's name brings the signer's own: the
            // pinned one fills in only where there is none.
            let embedded = carried.certificates.filter { info.identifier.names($0) }
            let isPinnedSigner = pinned.map { embedded.isEmpty || embedded.contains($0) } ?? false
            check.signer =
                isPinnedSigner
                ? pinned.flatMap { named.contains($0) ? $0 : nil } ?? named.first : named.first
        }
        guard let signer = check.signer else {
            check.note(
                carried.areAllSound ? .signerCertificateMissing : .signerCertificateMalformed,
                carried.areAllSound
                    ? "the signer's certificate is not in the message"
                    : "the signer's certificate is damaged or missing")
            return
        }
        if let reference {
            try compare(reference, with: signer, info, &check)
        } else if check.certificates.contains(where: {
            $0 != signer && $0.spkiDER == signer.spkiDER
        }) {
            // What names the signer is not signed (RFC 5035 §1).
            check.note(
                .signingCertificateReferenceMissing,
                "nothing that is signed says which of several certificates of the same key is meant"
            )
        }
        if let pinned, signer != pinned {
            check.note(
                .signerNotPinned,
                "the signature was made with another certificate than the one that was named")
        }
    }

    /// Notes what a reference says of another certificate than the signer's.
    private func compare(
        _ reference: SigningCertificateReference, with signer: Certificate, _ info: SignerInfo,
        _ check: inout SignatureCheck
    ) throws(CryptoError) {
        let matches = try reference.matches(signer)
        check.signingCertificateMatches = matches
        if !matches {
            check.note(
                .signingCertificateMismatch,
                "the signing certificate reference is the hash of another certificate")
        } else if let older = olderReference(info, &check), try !older.matches(signer) {
            check.note(
                .signingCertificateMismatch,
                "the older of two signing certificate references is the hash of another certificate"
            )
        } else if !reference.issuerSerialAgrees(with: signer) {
            check.note(
                .signingCertificateHintMismatch,
                "the signing certificate reference names another issuer or serial")
        }
    }

    /// The reference of version 1 beside one of version 2 (RFC 5035 §3): both must name the signer.
    private func olderReference(
        _ info: SignerInfo, _ check: inout SignatureCheck
    ) -> SigningCertificateReference? {
        let attributes = info.signedAttributes
        guard !attributes.all(.signingCertificateV2).isEmpty,
            let bytes = attributes.values(.signingCertificate).first
        else { return nil }
        do {
            return try SigningCertificateReference(bytes, version: 1)
        } catch {
            check.note(.attributeMalformed, error.detail)
            return nil
        }
    }

    /// v2 before v1; several certIDs are allowed, the first is the signer's.
    private func signingCertificateReference(
        _ info: SignerInfo, _ check: inout SignatureCheck
    ) -> SigningCertificateReference? {
        let attributes = info.signedAttributes
        let v2 = single(
            .signingCertificateV2, attributes, "signing-certificate-v2", &check)
        let v1 = single(.signingCertificate, attributes, "signing-certificate", &check)
        guard let bytes = v2 ?? v1 else {
            if profile.requiresSigningCertificateReference {
                check.note(
                    .signingCertificateReferenceMissing,
                    "the signed attributes do not say which certificate signed")
            }
            return nil
        }
        do {
            return try SigningCertificateReference(bytes, version: v2 != nil ? 2 : 1)
        } catch {
            check.note(
                error.code == .unsupportedAlgorithm ? .algorithmUnsupported : .attributeMalformed,
                error.detail)
            return nil
        }
    }
}

extension SignerInfo.Identifier {
    /// Whether this identifier is the certificate's.
    package func names(_ certificate: Certificate) -> Bool {
        switch self {
        case .issuerAndSerial(let issuer, let serial):
            serial == certificate.serialDER && issuer == certificate.issuerDER
        case .subjectKeyIdentifier(let identifier):
            certificate.subjectKeyIdentifier == identifier
        }
    }

    /// Whether serial and issuer are the certificate's, the issuer's name perhaps in other string
    /// types.
    func namesLoosely(_ certificate: Certificate) -> Bool {
        guard case .issuerAndSerial(let issuer, let serial) = self,
            serial == certificate.serialDER,
            let name = try? DistinguishedName(der: issuer)
        else { return false }
        return name.hasSameText(as: certificate.issuer)
    }
}
