import ByteKit
import CodecBridge

/// Passes over all but operators and the names before them.
struct ContentScanner {
    typealias Operator = ContentOutline.Operator

    let content: [UInt8]
    var state = PaintState()
    /// What the operator before which the scanner stopped has: whether a name comes last, how many
    /// operands there are, and whether the last number is the usual one.
    private(set) var endsWithName = false
    private(set) var operandCount = 0
    /// Whether the numbers before the operator are all 0.
    private(set) var hasOnlyZeros = false
    /// Whether one is not between 0 and 1.
    private(set) var isBeyondTints = false
    private(set) var lastNumber = (whole: 0, isZero: true, isNegative: false, isWhole: true)
    /// What colours of one number are, by the name of their space.
    var singleColors: [ArraySlice<UInt8>: ContentOutline.SingleColors] = [:]
    /// Of what kinds colours are, by the name of their space; and the last one of these.
    var colorKinds: [ArraySlice<UInt8>: Set<ContentOutline.ColorKind>] = [:]
    var notedColor = (space: 0..<0, pattern: 0..<0, kind: ContentOutline.ColorKind())
    var knownCounts: [ArraySlice<UInt8>: Int?] = [:]
    private var seenNames: [PDFName: Set<ArraySlice<UInt8>>] = [:]
    private var position = 0
    /// Where the last name stands, without its solidus.
    private(set) var name = 0..<0
    /// Where the name of the font stands that is set, and that in which text was shown last.
    var font: Range<Int> {
        get { state.font }
        set { state.font = newValue }
    }
    private(set) var shownFont = 0..<0
    /// What was shown in it, and what strings since the last operator say.
    private(set) var shownCodes = ShownCodes()
    private var codes = ShownCodes()
    private(set) var hasExtraRestore = false
    private(set) var hasCutWord = false
    private(set) var hasOddByte = false
    var hasOddOperands = false
    /// How often lines of no length are stroked, of which readers draw different things.
    var dotCount = 0
    private var operands = ContentOperands()
    private var values = OperandValues()
    /// Of arrays and dictionaries, what is open: how many, and the outermost one.
    private var depth = 0
    private var outermost = ContentOperands.Kind.array
    private(set) var hasPath = false
    private var clips = false
    private var isInText = false
    /// Whether text of this text object is clipped to, or not.
    private var clipsToText = (yes: false, no: false)
    /// Of the path, whether it is nothing but lines that end where they begin to bound an area.
    private var pathLineCount = 0
    private var hasArea = false
    var path = StrokedPath()
    /// Whether points of paths may be so far away that some readers move them.
    private(set) var hasFarPlaces = false
    /// Whether text may be next to nothing, or far wider than high.
    private(set) var mayShowOddText = false
    /// See ``OperandValues/shrinkage``: of all matrices that hold, and of those to go back to.
    private var shrinkage = 0
    private var shrinkages: [Int] = []
    private static let (mostShrinkage, shrinkageLimit) = (8, 256)
    /// How many areas are filled that have no width to speak of.
    private(set) var thinAreaCount = 0
    /// How many operators nobody knows, and how many take a name from the resources.
    private(set) var unknownCount = 0
    var nameUseCount = 0
    private(set) var paintsClip = false
    /// What it takes over, and what it leaves to what it draws.
    var parameters: ParameterUse
    private var isCompatible = false
    private var imageCount = 0
    private var hasOddImage = false
    private var flate: FlateReader?
    private var isOpenImage = false
    /// Where the entries of the last image begin.
    private var imageStart = 0
    /// Whether any byte is one of those: few contents have one, and few of these in a word.
    private let mayHaveOddByte: Bool
    private var saved: [PaintState] = []
    /// States that were saved besides those that are kept.
    private var unkeptCount = 0

    /// `Tj`, `TJ`, `'`, `"`, by their bytes.
    private static let showing: Set<Int> = [0x546A, 0x544A, 0x27, 0x22]
    private static let operands = ["true", "false", "null"]
    /// Words of the file's syntax, at which some readers stop.
    private static let fileKeywords = [
        "endobj", "stream", "endstream", "xref", "trailer", "startxref",
    ]
    /// Most saved states whose font is remembered.
    private static let savedLimit = 4096
    /// Longest word that all readers take whole, in bytes.
    private static let wordByteLimit = 200
    /// Longest string that all readers take whole, in bytes (ISO 32000-1 Annex C).
    static let stringByteLimit = 32_767
    /// Bytes of the longest operator that matters.
    static let operatorByteCount = 3

