import Base
import Testing

@Suite("Reading elements")
struct ReaderTests {
    private static let all: [EncodingRules] = [.der, .definite, .ber]

    /// X.690 §8.1.3, §10.1.
    @Test(
        arguments: [
            ([0x04, 0x01, 7], all), ([0x04, 0x81, 0x01, 7], [.definite, .ber]),
            ([0x04, 0x82, 0, 1, 7], [.definite, .ber]),
            ([0x04, 0x88, 0, 0, 0, 0, 0, 0, 0, 1, 7], [.definite, .ber]),
            // More than any length needs, a reserved one, and one that overflows.
            ([0x04, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7], []),
            ([0x04, 0xFF, 7], []), ([0x04] + [0x88] + [UInt8](repeating: 0xFF, count: 8), []),
            ([0x30, 0x80, 0x05, 0, 0, 0], [.ber]), ([0x30, 0x80, 0x30, 0x80, 0, 0, 0, 0], [.ber]),
            // Primitive, or without an end.
            ([0x04, 0x80, 7, 0, 0], []), ([0x30, 0x80, 0x05, 0], []), ([0x30, 0x80], []),
            ([0x30, 0x80, 0x05, 0, 0], []),
            // What ends an indefinite length, where none is.
            ([0x00, 0x00], []), ([0x20, 0x00], []), ([0x30, 0x02, 0, 0], []),
            // Numbers of tags from 31 on.
            ([0xBF, 0x1F, 0], all), ([0xBF, 0x81, 0x00, 0], all), ([0xBF, 0x1E, 0], []),
            ([0xBF, 0x80, 0x1F, 0], []), ([0xBF, 0x81], []), ([0xBF], []),
            ([0xBF] + [UInt8](repeating: 0xFF, count: 12) + [0, 0], []),
            // Cut off, damaged inside, followed by something.
            ([], []), ([0x30], []), ([0x30, 0x03, 0x05, 0], []), ([0x30, 0x02, 0x05, 1], []),
            ([0x05, 0, 0x05], []),
        ] as [([UInt8], [EncodingRules])])
    func whatTheRulesHaveIsRead(_ bytes: [UInt8], by rules: [EncodingRules]) {
        for one in Self.all {
            #expect((ASN1Node.parse(bytes, one) != nil) == rules.contains(one), "\(one)")
        }
    }

    /// 50 levels, and one more.
    @Test(arguments: [(50, true), (51, false)])
    func nestingEnds(depth: Int, isRead: Bool) {
        let indefinite =
            (1..<depth).flatMap { _ in [0x30, 0x80] as [UInt8] }
            + [0x05, 0] + [UInt8](repeating: 0, count: 2 * (depth - 1))
        #expect((ASN1Node.parse(indefinite, .ber) != nil) == isRead)
        var definite = DERWriter.null
        for _ in 1..<depth { definite = DERWriter.sequence(definite) }
        #expect((ASN1Node.parse(definite, .der) != nil) == isRead)
    }

    @Test func elementsAreTakenApart() throws {
        let bytes: [UInt8] = [
            0x30, 0x80, 0x24, 0x80, 0x04, 1, 1, 0x04, 1, 2, 0, 0, 0x02, 0x81, 1, 5, 0, 0, 9, 9,
        ]
        #expect(ASN1Node.byteCount(in: bytes, .ber) == 18)
        #expect(ASN1Node.byteCount(in: bytes, .definite) == nil)
        #expect(ASN1Node.isIndefinite(bytes))
        let node = try #require(ASN1Node.parse(bytes[..<18], .ber))
        #expect(node.content == bytes[2..<16])
        var reader = node.reader
        let first = reader.next()
        let pieces = try #require(first)
        #expect(pieces.tag == 0x24 && pieces.hasNumber(of: ASN1Tag.octetString))
        #expect(pieces.whole == bytes[2..<12] && pieces.content == bytes[4..<10])
        let (absent, number, end) = (
            reader.next(ASN1Tag.octetString), reader.next(ASN1Tag.integer), reader.next()
        )
        #expect(absent == nil && number?.integer == 5 && end == nil && reader.isAtEnd)
        #expect(node.definite == [0x30, 0x0B, 0x24, 6, 0x04, 1, 1, 0x04, 1, 2, 0x02, 1, 5])
        #expect(!node.isAmbiguous)
    }

    @Test func aHeadIsReadWithoutItsContent() {
        #expect(ASN1Node.headByteCount(in: [0x30, 0x82, 0x10, 0, 0x02]) == 4)
        #expect(ASN1Node.headByteCount(in: [0x30, 0x80]) == 2)
        #expect(ASN1Node.headByteCount(in: [0x30, 0x82, 0x10]) == nil)
    }

    @Test(
        arguments: [
            ([0x30, 0], false), ([0x31, 0], false), ([0xA0, 0], false), ([0x24, 0], false),
            ([0x23, 0], true), ([0x30, 2, 0x2C, 0], true), ([0x30, 2, 0x03, 0], false),
        ] as [([UInt8], Bool)])
    func valuesInPiecesAreAmbiguous(_ bytes: [UInt8], _ isAmbiguous: Bool) throws {
        let node = try #require(ASN1Node.parse(bytes, .ber))
        #expect(node.isAmbiguous == isAmbiguous)
    }

    /// X.690 §8.3.
    @Test(
        arguments: [
            ([0], 0), ([0x7F], 127), ([0, 0x80], 128), ([0xFF], -1), ([0x80], -128),
            ([0x7F] + [UInt8](repeating: 0xFF, count: 7), Int.max),
            ([], nil), ([0, 0x7F], nil), ([0xFF, 0x80], nil), ([UInt8](1...9), nil),
        ] as [([UInt8], Int?)])
    func integersAreRead(_ content: [UInt8], _ value: Int?) {
        let bytes = DERWriter.element(ASN1Tag.integer, content)
        let element = ASN1Node.parse(bytes, .der)
        #expect(element?.integer == value)
        #expect(element?.smallInteger == value.flatMap { $0 < 0 ? nil : $0 })
        if let value { #expect(DERWriter.integer(value) == bytes) }
    }
}
