package import ASN1Kit
package import ByteKit

/// One attribute, signed or not.
///
///     Attribute ::= SEQUENCE { attrType OBJECT IDENTIFIER, attrValues SET OF ANY }
package struct CMSAttribute: Sendable, Equatable {
    package let oid: OID
    /// DER of each value.
    package let values: [[UInt8]]

    package init(oid: OID, values: [[UInt8]]) {
        self.oid = oid
        self.values = values
    }

    init(_ node: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "an attribute")
        oid = try reader.next().objectIdentifier("an attribute's type")
        var set = try NodeReader(try reader.next(), ASN1Tag.set, "an attribute's values")
        values = try set.rest(limit: CMSLimits.attributeValueCount).map(\.bytes)
        try reader.end()
    }

    var encoded: [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(oid), DERWriter.setOf(values))
    }

    /// signing-time: UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5652 §11.3).
    package static func signingTime(_ time: CalendarTime) -> CMSAttribute {
        CMSAttribute(oid: .signingTime, values: [CMSTime.encode(time)])
    }
}

extension CMSAttribute {
    /// Whether `content` is the DER of signed attributes: then a signature over it may have been
    /// made over another content, and the attributes been stripped.
    package static func areEncoded(in content: [UInt8]) -> Bool {
        guard let node = ASN1Node.parse(content, .der),
            var reader = try? NodeReader(node, ASN1Tag.set, ""),
            let children = try? reader.rest(limit: CMSLimits.attributeCount)
        else { return false }
        return children.contains { (try? CMSAttribute($0))?.oid == .messageDigest }
    }
}

extension [CMSAttribute] {
    /// All attributes of a type, of which a sound message has at most one.
    package func all(_ oid: OID) -> [CMSAttribute] { filter { $0.oid == oid } }

    /// The values of the type's attributes together.
    package func values(_ oid: OID) -> [[UInt8]] { all(oid).flatMap(\.values) }
}

/// Time ::= CHOICE { utcTime, generalizedTime } without fractions, in Z.
enum CMSTime {
    static func encode(_ time: CalendarTime) -> [UInt8] {
        func two(_ value: Int) -> [UInt8] {
            [UInt8(0x30 + value / 10 % 10), UInt8(0x30 + value % 10)]
        }
        let rest =
            two(time.month) + two(time.day) + two(time.hour) + two(time.minute)
            + two(time.second) + [0x5A]
        if (1950...2049).contains(time.year) {
            return DERWriter.element(ASN1Tag.utcTime, two(time.year % 100) + rest)
        }
        return DERWriter.element(
            ASN1Tag.generalizedTime, two(time.year / 100) + two(time.year % 100) + rest)
    }

    static func decode(_ der: [UInt8]) -> CalendarTime? {
        guard let node = ASN1Node.parse(der, .der) else { return nil }
        let content = node.content
        let digits = content.dropLast().compactMap {
            (0x30...0x39).contains($0) ? Int($0) - 0x30 : nil
        }
        guard content.last == 0x5A, digits.count == content.count - 1 else { return nil }
        func two(_ index: Int) -> Int { digits[index] * 10 + digits[index + 1] }
        let year: Int
        let start: Int
        switch (node.tag, digits.count) {
        case (ASN1Tag.utcTime, 12):
            year = two(0) < 50 ? 2000 + two(0) : 1900 + two(0)
            start = 2
        case (ASN1Tag.generalizedTime, 14):
            year = two(0) * 100 + two(2)
            start = 4
        default: return nil
        }
        return CalendarTime(
            year: year, month: two(start), day: two(start + 2), hour: two(start + 4),
            minute: two(start + 6), second: two(start + 8))
    }
}
