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
        /// Whether it is a name, and no more.
        let isNamed: Bool
        /// Whether the font is said to have other glyphs than letters, by codes of its own.
        var isSymbolic: Bool
        /// Whether it is said to have letters alone, which some readers ask first.
        let isLatin: Bool

        var encoding: LatinEncoding? { LatinEncoding(base) }
    }

    /// What has no glyph, or none that anybody sees, where readers do not take another one.
    private static let blanks: Set<PDFName> = [
        ".notdef", "space", "nbspace", "nonbreakingspace", "uni00A0", ".null", "nonmarkingreturn",
        "CR", "NULL", "controlCR",
    ]
    /// Blanks, ends of lines, and a hyphen where lines may be broken.
    private static let blankCodes: Set<Int> = [0, 9, 10, 13, 32, 127, 160, 173]

    /// - Parameter beneath: what codes mean without the names, where that may be seen.
    mutating func noteNames(
        _ names: [Int: PDFName], beneath: (Int) -> Bool = { _ in false },
        _ isKnown: (PDFName) -> Bool
    ) {
        for (code, name) in names {
            // Some readers go on to what the code means without a name that has no glyph.
            let isOdd =
                Self.blanks.contains(name)
                ? name != "space" && beneath(code) : !isKnown(name)
            if isOdd { odd.insert(UInt8(truncatingIfNeeded: code)) }
        }
    }

    static func isBlankName(_ name: [UInt8]) -> Bool {
        blanks.contains { $0.bytes.elementsEqual(name) }
    }

    /// Whether a code means something that is seen in an encoding of letters.
    static func isSeen(_ code: Int, in encoding: LatinEncoding?) -> Bool {
        !blankCodes.contains(code) && (encoding ?? .standard).scalars[code] != 0
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
        for code in 0...255 {
            var found = self.glyphs(for: code, glyphs, coding)
            if coding.isSymbolic == coding.isLatin {
                // Some readers ask for the one, others for the other.
                var changed = coding
                changed.isSymbolic.toggle()
                let other = self.glyphs(for: code, glyphs, changed)
                found.all.formUnion(other.all)
                let isBySymbols = !glyphs.hasUnicode && !glyphs.hasRoman
                found.isOdd = found.isOdd || other.isOdd || isBySymbols && !found.all.isEmpty
            }
            let name = coding.differences[code]
            let isNamedBlank = name.map(Self.blanks.contains) ?? false
            if isNamedBlank || name == nil && Self.isBlankCode(code, coding) {
                // In the map for MacRoman other codes are blanks.
                let isRoman = coding.isSymbolic || !coding.exists || !glyphs.hasUnicode
                found.all.formUnion(glyphs.glyphs(ofCode: code, isRoman: isRoman))
                found.all.formUnion(
                    glyphs.glyphs(ofCharacter: code, isRoman: false, isNamed: false))
                guard found.all.contains(where: { !glyphs.isBlank($0) }) else { continue }
                let isByCode = coding.isSymbolic && !coding.isLatin
                if !isByCode && code != Self.softHyphen || isNamedBlank { found.isOdd = true }
            }
            if found.isOdd || found.all.count > 1 { odd.insert(UInt8(code)) }
        }
    }

    private static let softHyphen = 173

    /// Whether a code without a name is no letter, and a blank or a hyphen to those who read it.
    private static func isBlankCode(_ code: Int, _ coding: Coding) -> Bool {
        guard blankCodes.contains(code) else { return false }
        return coding.encoding.map { [0, 32, 45].contains($0.scalars[code]) } ?? true
    }

    /// The glyphs that readers may find for a code, and whether only some find one.
    private typealias Found = (all: Set<Int>, isOdd: Bool)

    private func glyphs(
        for code: Int, _ glyphs: TrueTypeGlyphs, _ coding: Coding
    ) -> Found {
        let scalars = (coding.encoding ?? .standard).scalars
        let name = coding.differences[code]
        var character: Int? = coding.exists && scalars[code] != 0 ? scalars[code] : nil
        if let name {
            character = LatinEncoding.scalar(of: name.bytes)
            if character == nil, StandardNames.isGuess(name), !Self.blanks.contains(name) {
                return guessed(name, code, glyphs, coding)
            }
        }
        if Self.ambiguous.contains(character ?? code) { return ([], false) }
        let hasMeaning = coding.exists && (name != nil || character != nil)
        var byCode = glyphs.glyphs(ofCode: code, isRoman: coding.isSymbolic || !hasMeaning)
        var byName: Set<Int> = []
        var isNamedAlone = false
        if let character {
            // What the map for Unicode has beyond ASCII, nobody looks for in the other one.
            let isOther =
                character < 127
                || glyphs.glyphs(ofCharacter: character, isRoman: false, isNamed: false).isEmpty
            let isRoman = !coding.isSymbolic && isOther
            byName = glyphs.glyphs(ofCharacter: character, isRoman: isRoman, isNamed: false)
            isNamedAlone = byName.isEmpty
            byName = glyphs.glyphs(
                ofCharacter: character, isRoman: isRoman, isNamed: coding.exists)
            isNamedAlone = isNamedAlone && !byName.isEmpty
            if name != nil, !coding.isSymbolic {
                byCode.formUnion(glyphs.unnamed(code, character))
            }
        } else if name == nil {
            byName = glyphs.glyphs(ofCharacter: code, isRoman: false, isNamed: false)
        }
        let isElsewhere = character.map { isInRomanAlone($0, glyphs) } ?? false
        let hasMissed =
            character != nil && byName.isEmpty && !byCode.isEmpty
            && (glyphs.hasUnicode || !coding.isSymbolic && glyphs.hasRoman) || isElsewhere
        let isFoundByFew =
            glyphs.hasMaps && byCode.isEmpty
            && (byName.isEmpty || coding.isSymbolic && (name != nil || isNamedAlone))
            && (name == nil || character != nil)
        return (byCode.union(byName), hasMissed || isFoundByFew)
    }

    /// The same for a name that only stands for a number, by which some readers guess.
    private func guessed(
        _ name: PDFName, _ code: Int, _ glyphs: TrueTypeGlyphs, _ coding: Coding
    ) -> Found {
        if glyphs.names?.contains(name.bytes) == true { return ([], false) }
        let byCode = glyphs.glyphs(ofCode: code, isRoman: true)
        let byPlace = glyphs.glyphs(ofCharacter: code, isRoman: false, isNamed: false)
        guard let character = StandardNames.unicode(of: name) else {
            let isBySymbols = !glyphs.hasUnicode && !glyphs.hasRoman
            return (byCode.union(byPlace), !coding.isSymbolic && !isBySymbols)
        }
        let byName = glyphs.glyphs(
            ofCharacter: character, isRoman: !coding.isSymbolic, isNamed: false)
        if !coding.isSymbolic, glyphs.hasMicrosoft { return (byName, byName.isEmpty) }
        let unnamed = coding.isSymbolic ? [] : glyphs.unnamed(code, character)
        return (byCode.union(byPlace).union(byName).union(unnamed), false)
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
