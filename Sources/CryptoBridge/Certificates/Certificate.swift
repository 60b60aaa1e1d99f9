package import Base
internal import COpenSSL
internal import Synchronization

/// An X.509 certificate (RFC 5280). Parsing does not make it trusted.
///
/// Its fields are read from the bytes. OpenSSL parses it only if a key or a chain is needed, since
/// that takes a millisecond for each certificate.
@safe
package final class Certificate: Sendable, Hashable {
    private let loaded = Mutex<LoadedX509?>(nil)
    private let fields: CertificateFields
    /// The certificate's bytes.
    package let der: [UInt8]
    /// The subject's name in a form in which equal names are equal bytes (RFC 5280 §7.1).
    package let canonicalSubject: [UInt8]
    /// The issuer's name in the same form.
    package let canonicalIssuer: [UInt8]

    /// Larger certificates are rejected.
    package static let byteLimit = 262_144

    /// One certificate and nothing after it.
    package init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= Certificate.byteLimit else {
            throw CryptoError(
                .limitExceeded,
                "a certificate of \(der.count) bytes, over \(Certificate.byteLimit)")
        }
        guard let fields = CertificateFields(der) else {
            throw CryptoError(.malformedCertificate, "not a certificate")
        }
        self.fields = fields
        self.der = der
        canonicalSubject = CanonicalName.fold(der[fields.subject])
        canonicalIssuer = CanonicalName.fold(der[fields.issuer])
    }

    /// OpenSSL's structure, borrowed: it lives as long as the certificate.
    func x509() throws(CryptoError) -> OpaquePointer { unsafe try parsed().pointer }

    private func parsed() throws(CryptoError) -> LoadedX509 {
        let parsed = loaded.withLock { known -> LoadedX509? in
            if known == nil { known = LoadedX509.of(der) }
            return known
        }
        return try OpenSSL.require(parsed, "not a certificate", .malformedCertificate)
    }

    package static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }

    package var subjectDER: [UInt8] { Array(der[fields.subject]) }
    package var issuerDER: [UInt8] { Array(der[fields.issuer]) }
    var extensionRange: Range<Int>? { fields.extensions }
    package var spkiDER: [UInt8] { Array(der[fields.publicKey]) }

    package var subject: DistinguishedName { Certificate.name(subjectDER) }
    package var issuer: DistinguishedName { Certificate.name(issuerDER) }

    /// Parses a name. A name that the parser rejects is shown as empty.
    private static func name(_ der: [UInt8]) -> DistinguishedName {
        (try? DistinguishedName(der: der)) ?? .empty
    }

    /// The holder's name for people: from the subject, else the first mail address or other
    /// alternative name.
    package var displayName: String {
        let whole = subject.description
        return subject.holder(alternatives: subjectAlternativeNames)
            ?? (whole.isEmpty ? "certificate \(serialHex)" : whole)
    }

    /// The serial number as a complete DER INTEGER.
    package var serialDER: [UInt8] { Array(der[fields.serial]) }

    /// The serial number in lower-case hex, `-` before a negative one, no superfluous zeros.
    package var serialHex: String { DERInteger.hex(der[fields.serialContent]) }

    /// Start of validity; an unreadable time means that the certificate never becomes valid.
    package var notBefore: CalendarTime { fields.notBefore ?? .distantFuture }

    /// End of validity, inclusive; an unreadable time means that the certificate has expired.
    package var notAfter: CalendarTime { fields.notAfter ?? .distantPast }

    package func isValid(at time: CalendarTime) -> Bool { notBefore <= time && time <= notAfter }

    package func certifies(_ key: PublicKey) -> Bool {
        // Equal bytes are equal keys; different bytes may be another encoding of the same key.
        spkiDER == key.spkiDER || (try? publicKey) == key
    }

    /// See ``PublicKey/identity``; the encoded key if it is not supported.
    package var keyIdentity: [UInt8] { (try? publicKey.identity) ?? spkiDER }

    package var publicKey: PublicKey { get throws(CryptoError) { try loadPublicKey() } }

    private func loadPublicKey() throws(CryptoError) -> PublicKey {
        // If OpenSSL rejects the certificate, its key is still readable, but no path with it is valid.
        guard let pointer = unsafe try? x509() else { return try PublicKey(spkiDER: spkiDER) }
        // The certificate still owns the pointer (get0).
        let found = unsafe X509_get0_pubkey(pointer)
        if unsafe found == nil { try PublicKey.refuseUnsupported(spkiDER) }
        let key = try unsafe OpenSSL.require(
            found, "the certificate's public key is not supported", .unsupportedAlgorithm)
        if unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC {
            try PublicKey.refuseExplicitCurve(spkiDER)
        }
        try OpenSSL.require(unsafe EVP_PKEY_up_ref(key) == 1, "key reference")
        return PublicKey(unsafe try KeyHandle(takingOwnership: key))
    }

    /// 1, 2 or 3.
    package var version: Int { fields.version }

    /// `sha256WithRSAEncryption`, or dotted text.
    package var signatureAlgorithmName: String {
        signatureAlgorithmOID.map(Certificate.signatureName) ?? "unknown"
    }

    /// OpenSSL's name of an algorithm, or the identifier itself.
    static func signatureName(_ oid: OID) -> String {
        if let name = QuantumSafeAlgorithm.name(of: oid) { return name }
        let nid = unsafe OBJ_txt2nid(oid.description)
        guard nid != NID_undef, let name = unsafe OBJ_nid2ln(nid) else { return oid.description }
        return unsafe String(cString: name)
    }

    /// OpenSSL's short name of an algorithm, or the identifier itself.
    static func shortName(_ oid: OID) -> String {
        let nid = unsafe OBJ_txt2nid(oid.description)
        guard nid != NID_undef, let name = unsafe OBJ_nid2sn(nid) else { return oid.description }
        return unsafe String(cString: name)
    }

    /// The digest of the issuer's signature; nil for algorithms without one (EdDSA,
    /// ML-DSA, SLH-DSA) and for unknown ones.
    package var signatureDigest: DigestAlgorithm? {
        var digest: Int32 = 0
        guard let pointer = unsafe try? x509(),
            unsafe X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1,
            digest != NID_undef, let name = unsafe OBJ_nid2sn(digest)
        else { return nil }
        return DigestAlgorithm(name: unsafe String(cString: name))
    }

    /// Name and OID of the first critical extension that OpenSSL does not support: such a
    /// certificate must be rejected (RFC 5280 §4.2). Nil if it supports all.
    package var unsupportedCriticalExtension: String? {
        let usual: Set<OID> = [.keyUsage, .basicConstraints, .extendedKeyUsage]
        guard extensions.contains(where: { $0.isCritical && !usual.contains($0.oid) }),
            let pointer = unsafe try? x509()
        else { return nil }
        for index in 0..<(unsafe X509_get_ext_count(pointer)) {
            let item = unsafe X509_get_ext(pointer, index)
            guard unsafe X509_EXTENSION_get_critical(item) == 1,
                unsafe X509_supported_extension(item) == 0
            else { continue }
            let oid = extensions[Int(index)].oid
            let name = Self.shortName(oid)
            return name == oid.description ? name : "\(name) (\(oid))"
        }
        return nil
    }

    private var signatureAlgorithmOID: OID? {
        var algorithm = ASN1Reader.single(der[fields.signatureAlgorithm], .definite)?.reader
        return algorithm?.next()?.objectIdentifier
    }

    /// SHA-256 of the whole certificate, its fingerprint.
    package var sha256: [UInt8] { get throws(CryptoError) { try DigestAlgorithm.sha256.hash(der) } }

    /// Whether subject and issuer are the same name.
    package var isSelfIssued: Bool { canonicalSubject == canonicalIssuer }

    package var isSelfSigned: Bool {
        guard isSelfIssued, let parsed = try? parsed() else { return false }
        return parsed.isSelfSigned
    }

    /// Whether the other certificate's issuer is this subject; keys are not compared.
    package func isNamedAsIssuer(of other: Certificate) -> Bool {
        canonicalSubject == other.canonicalIssuer
    }

    /// Whether an encoded name is this certificate's issuer (RFC 5280 §7.1).
    package func isIssued(by name: [UInt8]) -> Bool {
        name == issuerDER || CanonicalName.fold(name[...]) == canonicalIssuer
    }

    /// Whether `issuer`'s key made this certificate's signature; trust is not checked.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard let pointer = unsafe try? x509(), let issuerPointer = unsafe try? issuer.x509(),
            let key = unsafe X509_get0_pubkey(issuerPointer)
        else { return false }
        let result = unsafe X509_verify(pointer, key)
        ERR_clear_error()
        return result == 1
    }

    package var pem: [UInt8] { PEMWriter.write("CERTIFICATE", der) }
}

