import ByteKit
internal import COpenSSL

/// An answer of an OCSP responder (RFC 6960), to be asked about certificates.
package struct OCSPResponse: Sendable, Equatable {
    /// The response's bytes.
    package let der: [UInt8]

    /// Larger responses are refused.
    package static let byteLimit = 1_048_576
    /// Most single answers that are looked at.
    private static let answerLimit = 1000

    /// An OCSPResponse, or the BasicOCSPResponse in it, which DSS dictionaries hold at times; nil
    /// for anything else.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= OCSPResponse.byteLimit, bytes.first == DERTag.sequence,
            let outer = DERReader.single(bytes[...])
        else { return nil }
        var fields = outer.reader
        // A basic response begins with its signed part.
        if fields.next(DERTag.sequence) != nil {
            let type: [UInt8] = [
                0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01,
            ]
            let wrapped = DERWriter.sequence([type, DERWriter.element(DERTag.octetString, bytes)])
            der = DERWriter.sequence([
                [0x0A, 0x01, 0x00], DERWriter.element(0xA0, wrapped),
            ])
        } else {
            der = bytes
        }
    }

    /// What the response says about a certificate; nil when it says nothing, does not know it, or
    /// when its signer may not speak for the issuer (RFC 6960 §4.2.2.2).
    package func statement(
        about certificate: Certificate, issuer: Certificate
    ) throws(CryptoError) -> RevocationStatement? {
        OpenSSL.prepare()
        defer { ERR_clear_error() }
        guard let subject = unsafe try? certificate.x509(),
            let authority = unsafe try? issuer.x509(),
            let response = unsafe parse()
        else { return nil }
        defer { unsafe OCSP_RESPONSE_free(response) }
        guard unsafe OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
            let basic = unsafe OCSP_response_get1_basic(response)
        else { return nil }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        for index in 0..<min(Self.answerLimit, Int(unsafe OCSP_resp_count(basic))) {
            guard let single = unsafe OCSP_resp_get0(basic, Int32(index)),
                unsafe isAbout(subject, authority, single)
            else { continue }
            guard
                let produced = unsafe RevocationStatement.time(
                    OCSP_resp_get0_produced_at(basic)),
                unsafe isAuthorised(basic, authority, at: produced)
            else { return nil }
            return unsafe Self.statement(of: single)
        }
        return nil
    }

    private func parse() -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let response = unsafe d2i_OCSP_RESPONSE(nil, &cursor, buffer.count)
            guard let start = buffer.baseAddress, let end = unsafe cursor,
                unsafe end - start == buffer.count
            else {
                unsafe OCSP_RESPONSE_free(response)
                return nil
            }
            return unsafe response
        }
    }

    /// Whether the answer's identifier is the certificate's, with the hash that it uses.
    private func isAbout(
        _ subject: OpaquePointer, _ authority: OpaquePointer, _ single: OpaquePointer
    ) -> Bool {
        guard let id = unsafe OCSP_SINGLERESP_get0_id(single) else { return false }
        var algorithm: OpaquePointer?
        // get0: borrowed, and not changed, though the parameter is not const.
        guard unsafe OCSP_id_get0_info(nil, &algorithm, nil, nil, id) == 1 else {
            return false
        }
        return unsafe isSame(id, algorithm, subject, authority)
    }

    private func isSame(
        _ id: OpaquePointer, _ algorithm: OpaquePointer?, _ subject: OpaquePointer,
        _ authority: OpaquePointer
    ) -> Bool {
        guard let name = unsafe OBJ_nid2sn(OBJ_obj2nid(algorithm)),
            let digest = unsafe EVP_get_digestbyname(name),
            let expected = unsafe OCSP_cert_to_id(digest, subject, authority)
        else { return false }
        defer { unsafe OCSP_CERTID_free(expected) }
        return unsafe OCSP_id_cmp(expected, id) == 0
    }

    /// Whether the issuer itself signed, or somebody whom it made a responder.
    private func isAuthorised(
        _ basic: OpaquePointer, _ authority: OpaquePointer, at time: CalendarTime
    ) -> Bool {
        guard let store = unsafe X509_STORE_new() else { return false }
        defer { unsafe X509_STORE_free(store) }
        guard let parameters = unsafe X509_VERIFY_PARAM_new() else { return false }
        defer { unsafe X509_VERIFY_PARAM_free(parameters) }
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time.secondsSinceEpoch))
        unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        guard let known = unsafe COpenSSL_sk_X509_new() else { return false }
        defer { unsafe COpenSSL_sk_X509_pop_free(known) }
        guard unsafe X509_STORE_set1_param(store, parameters) == 1,
            unsafe X509_STORE_add_cert(store, authority) == 1, unsafe X509_up_ref(authority) == 1
        else { return false }
        guard unsafe COpenSSL_sk_X509_push(known, authority) > 0 else {
            unsafe X509_free(authority)
            return false
        }
        return unsafe OCSP_basic_verify(basic, known, store, 0) == 1
    }

    private static func statement(of single: OpaquePointer) -> RevocationStatement? {
        var reason: Int32 = -1
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = unsafe OCSP_single_get0_status(single, &reason, &revoked, &begin, &end)
        guard status == V_OCSP_CERTSTATUS_GOOD || status == V_OCSP_CERTSTATUS_REVOKED,
            let thisUpdate = unsafe RevocationStatement.time(begin)
        else { return nil }
        let isRevoked = status == V_OCSP_CERTSTATUS_REVOKED
        return RevocationStatement(
            revokedAt: isRevoked
                ? unsafe RevocationStatement.time(revoked) ?? .distantPast : nil,
            reason: isRevoked ? RevocationStatement.reasonName(Int(reason)) : nil,
            thisUpdate: thisUpdate, nextUpdate: unsafe RevocationStatement.time(end))
    }
}
