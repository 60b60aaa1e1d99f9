import Base

/// A date format: `yyyy-MM-dd HH:mm`, `d. MMMM yyyy`.
///
/// `yyyy`; `MMMM` the month's name, `MM`, `M`; `dd`, `d`; `HH`, `H`, from 0 to 23; `mm`; `ss`; `z`
/// the zone: `UTC`, `UTC+02:00`. Other Latin letters must be quoted: `d 'de' MMMM`; all other
/// characters are literal.
struct DateFormat: Equatable, Sendable {
    private enum Part: Equatable {
        case text(String)
        case field(Field)
    }

    private enum Field: String, CaseIterable {
        case year = "yyyy"
        case monthName = "MMMM"
        case month = "MM"
        case plainMonth = "M"
        case day = "dd"
        case plainDay = "d"
        case hour = "HH"
        case plainHour = "H"
        case minute = "mm"
        case second = "ss"
        case zone = "z"
    }

    private let parts: [Part]

    /// Parses a date format.
    ///
    /// - Throws: ``SignetError``: `.usage` for unknown letters.
    init(_ pattern: some StringProtocol) throws(SignetError) {
        var parts: [Part] = []
        var rest = Substring(pattern)
        while let character = rest.first {
            if character == "'" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "'") else {
                    throw SignetError(
                        .usage, "the date format has an unclosed quotation mark",
                        hint: Sentence(.quoteWords))
                }
                parts.append(.text(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if character.isASCII, character.isLetter {
                let run = rest.prefix { $0 == character }
                guard let field = Field(rawValue: String(run)) else {
                    let known = Field.allCases.map(\.rawValue).joined(separator: " ")
                    throw SignetError(
                        .usage, "the date format contains the unknown letters '\(run)'",
                        hint: Sentence(.chooseDateLetters, known))
                }
                parts.append(.field(field))
                rest = rest.dropFirst(run.count)
            } else {
                parts.append(.text(String(character)))
                rest.removeFirst()
            }
        }
        self.parts = parts
    }

    func text(of time: CalendarTime, in language: Language, _ zone: ClockZone) -> String {
        let offset = zone.offset(at: time)
        let local = time.adding(seconds: offset)
        return parts.map { part in
            guard case .field(let field) = part else {
                guard case .text(let text) = part else { return "" }
                return text
            }
            return switch field {
            case .year: local.year.padded(to: 4)
            case .monthName: String(language.months[local.month - 1])
            case .month: local.month.padded()
            case .plainMonth: String(local.month)
            case .day: local.day.padded()
            case .plainDay: local.day == 1 ? language.firstDay ?? "1" : String(local.day)
            case .hour: local.hour.padded()
            case .plainHour: String(local.hour)
            case .minute: local.minute.padded()
            case .second: local.second.padded()
            case .zone: Self.name(ofOffset: offset)
            }
        }.joined()
    }

    /// Zone such as `UTC` or `UTC+02:00`, because abbreviations like CEST are ambiguous.
    static func name(ofOffset offset: Int) -> String {
        guard offset != 0 else { return "UTC" }
        let minutes = abs(offset) / 60
        return "UTC\(offset < 0 ? "-" : "+")\((minutes / 60).padded()):\((minutes % 60).padded())"
    }
}
