import Base
import SystemBridge

/// The time zone of the date in a signature appearance.
public enum ClockZone: Sendable, Equatable {
    case utc
    /// A fixed offset from UTC in seconds.
    case fixed(Int)
    /// A zone from the system's time zone files, see ``named(_:)``.
    case place(Rules)

    /// The rules of a time zone.
    public struct Rules: Sendable, Equatable { fileprivate let rules: TimeZoneRules }

    /// The time zone with a name: `UTC`, `local` (the system's), `+02:00`, or `Europe/Prague` from
    /// the IANA database.
    ///
    /// - Throws: ``SignetError``: `.usage` for an unknown name, `.missingInput` if the system has
    ///   no time zone files.
    public static func named(_ name: String) throws -> ClockZone {
        if ["utc", "z"].contains(name.lowercased()) { return .utc }
        if let first = name.first, "+-".contains(first) {
            let moment = "2000-01-01T00:00:00\(name)"
            guard name.utf8.count == 6, let shifted = CalendarTime(rfc3339: moment),
                let plain = CalendarTime(year: 2000)
            else { throw refusal(of: name) }
            return .fixed(plain.secondsSinceEpoch - shifted.secondsSinceEpoch)
        }
        guard name != "local" else { return try local() }
        return try ofDatabase(name)
    }

    /// A time in UTC, in other zones followed by the local time, with its day if that differs:
    /// `2026-11-21 23:30:00 UTC (2026-11-22 00:30:00 UTC+01:00)`.
    public func text(of moment: Moment) -> String {
        let seconds = offset(at: moment.time)
        guard seconds != 0 else { return moment.text }
        let local = moment.adding(.seconds(seconds))
        let isSameDay = local.day == moment.day
        let time = local.text.dropFirst(isSameDay ? local.day.count + 1 : 0)
        let zone = DateFormat.name(ofOffset: seconds)
        return "\(moment.text) (\(time.replacing("UTC", with: zone)))"
    }

    func offset(at time: CalendarTime) -> Int {
        switch self {
        case .utc: 0
        case .fixed(let seconds): seconds
        case .place(let place): place.rules.offset(at: time)
        }
    }

    private static let folders = [
        "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo",
    ]
    /// Maximum length of a name in bytes. Names are `Area/Place`, at most three words.
    private static let nameByteLimit = 64

    /// The zone in the variable `TZ`, else the system's time zone; UTC if none is set.
    private static func local() throws -> ClockZone {
        if let name = ProcessEnvironment.string("TZ") {
            let name = name.hasPrefix(":") ? String(name.dropFirst()) : name
            return name.hasPrefix("/") ? try read(name) : try named(name)
        }
        return FileSystem.exists("/etc/localtime") ? try read("/etc/localtime") : .utc
    }

    private static func ofDatabase(_ name: String) throws -> ClockZone {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
                        || [0x5F, 0x2B, 0x2D].contains($0)
                }
        }
        guard isName, name.utf8.count <= nameByteLimit else { throw refusal(of: name) }
        guard let folder = folders.first(where: { FileSystem.isDirectory($0) }) else {
            throw SignetError(
                .missingInput,
                "no time zone files are installed: the time zone '\(name)' is unknown",
                hint: Sentence(.installZonesOrSayOffset))
        }
        let path = "\(folder)/\(name)"
        guard FileSystem.isRegularFile(path) else {
            let area = parts.dropLast().joined(separator: "/")
            let names = (try? FileSystem.list("\(folder)/\(area)")) ?? []
            let near = Spelling.nearest(to: String(parts[parts.count - 1]), in: names)
            throw refusal(of: name, near: near.map { area.isEmpty ? $0 : "\(area)/\($0)" })
        }
        return try read(path)
    }

    private static func read(_ path: String) throws -> ClockZone {
        let bytes = try reading(path) {
            try FileSystem.readAll(path, limit: TimeZoneRules.byteLimit)
        }
        guard let rules = TimeZoneRules(tzif: bytes) else {
            throw SignetError(
                .malformedInput, file: path, "the file is not a time zone file",
                hint: Sentence(.sayOffset))
        }
        return .place(Rules(rules: rules))
    }

    private static func refusal(of name: String, near: String? = nil) -> SignetError {
        SignetError(
            .usage, "unknown time zone '\(name)'",
            hint: near.map { Sentence(.didYouMean, $0) } ?? Sentence(.writeZone))
    }
}
