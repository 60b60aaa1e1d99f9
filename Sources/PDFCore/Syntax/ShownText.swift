import ByteKit

/// What a content stream shows as text (ISO 32000-2 §9.4.3).
package enum ShownText {
    /// Longest content that is looked at.
    package static let byteLimit = 4 << 20

    /// The strings that `Tj`, `'`, `"` and `TJ` show, in the order of the stream, each with the
    /// name of the font that is set; nil when the content cannot be read.
    package static func strings(in content: [UInt8]) -> [(font: PDFName?, bytes: [UInt8])]? {
        guard content.count <= byteLimit else { return nil }
        let cache = BlockCache(MemorySource(content))
        var lexer = Lexer(cache, at: 0)
        var shown: [(font: PDFName?, bytes: [UInt8])] = []
        var font: PDFName?
        var name: PDFName?
        var operands: [[UInt8]] = []
        while true {
            guard let token = try? lexer.next() else { return nil }
            switch token {
            case .end: return shown
            case .name(let found): name = found
            case .string(let string): operands.append(string.bytes)
            case .keyword(.other(let word)):
                switch String(decoding: word, as: UTF8.self) {
                case "Tf": font = name
                case "Tj", "'", "\"", "TJ": shown += operands.map { (font, $0) }
                // What follows is a picture's data.
                case "ID": return nil
                default: break
                }
                operands = []
            default: break
            }
        }
    }
}
