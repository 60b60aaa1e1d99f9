import PDFCore

/// Whether readers draw the same glyphs in the same places for what is shown in a font: whether its
/// dictionary is as ISO 32000-2 §9.6 and §9.7 have it, and its encoding leads to glyphs that the font has.
/// Where not, one reader draws nothing, another one a glyph that it guesses.
struct ShownFont {
    /// What departs whatever is shown, in words.
    private(set) var doubt: String?
    /// Codes for which readers find different glyphs, or not all find one.
    var odd = ShownCodes()
    /// Codes that the font has a width for; nil where it does not matter.
    private var codes: ClosedRange<Int>?
    /// Codes whose width each reader takes from elsewhere.
    private var unmeasured = ShownCodes()
    /// How many codes of two bytes its map to glyphs has; nil without one.
    private var mapCount: Int?

    private let document: PDFDocument
    private let font: PDFDictionary

    /// How much of font programs may still be decoded, in bytes, and whether it was enough.
    struct Budget {
        var byteCount: Int
        var isEnough = true
        /// How many entries and bytes of dictionaries were gone through.
        var workCount = 0
    }

    /// Widths that all readers can hold, in thousandths of the size; of glyphs that are content, the
    /// matrix of the font says what they are.
    static let widths = -10_000.0...10_000
    private static let codeLimit = 255
    private static let controls = 0..<32
    /// Of 8-bit fonts, that only some readers know.
    private static let expert = "MacExpertEncoding"

    init(
        _ font: PDFDictionary, in document: PDFDocument, within budget: inout Budget
    ) throws(PDFError) {
        (self.font, self.document) = (font, document)
        switch try value("Subtype").nameValue {
        case "Type0":
            let composite = try CompositeFont(font, in: document, within: &budget)
            (doubt, mapCount) = (composite.doubt, composite.mapCount)
        case "Type3":
            doubt = try glyphDoubt(&budget)
            codes = try codeRange()
        default: doubt = try simpleDoubt(&budget)
        }
    }

    /// What departs in what is shown, in words; nil for nothing.
    func doubt(for shown: ShownCodes) -> String? {
        if let doubt { return doubt }
        if !shown.isDisjoint(with: odd) { return "not all readers find the same glyph for a code" }
        if !shown.isDisjoint(with: unmeasured) { return "it has no width for a code that is shown" }
        if let mapCount, shown.highestPair >= mapCount {
            return "its map to glyphs ends before a code that is shown"
        }
        guard let codes else { return nil }
        let isOutside = (0...Self.codeLimit).contains { code in
            !codes.contains(code) && shown.contains(UInt8(code))
        }
        return isOutside ? "a code that is shown is not between FirstChar and LastChar" : nil
    }

    private func value(_ key: PDFName) throws(PDFError) -> PDFObject {
        try document.value(font, key)
    }

    // MARK: Fonts whose glyphs are content

    private mutating func glyphDoubt(_ budget: inout Budget) throws(PDFError) -> String? {
        guard let glyphs = try value("CharProcs").dictionaryValue else {
            return "it has no glyphs"
        }
        guard let encoding = try value("Encoding").dictionaryValue else {
            return "it has no encoding"
        }
        let matrix = try value("FontMatrix").arrayValue ?? []
        guard matrix.count == 6, try areNumbers(matrix) else {
            return "its FontMatrix is not six numbers"
        }
        guard let names = try differences(of: encoding, &budget) else {
            return "its Differences have a number that is no code"
        }
        // Some readers draw another glyph then.
        for (code, name) in names where glyphs[name] == nil { odd.insert(UInt8(code)) }
        return try widthDoubt(&budget)
    }

    // MARK: Simple fonts

