internal import Base
import CryptoBridge
package import PDFCore

/// One constraint on the signature of a field.
package struct ListedConstraint: Sendable {
    /// `filter`, `format`, `digest`, `reason`, `certification`, `timestamp`, `signer`, ...
    package let kind: String
    /// The permitted values.
    package let values: [String]
    /// Whether it is mandatory; otherwise it is recommended.
    package let isMandatory: Bool
}

extension SeedValue {
    /// Maximum number of listed values of one kind, and maximum length of a value in characters.
    private static let valueLimit = (count: 64, length: 256)

    /// All constraints of the dictionary, including those that no signature could meet.
    package func listed() throws -> [ListedConstraint] {
        var found: [ListedConstraint] = []
        func add(_ kind: String, values: [String], isMandatory: Bool) {
            found.append(
                ListedConstraint(
                    kind: kind,
                    values: values.prefix(Self.valueLimit.count)
                        .map { String($0.prefix(Self.valueLimit.length)) },
                    isMandatory: isMandatory))
        }
        let lists: [(PDFName, String, Flag)] = [
            ("Filter", "filter", .filter), ("SubFilter", "format", .subFilter),
            ("DigestMethod", "digest", .digestMethod), ("V", "version", .version),
            ("LegalAttestation", "legal-attestation", .legalAttestation),
            ("LockDocument", "lock-document", .lockDocument),
            ("AppearanceFilter", "appearance", .appearanceFilter),
        ]
        for (key, kind, flag) in lists where dictionary[key] != nil {
            add(kind, values: try texts(key), isMandatory: isMandatory(flag))
        }
        if dictionary["Reasons"] != nil || isMandatory(.reasons) {
            let reasons = try texts("Reasons")
            // An empty list, or a single period, forbids a reason (Table 237).
            add(
                "reason", values: reasons == ["."] ? [] : reasons,
                isMandatory: isMandatory(.reasons))
        }
        if try ![.null, .boolean(false)].contains(value("AddRevInfo")) {
            add("revocation-information", values: [], isMandatory: isMandatory(.revocationInfo))
        }
        if let mdp = try value("MDP").dictionaryValue {
            let p = try document.value(mdp, "P").integerValue
            let value =
                p.map { $0 == 0 ? "none" : DocMDPPermission(p: $0)?.rawValue ?? "P=\($0)" }
                ?? Self.unreadable
            add("certification", values: [value], isMandatory: true)
        }
        if let timestamp = try value("TimeStamp").dictionaryValue {
            let address = try document.value(timestamp, "URL")
            add(
                "timestamp", values: [Self.text(address)].compactMap { $0 },
                isMandatory: try Self.flags(of: timestamp, in: document) & 1 == 1)
        }
        if let constraints = try value("Cert").dictionaryValue {
            try addCertificate(constraints, add)
        }
        return found
    }

    private func addCertificate(
        _ constraints: PDFDictionary, _ add: (String, [String], Bool) -> Void
    ) throws {
        let flags = try Self.flags(of: constraints, in: document)
        let kinds: [(PDFName, String, CertificateFlag)] = [
            ("Subject", "signer", .subject), ("Issuer", "issuer", .issuer),
            ("OID", "certificate-policy", .oid), ("SubjectDN", "subject", .subjectDN),
            ("KeyUsage", "certificate-usage", .keyUsage), ("URL", "certificate-source", .url),
        ]
        for (key, kind, flag) in kinds where constraints[key] != nil {
            let entries = try list(document.value(constraints, key)).prefix(Self.valueLimit.count)
            let values = try entries.map { entry in
                if let names = entry.dictionaryValue { return try self.names(names) }
                guard key == "Subject" || key == "Issuer", let der = entry.stringValue else {
                    return Self.text(entry) ?? Self.unreadable
                }
                return (try? Certificate(der: der))?.subject.description ?? Self.unreadable
            }
            add(kind, values, flags & flag.bit != 0)
        }
    }

    /// The attributes of a name as text: `CN=Jan Novák,C=CZ`.
    package func names(_ names: PDFDictionary) throws -> String {
        try names.keys.prefix(Self.valueLimit.count).map { key in
            "\(key)=\(try Self.text(document.value(names, key)) ?? Self.unreadable)"
        }.joined(separator: ",")
    }

    package static let unreadable = "unreadable"

    package static func text(_ object: PDFObject) -> String? {
        object.nameValue?.description
            ?? object.stringValue.map { PDFString(bytes: $0, isHexadecimal: false).text }
            ?? object.numberValue.map {
                String(decoding: PDFWriter.bytes(.real(PDFReal($0))), as: UTF8.self)
            }
    }
}
