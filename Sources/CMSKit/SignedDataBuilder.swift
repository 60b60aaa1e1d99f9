package import Base
package import CryptoBridge

/// Creates a SignedData with one signer, detached unless content is given. The default is a CAdES
/// baseline signature for PAdES (ETSI EN 319 142-1 §6.3): content-type, message-digest and
/// signing-certificate-v2, no signing-time.
package struct SignedDataBuilder: Sendable {
    package let signer: CMSSigner
    /// The claimed signing time; forbidden in PAdES, where M of the signature dictionary contains
    /// it.
    package var signingTime: CalendarTime?
    /// Further signed attributes, in any order.
    package var extraSignedAttributes: [CMSAttribute] = []
    package var contentType = OID.data
    /// Attached content.
    package var content: [UInt8]?

    /// Whether the message contains the signer's certificate and chain.
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
                CMSAttribute(oid: .contentType, values: [DERWriter.objectIdentifier(contentType)]),
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

    /// The complete message for content with this hash.
    package func sign(messageDigest: [UInt8]) throws(CMSError) -> [UInt8] {
        let prepared = try prepare(messageDigest: messageDigest)
        return try prepared.encode(signature: try signature(for: prepared), unsignedAttributes: [])
    }

    /// The signature value of a prepared message. It is verified before it is returned, which also
    /// detects a key whose private and public parts do not match.
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

    /// Announces the signature over content with this hash.
    package func announce(messageDigest: [UInt8]) throws {
        try signer.key.announce(
            prepare(messageDigest: messageDigest).input(for: signer.key.takes),
            scheme: signer.scheme)
    }

    /// The longest possible result of ``sign(messageDigest:)`` in bytes: the message with the
    /// longest signature of the key. All other fields have a fixed length.
    package func longestByteCount() throws(CMSError) -> Int {
        let prepared = try prepare(
            messageDigest: [UInt8](repeating: 0, count: signer.digest.byteCount))
        let longest = [UInt8](repeating: 0, count: signer.key.publicKey.maximumSignatureByteCount)
        return try prepared.encode(signature: longest, unsignedAttributes: []).count
    }

    /// ``longestByteCount()`` with space for unsigned attributes.
    ///
    /// - Parameter longest: ``longestByteCount()`` if already computed.
    package func maximumByteCount(
        unsignedAttributesByteCount: Int = 0, longest: Int? = nil
    ) throws(CMSError) -> Int {
        let base = if let longest { longest } else { try longestByteCount() }
        guard unsignedAttributesByteCount > 0 else { return base }
        // Adds the header of [1], and up to four more length bytes in each of the five enclosing
        // elements.
        return base + unsignedAttributesByteCount + 6 + 5 * 4
    }
}

/// A message without its signature value.
package struct PreparedSignedData: Sendable {
    /// The bytes to sign: DER of the signed attributes.
    package let toBeSigned: [UInt8]
    package let certificate: Certificate
    let publicKey: PublicKey
    package let chain: [Certificate]
    package let digest: DigestAlgorithm
    package let scheme: SignatureScheme
    let contentType: OID
    let content: [UInt8]?
    var includesCertificates = true

    /// The hash of ``toBeSigned``, for signers that accept hashes; throws for
    /// schemes that sign only whole messages (EdDSA, ML-DSA, SLH-DSA).
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

    /// ``toBeSigned`` in a form that the signer accepts.
    func input(for kind: SigningInput.Kind) throws(CMSError) -> SigningInput {
        switch kind {
        case .either, .messageOnly: .message(toBeSigned)
        case .digestOnly: .digest(try digestToBeSigned())
        }
    }

    /// - Throws: ``CMSError``, `.signatureDoesNotVerify` if the signature does not match the
    ///   certificate and attributes.
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
                "the signature does not match the public key of the certificate")
        }
    }

    /// Common errors that explain a signature that does not verify.
    package enum Mistake: Sendable {
        /// The hash without the DigestInfo that PKCS#1 v1.5 requires.
        case hashWithoutName
        /// The hash of the hash.
        case hashedTwice
        /// The hash in hexadecimal or base64.
        case hashText
        /// The hash itself, without a signature.
        case hashItself
        /// RSA-PSS instead of PKCS#1 v1.5, or the other way round.
        case otherPadding
        /// RSA-PSS with a salt of another length.
        case otherSalt
        /// Another hash algorithm.
        case otherDigest(DigestAlgorithm)
    }

    /// - Returns: nil if the cause is unknown.
    package func mistake(in signature: [UInt8]) -> Mistake? {
        guard let hash = try? digestToBeSigned() else { return nil }
        if publicKey.verifiesBare(signature: signature, over: hash) { return .hashWithoutName }
        if signature == hash { return .hashItself }
        let other: SignatureScheme? =
            switch scheme {
            case .rsaPKCS1(let digest):
                .rsaPSS(digest, saltByteCount: SignatureScheme.anySalt)
            case .rsaPSS(let digest, _, _): .rsaPKCS1(digest)
            default: nil
            }
        func matches(_ scheme: SignatureScheme, _ message: [UInt8]) -> Bool {
            (try? publicKey.verify(signature: signature, scheme: scheme, message: message)) == true
        }
        if matches(scheme, hash) { return .hashedTwice }
        for text in [Hex.digits(of: hash), Base64.characters(of: hash)]
        where matches(scheme, text) || matches(scheme, text + [0x0A]) {
            return .hashText
        }
        if let other, matches(other, toBeSigned) { return .otherPadding }
        let digests = DigestAlgorithm.allCases.filter { $0 != scheme.digest }
        let strayed = digests.first { scheme.with($0).map { matches($0, toBeSigned) } == true }
        if let strayed { return .otherDigest(strayed) }
        guard case .rsaPSS(let digest, _, _) = scheme else { return nil }
        return matches(.rsaPSS(digest, saltByteCount: SignatureScheme.anySalt), toBeSigned)
            ? .otherSalt : nil
    }

    /// The complete message; throws if the signature does not verify.
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
            DERWriter.integer(1), DERWriter.sequence(certificate.issuerDER, certificate.serialDER),
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
            DERWriter.integer(contentType == .data ? 1 : 3), DERWriter.setOf([digestIdentifier]),
            DERWriter.sequence(contentInfo),
            certificates.isEmpty ? [] : DERWriter.setOf(certificates, tag: ASN1Tag.context(0)),
            DERWriter.setOf([DERWriter.sequence(signerInfo)]))
        return DERWriter.sequence(
            DERWriter.objectIdentifier(.signedData),
            DERWriter.element(ASN1Tag.context(0), of: [signedData]))
    }
}
