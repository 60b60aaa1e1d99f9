import PDFCore

// Which glyphs readers find for codes.
extension ShownFont {
    /// What a simple font says of its codes.
    struct Coding {
        let differences: [Int: PDFName]
        /// The name of an encoding.
        let base: String?
        /// Whether it says anything.
        let exists: Bool
        /// Whether the font is said to have other glyphs than letters, by codes of its own.
        let isSymbolic: Bool

        var encoding: LatinEncoding? { LatinEncoding(base) }
    }

    /// What has no glyph, or none that anybody sees.
    private static let blanks: Set<PDFName> = [
        ".notdef", "space", "nbspace", "nonbreakingspace", "uni00A0", ".null", "nonmarkingreturn",
        "CR", "NULL", "controlCR",
    ]
    /// Blanks, ends of lines, and a hyphen where lines may be broken.
    private static let blankCodes: Set<Int> = [0, 9, 10, 13, 32, 127, 160, 173]

    mutating func noteNames(_ names: [Int: PDFName], _ isKnown: (PDFName) -> Bool) {
        for (code, name) in names where !Self.blanks.contains(name) && !isKnown(name) {
            odd.insert(UInt8(truncatingIfNeeded: code))
        }
    }

    // MARK: Glyphs by names

    /// Notes codes whose names the font has no glyphs for, and such that the font and the document mean
    /// in different ways.
    ///
    /// - Parameter own: what the font says of codes; nil where that cannot be read.
    mutating func noteOwnCodes(
        _ known: Set<[UInt8]>, _ own: [Int: [UInt8]]?, _ coding: Coding
    ) {
        // For letters readers take the usual codes or the font's, and so for names that few know.
        let isEither = coding.base != nil || !coding.isSymbolic
        guard let names = coding.encoding?.names ?? own else { return }
        for code in 0...255
        where coding.differences[code] == nil && !Self.blankCodes.contains(code) {
            let name = names[code]
            if coding.encoding != nil, name == nil { continue }
            let isKnown = name.map(known.contains) ?? false
            let isOne =
                coding.encoding != nil || !isEither || name == LatinEncoding.standard.names[code]
            if !isKnown || !isOne { odd.insert(UInt8(code)) }
        }
    }

    // MARK: Glyphs by maps

    /// Characters that fonts have several glyphs for, which look the same.
    private static let ambiguous: Set<Int> = [0xAF, 0xB5, 0xB7, 0x2022]

    /// Notes codes for which the lists of a TrueType font lead to several glyphs, or only those of some
    /// readers lead to any.
    mutating func noteDisagreement(_ glyphs: TrueTypeGlyphs, _ coding: Coding) {
        let scalars = (coding.encoding ?? .standard).scalars
        for code in 0...255 where !Self.blankCodes.contains(code) {
            let name = coding.differences[code]
            var character: Int? = coding.exists && scalars[code] != 0 ? scalars[code] : nil
            if let name { character = LatinEncoding.scalar(of: name.bytes) }
            if Self.ambiguous.contains(character ?? code) { continue }
            let hasMeaning = coding.exists && (name != nil || character != nil)
            let byCode = glyphs.glyphs(
                ofCode: code, isRoman: coding.isSymbolic || !hasMeaning)
            var byName: Set<Int> = []
            if let character {
                // What the map for Unicode has beyond ASCII, nobody looks for in the other one.
                let isOther =
                    character < 127
                    || glyphs.glyphs(ofCharacter: character, isRoman: false, isNamed: false)
                        .isEmpty
                byName = glyphs.glyphs(
                    ofCharacter: character, isRoman: !coding.isSymbolic && isOther,
                    isNamed: coding.exists)
            } else if name == nil {
                byName = glyphs.glyphs(ofCharacter: code, isRoman: false, isNamed: false)
            }
            let isElsewhere = character.map { isInRomanAlone($0, glyphs) } ?? false
            let hasMissed =
                character != nil && byName.isEmpty && !byCode.isEmpty
                && (glyphs.hasUnicode || !coding.isSymbolic && glyphs.hasRoman) || isElsewhere
            let isFoundByFew =
                glyphs.hasMaps && byCode.isEmpty
                && (byName.isEmpty || coding.isSymbolic && name != nil)
                && (name == nil || character != nil)
            if byCode.union(byName).count > 1 || hasMissed || isFoundByFew {
                odd.insert(UInt8(code))
            }
        }
        // Names that only stand for a number readers guess by.
        guard let known = glyphs.names else { return }
        noteNames(coding.differences) { !StandardNames.isGuess($0) || known.contains($0.bytes) }
    }

    /// Whether a map for Unicode lacks a character that the one for MacRoman has: few readers look there
    /// too.
    private func isInRomanAlone(_ character: Int, _ glyphs: TrueTypeGlyphs) -> Bool {
        func found(_ isRoman: Bool) -> Set<Int> {
            glyphs.glyphs(ofCharacter: character, isRoman: isRoman, isNamed: !isRoman)
        }
        return glyphs.hasUnicode && found(false).isEmpty && !found(true).isEmpty
    }
}