    /// - Parameter isInner: whether what draws it may have set anything before.
    init(_ content: [UInt8], isInner: Bool) {
        self.content = content
        parameters = ParameterUse(isInner: isInner)
        if isInner { (state.fill.isSet, state.stroke.isSet) = (true, true) }
        mayHaveOddByte = ByteSearch.contains(0x80, or: 0xFF, in: content.span)
    }

    mutating func nextOperator() -> Operator? {
        while position < content.count {
            switch content[position] {
            case UInt8(ascii: "/"):
                name = skipWord(from: position + 1)
                take(.name)
            case UInt8(ascii: "("):
                let start = position
                skipString()
                if position - start - 2 > Self.stringByteLimit { hasCutWord = true }
                codes.take(content, start..<min(position, content.count))
                take(.string)
            case UInt8(ascii: "<"): takeHexadecimal()
            case UInt8(ascii: ">"): takeEnd(of: .dictionary)
            case UInt8(ascii: "["):
                begin(.array)
                position += 1
            case UInt8(ascii: "]"): takeEnd(of: .array)
            case UInt8(ascii: "%"): skip { $0 == 10 || $0 == 13 }
            case 43, 45, 46, 48...57: takeNumber()
            // Nothing that they end: some readers pass over them, others over more.
            case UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"):
                hasOddOperands = true
                position += 1
            case let byte where Characters.isRegular(Int(byte)):
                if let found = takeWord(skipWord(from: position)) { return found }
            default: position += 1
            }
        }
        return nil
    }

    private mutating func takeWord(_ word: Range<Int>) -> Operator? {
        guard word.count <= Self.operatorByteCount else {
            // `true`, `false` and `null`, and operators that nobody knows.
            if isOneOf(Self.operands, word) {
                take(.other)
            } else {
                operands.removeAll()
                if !isCompatible { unknownCount += 1 }
                if isOpenImage || isOneOf(Self.fileKeywords, word) { hasOddOperands = true }
            }
            return nil
        }
        let code = word.reduce(0) { $0 << 8 | Int(content[$1]) }
        let found = Operator(rawValue: code)
        // The entries of an inline image are none.
        let fit = operands.fit(code)
        if found != .imageData, depth > 0 || fit == .doesNot || !values.suit(code) {
            hasOddOperands = true
        }
        if fit == .isUnknown, found == nil, !isCompatible { unknownCount += 1 }
        if found == .imageEnd { hasOddOperands = true }
        // Before the path is over.
        checkPlace(code)
        checkPath(code)
        takeParameter(code, lastNumber.whole, isZero: lastNumber.isZero, values)
        if operands.endsWithName, name.isEmpty { hasOddOperands = true }
        // BI
        if code == 0x4249 { imageStart = position }
        // `BI` without `ID`, for which some readers pass over all that follows.
        if isOpenImage, found != .imageData { hasOddOperands = true }
        isOpenImage = code == 0x4249
        (endsWithName, operandCount) = (operands.endsWithName, operands.count)
        operands.removeAll()
        (hasOnlyZeros, isBeyondTints) = (values.hasOnlyZeros, values.isBeyondTints)
        // cm Tm
        if code == 0x636D || code == 0x546D, values.mayDistort { mayShowOddText = true }
        followScale(code)
        // Tf
        if code == 0x5466, values.isThin { mayShowOddText = true }
        values.restart()
        depth = 0
        if !Self.showing.contains(code) { codes = ShownCodes() }
        return found
    }

    mutating func setFont() { font = name }

    mutating func beginFont() {
        (shownFont, shownCodes, parameters.shown) = (font, ShownCodes(), [])
    }

    mutating func takeCodes() {
        shownCodes.formUnion(codes)
        codes = ShownCodes()
    }

