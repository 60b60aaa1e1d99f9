import Base
import Pages

/// The words of a stamp.
struct StampLines {
    let name: String
    let subject: String
    let reason: String?
    let location: String?
    private let time: CalendarTime
    private let language: Language
    private let zone: ClockZone

    private static let quiet = StampColor(red: 0.36, green: 0.4, blue: 0.47)
    private static let strong = StampColor(red: 0.07, green: 0.1, blue: 0.16)
    private static let mark = StampColor(red: 0.13, green: 0.33, blue: 0.62)

    /// The sizes of the default layout's lines, as shares of the largest plain one.
    private enum Scale {
        static let name = 1.4
        static let rest = 0.88
    }

    /// - Parameter time: of the signature, shown as the options' language and time zone have it.
    init(
        name: String, subject: String, time: CalendarTime, reason: String?, options: SigningOptions
    ) {
        self.name = Self.plain(name)
        self.subject = Self.plain(subject)
        self.reason = reason.map(Self.plain)
        location = options.location.map(Self.plain)
        self.time = time
        language = options.language
        zone = options.zone
    }

    /// The default layout, or the person's template.
    func paragraphs(template: StampTemplate?) -> [StampParagraph] {
        template.map { fill($0, isBold: false, color: StampColor(gray: 0)) }
            ?? ranked.flatMap(\.self)
    }

    /// The default layout without its least lines, one more each time, for boxes that are too small
    /// for all of it; at last the name alone.
    var shortened: [[StampParagraph]] {
        let ranked = ranked
        return [Array(ranked[0...2].joined()), ranked[1] + ranked[2], ranked[1]]
    }

    /// The heading, the name, the date, and the rest.
    private var ranked: [[StampParagraph]] {
        func quiet(_ text: String) -> StampParagraph {
            StampParagraph(text, relativeSize: Scale.rest, color: Self.quiet)
        }
        let words = language.words
        return [
            [quiet(words.signedBy)],
            [
                StampParagraph(
                    value(name), isBold: true, relativeSize: Scale.name, color: Self.strong)
            ], [quiet(date(.usual))],
            [(words.reason, reason), (words.location, location)].compactMap { label, value in
                value.map { quiet("\(label)\(words.colon)\(Self.isolated($0))") }
            },
        ]
    }

    /// The text of a mark: the person's template, or the initials.
    func mark(template: StampTemplate?) -> [StampParagraph] {
        template.map { fill($0, isBold: false, color: Self.mark) }
            ?? [StampParagraph(initials, isBold: true, color: Self.mark)]
    }

    private var initials: String { Self.initials(of: name) }

    /// The first letters of a name's words, without titles: what is shortened, and behind a comma what
    /// has capitals within.
    static func initials(of name: String) -> String {
        let parts = name.split(separator: ",", omittingEmptySubsequences: false)
        let words = parts.flatMap { $0.split(separator: " ") }
        let own = parts.enumerated().flatMap { index, part in
            part.split(separator: " ").filter { word in
                let isShort = word.split(separator: ".").allSatisfy { $0.count == 1 }
                let isTitle = index > 0 && word.dropFirst().contains(where: \.isUppercase)
                return isShort && word.contains(".") || !word.hasSuffix(".") && !isTitle
            }
        }
        return (own.isEmpty ? words : own).flatMap {
            $0.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
        }.compactMap(\.first).map { String($0).uppercased() }.joined()
    }

    private func fill(
        _ template: StampTemplate, isBold: Bool, color: StampColor
    ) -> [StampParagraph] {
        let lines = template.filled(
            { value in
                switch value {
                case .name: self.value(name)
                case .subject: self.value(subject)
                case .date: date(.usual)
                case .reason: self.value(reason ?? "")
                case .location: self.value(location ?? "")
                case .initials: self.value(initials)
                }
            }, date: date)
        return lines.map { line in
            StampParagraph(line.map { .init($0.text, isBold: isBold || $0.isBold) }, color: color)
        }
    }

    /// Kept together in text of the other direction (UAX #9, FSI and PDI): day and time would change
    /// places.
    private func date(_ style: StampTemplate.DateStyle) -> String {
        let pattern: DateFormat? =
            switch style {
            case .format(let format): format
            case .short: try? DateFormat(language.shortDate)
            case .long: try? DateFormat(language.longDate)
            case .usual: try? DateFormat("\(language.shortDate) HH:mm:ss z")
            }
        return Self.isolated(pattern?.text(of: time, in: language, zone) ?? time.rfc3339)
    }

    /// Where the stamp runs from right to left, what is filled in has a direction of its own.
    private func value(_ text: String) -> String {
        language.isRightToLeft ? Self.isolated(text) : text
    }

    private static func isolated(_ text: String) -> String { "\u{2068}\(text)\u{2069}" }

    /// Without what would keep the text around it from its own order.
    private static func plain(_ text: String) -> String {
        var scalars = text.unicodeScalars
        scalars.removeAll { ("\u{2066}"..."\u{2069}").contains($0) }
        return String(scalars)
    }
}