    private mutating func simpleDoubt(_ budget: inout Budget) throws(PDFError) -> String? {
        if let subtype = try value("Subtype").nameValue, subtype.description.hasPrefix("CIDFont") {
            return "it is a part of a composite font"
        }
        let descriptor = try value("FontDescriptor").dictionaryValue
        let name = try value("BaseFont").nameValue?.description ?? ""
        let isStandard = DynamicContentSearch.standardFonts.contains(name)
        let file = try FontFile(of: descriptor, in: document)
        let hasWidths = try value("Widths") != .null
        if !isStandard || file != nil || hasWidths, let doubt = try widthDoubt(&budget) {
            return doubt
        }
        guard let coding = try coding(descriptor, &budget) else {
            return "its Differences have a number that is no code"
        }
        guard coding.base != Self.expert else { return Self.unknownEncoding }
        guard let file else { return isStandard ? doubtWithoutProgram(name, coding) : nil }
        let found = try file.program(in: document, within: &budget, isPartEnough: true)
        guard let program = found else { return nil }
        if let doubt = program.doubt { return doubt }
        return try doubt(about: program, name, coding)
    }

    /// What the font says of its codes; nil for differences that are no such list.
    private func coding(
        _ descriptor: PDFDictionary?, _ budget: inout Budget
    ) throws(PDFError) -> Coding? {
        let encoding = try value("Encoding")
        var base = encoding
        var names: [Int: PDFName] = [:]
        if let values = encoding.dictionaryValue {
            base = try document.value(values, "BaseEncoding")
            guard let found = try differences(of: values, &budget) else { return nil }
            names = found
        }
        let flags = try descriptor.map { (values) throws(PDFError) in
            try document.value(values, "Flags").integerValue ?? 0
        }
        return Coding(
            differences: names, base: base.nameValue?.description, exists: encoding != .null,
            isNamed: encoding.nameValue != nil,
            isSymbolic: (flags ?? 0) & SimpleFont.symbolicFlag != 0,
            isLatin: (flags ?? 0) & SimpleFont.latinFlag != 0)
    }

    /// - Parameter name: that of a font that every reader has.
    private mutating func doubtWithoutProgram(_ name: String, _ coding: Coding) -> String? {
        let names = coding.differences
        // Bytes that are no letters are as wide as one to some readers, and nothing to others.
        for code in Self.controls where names[code] == nil { odd.insert(UInt8(code)) }
        let hasLetters = !Self.ownGlyphs.contains(name)
        let base = LatinEncoding(coding.base)
        noteNames(names, beneath: { !hasLetters || Self.isSeen($0, in: base) }) {
            hasLetters ? StandardNames.has($0) : !StandardNames.isGuess($0)
        }
        return hasLetters || !coding.isNamed ? nil : Self.letterEncoding
    }

    private mutating func doubt(
        about program: FontProgram, _ name: String, _ coding: Coding
    ) throws(PDFError) -> String? {
        let kind = try value("Subtype").nameValue
        if let glyphs = program.trueType {
            if kind == "Type1" || kind == "MMType1" { return Self.otherKind }
            if let base = coding.base, !Self.encodings.contains(base) {
                return Self.unknownEncoding
            }
            if program.movesPoints { return Self.moved }
            if glyphs.hasOddMaps { return "its map of characters is not in order" }
            noteDisagreement(glyphs, coding)
        } else if let known = program.named {
            if kind == "TrueType" { return Self.otherKind }
            if Self.ownGlyphs.contains(name), !coding.exists, known.names.contains([0x41]) {
                return "it has the name of a font of signs, and has letters"
            }
            noteNames(
                coding.differences,
                beneath: { code in
                    let own = known.encoding?[code], usual = coding.encoding ?? .standard
                    return [own, usual.names[code]].contains { name in
                        name.map { known.names.contains($0) && !Self.isBlankName($0) } ?? false
                    }
                }
            ) { known.names.contains($0.bytes) }
            noteOwnCodes(known.names, known.encoding, coding)
        }
        return nil
    }