    /// To clip to no path is nothing to some readers; to others it hides all.
    private mutating func checkPath(_ code: Int) {
        switch code {
        // m re
        case 0x6D, 0x7265:
            hasPath = true
            pathLineCount = 0
            if code == 0x7265, !values.isThin { hasArea = true }
            if code == 0x7265 {
                path.addBox(isPoint: values.isPoint)
            } else {
                path.move(to: values.point(0))
            }
            if values.isFar { hasFarPlaces = true }
        // l
        case 0x6C:
            pathLineCount += 1
            if pathLineCount > 1 { hasArea = true }
            path.addLine(to: values.point(0))
            if values.isFar { hasFarPlaces = true }
        // c v y
        case 0x63, 0x76, 0x79:
            hasArea = true
            path.addCurve(values)
            if values.isFar { hasFarPlaces = true }
        // h
        case 0x68: path.close()
        // W W*
        case 0x57, 0x572A: clips = true
        // n f F f* S s B B* b b*
        case 0x6E, 0x66, 0x46, 0x662A, 0x53, 0x73, 0x42, 0x422A, 0x62, 0x622A:
            if clips, !hasPath { hasOddOperands = true }
            // f F f*
            if hasPath, !hasArea, code == 0x66 || code == 0x46 || code == 0x662A {
                thinAreaCount += 1
            }
            // n
            if clips, code != 0x6E {
                paintsClip = true
                if state.hasPattern { parameters.paintsOddPattern = true }
            }
            (hasPath, clips, hasArea, pathLineCount, path) = (false, false, false, 0, StrokedPath())
        default: break
        }
    }

    /// Operators where they may not be (ISO 32000-2 Figure 9), at which readers go on in different
    /// ways; and lines of dots without length, which few readers draw with square ends.
    private mutating func checkPlace(_ code: Int) {
        switch code {
        // BT ET
        case 0x4254, 0x4554:
            isInText = code == 0x4254
            clipsToText = (false, false)
        // BX EX
        case 0x4258, 0x4558: isCompatible = code == 0x4258
        // Tr
        case 0x5472:
            state.textMode = values.mode
            if clipsToText.yes, values.mode < Self.clipMode { hasOddOperands = true }
        // Tj TJ ' "
        case 0x546A, 0x544A, 0x27, 0x22:
            if state.textMode < Self.clipMode {
                clipsToText.no = true
            } else {
                clipsToText.yes = true
            }
            // Readers begin to clip at the first, or behind the last.
            if clipsToText.yes, clipsToText.no { hasOddOperands = true }
        // q Q
        case 0x71, 0x51: if isInText { hasOddOperands = true }
        // Do sh BI
        case 0x446F, 0x7368, 0x4249: if hasPath { hasOddOperands = true }
        // J w d
        case 0x4A: state.ends = values.ends
        case 0x77: state.lineWidth = values.length
        case 0x64: state.dots = values.dots
        // cm
        case 0x636D: if values.isEnlarging { state.isEnlarged = true }
        // S s B B* b b*
        case 0x53, 0x73, 0x42, 0x422A, 0x62, 0x622A:
            if code == 0x73 || code == 0x62 || code == 0x622A { path.close() }
            checkDots()
        default: break
        }
    }

    private func isOneOf(_ words: [String], _ word: Range<Int>) -> Bool {
        words.contains { content[word].elementsEqual($0.utf8) }
    }

    private mutating func take(_ kind: ContentOperands.Kind) {
        if depth == 0 { operands.take(kind) } else { values.takeElement(kind) }
    }

    private mutating func begin(_ kind: ContentOperands.Kind) {
        if depth == 0 {
            outermost = kind
            values.beginArray()
        } else {
            values.takeElement(kind)
        }
        depth += 1
    }

    private mutating func takeEnd(of kind: ContentOperands.Kind) {
        position += 1
        if kind == .dictionary {
            // `>>`
            if position < content.count, content[position] == UInt8(ascii: ">") {
                position += 1
            }
        }
        guard depth > 0 else {
            hasOddOperands = true
            return
        }
        depth -= 1
        if depth == 0 { operands.take(outermost) }
    }

    /// Readers agree about `[+-]digits[.digits]` alone, of no more than 31 bits.
    private mutating func takeNumber() {
        let start = position
        var (digitCount, value, hasPoint, isOdd) = (0, 0, false, false)
        var (fraction, unit) = (0, Self.fractionUnit)
        var (isZero, isWhole) = (true, true)
        let isNegative = content[position] == 45
        if content[position] == 43 || isNegative { position += 1 }
        while position < content.count {
            switch content[position] {
            case let byte where byte &- 48 < 10:
                digitCount += 1
                if byte != 48 { (isZero, isWhole) = (false, isWhole && !hasPoint) }
                if !hasPoint {
                    value = min(value * 10 + Int(byte) - 48, Self.numberLimit)
                } else {
                    unit /= 10
                    fraction += unit * (Int(byte) - 48)
                }
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            case let byte where Characters.isRegular(Int(byte)): isOdd = true
            default:
                lastNumber = (value, isZero, isNegative, isWhole)
                take(hasPoint ? .real : .integer)
                let number = OperandValues.Number(
                    whole: value, isZero: isZero, isNegative: isNegative,
                    tininess: value == 0 ? tininess(isZero, content[start..<position]) : .none,
                    place: (value * Self.fractionUnit + fraction) * (isNegative ? -1 : 1))
                values.take(number, inArray: depth > 0)
                checkNumber(from: start, isOdd || digitCount == 0 || value >= Self.numberLimit)
                return
            }
            position += 1
        }
        // Nothing comes behind it.
    }

