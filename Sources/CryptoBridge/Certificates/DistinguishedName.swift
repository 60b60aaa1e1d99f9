package import Base

/// An X.501 name, as encoded and as RFC 4514 text.
///
///     Name ::= SEQUENCE OF SET OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }
package struct DistinguishedName: Hashable, Sendable, CustomStringConvertible {
    /// One type and value.
    package struct Attribute: Hashable, Sendable {
        package let type: OID
        /// The value's text; nil if it is not a character string.
        package let text: String?
        /// The value's DER.
        package let valueDER: [UInt8]
    }

    /// The name's DER; two names are identical when these are. See ``isSame(as:)``.
    package let der: [UInt8]
    /// Relative names in encoded order, most significant first.
    package let relativeNames: [[Attribute]]

    static let attributeLimit = 256

    package static func == (a: DistinguishedName, b: DistinguishedName) -> Bool { a.der == b.der }
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }

    package init(der: [UInt8]) throws(CryptoError) {
        guard let name = ASN1Reader.single(der[...], .definite), name.tag == ASN1Tag.sequence else {
            throw CryptoError(.malformedName, "not an encoded distinguished name")
        }
        var relativeNames: [[Attribute]] = []
        var count = 0
        var reader = name.reader
        while !reader.isAtEnd {
            guard var set = reader.next(ASN1Tag.set)?.reader, !set.isAtEnd else {
                throw CryptoError(.malformedName, "a malformed distinguished name")
            }
            var attributes: [Attribute] = []
            while !set.isAtEnd {
                guard var pair = set.next(ASN1Tag.sequence)?.reader,
                    let type = pair.next()?.objectIdentifier, let value = pair.next(), pair.isAtEnd
                else { throw CryptoError(.malformedName, "a malformed distinguished name") }
                count += 1
                guard count <= DistinguishedName.attributeLimit else {
                    throw CryptoError(.limitExceeded, "a name of over \(count - 1) attributes")
                }
                attributes.append(
                    Attribute(
                        type: type, text: DistinguishedName.text(value.tag, value.content),
                        valueDER: Array(value.whole)))
            }
            relativeNames.append(attributes)
        }
        self.der = der
        self.relativeNames = relativeNames
    }

    /// Whether both are the same name by RFC 5280 §7.1: string types, case and spaces are ignored.
    package func isSame(as other: DistinguishedName) -> Bool { Self.areSame(der, other.der) }

    /// Whether two encoded names are the same by RFC 5280 §7.1.
    package static func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a == b || CanonicalName.fold(a[...]) == CanonicalName.fold(b[...])
    }

    /// All values of a type, most significant first.
    package func values(ofType type: OID) -> [String] {
        relativeNames.joined().filter { $0.type == type }.compactMap(\.text)
    }

    /// The most specific common name.
    package var commonName: String? { values(ofType: .commonName).last }

    /// The holder's name: the common name, else given name and surname, else pseudonym,
    /// organization, unit or mail address, else an alternative name, else a number or account; nil
    /// without any of them.
    ///
    /// - Parameter names: the subject alternative names, see ``GeneralNames``.
    package func holder(alternatives names: [String] = []) -> String? {
        func last(_ type: OID) -> String? {
            values(ofType: type).last { $0.contains { !$0.isWhitespace } }
        }
        let person = [last(.givenName), last(.surname)].compactMap { $0 }.joined(separator: " ")
        let directoryName = GeneralNames.first(of: ["dn:"], in: names)
            .flatMap { try? DistinguishedName(rfc4514: $0) }
        let candidates: [String?] = [
            last(.commonName), person.isEmpty ? nil : person, last(.pseudonym),
            last(.organization), last(.organizationalUnit), last(.emailAddress),
            GeneralNames.first(of: ["email:", "upn:", "dns:", "uri:"], in: names),
            last(.serialNumber), last(.userID), directoryName?.holder(),
            GeneralNames.first(of: ["ip:"], in: names),
        ]
        return candidates.lazy.compactMap(\.self).first
    }

    /// Values longer than RFC 5280 A.1 permits, one sentence each.
    package var overlongValues: [String] {
        relativeNames.joined().compactMap { attribute in
            guard let text = attribute.text, let limit = AttributeType.limit(of: attribute.type),
                text.unicodeScalars.count > limit,
                let name = AttributeType.shortName(of: attribute.type)
            else { return nil }
            return "\(name) has \(text.unicodeScalars.count) characters, more than the \(limit) of "
                + "RFC 5280; many certification authorities reject it"
        }
    }

    /// The holder's name, else the whole name.
    package var shortText: String { holder() ?? description }

    /// RFC 4514 text, most specific first; characters beyond ASCII are not escaped.
    package var description: String {
        relativeNames.reversed().map { attributes in
            attributes.map(\.rfc4514).joined(separator: "+")
        }.joined(separator: ",")
    }

    /// Decodes the directory string types.
    static func text(_ tag: UInt8, _ content: ArraySlice<UInt8>) -> String? {
        switch tag {
        case 0x0C, 0x12, 0x13, 0x16, 0x1A: return String(validating: content, as: UTF8.self)
        // T.61 in practice is Latin-1.
        case 0x14: return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        case 0x1E:
            guard content.count % 2 == 0 else { return nil }
            let start = content.startIndex
            let units = (0..<content.count / 2).map {
                UInt16(content[start + $0 * 2]) << 8 | UInt16(content[start + $0 * 2 + 1])
            }
            return String(validating: units, as: UTF16.self)
        case 0x1C:
            guard content.count % 4 == 0 else { return nil }
            let start = content.startIndex
            var scalars = String.UnicodeScalarView()
            for index in stride(from: start, to: content.endIndex, by: 4) {
                let value = content[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                guard let scalar = Unicode.Scalar(value) else { return nil }
                scalars.append(scalar)
            }
            return String(scalars)
        default: return nil
        }
    }
}

