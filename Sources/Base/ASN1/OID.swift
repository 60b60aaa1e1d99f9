/// An object identifier.
@usableFromInline package struct OID: Sendable, Hashable, CustomStringConvertible {
    /// `1.2.840.113549`.
    @usableFromInline package let description: String

    /// Maximum number of arcs; no identifier in use has more.
    @usableFromInline static let arcLimit = 64
    /// Maximum number of bits in an arc. UUIDs under 2.25 have more and are rejected.
    private static let arcBitLimit = 56

    init(known: String) { description = known }

    /// Nil if the text is not a dotted identifier.
    package init?(_ dotted: some StringProtocol) {
        guard OID.encode(dotted.utf8) != nil else { return nil }
        description = String(dotted)
    }

    /// Reads the content bytes of an OBJECT IDENTIFIER (X.690 §8.19); nil if they are malformed.
    @inlinable package init?(content: some Collection<UInt8>) {
        // The rest is not generic, so that it is compiled only once. Content of the maximum length
        // is rejected there.
        self.init(contentBytes: Array(content.prefix(OID.arcLimit)))
    }

    @usableFromInline init?(contentBytes content: [UInt8]) {
        // The first number encodes two arcs (X.690 §8.19.4).
        guard !content.isEmpty, content.count < OID.arcLimit else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(3 * content.count + 2)
        var value: UInt64 = 0
        var isFirst = true
        var inArc = false
        for byte in content {
            guard inArc || byte != 0x80, value < 1 << (OID.arcBitLimit - 7) else { return nil }
            value = value << 7 | UInt64(byte & 0x7F)
            inArc = byte & 0x80 != 0
            if inArc { continue }
            if isFirst {
                let root = min(value / 40, 2)
                OID.append(root, to: &text)
                value -= root * 40
                isFirst = false
            }
            text.append(OID.dot)
            OID.append(value, to: &text)
            value = 0
        }
        guard !inArc else { return nil }
        description = String(decoding: text, as: UTF8.self)
    }

    private static let dot = UInt8(ascii: ".")

    private static func append(_ value: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = value
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        if text.count - start > 1 { text[start...].reverse() }
    }

    /// The content bytes of an OBJECT IDENTIFIER (X.690 §8.19).
    package var content: [UInt8] { OID.encode(description.utf8) ?? [] }

    /// Nil if the text is not a dotted identifier.
    private static func encode(_ dotted: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (arcCount, root): (Int, UInt64) = (0, 0)
        /// Value of the current arc; nil before its first digit.
        var arc: UInt64?
        func append(_ value: UInt64) {
            for shift in stride(from: 56, to: 0, by: -7) where value >> UInt64(shift) > 0 {
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)) | 0x80)
            }
            bytes.append(UInt8(value & 0x7F))
        }
        /// Ends the current arc; false if it is invalid.
        func end() -> Bool {
            guard let value = arc, arcCount < arcLimit else { return false }
            switch arcCount {
            case 0:
                guard value <= 2 else { return false }
                root = value
            case 1:
                guard root == 2 ? value + 80 < 1 << arcBitLimit : value < 40 else { return false }
                append(root * 40 + value)
            default: append(value)
            }
            (arc, arcCount) = (nil, arcCount + 1)
            return true
        }
        for character in dotted {
            switch character {
            case dot: guard end() else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // Leading zeros are not allowed.
                guard arc != 0 else { return nil }
                let value = (arc ?? 0) * 10 + UInt64(character - UInt8(ascii: "0"))
                guard value < 1 << arcBitLimit else { return nil }
                arc = value
            default: return nil
            }
        }
        return end() && arcCount >= 2 ? bytes : nil
    }
}
