/// One element of a DER or definite-length BER encoding.
struct DERElement<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int, Bytes.SubSequence == Bytes {
    let tag: UInt8
    let content: Bytes
    /// Tag, length and content.
    let whole: Bytes

    /// A reader over the content of a constructed element.
    var reader: DERReader<Bytes> { DERReader(content) }

    /// The dotted form of an OBJECT IDENTIFIER; nil for another tag or a damaged one.
    var objectIdentifier: String? { tag == DERTag.objectIdentifier ? OID.dotted(content) : nil }

    /// A non-negative INTEGER that fits; nil otherwise.
    var smallInteger: Int? {
        guard tag == DERTag.integer, let first = content.first, first < 0x80, content.count <= 8
        else { return nil }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Reads the elements of one level, never recursing, never beyond its bytes.
///
/// Serves the few structures that the bridge looks into itself. Tags of one byte and definite
/// lengths of at most four bytes; anything else ends the reading with nil.
struct DERReader<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int, Bytes.SubSequence == Bytes {
    private(set) var rest: Bytes

    init(_ bytes: Bytes) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() -> DERElement<Bytes>? {
        let start = rest.startIndex
        let end = rest.endIndex
        guard end - start >= 2, rest[start] & 0x1F != 0x1F else { return nil }
        var position = start + 2
        var count = Int(rest[start + 1])
        if count == 0x80 || count > 0x84 { return nil }
        if count > 0x80 {
            let lengthByteCount = count - 0x80
            guard end - position >= lengthByteCount else { return nil }
            count = 0
            for _ in 0..<lengthByteCount {
                count = count << 8 | Int(rest[position])
                position += 1
            }
        }
        guard end - position >= count else { return nil }
        let element = DERElement(
            tag: rest[start], content: rest[position..<position + count],
            whole: rest[start..<position + count])
        rest = rest[(position + count)...]
        return element
    }

    /// The next element if it has the tag; otherwise nothing is read.
    mutating func next(_ tag: UInt8) -> DERElement<Bytes>? {
        guard rest.first == tag else { return nil }
        return next()
    }

    /// The only element of `bytes`, with nothing after it.
    static func single(_ bytes: Bytes) -> DERElement<Bytes>? {
        var reader = DERReader(bytes)
        guard let element = reader.next(), reader.isAtEnd else { return nil }
        return element
    }
}

enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let printableString: UInt8 = 0x13
    static let ia5String: UInt8 = 0x16
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
}

/// Writes DER, whole element by whole element.
package enum DERWriter {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { element(tag, of: [content]) }

    /// - Parameter parts: what stands in the element, one behind the other.
    package static func element(_ tag: UInt8, of parts: [[UInt8]]) -> [UInt8] {
        let count = parts.reduce(0) { $0 + $1.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + headerByteLimit)
        bytes.append(tag)
        if count < 0x80 {
            bytes.append(UInt8(count))
        } else {
            let lengthByteCount = (count.bitWidth - count.leadingZeroBitCount + 7) / 8
            bytes.append(0x80 | UInt8(lengthByteCount))
            for index in (0..<lengthByteCount).reversed() {
                bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index)))
            }
        }
        for part in parts { bytes += part }
        return bytes
    }

    /// Tag and length together.
    private static let headerByteLimit = 2 + MemoryLayout<Int>.size

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(DERTag.sequence, of: parts) }

    /// A SET OF, its elements in the order of DER (X.690 §11.6).
    static func setOf(_ parts: [[UInt8]]) -> [UInt8] {
        element(DERTag.set, of: parts.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// An OBJECT IDENTIFIER; nil when the dotted text is none.
    package static func objectIdentifier(_ dotted: String) -> [UInt8]? {
        OID.encode(dotted).map { element(DERTag.objectIdentifier, $0) }
    }
}

/// Object identifiers as dotted text.
package enum OID {
    /// More arcs or longer arcs than this are no identifier in use.
    static let arcLimit = 64

    /// The dotted form of an identifier's content bytes.
    static func dotted(_ content: some Collection<UInt8>) -> String? {
        guard !content.isEmpty, content.count <= 128 else { return nil }
        var text = ""
        var value: UInt64 = 0
        var isFirst = true
        var inArc = false
        for byte in content {
            guard inArc || byte != 0x80, value < 1 << 56 else { return nil }
            value = value << 7 | UInt64(byte & 0x7F)
            inArc = byte & 0x80 != 0
            if inArc { continue }
            if isFirst {
                let root = min(value / 40, 2)
                text = "\(root).\(value - root * 40)"
                isFirst = false
            } else {
                text += ".\(value)"
            }
            value = 0
        }
        return inArc ? nil : text
    }

    /// The content bytes of a dotted identifier; nil when the text is none.
    static func encode(_ dotted: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (arcCount, root): (Int, UInt64) = (0, 0)
        /// Of the arc so far; nil before its first digit.
        var arc: UInt64?
        func append(_ value: UInt64) {
            for shift in stride(from: 56, to: 0, by: -7) where value >> UInt64(shift) > 0 {
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)) | 0x80)
            }
            bytes.append(UInt8(value & 0x7F))
        }
        /// Whether the arc that ends is one.
        func end() -> Bool {
            guard let value = arc, arcCount < arcLimit else { return false }
            switch arcCount {
            case 0:
                guard value <= 2 else { return false }
                root = value
            case 1:
                guard root == 2 || value < 40 else { return false }
                append(root * 40 + value)
            default: append(value)
            }
            (arc, arcCount) = (nil, arcCount + 1)
            return true
        }
        for character in dotted.utf8 {
            switch character {
            case 0x2E:
                guard end() else { return nil }
            case 0x30...0x39:
                // No arc begins with a zero but zero itself.
                guard arc != 0 else { return nil }
                let value = (arc ?? 0) * 10 + UInt64(character - 0x30)
                guard value < 1 << 56 else { return nil }
                arc = value
            default: return nil
            }
        }
        return end() && arcCount >= 2 ? bytes : nil
    }

    /// Whether the text is a dotted object identifier.
    package static func isValid(_ dotted: String) -> Bool { encode(dotted) != nil }
}
