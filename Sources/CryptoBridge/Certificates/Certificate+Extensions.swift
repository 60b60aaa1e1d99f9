package import Base
internal import COpenSSL

extension Certificate {
    package struct Extension: Sendable, Equatable {
        package let oid: OID
        package let isCritical: Bool
        /// The DER inside the OCTET STRING.
        package let value: [UInt8]
    }

    package var extensions: [Extension] {
        guard let range = extensionRange else { return [] }
        var reader = ASN1Reader(der[range], .definite)
        var extensions: [Extension] = []
        while var fields = reader.next(ASN1Tag.sequence)?.reader {
            guard let oid = fields.next()?.objectIdentifier else { continue }
            let isCritical = fields.next(ASN1Tag.boolean).map { $0.content.first != 0 } ?? false
            guard let value = fields.next(ASN1Tag.octetString) else { continue }
            extensions.append(
                Extension(oid: oid, isCritical: isCritical, value: Array(value.content)))
        }
        return extensions
    }

    /// An extension's value; nil when absent or present twice (RFC 5280 §4.2 forbids it).
    package func extensionValue(_ oid: OID) -> [UInt8]? {
        let found = extensions.filter { $0.oid == oid }
        return found.count == 1 ? found[0].value : nil
    }

    private func element(_ oid: OID, tag: UInt8) -> ASN1Node? {
        guard let value = extensionValue(oid),
            let element = ASN1Reader.single(value[...], .definite), element.tag == tag
        else { return nil }
        return element
    }

    /// Nil when the certificate does not restrict usage; empty when the extension is damaged.
    package var keyUsage: KeyUsage? {
        guard extensions.contains(where: { $0.oid == OID.keyUsage }) else { return nil }
        return element(OID.keyUsage, tag: ASN1Tag.bitString)
            .flatMap { KeyUsage(bitString: $0.content) } ?? []
    }

    /// Nil when the extension is absent, empty when it is damaged.
    package var extendedKeyUsage: [OID]? {
        guard extensions.contains(where: { $0.oid == OID.extendedKeyUsage }) else { return nil }
        guard var reader = element(OID.extendedKeyUsage, tag: ASN1Tag.sequence)?.reader else {
            return []
        }
        var usages: [OID] = []
        while let usage = reader.next() {
            guard let oid = usage.objectIdentifier else { return [] }
            usages.append(oid)
        }
        return usages
    }

    package var isExtendedKeyUsageCritical: Bool {
        extensions.contains { $0.oid == OID.extendedKeyUsage && $0.isCritical }
    }

    /// Whether basicConstraints contains cA TRUE.
    package var isCA: Bool { basicConstraints.isCA }

    /// Intermediate certificates allowed below this one; nil when unlimited.
    package var pathLength: Int? { basicConstraints.pathLength }

    private var basicConstraints: (isCA: Bool, pathLength: Int?) {
        guard var reader = element(OID.basicConstraints, tag: ASN1Tag.sequence)?.reader else {
            return (false, nil)
        }
        let isCA = reader.next(ASN1Tag.boolean).map { $0.content.first != 0 } ?? false
        return (isCA, reader.next(ASN1Tag.integer)?.smallInteger)
    }

    /// The identifier's bytes; nil when absent, damaged or present twice.
    package var subjectKeyIdentifier: [UInt8]? {
        element(OID.subjectKeyIdentifier, tag: ASN1Tag.octetString).map { Array($0.content) }
    }

    /// Alternative names as text, see ``GeneralNames``.
    package var subjectAlternativeNames: [String] {
        extensionValue(OID.subjectAltName).map(GeneralNames.text) ?? []
    }

    /// The Microsoft certificate template, see ``CertificateTemplate``.
    package var template: String? { CertificateTemplate.name(in: extensions) }
}

/// The certificate template of Microsoft's certification authorities ([MS-WCCE] §2.2.2.7.7).
enum CertificateTemplate {
    /// The name of the template, else its object identifier; nil without one.
    static func name(in extensions: [Certificate.Extension]) -> String? {
        func value(_ oid: OID) -> ASN1Node? {
            extensions.first { $0.oid == oid }
                .flatMap { ASN1Reader.single($0.value[...], .definite) }
        }
        if let name = value(.certificateTemplateName) {
            return DistinguishedName.text(name.tag, name.content)
        }
        var fields = value(.certificateTemplate)?.reader
        return fields?.next()?.objectIdentifier?.description
    }
}

extension Certificate.Extension {
    /// Copies an X509_EXTENSION; nil if its object identifier cannot be encoded.
    init?(borrowing pointer: OpaquePointer) {
        guard let object = unsafe X509_EXTENSION_get_object(pointer),
            let data = unsafe X509_EXTENSION_get_data(pointer)
        else { return nil }
        let count = unsafe OBJ_length(object)
        guard let bytes = unsafe OBJ_get0_data(object),
            let oid = OID(content: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        else { return nil }
        self.oid = oid
        isCritical = unsafe X509_EXTENSION_get_critical(pointer) == 1
        unsafe value = Array(
            UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}
