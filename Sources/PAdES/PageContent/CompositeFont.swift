import ByteKit
import PDFCore

/// Whether a composite font is as ISO 32000-2 §9.7 has it; see ``ShownFont``.
struct CompositeFont {
    /// What departs, in words.
    private(set) var doubt: String?
    /// How many codes its map to glyphs has, where the codes are two bytes; nil without one.
    private(set) var mapCount: Int?

    private let document: PDFDocument

    /// Longest map that is looked at, in bytes: of all codes of two bytes.
    private static let mapByteLimit = 1 << 17
    private static let programByteLimit = 1 << 20
    private static let widthLimit = 1 << 17
    /// Bytes are gone through faster than entries.
    private static let bytesPerEntry = 16

    init(
        _ font: PDFDictionary, in document: PDFDocument, within budget: inout ShownFont.Budget
    ) throws(PDFError) {
        self.document = document
        guard let parts = try document.value(font, "DescendantFonts").arrayValue, parts.count == 1,
            let part = try document.resolve(parts[0]).dictionaryValue
        else {
            doubt = "it has not one font that it is made of"
            return
        }
        let encoding = try document.value(font, "Encoding")
        doubt = try kindDoubt(part)
        if doubt == nil { doubt = try encodingDoubt(encoding, part, &budget) }
        if doubt == nil { doubt = try widthDoubt(part, &budget) }
        guard doubt == nil else { return }
        doubt = try mapDoubt(part, encoding, &budget)
    }

    private func kindDoubt(_ part: PDFDictionary) throws(PDFError) -> String? {
        let kind = try document.value(part, "Subtype").nameValue
        guard kind == "CIDFontType0" || kind == "CIDFontType2" else {
            return "what it is made of is no font of such"
        }
        let system = try document.value(part, "CIDSystemInfo").dictionaryValue ?? PDFDictionary()
        guard try document.value(system, "Registry").stringValue != nil,
            try document.value(system, "Ordering").stringValue != nil
        else { return "it does not say which characters it has (CIDSystemInfo)" }
        return nil
    }

    private func encodingDoubt(
        _ encoding: PDFObject, _ part: PDFDictionary, _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        if let name = encoding.nameValue {
            return CodeMap.isKnown(name) ? nil : "its encoding is no map that all readers have"
        }
        guard let stream = encoding.streamValue else { return "it has no encoding" }
        guard try document.value(stream.dictionary, "UseCMap") == .null else {
            return "its encoding is one on top of another"
        }
        let content: [UInt8]
        do throws(PDFError) {
            content = try document.decodedData(of: stream, upTo: Self.programByteLimit)
        } catch {
            guard error.code != .readFailed else { throw error }
            return error.code == .limitExceeded ? nil : "its encoding cannot be decoded"
        }
        budget.workCount += content.count / Self.bytesPerEntry
        let mode = try document.value(stream.dictionary, "WMode").integerValue ?? 0
        return try CodeMap.doubt(
            about: content, isVertical: mode == 1,
            hasKnownBlank: ordering(of: part) != Self.unordered)
    }

    /// The name of the collection that has no order of characters of its own.
    private static let unordered = Array("Identity".utf8)

    private func ordering(of part: PDFDictionary) throws(PDFError) -> [UInt8]? {
        let system = try document.value(part, "CIDSystemInfo").dictionaryValue
        return try system.flatMap { (system) throws(PDFError) in
            try document.value(system, "Ordering").stringValue
        }
    }

    private mutating func mapDoubt(
        _ part: PDFDictionary, _ encoding: PDFObject, _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        let map = try document.value(part, "CIDToGIDMap")
        let isTrueType = try document.value(part, "Subtype").nameValue == "CIDFontType2"
        let descriptor = try document.value(part, "FontDescriptor").dictionaryValue
        let file = try FontFile(of: descriptor, in: document)
        if let file, let program = try file.program(in: document, within: &budget) {
            if program.movesPoints { return ShownFont.moved }
            if let doubt = program.doubt { return doubt }
            if program.hasOtherNumbers(isTrueType: isTrueType) {
                return "its glyphs have numbers that are not their places: readers go by either"
            }
            if program.isCompactWithNames, try ordering(of: part) != Self.unordered {
                return "its glyphs have names, and its codes are numbers of other glyphs"
            }
        }
        if map == .null || map.nameValue == "Identity" { return nil }
        guard let stream = map.streamValue else { return "its map to glyphs is none" }
        guard let file else { return nil }
        let isOpen = try document.value(file.stream.dictionary, "Subtype").nameValue == "OpenType"
        guard isTrueType, file.key == "FontFile2" || isOpen else {
            return "it has a map to glyphs that are not by numbers"
        }
        do throws(PDFError) {
            let count = try document.decodedData(of: stream, upTo: Self.mapByteLimit).count
            budget.workCount += count / Self.bytesPerEntry
            guard count.isMultiple(of: 2) else { return "its map to glyphs is cut off" }
            if encoding.nameValue?.description.hasPrefix("Identity") == true {
                mapCount = count / 2
            }
        } catch {
            guard error.code != .readFailed else { throw error }
            if error.code != .limitExceeded { return "its map to glyphs cannot be decoded" }
        }
        return nil
    }

