import Base
import SignetKit

/// Parses a settings file or a time zone file. A setting must be rejected with its line number or
/// kept unchanged.
enum SettingsFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        if let rules = TimeZoneRules(tzif: bytes) { return failure(of: rules) }
        let lineCount = bytes.count { $0 == 10 } + 1
        do {
            let entries = try TOMLReader.read(bytes)
            guard entries.allSatisfy({ (1...lineCount).contains($0.line) && !$0.path.isEmpty })
            else { return "an entry is in no line" }
            guard Set(entries.map(\.path)).count == entries.count else { return "a key twice" }
        } catch {
            return (1...lineCount).contains(error.line) ? nil : "a failure is in no line"
        }
        for profile in [nil, "work"] {
            let settings = try? Settings.parse(bytes, file: "/config.toml", profile: profile)
            guard settings?.settings.allSatisfy({ !$0.values.contains("") }) ?? true else {
                return "an empty setting"
            }
        }
        return nil
    }

    /// Checks a time zone file: the offset from UTC must not exceed 26 hours.
    private static func failure(of rules: TimeZoneRules) -> String? {
        for second in stride(from: -4_000_000_000, to: 8_000_000_000, by: 97_000_003) {
            let offset = rules.offset(at: CalendarTime(secondsSinceEpoch: second))
            guard abs(offset) <= 26 * 3600 else { return "a clock \(offset) s ahead" }
        }
        return nil
    }
}