/// A certificate parsed by OpenSSL. Equal bytes are parsed once: in a batch most files contain the
/// same certificates.
@safe
private final class LoadedX509: @unchecked Sendable {
    // Sendable: an X509 is not changed after loading; OpenSSL guards its caches with locks.
    let pointer: OpaquePointer
    private let der: [UInt8]
    private let selfSigned = Mutex<Bool?>(nil)

    /// The most recently used entries, the newest last.
    private static let recent = Mutex<[LoadedX509]>([])
    private static let recentCount = 32
    /// Larger certificates are not cached.
    private static let keptByteCount = 16_384

    private init(_ pointer: OpaquePointer, _ der: [UInt8]) {
        unsafe self.pointer = unsafe pointer
        self.der = der
    }

    deinit { unsafe X509_free(pointer) }

    static func of(_ der: [UInt8]) -> LoadedX509? {
        guard der.count <= keptByteCount else { return parse(der) }
        let known = recent.withLock { recent -> LoadedX509? in
            guard let place = recent.lastIndex(where: { $0.der == der }) else { return nil }
            let known = recent.remove(at: place)
            recent.append(known)
            return known
        }
        if let known { return known }
        guard let made = parse(der) else { return nil }
        recent.withLock { recent in
            if recent.count == recentCount { recent.removeFirst() }
            recent.append(made)
        }
        return made
    }

    private static func parse(_ der: [UInt8]) -> LoadedX509? {
        OpenSSL.prepare()
        let parsed = unsafe OpenSSL.parse(der, freeing: X509_free) { unsafe d2i_X509(nil, $0, $1) }
        return unsafe parsed.map { unsafe LoadedX509($0, der) }
    }

    var isSelfSigned: Bool {
        selfSigned.withLock { known in
            let answer = known ?? (unsafe X509_self_signed(pointer, 1) == 1)
            known = answer
            return answer
        }
    }
}

extension CalendarTime {
    /// Replacements for unreadable times, so that no certificate is valid with them.
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
