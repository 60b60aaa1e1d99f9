package import Base
internal import COpenSSL

/// Makes certificates for tests and closed groups.
package struct CertificateBuilder: Sendable {
    package var subject: DistinguishedName
    package var publicKey: PublicKey
    package var notBefore: CalendarTime
    package var notAfter: CalendarTime
    package var profile: CertificateProfile
    /// `email:a@b`, `dns:x`, `ip:…`, `uri:…`.
    package var alternativeNames: [String] = []
    package var pathLength: Int?
    /// Instead of the profile's usages.
    package var keyUsage: KeyUsage?
    /// Instead of the profile's extended usages.
    package var extendedKeyUsage: [OID]?
    /// A positive serial number of at most 20 bytes; random when nil.
    package var serialNumber: [UInt8]?

    package init(
        subject: DistinguishedName, publicKey: PublicKey, notBefore: CalendarTime,
        notAfter: CalendarTime, profile: CertificateProfile = .signer
    ) {
        self.subject = subject
        self.publicKey = publicKey
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.profile = profile
    }

    /// A certificate signed by its own key.
    package func selfSigned(
        by key: PrivateKey, digest: DigestAlgorithm = .sha256
    ) throws(CryptoError) -> Certificate {
        guard key.publicKey == publicKey else {
            throw CryptoError(.keyMismatch, "the key is not the one to be certified")
        }
        return try build(
            issuer: subject, authorityKeyIdentifier: publicKey.keyIdentifier(), key: key, digest)
    }

    /// A certificate signed by an issuer.
    package func issued(
        by issuer: Certificate, key: PrivateKey, digest: DigestAlgorithm = .sha256
    ) throws(CryptoError) -> Certificate {
        guard try issuer.publicKey == key.publicKey else {
            throw CryptoError(.keyMismatch, "the issuer's key does not fit its certificate")
        }
        let identifier: [UInt8]
        if let own = issuer.subjectKeyIdentifier {
            identifier = own
        } else {
            identifier = try key.publicKey.keyIdentifier()
        }
        return try build(
            issuer: issuer.subject, authorityKeyIdentifier: identifier, key: key, digest)
    }

    private func extensions(
        authorityKeyIdentifier: [UInt8]
    ) throws(CryptoError) -> [Certificate.Extension] {
        var set = ExtensionSet()
        set.addBasicConstraints(isCA: profile == .ca, pathLength: pathLength)
        set.addKeyUsage(keyUsage ?? profile.keyUsage)
        set.addExtendedKeyUsage(
            extendedKeyUsage ?? profile.extendedKeyUsage,
            critical: profile.isExtendedKeyUsageCritical)
        set.addSubjectKeyIdentifier(try publicKey.keyIdentifier())
        set.addAuthorityKeyIdentifier(authorityKeyIdentifier)
        try set.addAlternativeNames(alternativeNames)
        if profile == .ocsp {
            // id-pkix-ocsp-nocheck (RFC 6960 §4.2.2.2.1): nobody vouches for the responder.
            set.add(.ocspNoCheck, DERWriter.null)
        }
        return set.list
    }

    /// 159 random bits, never zero: positive in 20 bytes (RFC 5280 §4.1.2.2).
    private static func randomSerial() throws(CryptoError) -> [UInt8] {
        var serial = try RandomBytes.generate(20)
        serial[0] = serial[0] & 0x7F | 0x40
        return serial
    }

    private func build(
        issuer: DistinguishedName, authorityKeyIdentifier: [UInt8], key: PrivateKey,
        _ digest: DigestAlgorithm
    ) throws(CryptoError) -> Certificate {
        let certificate = try unsafe fill(issuer, authorityKeyIdentifier)
        defer { unsafe X509_free(certificate) }
        let implementation = try unsafe X509Extension.signingDigest(key, digest)
        guard unsafe X509_sign(certificate, key.handle.pointer, implementation) > 0 else {
            throw CryptoError.draining(.signatureFailed, "the certificate was not signed")
        }
        guard unsafe X509_verify(certificate, key.handle.pointer) == 1 else {
            throw CryptoError.draining(.signatureFailed, "the certificate does not verify")
        }
        guard let der = unsafe OpenSSL.encode({ unsafe i2d_X509(certificate, $0) }) else {
            throw CryptoError.draining(.internalFailure, "the certificate did not encode")
        }
        return try Certificate(der: der)
    }

    /// The TBSCertificate (RFC 5280 §4.1), for a key that is elsewhere.
    ///
    /// - Parameter signatureAlgorithm: DER of its AlgorithmIdentifier.
    package func toBeSigned(
        issuer: DistinguishedName, authorityKeyIdentifier: [UInt8], signatureAlgorithm: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let certificate = try unsafe fill(issuer, authorityKeyIdentifier)
        defer { unsafe X509_free(certificate) }
        // OpenSSL writes the algorithm only where it signs: a throw-away key does, for its place.
        let key = try PrivateKey.generate(.ec(curve: .p256))
        guard
            unsafe X509_sign(certificate, key.handle.pointer, try FetchedDigest.get(.sha256)) > 0,
            let der = unsafe OpenSSL.encode({ unsafe i2d_re_X509_tbs(certificate, $0) }),
            var fields = ASN1Reader.single(der[...], .definite)?.reader,
            let version = fields.next(ASN1Tag.context(0)),
            let serial = fields.next(ASN1Tag.integer),
            fields.next(ASN1Tag.sequence) != nil
        else { throw CryptoError.draining(.internalFailure, "the certificate did not encode") }
        return DERWriter.sequence([
            Array(version.whole), Array(serial.whole), signatureAlgorithm, Array(fields.rest),
        ])
    }

    /// All but the signature.
    private func fill(
        _ issuer: DistinguishedName, _ authorityKeyIdentifier: [UInt8]
    ) throws(CryptoError) -> OpaquePointer {
        OpenSSL.prepare()
        guard notBefore <= notAfter else {
            throw CryptoError(.invalidParameter, "the validity ends before it begins")
        }
        let serial: [UInt8]
        if let given = serialNumber { serial = given } else { serial = try Self.randomSerial() }
        guard let first = serial.first, serial.count <= 20, first < 0x80,
            serial.contains(where: { $0 != 0 })
        else { throw CryptoError(.invalidParameter, "a serial number is positive, 20 bytes") }
        guard let certificate = unsafe X509_new() else {
            throw CryptoError.draining(.internalFailure, "no certificate")
        }
        do throws(CryptoError) {
            try unsafe fill(certificate, issuer, authorityKeyIdentifier, serial)
        } catch {
            unsafe X509_free(certificate)
            throw error
        }
        return unsafe certificate
    }

    private func fill(
        _ certificate: OpaquePointer, _ issuer: DistinguishedName,
        _ authorityKeyIdentifier: [UInt8], _ serial: [UInt8]
    ) throws(CryptoError) {
        let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
        defer { unsafe BN_free(number) }
        // Version 3 is written as 2.
        guard unsafe X509_set_version(certificate, 2) == 1,
            unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            unsafe ASN1_TIME_set(
                X509_getm_notBefore(certificate), time_t(notBefore.secondsSinceEpoch)) != nil,
            unsafe ASN1_TIME_set(
                X509_getm_notAfter(certificate), time_t(notAfter.secondsSinceEpoch)) != nil,
            unsafe X509_set_pubkey(certificate, publicKey.handle.pointer) == 1
        else { throw CryptoError.draining(.internalFailure, "the certificate was not filled") }
        try unsafe X509Name.with(subject) { unsafe X509_set_subject_name(certificate, $0) }
        try unsafe X509Name.with(issuer) { unsafe X509_set_issuer_name(certificate, $0) }
        for item in try extensions(authorityKeyIdentifier: authorityKeyIdentifier) {
            try unsafe X509Extension.with(item) { unsafe X509_add_ext(certificate, $0, -1) }
        }
    }
}

