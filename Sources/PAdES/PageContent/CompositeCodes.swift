import PDFCore

/// How strings in a composite font are taken apart into codes, and how far each goes on
/// (ISO 32000-2 §9.7.4 to §9.7.6).
struct CompositeCodes {
    struct Code {
        let value: Int
        let byteCount: Int
        /// Of its glyph; nil where only readers know it.
        let number: Int?
    }

    /// How far a glyph goes on down, and where it stands above its place, in units of the size.
    struct Drop {
        var advance = -1.0
        var x: Double?
        var y = 0.88
    }

    private enum Map {
        /// Codes of two bytes are numbers.
        case pairs
        case lists(CodeLists)
        /// That readers have, by its name.
        case known(String)
    }

    private let map: Map
    let isVertical: Bool
    /// Whether all readers take the codes in one way, and how far they go on is known.
    private(set) var isReadable = true
    private let usualWidth: Double
    private let usualDrop: Drop
    private var widths: [Int: Double] = [:]
    private var drops: [Int: Drop] = [:]
    /// Of all widths.
    private var extremes: ClosedRange<Double>
    /// How long a map of its own is, in bytes.
    private(set) var mapByteCount = 0

    private static let mapByteLimit = 1 << 20

    init(
        _ font: PDFDictionary, in document: PDFDocument, upTo remaining: inout Int
    ) throws(PDFError) {
        let entry = try document.value(font, "DescendantFonts").arrayValue?.first ?? .null
        let part = try document.resolve(entry).dictionaryValue ?? PDFDictionary()
        usualWidth = try (document.value(part, "DW").numberValue ?? 1000) / 1000
        extremes = usualWidth...usualWidth
        var drop = Drop()
        if let place = try document.numbers(part, "DW2"), place.count == 2 {
            (drop.y, drop.advance) = (place[0] / 1000, place[1] / 1000)
        }
        usualDrop = drop
        let encoding = try document.value(font, "Encoding")
        if let stream = encoding.streamValue {
            isVertical = try document.value(stream.dictionary, "WMode").integerValue == 1
            let isAlone = try document.value(stream.dictionary, "UseCMap") == .null
            let content = try? document.decodedData(of: stream, upTo: Self.mapByteLimit)
            mapByteCount = content?.count ?? 0
            if isAlone, let lists = content.flatMap(CodeMap.lists) {
                map = .lists(lists)
            } else {
                map = .pairs
                isReadable = false
            }
        } else {
            let name = encoding.nameValue?.description ?? ""
            isVertical = name == "V" || name.hasSuffix("-V")
            map = name.hasPrefix("Identity") ? .pairs : .known(name)
        }
        widths = try Self.list(document.value(part, "W"), 1, in: document, &remaining) {
            $0[0] / 1000
        }
        for width in widths.values {
            extremes = min(extremes.lowerBound, width)...max(extremes.upperBound, width)
        }
        guard isVertical else { return }
        drops = try Self.list(document.value(part, "W2"), 3, in: document, &remaining) {
            Drop(advance: $0[0] / 1000, x: $0[1] / 1000, y: $0[2] / 1000)
        }
        if case .known = map, !drops.isEmpty { isReadable = false }
    }

    /// `c [w w ...]` and `c c w`, of one or several numbers (ISO 32000-2 §9.7.4.3).
    private static func list<Value>(
        _ entries: PDFObject, _ valueCount: Int, in document: PDFDocument,
        _ remaining: inout Int, _ value: ([Double]) -> Value
    ) throws(PDFError) -> [Int: Value] {
        func take(_ count: Int) -> Bool {
            remaining = max(0, count <= remaining ? remaining - count : 0)
            return remaining > 0
        }
        var found: [Int: Value] = [:]
        var pending: [Double] = []
        for entry in entries.arrayValue ?? [] {
            guard take(1) else { return found }
            let entry = try document.resolve(entry)
            if let elements = entry.arrayValue, let first = pending.first {
                pending = []
                guard take(elements.count) else { return found }
                var numbers: [Double] = []
                for element in elements {
                    numbers.append(try document.resolve(element).numberValue ?? 0)
                }
                for index in 0..<(numbers.count / valueCount) {
                    found[Int(first) + index] = value(
                        Array(numbers[(index * valueCount)..<((index + 1) * valueCount)]))
                }
            } else if let number = entry.numberValue, number.magnitude < 1e6 {
                pending.append(number)
                guard pending.count == 2 + valueCount else { continue }
                let (first, last) = (Int(pending[0]), min(Int(pending[1]), 0xFFFF))
                let made = value(Array(pending[2...]))
                pending = []
                guard first >= 0, first <= last else { continue }
                guard take(last - first + 1) else { return found }
                for code in first...last { found[code] = made }
            }
        }
        return found
    }

    // MARK: Codes

    func codes(of bytes: [UInt8]) -> [Code] {
        var codes: [Code] = []
        codes.reserveCapacity(bytes.count / 2)
        var place = 0
        while place < bytes.count {
            let count = min(byteCount(of: bytes, at: place), bytes.count - place)
            let value = bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
            let number: Int? =
                switch map {
                case .pairs: value
                case .lists(let lists): lists.number(of: value, byteCount: count)
                case .known: nil
                }
            codes.append(Code(value: value, byteCount: count, number: number))
            place += count
        }
        return codes
    }

    private func byteCount(of bytes: [UInt8], at place: Int) -> Int {
        switch map {
        case .pairs: 2
        case .lists(let lists): lists.byteCount(of: bytes, at: place) ?? 1
        case .known(let name):
            KnownCodes.byteCount(
                in: name, bytes[place], place + 1 < bytes.count ? bytes[place + 1] : 0)
        }
    }

    /// How far a code goes on, and how much less and more that may be.
    func width(of code: Code) -> (usual: Double, before: Double, after: Double) {
        guard let number = code.number else {
            return (
                usualWidth, usualWidth - extremes.lowerBound, extremes.upperBound - usualWidth
            )
        }
        return (widths[number] ?? usualWidth, 0, 0)
    }

    /// The same for vertical writing.
    func drop(of code: Code) -> Drop {
        code.number.flatMap { drops[$0] } ?? usualDrop
    }
}

/// How long codes are in the maps that readers have (ISO 32000-2 Table 116).
private enum KnownCodes {
    private static let highSurrogates: ClosedRange<UInt8> = 0xD8...0xDB
    private static let digits: ClosedRange<UInt8> = 0x30...0x39
    /// In EUC, before codes of a second set: of kana, and of the four bytes of CNS.
    private static let second: UInt8 = 0x8E
    private static let lastOfOne: UInt8 = 0x80

    static func byteCount(in name: String, _ first: UInt8, _ next: UInt8) -> Int {
        if name.contains("UTF16") { return highSurrogates.contains(first) ? 4 : 2 }
        if name.contains("UCS2") || name == "H" || name == "V" { return 2 }
        if name.contains("RKSJ") {
            return (0x81...0x9F).contains(first) || (0xE0...0xFC).contains(first) ? 2 : 1
        }
        if name.hasPrefix("CNS-EUC"), first == second { return 4 }
        if name.hasPrefix("GBK2K"), first > lastOfOne, digits.contains(next) { return 4 }
        return first > lastOfOne ? 2 : 1
    }
}
