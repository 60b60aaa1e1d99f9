package import Base
package import CryptoBridge

/// Makes a SignedData with one signer, detached unless given content: by default a CAdES baseline
/// signature as PAdES wants it (ETSI EN 319 142-1 §6.3): content-type, message-digest and
/// signing-certificate-v2, no signing-time.
package struct SignedDataBuilder: Sendable {
    package let signer: CMSSigner
    /// The claimed time as an attribute; forbidden in PAdES, where the dictionary's M holds it.
    package var signingTime: CalendarTime?
    /// Further signed attributes, in any order.
    package var extraSignedAttributes: [CMSAttribute] = []
    package var contentType = OID.data
    /// Content carried inside, for attached signatures.
    package var content: [UInt8]?

    /// Whether the message brings the signer's certificate and chain.
    package var includesCertificates = true

    package init(signer: CMSSigner) { self.signer = signer }

    /// Everything but the signature value.
    package func prepare(messageDigest: [UInt8]) throws(CMSError) -> PreparedSignedData {
        guard messageDigest.count == signer.digest.byteCount else {
            throw CMSError(
                .invalidParameter,
                "a digest of \(messageDigest.count) bytes, \(signer.digest.displayName) has "
                    + "\(signer.digest.byteCount)")
        }
        let attributes =
            [
                CMSAttribute(
                    oid: .contentType, values: [DERWriter.objectIdentifier(contentType)]),
                CMSAttribute(oid: .messageDigest, values: [DERWriter.octets(messageDigest)]),
                signer.reference,
            ] + extraSignedAttributes + (signingTime.map { [.signingTime($0)] } ?? [])
        guard Set(attributes.map(\.oid)).count == attributes.count else {
            throw CMSError(.invalidParameter, "a signed attribute given twice")
        }
        return PreparedSignedData(
            toBeSigned: DERWriter.setOf(attributes.map(\.encoded)), certificate: signer.certificate,
            publicKey: signer.key.publicKey, chain: signer.chain, digest: signer.digest,
            scheme: signer.scheme, contentType: contentType, content: content,
            includesCertificates: includesCertificates)
    }

    /// The finished message over content with this hash.
    package func sign(messageDigest: [UInt8]) throws(CMSError) -> [UInt8] {
        let prepared = try prepare(messageDigest: messageDigest)
        return try prepared.encode(
            signature: try signature(for: prepared), unsignedAttributes: [])
    }

    /// The signature value of a prepared message. It is verified, here or by the key, before it is
    /// returned, which also catches a key file whose halves do not belong together.
    package func signature(for prepared: PreparedSignedData) throws(CMSError) -> [UInt8] {
        let input = try prepared.input(for: signer.key.takes)
        let signature: [UInt8]
        do {
            signature = try signer.key.sign(input, scheme: signer.scheme)
        } catch {
            throw CMSError(.signingFailed, "the signature was not made", cause: error)
        }
        guard !signer.key.verifiesItself else { return signature }
        do {
            try prepared.check(signature)
        } catch {
            throw CMSError(
                .signingFailed, "the signature was not made",
                cause: SigningFailure(.wrongAnswer, error.detail, cause: error))
        }
        return signature
    }

    /// Announces that the message over content with this hash will be signed.
    package func announce(messageDigest: [UInt8]) throws {
        try signer.key.announce(
            prepare(messageDigest: messageDigest).input(for: signer.key.takes),
            scheme: signer.scheme)
    }

    /// The most bytes that ``sign(messageDigest:)`` can return: a real message with the longest
    /// signature the key can make. Every other field has a fixed length, so nothing longer exists.
    package func longestByteCount() throws(CMSError) -> Int {
        let prepared = try prepare(
            messageDigest: [UInt8](repeating: 0, count: signer.digest.byteCount))
        let longest = [UInt8](
            repeating: 0, count: signer.key.publicKey.maximumSignatureByteCount)
        return try prepared.encode(signature: longest, unsignedAttributes: []).count
    }

    /// The same with unsigned attributes to come.
    ///
    /// - Parameter longest: ``longestByteCount()``, where it is known.
    package func maximumByteCount(
        unsignedAttributesByteCount: Int = 0, longest: Int? = nil
    ) throws(CMSError) -> Int {
        let base = if let longest { longest } else { try longestByteCount() }
        guard unsignedAttributesByteCount > 0 else { return base }
        // The [1] header, and longer lengths in the five elements around.
        return base + unsignedAttributesByteCount + 6 + 5 * 4
    }
}

