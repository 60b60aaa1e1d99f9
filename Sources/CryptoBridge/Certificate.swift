package import ByteKit
internal import COpenSSL

/// An X.509 certificate (RFC 5280). Nothing about it is trusted by its being parsed.
@safe
package final class Certificate: @unchecked Sendable, Hashable {
    // Sendable: an X509 is not changed after loading; OpenSSL guards its caches with locks.
    let pointer: OpaquePointer
    /// The certificate's bytes.
    package let der: [UInt8]

    /// Larger certificates are refused.
    package static let byteLimit = 262_144

    /// One certificate and nothing after it.
    package init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= Certificate.byteLimit else {
            throw CryptoError(
                .limitExceeded,
                "a certificate of \(der.count) bytes, over \(Certificate.byteLimit)")
        }
        OpenSSL.prepare()
        let parsed = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let certificate = unsafe d2i_X509(nil, &cursor, buffer.count)
            guard let start = buffer.baseAddress, let end = unsafe cursor,
                unsafe end - start == buffer.count
            else {
                unsafe X509_free(certificate)
                return nil
            }
            return unsafe certificate
        }
        guard let parsed = unsafe parsed else {
            throw CryptoError.draining(.malformedCertificate, "not a certificate")
        }
        unsafe pointer = parsed
        self.der = der
    }

    deinit { unsafe X509_free(pointer) }

    package static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }

    package var subjectDER: [UInt8] {
        unsafe OpenSSL.encode { unsafe i2d_X509_NAME(X509_get_subject_name(pointer), $0) } ?? []
    }

    package var issuerDER: [UInt8] {
        unsafe OpenSSL.encode { unsafe i2d_X509_NAME(X509_get_issuer_name(pointer), $0) } ?? []
    }

    package var subject: DistinguishedName { Certificate.name(subjectDER) }
    package var issuer: DistinguishedName { Certificate.name(issuerDER) }

    /// OpenSSL already parsed the name; what our stricter reader refuses shows as empty.
    private static func name(_ der: [UInt8]) -> DistinguishedName {
        (try? DistinguishedName(der: der)) ?? .empty
    }

    /// The serial number, a whole DER INTEGER.
    package var serialDER: [UInt8] {
        unsafe OpenSSL.encode {
            unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), $0)
        } ?? []
    }

    /// The serial number in lower-case hex, `-` before a negative one, no superfluous zeros.
    package var serialHex: String {
        let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(pointer), nil)
        defer { unsafe BN_free(number) }
        guard let number = unsafe number, let text = unsafe BN_bn2hex(number) else { return "" }
        defer { unsafe COpenSSL_free(text) }
        return unsafe String(cString: text).lowercased()
    }

    /// Start of validity; a time that cannot be read counts as never reached.
    package var notBefore: CalendarTime {
        unsafe Certificate.time(X509_get0_notBefore(pointer)) ?? .distantFuture
    }

    /// End of validity, itself included; a time that cannot be read counts as long past.
    package var notAfter: CalendarTime {
        unsafe Certificate.time(X509_get0_notAfter(pointer)) ?? .distantPast
    }

    package func isValid(at time: CalendarTime) -> Bool { notBefore <= time && time <= notAfter }

    static func time(_ time: UnsafePointer<ASN1_TIME>?) -> CalendarTime? {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe CalendarTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1,
            day: Int(parts.tm_mday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
            second: min(Int(parts.tm_sec), 59))
    }

    /// The certified key.
    package var publicKey: PublicKey {
        get throws(CryptoError) { try loadPublicKey() }
    }

    private func loadPublicKey() throws(CryptoError) -> PublicKey {
        OpenSSL.prepare()
        // Borrowed from the certificate: get0.
        guard let key = unsafe X509_get0_pubkey(pointer) else {
            throw CryptoError.draining(
                .unsupportedAlgorithm, "the certificate's public key is not supported")
        }
        if unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC {
            var spki: UnsafeMutablePointer<UInt8>?
            let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), &spki)
            defer { unsafe COpenSSL_free(spki) }
            if count > 0, let spki = unsafe spki {
                try PublicKey.refuseExplicitCurve(
                    unsafe Array(UnsafeBufferPointer(start: spki, count: Int(count))))
            }
        }
        guard unsafe EVP_PKEY_up_ref(key) == 1 else {
            throw CryptoError.draining(.internalFailure, "key reference")
        }
        return PublicKey(unsafe try KeyHandle(takingOwnership: key))
    }

    /// 1, 2 or 3.
    package var version: Int { unsafe X509_get_version(pointer) + 1 }

    /// `sha256WithRSAEncryption`, or dotted text.
    package var signatureAlgorithmName: String {
        let nid = unsafe X509_get_signature_nid(pointer)
        guard nid != NID_undef, let name = unsafe OBJ_nid2ln(nid) else {
            return signatureAlgorithmOID ?? "unknown"
        }
        return unsafe String(cString: name)
    }

    /// The hash of the issuer's signature; nil for EdDSA and what OpenSSL does not know.
    package var signatureDigest: DigestAlgorithm? {
        var digest: Int32 = 0
        guard unsafe X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1,
            digest != NID_undef, let name = unsafe OBJ_nid2sn(digest)
        else { return nil }
        return DigestAlgorithm(name: unsafe String(cString: name))
    }

    private var signatureAlgorithmOID: String? {
        guard var reader = DERReader.single(der[...])?.reader, reader.next() != nil,
            var algorithm = reader.next(DERTag.sequence)?.reader
        else { return nil }
        return algorithm.next()?.objectIdentifier
    }

    /// SHA-256 of the whole certificate, its fingerprint.
    package var sha256: [UInt8] {
        get throws(CryptoError) { try DigestAlgorithm.sha256.hash(der) }
    }

    /// Subject and issuer are the same name.
    package var isSelfIssued: Bool { subjectDER == issuerDER }

    /// Signed by its own key.
    package var isSelfSigned: Bool {
        guard isSelfIssued else { return false }
        return unsafe X509_self_signed(pointer, 1) == 1
    }

    /// Whether `issuer`'s key made this certificate's signature; says nothing of trust.
    package func isSigned(by issuer: Certificate) -> Bool {
        OpenSSL.prepare()
        guard let key = unsafe X509_get0_pubkey(issuer.pointer) else { return false }
        let result = unsafe X509_verify(pointer, key)
        ERR_clear_error()
        return result == 1
    }

    /// PEM text.
    package var pem: [UInt8] { PEMWriter.write("CERTIFICATE", der) }
}

extension CalendarTime {
    /// Bounds standing for times that cannot be read, so that nothing is valid within them.
    static let distantFuture = CalendarTime(secondsSinceEpoch: 253_402_300_799)
    static let distantPast = CalendarTime(secondsSinceEpoch: -62_167_219_200)
}

extension DistinguishedName {
    static let empty = DistinguishedName(unchecked: [0x30, 0x00], [])

    private init(unchecked der: [UInt8], _ relativeNames: [[Attribute]]) {
        self.der = der
        self.relativeNames = relativeNames
    }
}
