import ArgumentParser
import Base
import SignetKit

/// A value parsed from an option's text.
///
/// Options are declared as text and parsed here: each further type of option costs ArgumentParser a
/// quarter of a millisecond at start-up.
protocol OptionValue {
    /// The expected format, for error messages.
    static var expected: String { get }
    /// The wrong or missing part of an invalid value; nil if the expected format says enough.
    static func mistake(in argument: String) -> String?
    init?(argument: String)
}

extension OptionValue {
    static func mistake(in argument: String) -> String? { nil }
}

enum Value {
    /// The value of an option; nil if it was not given.
    static func parse<Result: OptionValue>(_ text: String?, _ option: String) throws -> Result? {
        guard let text else { return nil }
        guard let value = Result(argument: text) else {
            let reason = Result.mistake(in: text) ?? "expected \(Result.expected)"
            throw ValidationError("The value '\(text)' is invalid for '\(option)': \(reason).")
        }
        return value
    }

    /// The integer value of an option; nil if it was not given.
    static func number(
        _ text: String?, _ option: String, _ what: String = "", in range: ClosedRange<Int>,
        of unit: String = ""
    ) throws -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ValidationError(
                "The value '\(text)' is invalid for '\(option)': expected "
                    + "\(what)\(range.lowerBound) to \(range.upperBound)\(unit).")
        }
        return number
    }

    /// A time limit of 1 to 3600 seconds; nil if it was not given.
    static func seconds(_ text: String?, _ option: String) throws -> Duration? {
        try number(text, option, in: 1...3600, of: " seconds").map { .seconds($0) }
    }

    /// Rejects an empty text, such as of an unset variable in a script.
    static func requireText(_ text: String?, _ option: String) throws {
        guard let text, text.allSatisfy(\.isWhitespace) else { return }
        throw ValidationError("The value of \(option) is empty.")
    }

    /// Rejects two options that exclude each other.
    static func refuseBoth(_ one: String, _ isOne: Bool, _ other: String, _ isOther: Bool) throws {
        if isOne && isOther { throw ValidationError("\(one) and \(other) cannot be combined.") }
    }

    /// Rejects a secret that is given both as a file and as an environment variable.
    static func refuseBoth(_ name: String, _ file: String?, _ environment: String?) throws {
        try refuseBoth("\(name)-file", file != nil, "\(name)-env", environment != nil)
    }
}

/// A length: `20mm`, `2cm`, `1in`, `56pt`; a number without a unit is in points.
struct Length: OptionValue, Equatable {
    static let expected = "a length such as 20mm, 2cm, 1in or 56pt"
    let points: Double

    /// Maximum length in points; no page is larger.
    private static let longest = 1e6

    init?(argument: String) {
        let units: [(String, Double)] = [
            ("mm", 72 / 25.4), ("cm", 720 / 25.4), ("in", 72), ("pt", 1),
        ]
        let unit = units.first { argument.hasSuffix($0.0) }
        let digits = unit == nil ? Substring(argument) : argument.dropLast(2)
        guard let number = Double(digits) else { return nil }
        points = number * (unit?.1 ?? 1)
        guard points.magnitude <= Self.longest else { return nil }
    }

    init(points: Double) { self.points = points }

    var millimetres: Int { Int(nearest: points * 25.4 / 72) }

    /// A warning about a length without a unit, which is rarely intended; nil for others.
    static func unitRemark(_ text: String?, option: String) throws -> String? {
        guard let text, text.last?.isNumber == true,
            let length: Length = try Value.parse(text, option), length.points != 0
        else { return nil }
        return
            "\(option) \(text) has no unit: points are used (\(length.millimetres) mm); add a unit, "
            + "such as \(text)mm"
    }

    /// Parses a list of lengths. A length without a unit has the unit of the last one. Empty if one
    /// is invalid.
    static func list(_ text: some StringProtocol, by separator: Character) -> [Length] {
        let parts = text.split(separator: separator).map { String($0) }
        let unit = String((parts.last ?? "").reversed().prefix { $0.isLetter }.reversed())
        let lengths = parts.map { part in
            Length(argument: part.last?.isLetter == true ? part : part + unit)
        }
        return lengths.contains(nil) ? [] : lengths.compactMap(\.self)
    }
}

