internal import COpenSSL

/// A question to an OCSP responder about one certificate (RFC 6960 §4.1).
package enum OCSPRequest {
    /// An OCSPRequest without nonce, its certificate identified with SHA-1, as all responders take
    /// it (RFC 5019 §2.1.1). The hash names the issuer, and secures nothing.
    package static func encoded(
        about certificate: Certificate, issuer: Certificate
    ) throws(CryptoError) -> [UInt8] {
        OpenSSL.prepare()
        let subject = unsafe try certificate.x509()
        let authority = unsafe try issuer.x509()
        guard let request = unsafe OCSP_REQUEST_new() else {
            throw CryptoError(.internalFailure, "there is not enough memory")
        }
        defer { unsafe OCSP_REQUEST_free(request) }
        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), subject, authority) else {
            throw CryptoError(.internalFailure, "the certificate cannot be asked about")
        }
        // Owned by the request once it is added.
        guard unsafe OCSP_request_add0_id(request, id) != nil else {
            unsafe OCSP_CERTID_free(id)
            throw CryptoError(.internalFailure, "the certificate cannot be asked about")
        }
        guard let bytes = unsafe OpenSSL.encode({ unsafe i2d_OCSP_REQUEST(request, $0) }) else {
            throw CryptoError(.internalFailure, "the certificate cannot be asked about")
        }
        return bytes
    }
}
