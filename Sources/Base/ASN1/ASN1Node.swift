/// An element in memory.
package typealias ASN1Node = ASN1Element<ArraySlice<UInt8>>

extension ASN1Element where Bytes == ArraySlice<UInt8> {
    /// Parses `bytes` as one element with nothing after it.
    ///
    /// - Returns: nil if the element, or one nested in it, violates the rules.
    package static func parse(_ bytes: ArraySlice<UInt8>, _ rules: EncodingRules) -> ASN1Element? {
        ASN1Audit(bytes, rules) == nil ? nil : ASN1Reader.single(bytes, rules)
    }

    /// Parses `bytes` as one element with nothing after it.
    ///
    /// - Returns: nil if the element, or one nested in it, violates the rules.
    package static func parse(_ bytes: [UInt8], _ rules: EncodingRules) -> ASN1Element? {
        parse(bytes[...], rules)
    }

    /// Byte count of the first element; nil if it is malformed or incomplete. Nested elements are
    /// parsed only to find the end of an indefinite length.
    package static func byteCount(in bytes: [UInt8], _ rules: EncodingRules) -> Int? {
        var reader = ASN1Reader(bytes[...], rules)
        return reader.next()?.whole.count
    }

    /// Byte count of the first element's tag and length; nil if they are malformed. The content
    /// may be incomplete.
    package static func headByteCount(in bytes: [UInt8]) -> Int? {
        ASN1Head(bytes, from: 0, to: bytes.count, .ber, isCut: true)?.byteCount
    }

    /// Whether the first element of `bytes` has an indefinite length.
    package static func isIndefinite(_ bytes: [UInt8]) -> Bool {
        ASN1Head(bytes, from: 0, to: bytes.count, .ber).map { $0.contentByteCount == nil } ?? false
    }

    /// The bytes as received.
    package var bytes: [UInt8] { Array(whole) }

    /// Whether parsers may read the content differently. Nearly all parsers join the segments of
    /// constructed octet strings, and few join those of other types.
    package var isAmbiguous: Bool { ASN1Audit(whole, rules)?.isAmbiguous ?? true }

    /// The element re-encoded with the shortest definite lengths. Primitive contents are
    /// unchanged.
    package var definite: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(whole.count)
        appendDefinite(to: &bytes)
        return bytes
    }

    /// Writes into one buffer, because millions of nested elements would each need memory.
    private func appendDefinite(to bytes: inout [UInt8]) {
        let start = bytes.count
        if isConstructed {
            var children = reader
            while let child = children.next() { child.appendDefinite(to: &bytes) }
        } else {
            bytes += content
        }
        var head = DERWriter.head(tag, contentByteCount: bytes.count - start)
        if tag & ASN1Head.longNumber == ASN1Head.longNumber {
            let number = whole.dropFirst()
            let end = number.firstIndex { $0 & 0x80 == 0 } ?? number.startIndex
            head.insert(contentsOf: number[...end], at: 1)
        }
        bytes.insert(contentsOf: head, at: start)
    }
}

/// Checks an element and everything nested in it in one pass.
private struct ASN1Audit {
    /// Whether a value other than an octet string is split into segments.
    private(set) var isAmbiguous = false
    private let bytes: ArraySlice<UInt8>
    private let rules: EncodingRules
    private var position: Int

    /// Nil unless `bytes` are exactly one element that follows the rules at every depth.
    init?(_ bytes: ArraySlice<UInt8>, _ rules: EncodingRules) {
        self.bytes = bytes
        self.rules = rules
        position = bytes.startIndex
        guard passElement(before: bytes.endIndex, depth: 1), position == bytes.endIndex else {
            return nil
        }
    }

    /// Advances past the element at the current position; false if it is malformed.
    private mutating func passElement(before end: Int, depth: Int) -> Bool {
        guard depth <= EncodingRules.maximumDepth,
            let head = ASN1Head(bytes, from: position, to: end, rules)
        else { return false }
        position += head.byteCount
        if head.tag & ASN1Head.constructedBit != 0 { note(head.tag) }
        guard let count = head.contentByteCount else {
            while !isAtEndOfContents(end) {
                guard passElement(before: end, depth: depth + 1) else { return false }
            }
            position += 2
            return true
        }
        let contentEnd = position + count
        guard head.tag & ASN1Head.constructedBit != 0 else {
            position = contentEnd
            return true
        }
        while position < contentEnd {
            guard passElement(before: contentEnd, depth: depth + 1) else { return false }
        }
        return true
    }

    private func isAtEndOfContents(_ end: Int) -> Bool {
        end - position >= 2 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    private mutating func note(_ tag: UInt8) {
        let universalClass: UInt8 = 0
        let segments = ASN1Tag.octetString | ASN1Head.constructedBit
        if tag & 0xC0 == universalClass,
            tag != ASN1Tag.sequence, tag != ASN1Tag.set, tag != segments
        {
            isAmbiguous = true
        }
    }
}