/// The size of an appearance: `60x20mm`, `60mmx20mm`.
struct StampSize: OptionValue {
    static let expected = "a width and a height such as 60x20mm"
    let width: Double
    let height: Double

    init?(argument: String) {
        let sides = Length.list(argument, by: "x").map(\.points)
        guard sides.count == 2, sides.allSatisfy({ $0 > 0 }) else { return nil }
        (width, height) = (sides[0], sides[1])
    }
}

/// A page: `1`, `-1`, `last`.
struct PageNumber: Equatable {
    let number: Int

    init?(_ text: Substring) {
        if text == "last" {
            number = -1
        } else {
            guard let number = Int(text), number != 0 else { return nil }
            self.number = number
        }
    }
}

extension StampOptions.Position {
    static let expected = StampPlace.names.joined(separator: ", ") + ", or X,Y such as 20mm,30mm"

    /// The reason why a value is not `PAGE:POSITION`; nil if both parts are wrong.
    ///
    /// - Parameters:
    ///   - pages: the expected pages.
    ///   - isPages: whether a text names pages.
    static func mistake(
        in argument: String, pages: String, isPages: (Substring) -> Bool
    ) -> String? {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        func meant(_ text: Substring) -> String? {
            Self(text) != nil
                ? String(text) : Spelling.nearest(to: String(text), in: StampPlace.names)
        }
        if parts.count == 1, let place = meant(parts[0]) {
            let examples = pages.split(separator: " ").map { "\($0):\(place)" }
            return "the page is missing (use \(examples.joined(separator: " or ")))"
        }
        guard parts.count == 2 else { return nil }
        if isPages(parts[0]) {
            return meant(parts[1]).map { "did you mean \(parts[0]):\($0)?" }
                ?? "the position must be one of \(expected)"
        }
        let isPlace =
            Self(parts[1]) != nil || parts[1] == "auto"
            || StampOptions.TextAnchor(parts[1]) != nil
        return isPlace
            ? "the page '\(parts[0])' is invalid (use \(pages.replacing(" ", with: " or ")))" : nil
    }

    /// A named position, or `X,Y`.
    init?(_ text: Substring) {
        if let place = StampPlace(rawValue: String(text)) {
            self = .place(place)
            return
        }
        let lengths = Length.list(text, by: ",").map(\.points)
        guard lengths.count == 2 else { return nil }
        self = .topLeft(x: lengths[0], y: lengths[1])
    }
}

extension StampOptions.TextAnchor {
    /// Parses a position next to words: `text:WORDS`, `above:2:WORDS`, `below:last:WORDS`.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let side = Side(rawValue: String(parts[0])) else { return nil }
        var words = parts[1]
        var occurrence: Int?
        let rest = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if rest.count == 2, let number = PageNumber(rest[0]) {
            (occurrence, words) = (number.number, rest[1])
        }
        guard words.contains(where: { !$0.isWhitespace }) else { return nil }
        self.init(words: String(words), occurrence: occurrence, side: side)
    }
}

/// A position on a page, `PAGE:POSITION`: `last:bottom-right`, `1:20mm,30mm`, `1:auto`,
/// `1:text:Signature:`. The page is optional for `auto` and words.
struct StampPlaceArgument: OptionValue {
    static let expected = """
        a page (1, 2, ..., -1 or last) and a place (top-left, top, top-right, left, center, right, \
        bottom-left, bottom, bottom-right, or X,Y), such as last:bottom-right or 1:20mm,30mm; or auto, \
        or text:WORDS, above:WORDS, below:WORDS
        """
    /// The page; nil to search for the words on all pages.
    let page: PageNumber?
    let position: StampOptions.Position

    static func mistake(in argument: String) -> String? {
        StampOptions.Position.mistake(in: argument, pages: "last 1") { PageNumber($0) != nil }
    }

    init?(argument: String) {
        if let anchor = StampOptions.TextAnchor(Substring(argument)) {
            (page, position) = (nil, .words(anchor))
            return
        }
        let parts = (argument == "auto" ? "last:auto" : argument)
            .split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let page = PageNumber(parts[0]) else { return nil }
        self.page = page
        if let anchor = StampOptions.TextAnchor(parts[1]) {
            position = .words(anchor)
        } else if parts[1] == "auto" {
            position = .free
        } else if let place = StampOptions.Position(parts[1]) {
            position = place
        } else {
            return nil
        }
    }
}

