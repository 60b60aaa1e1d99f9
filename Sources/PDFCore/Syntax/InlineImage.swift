import ByteKit
import CodecBridge

/// The data of a JPEG in a content stream, and the size that is said there.
package struct InlinePicture: Sendable {
    package let data: Range<Int>
    package let width: Int
    package let height: Int
}

/// An image in a content stream (ISO 32000-2 §8.9.7): where it ends, and whether all readers find that
/// place. Some go by its size, others decode its data, others look for `EI`.
struct InlineImage {
    /// Behind `EI`.
    let end: Int
    /// Whether some readers take another end or other entries.
    let isOdd: Bool
    /// Whether it is painted in the colour that is set.
    let isMask: Bool
    let picture: InlinePicture?

    /// White space before `EI`, and a checksum that may be missing, in bytes.
    private static let (spaceLimit, checksumByteCount) = (2, 4)
    private static let entryByteLimit = 4096
    private static let inflatedByteLimit = 1 << 24
    /// How much of the content is decompressed at first.
    private static let firstByteCount = 16 << 10
    /// How many bytes of text behind `EI` satisfy readers that look for it.
    private static let textByteCount = 15

    /// Keys in their short spelling.
    private static let shortKeys: [PDFName: PDFName] = [
        "BitsPerComponent": "BPC", "ColorSpace": "CS", "Decode": "D", "DecodeParms": "DP",
        "Filter": "F", "Height": "H", "ImageMask": "IM", "Interpolate": "I", "Width": "W",
    ]

    /// - Parameters:
    ///   - start: Behind `BI`.
    ///   - dataStart: Behind `ID`.
    ///   - flate: decompresses; nil where that is not worth while any more.
    init(_ content: [UInt8], from start: Int, to dataStart: Int, _ flate: FlateReader?) {
        let first = ContentReader.imageEnd(in: content, from: dataStart)
        var entries: [PDFName: Token]?
        if start < dataStart, dataStart - start <= Self.entryByteLimit {
            entries = Self.entries(Array(content[start..<(dataStart - 2)]))
        }
        isMask = entries.map(Self.isMask) ?? false
        guard let entries, let flate, let first else {
            (end, isOdd) = (first ?? content.count, first == nil || entries == nil)
            picture = nil
            return
        }
        let begin = dataStart + 1
        var isOdd = !Self.isWhole(entries) || !Self.isSpaced(content, at: dataStart)
        var end = first
        switch Self.due(content, begin, entries, flate) {
        case .unknown: break
        case .none: isOdd = true
        case .place(let due, let slack):
            if let place = Self.keyword(in: content, from: due, slack) {
                end = place
            } else {
                isOdd = true
            }
        }
        if !isOdd, !Self.endsItself(entries) {
            isOdd = Self.hasOtherEnd(content, begin..<(end - 2))
        }
        (self.end, self.isOdd) = (end, isOdd)
        let isJPEG = PictureFilters.jpeg.contains(Self.filter(entries) ?? "") && begin <= end - 2
        picture =
            isJPEG
            ? InlinePicture(
                data: begin..<(end - 2), width: Self.number(entries["W"]) ?? 0,
                height: Self.number(entries["H"]) ?? 0) : nil
    }

    // MARK: Entries

    /// Nil for what is no list of entries, or has one twice.
    private static func entries(_ content: [UInt8]) -> [PDFName: Token]? {
        var lexer = Lexer(content)
        var entries: [PDFName: Token] = [:]
        while case .name(let key)? = try? lexer.next(), var value = try? lexer.next() {
            let key = shortKeys[key] ?? key
            guard entries[key] == nil else { return nil }
            entries[key] = value
            var depth = 0
            while true {
                if value == .arrayStart || value == .dictionaryStart { depth += 1 }
                if value == .arrayEnd || value == .dictionaryEnd { depth -= 1 }
                guard depth > 0 else { break }
                guard let next = try? lexer.next(), next != .end else { return nil }
                // Of a list of filters, the first.
                if key == "F", entries[key] == .arrayStart { entries[key] = next }
                value = next
            }
        }
        return entries
    }

    private static func number(_ token: Token?) -> Int? {
        guard case .integer(let value)? = token, (1...Int(Int32.max)).contains(value) else {
            return nil
        }
        return value
    }

    private static func isMask(_ entries: [PDFName: Token]) -> Bool {
        entries["IM"] == .keyword(.true)
    }

    private static func filter(_ entries: [PDFName: Token]) -> PDFName? {
        guard case .name(let name)? = entries["F"] else { return nil }
        return name
    }

    /// Whether it has all entries that an image needs. Data for fax say the depth themselves.
    private static func isWhole(_ entries: [PDFName: Token]) -> Bool {
        let filter = filter(entries)
        if entries["F"] != nil, filter == nil, entries["F"] != .arrayEnd { return false }
        let hasDepth =
            filter.map(PictureFilters.fax.contains) == true || number(entries["BPC"]) != nil
        let hasColors = isMask(entries) || entries["CS"] != nil && hasDepth
        return number(entries["W"]) != nil && number(entries["H"]) != nil && hasColors
    }