    /// The widths for horizontal writing, and what there is for vertical writing.
    private func widthDoubt(
        _ part: PDFDictionary, _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        let usual = try document.value(part, "DW")
        guard usual == .null || usual.numberValue.map(ShownFont.widths.contains) == true else {
            return "its usual width is none (DW)"
        }
        let vertical = try document.value(part, "DW2")
        let place = try document.numbers(part, "DW2")
        guard vertical == .null || place?.count == 2 else {
            return "its usual place for vertical writing is none (DW2)"
        }
        if let doubt = try listDoubt(part, "W", valueCount: 1, &budget) { return doubt }
        return try listDoubt(part, "W2", valueCount: 3, &budget)
    }

    /// `c [w w ...]` and `c c w` (ISO 32000-2 §9.7.4.3), each code once.
    ///
    /// - Parameter valueCount: how many numbers a code has.
    private func listDoubt(
        _ part: PDFDictionary, _ key: PDFName, valueCount: Int,
        _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        let entry = try document.value(part, key)
        guard entry != .null else { return nil }
        guard let entries = entry.arrayValue else { return "its widths are no list (\(key))" }
        budget.workCount += min(entries.count, Self.widthLimit)
        guard entries.count <= Self.widthLimit else {
            return "it has more widths than codes (\(key))"
        }
        var list = WidthList(valueCount: valueCount)
        var remaining = (WidthList.codes.upperBound + 1) * valueCount
        for entry in entries {
            let entry = try document.resolve(entry)
            guard let elements = entry.arrayValue else {
                guard list.take(entry) else {
                    return "its widths are not as they should be (\(key))"
                }
                continue
            }
            budget.workCount += min(elements.count, Self.widthLimit)
            // One list may stand in many places.
            remaining -= elements.count
            guard remaining >= 0 else { return "it has more widths than codes (\(key))" }
            var values: [PDFObject] = []
            for element in elements { values.append(try document.resolve(element)) }
            guard list.take(values) else { return "its widths are not as they should be (\(key))" }
        }
        guard list.isWhole else { return "its widths are cut off (\(key))" }
        return list.hasTwice ? "it has two widths for a code (\(key))" : nil
    }
}

/// The codes that a list of widths has, and whether all in it is what should be there.
private struct WidthList {
    private let valueCount: Int
    private var ranges: [ClosedRange<Int>] = []
    private var pending: [Double] = []

    static let codes = 0...0xFFFF

    init(valueCount: Int) { self.valueCount = valueCount }

    var isWhole: Bool { pending.isEmpty }

    var hasTwice: Bool {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
    }

    /// - Returns: Whether it may stand there.
    mutating func take(_ entry: PDFObject) -> Bool {
        guard let number = entry.numberValue, ShownFont.widths.contains(number) || pending.count < 2
        else { return false }
        if pending.count < 2 {
            guard let code = entry.integerValue, Self.codes.contains(code) else { return false }
        }
        pending.append(number)
        guard pending.count == 2 + valueCount else { return true }
        let (first, last) = (Int(pending[0]), Int(pending[1]))
        guard first <= last else { return false }
        ranges.append(first...last)
        pending = []
        return true
    }

    mutating func take(_ values: [PDFObject]) -> Bool {
        guard pending.count == 1, values.count.isMultiple(of: valueCount),
            values.allSatisfy({ $0.numberValue.map(ShownFont.widths.contains) ?? false })
        else { return false }
        let first = Int(pending[0])
        if !values.isEmpty { ranges.append(first...(first + values.count / valueCount - 1)) }
        pending = []
        return true
    }
}
