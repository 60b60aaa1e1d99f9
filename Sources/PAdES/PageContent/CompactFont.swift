/// A font in the Compact Font Format (Adobe Technical Note 5176), as far as the names of its glyphs.
struct CompactFont {
    private let bytes: FontBytes
    private let strings: List
    private let top: CompactDictionary
    private let glyphs: List
    private var glyphCount: Int { glyphs.count }
    /// Whether it has one name and one dictionary.
    private let isOne: Bool

    private typealias Operator = CompactDictionary.Operator

    /// Elements one behind the other.
    private struct List {
        let count: Int
        /// How many bytes an offset has, and where the offsets begin.
        let size: Int
        let start: Int
        /// What the offsets count from.
        let base: Int
        let end: Int
    }

    /// The first charset that fonts need not bring: the standard strings up to this one.
    private static let latinCount = 228

    /// A header, and the four lists behind it, each where the one before ends.
    init?(_ bytes: FontBytes) {
        self.bytes = bytes
        guard bytes.number(0, 1) == 1, let headerCount = bytes.number(2, 1), headerCount >= 4,
            let names = Self.list(bytes, at: Int(headerCount)), names.count > 0,
            let dictionaries = Self.list(bytes, at: names.end), dictionaries.count > 0,
            let strings = Self.list(bytes, at: dictionaries.end),
            Self.list(bytes, at: strings.end) != nil,
            let range = Self.element(0, of: dictionaries, bytes)
        else { return nil }
        top = CompactDictionary(bytes, in: range)
        self.strings = strings
        isOne = names.count == 1 && dictionaries.count == 1
        guard let place = top[Operator.glyphs], let glyphs = Self.list(bytes, at: place),
            glyphs.count > 0
        else { return nil }
        self.glyphs = glyphs
    }

    /// Whether its glyphs have names.
    var hasNames: Bool { top.entries[Operator.composite] == nil }

    // MARK: What departs

    /// What leads readers to different glyphs, in words; nil for nothing.
    var doubt: String? {
        if !isOne { return "it is several fonts in one" }
        let words = "the lists of its glyphs are not as they should be"
        if top.isOdd || !isRising(glyphs) || ![nil, Self.usualKind].contains(top[Operator.kind]) {
            return words
        }
        guard !hasNames else { return hasPrograms(top) ? nil : words }
        guard let numbers, Set(numbers).count == numbers.count else {
            return "its glyphs have no numbers, or the same"
        }
        return hasParts ? nil : words
    }

    /// Of `CharstringType`.
    private static let usualKind = 2

    /// Whether the private part of a dictionary, and the subroutines in it, are where it says.
    private func hasPrograms(_ dictionary: CompactDictionary) -> Bool {
        guard let place = dictionary.entries[Operator.secrets] else { return true }
        guard place.count == 2, let length = place[0], let start = place[1], length >= 0,
            start >= 0,
            start <= bytes.bytes.count - length
        else { return false }
        let secrets = CompactDictionary(bytes, in: start..<(start + length))
        guard !secrets.isOdd else { return false }
        guard secrets.entries[Operator.programs] != nil else { return true }
        guard let offset = secrets[Operator.programs], offset >= 0,
            let programs = Self.list(bytes, at: start + offset)
        else { return false }
        return isRising(programs)
    }

    private func isRising(_ list: List) -> Bool {
        var before: UInt32 = 1
        for index in 0..<list.count {
            guard let end = bytes.number(list.start + (index + 1) * list.size, list.size),
                end >= before
            else { return false }
            before = end
        }
        return true
    }

    /// Whether each glyph has one of the parts of a font whose glyphs have numbers.
    private var hasParts: Bool {
        guard let place = top[Operator.parts], let parts = Self.list(bytes, at: place),
            (1...Self.partLimit).contains(parts.count), isRising(parts),
            let choice = top[Operator.choice], let format = bytes.number(choice, 1)
        else { return false }
        for index in 0..<parts.count {
            guard let range = Self.element(index, of: parts, bytes) else { return false }
            let part = CompactDictionary(bytes, in: range)
            guard !part.isOdd, hasPrograms(part) else { return false }
        }
        switch format {
        case 0:
            return (0..<glyphCount).allSatisfy {
                bytes.number(choice + 1 + $0, 1).map { Int($0) < parts.count } ?? false
            }
        case 3: return hasRanges(at: choice + 1, parts.count)
        default: return false
        }
    }

