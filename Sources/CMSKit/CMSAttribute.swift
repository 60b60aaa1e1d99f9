package import Base

/// A signed or unsigned attribute.
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
        // A closure, since making a key path costs a twenty-fifth of a small verification.
        values = try set.rest(limit: CMSLimits.attributeValueCount).map { $0.bytes }
        try reader.end()
    }

    var encoded: [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(oid), DERWriter.setOf(values))
    }

    /// signing-time: UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5652 §11.3).
    package static func signingTime(_ time: CalendarTime) -> CMSAttribute {
        CMSAttribute(oid: .signingTime, values: [ASN1Time.encode(time)])
    }

    /// Whether `content` is the DER of signed attributes. Such content may be forged: a signature over
    /// signed attributes stays valid if they are removed and presented as the content.
    package static func areEncoded(in content: [UInt8]) -> Bool {
        guard let node = ASN1Node.parse(content, .der),
            var reader = try? NodeReader(node, ASN1Tag.set, ""),
            let children = try? reader.rest(limit: CMSLimits.attributeCount)
        else { return false }
        return children.contains { (try? CMSAttribute($0))?.oid == .messageDigest }
    }
}

extension [CMSAttribute] {
    /// All attributes of a type; a valid message has at most one.
    package func all(_ oid: OID) -> [CMSAttribute] { filter { $0.oid == oid } }

    package func values(_ oid: OID) -> [[UInt8]] { all(oid).flatMap(\.values) }
}
