internal import Base
package import CryptoBridge

/// The reference to the signer's certificate inside the signed attributes (RFC 5035).
///
///     SigningCertificateV2 ::= SEQUENCE { certs SEQUENCE OF ESSCertIDv2, policies OPTIONAL }
///     ESSCertIDv2 ::= SEQUENCE {
///         hashAlgorithm AlgorithmIdentifier DEFAULT {id-sha256},
///         certHash OCTET STRING, issuerSerial IssuerSerial OPTIONAL }
package struct SigningCertificateReference: Sendable, Equatable {
    package let digest: DigestAlgorithm
    package let certificateHash: [UInt8]
    /// DER of the issuer's Name and of the serial INTEGER, if present and readable.
    let issuerDER: [UInt8]?
    let serialDER: [UInt8]?

    /// The first reference, which identifies the signer.
    ///
    /// - Parameter version: 1 for SigningCertificate with SHA-1, 2 for SigningCertificateV2.
    init(_ der: [UInt8], version: Int) throws(CMSError) {
        let what = "the signing certificate reference"
        guard let node = ASN1Node.parse(der, .der) else { throw CMSError(.malformed, what) }
        var outer = try NodeReader(node, ASN1Tag.sequence, what)
        var list = try NodeReader(try outer.next(), ASN1Tag.sequence, what)
        var reference = try NodeReader(try list.next(), ASN1Tag.sequence, what)
        if version == 1 {
            digest = .sha1
        } else if let identifier = reference.next(if: ASN1Tag.sequence) {
            // With MD5 the certificate's author could create two certificates with this hash.
            guard let digest = DigestAlgorithm(try AlgorithmIdentifier(identifier, what)),
                digest != .md5
            else { throw CMSError(.unsupportedAlgorithm, "a hash in \(what) that does not count") }
            self.digest = digest
        } else {
            digest = .sha256
        }
        certificateHash = try reference.next().octets(what)
        guard !reference.isAtEnd else {
            issuerDER = nil
            serialDER = nil
            return
        }
        var issuerSerial = try NodeReader(try reference.next(), ASN1Tag.sequence, what)
        try reference.end()
        var names = try NodeReader(try issuerSerial.next(), ASN1Tag.sequence, what)
        serialDER = try issuerSerial.next().bytes
        try issuerSerial.end()
        // GeneralNames with one directoryName [4].
        if let name = names.next(if: ASN1Tag.context(4)) {
            var inner = try NodeReader(name, ASN1Tag.context(4), what)
            issuerDER = try inner.next().bytes
        } else {
            issuerDER = nil
        }
    }

    func matches(_ certificate: Certificate) throws(CryptoError) -> Bool {
        try digest.hash(certificate.der) == certificateHash
    }

    /// Whether issuer and serial number match, if present.
    func issuerSerialAgrees(with certificate: Certificate) -> Bool {
        (issuerDER.map(certificate.isIssued) ?? true)
            && (serialDER == nil || serialDER == certificate.serialDER)
    }

    static func attribute(
        for certificate: Certificate, digest: DigestAlgorithm
    ) throws(CMSError) -> CMSAttribute {
        var parts: [[UInt8]] = []
        // DER omits a default value.
        if digest != .sha256 { parts.append(digest.identifier.encoded) }
        do {
            parts.append(DERWriter.octets(try digest.hash(certificate.der)))
        } catch {
            throw CMSError(.unsupportedAlgorithm, digest.displayName, cause: error)
        }
        let name = DERWriter.element(ASN1Tag.context(4), of: [certificate.issuerDER])
        parts.append(DERWriter.sequence(DERWriter.sequence(name), certificate.serialDER))
        let reference = DERWriter.sequence(parts)
        return CMSAttribute(
            oid: .signingCertificateV2, values: [DERWriter.sequence(DERWriter.sequence(reference))])
    }
}
