import Base
import Foundation
import SignetTestSupport
import Testing

/// Files of time zones (RFC 8536): what no system writes, and what the system here has.
struct TimeZoneRulesTests {
    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func block(
        _ transitions: [(time: Int, type: UInt8)], offsets: [Int], timeByteCount: Int,
        version: String
    ) -> [UInt8] {
        var bytes = Array("TZif\(version)".utf8) + Array(repeating: 0, count: 15)
        for count in [0, 0, 0, transitions.count, offsets.count, 4] { bytes += number(count, 4) }
        for transition in transitions { bytes += number(transition.time, timeByteCount) }
        bytes += transitions.map(\.type)
        for offset in offsets { bytes += number(offset, 4) + [0, 0] }
        return bytes + Array("ABC\0".utf8)
    }

    /// A file of version 2 with nothing for readers of version 1.
    private static func file(
        _ transitions: [(time: Int, type: UInt8)] = [], offsets: [Int] = [0], rule: String
    ) -> [UInt8] {
        block([], offsets: [0], timeByteCount: 4, version: "2")
            + block(transitions, offsets: offsets, timeByteCount: 8, version: "2")
            + Array("\n\(rule)\n".utf8)
    }

    private func hours(_ rules: TimeZoneRules?, _ time: String) throws -> Double {
        let moment = try #require(CalendarTime(rfc3339: time))
        return Double(try #require(rules).offset(at: moment)) / 3600
    }

    @Test(
        "rules for all years",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-03-27T00:59:59Z", 1.0),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-03-27T01:00:00Z", 2),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T00:59:59Z", 2),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2050-10-30T01:00:00Z", 1),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-07-01T00:00:00Z", -4),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -5),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -4),
            // The summer of the south goes over the new year.
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 11),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 10),
            ("<+0330>-3:30", "2026-07-01T00:00:00Z", 3.5), ("UTC0", "2026-07-01T00:00:00Z", 0),
            ("A3B,J60,J300", "2028-03-01T04:59:59Z", -3),
            ("A3B,J60,J300", "2028-03-01T05:00:00Z", -2),
            ("A3B,59,300", "2028-02-29T05:00:00Z", -2),
            ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 2),
            ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 3),
        ])
    func rule(_ rule: String, time: String, expected: Double) throws {
        #expect(try hours(TimeZoneRules(tzif: Self.file(rule: rule)), time) == expected)
    }

    @Test func momentsComeBeforeTheRule() throws {
        let rules = TimeZoneRules(
            tzif: Self.file([(0, 1), (1000, 2)], offsets: [600, 3600, 7200], rule: "X-5"))
        for (time, expected) in [
            ("1969-12-31T23:59:59Z", 1.0 / 6), ("1970-01-01T00:00:00Z", 1),
            ("1970-01-01T00:16:39Z", 1), ("1970-01-01T00:16:40Z", 5),
        ] { #expect(try hours(rules, time) == expected, "\(time)") }
    }

    @Test func readsVersion1() throws {
        let bytes = Self.block([(10, 1)], offsets: [0, 3600], timeByteCount: 4, version: "\0")
        #expect(try hours(TimeZoneRules(tzif: bytes), "2026-01-01T00:00:00Z") == 1)
    }

    @Test func refusesWhatIsDamaged() {
        let whole = Self.file([(0, 1), (1000, 0)], offsets: [0, 3600], rule: "CET-1")
        #expect(TimeZoneRules(tzif: whole) != nil)
        for count in 0..<whole.count {
            #expect(TimeZoneRules(tzif: Array(whole.prefix(count))) == nil, "\(count) bytes")
        }
        for rule in ["CET", "-1", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0", "CET-99", "CET-1x"] {
            #expect(TimeZoneRules(tzif: Self.file(rule: rule)) == nil, "\(rule)")
        }
        #expect(TimeZoneRules(tzif: Self.file([(5, 0), (5, 0)], rule: "")) == nil)
        #expect(TimeZoneRules(tzif: Self.file([(5, 9)], rule: "")) == nil)
        #expect(TimeZoneRules(tzif: Self.file(offsets: [900_000], rule: "")) == nil)
    }

    /// The C library reads the same files.
    @Test(arguments: ["Europe/Prague", "America/New_York", "Australia/Sydney", "Asia/Kathmandu"])
    func asTheSystemHasIt(name: String) throws {
        guard let path = try ExternalTool.file("/usr/share/zoneinfo/\(name)"),
            let environment = try ExternalTool.find("env")
        else { return }
        let rules = TimeZoneRules(tzif: [UInt8](try Data(contentsOf: URL(filePath: path))))
        for year in ["1950", "1985", "2026", "2037", "2060"] {
            for day in ["01-15", "03-29", "07-15", "10-31"] {
                let moment = "\(year)-\(day)T00:30:00Z"
                let told = try ExternalTool.run(
                    environment, ["TZ=\(name)", "date", "-d", moment, "+%z"])
                let text = String(decoding: told.output, as: UTF8.self).dropLast()
                let minutes =
                    try #require(Int(text.suffix(2))) + (Int(text.dropFirst().prefix(2)) ?? 0) * 60
                let expected = Double(text.hasPrefix("-") ? -minutes : minutes) / 60
                #expect(try hours(rules, moment) == expected, "\(moment)")
            }
        }
    }
}