    /// What departs where a font of signs has an encoding of letters, by which few readers go.
    static let letterEncoding = "its encoding is one of letters"
    /// What departs where a font is said to be of another kind than its program.
    static let otherKind = "its program is of another kind than it says"
    /// What departs where an encoding is none that TrueType fonts have.
    static let unknownEncoding = "its encoding is one that not all readers know"
    private static let encodings: Set<String> = [
        "WinAnsiEncoding", "MacRomanEncoding", "StandardEncoding",
    ]
    static let moved = "its glyphs bring instructions that give them other shapes"

    /// Standard fonts whose glyphs have names of their own.
    static let ownGlyphs: Set<String> = ["Symbol", "ZapfDingbats"]

    /// Which codes get another glyph; nil for what is no such list.
    private func differences(
        of encoding: PDFDictionary, _ budget: inout Budget
    ) throws(PDFError) -> [Int: PDFName]? {
        var names: [Int: PDFName] = [:]
        var code = 0
        let entries = try document.value(encoding, "Differences").arrayValue ?? []
        budget.workCount += entries.count
        for entry in entries {
            let entry = try document.resolve(entry)
            if let name = entry.nameValue {
                guard code <= Self.codeLimit else { return nil }
                names[code] = name
                code += 1
            } else {
                guard let number = entry.integerValue, (0...Self.codeLimit).contains(number) else {
                    return nil
                }
                code = number
            }
        }
        return names
    }

    // MARK: Widths

    private func codeRange() throws(PDFError) -> ClosedRange<Int>? {
        guard let first = try value("FirstChar").integerValue,
            let last = try value("LastChar").integerValue, first <= last
        else { return nil }
        return first...last
    }

    private mutating func widthDoubt(_ budget: inout Budget) throws(PDFError) -> String? {
        guard let widths = try value("Widths").arrayValue else { return "it has no widths" }
        guard let codes = try codeRange(), codes.lowerBound >= 0, codes.upperBound <= Self.codeLimit
        else { return "its FirstChar and LastChar are no codes" }
        budget.workCount += min(widths.count, Self.codeLimit)
        let isContent = try value("Subtype").nameValue == "Type3"
        for width in widths.prefix(Self.codeLimit + 1) {
            guard let number = try document.resolve(width).numberValue, number.isFinite else {
                return "a width is no number"
            }
            if number < 0 { return "a width is negative" }
            guard isContent || Self.widths.contains(number) else {
                return "a width is larger than readers can hold"
            }
        }
        // Where the list ends too early or too late, readers go on with what follows, or with others.
        let end = codes.lowerBound + widths.count - 1
        for code in min(end, codes.upperBound)..<min(max(end, codes.upperBound), Self.codeLimit) {
            unmeasured.insert(UInt8(code + 1))
        }
        let descriptor = try value("FontDescriptor").dictionaryValue ?? PDFDictionary()
        let missing = try document.value(descriptor, "MissingWidth")
        guard missing == .null || missing.numberValue.map(Self.widths.contains) == true else {
            return "the width of codes without one is none"
        }
        if missing == .null, !isContent {
            for code in 0...Self.codeLimit where !codes.contains(code) {
                unmeasured.insert(UInt8(code))
            }
        }
        return nil
    }

    private func areNumbers(_ entries: [PDFObject]) throws(PDFError) -> Bool {
        for entry in entries where try document.resolve(entry).numberValue == nil { return false }
        return true
    }
}

/// The fonts of a document in which text is shown, each looked at once.
struct ShownFonts {
    private let document: PDFDocument
    private let effort: DynamicContent.Effort
    private var known: [ObjectID: ShownFont] = [:]
    private var budget: ShownFont.Budget

    private static let entryCost = 16

    init(_ document: PDFDocument, _ effort: DynamicContent.Effort) {
        (self.document, self.effort) = (document, effort)
        budget = ShownFont.Budget(byteCount: effort.fontByteCount)
    }

    /// Whether fonts were not looked at that should have been.
    var isOverspent: Bool { effort == .thorough && !budget.isEnough }

