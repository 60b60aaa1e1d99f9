package import Base

extension CertificateProfile {
    var keyUsage: KeyUsage {
        switch self {
        case .signer: [.digitalSignature, .nonRepudiation]
        case .tsa, .ocsp: [.digitalSignature]
        case .ca: [.keyCertSign, .cRLSign]
        }
    }

    /// A signer gets documentSigning (RFC 9336) and emailProtection, since validators older than
    /// that RFC know only the latter.
    package var extendedKeyUsage: [OID] {
        switch self {
        case .signer: [.documentSigning, .emailProtection]
        case .tsa: [.timeStamping]
        case .ocsp: [.ocspSigning]
        case .ca: []
        }
    }
}

struct ExtensionSet {
    private var list: [[UInt8]] = []

    /// Extensions ::= SEQUENCE OF SEQUENCE { extnID, critical DEFAULT FALSE, OCTET STRING }
    var der: [UInt8] { DERWriter.sequence(list) }

    mutating func add(_ oid: OID, critical: Bool = false, _ value: [UInt8]) {
        list.append(
            DERWriter.sequence(
                DERWriter.objectIdentifier(oid), critical ? DERWriter.yes : [],
                DERWriter.octets(value)))
    }

    mutating func addBasicConstraints(isCA: Bool, pathLength: Int?) {
        var parts: [[UInt8]] = []
        if isCA { parts.append(DERWriter.yes) }
        if isCA, let pathLength, (0...127).contains(pathLength) {
            parts.append(DERWriter.element(ASN1Tag.integer, [UInt8(pathLength)]))
        }
        add(.basicConstraints, critical: true, DERWriter.sequence(parts))
    }

    mutating func addKeyUsage(_ usage: KeyUsage) {
        guard !usage.isEmpty else { return }
        add(.keyUsage, critical: true, usage.der)
    }

    mutating func addExtendedKeyUsage(_ usages: [OID], critical: Bool) {
        guard !usages.isEmpty else { return }
        add(
            .extendedKeyUsage, critical: critical,
            DERWriter.sequence(usages.map(DERWriter.objectIdentifier)))
    }

    mutating func addSubjectKeyIdentifier(_ identifier: [UInt8]) {
        add(.subjectKeyIdentifier, DERWriter.octets(identifier))
    }

    mutating func addAuthorityKeyIdentifier(_ identifier: [UInt8]) {
        add(
            .authorityKeyIdentifier,
            DERWriter.sequence(DERWriter.element(ASN1Tag.primitiveContext(0), identifier)))
    }

    mutating func addAlternativeNames(_ names: [String]) throws(CryptoError) {
        guard !names.isEmpty else { return }
        add(.subjectAltName, try GeneralNames.encode(names))
    }
}
