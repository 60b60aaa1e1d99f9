/// A font in the Compact Font Format (Adobe Technical Note 5176), as far as the names of its glyphs.
struct CompactFont {
    private let bytes: FontBytes
    private let strings: List
    /// The last whole number before each operator of the top dictionary; those of two bytes from 1200.
    private let top: [Int: Int]
    private let glyphCount: Int

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

    /// Operators of top dictionaries.
    private enum Operator {
        static let charset = 15
        static let encoding = 16
        static let glyphs = 17
        /// `ROS`, of fonts whose glyphs have numbers and no names.
        static let composite = 1230
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
        top = Self.entries(bytes, in: range)
        self.strings = strings
        guard let place = top[Operator.glyphs], let glyphs = Self.list(bytes, at: place),
            glyphs.count > 0
        else { return nil }
        glyphCount = glyphs.count
    }

    /// Whether its glyphs have names.
    var hasNames: Bool { top[Operator.composite] == nil }

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
                if names.indices.contains(glyph) { found[code] = names[glyph] }
                glyph += 1
            }
        }
        guard format & 128 != 0, let more = bytes.number(position, 1) else { return found }
        for index in 0..<Int(more) {
            let entry = position + 1 + 3 * index
            guard let code = bytes.number(entry, 1), let number = bytes.number(entry + 1, 2) else {
                return nil
            }
            found[Int(code)] = name(Int(number))
        }
        return found
    }

    /// The names of its glyphs but for the first one; nil where they have none, or the list is cut off.
    var names: [[UInt8]]? {
        guard hasNames else { return nil }
        let place = top[Operator.charset] ?? 0
        guard place > 2 else {
            guard place == 0 else { return nil }
            return (1...min(Self.latinCount, max(glyphCount - 1, 1))).compactMap(name)
        }
        guard let format = bytes.number(place, 1) else { return nil }
        var (position, remaining) = (place + 1, glyphCount - 1)
        var names: [[UInt8]] = []
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
            for number in Int(first)...(Int(first) + more) {
                names.append(name(number) ?? [])
            }
            remaining -= more + 1
        }
        return names
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

    private static func entries(_ bytes: FontBytes, in range: Range<Int>) -> [Int: Int] {
        var entries: [Int: Int] = [:]
        var position = range.lowerBound
        var operand: Int?
        while position < range.upperBound {
            let byte = Int(bytes.bytes[position])
            position += 1
            switch byte {
            case 0...21:
                var found = byte
                if byte == 12, position < range.upperBound {
                    found = 1200 + Int(bytes.bytes[position])
                    position += 1
                }
                entries[found] = operand
                operand = nil
            case 28:
                operand = bytes.number(position, 2).map { Int(Int16(truncatingIfNeeded: $0)) }
                position += 2
            case 29:
                operand = bytes.number(position, 4).map { Int(Int32(truncatingIfNeeded: $0)) }
                position += 4
            case 30:
                // A real number, to the first nibble that is 15.
                while position < range.upperBound, bytes.bytes[position] & 15 != 15,
                    bytes.bytes[position] >> 4 != 15
                {
                    position += 1
                }
                position += 1
            case 32...246: operand = byte - 139
            case 247...250:
                operand = bytes.number(position, 1).map { (byte - 247) * 256 + Int($0) + 108 }
                position += 1
            case 251...254:
                operand = bytes.number(position, 1).map { -(byte - 251) * 256 - Int($0) - 108 }
                position += 1
            default: break
            }
        }
        return entries
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