/// A message waiting for its signature value.
package struct PreparedSignedData: Sendable {
    /// What the key must sign: the DER of the signed attributes.
    package let toBeSigned: [UInt8]
    package let certificate: Certificate
    let publicKey: PublicKey
    package let chain: [Certificate]
    package let digest: DigestAlgorithm
    package let scheme: SignatureScheme
    let contentType: OID
    let content: [UInt8]?
    var includesCertificates = true

    /// The hash of ``toBeSigned``, for signers that take hashes; throws for EdDSA.
    package func digestToBeSigned() throws(CMSError) -> [UInt8] {
        guard let algorithm = scheme.digest else {
            throw CMSError(.unsupportedAlgorithm, "\(scheme.name) signs no hashes")
        }
        do {
            return try algorithm.hash(toBeSigned)
        } catch {
            throw CMSError(.signingFailed, "hashing", cause: error)
        }
    }

    /// ``toBeSigned`` in a form that a signer takes.
    func input(for kind: SignatureInputKind) throws(CMSError) -> SignatureInput {
        switch kind {
        case .either, .messageOnly: .message(toBeSigned)
        case .digestOnly: .digest(try digestToBeSigned())
        }
    }

    /// - Throws: ``CMSError``, `.signatureDoesNotVerify` when the signature is not the
    ///   certificate's over these attributes.
    package func check(_ signature: [UInt8]) throws(CMSError) {
        let isValid: Bool
        do {
            isValid = try publicKey.verify(
                signature: signature, scheme: scheme, message: toBeSigned)
        } catch {
            throw CMSError(.signingFailed, "the signature was not checked", cause: error)
        }
        guard isValid else {
            throw CMSError(
                .signatureDoesNotVerify,
                "the signature does not verify with the certificate's key")
        }
    }

    /// What a signature that does not verify was made over instead.
    package enum Mistake: Sendable {
        /// The bare hash, without the hash's name before it that PKCS#1 v1.5 demands.
        case hashWithoutName
        /// The hash of the hash.
        case hashedTwice
    }

    /// - Returns: nil where that cannot be told.
    package func mistake(in signature: [UInt8]) -> Mistake? {
        guard let hash = try? digestToBeSigned() else { return nil }
        if publicKey.verifiesBare(signature: signature, over: hash) { return .hashWithoutName }
        let again = try? publicKey.verify(signature: signature, scheme: scheme, message: hash)
        return again == true ? .hashedTwice : nil
    }

    /// The finished message, once the signature proves to be the certificate's.
    package func finish(
        signature: [UInt8], unsignedAttributes: [CMSAttribute] = []
    ) throws(CMSError) -> [UInt8] {
        try check(signature)
        return try encode(signature: signature, unsignedAttributes: unsignedAttributes)
    }

    /// DER of the ContentInfo.
    func encode(
        signature: [UInt8], unsignedAttributes: [CMSAttribute]
    ) throws(CMSError) -> [UInt8] {
        let digestIdentifier = digest.identifier.encoded
        var attributes = toBeSigned
        attributes[0] = ASN1Tag.context(0)
        var signerInfo = [
            DERWriter.integer(1),
            DERWriter.sequence(certificate.issuerDER, certificate.serialDER),
            digestIdentifier, attributes, try scheme.identifier().encoded,
            DERWriter.octets(signature),
        ]
        if !unsignedAttributes.isEmpty {
            signerInfo.append(
                DERWriter.setOf(unsignedAttributes.map(\.encoded), tag: ASN1Tag.context(1)))
        }
        var contentInfo = [DERWriter.objectIdentifier(contentType)]
        if let content {
            contentInfo.append(
                DERWriter.element(ASN1Tag.context(0), of: [DERWriter.octets(content)]))
        }
        var certificates: [[UInt8]] = []
        if includesCertificates {
            for one in [certificate] + chain where !certificates.contains(one.der) {
                certificates.append(one.der)
            }
        }
        let signedData = DERWriter.sequence(
            // Version 1 for plain data with issuer and serial, else 3 (RFC 5652 §5.1).
            DERWriter.integer(contentType == .data ? 1 : 3),
            DERWriter.setOf([digestIdentifier]),
            DERWriter.sequence(contentInfo),
            certificates.isEmpty ? [] : DERWriter.setOf(certificates, tag: ASN1Tag.context(0)),
            DERWriter.setOf([DERWriter.sequence(signerInfo)]))
        return DERWriter.sequence(
            DERWriter.objectIdentifier(.signedData),
            DERWriter.element(ASN1Tag.context(0), of: [signedData]))
    }
}
