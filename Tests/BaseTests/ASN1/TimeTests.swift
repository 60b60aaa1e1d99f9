import Base
import Testing

@Suite("Times")
struct TimeTests {
    private static func node(_ tag: UInt8, _ text: String) throws -> ASN1Node {
        try #require(ASN1Node.parse(DERWriter.element(tag, Array(text.utf8)), .der))
    }

    /// X.690 §8.25, §8.26.
    @Test(arguments: [
        ("261121100000+0100", "2026-11-21T09:00:00Z"),
        ("261121233000-0130", "2026-11-22T01:00:00Z"),
        ("261121100000Z", nil), ("261121100000+2500", nil), ("261121100000+01", nil),
        ("+0100", nil),
    ])
    func offsetsAreRead(text: String, expected: String?) throws {
        let node = try Self.node(0x17, text)
        #expect(ASN1Time.readOffset(node.tag, content: node.content)?.rfc3339 == expected)
    }

    /// RFC 5280 §4.1.2.5, RFC 5652 §11.3.
    @Test(
        arguments: [
            (0x17, "261121100000Z", "2026-11-21T10:00:00Z"),
            (0x17, "491231235959Z", "2049-12-31T23:59:59Z"),
            (0x17, "500101000000Z", "1950-01-01T00:00:00Z"),
            (0x18, "20261121100000Z", "2026-11-21T10:00:00Z"),
            (0x18, "99991231235959Z", "9999-12-31T23:59:59Z"),
            // A leap second is the second before.
            (0x17, "161231235960Z", "2016-12-31T23:59:59Z"),
            // No second, no zone, another zone, letters, days and hours that are not.
            (0x17, "2611211000Z", nil), (0x17, "261121100000", nil), (0x17, "Z", nil),
            (0x17, "", nil), (0x17, "261121100000+0100", nil), (0x17, "26112110000xZ", nil),
            (0x17, "260229100000Z", nil), (0x18, "20261121240000Z", nil),
            (0x18, "20261121100061Z", nil), (0x18, "20261321100000Z", nil),
            // The form of the other tag, a fraction, and another tag.
            (0x17, "20261121100000Z", nil), (0x18, "261121100000Z", nil),
            (0x18, "20261121100000.5Z", nil), (0x17, "261121100000.5Z", nil),
            (0x16, "261121100000Z", nil),
        ] as [(UInt8, String, String?)])
    func timesAreRead(tag: UInt8, text: String, expected: String?) throws {
        #expect(try Self.node(tag, text).time()?.rfc3339 == expected)
    }

    /// Some responders write fractions where none may be; timestamps may have them.
    @Test(
        arguments: [
            ("20261121100000Z", true, 0), ("20261121100000.25Z", true, 250_000_000),
            ("20261121100000.2500Z", true, 250_000_000),
            ("20261121100000.000000001Z", true, 1), ("20261121100000.0000000001Z", true, nil),
            ("20261121100000.Z", false, nil), ("20261121100000,5Z", false, nil),
            ("20261121100000.5xZ", false, nil), ("20261121100000.-5Z", false, nil),
        ] as [(String, Bool, Int?)])
    func fractions(text: String, isReadWithout: Bool, nanoseconds: Int?) throws {
        let node = try Self.node(0x18, text)
        #expect((node.time(fraction: .dropped) != nil) == isReadWithout)
        #expect(node.generalizedTime?.nanoseconds == nanoseconds)
        #expect(try Self.node(0x17, String(text.dropFirst(2))).generalizedTime == nil)
    }

    @Test(
        arguments: [
            ("1949-12-31T23:59:59Z", 0x18), ("1950-01-01T00:00:00Z", 0x17),
            ("2049-12-31T23:59:59Z", 0x17), ("2050-01-01T00:00:00Z", 0x18),
            ("0000-01-01T00:00:00Z", 0x18), ("9999-12-31T23:59:59Z", 0x18),
        ] as [(String, UInt8)])
    func whatIsWrittenIsRead(text: String, tag: UInt8) throws {
        let time = try #require(CalendarTime(rfc3339: text))
        let node = try #require(ASN1Node.parse(ASN1Time.encode(time), .der))
        #expect(node.tag == tag)
        #expect(node.time() == time)
        for nanoseconds in [0, 1, 250_000_000, 999_999_999] {
            let exact = ASN1Time.generalized(time, nanoseconds: nanoseconds)
            let read = try #require(ASN1Node.parse(exact, .der)?.generalizedTime)
            #expect(read == (time, nanoseconds))
        }
    }

    /// An optional time is passed, readable or not, and nothing else.
    @Test func anOptionalTimeIsPassed() {
        var reader = ASN1Reader([0x17, 0x01, 0x5A, 0x30, 0x00][...], .der)
        #expect(reader.nextTime() != nil)
        #expect(reader.nextTime() == nil)
        #expect(reader.next(0x30) != nil)
        #expect(reader.nextTime() == nil)
    }
}
