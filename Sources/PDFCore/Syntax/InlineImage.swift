/// An image in a content stream (ISO 32000-2 §8.9.7), as far as its entries say how long its data is:
/// some readers go by that, others look for `EI`.
struct InlineImage {
    /// Whether `EI` stands where the data ends by its size, as far as that is known.
    let endsWhereDue: Bool
    /// Whether it has all entries that an image needs.
    let isWhole: Bool

    private static let componentCounts: [PDFName: Int] = [
        "G": 1, "DeviceGray": 1, "RGB": 3, "DeviceRGB": 3, "CMYK": 4, "DeviceCMYK": 4,
    ]
    /// White space before `EI`, in bytes.
    private static let spaceLimit = 2
    private static let entryByteLimit = 4096

    /// - Parameters:
    ///   - start: Behind `BI`.
    ///   - end: Behind `ID`.
    /// - Returns: nil where there is no end, or the entries cannot be read.
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
        let isMask = entry("IM", "ImageMask") == .keyword(.true)
        let depth = number(entry("BPC", "BitsPerComponent"))
        let space = entry("CS", "ColorSpace")
        let hasFilter = entry("F", "Filter") != nil
        let (width, height) = (number(entry("W", "Width")), number(entry("H", "Height")))
        // Some filters say the depth themselves.
        let hasColors = isMask || space != nil && (hasFilter || depth != nil)
        isWhole = width != nil && height != nil && hasColors
        guard let width, let height, !hasFilter else {
            endsWhereDue = true
            return
        }
        var bits = 1
        if !isMask {
            guard case .name(let space)? = space, let components = Self.componentCounts[space],
                let depth, depth <= 16
            else {
                endsWhereDue = true
                return
            }
            bits = components * depth
        }
        let due = ((width * bits + 7) / 8).multipliedReportingOverflow(by: height).partialValue
        // One byte of white space follows `ID`.
        let count = found - 2 - (end + 1)
        endsWhereDue = count >= due && count - due <= Self.spaceLimit
    }
}
