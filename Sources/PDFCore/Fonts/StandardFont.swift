/// Widths and glyph names of standard fonts, which every viewer has (ISO 32000-1 §9.6.2.2).
/// Helvetica covers Latin text including Central European letters, the other fonts cover ASCII.
package struct StandardFont: Equatable, Sendable {
    package let baseName: String
    let asciiWidths: [UInt16]

    package static let regular = StandardFont(
        baseName: "Helvetica",
        asciiWidths: [
            278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
            556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
            1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
            667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
            333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
            556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
        ])

    package static let bold = StandardFont(
        baseName: "Helvetica-Bold",
        asciiWidths: [
            278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
            556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
            975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
            667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
            333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
            611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
        ])

    /// The standard font with a name; `nil` for other fonts and for those without letters.
    package static func named(_ baseName: String) -> StandardFont? {
        switch baseName {
        case "Helvetica", "Helvetica-Oblique": regular
        case "Helvetica-Bold", "Helvetica-BoldOblique": bold
        case "Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique": courier
        case "Times-Roman": times
        case "Times-Bold": timesBold
        case "Times-Italic": timesItalic
        case "Times-BoldItalic": timesBoldItalic
        default: nil
        }
    }

    /// Advance width of `scalar` in thousandths of the font size; `nil` if the font lacks it.
    package func width(of scalar: Unicode.Scalar) -> Int? {
        if let width = asciiWidth(scalar) { return width }
        guard let letter = Self.letters[scalar] else { return nil }
        return letter.width ?? asciiWidth(letter.base)
    }

    /// Glyph name of a non-ASCII character, for an encoding's /Differences.
    package func glyphName(of scalar: Unicode.Scalar) -> String? { Self.letters[scalar]?.name }

    /// The non-ASCII character with a glyph name; `nil` for other names.
    package static func scalar(named name: String) -> Unicode.Scalar? { scalars[name] }

    private static let scalars: [String: Unicode.Scalar] = Dictionary(
        letters.map { ($0.value.name, $0.key) }, uniquingKeysWith: { min($0, $1) })

    private func asciiWidth(_ scalar: Unicode.Scalar) -> Int? {
        let index = Int(scalar.value) - 32
        return asciiWidths.indices.contains(index) ? Int(asciiWidths[index]) : nil
    }

    private struct Letter: Sendable {
        let name: String
        /// The ASCII letter with the same width.
        let base: Unicode.Scalar
        var width: Int?
    }

    /// Non-ASCII letters with their names in the Adobe Glyph List. Built on first use only.
    private static let letters: [Unicode.Scalar: Letter] = {
        var letters: [Unicode.Scalar: Letter] = [
            "\u{A0}": Letter(name: "space", base: " "),
            "ß": Letter(name: "germandbls", base: "b", width: 611),
            "æ": Letter(name: "ae", base: "m", width: 889),
            "Æ": Letter(name: "AE", base: "W", width: 1000),
            "ø": Letter(name: "oslash", base: "o", width: 611),
            "Ø": Letter(name: "Oslash", base: "O"),
            "œ": Letter(name: "oe", base: "W"), "Œ": Letter(name: "OE", base: "W", width: 1000),
            "ð": Letter(name: "eth", base: "o"), "Ð": Letter(name: "Eth", base: "D"),
            "þ": Letter(name: "thorn", base: "p"), "Þ": Letter(name: "Thorn", base: "P"),
            "ł": Letter(name: "lslash", base: "i", width: 278),
            "Ł": Letter(name: "Lslash", base: "L"),
            "đ": Letter(name: "dcroat", base: "d"), "Đ": Letter(name: "Dcroat", base: "D"),
            "ı": Letter(name: "dotlessi", base: "t", width: 278),
            "–": Letter(name: "endash", base: "0"),
            "—": Letter(name: "emdash", base: "M", width: 1000),
            "‘": Letter(name: "quoteleft", base: "i"), "’": Letter(name: "quoteright", base: "i"),
            "‚": Letter(name: "quotesinglbase", base: "i"),
            "“": Letter(name: "quotedblleft", base: "("),
            "”": Letter(name: "quotedblright", base: "("),
            "„": Letter(name: "quotedblbase", base: "("),
            "…": Letter(name: "ellipsis", base: "M", width: 1000),
            "·": Letter(name: "periodcentered", base: "."),
            "•": Letter(name: "bullet", base: ":", width: 350),
            "€": Letter(name: "Euro", base: "0"), "§": Letter(name: "section", base: "0"),
            "©": Letter(name: "copyright", base: "O", width: 737),
            "®": Letter(name: "registered", base: "O", width: 737),
            "°": Letter(name: "degree", base: "*", width: 400),
            "«": Letter(name: "guillemotleft", base: "0"),
            "»": Letter(name: "guillemotright", base: "0"),
            "¡": Letter(name: "exclamdown", base: "("),
            "¿": Letter(name: "questiondown", base: "?"),
        ]
        let accented: [(String, String)] = [
            ("acute", "ÁáĆćÉéÍíĹĺŃńÓóŔŕŚśÚúÝýŹź"), ("grave", "ÀàÈèÌìÒòÙù"),
            ("circumflex", "ÂâÊêÎîÔôÛû"), ("dieresis", "ÄäËëÏïÖöÜüÿŸ"), ("tilde", "ÃãÑñÕõ"),
            ("caron", "ČčĎďĚěĽľŇňŘřŠšŤťŽž"), ("ring", "ÅåŮů"), ("cedilla", "ÇçŞş"),
            ("ogonek", "ĄąĘęĮįŲų"), ("macron", "ĀāĒēĪīŌōŪū"), ("breve", "ĂăĞğ"),
            ("hungarumlaut", "ŐőŰű"), ("dotaccent", "ĖėİŻż"), ("commaaccent", "ĢģĶķĻļŅņȘșȚț"),
        ]
        for (accent, characters) in accented {
            for scalar in characters.unicodeScalars {
                guard let base = base(of: scalar) else { continue }
                // An accented i has the width of the dotless i.
                letters[scalar] = Letter(
                    name: "\(base)\(accent)", base: base, width: base == "i" ? 278 : nil)
            }
        }
        return letters
    }()

    /// The letter under an accent, from the name: `LATIN SMALL LETTER A WITH ACUTE`.
    private static func base(of accented: Unicode.Scalar) -> Unicode.Scalar? {
        guard let words = accented.properties.name?.split(separator: " "), words.count > 4
        else { return nil }
        return Unicode.Scalar(words[1] == "SMALL" ? words[3].lowercased() : String(words[3]))
    }
}
