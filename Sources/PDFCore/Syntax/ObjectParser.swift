/// Builds objects from tokens without recursion: nesting needs memory, not stack.
struct ObjectParser {
    var lexer: Lexer

    /// The ranges of the outermost dictionary's values, in the order of its entries.
    private(set) var valueRanges: [(key: PDFName, range: Range<Int>)] = []
    /// The last referenced object number beyond the limit.
    private(set) var numberBeyondLimit: Int?
    private let recordsRanges: Bool
    /// Whether to read damaged objects as most viewers do. Invalid tokens in containers become
    /// null. Values without a key and a last key without value are skipped. `endobj` closes open
    /// containers. An object without an end is still an error.
    private var isLenient = false

    /// Number of keys and values that suffices for most dictionaries.
    private static let usualValueCount = 32

    /// An array or dictionary that is still open.
    private struct Frame {
        let isDictionary: Bool
        /// Index of its first value in the stack of values.
        let base: Int
        let offset: Int
    }

    /// Values that are not yet part of a complete array or dictionary.
    private struct OpenContainers {
        var values: [PDFObject] = []
        /// Starts and ends of the outermost container's values, if recorded.
        var starts: [Int] = []
        var ends: [Int] = []
        var frames: [Frame] = []
        private var total = 0

        mutating func begin(isDictionary: Bool, at start: Int) throws(PDFError) {
            guard frames.count < PDFLimits.nestingDepth else {
                throw PDFError(
                    .limitExceeded, "nested deeper than \(PDFLimits.nestingDepth)", offset: start)
            }
            frames.append(Frame(isDictionary: isDictionary, base: values.count, offset: start))
        }

        mutating func add(_ value: PDFObject, at start: Int) throws(PDFError) {
            values.append(value)
            total += value.hasOwnMemory ? 4 : 1
            guard total <= PDFLimits.valuesPerObject else {
                throw PDFError(
                    .limitExceeded, "more than \(PDFLimits.valuesPerObject) values in an object",
                    offset: start)
            }
        }

        /// The last two values of the open container, if both are integers.
        var lastIntegers: (number: Int, generation: Int)? {
            guard let frame = frames.last, values.count - frame.base >= 2,
                case .integer(let generation)? = values.last,
                case .integer(let number) = values[values.count - 2]
            else { return nil }
            return (number, generation)
        }

        /// Removes these two values. Returns the start of the first one, if recorded.
        mutating func removeIntegers() -> Int? {
            values.removeLast(2)
            guard frames.count == 1, starts.count > values.count else { return nil }
            let start = starts[values.count]
            starts.removeLast(2)
            ends.removeLast(2)
            return start
        }
    }

    /// - Parameter recordsRanges: Whether to record ``valueRanges``.
    init(_ lexer: Lexer, recordsRanges: Bool = false) {
        self.lexer = lexer
        self.recordsRanges = recordsRanges
    }

    /// Moves back to parse an object again, leniently.
    mutating func retryLeniently(from position: Int) {
        lexer.seek(to: position)
        valueRanges = []
        isLenient = true
    }

    /// Parses one object, including references. For a stream, returns the dictionary and leaves the
    /// following keyword unread.
    mutating func parse() throws(PDFError) -> PDFObject {
        let token = try lexer.next()
        return try parse(startingWith: token)
    }

    /// Parses one object whose first token has been read.
    mutating func parse(startingWith first: Token) throws(PDFError) -> PDFObject {
        switch first {
        case .arrayStart, .dictionaryStart:
            return try container(first)
        case .integer(let number):
            return try integerOrReference(number)
        default:
            return try scalar(first)
        }
    }

    private func scalar(_ token: Token) throws(PDFError) -> PDFObject {
        switch token {
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .name(let value): return .name(value)
        case .string(let value): return .string(value)
        case .keyword(.true): return .boolean(true)
        case .keyword(.false): return .boolean(false)
        case .keyword(.null): return .null
        default:
            throw PDFError(
                .malformedObject, "\(token.summary) instead of an object",
                offset: lexer.tokenStart)
        }
    }

    /// An integer, or the reference `n g R`, which requires two more tokens.
    private mutating func integerOrReference(_ number: Int) throws(PDFError) -> PDFObject {
        let (start, end) = (lexer.tokenStart, lexer.position)
        if case .integer(let generation) = try lexer.next(),
            case .keyword(.reference) = try lexer.next(),
            let reference = reference(number, generation, from: start)
        {
            return reference
        }
        lexer.seek(to: end)
        return .integer(number)
    }

