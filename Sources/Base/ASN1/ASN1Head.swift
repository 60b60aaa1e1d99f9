/// How strictly an encoding is read.
@usableFromInline package enum EncodingRules: Sendable {
    /// The shortest length of each element (X.690 §10.1): what signatures are made over.
    case der
    /// Lengths in more bytes than they need as well: certificates, lists and keys, which OpenSSL takes
    /// like that.
    case definite
    /// Indefinite lengths as well (X.690 §8.1.3.6): messages and tokens as some write them.
    case ber

    /// Deepest nesting that is followed.
    @inlinable package static var maximumDepth: Int { 50 }
}

/// Tag and length of an element.
///
/// Numbers of tags and lengths that no file can have are damage.
@usableFromInline struct ASN1Head {
    @usableFromInline let tag: UInt8
    /// Of tag and length.
    @usableFromInline let byteCount: Int
    /// Nil for an indefinite length.
    @usableFromInline let contentByteCount: Int?

    @inlinable static var constructedBit: UInt8 { 0x20 }
    /// In the first byte: the number comes in the bytes after it.
    @inlinable static var longNumber: UInt8 { 0x1F }
    @inlinable static var indefiniteLength: UInt8 { 0x80 }
    @inlinable static var lengthByteLimit: Int { 8 }
    /// Lengths and numbers up to this may be given one more byte without overflow.
    @inlinable static var numberLimit: Int { 1 << 48 }

    /// - Parameters:
    ///   - start: where the head begins in `bytes`.
    ///   - end: of what the element may take.
    ///   - isCut: whether the content may go on behind `end`.
    /// - Returns: nil for a damaged head, one that the rules do not have, and for a definite length
    ///   of more than there is.
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
                // No number begins with zeros.
                guard number > 0 || byte != 0x80 else { return nil }
                number = number << 7 | Int(byte & 0x7F)
                position += 1
            } while byte & 0x80 != 0
            guard number >= Int(ASN1Head.longNumber), position < end else { return nil }
        } else if tag & ~ASN1Head.constructedBit == 0 {
            // What ends an indefinite length is no element.
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
