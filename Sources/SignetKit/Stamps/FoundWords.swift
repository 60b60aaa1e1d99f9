import Base
import PDFCore
import SystemBridge
import Witness

/// Words of a document, with their positions.
struct FoundWords {
    /// Page number from 1.
    let page: Int
    private let box: ShownBox
    private let side: StampOptions.TextAnchor.Side

    /// Distance in points between the words and the signature appearance: 2 mm.
    private static let gap = 2 * StampOptions.pointsPerMillimetre
    /// Limits of the text search program; the output limit is enough for a thousand pages of text.
    private static let limits = ChildProcess.Limits(
        memoryByteCount: 512 << 20, outputByteCount: 128 << 20, seconds: 5)
    private static let wordLimit = 200
    /// Permitted difference in page size between programs, in user space units.
    private static let slack = 1.0

    /// Searches for the words.
    ///
    /// - Parameter page: page number from 1; nil searches all pages.
    /// - Throws: ``SignetError`` if the words are missing, or occur several times without a choice,
    ///   or if the program finds other pages than those to sign.
    init(
        _ anchor: StampOptions.TextAnchor, on page: Int?, of document: PDFDocument,
        _ file: InputFile
    ) throws {
        let words = anchor.words.split(whereSeparator: \.isWhitespace).map(String.init)
        guard !words.isEmpty, words.count <= Self.wordLimit else {
            throw SignetError(
                .usage, "the words for the position are missing",
                hint: Sentence(.writeWords))
        }
        try requireReadable(document)
        let found = try TextSearch(words, in: Self.text(of: file, page))
        guard try page != nil || found.pageSizes.count == document.pageCount() else {
            throw SignetError(
                .malformedInput,
                "pdftotext finds \(found.pageSizes.count) pages, not \(try document.pageCount())",
                hint: Sentence(.sayPlace, "1"))
        }
        let occurrence = try Self.choice(anchor, among: found.occurrences, on: page)
        let number = (page ?? 1) + occurrence.page
        let signed = try document.page(at: number - 1)
        let unit = signed.userUnit
        let (width, height) = found.pageSizes[occurrence.page]
        // pdftotext writes the page size before rotation, but positions after it.
        guard abs(width - signed.cropBox.width) <= Self.slack,
            abs(height - signed.cropBox.height) <= Self.slack
        else {
            throw SignetError(
                .malformedInput, "pdftotext reports another size for page \(number)",
                hint: Sentence(.sayPlace, "\(number)"))
        }
        self.page = number
        side = anchor.side
        box = ShownBox(
            left: occurrence.box.left * unit, top: occurrence.box.top * unit,
            right: occurrence.box.right * unit, bottom: occurrence.box.bottom * unit)
    }

    /// The output of `pdftotext -bbox`: words with their positions.
    private static func text(of file: InputFile, _ page: Int?) throws -> [UInt8] {
        let range = page.map { ["-f", "\($0)", "-l", "\($0)"] } ?? []
        let program = ViewerProgram(
            "pdftotext", package: Viewer.usualPackage,
            ["-q", "-bbox", "-cropbox"] + range + ["/dev/stdin", "-"], limits)
        do throws(WitnessError) {
            return try program.output(for: file)
        } catch {
            throw SignetError(error, "to find words")
        }
    }

    private static func choice(
        _ anchor: StampOptions.TextAnchor, among occurrences: [TextSearch.Occurrence], on page: Int?
    ) throws -> TextSearch.Occurrence {
        let place = page.map { " on page \($0)" } ?? ""
        let said = anchor.words.inQuotes
        guard !occurrences.isEmpty else {
            throw SignetError(
                .usage, "the text \(said) was not found\(place)",
                hint: Sentence(page == nil ? .checkWords : .checkWordsOrPage))
        }
        let wanted = anchor.occurrence ?? 1
        let index = wanted > 0 ? wanted - 1 : occurrences.count + wanted
        guard anchor.occurrence != nil || occurrences.count == 1,
            occurrences.indices.contains(index)
        else {
            let pagePrefix = page.map { "\($0):" } ?? ""
            func position(_ which: String) -> String {
                "\(pagePrefix)\(anchor.side.rawValue):\(which)\(anchor.words)"
            }
            let count = occurrences.count == 1 ? "once" : "\(occurrences.count) times"
            let missing = anchor.occurrence.map { ": there is no match \($0)" } ?? ""
            throw SignetError(
                .usage, "the text \(said) was found \(count)\(place)\(missing)",
                hint: occurrences.count == 1
                    ? Sentence(.sayWords, position(""))
                    : Sentence(.sayWhichWords, position("1:"), position("last:")))
        }
        return occurrences[index]
    }

    /// Rejects words that are not visible.
    ///
    /// - Throws: ``SignetError`` if the page is blank at the position of the words.
    func requireShown(on shown: ShownPage) throws {
        guard shown.isBlank(box) else { return }
        throw SignetError(
            .usage, "page \(page) displays nothing at the position of the words",
            hint: Sentence(.sayPlace, "\(page)"))
    }

