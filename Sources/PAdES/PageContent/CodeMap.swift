import ByteKit
import PDFCore

/// Which codes strings are made of, and which characters they stand for (ISO 32000-2 §9.7.5).
enum CodeMap {
    /// Those that readers have, without `-H` and `-V` (ISO 32000-2 Table 116).
    private static let stems: Set<ExactText> = [
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
        return stems.contains(ExactText(String(text.dropLast(2))))
    }

    /// What in a map leads readers to different codes or characters, in words; nil for nothing.
    ///
    /// - Parameter hasKnownBlank: whether number 1 is a blank, as in all collections but that without
    ///   an order of its own.
    static func doubt(
        about content: [UInt8], isVertical: Bool, hasKnownBlank: Bool = false
    ) -> String? {
        if hasOddCodes(content) { return "its encoding has codes in another form than all read" }
        var reader = ContentReader(content)
        var lists = CodeLists(hasKnownBlank: hasKnownBlank)
        while let operation = reader.next() {
            if let doubt = lists.take(operation) { return doubt }
        }
        guard reader.isReadable else { return "its encoding cannot be read" }
        guard lists.modes.count <= 1, (lists.modes.first == 1) == isVertical else {
            return "its encoding says both of vertical and of horizontal writing"
        }
        return lists.doubt
    }

    /// What is in a map; nil where readers go by it in different ways.
    static func lists(in content: [UInt8]) -> CodeLists? {
        var reader = ContentReader(content)
        var lists = CodeLists()
        guard !hasOddCodes(content) else { return nil }
        while let operation = reader.next() {
            guard lists.take(operation) == nil else { return nil }
        }
        guard reader.isReadable, lists.doubt == nil else { return nil }
        lists.sort()
        return lists
    }

    private static let whiteSpace: Set<UInt8> = [0, 9, 10, 12, 13, 32]

    /// Whether a code has half a byte or white space in it, or stands between parentheses, where texts
    /// follow names alone: some readers pass over such.
    private static func hasOddCodes(_ content: [UInt8]) -> Bool {
        enum Place { case between, name, code(Int), text, comment }
        var place = Place.between
        for (index, byte) in content.enumerated() {
            switch (place, byte) {
            case (.text, UInt8(ascii: ")")), (.comment, 10), (.comment, 13): place = .between
            case (.text, _), (.comment, _): break
            case (.code(let start), UInt8(ascii: ">")):
                guard (index - start).isMultiple(of: 2) else { return true }
                place = .between
            case (.code, let byte): if Hex.value(of: byte) == nil { return true }
            case (_, UInt8(ascii: "<")):
                // The second one begins a dictionary.
                let isSecond = index > 0 && content[index - 1] == byte
                let isFirst = index + 1 < content.count && content[index + 1] == byte
                place = isFirst || isSecond ? .between : .code(index + 1)
            case (_, UInt8(ascii: "/")): place = .name
            case (_, UInt8(ascii: "%")): place = .comment
            case (.name, UInt8(ascii: "(")): place = .text
            case (.between, UInt8(ascii: "(")): return true
            case (.name, UInt8(ascii: ">")): place = .between
            case (.name, let byte):
                // Of a name, or behind it: until the next word begins.
                let isAfter = index > 0 && whiteSpace.contains(content[index - 1])
                if isAfter, !whiteSpace.contains(byte) { place = .between }
            default: break
            }
        }
        return false
    }
}

/// The lists of an embedded map: which codes there are, and which numbers they have.
struct CodeLists {
    private typealias Space = (first: [UInt8], last: [UInt8])

    /// Codes of so many bytes, one behind the other, and the number of the first one.
    private struct Entry {
        let byteCount: Int
        let codes: ClosedRange<Int>
        let number: Int
        /// By how much numbers are above codes.
        var shift: Int { number - codes.lowerBound }
    }

    let hasKnownBlank: Bool
    private(set) var modes: Set<Int> = []
    private var spaces: [Space] = []
    private var entries: [Entry] = []
    /// What is between `begin` and `end`.
    private var open: String?
    private var isEnded = false

    private static let spaceLimit = 16
    private static let highestNumber = 0xFFFF
    private static let codeByteLimit = 4
    private static let kinds: Set<String> = [
        "codespacerange", "cidchar", "cidrange", "notdefchar", "notdefrange",
    ]
    /// What else is in maps (Adobe Technical Note 5014): whatever it does, no reader follows it.
    private static let words: Set<String> = [
        "findresource", "begin", "end", "dict", "dup", "def", "defineresource", "pop",
        "currentdict", "begincmap", "CMapName", "readonly",
    ]

    init(hasKnownBlank: Bool = false) { self.hasKnownBlank = hasKnownBlank }

    mutating func take(_ operation: ContentOperation) -> String? {
        let name = operation.name
        if name.hasPrefix("begin"), Self.kinds.contains(String(name.dropFirst(5))) {
            guard open == nil, !isEnded, operation.strings.isEmpty else {
                return "its encoding has lists in one another, or behind its end"
            }
            open = String(name.dropFirst(5))
            return nil
        }
        if name.hasPrefix("end"), Self.kinds.contains(String(name.dropFirst(3))) {
            guard open == String(name.dropFirst(3)) else {
                return "its encoding has a list that does not begin"
            }
            open = nil
            return takeList(operation)
        }
        guard open == nil else { return "its encoding has a list that does not end" }
        switch name {
        case "usecmap": return "its encoding is one on top of another"
        case "beginbfchar", "beginbfrange", "endbfchar", "endbfrange":
            return "its encoding is a map to letters"
        case "endcmap": isEnded = true
        case "def" where operation.names.contains("WMode"):
            modes.insert(operation.numbers.last == 1 ? 1 : 0)
        default: if !Self.words.contains(name) { return "its encoding is a program" }
        }
        return nil
    }

