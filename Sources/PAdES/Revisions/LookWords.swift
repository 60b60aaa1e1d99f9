/// What a look shows as text, compared with a value as people read both.
struct LookWords {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether the look may be one of this value: the same but for what fonts lack or write in another
    /// way.
    func mayShow(_ value: String) -> Bool {
        let (seen, said) = (Self.plain(text), Self.plain(value))
        guard !Self.areRightToLeft(text, value) else {
            // In the order of the page, in forms that letters take there.
            return Self.runs(Self.plain(text, true)) == Self.runs(Self.plain(value, true))
        }
        return Self.isShown(said[...], as: seen[...])
    }

    /// What is written from left to right among other letters, in any order: words of ASCII, and numbers
    /// with what stands between their digits (Unicode UAX #9, classes EN, AN and CS).
    private static func runs(_ text: [Character]) -> [String] {
        var found: [String] = [""]
        let scalars = text.flatMap(\.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isBetween =
                separators.contains(scalar) && scalars[..<index].last.map(isDigit) ?? false
                && scalars[(index + 1)...].first.map(isDigit) ?? false
            if isBetween || isDigit(scalar) || scalar.isASCII && scalar.properties.isAlphabetic {
                found[found.count - 1].unicodeScalars.append(scalar)
            } else {
                let isSign = scalar.isASCII && !scalar.properties.isWhitespace
                found += [isSign ? String(scalar) : "", ""]
            }
        }
        return found.filter { !$0.isEmpty }.sorted()
    }

    private static let separators: Set<Unicode.Scalar> = [
        ".", ",", ":", "/", "\u{A0}", "\u{60C}", "\u{66B}", "\u{66C}",
    ]

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .decimalNumber
    }

    /// Whether both have letters that are written from right to left.
    static func areRightToLeft(_ first: String, _ second: String) -> Bool {
        [first, second].allSatisfy { text in
            text.unicodeScalars.contains { scalar in
                rightToLeft.contains { $0.contains(scalar.value) }
            }
        }
    }

    /// Whether a font may lack it: who does not see it misses no number, and nothing that reads like ASCII.
    private static func mayLack(_ mark: Character) -> Bool {
        !mark.isASCII
            && mark.unicodeScalars.allSatisfy { scalar in
                ![.decimal, .digit].contains(scalar.properties.numericType)
                    && !latinForms.contains { $0.contains(scalar.value) }
            }
    }

    /// Fractions and Roman numbers, and mathematical, circled and wide forms of Latin letters.
    private static let latinForms: [ClosedRange<UInt32>] = [
        0xBC...0xBE, 0x2150...0x218F, 0x2460...0x24FF, 0xFF01...0xFF5E, 0x1D400...0x1D7FF,
        0x1F100...0x1F1FF,
    ]

    /// Whether all is there in its order, but for characters that the font lacks.
    private static func isShown(
        _ said: ArraySlice<Character>, as seen: ArraySlice<Character>
    ) -> Bool {
        var rest = said
        for mark in seen {
            while let next = rest.first, next != mark, mayLack(next) { rest = rest.dropFirst() }
            guard rest.first == mark else { return false }
            rest = rest.dropFirst()
        }
        return rest.allSatisfy(mayLack)
    }

    /// Without what nobody sees, with what looks alike as one.
    private static func plain(_ text: String, _ hasSpaces: Bool = false) -> [Character] {
        var found = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where hasSpaces || !scalar.properties.isWhitespace {
            if let same = alike[scalar] {
                found.append(contentsOf: same.unicodeScalars)
            } else if scalar.properties.generalCategory != .format {
                found.append(scalar)
            }
        }
        return Array(String(found))
    }

    private static let alike: [Unicode.Scalar: String] = {
        let groups: [(String, String)] = [
            ("-", "\u{2010}\u{2011}\u{2012}–—\u{2015}\u{2212}"), ("'", "‘’‚‛´`"), ("\"", "“”„‟"),
            ("...", "…"), ("fi", "\u{FB01}"), ("fl", "\u{FB02}"), ("ff", "\u{FB00}"),
            ("ffi", "\u{FB03}"), ("ffl", "\u{FB04}"), ("μ", "\u{B5}"), ("•", "·∙"),
        ]
        var found: [Unicode.Scalar: String] = [:]
        for (plain, others) in groups {
            for scalar in others.unicodeScalars { found[scalar] = plain }
        }
        return found
    }()

    /// Hebrew, Arabic and the like, with forms that stand for them (Unicode Bidi_Class R and AL).
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]
}
