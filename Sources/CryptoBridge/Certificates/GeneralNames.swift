internal import Base

/// GeneralNames (RFC 5280 §4.2.1.6) as text such as `email:a@b`.
package enum GeneralNames {
    static let nameLimit = 256

    /// The names in an encoded extension value.
    static func text(_ der: [UInt8]) -> [String] {
        guard var reader = ASN1Reader.single(der[...], .definite)?.reader else { return [] }
        var names: [String] = []
        while names.count < nameLimit, let name = reader.next() {
            let ascii = String(decoding: name.content, as: UTF8.self)
            switch name.tag {
            case 0x81: names.append("email:\(ascii)")
            case 0x82: names.append("dns:\(ascii)")
            case 0x86: names.append("uri:\(ascii)")
            case 0x87: names.append("ip:\(address(Array(name.content)))")
            case 0xA4:
                if let dn = try? DistinguishedName(der: Array(name.content)) {
                    names.append("dn:\(dn)")
                }
            default: break
            }
        }
        return names
    }

    /// One encoded name; nil for a kind without a text form.
    package static func text(name der: [UInt8]) -> String? { text(DERWriter.sequence([der])).first }

    /// The extension value of names written `email:a@b`, `dns:x`, `ip:1.2.3.4`, `uri:…`.
    package static func encode(_ names: [String]) throws(CryptoError) -> [UInt8] {
        var parts: [[UInt8]] = []
        for name in names {
            guard let colon = name.firstIndex(of: ":") else {
                throw CryptoError(
                    .malformedName, "expected email:, dns:, ip: or uri: in \"\(name)\"")
            }
            let kind = name[..<colon].lowercased()
            let value = String(name[name.index(after: colon)...])
            guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CryptoError(.malformedName, "\"\(name)\" must be ASCII without spaces")
            }
            let bytes = Array(value.utf8)
            switch kind {
            case "email": parts.append(DERWriter.element(ASN1Tag.primitiveContext(1), bytes))
            case "dns":
                guard isHostName(value) else {
                    throw CryptoError(.malformedName, "\"\(value)\" is not a host name")
                }
                parts.append(DERWriter.element(ASN1Tag.primitiveContext(2), bytes))
            case "uri": parts.append(DERWriter.element(ASN1Tag.primitiveContext(6), bytes))
            case "ip":
                guard let address = parseAddress(value) else {
                    throw CryptoError(.malformedName, "\"\(value)\" is not an IP address")
                }
                parts.append(DERWriter.element(ASN1Tag.primitiveContext(7), address))
            default:
                throw CryptoError(.malformedName, "\"\(kind)\" is not one of email, dns, ip, uri")
            }
        }
        return DERWriter.sequence(parts)
    }

    /// Whether the name has labels of letters, digits, hyphens (RFC 1123 §2.1) and underscores; the
    /// first label may be a star.
    private static func isHostName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
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
                // "::" gives one empty part inside, two at an end.
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
