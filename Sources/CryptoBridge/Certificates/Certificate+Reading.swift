internal import COpenSSL

extension Certificate {
    /// Every certificate in `bytes`: PEM with one or many, one DER certificate, or a certs-only
    /// PKCS#7. Other PEM blocks are skipped. Throws if no certificate is found.
    package static func readAll(_ bytes: [UInt8]) throws(CryptoError) -> [Certificate] {
        guard bytes.count <= CredentialReader.byteLimit else {
            throw CryptoError(.limitExceeded, "\(bytes.count) bytes of certificates")
        }
        OpenSSL.prepare()
        var certificates: [Certificate] = []
        let blocks = try PEMReader.blocks(in: SecretBytes(copying: bytes))
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                certificates.append(
                    try Certificate(der: SecretView(try block.decoded()).prefixElement))
            case "PKCS7", "CMS":
                certificates += try fromPKCS7(Array(SecretView(try block.decoded())))
            default: continue
            }
        }
        if blocks.isEmpty {
            guard let kind = DERKind(SecretView(SecretBytes(copying: bytes))) else {
                throw CryptoError(.unrecognisedFormat, "neither PEM nor DER certificate")
            }
            certificates = kind == .pkcs7 ? try fromPKCS7(bytes) : [try Certificate(der: bytes)]
        }
        guard !certificates.isEmpty else {
            throw CryptoError(.unrecognisedFormat, "not a certificate")
        }
        return certificates
    }

    private static func fromPKCS7(_ der: [UInt8]) throws(CryptoError) -> [Certificate] {
        let stack = try unsafe OpenSSL.require(
            COpenSSL_pkcs7_certificates(der, der.count), "not a PKCS#7 structure with certificates",
            .malformedCertificate)
        defer { unsafe COpenSSL_sk_X509_pop_free(stack) }
        return try unsafe copies(of: stack)
    }

    /// Owned certificates for each entry of a borrowed stack.
    static func copies(of stack: OpaquePointer?) throws(CryptoError) -> [Certificate] {
        let count = unsafe stack == nil ? 0 : COpenSSL_sk_X509_num(stack)
        guard count <= CredentialReader.certificateLimit else {
            throw CryptoError(.limitExceeded, "\(count) certificates")
        }
        var certificates: [Certificate] = []
        for index in 0..<count {
            guard let certificate = unsafe COpenSSL_sk_X509_value(stack, index),
                let der = unsafe OpenSSL.encode({ unsafe i2d_X509(certificate, $0) })
            else { throw CryptoError.draining(.malformedCertificate, "a damaged certificate") }
            certificates.append(try Certificate(der: der))
        }
        return certificates
    }
}