    /// - Returns: What departs in what is shown, in words, and what it took to find out, as if it were
    ///   content, in bytes.
    mutating func doubt(
        about font: PDFDictionary, _ id: ObjectID?, _ codes: ShownCodes
    ) throws(PDFError) -> (doubt: String?, cost: Int) {
        if let id, let font = known[id] { return (font.doubt(for: codes), 0) }
        let before = budget.workCount
        do throws(PDFError) {
            let font = try ShownFont(font, in: document, within: &budget)
            if let id { known[id] = font }
            return (font.doubt(for: codes), Self.entryCost * (budget.workCount - before + 1))
        } catch {
            guard error.code != .readFailed else { throw error }
            return (nil, Self.entryCost * (budget.workCount - before + 1))
        }
    }
}

/// Where the program of a font is embedded.
struct FontFile {
    let key: PDFName
    let stream: PDFStream

    private static let keys: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]

    /// Nil where none is.
    init?(of descriptor: PDFDictionary?, in document: PDFDocument) throws(PDFError) {
        guard let descriptor else { return nil }
        for key in Self.keys {
            guard let stream = try document.value(descriptor, key).streamValue else { continue }
            (self.key, self.stream) = (key, stream)
            return
        }
        return nil
    }

    /// Nil beyond the budget, and for what cannot be decoded.
    ///
    /// - Parameter isPartEnough: whether the beginning does, where the rest is beyond the budget.
    func program(
        in document: PDFDocument, within budget: inout ShownFont.Budget, isPartEnough: Bool = false
    ) throws(PDFError) -> FontProgram? {
        do throws(PDFError) {
            let bytes = try document.decodedData(of: stream, upTo: budget.byteCount)
            budget.byteCount -= bytes.count
            return FontProgram(bytes)
        } catch {
            guard error.code != .readFailed else { throw error }
            guard error.code == .limitExceeded else { return nil }
            budget.isEnough = false
            guard isPartEnough else {
                // Another font may be smaller; all of these together cost as much as one.
                budget.byteCount /= 2
                return nil
            }
            defer { budget.byteCount = 0 }
            return FontProgram(
                try document.beginning(of: stream, byteCount: budget.byteCount), isWhole: false)
        }
    }
}

/// What names of glyphs mean where no embedded font says it.
enum StandardNames {
    /// Beyond the standard Latin characters, what readers' own fonts have.
    private static let others: Set<PDFName> = [
        "Euro", "Delta", "lozenge", "radical", "notequal", "partialdiff", "summation", "lessequal",
        "greaterequal", "commaaccent",
    ]

    /// Whether all readers have a glyph of a standard font of letters under a name.
    static func has(_ name: PDFName) -> Bool {
        StandardStrings.latin.contains(name.bytes) || others.contains(name)
            || StandardFont.scalar(named: name.description) != nil
    }

    /// What `uni` and four digits mean; nil for other names.
    static func unicode(of name: PDFName) -> Int? {
        let text = name.description
        guard text.hasPrefix("uni"), text.utf8.count == 7 else { return nil }
        return Int(text.dropFirst(3), radix: 16)
    }

    /// Whether a name says but a number or a variant, which some readers follow and others do not.
    static func isGuess(_ name: PDFName) -> Bool {
        let text = name.description
        if text.isEmpty || text.contains(where: { $0 == "." || $0 == "_" }) { return true }
        let hexadecimals = text.reversed().prefix(while: \.isHexDigit).count
        if ["uni", "u"].contains(String(text.dropLast(hexadecimals))) { return hexadecimals >= 2 }
        let digits = text.reversed().prefix(while: \.isWholeNumber).count
        switch String(text.dropLast(digits)) {
        case "", "g", "G", "c", "C", "x", "cid", "gid", "glyph", "index":
            return text.last?.isNumber == true
        default: return false
        }
    }
}
