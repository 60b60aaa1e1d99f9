internal import Base

extension DistinguishedName {
    /// Longest value accepted; X.520 allows 64 for most types, but real names exceed it.
    static let valueByteLimit = 1024

    /// Reads RFC 4514 text, most specific first: `CN=Jan Novák,O=Firma,C=CZ`. Values may hold
    /// escapes (`\,`, `\2C`), `#` with the hex of an encoded value, or, as in RFC 2253, quotes;
    /// `+` joins a relative name of several attributes.
    package init(rfc4514 text: String) throws(CryptoError) {
        // A country has two letters.
        let isCountryFirst = text.uppercased().hasPrefix("C=") && text.dropFirst(4).hasPrefix("/")
        if text.hasPrefix("/") || isCountryFirst {
            // OpenSSL writes the country first or last; RFC 4514 begins with the common name.
            var parts = text.split(separator: "/")
            if parts.first?.hasPrefix("CN=") != true { parts.reverse() }
            throw CryptoError(
                .malformedName,
                "this is the form of OpenSSL; write it with commas: " + parts.joined(separator: ",")
            )
        }
        var parser = NameParser(Array(text.utf8))
        var names: [[[UInt8]]] = []
        if !parser.isAtEnd {
            repeat {
                var attributes: [[UInt8]] = []
                repeat { attributes.append(try parser.attribute()) } while parser.skip(0x2B)
                names.append(attributes)
            } while parser.skip(0x2C) || parser.skip(0x3B)
            guard parser.isAtEnd else { throw parser.error("unexpected text") }
        }
        try self.init(der: DERWriter.sequence(names.reversed().map { DERWriter.setOf($0) }))
    }
}

/// A cursor over the text of a name.
private struct NameParser {
    private let bytes: [UInt8]
    private var position = 0

    /// Bytes of the rest in error messages.
    private static let quotedCount = 24

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpaces()
    }

    var isAtEnd: Bool { position == bytes.count }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String) -> CryptoError {
        let rest = String(decoding: bytes[position...].prefix(Self.quotedCount), as: UTF8.self)
        return CryptoError(.malformedName, rest.isEmpty ? reason : "\(reason), before '\(rest)'")
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() { while skip(0x20) {} }

    /// One `type=value`, as the DER of AttributeTypeAndValue.
    mutating func attribute() throws(CryptoError) -> [UInt8] {
        skipSpaces()
        let start = position
        while let byte = current, byte != 0x3D, byte != 0x2C, byte != 0x2B { position += 1 }
        let written = String(decoding: bytes[start..<position], as: UTF8.self)
        let name = String(written.reversed().drop { $0 == " " }.reversed())
        guard !name.isEmpty, skip(0x3D) else {
            throw CryptoError(
                .malformedName,
                name.isEmpty
                    ? "a part without a type such as CN="
                    : "'\(name)' has no type such as CN=")
        }
        guard let oid = AttributeType.oid(of: name) else {
            throw error("unknown attribute type \"\(name)\"")
        }
        let type = DERWriter.objectIdentifier(oid)
        skipSpaces()
        if skip(0x23) {
            let der = try hexValue()
            guard ASN1Reader.single(der[...], .definite) != nil else {
                throw error("#… is not DER")
            }
            return DERWriter.sequence([type, der])
        }
        let value = try skip(0x22) ? quotedValue() : plainValue()
        return DERWriter.sequence([type, try encode(value, oid: oid, name: name)])
    }

    private func encode(_ value: [UInt8], oid: OID, name: String) throws(CryptoError) -> [UInt8] {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw error("\(name) is not UTF-8")
        }
        guard !value.isEmpty else { throw error("\(name) is empty") }
        guard value.count <= DistinguishedName.valueByteLimit else {
            throw error("\(name) is longer than \(DistinguishedName.valueByteLimit) bytes")
        }
        let tag = AttributeType.stringTag(of: oid)
        if oid == .country, text.unicodeScalars.count != 2 {
            throw error("C must be a country code of two letters, such as C=CZ")
        }
        if tag == ASN1Tag.printableString, !value.allSatisfy(isPrintable) {
            throw error("\(name) allows only letters, digits, space and '()+,-./:=?")
        }
        if tag == ASN1Tag.ia5String, !value.allSatisfy({ $0 < 0x80 }) {
            throw error("\(name) allows only ASCII")
        }
        return DERWriter.element(tag, value)
    }

    private mutating func hexValue() throws(CryptoError) -> [UInt8] {
        var value: [UInt8] = []
        while let high = current.flatMap(hexDigit) {
            position += 1
            guard let low = current.flatMap(hexDigit) else { throw error("odd hex digits") }
            position += 1
            value.append(high << 4 | low)
        }
        skipSpaces()
        return value
    }

    private mutating func quotedValue() throws(CryptoError) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = current, byte != 0x22 {
            position += 1
            value.append(byte == 0x5C ? try escaped() : byte)
        }
        guard skip(0x22) else { throw error("a quotation mark is missing") }
        skipSpaces()
        return value
    }

    private mutating func plainValue() throws(CryptoError) -> [UInt8] {
        var value: [UInt8] = []
        // Trailing spaces are kept only if escaped.
        var significantCount = 0
        while let byte = current, byte != 0x2C, byte != 0x2B, byte != 0x3B {
            position += 1
            if byte == 0x5C {
                value.append(try escaped())
                significantCount = value.count
            } else {
                if byte == 0x22 || byte == 0x3C || byte == 0x3E || byte == 0 {
                    throw error("this character needs a backslash before it")
                }
                value.append(byte)
                if byte != 0x20 { significantCount = value.count }
            }
        }
        value.removeSubrange(significantCount...)
        return value
    }

    private mutating func escaped() throws(CryptoError) -> UInt8 {
        guard let byte = current else { throw error("a lone backslash") }
        position += 1
        if let high = hexDigit(byte), let low = current.flatMap(hexDigit) {
            position += 1
            return high << 4 | low
        }
        guard " \"#+,;<=>\\".utf8.contains(byte) else { throw error("unknown escape") }
        return byte
    }

    private func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private func isPrintable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: " '()+,-./:=?".utf8.contains(byte)
        }
    }
}
