import Base
package import CryptoBridge

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
