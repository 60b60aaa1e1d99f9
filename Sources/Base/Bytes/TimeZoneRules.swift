/// UTC offsets of a time zone, read from a TZif file (RFC 8536).
///
/// Leap seconds are ignored; only the files under `right/` contain them.
package struct TimeZoneRules: Equatable, Sendable {
    /// Larger files are rejected; those of operating systems have up to 4 KB.
    package static let byteLimit = 256 << 10

    /// Ascending times in seconds since 1970. Each offset applies from its time on.
    private var moments: [Int] = []
    private var offsets: [Int] = []
    private var firstOffset = 0
    /// Rule for times after the last one.
    private var rule: YearlyRule?

    /// - Returns: nil if the bytes are not a valid TZif file.
    package init?(tzif bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit, let first = Header(bytes, at: 0) else { return nil }
        guard first.version >= UInt8(ascii: "2") else {
            guard read(bytes, header: first, timeByteCount: 4) else { return nil }
            return
        }
        // The first block is for version 1. The second block has 64-bit times and is followed by
        // a rule.
        let start = first.end(timeByteCount: 4)
        guard let second = Header(bytes, at: start), read(bytes, header: second, timeByteCount: 8)
        else {
            return nil
        }
        let footer = bytes.dropFirst(second.end(timeByteCount: 8))
        guard footer.first == 0x0A, let end = footer.dropFirst().firstIndex(of: 0x0A) else {
            return nil
        }
        let text = footer[..<end].dropFirst()
        if !text.isEmpty {
            guard let rule = YearlyRule(Array(text)) else { return nil }
            self.rule = rule
        }
    }

    /// Seconds ahead of UTC at a moment.
    package func offset(at time: CalendarTime) -> Int {
        let second = time.secondsSinceEpoch
        guard let last = moments.last, second < last else {
            return rule?.offset(at: time) ?? offsets.last ?? firstOffset
        }
        let next = moments.partitioningIndex { $0 > second }
        return next == 0 ? firstOffset : offsets[next - 1]
    }

    private mutating func read(_ bytes: [UInt8], header: Header, timeByteCount: Int) -> Bool {
        let types = header.start + header.momentCount * (timeByteCount + 1)
        guard header.end(timeByteCount: timeByteCount) <= bytes.count, header.typeCount > 0 else {
            return false
        }
        func offset(ofType type: Int) -> Int? {
            guard type < header.typeCount else { return nil }
            let offset = Header.integer(bytes, at: types + 6 * type, byteCount: 4)
            // RFC 8536 §3.2: from -24:59:59 to 25:59:59.
            return (-89_999...93_599).contains(offset) ? offset : nil
        }
        guard let first = offset(ofType: 0) else { return false }
        firstOffset = first
        for index in 0..<header.momentCount {
            let moment = Header.integer(
                bytes, at: header.start + index * timeByteCount, byteCount: timeByteCount)
            let type = Int(bytes[header.start + header.momentCount * timeByteCount + index])
            guard moments.last.map({ $0 < moment }) ?? true, let offset = offset(ofType: type)
            else { return false }
            moments.append(moment)
            offsets.append(offset)
        }
        return true
    }

    /// Header of a data block (RFC 8536 §3.1).
    private struct Header {
        let version: UInt8
        let start: Int
        let momentCount: Int
        let typeCount: Int
        private let otherByteCount: (leaps: Int, rest: Int)

        private static let byteCount = 44

        init?(_ bytes: [UInt8], at position: Int) {
            guard bytes.count >= position + Self.byteCount,
                bytes.contains(Array("TZif".utf8), at: position)
            else { return nil }
            version = bytes[position + 4]
            let counts = (0..<6).map {
                Self.integer(bytes, at: position + 20 + 4 * $0, byteCount: 4)
            }
            guard counts.allSatisfy({ (0...bytes.count).contains($0) }) else { return nil }
            start = position + Self.byteCount
            momentCount = counts[3]
            typeCount = counts[4]
            otherByteCount = (counts[2], counts[0] + counts[1] + counts[5])
        }

        /// Position after the block.
        func end(timeByteCount: Int) -> Int {
            start + momentCount * (timeByteCount + 1) + typeCount * 6
                + otherByteCount.leaps * (timeByteCount + 4) + otherByteCount.rest
        }

        /// A signed big-endian number.
        static func integer(_ bytes: [UInt8], at position: Int, byteCount: Int) -> Int {
            let sign: Int = bytes[position] >= 0x80 ? -1 : 0
            return bytes[position..<position + byteCount].reduce(sign) { $0 << 8 | Int($1) }
        }
    }
}

/// A rule for all years: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 8536 §3.3, POSIX `TZ`).
struct YearlyRule: Equatable, Sendable {
    /// Standard time in seconds ahead of UTC.
    private var standard = 0
    private var summer: Summer?

