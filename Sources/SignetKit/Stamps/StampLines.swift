import Base
import CryptoBridge
import Pages

/// The text of a signature appearance.
struct StampLines {
    let name: String
    let subject: String
    let reason: String?
    let location: String?
    private let sha256: String
    /// Signing time, displayed in the language and time zone of the options.
    private let time: CalendarTime
    private let language: Language
    private let zone: ClockZone

    private static let quiet = StampColor(red: 0.36, green: 0.4, blue: 0.47)
    private static let strong = StampColor(red: 0.07, green: 0.1, blue: 0.16)
    private static let mark = StampColor(red: 0.13, green: 0.33, blue: 0.62)

    /// Line sizes of the default layout, relative to the largest plain line.
    private enum Scale {
        static let name = 1.4
        static let rest = 0.88
    }

    init(of shown: StampDesign.Subject, options: SigningOptions) {
        name = Self.plain(shown.signerName).split(whereSeparator: \.isNewline).joined(
            separator: " ")
        subject = Self.plain(shown.name.description)
        reason = shown.reason.map(Self.plain)
        location = options.location.map(Self.plain)
        sha256 = shown.sha256 ?? ""
        time = shown.claimedTime
        language = options.language
        zone = options.zone
    }

    /// The default layout, or the given template.
    func paragraphs(template: StampTemplate?) -> [StampParagraph] {
        template.map { fill($0, isBold: false, color: StampColor(gray: 0)) }
            ?? ranked.flatMap(\.self)
    }

    /// Versions of the default layout with fewer lines each time, for small boxes; the last
    /// contains only the name.
    var shortened: [[StampParagraph]] {
        let ranked = ranked
        return [Array(ranked[0...2].joined()), ranked[1] + ranked[2], ranked[1]]
    }

    /// Groups of lines: the heading, the name, the date, and the rest.
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

    /// The text of a mark: the given template, or the initials.
    func mark(template: StampTemplate?) -> [StampParagraph] {
        template.map { fill($0, isBold: false, color: Self.mark) }
            ?? [StampParagraph(initials, isBold: true, color: Self.mark)]
    }

    private var initials: String { Self.initials(of: name) }

    /// The initials of a name, without titles: abbreviations, and words after a comma with inner
    /// capitals.
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
        template.filled(text, date: date).map { line in
            StampParagraph(line.map { .init($0.text, isBold: isBold || $0.isBold) }, color: color)
        }
    }

    /// The text of the template's QR code, which has no controls of directions.
    func code(_ template: StampTemplate) -> String? {
        template.filledCode(text, date: date).map(Self.plain)
    }

    private func text(of value: StampTemplate.Value) -> String {
        switch value {
        case .name: self.value(name)
        case .subject: self.value(subject)
        case .date: date(.usual)
        case .reason: self.value(reason ?? "")
        case .location: self.value(location ?? "")
        case .initials: self.value(initials)
        case .sha256: sha256
        }
    }

    /// The date as text. It is isolated (UAX #9, FSI and PDI), since in text of the other direction
    /// date and time would be swapped.
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

    /// Isolates an inserted value in a right-to-left appearance, so that it keeps its own
    /// direction.
    private func value(_ text: String) -> String {
        language.isRightToLeft ? Self.isolated(text) : text
    }

    private static func isolated(_ text: String) -> String { "\u{2068}\(text)\u{2069}" }

    /// The text without characters that change the direction of surrounding text.
    private static func plain(_ text: String) -> String {
        var scalars = text.unicodeScalars
        scalars.removeAll { ("\u{2066}"..."\u{2069}").contains($0) }
        return String(scalars)
    }
}
