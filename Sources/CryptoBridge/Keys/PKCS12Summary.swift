internal import COpenSSL

/// The properties of a PKCS#12 file (RFC 7292) that are readable without its password.
package struct PKCS12Summary: Sendable {
    /// The hash of the MAC, such as `sha256`; nil without a MAC.
    package let macDigest: String?
    package let macIterations: Int

    package init?(_ bytes: [UInt8]) {
        guard DERKind(SecretView(SecretBytes(copying: bytes))) == .pkcs12 else { return nil }
        OpenSSL.prepare()
        let parsed = unsafe bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            return unsafe d2i_PKCS12(nil, &cursor, buffer.count)
        }
        guard let parsed = unsafe parsed else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe PKCS12_free(parsed) }
        guard unsafe PKCS12_mac_present(parsed) == 1 else {
            macDigest = nil
            macIterations = 0
            return
        }
        if let code = unsafe try? PBMAC1(of: parsed) {
            macDigest = code.digest.rawValue
            macIterations = code.iterations
            return
        }
        // The bundle still owns the values (get0).
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, parsed)
        macIterations = unsafe iterations == nil ? 1 : ASN1_INTEGER_get(iterations)
        var object: OpaquePointer?
        unsafe X509_ALGOR_get0(&object, nil, nil, algorithm)
        let name = unsafe OBJ_nid2sn(OBJ_obj2nid(object))
        macDigest = unsafe name.map { name in
            let text = unsafe String(cString: name)
            return DigestAlgorithm(name: text)?.rawValue ?? text
        }
    }
}