/// Marks as `PAGES:PLACE`: `all:bottom-right`, `2-5,last:10mm,10mm`.
extension MarkOptions: OptionValue {
    static let expected = """
        pages (all, or 2-5,7,last) and a position, such as all:bottom-right or 2-last:20mm,30mm
        """

    static func mistake(in argument: String) -> String? {
        StampOptions.Position.mistake(in: argument, pages: "all 2-last") {
            MarkOptions(argument: "\($0):center") != nil
        }
    }

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let position = StampOptions.Position(parts[1]) else { return nil }
        if parts[0] == "all" {
            self.init(pages: .all, position: position)
            return
        }
        var ranges: [Pages.Range] = []
        for item in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            if let page = PageNumber(item) {
                ranges.append(.init(first: page.number, last: page.number))
                continue
            }
            // A hyphen at the beginning is a minus sign.
            guard let hyphen = item.dropFirst().firstIndex(of: "-"),
                let first = PageNumber(item[..<hyphen]),
                let last = PageNumber(item[item.index(after: hyphen)...])
            else { return nil }
            ranges.append(.init(first: first.number, last: last.number))
        }
        self.init(pages: .ranges(ranges), position: position)
    }
}

/// A rectangle in default user space: `PAGE:X1,Y1,X2,Y2`.
struct StampRectangle: OptionValue {
    static let expected = "a page (1, 2, ..., -1 or last) and X1,Y1,X2,Y2"
    let page: PageNumber
    let position: StampOptions.Position

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let page = PageNumber(parts[0]) else { return nil }
        let numbers = Length.list(parts[1], by: ",").map(\.points)
        guard numbers.count == 4 else { return nil }
        self.page = page
        position = .userSpace(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
    }
}

extension OptionValue where Self: RawRepresentable<String> & CaseIterable {
    static var expected: String { "one of " + names.joined(separator: ", ") }
    /// Accepts other common spellings of the value, such as `SHA-256`.
    init?(argument: String) {
        func folded(_ name: String) -> String {
            name.lowercased().filter { $0 != "-" && $0 != "_" }
        }
        let name = folded(argument)
        guard let value = Self.allCases.first(where: { folded($0.rawValue) == name }) else {
            return nil
        }
        self = value
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// All values, for completions.
    static var names: [String] { allCases.map { $0.rawValue } }
}

/// A field lock: `all`, `only:A,B` or `except:A,B`.
extension SignatureLock: OptionValue {
    static let expected = "all, only:FIELD,... or except:FIELD,..."

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        let names = parts.dropFirst().first?.split(separator: ",").map(String.init)
        switch (parts.first, names) {
        case ("all"?, nil) where argument == "all": self = .all
        case ("only"?, let names?): self = .only(names)
        case ("except"?, let names?): self = .except(names)
        default: return nil
        }
    }
}

/// A language tag, or `auto` for the language of the environment.
extension Language: OptionValue {
    static let tags = names.joined(separator: ", ")
    static let expected = tags + ", auto"
    private static let tagsOfNames = [
        "arabic": "ar", "czech": "cs", "german": "de", "deutsch": "de", "english": "en",
        "spanish": "es", "french": "fr", "italian": "it", "polish": "pl", "slovak": "sk",
        "ukrainian": "uk", "chinese": "zh",
    ]

    static func mistake(in argument: String) -> String? {
        tagsOfNames[argument.lowercased()].map { "use \($0)" }
    }

    init?(argument: String) {
        guard let language = argument == "auto" ? .ofEnvironment : Language(tag: argument) else {
            return nil
        }
        self = language
    }
}

extension StampBackground: OptionValue {}
extension DocMDPPermission: OptionValue {}
extension SigningOptions.Digest: OptionValue {}
extension SigningOptions.SubFilter: OptionValue {}
extension SigningOptions.Padding: OptionValue {}
extension CertificateProfile: OptionValue {}

extension OID: OptionValue {
    static let expected = "an object identifier such as 1.2.3.4"

    init?(argument: String) { self.init(argument) }
}
