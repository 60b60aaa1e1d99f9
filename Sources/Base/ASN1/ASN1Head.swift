/// Encoding rules that a reader enforces (X.690).
@usableFromInline package enum EncodingRules: Sendable {
    /// DER: definite lengths in the fewest bytes (X.690 §10.1). Signatures are computed over DER.
    case der
    /// Also accepts definite lengths in more bytes than necessary, as OpenSSL does for
    /// certificates, CRLs and keys.
    case definite
    /// Also accepts indefinite lengths (X.690 §8.1.3.6), which some CMS messages and timestamp
    /// tokens use.
    case ber

    @inlinable package static var maximumDepth: Int { 50 }
}

/// Tag and length of an element.
///
/// Tag numbers and lengths that are too large for any file are rejected as malformed.
@usableFromInline struct ASN1Head {
    @usableFromInline let tag: UInt8
    /// Number of tag and length bytes.
    @usableFromInline let byteCount: Int
    /// Nil for an indefinite length.
    @usableFromInline let contentByteCount: Int?

    @inlinable static var constructedBit: UInt8 { 0x20 }
    /// Low bits of a tag whose number follows in the next bytes (X.690 §8.1.2.4).
    @inlinable static var longNumber: UInt8 { 0x1F }
    @inlinable static var indefiniteLength: UInt8 { 0x80 }
    @inlinable static var lengthByteLimit: Int { 8 }
    /// Lengths and tag numbers up to this limit can take one more byte without overflow.
    @inlinable static var numberLimit: Int { 1 << 48 }

    /// - Parameters:
    ///   - start: position of the tag in `bytes`.
    ///   - end: limit of the element.
    ///   - isCut: whether the content may extend past `end`.
    /// - Returns: nil for a malformed header, for a form that `rules` forbid, and for a definite
    ///   length past `end` unless `isCut`.
    @inlinable
    init?<Bytes: RandomAccessCollection>(
        _ bytes: Bytes, from start: Int, to end: Int, _ rules: EncodingRules,
        isCut: Bool = false
    ) where Bytes.Element == UInt8, Bytes.Index == Int {
        guard end - start >= 2 else { return nil }
        tag = bytes[start]
        var position = start + 1
        if tag & ASN1Head.longNumber == ASN1Head.longNumber {
            var number = 0
            var byte: UInt8
            repeat {
                guard position < end, number < ASN1Head.numberLimit else { return nil }
                byte = bytes[position]
                // Leading zero bits are forbidden (X.690 §8.1.2.4.2).
                guard number > 0 || byte != 0x80 else { return nil }
                number = number << 7 | Int(byte & 0x7F)
                position += 1
            } while byte & 0x80 != 0
            guard number >= Int(ASN1Head.longNumber), position < end else { return nil }
        } else if tag & ~ASN1Head.constructedBit == 0 {
            // Tag 0 is the end-of-contents marker (X.690 §8.1.5), not an element.
            return nil
        }
        let first = bytes[position]
        position += 1
        if first == ASN1Head.indefiniteLength {
            guard rules == .ber, tag & ASN1Head.constructedBit != 0 else { return nil }
            contentByteCount = nil
            byteCount = position - start
            return
        }
        var count = Int(first)
        if first > ASN1Head.indefiniteLength {
            let lengthByteCount = Int(first - ASN1Head.indefiniteLength)
            guard lengthByteCount <= ASN1Head.lengthByteLimit, end - position >= lengthByteCount
            else { return nil }
            if rules == .der, bytes[position] == 0 { return nil }
            count = 0
            for _ in 0..<lengthByteCount {
                guard count < ASN1Head.numberLimit else { return nil }
                count = count << 8 | Int(bytes[position])
                position += 1
            }
            if rules == .der, count < Int(ASN1Head.indefiniteLength) { return nil }
        }
        guard isCut || end - position >= count else { return nil }
        contentByteCount = count
        byteCount = position - start
    }
}
