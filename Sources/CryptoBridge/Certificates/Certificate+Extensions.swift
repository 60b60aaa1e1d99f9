internal import COpenSSL

extension Certificate {
    /// Extensions with names, by identifier.
    enum ExtensionID {
        static let subjectKeyIdentifier = "2.5.29.14"
        static let keyUsage = "2.5.29.15"
        static let subjectAltName = "2.5.29.17"
        static let basicConstraints = "2.5.29.19"
        static let authorityKeyIdentifier = "2.5.29.35"
        static let extendedKeyUsage = "2.5.29.37"
    }

    /// One extension as it stands in the certificate.
    package struct Extension: Sendable, Equatable {
        package let oid: String
        package let isCritical: Bool
        /// The DER inside the OCTET STRING.
        package let value: [UInt8]
    }

    /// All extensions, in order.
    package var extensions: [Extension] {
        guard let range = extensionRange else { return [] }
        var reader = DERReader(der[range])
        var extensions: [Extension] = []
        while var fields = reader.next(DERTag.sequence)?.reader {
            guard let oid = fields.next()?.objectIdentifier else { continue }
            let isCritical = fields.next(DERTag.boolean).map { $0.content.first != 0 } ?? false
            guard let value = fields.next(DERTag.octetString) else { continue }
            extensions.append(
                Extension(oid: oid, isCritical: isCritical, value: Array(value.content)))
        }
        return extensions
    }

    /// An extension's value; nil when absent or present twice (RFC 5280 §4.2 forbids it).
    package func extensionValue(_ oid: String) -> [UInt8]? {
        let found = extensions.filter { $0.oid == oid }
        return found.count == 1 ? found[0].value : nil
    }

    private func element(_ oid: String, _ tag: UInt8) -> DERElement<ArraySlice<UInt8>>? {
        guard let value = extensionValue(oid), let element = DERReader.single(value[...]),
            element.tag == tag
        else { return nil }
        return element
    }

    /// Nil when the certificate does not restrict usage; empty when the extension is damaged.
    package var keyUsage: KeyUsage? {
        guard extensions.contains(where: { $0.oid == ExtensionID.keyUsage }) else { return nil }
        return element(ExtensionID.keyUsage, DERTag.bitString)
            .flatMap { KeyUsage(bitString: $0.content) } ?? []
    }

    /// Identifiers; nil when the extension is absent, empty when it is damaged.
    package var extendedKeyUsage: [String]? {
        guard extensions.contains(where: { $0.oid == ExtensionID.extendedKeyUsage }) else {
            return nil
        }
        guard var reader = element(ExtensionID.extendedKeyUsage, DERTag.sequence)?.reader else {
            return []
        }
        var usages: [String] = []
        while let usage = reader.next() {
            guard let oid = usage.objectIdentifier else { return [] }
            usages.append(oid)
        }
        return usages
    }

    /// Whether the extendedKeyUsage extension, if there is one, is critical.
    package var isExtendedKeyUsageCritical: Bool {
        extensions.contains { $0.oid == ExtensionID.extendedKeyUsage && $0.isCritical }
    }

    /// basicConstraints says cA TRUE.
    package var isCA: Bool { basicConstraints.isCA }

    /// Intermediate certificates allowed below this one; nil when unlimited.
    package var pathLength: Int? { basicConstraints.pathLength }

    private var basicConstraints: (isCA: Bool, pathLength: Int?) {
        guard var reader = element(ExtensionID.basicConstraints, DERTag.sequence)?.reader else {
            return (false, nil)
        }
        let isCA = reader.next(DERTag.boolean).map { $0.content.first != 0 } ?? false
        return (isCA, reader.next(DERTag.integer)?.smallInteger)
    }

    /// The identifier's bytes; nil when absent.
    package var subjectKeyIdentifier: [UInt8]? {
        element(ExtensionID.subjectKeyIdentifier, DERTag.octetString).map { Array($0.content) }
    }

    /// The issuer's key identifier; nil when absent.
    package var authorityKeyIdentifier: [UInt8]? {
        guard var reader = element(ExtensionID.authorityKeyIdentifier, DERTag.sequence)?.reader
        else { return nil }
        return reader.next(0x80).map { Array($0.content) }
    }

    /// Alternative names as `email:…`, `dns:…`, `ip:…`, `uri:…`, `dn:…`; others are left out.
    package var subjectAlternativeNames: [String] {
        extensionValue(ExtensionID.subjectAltName).map(GeneralNames.text) ?? []
    }
}

extension Certificate.Extension {
    /// Copies out of an X509_EXTENSION; nil when its identifier is too odd to write.
    init?(borrowing pointer: OpaquePointer) {
        guard let object = unsafe X509_EXTENSION_get_object(pointer),
            let data = unsafe X509_EXTENSION_get_data(pointer)
        else { return nil }
        let count = unsafe OBJ_length(object)
        guard let bytes = unsafe OBJ_get0_data(object),
            let oid = OID.dotted(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        else { return nil }
        self.oid = oid
        isCritical = unsafe X509_EXTENSION_get_critical(pointer) == 1
        unsafe value = Array(
            UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}
