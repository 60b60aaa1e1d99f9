/// What a certificate is for, and the extensions that say so.
package enum CertificateProfile: String, CaseIterable, Sendable {
    case signer, tsa, ocsp, ca

    var keyUsage: KeyUsage {
        switch self {
        case .signer: [.digitalSignature, .nonRepudiation]
        case .tsa, .ocsp: [.digitalSignature]
        case .ca: [.keyCertSign, .cRLSign]
        }
    }

    /// A signer gets documentSigning (RFC 9336) and emailProtection, since validators older than
    /// that RFC know only the latter.
    package var extendedKeyUsage: [String] {
        switch self {
        case .signer: [ExtendedKeyUsage.documentSigning, ExtendedKeyUsage.emailProtection]
        case .tsa: [ExtendedKeyUsage.timeStamping]
        case .ocsp: [ExtendedKeyUsage.ocspSigning]
        case .ca: []
        }
    }

    /// RFC 3161 §2.3: a TSA's extended key usage is critical.
    var isExtendedKeyUsageCritical: Bool { self == .tsa }
}

/// Extensions to be written.
struct ExtensionSet {
    private(set) var list: [Certificate.Extension] = []

    mutating func add(_ oid: String, critical: Bool = false, _ value: [UInt8]) {
        list.append(Certificate.Extension(oid: oid, isCritical: critical, value: value))
    }

    mutating func addBasicConstraints(isCA: Bool, pathLength: Int?) {
        var parts: [[UInt8]] = []
        if isCA { parts.append(DERWriter.element(DERTag.boolean, [0xFF])) }
        if isCA, let pathLength, (0...127).contains(pathLength) {
            parts.append(DERWriter.element(DERTag.integer, [UInt8(pathLength)]))
        }
        add(Certificate.ExtensionID.basicConstraints, critical: true, DERWriter.sequence(parts))
    }

    mutating func addKeyUsage(_ usage: KeyUsage) {
        guard !usage.isEmpty else { return }
        add(Certificate.ExtensionID.keyUsage, critical: true, usage.der)
    }

    mutating func addExtendedKeyUsage(
        _ usages: [String], critical: Bool
    ) throws(CryptoError) {
        guard !usages.isEmpty else { return }
        var parts: [[UInt8]] = []
        for usage in usages {
            guard let oid = DERWriter.objectIdentifier(usage) else {
                throw CryptoError(.invalidParameter, "\"\(usage)\" is no object identifier")
            }
            parts.append(oid)
        }
        add(
            Certificate.ExtensionID.extendedKeyUsage, critical: critical,
            DERWriter.sequence(parts))
    }

    mutating func addSubjectKeyIdentifier(_ identifier: [UInt8]) {
        add(
            Certificate.ExtensionID.subjectKeyIdentifier,
            DERWriter.element(DERTag.octetString, identifier))
    }

    mutating func addAuthorityKeyIdentifier(_ identifier: [UInt8]) {
        add(
            Certificate.ExtensionID.authorityKeyIdentifier,
            DERWriter.sequence([DERWriter.element(0x80, identifier)]))
    }

    mutating func addAlternativeNames(_ names: [String]) throws(CryptoError) {
        guard !names.isEmpty else { return }
        add(Certificate.ExtensionID.subjectAltName, try GeneralNames.encode(names))
    }
}
