package import Base
internal import COpenSSL

/// A certificate signing request (RFC 2986).
@safe
package final class CertificateRequest: @unchecked Sendable {
    // Sendable: an X509_REQ is not changed after loading.
    private let pointer: OpaquePointer
    /// The request's bytes.
    package let der: [UInt8]
    /// Extensions asked for, in order (extensionRequest, RFC 2985 §5.4.2).
    package let extensions: [Certificate.Extension]

    package static let byteLimit = 262_144

    /// One request and nothing after it.
    package init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= CertificateRequest.byteLimit else {
            throw CryptoError(.limitExceeded, "a request of \(der.count) bytes")
        }
        OpenSSL.prepare()
        let parsed = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let request = unsafe d2i_X509_REQ(nil, &cursor, buffer.count)
            guard let start = buffer.baseAddress, let end = unsafe cursor,
                unsafe end - start == buffer.count
            else {
                unsafe X509_REQ_free(request)
                return nil
            }
            return unsafe request
        }
        guard let parsed = unsafe parsed else {
            throw CryptoError.draining(.malformedRequest, "not a certificate request")
        }
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
            throw CryptoError(.unrecognisedFormat, "neither PEM nor DER certificate request")
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

    package var publicKey: PublicKey {
        get throws(CryptoError) { try PublicKey(spkiDER: spkiDER) }
    }

    /// The SubjectPublicKeyInfo.
    package var spkiDER: [UInt8] {
        get throws(CryptoError) {
            OpenSSL.prepare()
            let der = unsafe OpenSSL.encode {
                unsafe i2d_X509_PUBKEY(X509_REQ_get_X509_PUBKEY(pointer), $0)
            }
            guard let der else {
                throw CryptoError.draining(.malformedRequest, "a request without public key")
            }
            return der
        }
    }

    /// The hash in the request's signature.
    package var signatureDigest: SignatureDigest {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_REQ_get0_signature(pointer, nil, &algorithm)
        let der = unsafe OpenSSL.encode { unsafe i2d_X509_ALGOR(algorithm, $0) }
        return SignatureDigest(der ?? [])
    }

    /// Whether the request is signed by the key in it: proof of possession.
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

    /// Whether there are more alternative names than ``subjectAlternativeNames``: of other kinds, or
    /// in a second extension.
    package var hasFurtherAlternativeNames: Bool {
        let values = extensions.filter { $0.oid == OID.subjectAltName }
        guard let value = values.first?.value else { return false }
        guard values.count == 1, var reader = ASN1Reader.single(value[...], .definite)?.reader
        else {
            return true
        }
        var count = 0
        while reader.next() != nil { count += 1 }
        return count != subjectAlternativeNames.count || !reader.isAtEnd
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

    /// PEM text.
    package var pem: [UInt8] { PEMWriter.write("CERTIFICATE REQUEST", der) }
}

/// What a new request asks for.
package struct CertificateRequestBuilder: Sendable {
    package var subject: DistinguishedName
    package var alternativeNames: [String] = []
    package var keyUsage: KeyUsage = [.digitalSignature, .nonRepudiation]
    package var extendedKeyUsage: [OID] = [.documentSigning]

    package init(subject: DistinguishedName) { self.subject = subject }

    /// A request signed by `key`, its signature checked.
    package func signed(
        by key: PrivateKey, digest: DigestAlgorithm = .sha256,
        padding: KeyAlgorithm.Padding = .pkcs1
    ) throws(CryptoError) -> CertificateRequest {
        let request = try unsafe newRequest()
        defer { unsafe X509_REQ_free(request) }
        try unsafe fill(request, key.publicKey)
        try unsafe sign(request, key, digest, padding)
        guard let der = unsafe OpenSSL.encode({ unsafe i2d_X509_REQ(request, $0) }) else {
            throw CryptoError.draining(.internalFailure, "the request did not encode")
        }
        let made = try CertificateRequest(der: der)
        guard try made.isSignatureValid else {
            throw CryptoError(.signatureFailed, "the request does not verify")
        }
        return made
    }

    /// The CertificationRequestInfo (RFC 2986 §4.1), for a key that is elsewhere.
    package func toBeSigned(publicKey: PublicKey) throws(CryptoError) -> [UInt8] {
        let request = try unsafe newRequest()
        defer { unsafe X509_REQ_free(request) }
        try unsafe fill(request, publicKey)
        guard let der = unsafe OpenSSL.encode({ unsafe i2d_re_X509_REQ_tbs(request, $0) }) else {
            throw CryptoError.draining(.internalFailure, "the request did not encode")
        }
        return der
    }

    private func newRequest() throws(CryptoError) -> OpaquePointer {
        OpenSSL.prepare()
        guard let request = unsafe X509_REQ_new() else {
            throw CryptoError.draining(.internalFailure, "no request")
        }
        return unsafe request
    }

    private func fill(
        _ request: OpaquePointer, _ publicKey: PublicKey
    ) throws(CryptoError) {
        guard unsafe X509_REQ_set_version(request, 0) == 1,
            unsafe X509_REQ_set_pubkey(request, publicKey.handle.pointer) == 1
        else { throw CryptoError.draining(.internalFailure, "the request was not filled") }
        try unsafe X509Name.with(subject) { unsafe X509_REQ_set_subject_name(request, $0) }
        var set = ExtensionSet()
        set.addBasicConstraints(isCA: false, pathLength: nil)
        set.addKeyUsage(keyUsage)
        set.addExtendedKeyUsage(extendedKeyUsage, critical: false)
        set.addSubjectKeyIdentifier(try publicKey.keyIdentifier())
        try set.addAlternativeNames(alternativeNames)
        guard let stack = unsafe COpenSSL_sk_X509_EXTENSION_new() else {
            throw CryptoError.draining(.internalFailure, "no extension list")
        }
        defer { unsafe COpenSSL_sk_X509_EXTENSION_pop_free(stack) }
        for item in set.list {
            let made = try unsafe X509Extension.make(item)
            guard unsafe COpenSSL_sk_X509_EXTENSION_push(stack, made) > 0 else {
                unsafe X509_EXTENSION_free(made)
                throw CryptoError.draining(.internalFailure, "the extension \(item.oid)")
            }
        }
        guard unsafe X509_REQ_add_extensions(request, stack) == 1 else {
            throw CryptoError.draining(.internalFailure, "the request's extensions")
        }
    }
}

extension CertificateRequestBuilder {
    /// Through a context, which alone can carry the padding.
    private func sign(
        _ request: OpaquePointer, _ key: PrivateKey, _ digest: DigestAlgorithm,
        _ padding: KeyAlgorithm.Padding
    ) throws(CryptoError) {
        let implementation = try unsafe X509Extension.signingDigest(key, digest)
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no digest context")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        // Borrowed: it is freed with the digest context.
        var keyContext: OpaquePointer?
        var done = unsafe EVP_DigestSignInit(
            context, &keyContext, implementation, nil, key.handle.pointer)
        if done == 1, padding == .pss, case .rsa = key.algorithm {
            done = unsafe EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING)
            if done == 1 {
                done = unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(
                    keyContext, RSA_PSS_SALTLEN_DIGEST)
            }
        }
        guard done == 1, unsafe X509_REQ_sign_ctx(request, context) > 0 else {
            throw CryptoError.draining(.signatureFailed, "the request was not signed")
        }
    }
}