extension DistinguishedName.Attribute {
    /// `CN=value` with RFC 4514 §2.4 escapes; `1.2.3=#hex` for other types and values.
    var rfc4514: String {
        guard let name = AttributeType.shortName(of: type), let text else {
            let hex = valueDER.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
            return "\(AttributeType.shortName(of: type) ?? type.description)=#\(hex)"
        }
        return "\(name)=\(DistinguishedName.escape(text))"
    }
}

extension DistinguishedName {
    /// Escapes a value so that it reads back as itself, control characters as `\0A`.
    package static func escape(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case ",", "+", "\"", "\\", "<", ">", ";": result += "\\\(scalar)"
            case "#" where index == 0: result += "\\#"
            case " " where index == 0 || index == scalars.count - 1: result += "\\ "
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += scalar.value < 16 ? "\\0\(digits)" : "\\\(digits)"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}

/// Attribute types with names (RFC 4514 §3, RFC 4519, and OpenSSL's names).
package enum AttributeType {
    private static let table: [(name: String, oid: OID)] = [
        ("CN", .commonName), ("L", .locality), ("ST", .state), ("O", .organization),
        ("OU", .organizationalUnit), ("C", .country), ("STREET", .street),
        ("DC", .domainComponent), ("UID", .userID),
        ("SN", .surname), ("serialNumber", .serialNumber), ("title", .title),
        ("telephoneNumber", .telephoneNumber),
        ("postalCode", .postalCode), ("givenName", .givenName), ("initials", .initials),
        ("generationQualifier", .generationQualifier), ("dnQualifier", .dnQualifier),
        ("pseudonym", .pseudonym), ("organizationIdentifier", .organizationIdentifier),
        ("businessCategory", .businessCategory), ("description", .descriptionAttribute),
        ("name", .name),
        ("emailAddress", .emailAddress),
        ("jurisdictionC", .jurisdictionCountry),
    ]

    package static var names: [String] { table.map(\.name) }

    static func shortName(of oid: OID) -> String? { table.first { $0.oid == oid }?.name }

    /// The identifier of a short name (any case) or of dotted text, `OID.` allowed before it.
    static func oid(of name: String) -> OID? {
        let folded = name.lowercased()
        switch folded {
        case "e", "email": return .emailAddress
        case "s": return .state
        case "surname": return .surname
        case "gn": return .givenName
        default: break
        }
        if let known = table.first(where: { $0.name.lowercased() == folded }) { return known.oid }
        let dotted = folded.hasPrefix("oid.") ? String(folded.dropFirst(4)) : folded
        return OID(dotted)
    }

    /// The most characters of a value (RFC 5280 A.1, ub-common-name and others).
    static func limit(of oid: OID) -> Int? {
        switch oid {
        case .commonName, .organization, .organizationalUnit, .title, .serialNumber: 64
        case .locality, .state, .pseudonym: 128
        case .emailAddress: 255
        default: nil
        }
    }

    /// C, serialNumber, dnQualifier, jurisdictionC and telephoneNumber are PrintableString by
    /// definition (X.520); email is IA5String (RFC 2985), as is DC (RFC 4519).
    static func stringTag(of oid: OID) -> UInt8 {
        switch oid {
        case .country, .serialNumber, .dnQualifier, .jurisdictionCountry, .telephoneNumber:
            ASN1Tag.printableString
        case .emailAddress, .domainComponent: ASN1Tag.ia5String
        default: ASN1Tag.utf8String
        }
    }
}
