internal import Base

/// GeneralNames (RFC 5280 §4.2.1.6) as text such as `email:a@b`.
package enum GeneralNames {
    static let nameLimit = 256

    /// Kinds of names that can be written. `dn` is another word for `dirname`.
    package static let kinds = ["email", "dns", "ip", "uri", "upn", "rid", "dirname", "dn"]

    /// The value of the first name of the first of these kinds, such as `email:`.
    static func first(of kinds: [String], in names: [String]) -> String? {
        kinds.lazy.compactMap { kind in
            names.first { $0.hasPrefix(kind) && $0.count > kind.count }
                .map { String($0.dropFirst(kind.count)) }
        }.first
    }

    /// The names in an encoded extension value. Other names are `other:OID:hex`, and names
    /// without a text form a word and the hex of their content.
    static func text(_ der: [UInt8]) -> [String] {
        guard var reader = ASN1Reader.single(der[...], .definite)?.reader else { return [] }
        var names: [String] = []
        while names.count < nameLimit, let name = reader.next() { names.append(text(name)) }
        return names
    }

    private static func text(_ name: ASN1Node) -> String {
        let ascii = String(decoding: name.content, as: UTF8.self)
        switch name.tag {
        case 0x81: return "email:\(ascii)"
        case 0x82: return "dns:\(ascii)"
        case 0x86: return "uri:\(ascii)"
        case 0x87: return "ip:\(address(Array(name.content)))"
        case 0x88: if let oid = OID(content: Array(name.content)) { return "rid:\(oid)" }
        case 0xA0: if let other = otherName(name) { return other }
        case 0xA4:
            if let dn = try? DistinguishedName(der: Array(name.content)) { return "dn:\(dn)" }
        default: break
        }
        let word = ["other", "email", "dns", "x400", "dn", "ediparty", "uri", "ip", "rid"]
        let number = Int(name.tag & 0x1F)
        return (number < word.count ? word[number] : "name") + ":\(Hex.encode(Array(name.content)))"
    }

    /// OtherName ::= SEQUENCE { type-id OBJECT IDENTIFIER, value [0] EXPLICIT ANY }
    private static func otherName(_ name: ASN1Node) -> String? {
        var fields = name.reader
        guard let type = fields.next()?.objectIdentifier,
            let wrapped = fields.next(ASN1Tag.context(0)),
            let value = ASN1Reader.single(wrapped.content, .definite)
        else { return nil }
        if type == .userPrincipalName,
            let text = DistinguishedName.text(value.tag, value.content)
        {
            return "upn:\(text)"
        }
        return "other:\(type):\(Hex.encode(Array(value.whole)))"
    }

    /// One encoded name.
    package static func text(name der: [UInt8]) -> String {
        ASN1Reader.single(der[...], .definite).map(text) ?? ""
    }

    /// The DER of the Name in a directoryName; nil for other kinds.
    package static func directoryName(_ der: [UInt8]) -> [UInt8]? {
        guard let name = ASN1Reader.single(der[...], .definite), name.tag == ASN1Tag.context(4)
        else { return nil }
        return Array(name.content)
    }

    /// The extension value of names of the ``kinds``, such as `email:a@b`.
    package static func encode(_ names: [String]) throws(CryptoError) -> [UInt8] {
        var parts: [[UInt8]] = []
        for name in names { parts.append(try encode(name)) }
        return DERWriter.sequence(parts)
    }

    private static func encode(_ name: String) throws(CryptoError) -> [UInt8] {
        let colon = name.firstIndex(of: ":") ?? name.startIndex
        let kind = name[..<colon].lowercased()
        guard kinds.contains(kind) else {
            throw CryptoError(
                .malformedName,
                "\"\(name)\" does not begin with email:, dns:, ip:, uri:, upn:, "
                    + "rid: or dirname:")
        }
        let value = String(name[name.index(after: colon)...])
        func check(_ isValid: Bool, what: String) throws(CryptoError) {
            guard isValid else { throw CryptoError(.malformedName, "\"\(value)\" is not \(what)") }
        }
        let isASCII = value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let bytes = Array(value.utf8)
        switch kind {
        case "email":
            try check(
                isASCII && isAddress(value),
                what: "a mail address of ASCII characters, such as jan@example.com")
            return DERWriter.element(ASN1Tag.primitiveContext(1), bytes)
        case "dns":
            try check(
                isHostName(value),
                what: "a host name, such as www.b.cz or *.b.cz; for an IP address, use ip:")
            return DERWriter.element(ASN1Tag.primitiveContext(2), bytes)
        case "uri":
            try check(
                isASCII && isURI(value), what: "a URI of ASCII characters, such as https://b.cz/a")
            return DERWriter.element(ASN1Tag.primitiveContext(6), bytes)
        case "ip":
            let address = parseAddress(value)
            try check(address != nil, what: "an IP address")
            return DERWriter.element(ASN1Tag.primitiveContext(7), address ?? [])
        case "upn":
            try check(isAccount(value), what: "a user principal name, such as jan@firma.local")
            let text = DERWriter.element(ASN1Tag.utf8String, bytes)
            return DERWriter.element(
                ASN1Tag.context(0),
                DERWriter.objectIdentifier(.userPrincipalName)
                    + DERWriter.element(ASN1Tag.context(0), text))
        case "rid":
            let oid = OID(value)
            try check(oid != nil, what: "an object identifier, such as 1.2.3.4")
            return oid.map { DERWriter.element(ASN1Tag.primitiveContext(8), $0.content) } ?? []
        default:
            let dn = try DistinguishedName(rfc4514: value)
            try check(!dn.relativeNames.isEmpty, what: "a name, such as CN=Jan,C=CZ")
            return DERWriter.element(ASN1Tag.context(4), dn.der)
        }
    }

    /// Whether the text is `local-part@domain` (RFC 5321 §4.1.2) with a host name as domain.
    private static func isAddress(_ text: String) -> Bool {
        guard let at = text.lastIndex(of: "@") else { return false }
        let local = text[..<at]
        let special = "()<>[]:;@\\,\""
        let isQuoted = local.count > 2 && local.first == "\"" && local.last == "\""
        let isPlain =
            !local.isEmpty && !local.contains(where: special.contains)
            && !local.split(separator: ".", omittingEmptySubsequences: false).contains("")
        return (isQuoted || isPlain) && local.utf8.count <= 64
            && isHostName(String(text[text.index(after: at)...])) && !text.hasSuffix("@*")
    }

    /// Whether the text is `user@realm`, each without spaces and control characters.
    private static func isAccount(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts.contains("")
            && !text.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control || $0 == ","
            }
    }

    /// Whether the text is an absolute URI (RFC 3986 §3), with a host if it has an authority
    /// (RFC 5280 §4.2.1.6).
    private static func isURI(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first,
            (0x41...0x5A).contains(first & 0xDF)
        else { return false }
        let isScheme = text[..<colon].utf8.allSatisfy {
            (0x41...0x5A).contains($0 & 0xDF) || (0x30...0x39).contains($0)
                || "+-.".utf8.contains($0)
        }
        let rest = text[text.index(after: colon)...]
        let hasHost =
            !rest.hasPrefix("//")
            || !(rest.dropFirst(2).first.map { "/?#".contains($0) } ?? true)
        return isScheme && !rest.isEmpty && hasHost
            && !rest.contains(where: "<>\"{}|\\^`".contains)
    }

    /// Whether the name has labels of letters, digits, hyphens (RFC 1123 §2.1) and underscores; the
    /// first label may be a star. The last is not a number, as in IP addresses.
    private static func isHostName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.last?.allSatisfy(\.isNumber) == false
            && labels.enumerated().allSatisfy { index, label in
                (1...63).contains(label.utf8.count)
                    && (index == 0 && label == "*" && labels.count > 1
                        || label.utf8.allSatisfy { byte in
                            switch byte {
                            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                            default: false
                            }
                        })
            }
    }

    private static func address(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        guard bytes.count == 16 else { return "?" }
        return stride(from: 0, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }.joined(separator: ":")
    }

    private static func parseAddress(_ text: String) -> [UInt8]? {
        if !text.contains(":") {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let bytes = parts.compactMap { $0.count <= 3 ? UInt8($0) : nil }
            return parts.count == 4 && bytes.count == 4 ? bytes : nil
        }
        var groups: [UInt16] = []
        var gap: Int?
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                // Splitting at `:` turns `::` into one empty part in the middle, or two parts at
                // either end.
                if index == 0 || index == parts.count - 1 { continue }
                guard gap == nil else { return nil }
                gap = groups.count
            } else {
                guard part.count <= 4, let group = UInt16(part, radix: 16) else { return nil }
                groups.append(group)
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: [UInt16](repeating: 0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        return groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