    private static let partLimit = 256

    /// Ranges of glyphs from the first one on, and behind the last one how many glyphs there are.
    private func hasRanges(at place: Int, _ partCount: Int) -> Bool {
        guard let count = bytes.number(place, 2), count > 0, bytes.number(place + 2, 2) == 0 else {
            return false
        }
        for index in 0..<Int(count) {
            let range = place + 2 + 3 * index
            guard let first = bytes.number(range, 2), let part = bytes.number(range + 2, 1),
                let next = bytes.number(range + 3, 2), Int(part) < partCount, first < next
            else { return false }
            if index == Int(count) - 1 { return Int(next) == glyphCount }
        }
        return false
    }

    // MARK: Numbers and names

    /// Whether the numbers of its glyphs are their places.
    var isInOrder: Bool { numbers.map { $0.elementsEqual(1..<(1 + $0.count)) } ?? false }

    /// The glyphs of codes by names, where it brings an encoding of its own; that of all fonts where it
    /// has none, nil where it cannot be read.
    ///
    /// - Parameter names: of its glyphs, the second one first.
    func encoding(_ names: [[UInt8]]) -> [Int: [UInt8]]? {
        let place = top[Operator.encoding] ?? 0
        guard place > 1 else { return place == 0 ? LatinEncoding.standard.names : nil }
        guard let format = bytes.number(place, 1), let count = bytes.number(place + 1, 1) else {
            return nil
        }
        var found: [Int: [UInt8]] = [:]
        var (position, glyph) = (place + 2, 0)
        for _ in 0..<Int(count) {
            guard let first = bytes.number(position, 1) else { return nil }
            var more = 0
            if format & 127 == 1 {
                guard let left = bytes.number(position + 1, 1) else { return nil }
                more = Int(left)
                position += 1
            }
            position += 1
            for code in Int(first)...(Int(first) + more) {
                if names.indices.contains(glyph) {
                    // Of two glyphs readers take either.
                    if found.updateValue(names[glyph], forKey: code) != nil { return [:] }
                }
                glyph += 1
            }
        }
        guard format & 128 != 0, let more = bytes.number(position, 1) else { return found }
        for index in 0..<Int(more) {
            let entry = position + 1 + 3 * index
            guard let code = bytes.number(entry, 1), let number = bytes.number(entry + 1, 2) else {
                return nil
            }
            let name = name(Int(number))
            if let known = found[Int(code)], known != name { return [:] }
            found[Int(code)] = name
        }
        return found
    }

    /// The names of its glyphs but for the first one; nil where they have none, or the list is cut off.
    var names: [[UInt8]]? {
        hasNames ? numbers?.map { name($0) ?? [] } : nil
    }

    /// The numbers of its glyphs but for the first one: of names, or those by which composite fonts find
    /// them; nil where the list is cut off.
    private var numbers: [Int]? {
        let place = top[Operator.charset] ?? 0
        guard place > 2 else {
            let count = hasNames ? min(Self.latinCount, max(glyphCount - 1, 1)) : glyphCount - 1
            // Where there are more, readers go on or do not.
            return place == 0 && count <= Self.latinCount ? Array(1..<(1 + count)) : nil
        }
        guard let format = bytes.number(place, 1) else { return nil }
        var (position, remaining) = (place + 1, glyphCount - 1)
        var numbers: [Int] = []
        while remaining > 0 {
            guard let first = bytes.number(position, 2) else { return nil }
            var more = 0
            switch format {
            case 0: position += 2
            case 1, 2:
                guard let left = bytes.number(position + 2, Int(format)) else { return nil }
                more = min(Int(left), remaining - 1)
                position += 2 + Int(format)
            default: return nil
            }
            numbers += Int(first)...(Int(first) + more)
            remaining -= more + 1
        }
        return numbers
    }

