/// Compares names by their appearance, to detect confusable ones.
///
/// It covers a small part of Unicode's confusables (UTS #39): case, invisible characters, spaces,
/// composed and decomposed accents, and Greek and Cyrillic letters and digits similar to Latin
/// letters.
enum ConfusableNames {
    private static let lookAlikes: [Unicode.Scalar: Character] = {
        let letters: [(Character, String)] = [
            ("a", "\u{0430}\u{03B1}\u{0251}"), ("b", "\u{0432}\u{03B2}\u{0184}"),
            ("c", "\u{0441}\u{03F2}"), ("d", "\u{0501}"), ("e", "\u{0435}\u{03B5}\u{0454}"),
            ("g", "\u{0261}"), ("h", "\u{043D}\u{04BB}\u{03B7}"), ("j", "\u{0458}\u{03F3}"),
            ("k", "\u{043A}\u{03BA}"), ("m", "\u{043C}\u{03BC}"), ("n", "\u{03BD}\u{0578}"),
            ("o", "0\u{043E}\u{03BF}\u{0585}\u{03C3}"), ("p", "\u{0440}\u{03C1}"),
            ("q", "\u{051B}"), ("s", "\u{0455}"), ("t", "\u{0442}\u{03C4}"),
            ("u", "\u{057D}\u{03C5}"), ("w", "\u{051D}\u{0461}\u{03C9}"),
            ("x", "\u{0445}\u{03C7}"), ("y", "\u{0443}\u{04AF}\u{03B3}"), ("z", "\u{03B6}"),
            ("i", "\u{0456}\u{03B9}\u{0131}"), ("l", "1|\u{04CF}"),
            ("-", "_\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}"),
        ]
        var table: [Unicode.Scalar: Character] = [:]
        for (letter, others) in letters {
            for scalar in others.unicodeScalars { table[scalar] = letter }
        }
        return table
    }()

    /// Fullwidth forms of Latin letters.
    private static let fullWidth: ClosedRange<UInt32> = 0xFF01...0xFF5E

    private static func skeleton(of name: String) -> String {
        var skeleton = ""
        for scalar in name.lowercased().unicodeScalars {
            let properties = scalar.properties
            guard !properties.isDefaultIgnorableCodePoint, !properties.isWhitespace else {
                continue
            }
            var shown = scalar
            if fullWidth.contains(scalar.value) {
                shown = Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
            }
            skeleton.append(lookAlikes[shown] ?? Character(shown))
        }
        return skeleton
    }

    static func areAlike(_ one: String, _ other: String) -> Bool {
        // Swift strings are equal if they are canonically equivalent, so composed and decomposed
        // accents match.
        skeleton(of: one) == skeleton(of: other)
            || skeleton(of: one.replacing("I", with: "l"))
                == skeleton(of: other.replacing("I", with: "l"))
    }
}