    /// Matrices that are harmless by themselves make text next to nothing together.
    private mutating func followScale(_ code: Int) {
        switch code {
        // q Q cm
        case 0x71: if shrinkages.count < Self.shrinkageLimit { shrinkages.append(shrinkage) }
        case 0x51: shrinkage = shrinkages.popLast() ?? shrinkage
        case 0x636D:
            shrinkage += values.shrinkage
            if shrinkage >= Self.mostShrinkage { mayShowOddText = true }
        default: break
        }
    }

    /// Of a number below 1.
    private func tininess(
        _ isZero: Bool, _ number: ArraySlice<UInt8>
    ) -> OperandValues.Tininess {
        guard !isZero, let point = number.firstIndex(of: UInt8(ascii: ".")) else {
            return .belowHundredth
        }
        let zeros = number[(point + 1)...].prefix(2).prefix { $0 == UInt8(ascii: "0") }.count
        guard zeros == 0 else { return zeros == 2 ? .belowHundredth : .belowTenth }
        let first = number.dropFirst(point + 1 - number.startIndex).first ?? UInt8(ascii: "0")
        return first < UInt8(ascii: "5") ? .belowHalf : .belowOne
    }

    private mutating func checkNumber(from start: Int, _ isOdd: Bool) {
        if isOdd { hasOddOperands = true }
        if position - start > Self.wordByteLimit { hasCutWord = true }
    }

    private static let numberLimit = 1 << 31
    private static let fractionUnit = 1_000_000

    mutating func save() {
        if saved.count < Self.savedLimit { saved.append(state) } else { unkeptCount += 1 }
    }

    mutating func restore() {
        if unkeptCount > 0 {
            unkeptCount -= 1
        } else if let last = saved.popLast() {
            state = last
        } else {
            hasExtraRestore = true
        }
    }

    /// Readers disagree where the data of an image ends that holds another `EI`: then there are
    /// more of them than images.
    var hasDoubtfulImages: Bool {
        hasOddImage
            || imageCount > 0 && ContentReader.imageEndCount(in: content) != imageCount
    }

    mutating func skipImageData() {
        imageCount += 1
        // One is enough to be told.
        let flate = hasOddImage ? nil : flate ?? FlateReader()
        self.flate = flate
        let image = InlineImage(content, from: imageStart, to: position, flate)
        if image.isOdd { hasOddImage = true }
        note(image)
        position = image.end
    }

    /// The last name, where it was not asked for before.
    mutating func newName(in category: PDFName) -> PDFName? {
        guard seenNames[category, default: []].insert(content[name]).inserted else {
            return nil
        }
        return decoded(name)
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
        if position - start > Self.wordByteLimit { hasCutWord = true }
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

    private mutating func takeHexadecimal() {
        position += 1
        guard position < content.count, content[position] != UInt8(ascii: "<") else {
            begin(.dictionary)
            position += 1
            return
        }
        let start = position - 1
        skip { $0 == UInt8(ascii: ">") }
        var digitCount = 0
        for byte in content[(start + 1)..<position] {
            if Hex.value(of: byte) != nil {
                digitCount += 1
            } else if !Characters.isWhiteSpace(Int(byte)) {
                // Readers pass over other letters, or take them for some digit.
                hasOddOperands = true
            }
        }
        // Some leave out a last digit that is alone (ISO 32000-2 §7.3.4.3).
        if !digitCount.isMultiple(of: 2) { hasCutWord = true }
        position += 1
        if (position - start) / 2 - 1 > Self.stringByteLimit { hasCutWord = true }
        codes.take(content, start..<min(position, content.count))
        take(.string)
    }
}
