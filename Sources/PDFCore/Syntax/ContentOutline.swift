import CodecBridge

/// What a content stream takes from its resources, and whether it goes back to graphics states that
/// it never saved (ISO 32000-2 §7.8.2, §8.4.2): found in one pass that keeps no operands.
package struct ContentOutline {
    /// The fonts in which text is shown.
    package private(set) var shownFonts: Set<PDFName> = []
    /// What `Do` draws.
    package private(set) var drawnObjects: Set<PDFName> = []
    /// Whether something is drawn behind a `Q` without `q`: some readers stop there.
    package private(set) var drawsAfterExtraRestore = false
    /// Whether a number or name is so long that some readers cut it.
    package private(set) var hasOverlongWord = false
    /// Whether a name or operator has a byte that some readers take for white space, or for the end
    /// of a name.
    package private(set) var hasOddByte = false

    package init(_ content: [UInt8]) {
        var scanner = Scanner(content)
        while let word = scanner.nextOperator() { follow(word, &scanner) }
        hasOverlongWord = scanner.hasOverlongWord
        hasOddByte = scanner.hasOddByte
    }

    private mutating func follow(_ word: Operator, _ scanner: inout Scanner) {
        switch word {
        case .save: scanner.save()
        case .restore: scanner.restore()
        case .setFont: scanner.font = scanner.name
        case .drawObject:
            note(scanner)
            if let name = scanner.decoded(scanner.name) { drawnObjects.insert(name) }
        case .showText, .showTexts, .showNextLine, .showSpaced:
            note(scanner)
            guard scanner.font != scanner.shownFont else { return }
            scanner.shownFont = scanner.font
            if let name = scanner.decoded(scanner.font) { shownFonts.insert(name) }
        case .imageData:
            note(scanner)
            scanner.skipImageData()
        case .fill, .fillOld, .fillEvenOdd, .stroke, .closeStroke, .both, .closeBoth,
            .bothEvenOdd, .closeBothEvenOdd, .shade:
            note(scanner)
        }
    }

    /// Notes that something is drawn.
    private mutating func note(_ scanner: Scanner) {
        if scanner.hasExtraRestore { drawsAfterExtraRestore = true }
    }

    /// The operators that matter, by their bytes.
    private enum Operator: Int {
        case save = 0x71, restore = 0x51
        /// `Tf`, `Do`.
        case setFont = 0x5466, drawObject = 0x446F
        /// `Tj`, `TJ`, `'`, `"`.
        case showText = 0x546A, showTexts = 0x544A, showNextLine = 0x27, showSpaced = 0x22
        case imageData = 0x4944
        /// `f`, `F`, `f*`, `S`, `s`, `B`, `b`, `B*`, `b*`, `sh`.
        case fill = 0x66, fillOld = 0x46, fillEvenOdd = 0x662A
        case stroke = 0x53, closeStroke = 0x73
        case both = 0x42, closeBoth = 0x62, bothEvenOdd = 0x422A, closeBothEvenOdd = 0x622A
        case shade = 0x7368
    }

    /// Passes over all but operators and the names before them.
    private struct Scanner {
        let content: [UInt8]
        private var position = 0
        /// Where the last name stands, without its solidus.
        private(set) var name = 0..<0
        /// Where the name of the font stands that is set, and that in which text was shown last.
        var font = 0..<0
        var shownFont = 0..<0
        private(set) var hasExtraRestore = false
        private(set) var hasOverlongWord = false
        private(set) var hasOddByte = false
        /// Whether any byte is one of those: few contents have one, and few of these in a word.
        private let mayHaveOddByte: Bool
        private var saved: [Range<Int>] = []
        /// States that were saved besides those that are kept.
        private var unkeptCount = 0

        /// Most saved states whose font is remembered.
        private static let savedLimit = 4096
        /// Longest word that all readers take whole, in bytes.
        private static let wordByteLimit = 200
        /// Bytes of the longest operator that matters.
        private static let operatorByteCount = 2

        init(_ content: [UInt8]) {
            self.content = content
            var found = false
            ByteSearch.forEach(0x80, or: 0xFF, in: content.span) { _ in found = true }
            mayHaveOddByte = found
        }

        mutating func nextOperator() -> Operator? {
            while position < content.count {
                switch content[position] {
                case UInt8(ascii: "/"): name = skipWord(from: position + 1)
                case UInt8(ascii: "("): skipString()
                case UInt8(ascii: "<"): skipHexadecimal()
                case UInt8(ascii: "%"): skip { $0 == 10 || $0 == 13 }
                case let byte where Characters.isRegular(Int(byte)):
                    let word = skipWord(from: position)
                    guard word.count <= Self.operatorByteCount else { continue }
                    let code = word.reduce(0) { $0 << 8 | Int(content[$1]) }
                    if let found = Operator(rawValue: code) { return found }
                default: position += 1
                }
            }
            return nil
        }

        mutating func save() {
            if saved.count < Self.savedLimit { saved.append(font) } else { unkeptCount += 1 }
        }

        mutating func restore() {
            if unkeptCount > 0 {
                unkeptCount -= 1
            } else if let last = saved.popLast() {
                font = last
            } else {
                hasExtraRestore = true
            }
        }

        mutating func skipImageData() {
            position = ContentReader.imageEnd(in: content, from: position) ?? content.count
        }

        /// The name at a place; nil where there is none.
        mutating func decoded(_ range: Range<Int>) -> PDFName? {
            guard !range.isEmpty else { return nil }
            var lexer = Lexer([UInt8(ascii: "/")] + content[range])
            guard case .name(let name)? = try? lexer.next() else { return nil }
            if lexer.hasOddWords { hasOddByte = true }
            return name
        }

        private mutating func skipWord(from start: Int) -> Range<Int> {
            position = start
            skip { !Characters.isRegular(Int($0)) }
            if position - start > Self.wordByteLimit { hasOverlongWord = true }
            if mayHaveOddByte, content[start..<position].contains(where: Lexer.isOddInName) {
                hasOddByte = true
            }
            return start..<position
        }

        private mutating func skip(to isEnd: (UInt8) -> Bool) {
            while position < content.count, !isEnd(content[position]) { position += 1 }
        }

        private mutating func skipString() {
            var depth = 0
            while position < content.count {
                switch content[position] {
                case UInt8(ascii: "("): depth += 1
                case UInt8(ascii: ")"): depth -= 1
                case UInt8(ascii: "\\"): position += 1
                default: break
                }
                position += 1
                if depth == 0 { return }
            }
        }

        private mutating func skipHexadecimal() {
            position += 1
            // The start of a dictionary.
            guard position < content.count, content[position] != UInt8(ascii: "<") else {
                position += 1
                return
            }
            skip { $0 == UInt8(ascii: ">") }
        }
    }
}
