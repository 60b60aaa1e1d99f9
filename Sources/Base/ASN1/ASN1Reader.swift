/// One element of an encoding, as received.
@usableFromInline package struct ASN1Element<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int, Bytes.SubSequence == Bytes {
    /// The first byte of the tag, for example a constant of ``ASN1Tag``.
    @usableFromInline package let tag: UInt8
    @usableFromInline package let content: Bytes
    /// Tag, length and content, with the end-of-contents bytes of an indefinite length.
    @usableFromInline package let whole: Bytes
    @usableFromInline package let rules: EncodingRules

    @usableFromInline init(tag: UInt8, content: Bytes, whole: Bytes, rules: EncodingRules) {
        self.tag = tag
        self.content = content
        self.whole = whole
        self.rules = rules
    }

    @inlinable package var isConstructed: Bool { tag & ASN1Head.constructedBit != 0 }

    /// Whether class and number equal those of `tag`. The constructed bit is ignored.
    @inlinable package func hasNumber(of tag: UInt8) -> Bool {
        (self.tag ^ tag) & ~ASN1Head.constructedBit == 0
    }

    @inlinable package var reader: ASN1Reader<Bytes> { ASN1Reader(content, rules) }

    /// An OBJECT IDENTIFIER; nil for another tag or a damaged one.
    @inlinable package var objectIdentifier: OID? {
        tag == ASN1Tag.objectIdentifier ? OID(content: content) : nil
    }

    /// The value of an INTEGER that fits into `Int`; nil otherwise. The shortest form (X.690
    /// §8.3.2) is required unless the rules are `definite`.
    @inlinable package var integer: Int? {
        guard tag == ASN1Tag.integer, let first = content.first, content.count <= 8 else {
            return nil
        }
        if rules != .definite, !isShortestInteger { return nil }
        return content.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int($1) }
    }

    /// An INTEGER that fits and is not negative; nil otherwise.
    @inlinable package var smallInteger: Int? { integer.flatMap { $0 < 0 ? nil : $0 } }

    /// Whether the content is that of an INTEGER in its one shortest form (X.690 §8.3.2).
    @inlinable package var isShortestInteger: Bool {
        guard let first = content.first else { return false }
        guard content.count > 1 else { return true }
        let second = content[content.startIndex + 1]
        return first == 0 ? second >= 0x80 : first != 0xFF || second < 0x80
    }
}

extension ASN1Element: Sendable where Bytes: Sendable {}

/// Reads the elements of one level without recursion and never beyond its bytes. An element that
/// violates the rules ends reading with nil.
@usableFromInline package struct ASN1Reader<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int, Bytes.SubSequence == Bytes {
    @usableFromInline package var rest: Bytes
    @usableFromInline let rules: EncodingRules

    @inlinable package init(_ bytes: Bytes, _ rules: EncodingRules) {
        rest = bytes
        self.rules = rules
    }

    @inlinable package var isAtEnd: Bool { rest.isEmpty }

    @inlinable package mutating func next() -> ASN1Element<Bytes>? {
        let start = rest.startIndex
        guard let head = ASN1Head(rest, from: start, to: rest.endIndex, rules) else { return nil }
        let content = start + head.byteCount
        let (contentEnd, end): (Int, Int)
        if let count = head.contentByteCount {
            (contentEnd, end) = (content + count, content + count)
        } else if let found = endOfContents(from: content) {
            (contentEnd, end) = (found, found + 2)
        } else {
            return nil
        }
        let element = ASN1Element(
            tag: head.tag, content: rest[content..<contentEnd], whole: rest[start..<end],
            rules: rules)
        rest = rest[end...]
        return element
    }

    /// Position of the two zero bytes that end an indefinite length (X.690 §8.1.5).
    @inlinable func endOfContents(from start: Int) -> Int? {
        var position = start
        var depth = 1
        while true {
            if rest.endIndex - position >= 2, rest[position] == 0, rest[position + 1] == 0 {
                depth -= 1
                if depth == 0 { return position }
                position += 2
                continue
            }
            guard let head = ASN1Head(rest, from: position, to: rest.endIndex, rules) else {
                return nil
            }
            position += head.byteCount + (head.contentByteCount ?? 0)
            if head.contentByteCount == nil { depth += 1 }
            guard depth <= EncodingRules.maximumDepth else { return nil }
        }
    }

    /// The next element if it has the tag; otherwise nothing is read.
    @inlinable package mutating func next(_ tag: UInt8) -> ASN1Element<Bytes>? {
        guard rest.first == tag else { return nil }
        return next()
    }

    /// The only element of `bytes`, with nothing after it.
    @inlinable
    package static func single(_ bytes: Bytes, _ rules: EncodingRules) -> ASN1Element<Bytes>? {
        var reader = ASN1Reader(bytes, rules)
        guard let element = reader.next(), reader.isAtEnd else { return nil }
        return element
    }
}
