/// Reads a content stream operation by operation (ISO 32000-2 §7.8.2).
package struct ContentReader {
    /// Whether everything read so far is unambiguous. Unreadable parts are skipped.
    package var isReadable: Bool { !isFaulty && !lexer.hasOddWords }
    /// Whether viewers may read a string differently.
    var hasOddStrings: Bool { lexer.hasOddStrings }

    private var isFaulty = false
    private let content: [UInt8]
    private var lexer: Lexer
    private var faultCount = 0
    private var imageCount = 0

    private static let operandLimit = 10_000
    /// Maximum number of unreadable positions, because each may take as long as the whole content.
    private static let faultLimit = 16

    package init(_ content: [UInt8]) {
        self.content = content
        lexer = Lexer(content)
    }

    /// The next operation; `nil` at the end.
    package mutating func next() -> ContentOperation? {
        var operation = ContentOperation()
        while true {
            guard operation.operands.count < Self.operandLimit else {
                isFaulty = true
                return nil
            }
            guard let token = token() else { return nil }
            switch token {
            case .end:
                if !operation.operands.isEmpty { isFaulty = true }
                checkImages()
                return nil
            case .integer(let value): operation.operands.append(.number(Double(value)))
            case .real(let value): operation.operands.append(.number(value.value))
            case .name(let name): operation.operands.append(.name(name))
            case .string(let string): operation.operands.append(.string(string.bytes))
            case .arrayStart: operation.operands.append(.arrayStart)
            case .arrayEnd: operation.operands.append(.arrayEnd)
            case .dictionaryStart, .dictionaryEnd, .keyword(.true), .keyword(.false),
                .keyword(.null):
                operation.operands.append(.other)
            case .keyword(.other(let word)):
                operation.name = Self.name(of: word)
                switch operation.name {
                case "BI":
                    imageCount += 1
                    operation.operands = []
                case "ID":
                    skipImageData()
                    operation.name = "BI"
                    return operation
                default: return operation
                }
            case .keyword: isFaulty = true
            }
        }
    }

    /// Decodes byte by byte: `String` equates the Kelvin sign with K, but viewers do not.
    private static func name(of word: [UInt8]) -> String {
        guard word.contains(where: { $0 >= 0x80 }) else {
            return String(decoding: word, as: UTF8.self)
        }
        return String(String.UnicodeScalarView(word.map { Unicode.Scalar($0) }))
    }

    /// The next readable token; `nil` if too many are unreadable.
    private mutating func token() -> Token? {
        while faultCount < Self.faultLimit {
            if let token = try? lexer.next() { return token }
            isFaulty = true
            faultCount += 1
            lexer.seek(to: lexer.tokenStart + 1)
        }
        return nil
    }

    // MARK: Inline images

    /// Skips to the end of the first separate `EI` (ISO 32000-2 §8.9.7).
    private mutating func skipImageData() {
        guard let end = Self.imageEnd(in: content, from: lexer.position) else {
            isFaulty = true
            lexer.seek(to: content.count)
            return
        }
        lexer.seek(to: end)
    }

    /// Viewers differ on the end of image data that contains another `EI`. Then the content has
    /// more `EI` than images.
    private mutating func checkImages() {
        if imageCount > 0, Self.imageEndCount(in: content) != imageCount { isFaulty = true }
    }

    static func imageEndCount(in content: [UInt8]) -> Int {
        var (count, position) = (0, 0)
        while let end = imageEnd(in: content, from: position) {
            (count, position) = (count + 1, end)
        }
        return count
    }

    /// End of the next `EI` between white space.
    static func imageEnd(in content: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + 1 < content.count {
            if content[position] == UInt8(ascii: "E"), content[position + 1] == UInt8(ascii: "I"),
                position == 0 || Characters.isWhiteSpace(Int(content[position - 1])),
                position + 2 == content.count
                    || Characters.isWhiteSpace(Int(content[position + 2]))
            {
                return position + 2
            }
            position += 1
        }
        return nil
    }
}
