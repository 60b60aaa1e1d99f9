import Base
import Testing

@Suite("Writing elements and object identifiers")
struct WriterTests {
    /// X.690 §8.1.3, §8.19.
    @Test func elementsHaveTheShortestLengths() {
        for (count, header) in [
            (0, [0x04, 0]), (127, [0x04, 0x7F]), (128, [0x04, 0x81, 0x80]),
            (255, [0x04, 0x81, 0xFF]), (256, [0x04, 0x82, 1, 0]),
            (65_535, [0x04, 0x82, 0xFF, 0xFF]), (65_536, [0x04, 0x83, 1, 0, 0]),
        ] as [(Int, [UInt8])] {
            let content = [UInt8](repeating: 7, count: count)
            let element = DERWriter.octets(content)
            #expect(element == header + content)
            #expect(ASN1Node.byteCount(in: element, .der) == header.count + count)
        }
        #expect(
            DERWriter.element(ASN1Tag.context(1), of: [DERWriter.null, DERWriter.yes]) == [
                0xA1, 5, 5, 0, 1, 1, 0xFF,
            ])
    }

    /// X.690 §11.6.
    @Test func setsAreSorted() {
        #expect(
            DERWriter.setOf([[0x05, 0], [0x04, 1, 9], [0x04, 0]])
                == [0x31, 7, 0x04, 0, 0x04, 1, 9, 0x05, 0])
    }

    @Test func numbersWithoutSignGetTheirZero() {
        #expect(DERWriter.unsigned([0, 0, 0x80]) == [0x02, 2, 0, 0x80])
        #expect(DERWriter.unsigned([0, 0x7F]) == [0x02, 1, 0x7F])
        #expect(DERWriter.unsigned([]) == [0x02, 1, 0])
    }

    @Test(
        arguments: [
            ("1.2.840.113549", [0x06, 6, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D]),
            ("2.999.3", [0x06, 3, 0x88, 0x37, 3]), ("0.0", [0x06, 1, 0]),
            ("2.5.4.3", [0x06, 3, 0x55, 4, 3]),
            (
                "2.25.72057594037927935",
                [0x06, 9, 0x69, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
            ),
        ] as [(String, [UInt8])])
    func identifiersAreEncoded(dotted: String, encoded: [UInt8]) throws {
        let identifier = try #require(OID(dotted))
        #expect(DERWriter.objectIdentifier(identifier) == encoded)
        #expect(ASN1Node.parse(encoded, .der)?.objectIdentifier == identifier)
        #expect(identifier.description == dotted)
    }

    @Test(arguments: [
        "", "1", "1.", ".1", "1..2", "3.1", "1.40", "01.2", "1.02", "1.2.x", "1.-2", "1.2 ",
        "2.25.72057594037927936", "2.72057594037927935", "1.2" + String(repeating: ".1", count: 63),
    ])
    func whatIsNoIdentifierIsRefused(dotted: String) {
        #expect(OID(dotted) == nil)
    }

    @Test(
        arguments: [
            [], [0x80, 1], [0x2A, 0x80, 1], [0x2A, 0x86], [0x2A] + [UInt8](repeating: 1, count: 63),
            [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
        ] as [[UInt8]])
    func whatEncodesNoIdentifierIsRefused(content: [UInt8]) {
        #expect(OID(content: content) == nil)
    }
}
