package import Base

/// The content of a new certificate. The signing key may be in memory, on a token or at a
/// service.
package struct CertificateBuilder: Sendable {
    package var subject: DistinguishedName
    package var publicKey: PublicKey
    package var notBefore: CalendarTime
    package var notAfter: CalendarTime
    package var profile: CertificateProfile
    /// `email:a@b`, `dns:x`, `ip:…`, `uri:…`.
    package var alternativeNames: [String] = []
    package var pathLength: Int?
    /// Replaces the key usage of the profile.
    package var keyUsage: KeyUsage?
    /// Replaces the extended key usage of the profile.
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

    private func extensions(authorityKeyIdentifier: [UInt8]) throws(CryptoError) -> ExtensionSet {
        var set = ExtensionSet()
        set.addBasicConstraints(isCA: profile == .ca, pathLength: pathLength)
        set.addKeyUsage(keyUsage ?? profile.keyUsage)
        set.addExtendedKeyUsage(
            extendedKeyUsage ?? profile.extendedKeyUsage,
            critical: profile == .tsa /* RFC 3161 §2.3 */)
        set.addSubjectKeyIdentifier(try publicKey.keyIdentifier())
        set.addAuthorityKeyIdentifier(authorityKeyIdentifier)
        try set.addAlternativeNames(alternativeNames)
        if profile == .ocsp {
            // id-pkix-ocsp-nocheck (RFC 6960 §4.2.2.2.1): its own revocation is not checked.
            set.add(.ocspNoCheck, DERWriter.null)
        }
        return set
    }

    /// 159 random bits, never zero: positive in 20 bytes (RFC 5280 §4.1.2.2).
    private static func randomSerial() throws(CryptoError) -> [UInt8] {
        var serial = try RandomBytes.generate(20)
        serial[0] = serial[0] & 0x7F | 0x40
        return serial
    }

    /// The TBSCertificate (RFC 5280 §4.1).
    ///
    /// - Parameter signatureAlgorithm: DER of its AlgorithmIdentifier.
    package func toBeSigned(
        issuer: DistinguishedName, authorityKeyIdentifier: [UInt8], signatureAlgorithm: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard notBefore <= notAfter else {
            throw CryptoError(.invalidParameter, "the validity ends before it begins")
        }
        let serial: [UInt8]
        if let given = serialNumber { serial = given } else { serial = try Self.randomSerial() }
        guard let first = serial.first, serial.count <= 20, first < 0x80,
            serial.contains(where: { $0 != 0 })
        else {
            throw CryptoError(
                .invalidParameter, "a serial number must be positive, with at most 20 bytes")
        }
        let extensions = try extensions(authorityKeyIdentifier: authorityKeyIdentifier)
        return DERWriter.sequence([
            // Version 3 is written as 2.
            DERWriter.element(ASN1Tag.context(0), DERWriter.integer(2)),
            DERWriter.unsigned(serial), signatureAlgorithm, issuer.der,
            DERWriter.sequence(ASN1Time.encode(notBefore), ASN1Time.encode(notAfter)),
            subject.der, publicKey.spkiDER,
            DERWriter.element(ASN1Tag.context(3), extensions.der),
        ])
    }
}

/// A structure of body, algorithm and signature, like certificates, CSRs and CRLs.
package enum SignedStructure {
    /// - Parameters:
    ///   - body: DER of the signed part.
    ///   - algorithm: DER of its AlgorithmIdentifier.
    package static func der(_ body: [UInt8], algorithm: [UInt8], signature: [UInt8]) -> [UInt8] {
        DERWriter.sequence([
            body, algorithm, DERWriter.element(ASN1Tag.bitString, [0] + signature),
        ])
    }
}
