import Base
import Testing

struct TextEncodingTests {
    @Test(arguments: [
        [] as [UInt8]: "", [0]: "00", [0xDE, 0xAD, 0xBE, 0xEF]: "deadbeef", [1, 0x2F]: "012f",
    ])
    func hexRoundTrips(bytes: [UInt8], text: String) {
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.encode(bytes, uppercase: true) == text.uppercased())
        #expect(Hex.decode(text.utf8) == bytes)
        #expect(Hex.decode(text.uppercased().utf8) == bytes)
    }

    @Test(arguments: ["0", "0g", " 00", "00 ", "0x00", "é"])
    func rejectsOtherHex(text: String) {
        #expect(Hex.decode(text.utf8) == nil)
    }

    @Test(
        arguments: [
            (2.5, 3), (-1.4, -1), (1e300, .max), (-1e300, .min), (.infinity, .max), (.nan, 0),
            (0x1p63, .max), (-0x1p63, .min),
        ] as [(Double, Int)]) func nearestWholeNumbers(number: Double, nearest: Int)
    { #expect(Int(nearest: number) == nearest) }

    /// RFC 4648 §10.
    @Test(arguments: [
        "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
        "foobar": "Zm9vYmFy",
    ])
    func base64RoundTrips(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func base64CoversEveryByte() {
        let bytes = (0...255).map { UInt8($0) }
        var lines: [UInt8] = []
        Base64.encode(bytes, lineLength: 64) { lines.append($0) }
        #expect(lines.split(separator: 10).map(\.count) == [64, 64, 64, 64, 64, 24])
        #expect(Base64.decode(lines) == bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zh==", "Zm9=", "Z", "Z===", "Zg==Zg==", "Zm9v-", "====", "Zg===",
    ])
    func rejectsOtherBase64(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}

struct CalendarTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (1_795_255_200, "2026-11-21T10:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func convertsFields(seconds: Int, text: String) throws {
        let time = CalendarTime(secondsSinceEpoch: seconds)
        #expect(time.rfc3339 == text)
        #expect(CalendarTime(rfc3339: text) == time)
        #expect(CalendarTime(pdfDate: Array(time.pdfDate.utf8)) == time)
    }

    @Test func everyDayFollowsTheOneBefore() throws {
        var previous = CalendarTime(secondsSinceEpoch: -2_208_988_800)
        for _ in 0..<80_000 {
            let next = previous.adding(seconds: 86_400)
            let expected = CalendarTime(year: next.year, month: next.month, day: next.day)
            #expect(expected == next)
            guard expected == next else { return }
            previous = next
        }
    }

    @Test(arguments: [
        ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"),
        ("2026-11-21T10:00:00.999z", "2026-11-21T10:00:00Z"),
        ("2026-11-21 10:00:00+05:30", "2026-11-21T04:30:00Z"),
        ("2026-01-01t00:30:00+01:00", "2025-12-31T23:30:00Z"),
        ("2026-11-21", "2026-11-21T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
    ])
    func readsRFC3339(text: String, expected: String) {
        #expect(CalendarTime(rfc3339: text)?.rfc3339 == expected)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01", "2026-02-30", "2025-02-29", "2026-11-21T10:00:00",
        "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:00:00.Z",
        "2026-11-21T10:00:00Zx", "2026-11-21T10:00:00+24:00", "+026-11-21", "2026-1-1",
    ])
    func rejectsOtherTimes(text: String) {
        #expect(CalendarTime(rfc3339: text) == nil)
    }

    @Test(arguments: [
        ("D:20261121100000Z", "2026-11-21T10:00:00Z"),
        ("D:20261121100000+01'00'", "2026-11-21T09:00:00Z"),
        ("D:20261121100000-0330", "2026-11-21T13:30:00Z"),
        ("D:20261121100000+01'00", "2026-11-21T09:00:00Z"),
        ("D:20261121100000Z00'00'", "2026-11-21T10:00:00Z"),
        ("D:20261121", "2026-11-21T00:00:00Z"),
        ("D:2026", "2026-01-01T00:00:00Z"),
        ("20261121100000", "2026-11-21T10:00:00Z"),
    ])
    func readsPDFDates(text: String, expected: String) {
        #expect(CalendarTime(pdfDate: Array(text.utf8))?.rfc3339 == expected)
    }

    @Test(arguments: [
        "", "D:", "D:20", "Dx2026", "D:20261321", "D:20261121100000X", "D:2026112110000",
    ])
    func rejectsOtherPDFDates(text: String) {
        #expect(CalendarTime(pdfDate: Array(text.utf8)) == nil)
    }

    @Test func staysWithinItsRange() {
        #expect(CalendarTime(secondsSinceEpoch: .max).year == 9999)
        #expect(CalendarTime(secondsSinceEpoch: .min).year == 0)
        #expect(CalendarTime(secondsSinceEpoch: 0).adding(seconds: .max).year == 9999)
        #expect(CalendarTime(year: 10_000) == nil)
    }
}

struct SourceTests {
    @Test func readsWithinTheSourceOnly() throws {
        let source = MemorySource([1, 2, 3])
        #expect(try source.bytes(at: 1, count: 99) == [2, 3])
        #expect(try source.bytes(at: 3, count: 1) == [])
        #expect(try source.bytes(at: 0, count: .max) == [1, 2, 3])
        for (offset, count) in [(4, 0), (-1, 1), (0, -1), (Int.max, 1), (Int.min, 1)] {
            #expect(throws: SourceError(.outOfRange, detail: "", offset: 0)) {
                try source.bytes(at: offset, count: count)
            }
        }
    }

    @Test func aPrefixHidesTheRest() throws {
        let source = PrefixSource(MemorySource([1, 2, 3]), byteCount: 2)
        #expect(source.byteCount == 2)
        #expect(try source.bytes(at: 1, count: 9) == [2])
        #expect(PrefixSource(source, byteCount: 9).byteCount == 2)
    }

    @Test func theCacheGivesTheSameBytes() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        let cache = BlockCache(MemorySource(bytes))
        for (offset, count) in [
            (0, 1), (16_380, 10), (16_384, 16_384), (5, 50_000), (199_999, 5), (0, 200_000),
        ] {
            let expected = Array(bytes[offset..<min(offset + count, bytes.count)])
            #expect(try cache.bytes(at: offset, count: count) == expected)
        }
        #expect(try cache.bytes(at: 200_000, count: 1) == [])
        #expect(try cache.bytes(at: 900_000, count: 1) == [])
    }

    @Test(arguments: [
        ("abcabc", "bc", 0, 1), ("abcabc", "bc", 2, 4), ("aab", "ab", 0, 1), ("ab", "abc", 0, -1),
        ("", "a", 0, -1),
    ])
    func findsBytes(text: String, part: String, start: Int, expected: Int) {
        let found = Array(text.utf8).firstRange(of: Array(part.utf8), from: start)
        #expect((found?.lowerBound ?? -1) == expected)
    }

    @Test func findsTheLastBytes() {
        let bytes = Array("xref startxref".utf8)
        #expect(bytes.lastRange(of: Array("xref".utf8))?.lowerBound == 10)
        #expect(bytes.lastRange(of: Array("xref".utf8), before: 13)?.lowerBound == 0)
        #expect(bytes.lastRange(of: Array("y".utf8)) == nil)
    }
}