    /// Pushes values on a stack. `R` replaces the two integers before it, and the end of a
    /// container removes all values since its start.
    private mutating func container(_ first: Token) throws(PDFError) -> PDFObject {
        var open = OpenContainers()
        open.values.reserveCapacity(Self.usualValueCount)
        var token = first
        var lastStarts = (0, 0)
        while true {
            let start = lexer.tokenStart
            var completed: PDFObject?
            var completedStart = start
            switch token {
            case .arrayStart, .dictionaryStart:
                try open.begin(isDictionary: token == .dictionaryStart, at: start)
                if open.frames.count > PDFLimits.usualNestingDepth { lexer.hasOddWords = true }
            case .arrayEnd, .dictionaryEnd:
                guard let frame = open.frames.last, frame.isDictionary == (token == .dictionaryEnd)
                else {
                    completed = try replacement(token)
                    break
                }
                open.frames.removeLast()
                completed =
                    frame.isDictionary
                    ? try dictionary(
                        open.values, frame,
                        ranges: open.frames.isEmpty ? (open.starts, open.ends) : nil)
                    : .array(Array(open.values[frame.base...]))
                open.values.removeSubrange(frame.base...)
                completedStart = frame.offset
            case .keyword(.reference):
                guard let (number, generation) = open.lastIntegers,
                    let reference = reference(number, generation, from: lastStarts.0)
                else {
                    completed = try replacement(token)
                    break
                }
                completedStart = open.removeIntegers() ?? start
                completed = reference
            case .keyword(.other) where isLenient: completed = .null
            case .keyword(.endobj) where isLenient:
                // `endobj` ends all open containers.
                guard let frame = open.frames.last else { return .null }
                lexer.seek(to: start)
                token = frame.isDictionary ? .dictionaryEnd : .arrayEnd
                continue
            default: completed = try scalar(token)
            }
            if let completed {
                guard !open.frames.isEmpty else { return completed }
                try open.add(completed, at: start)
                if recordsRanges, open.frames.count == 1 {
                    open.starts.append(completedStart)
                    open.ends.append(lexer.position)
                }
            }
            lastStarts = (lastStarts.1, start)
            token = isLenient ? try readableToken() : try lexer.next()
        }
    }

    /// The next token; null for a damaged token before the end of the data.
    private mutating func readableToken() throws(PDFError) -> Token {
        do {
            return try lexer.next()
        } catch {
            guard error.code == .malformedObject, try lexer.peek() >= 0 else { throw error }
            return .keyword(.null)
        }
    }

    /// Null, which a lenient parser uses in place of a misplaced token.
    ///
    /// - Throws: ``PDFError``, `.malformedObject`, if the parser is strict.
    private func replacement(_ token: Token) throws(PDFError) -> PDFObject {
        guard isLenient else {
            throw PDFError(
                .malformedObject, "\(token.summary) inside an array or dictionary",
                offset: lexer.tokenStart)
        }
        return .null
    }

    /// Combines keys and values.
    private mutating func dictionary(
        _ values: [PDFObject], _ frame: Frame, ranges: (starts: [Int], ends: [Int])?
    ) throws(PDFError) -> PDFObject {
        let count = values.count - frame.base
        guard isLenient || count.isMultiple(of: 2) else {
            throw PDFError(
                .malformedObject, "dictionary with a key without value", offset: frame.offset)
        }
        var entries: [PDFDictionary.Entry] = []
        entries.reserveCapacity(count / 2)
        var next = frame.base
        while next + 1 < values.count {
            let position = next
            guard case .name(let key) = values[position] else {
                guard isLenient else {
                    throw PDFError(
                        .malformedObject, "\(values[position].kind) as key of a dictionary",
                        offset: frame.offset)
                }
                next += 1
                continue
            }
            next += 2
            if values[position + 1] == .null { lexer.hasNullEntries = true }
            entries.append(PDFDictionary.Entry(key: key, value: values[position + 1]))
            if recordsRanges, let ranges, position + 1 < ranges.starts.count {
                valueRanges.append((key, ranges.starts[position + 1]..<ranges.ends[position + 1]))
            }
        }
        return .dictionary(PDFDictionary(entries: entries))
    }

    private static func digitCount(_ number: Int) -> Int {
        var (rest, count) = (number / 10, 1)
        while rest > 0 { (rest, count) = (rest / 10, count + 1) }
        return count
    }

    private mutating func reference(
        _ number: Int, _ generation: Int, from start: Int
    ) -> PDFObject? {
        guard (0...65_535).contains(generation), number >= 0 else { return nil }
        let usual = Self.digitCount(number) + Self.digitCount(generation) + 3
        if lexer.position - start != usual { lexer.hasOddWords = true }
        // Object numbers 0 and above the limit do not exist, so such references are null.
        guard number <= PDFLimits.objectNumber else {
            numberBeyondLimit = number
            return .null
        }
        guard number > 0 else { return .null }
        return .reference(ObjectID(number: number, generation: generation))
    }
}

extension PDFObject {
    /// Whether the value needs an allocation of its own.
    fileprivate var hasOwnMemory: Bool {
        switch self {
        case .null, .boolean, .integer, .reference: false
        default: true
        }
    }

    /// Parses the object at the start of the bytes; for a stream, only its dictionary.
    ///
    /// - Parameter bytes: The text of the object; following bytes are ignored.
    /// - Throws: ``PDFError`` if no object begins there.
    package init(parsing bytes: [UInt8]) throws(PDFError) {
        var parser = ObjectParser(Lexer(bytes))
        self = try parser.parse()
    }
}
