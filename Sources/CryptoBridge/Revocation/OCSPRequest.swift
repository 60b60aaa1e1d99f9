internal import Base
internal import COpenSSL

/// An OCSP request for one certificate (RFC 6960 §4.1).
package struct OCSPRequest: Sendable {
    /// The request without its nonce: equal for equal certificates.
    package let question: [UInt8]
    /// The DER to send.
    package let encoded: [UInt8]
    private let nonce: [UInt8]

    /// RFC 9654 §2.1.
    private static let nonceByteCount = 32

    /// The CertID uses SHA-1, which all responders accept (RFC 5019 §2.1.1). The hash only
    /// identifies the issuer, and security does not depend on it.
    package init(about certificate: Certificate, issuer: Certificate) throws(CryptoError) {
        OpenSSL.prepare()
        let subject = unsafe try certificate.x509()
        let authority = unsafe try issuer.x509()
        guard let request = unsafe OCSP_REQUEST_new() else {
            throw CryptoError(.internalFailure, "out of memory")
        }
        defer { unsafe OCSP_REQUEST_free(request) }
        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), subject, authority) else {
            throw CryptoError(
                .internalFailure, "no OCSP request can be created for the certificate")
        }
        // The request owns it once it is added.
        guard unsafe OCSP_request_add0_id(request, id) != nil else {
            unsafe OCSP_CERTID_free(id)
            throw CryptoError(
                .internalFailure, "no OCSP request can be created for the certificate")
        }
        var random = try RandomBytes.generate(Self.nonceByteCount)
        guard let question = unsafe OpenSSL.encode({ unsafe i2d_OCSP_REQUEST(request, $0) }),
            unsafe OCSP_request_add1_nonce(request, &random, Int32(random.count)) == 1,
            let bytes = unsafe OpenSSL.encode({ unsafe i2d_OCSP_REQUEST(request, $0) })
        else {
            throw CryptoError(
                .internalFailure, "no OCSP request can be created for the certificate")
        }
        self.question = question
        encoded = bytes
        nonce = DERWriter.octets(random)
    }

    /// Whether the response may belong to this request: it repeats the nonce or, as many responders
    /// do, omits it.
    package func isAnswered(by response: OCSPResponse) -> Bool {
        response.nonce == nil || response.nonce == nonce
            || response.nonce == Array(nonce.dropFirst(2))
    }
}