    /// Whether one byte of white space follows `ID`, and nothing that may be one or two.
    private static func isSpaced(_ content: [UInt8], at place: Int) -> Bool {
        guard place < content.count, Characters.isWhiteSpace(Int(content[place])) else {
            return false
        }
        return content[place] != 13 || place + 1 == content.count || content[place + 1] != 10
    }

    // MARK: Data

    private enum Due {
        case place(Int, slack: Int)
        case unknown
        /// The data do not end.
        case none
    }

    /// Where the data end, and how many bytes there may be before `EI`.
    private static func due(
        _ content: [UInt8], _ begin: Int, _ entries: [PDFName: Token], _ flate: FlateReader
    ) -> Due {
        switch filter(entries) {
        case nil:
            guard let size = size(entries) else { return .unknown }
            return size <= content.count ? .place(begin + size, slack: spaceLimit) : .none
        case "AHx", "ASCIIHexDecode":
            let digits = content[min(begin, content.count)...].prefix {
                Hex.value(of: $0) != nil || Characters.isWhiteSpace(Int($0))
            }
            guard digits.endIndex < content.count, content[digits.endIndex] == UInt8(ascii: ">")
            else { return .none }
            return .place(digits.endIndex + 1, slack: spaceLimit)
        case "A85", "ASCII85Decode":
            guard let end = content[min(begin, content.count)...].firstIndex(of: 126),
                end + 1 < content.count, content[end + 1] == UInt8(ascii: ">")
            else { return .none }
            return .place(end + 2, slack: spaceLimit)
        case "RL", "RunLengthDecode": return runs(content, begin)
        case "Fl", "FlateDecode": return inflated(content, begin, flate)
        default: return .unknown
        }
    }

    private static func size(_ entries: [PDFName: Token]) -> Int? {
        guard let width = number(entries["W"]), let height = number(entries["H"]) else {
            return nil
        }
        var bits = 1
        if !isMask(entries) {
            guard case .name(let space)? = entries["CS"],
                let count = DeviceColors.inlineComponentCounts[space],
                let depth = number(entries["BPC"]), depth <= 16
            else { return nil }
            bits = count * depth
        }
        let size = ((width * bits + 7) / 8).multipliedReportingOverflow(by: height)
        return size.overflow ? nil : size.partialValue
    }

    private static func runs(_ content: [UInt8], _ begin: Int) -> Due {
        var position = begin
        while position < content.count {
            let length = Int(content[position])
            position += length < 128 ? length + 2 : 2
            if length == 128 { return .place(position - 1, slack: spaceLimit) }
        }
        return .none
    }

    private static func inflated(_ content: [UInt8], _ begin: Int, _ flate: FlateReader) -> Due {
        var count = firstByteCount
        while begin < content.count {
            let part = Array(content[begin..<min(content.count, begin + count)])
            if flate.inflate(part, limit: inflatedByteLimit, { _ in }) != nil {
                return .place(
                    begin + flate.takenByteCount, slack: spaceLimit + checksumByteCount)
            }
            guard begin + count < content.count else { return .none }
            count *= 8
        }
        return .none
    }

    /// Behind the `EI` that stands at a place, or after so many bytes more; nil where none does.
    private static func keyword(in content: [UInt8], from due: Int, _ slack: Int) -> Int? {
        guard due <= content.count else { return nil }
        return (due...(due + slack)).first { place in
            place + 2 <= content.count && content[place] == UInt8(ascii: "E")
                && content[place + 1] == UInt8(ascii: "I")
                && (place + 2 == content.count
                    || Characters.isWhiteSpace(Int(content[place + 2])))
        }.map { $0 + 2 }
    }

    /// Whether data have an end that no reader passes over.
    private static func endsItself(_ entries: [PDFName: Token]) -> Bool {
        ["AHx", "ASCIIHexDecode", "A85", "ASCII85Decode"].contains(filter(entries))
    }

    /// Whether readers that look for `EI`, white space and text find it before the end.
    private static func hasOtherEnd(_ content: [UInt8], _ data: Range<Int>) -> Bool {
        var position = data.lowerBound
        while position + 2 < data.upperBound {
            defer { position += 1 }
            guard content[position] == UInt8(ascii: "E"),
                content[position + 1] == UInt8(ascii: "I"),
                [10, 13, 32].contains(content[position + 2])
            else { continue }
            let text = content[(position + 3)..<min(content.count, position + 3 + textByteCount)]
            if text.allSatisfy({ (32...127).contains($0) || $0 == 10 || $0 == 13 }) { return true }
        }
        return false
    }
}
