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
        if doubt == nil { doubt = try encodingDoubt(encoding, &budget) }
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
        _ encoding: PDFObject, _ budget: inout ShownFont.Budget
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
        return CodeMap.doubt(about: content, isVertical: mode == 1)
    }

    private mutating func mapDoubt(
        _ part: PDFDictionary, _ encoding: PDFObject, _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        let map = try document.value(part, "CIDToGIDMap")
        let descriptor = try document.value(part, "FontDescriptor").dictionaryValue
        let file = try FontFile(of: descriptor, in: document)
        if let file, let program = try file.program(in: document, within: &budget) {
            if program.movesPoints { return ShownFont.moved }
            let system = try document.value(part, "CIDSystemInfo").dictionaryValue
            let ordering = try system.map { (system) throws(PDFError) in
                try document.value(system, "Ordering").stringValue
            }
            if program.isCompactWithNames, ordering != Array("Identity".utf8) {
                return "its glyphs have names, and its codes are numbers of other glyphs"
            }
        }
        if map == .null || map.nameValue == "Identity" { return nil }
        guard let stream = map.streamValue else { return "its map to glyphs is none" }
        guard let file else { return nil }
        let isOpen = try document.value(file.stream.dictionary, "Subtype").nameValue == "OpenType"
        guard file.key == "FontFile2" || isOpen else {
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

    /// `c [w w ...]` and `c c w` (ISO 32000-2 §9.7.4.3), each code once.
    private func widthDoubt(
        _ part: PDFDictionary, _ budget: inout ShownFont.Budget
    ) throws(PDFError) -> String? {
        let entry = try document.value(part, "W")
        guard entry != .null else { return nil }
        guard let entries = entry.arrayValue else { return "its widths are no list" }
        budget.workCount += min(entries.count, Self.widthLimit)
        var ranges: [ClosedRange<Int>] = []
        var pending: [Int] = []
        for entry in entries.prefix(Self.widthLimit) {
            let entry = try document.resolve(entry)
            if let list = entry.arrayValue, pending.count == 1 {
                if !list.isEmpty { ranges.append(pending[0]...(pending[0] + list.count - 1)) }
                pending = []
            } else if pending.count == 2, entry.numberValue != nil {
                guard pending[0] <= pending[1] else { return "its widths are for codes backwards" }
                ranges.append(pending[0]...pending[1])
                pending = []
            } else {
                guard let code = entry.integerValue, (0...0xFFFF).contains(code), pending.count < 2
                else { return "its widths are not as they should be" }
                pending.append(code)
            }
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        let isTwice = zip(ranges, ranges.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
        return isTwice ? "it has two widths for a code" : nil
    }
}

/// Which codes strings are made of, and which characters they stand for (ISO 32000-2 §9.7.5).
enum CodeMap {
    /// Those that readers have, without `-H` and `-V` (ISO 32000-2 Table 116).
    private static let stems: Set<String> = [
        "Identity", "GB-EUC", "GBpc-EUC", "GBK-EUC", "GBKp-EUC", "GBK2K", "UniGB-UCS2",
        "UniGB-UTF16", "B5pc", "HKscs-B5", "ETen-B5", "ETenms-B5", "CNS-EUC", "UniCNS-UCS2",
        "UniCNS-UTF16", "83pv-RKSJ", "90ms-RKSJ", "90msp-RKSJ", "90pv-RKSJ", "Add-RKSJ", "EUC",
        "Ext-RKSJ", "UniJIS-UCS2", "UniJIS-UCS2-HW", "UniJIS-UTF16", "KSC-EUC", "KSCms-UHC",
        "KSCms-UHC-HW", "KSCpc-EUC", "UniKS-UCS2", "UniKS-UTF16", "UniJIS2004-UTF16",
    ]

    static func isKnown(_ name: PDFName) -> Bool {
        let text = name.description
        guard text.hasSuffix("-H") || text.hasSuffix("-V") else {
            return text == "H" || text == "V"
        }
        return stems.contains(String(text.dropLast(2)))
    }

    /// What in a map leads readers to different codes or characters, in words; nil for nothing.
    static func doubt(about content: [UInt8], isVertical: Bool) -> String? {
        var reader = ContentReader(content)
        var spaces: [(first: [UInt8], last: [UInt8])] = []
        var mode = 0
        while let operation = reader.next() {
            let strings = operation.strings
            switch operation.name {
            case "usecmap": return "its encoding is one on top of another"
            case "endbfchar", "endbfrange": return "its encoding is a map to letters"
            case "endcodespacerange":
                guard strings.count.isMultiple(of: 2) else {
                    return "its encoding has half a range"
                }
                for index in stride(from: 0, to: strings.count, by: 2) {
                    spaces.append((strings[index], strings[index + 1]))
                }
                guard spaces.count <= spaceLimit else { return "its encoding has too many ranges" }
            case "endcidchar", "endcidrange", "endnotdefchar", "endnotdefrange":
                let width = operation.name.hasSuffix("char") ? 1 : 2
                guard strings.count == operation.numbers.count * width,
                    operation.operands.count == operation.numbers.count * (width + 1),
                    strings.allSatisfy({ code in spaces.contains { $0.first.count == code.count } })
                else { return "its encoding maps something else than codes to numbers" }
            case "def" where operation.names.last == "WMode":
                mode = operation.numbers.last.map { $0 == 1 ? 1 : 0 } ?? 0
            default: break
            }
        }
        guard (mode == 1) == isVertical else {
            return "its encoding says both of vertical and of horizontal writing"
        }
        return spaceDoubt(spaces)
    }

    private static let spaceLimit = 100

    /// Codes of one byte and of two, none of which begins as another one is.
    private static func spaceDoubt(_ spaces: [(first: [UInt8], last: [UInt8])]) -> String? {
        guard !spaces.isEmpty else { return "its encoding does not say how long codes are" }
        for (index, space) in spaces.enumerated() {
            guard space.first.count == space.last.count, (1...2).contains(space.first.count),
                space.first[0] <= space.last[0]
            else { return "its encoding has codes that are not of one or two bytes" }
            let isShared = spaces[..<index].contains { other in
                other.first.count != space.first.count && other.first[0] <= space.last[0]
                    && space.first[0] <= other.last[0]
            }
            if isShared { return "its encoding has codes that begin like others" }
        }
        return nil
    }
}
