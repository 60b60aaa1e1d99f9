internal import Base
import CryptoBridge

extension PreparedSignedData {
    /// The message with zeros instead of the signature, from which it can be completed later.
    package func encodedWithoutSignature() throws(CMSError) -> [UInt8] {
        let blank = [UInt8](repeating: 0, count: publicKey.maximumSignatureByteCount)
        return try encode(signature: blank, unsignedAttributes: [])
    }

    /// Restores a message created by ``encodedWithoutSignature()``.
    ///
    /// - Throws: ``CMSError``, `.invalidParameter` if it is already signed or not created that way.
    package init(resuming message: SignedData) throws(CMSError) {
        guard message.signers.count == 1, let info = message.signers.first,
            info.signature.allSatisfy({ $0 == 0 }), message.content == nil
        else { throw CMSError(.invalidParameter, "the message does not wait for a signature") }
        var certificates: [Certificate] = []
        for der in message.certificates {
            if let certificate = try? Certificate(der: der) { certificates.append(certificate) }
        }
        guard let certificate = certificates.first(where: { info.identifier.names($0) }),
            let publicKey = try? certificate.publicKey,
            let digest = DigestAlgorithm(info.digestAlgorithm),
            let toBeSigned = info.signedBytes.first
        else { throw CMSError(.malformed, "the prepared message is incomplete") }
        // No hash protects the certificates: another certificate for the same key could be
        // inserted.
        let references = info.signedAttributes.values(.signingCertificateV2)
        guard references.count == 1,
            let reference = try? SigningCertificateReference(references[0], version: 2),
            (try? reference.matches(certificate)) == true
        else { throw CMSError(.malformed, "the prepared message names another certificate") }
        guard
            case .scheme(let scheme) = SignatureScheme.read(info.signatureAlgorithm, digest: digest)
        else { throw CMSError(.unsupportedAlgorithm, "the prepared message's algorithm") }
        self.init(
            toBeSigned: toBeSigned, certificate: certificate, publicKey: publicKey,
            chain: certificates.filter { $0 != certificate }, digest: digest, scheme: scheme,
            contentType: message.contentType, content: nil)
    }
}

extension Certificate {
    /// The organizational unit that marks a stand-in, see ``isStandIn``.
    package static let standInMark = "prepared without a certificate"

    /// Whether the certificate only stands for that of a service, which is not known before the
    /// service has signed.
    package var isStandIn: Bool {
        subject.values(ofType: .organizationalUnit) == [Self.standInMark]
    }
}

extension SignerInfo {
    /// The message-digest attribute (RFC 5652 §11.2); nil if it is missing or damaged.
    package var messageDigest: [UInt8]? {
        let values = signedAttributes.values(.messageDigest)
        guard values.count == 1, let node = ASN1Node.parse(values[0], .der) else { return nil }
        return try? node.octets("message-digest")
    }
}
