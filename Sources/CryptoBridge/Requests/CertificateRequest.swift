package import Base
internal import COpenSSL

/// A certificate signing request (RFC 2986).
@safe
package final class CertificateRequest: @unchecked Sendable {
    // Sendable: an X509_REQ is not changed after loading.
    private let pointer: OpaquePointer
    /// The request's bytes.
    package let der: [UInt8]
    /// Requested extensions, in sequence (extensionRequest, RFC 2985 §5.4.2).
    package let extensions: [Certificate.Extension]

    package static let byteLimit = 262_144

    /// One request and nothing after it.
    package init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= CertificateRequest.byteLimit else {
            throw CryptoError(.limitExceeded, "a request of \(der.count) bytes")
        }
        OpenSSL.prepare()
        let parsed = try unsafe OpenSSL.require(
            OpenSSL.parse(der, freeing: X509_REQ_free) { unsafe d2i_X509_REQ(nil, $0, $1) },
            "not a certificate signing request", .malformedRequest)
        let stack = unsafe X509_REQ_get_extensions(parsed)
        defer { unsafe COpenSSL_sk_X509_EXTENSION_pop_free(stack) }
        let count = unsafe stack == nil ? 0 : COpenSSL_sk_X509_EXTENSION_num(stack)
        extensions = (0..<count).compactMap { index in
            unsafe COpenSSL_sk_X509_EXTENSION_value(stack, index)
                .flatMap { unsafe Certificate.Extension(borrowing: $0) }
        }
        ERR_clear_error()
        unsafe pointer = parsed
        self.der = der
    }

    /// Reads PEM or DER.
    package static func read(_ bytes: [UInt8]) throws(CryptoError) -> CertificateRequest {
        for block in try PEMReader.blocks(in: SecretBytes(copying: bytes))
        where block.label == "CERTIFICATE REQUEST" || block.label == "NEW CERTIFICATE REQUEST" {
            return try CertificateRequest(der: Array(SecretView(try block.decoded())))
        }
        guard bytes.first == ASN1Tag.sequence else {
            throw CryptoError(
                .unrecognisedFormat, "neither a PEM nor a DER certificate signing request")
        }
        return try CertificateRequest(der: bytes)
    }

    deinit { unsafe X509_REQ_free(pointer) }

    package var subject: DistinguishedName {
        let der = unsafe OpenSSL.encode {
            unsafe i2d_X509_NAME(X509_REQ_get_subject_name(pointer), $0)
        }
        return (try? DistinguishedName(der: der ?? [])) ?? .empty
    }

    /// See ``Certificate/displayName``.
    package var displayName: String {
        subject.holder(alternatives: subjectAlternativeNames) ?? subject.description
    }

    package var publicKey: PublicKey { get throws(CryptoError) { try PublicKey(spkiDER: spkiDER) } }

    /// The SubjectPublicKeyInfo.
    package var spkiDER: [UInt8] {
        get throws(CryptoError) {
            OpenSSL.prepare()
            return try unsafe OpenSSL.require(
                OpenSSL.encode { unsafe i2d_X509_PUBKEY(X509_REQ_get_X509_PUBKEY(pointer), $0) },
                "a request without public key", .malformedRequest)
        }
    }

    package var signatureDigest: SignatureDigest {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_REQ_get0_signature(pointer, nil, &algorithm)
        let der = unsafe OpenSSL.encode { unsafe i2d_X509_ALGOR(algorithm, $0) }
        return SignatureDigest(der ?? [])
    }

    /// Whether the key in the request made its signature: proof of possession.
    package var isSignatureValid: Bool {
        get throws(CryptoError) {
            let key = try publicKey
            OpenSSL.prepare()
            let result = unsafe X509_REQ_verify(pointer, key.handle.pointer)
            ERR_clear_error()
            return result == 1
        }
    }

    package var signatureAlgorithmName: String {
        let nid = unsafe X509_REQ_get_signature_nid(pointer)
        guard nid != NID_undef, let name = unsafe OBJ_nid2ln(nid) else { return "unknown" }
        return unsafe String(cString: name)
    }

    private func value(_ oid: OID) -> [UInt8]? { extensions.first { $0.oid == oid }?.value }

    package var subjectAlternativeNames: [String] {
        value(OID.subjectAltName).map(GeneralNames.text) ?? []
    }

    /// Whether there are alternative names besides ``subjectAlternativeNames``: damaged ones, or
    /// in a second extension.
    package var hasFurtherAlternativeNames: Bool {
        let values = extensions.filter { $0.oid == OID.subjectAltName }
        guard let value = values.first?.value else { return false }
        guard values.count == 1, var reader = ASN1Reader.single(value[...], .definite)?.reader
        else { return true }
        var count = 0
        while reader.next() != nil { count += 1 }
        return count != subjectAlternativeNames.count || !reader.isAtEnd
    }

    /// The Microsoft certificate template, see ``CertificateTemplate``.
    package var template: String? { CertificateTemplate.name(in: extensions) }

    /// The text of an attribute (RFC 2985 §5.4), such as the password for a later revocation; nil
    /// without one.
    package func attribute(_ type: OID) -> String? {
        var request = ASN1Reader.single(der[...], .definite)?.reader
        var body = request?.next(ASN1Tag.sequence)?.reader
        for _ in 0..<3 { _ = body?.next() }
        var attributes = body?.next(ASN1Tag.context(0))?.reader
        while var attribute = attributes?.next(ASN1Tag.sequence)?.reader {
            guard attribute.next()?.objectIdentifier == type else { continue }
            var values = attribute.next(ASN1Tag.set)?.reader
            return values?.next().flatMap { DistinguishedName.text($0.tag, $0.content) }
        }
        return nil
    }

    package var keyUsage: KeyUsage? {
        value(OID.keyUsage).flatMap { ASN1Reader.single($0[...], .definite) }
            .flatMap { KeyUsage(bitString: $0.content) }
    }

    package var extendedKeyUsage: [OID]? {
        guard let value = value(OID.extendedKeyUsage),
            var reader = ASN1Reader.single(value[...], .definite)?.reader
        else { return nil }
        var usages: [OID] = []
        while let usage = reader.next()?.objectIdentifier { usages.append(usage) }
        return usages
    }

    package var pem: [UInt8] { PEMWriter.write("CERTIFICATE REQUEST", der) }
}

/// The content of a new CSR.
package struct CertificateRequestBuilder: Sendable {
    package var subject: DistinguishedName
    package var alternativeNames: [String] = []
    package var keyUsage: KeyUsage = [.digitalSignature, .nonRepudiation]
    package var extendedKeyUsage: [OID] = [.documentSigning]

    package init(subject: DistinguishedName) { self.subject = subject }

    /// The CertificationRequestInfo (RFC 2986 §4.1).
    package func toBeSigned(publicKey: PublicKey) throws(CryptoError) -> [UInt8] {
        var set = ExtensionSet()
        set.addBasicConstraints(isCA: false, pathLength: nil)
        set.addKeyUsage(keyUsage)
        set.addExtendedKeyUsage(extendedKeyUsage, critical: false)
        set.addSubjectKeyIdentifier(try publicKey.keyIdentifier())
        try set.addAlternativeNames(alternativeNames)
        let asked = DERWriter.sequence(
            DERWriter.objectIdentifier(.extensionRequest), DERWriter.setOf([set.der]))
        return DERWriter.sequence([
            DERWriter.integer(0), subject.der, publicKey.spkiDER,
            DERWriter.element(ASN1Tag.context(0), asked),
        ])
    }
}