    private struct Summer: Equatable {
        let offset: Int
        let begins: Day
        let ends: Day
    }

    /// When clocks are changed, in local time before the change.
    private struct Day: Equatable {
        enum Kind: Equatable {
            /// Day of the year from 1; 29 February is never counted.
            case julian(Int)
            /// Day of the year from 0; 29 February is counted.
            case ordinal(Int)
            /// Week from 1 to 5, where 5 is the last one, and weekday, where 0 is Sunday.
            case weekday(month: Int, week: Int, day: Int)
        }

        let kind: Kind
        let second: Int

        /// Seconds from 1970 to the change, in local time before the change.
        func second(in year: Int) -> Int {
            func start(_ month: Int, _ year: Int = year) -> Int {
                CalendarTime(year: year, month: month)?.secondsSinceEpoch ?? 0
            }
            let day = 86_400
            switch kind {
            case .ordinal(let number): return start(1) + number * day + second
            case .julian(let number):
                let isLeap = start(3) - start(2) > 28 * day
                return start(1) + (number - 1 + (isLeap && number > 59 ? 1 : 0)) * day + second
            case .weekday(let month, let week, let weekday):
                let first = start(month)
                let next = month == 12 ? first + 31 * day : start(month + 1)
                // 1970 began with a Thursday.
                let weekdayOfFirst = ((first / day + 4) % 7 + 7) % 7
                var date = first + ((weekday - weekdayOfFirst + 7) % 7 + (week - 1) * 7) * day
                while date >= next { date -= 7 * day }
                return date + second
            }
        }
    }

    init?(_ bytes: [UInt8]) {
        var scanner = Scanner(bytes: bytes)
        guard scanner.name(), let west = scanner.time(hourLimit: 24) else { return nil }
        standard = -west
        guard !scanner.isAtEnd else { return }
        guard scanner.name() else { return nil }
        var offset = standard + 3600
        if scanner.peek != UInt8(ascii: ",") {
            guard let west = scanner.time(hourLimit: 24) else { return nil }
            offset = -west
        }
        guard scanner.skip(","), let begins = scanner.day(), scanner.skip(","),
            let ends = scanner.day(), scanner.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, begins: begins, ends: ends)
    }

    func offset(at time: CalendarTime) -> Int {
        guard let summer else { return standard }
        let second = time.secondsSinceEpoch
        let year = time.adding(seconds: standard).year
        let begin = summer.begins.second(in: year) - standard
        let end = summer.ends.second(in: year) - summer.offset
        let isSummer =
            begin < end ? (begin..<end).contains(second) : !(end..<begin).contains(second)
        return isSummer ? summer.offset : standard
    }

    private struct Scanner {
        let bytes: [UInt8]
        private var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var peek: UInt8? { bytes.byte(at: index) }
        var isAtEnd: Bool { index == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard let peek, UInt32(peek) == character.value else { return false }
            index += 1
            return true
        }

        /// Skips a zone abbreviation, `CET` or `<+03>`, which does not affect the time.
        mutating func name() -> Bool {
            let start = index
            if skip("<") {
                while let peek, peek != UInt8(ascii: ">") { index += 1 }
                return skip(">")
            }
            while let peek, (0x41...0x5A).contains(peek & 0xDF) { index += 1 }
            return index > start
        }

        mutating func number(upTo limit: Int) -> Int? {
            var value = 0
            let start = index
            while let peek, (0x30...0x39).contains(peek) {
                value = value * 10 + Int(peek - 0x30)
                guard value <= limit else { return nil }
                index += 1
            }
            return index > start ? value : nil
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time(hourLimit: Int) -> Int? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number(upTo: hourLimit) else { return nil }
            var seconds = hours * 3600
            if skip(":") {
                guard let minutes = number(upTo: 59) else { return nil }
                seconds += minutes * 60
                if skip(":") {
                    guard let rest = number(upTo: 59) else { return nil }
                    seconds += rest
                }
            }
            return isNegative ? -seconds : seconds
        }

        mutating func day() -> Day? {
            let kind: Day.Kind
            if skip("M") {
                guard let month = number(upTo: 12), month > 0, skip("."),
                    let week = number(upTo: 5), week > 0, skip("."), let day = number(upTo: 6)
                else { return nil }
                kind = .weekday(month: month, week: week, day: day)
            } else if skip("J") {
                guard let day = number(upTo: 365), day > 0 else { return nil }
                kind = .julian(day)
            } else {
                guard let day = number(upTo: 365) else { return nil }
                kind = .ordinal(day)
            }
            guard skip("/") else { return Day(kind: kind, second: 2 * 3600) }
            return time(hourLimit: 167).map { Day(kind: kind, second: $0) }
        }
    }
}