    private mutating func takeList(_ operation: ContentOperation) -> String? {
        let strings = operation.strings
        if operation.name == "endcodespacerange" {
            guard strings.count.isMultiple(of: 2), strings.count == operation.operands.count else {
                return "its encoding has half a range"
            }
            for index in stride(from: 0, to: strings.count, by: 2) {
                spaces.append((strings[index], strings[index + 1]))
            }
            return spaces.count <= Self.spaceLimit ? nil : "its encoding has too many ranges"
        }
        let words = "its encoding maps something else than codes to numbers"
        let width = operation.name.hasSuffix("char") ? 1 : 2
        guard strings.count == operation.numbers.count * width, !operation.hasFractions,
            operation.operands.count == operation.numbers.count * (width + 1)
        else { return words }
        let isBlank = operation.name.hasPrefix("endnotdef")
        for (index, number) in operation.numbers.enumerated() {
            let (first, last) = (strings[index * width], strings[index * width + width - 1])
            guard let entry = entry(first, last, number) else { return words }
            if !isBlank {
                entries.append(entry)
            } else if entry.number > (hasKnownBlank ? 1 : 0) {
                // Only some readers look there.
                return "its encoding has glyphs for codes without any"
            }
        }
        return nil
    }

    /// - Returns: nil for codes that are in none of the spaces, or not in order.
    private func entry(_ first: [UInt8], _ last: [UInt8], _ number: Double) -> Entry? {
        let isKnown = spaces.contains { Self.contains(first, $0) && Self.contains(last, $0) }
        // Of several rows some readers take the part of each that both ends are in.
        let isPlain =
            first.dropLast() == last.dropLast() || first.last == 0 && last.last == 0xFF
        guard first.count <= Self.codeByteLimit else { return nil }
        let codes = [first, last].map { $0.reduce(0) { $0 << 8 | Int($1) } }
        guard isKnown, isPlain, first.count == last.count, codes[0] <= codes[1],
            let number = Int(exactly: number), (0...Self.highestNumber).contains(number),
            number + codes[1] - codes[0] <= Self.highestNumber
        else { return nil }
        return Entry(byteCount: first.count, codes: codes[0]...codes[1], number: number)
    }

    private static func contains(_ code: [UInt8], _ space: Space) -> Bool {
        code.count == space.first.count && code.count == space.last.count
            && code.indices.allSatisfy {
                (space.first[$0]...).contains(code[$0]) && code[$0] <= space.last[$0]
            }
    }

    // MARK: Looking up

    /// Those of ``entries`` that overlap give the same numbers.
    fileprivate mutating func sort() {
        entries.sort { ($0.byteCount, $0.codes.lowerBound) < ($1.byteCount, $1.codes.lowerBound) }
        var apart: [Entry] = []
        for entry in entries {
            if let last = apart.last, last.byteCount == entry.byteCount,
                entry.codes.lowerBound <= last.codes.upperBound
            {
                let end = max(last.codes.upperBound, entry.codes.upperBound)
                apart[apart.count - 1] = Entry(
                    byteCount: last.byteCount, codes: last.codes.lowerBound...end,
                    number: last.number)
            } else {
                apart.append(entry)
            }
        }
        entries = apart
    }

    /// How many bytes the code has that begins at a place; nil where none does.
    func byteCount(of bytes: [UInt8], at place: Int) -> Int? {
        spaces.first { space in
            place + space.first.count <= bytes.count
                && space.first.indices.allSatisfy {
                    (space.first[$0]...).contains(bytes[place + $0])
                        && bytes[place + $0] <= space.last[$0]
                }
        }?.first.count
    }

    /// The number of a code; 0, for no glyph, where it has none.
    func number(of code: Int, byteCount: Int) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let entry = entries[middle]
            if (entry.byteCount, entry.codes.upperBound) < (byteCount, code) {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        guard range.lowerBound < entries.count else { return 0 }
        let entry = entries[range.lowerBound]
        return entry.byteCount == byteCount && entry.codes.contains(code)
            ? code + entry.shift : 0
    }

    // MARK: What departs

    /// What departs in all of it, in words.
    var doubt: String? {
        if open != nil { return "its encoding has a list that does not end" }
        return spaceDoubt ?? entryDoubt
    }

    /// Codes of one byte and of two, none of which begins as another one is.
    private var spaceDoubt: String? {
        guard !spaces.isEmpty else { return "its encoding does not say how long codes are" }
        for (index, space) in spaces.enumerated() {
            guard space.first.count == space.last.count, (1...2).contains(space.first.count),
                zip(space.first, space.last).allSatisfy({ $0 <= $1 })
            else { return "its encoding has codes that are not of one or two bytes" }
            let isShared = spaces[..<index].contains { other in
                zip(zip(space.first, space.last), zip(other.first, other.last)).allSatisfy {
                    $0.0 <= $1.1 && $1.0 <= $0.1
                }
            }
            if isShared { return "its encoding has codes that begin like others" }
        }
        return nil
    }

    /// Of two numbers for a code some readers take the first one, others the last.
    private var entryDoubt: String? {
        let sorted = entries.sorted {
            ($0.byteCount, $0.codes.lowerBound) < ($1.byteCount, $1.codes.lowerBound)
        }
        guard var farthest = sorted.first else { return nil }
        for entry in sorted.dropFirst() {
            if entry.byteCount == farthest.byteCount,
                entry.codes.lowerBound <= farthest.codes.upperBound
            {
                guard entry.shift == farthest.shift else {
                    return "its encoding has two numbers for a code"
                }
                if entry.codes.upperBound <= farthest.codes.upperBound { continue }
            }
            farthest = entry
        }
        return nil
    }
}