/// A structure of body, algorithm and signature, as certificates, requests and lists are.
package enum SignedStructure {
    /// - Parameters:
    ///   - body: DER of what is signed.
    ///   - algorithm: DER of its AlgorithmIdentifier.
    package static func der(_ body: [UInt8], algorithm: [UInt8], signature: [UInt8]) -> [UInt8] {
        DERWriter.sequence([
            body, algorithm, DERWriter.element(ASN1Tag.bitString, [0] + signature),
        ])
    }
}

/// Lends an X509_NAME for one call.
enum X509Name {
    /// Whether two encoded names are one, whatever the types of their strings, upper or lower case and
    /// spaces (RFC 5280 §7.1).
    static func isSame(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        let names = unsafe [first, second].map { der in
            unsafe der.withUnsafeBufferPointer { buffer in
                var cursor = buffer.baseAddress
                return unsafe d2i_X509_NAME(nil, &cursor, buffer.count)
            }
        }
        defer {
            unsafe names.forEach { unsafe X509_NAME_free($0) }
            OpenSSL.prepare()
        }
        guard let name = unsafe names[0], let other = unsafe names[1] else { return false }
        return unsafe X509_NAME_cmp(name, other) == 0
    }

    static func with(
        _ name: DistinguishedName, _ body: (OpaquePointer) -> Int32
    ) throws(CryptoError) {
        let parsed = unsafe name.der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_X509_NAME(nil, &cursor, buffer.count)
        }
        guard let parsed = unsafe parsed else {
            throw CryptoError.draining(.malformedName, "a name that OpenSSL refuses")
        }
        defer { unsafe X509_NAME_free(parsed) }
        guard unsafe body(parsed) == 1 else {
            throw CryptoError.draining(.internalFailure, "the name was not set")
        }
    }
}

/// Lends an X509_EXTENSION for one call.
enum X509Extension {
    static func make(_ item: Certificate.Extension) throws(CryptoError) -> OpaquePointer {
        let object = unsafe OBJ_txt2obj(item.oid.description, 1)
        defer { unsafe ASN1_OBJECT_free(object) }
        let value = unsafe ASN1_OCTET_STRING_new()
        defer { unsafe ASN1_OCTET_STRING_free(value) }
        guard unsafe ASN1_OCTET_STRING_set(value, item.value, Int32(item.value.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(
                nil, object, item.isCritical ? 1 : 0, value)
        else { throw CryptoError.draining(.internalFailure, "the extension \(item.oid)") }
        return unsafe made
    }

    static func with(
        _ item: Certificate.Extension, _ body: (OpaquePointer) -> Int32
    ) throws(CryptoError) {
        let made = try unsafe make(item)
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe body(made) == 1 else {
            throw CryptoError.draining(.internalFailure, "the extension \(item.oid)")
        }
    }

    /// The digest to hand to X509_sign: none for EdDSA.
    static func signingDigest(
        _ key: PrivateKey, _ digest: DigestAlgorithm
    ) throws(CryptoError) -> OpaquePointer? {
        guard let scheme = key.algorithm.scheme(digest: digest) else {
            throw CryptoError(.unsupportedAlgorithm, "a key of type \(key.algorithm) cannot sign")
        }
        guard let digest = scheme.digest else { return nil }
        guard digest.isWritable else {
            throw CryptoError(
                .invalidParameter, "\(digest.displayName) is no longer used for signatures")
        }
        return unsafe try FetchedDigest.get(digest)
    }
}