    /// The position of a signature appearance next to the words.
    func position(of stamp: StampOptions, on page: PDFPage) throws -> StampOptions.Position {
        switch side {
        case .beside: .topLeft(x: box.right + Self.gap, y: box.bottom - stamp.height)
        case .above: .topLeft(x: box.left, y: box.top - Self.gap - stamp.height)
        case .below: .topLeft(x: box.left, y: box.bottom + Self.gap)
        }
    }
}

/// Searches the output of `pdftotext -bbox`: one line for each page and each word, with bounding
/// boxes.
struct TextSearch {
    struct Occurrence {
        /// Index of the page in the output, from 0.
        let page: Int
        let box: ShownBox
    }

    private(set) var pageSizes: [(width: Double, height: Double)] = []
    private(set) var occurrences: [Occurrence] = []

    private struct Word {
        let text: String
        let box: ShownBox
    }

    /// Maximum number of occurrences counted.
    private static let occurrenceLimit = 10_000

    /// Searches for consecutive words.
    ///
    /// - Parameter words: at least one. The first may be the end of a word on the page, the last
    ///   the beginning of one.
    init(_ words: [String], in output: [UInt8]) {
        var row: [Word] = []
        for line in output.split(separator: 10) {
            guard occurrences.count < Self.occurrenceLimit else { return }
            let start = line.drop { $0 == 32 }
            if start.starts(with: "<page ".utf8) {
                row = []
                let size = Self.numbers(of: ["width", "height"], in: start)
                pageSizes.append(size.map { ($0[0], $0[1]) } ?? (0, 0))
            } else if start.starts(with: "<word ".utf8), !pageSizes.isEmpty,
                let word = Self.word(start)
            {
                row.append(word)
                if row.count > words.count { row.removeFirst() }
                search(for: words, at: row)
            }
        }
    }

    /// Adds an occurrence if the last words match.
    private mutating func search(for words: [String], at row: [Word]) {
        guard row.count == words.count, let first = row.first, let last = row.last else { return }
        guard row.count > 1 else {
            for range in first.text.ranges(of: words[0]) { add(Self.part(range, of: first)) }
            return
        }
        guard first.text.hasSuffix(words[0]), last.text.hasPrefix(words[words.count - 1]),
            zip(row, words).dropFirst().dropLast().allSatisfy({ $0.text == $1 })
        else { return }
        let end = last.text.index(last.text.startIndex, offsetBy: words[words.count - 1].count)
        let part = Self.part(last.text.startIndex..<end, of: last)
        // If the words begin on another line, only the end is used.
        let isOneLine = first.box.top < last.box.bottom && first.box.bottom > last.box.top
        let begin = first.text.index(first.text.endIndex, offsetBy: -words[0].count)
        let left =
            isOneLine ? Self.part(begin..<first.text.endIndex, of: first).left : last.box.left
        add(
            ShownBox(
                left: min(left, part.left), top: last.box.top, right: part.right,
                bottom: last.box.bottom))
    }

    private mutating func add(_ box: ShownBox) {
        occurrences.append(Occurrence(page: pageSizes.count - 1, box: box))
    }

    /// The bounding box of some characters of a word, with equal widths assumed.
    private static func part(_ range: Range<String.Index>, of word: Word) -> ShownBox {
        let (text, box) = (word.text, word.box)
        let step = (box.right - box.left) / Double(max(1, text.count))
        let before = Double(text.distance(from: text.startIndex, to: range.lowerBound))
        let after = Double(text.distance(from: range.upperBound, to: text.endIndex))
        return ShownBox(
            left: box.left + before * step, top: box.top, right: box.right - after * step,
            bottom: box.bottom)
    }

    /// Parses a line such as `<word xMin="1" yMin="2" xMax="3" yMax="4">text</word>`.
    private static func word(_ line: ArraySlice<UInt8>) -> Word? {
        guard let sides = numbers(of: ["xMin", "yMin", "xMax", "yMax"], in: line),
            let begin = line.firstIndex(of: UInt8(ascii: ">")),
            let end = line.lastIndex(of: UInt8(ascii: "<")), begin < end
        else { return nil }
        var text = String(decoding: line[(begin + 1)..<end], as: UTF8.self)
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&"),
        ] where text.utf8.contains(UInt8(ascii: "&")) {
            text.replace(entity, with: character)
        }
        return Word(
            text: text,
            box: ShownBox(left: sides[0], top: sides[1], right: sides[2], bottom: sides[3]))
    }

    private static func numbers(of names: [String], in line: ArraySlice<UInt8>) -> [Double]? {
        var rest = line.prefix { $0 != UInt8(ascii: ">") }
        var found: [Double] = []
        for name in names {
            guard let key = rest.firstRange(of: Array("\(name)=\"".utf8)) else { return nil }
            rest = rest[key.upperBound...]
            let digits = rest.prefix { $0 != UInt8(ascii: "\"") }
            guard let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite
            else { return nil }
            found.append(number)
        }
        return found
    }
}