    /// The string of a number: one of those that all fonts have, or one of its own.
    private func name(_ number: Int) -> [UInt8]? {
        guard number >= StandardStrings.all.count else { return StandardStrings.all[number] }
        return Self.element(number - StandardStrings.all.count, of: strings, bytes).map(bytes.part)
    }

    private static func list(_ bytes: FontBytes, at start: Int) -> List? {
        guard let count = bytes.number(start, 2) else { return nil }
        guard count > 0 else {
            return List(count: 0, size: 1, start: start, base: 0, end: start + 2)
        }
        guard let size = bytes.number(start + 2, 1), (1...4).contains(size) else { return nil }
        let base = start + 2 + (Int(count) + 1) * Int(size)
        guard bytes.number(start + 3, Int(size)) == 1,
            let last = bytes.number(start + 3 + Int(count) * Int(size), Int(size)), last >= 1,
            base + Int(last) <= bytes.bytes.count
        else { return nil }
        return List(
            count: Int(count), size: Int(size), start: start + 3, base: base, end: base + Int(last))
    }

    private static func element(_ index: Int, of list: List, _ bytes: FontBytes) -> Range<Int>? {
        guard (0..<list.count).contains(index),
            let start = bytes.number(list.start + index * list.size, list.size),
            let end = bytes.number(list.start + (index + 1) * list.size, list.size),
            start >= 1, end >= start, list.base + Int(end) <= list.end
        else { return nil }
        return (list.base + Int(start))..<(list.base + Int(end))
    }
}

/// The strings that all fonts in the Compact Font Format have (Adobe Technical Note 5176, Appendix A).
/// The first 229 are the glyphs of the standard Latin character set but for Euro.
enum StandardStrings {
    static let all: [[UInt8]] = text.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
    static let latin = Set(all[1...228])

    private static let text = """
        .notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft
        parenright asterisk plus comma hyphen period slash zero one two three four five six seven
        eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q
        R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft a b c
        d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown
        cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft
        guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet
        quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown
        grave acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut
        ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae dotlessi lslash oslash
        oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter
        divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply
        threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute
        Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex
        Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron
        aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis
        egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde
        scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron exclamsmall
        Hungarumlautsmall dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior
        parenrightsuperior twodotenleader onedotenleader zerooldstyle oneoldstyle twooldstyle
        threeoldstyle fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle eightoldstyle nineoldstyle
        commasuperior threequartersemdash periodsuperior questionsmall asuperior bsuperior
        centsuperior dsuperior esuperior isuperior lsuperior msuperior nsuperior osuperior rsuperior
        ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior Circumflexsmall
        hyphensuperior Gravesmall Asmall Bsmall Csmall Dsmall Esmall Fsmall Gsmall Hsmall Ismall
        Jsmall Ksmall Lsmall Msmall Nsmall Osmall Psmall Qsmall Rsmall Ssmall Tsmall Usmall Vsmall
        Wsmall Xsmall Ysmall Zsmall colonmonetary onefitted rupiah Tildesmall exclamdownsmall
        centoldstyle Lslashsmall Scaronsmall Zcaronsmall Dieresissmall Brevesmall Caronsmall
        Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall
        questiondownsmall oneeighth threeeighths fiveeighths seveneighths onethird twothirds
        zerosuperior foursuperior fivesuperior sixsuperior sevensuperior eightsuperior ninesuperior
        zeroinferior oneinferior twoinferior threeinferior fourinferior fiveinferior sixinferior
        seveninferior eightinferior nineinferior centinferior dollarinferior periodinferior
        commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall Aringsmall
        AEsmall Ccedillasmall Egravesmall Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall
        Iacutesmall Icircumflexsmall Idieresissmall Ethsmall Ntildesmall Ogravesmall Oacutesmall
        Ocircumflexsmall Otildesmall Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall
        Ucircumflexsmall Udieresissmall Yacutesmall Thornsmall Ydieresissmall 001.000 001.001
        001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold
        """
}
