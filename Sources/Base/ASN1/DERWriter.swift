/// Writes DER, one complete element at a time.
package enum DERWriter {
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        element(tag, of: [content])
    }

    /// - Parameter parts: parts of the content, in sequence.
    package static func element(_ tag: UInt8, of parts: [[UInt8]]) -> [UInt8] {
        let count = parts.reduce(0) { $0 + $1.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + headerByteLimit)
        bytes += head(tag, contentByteCount: count)
        for part in parts { bytes += part }
        return bytes
    }

    /// Tag and length of an element.
    package static func head(_ tag: UInt8, contentByteCount count: Int) -> [UInt8] {
        var bytes = [tag]
        if count < 0x80 {
            bytes.append(UInt8(count))
        } else {
            let lengthByteCount = (count.bitWidth - count.leadingZeroBitCount + 7) / 8
            bytes.append(0x80 | UInt8(lengthByteCount))
            for index in (0..<lengthByteCount).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index)))
            }
        }
        return bytes
    }

    /// Maximum byte count of tag and length.
    private static let headerByteLimit = 2 + MemoryLayout<Int>.size

    package static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        element(ASN1Tag.sequence, of: parts)
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { sequence(parts) }

    /// A SET OF, with its elements sorted as DER requires (X.690 §11.6).
    ///
    /// - Parameter tag: replaces SET for implicit tagging.
    package static func setOf(_ parts: [[UInt8]], tag: UInt8 = ASN1Tag.set) -> [UInt8] {
        element(tag, of: parts.sorted { $0.lexicographicallyPrecedes($1) })
    }

    package static func octets(_ content: [UInt8]) -> [UInt8] {
        element(ASN1Tag.octetString, content)
    }

    /// A PrintableString, which allows letters, digits and few other characters.
    package static func printable(_ text: String) -> [UInt8] {
        element(ASN1Tag.printableString, Array(text.utf8))
    }

    /// - Parameter tag: replaces INTEGER for implicit tagging.
    package static func integer(_ value: Int, tag: UInt8 = ASN1Tag.integer) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        // Two's complement: the first bit is the sign.
        repeat {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while !(rest == 0 && bytes[0] < 0x80 || rest == -1 && bytes[0] >= 0x80)
        return element(tag, bytes)
    }

    /// An INTEGER that is not negative, most significant byte first.
    package static func unsigned(_ bytes: [UInt8]) -> [UInt8] {
        element(ASN1Tag.integer, unsignedContent(bytes))
    }

    /// The content of an INTEGER that is not negative.
    package static func unsignedContent(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return digits.first.map { $0 < 0x80 ? digits : [0] + digits } ?? [0]
    }

    /// BOOLEAN TRUE. DER omits a value equal to its default (X.690 §11.5).
    package static let yes: [UInt8] = [0x01, 0x01, 0xFF]

    package static let null: [UInt8] = [0x05, 0x00]

    package static func objectIdentifier(_ identifier: OID) -> [UInt8] {
        element(ASN1Tag.objectIdentifier, identifier.content)
    }
}
