/// An image in a content stream (ISO 32000-2 §8.9.7), as far as its entries say how long its data is:
/// some readers go by that, others look for `EI`.
struct InlineImage {
    /// Whether `EI` stands where the data ends by its size.
    let endsWhereDue: Bool

    private static let componentCounts: [PDFName: Int] = [
        "G": 1, "DeviceGray": 1, "RGB": 3, "DeviceRGB": 3, "CMYK": 4, "DeviceCMYK": 4,
    ]
    /// White space before `EI`, in bytes.
    private static let spaceLimit = 2
    private static let entryByteLimit = 4096

    /// - Parameters:
    ///   - start: Behind `BI`.
    ///   - end: Behind `ID`.
    /// - Returns: nil where the size does not follow from width, height and colours alone, or there
    ///   is no end.
    init?(_ content: [UInt8], from start: Int, to end: Int) {
        guard start < end, end - start <= Self.entryByteLimit,
            let found = ContentReader.imageEnd(in: content, from: end)
        else { return nil }
        var lexer = Lexer(Array(content[start..<(end - 2)]))
        var entries: [PDFName: Token] = [:]
        while case .name(let key)? = try? lexer.next(), var value = try? lexer.next() {
            entries[key] = value
            while entries[key] == .arrayStart, value != .arrayEnd, value != .end {
                guard let next = try? lexer.next() else { return nil }
                value = next
            }
        }
        func entry(_ short: PDFName, _ long: PDFName) -> Token? { entries[short] ?? entries[long] }
        func number(_ token: Token?) -> Int? {
            guard case .integer(let value)? = token, (1...Int(Int32.max)).contains(value) else {
                return nil
            }
            return value
        }
        guard entry("F", "Filter") == nil, let width = number(entry("W", "Width")),
            let height = number(entry("H", "Height"))
        else { return nil }
        var bits = 1
        if entry("IM", "ImageMask") != .keyword(.true) {
            guard case .name(let space)? = entry("CS", "ColorSpace"),
                let components = Self.componentCounts[space],
                let depth = number(entry("BPC", "BitsPerComponent")), depth <= 16
            else { return nil }
            bits = components * depth
        }
        let due = ((width * bits + 7) / 8).multipliedReportingOverflow(by: height).partialValue
        // One byte of white space follows `ID`.
        let count = found - 2 - (end + 1)
        endsWhereDue = count >= due && count - due <= Self.spaceLimit
    }
}
