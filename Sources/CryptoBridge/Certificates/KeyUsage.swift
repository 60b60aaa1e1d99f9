package import Base

/// The keyUsage extension (RFC 5280 §4.2.1.3).
package struct KeyUsage: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    package static let nonRepudiation = KeyUsage(rawValue: 1 << 1)
    package static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
    package static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    package static let cRLSign = KeyUsage(rawValue: 1 << 6)

    package static let nameTable = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment",
        "keyAgreement", "keyCertSign", "cRLSign", "encipherOnly", "decipherOnly",
    ]

    /// One usage by its name; `contentCommitment` is X.509's newer name of nonRepudiation.
    package init?(name: String) {
        let folded = name.lowercased()
        if folded == "contentcommitment" {
            self = .nonRepudiation
            return
        }
        guard let bit = KeyUsage.nameTable.firstIndex(where: { $0.lowercased() == folded }) else {
            return nil
        }
        self = KeyUsage(rawValue: 1 << UInt16(bit))
    }

    /// Names of the usages set, in the order of their bits.
    package var names: [String] {
        KeyUsage.nameTable.indices.filter { rawValue & 1 << UInt16($0) != 0 }
            .map { KeyUsage.nameTable[$0] }
    }

    /// From the content of the BIT STRING: unused count, then bits from the left.
    init?(bitString: ArraySlice<UInt8>) {
        guard let unused = bitString.first, unused < 8 else { return nil }
        var value: UInt16 = 0
        for (index, byte) in bitString.dropFirst().prefix(2).enumerated() {
            for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 && index * 8 + bit < 9 {
                value |= 1 << UInt16(index * 8 + bit)
            }
        }
        self.init(rawValue: value)
    }

    /// A DER BIT STRING without trailing zero bits (X.690 §11.2.2).
    var der: [UInt8] {
        var bytes: [UInt8] = [0, 0]
        var last = -1
        for bit in 0..<9 where rawValue & 1 << UInt16(bit) != 0 {
            bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
            last = bit
        }
        guard last >= 0 else { return DERWriter.element(ASN1Tag.bitString, [0]) }
        let used = Array(bytes.prefix(last / 8 + 1))
        return DERWriter.element(ASN1Tag.bitString, [UInt8(7 - last % 8)] + used)
    }
}

package enum ExtendedKeyUsage {
    package static let names: [(name: String, oid: OID)] = [
        ("documentSigning", .documentSigning), ("emailProtection", .emailProtection),
        ("timeStamping", .timeStamping), ("OCSPSigning", .ocspSigning),
        ("serverAuth", .serverAuth), ("clientAuth", .clientAuth), ("codeSigning", .codeSigning),
        ("anyExtendedKeyUsage", .anyExtendedKeyUsage),
        ("adobeAuthenticDocuments", .adobeAuthenticDocuments),
        ("msDocumentSigning", .microsoftDocumentSigning),
    ]

    /// The name of an identifier, or the identifier itself.
    package static func name(of oid: OID) -> String {
        names.first { $0.oid == oid }?.name ?? oid.description
    }

    /// The identifier of a name (any case) or dotted text; nil for neither.
    package static func oid(named name: String) -> OID? {
        let folded = name.lowercased()
        if let known = names.first(where: { $0.name.lowercased() == folded }) { return known.oid }
        return OID(name)
    }
}
