/// Which characters the codes of the encodings mean that all readers know (ISO 32000-2 Annex D).
enum LatinEncoding {
    case standard, windows, macintosh

    /// Nil for names that only some readers know, or that mean what readers know already.
    init?(_ name: String?) {
        switch name {
        case "WinAnsiEncoding": self = .windows
        case "MacRomanEncoding": self = .macintosh
        default: return nil
        }
    }

    /// The scalar value by code, 0 for none.
    var scalars: [Int] {
        switch self {
        case .standard: Self.standardScalars
        case .windows: Self.windowsScalars
        case .macintosh: Self.macintoshScalars
        }
    }

    /// The names of glyphs by code.
    var names: [Int: [UInt8]] {
        switch self {
        case .standard: Self.standardNames
        case .windows: Self.windowsNames
        case .macintosh: Self.macintoshNames
        }
    }

    /// The scalar value of a glyph's name; nil where it is none of the standard Latin ones.
    static func scalar(of name: [UInt8]) -> Int? { named[name] }

    /// The code of a character in MacRomanEncoding; nil for none.
    static func macintoshCode(of scalar: Int) -> Int? { macintoshCodes[scalar] }

    /// Of the names of ``StandardStrings`` from the second one on.
    static let characters: [Int] =
        (" !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz"
        + "{|}~¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊ"
        + "ËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž").unicodeScalars.map { Int($0.value) }

    /// The standard names are older than it.
    static let euro = 0x20AC

    private static let glyphs: [Int: [UInt8]] = {
        var names = Dictionary(
            zip(characters, StandardStrings.all.dropFirst()),
            uniquingKeysWith: { first, _ in first })
        names[euro] = Array("Euro".utf8)
        return names
    }()
    private static let named = Dictionary(
        glyphs.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })

    /// The names of StandardEncoding are in the order of their codes, with gaps: the code of the first
    /// of each run, its place and their number.
    private static let runs = [
        (32, 0, 95), (161, 95, 15), (177, 110, 4), (182, 114, 8), (191, 122, 1), (193, 123, 8),
        (202, 131, 2), (205, 133, 4), (225, 137, 1), (227, 138, 1), (232, 139, 4), (241, 143, 1),
        (245, 144, 1), (248, 145, 4),
    ]
    private static let standardScalars: [Int] = {
        var scalars = [Int](repeating: 0, count: 256)
        for (code, place, count) in runs {
            for index in 0..<count { scalars[code + index] = characters[place + index] }
        }
        return scalars
    }()
    private static let windowsScalars: [Int] = {
        let high = "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ".unicodeScalars.map { Int($0.value) }
        var scalars = Array(0..<256)
        scalars.replaceSubrange(0..<32, with: repeatElement(0, count: 32))
        scalars.replaceSubrange(127...159, with: [0] + high)
        // A blank, and a hyphen where lines may be broken.
        (scalars[160], scalars[173]) = (32, 45)
        return scalars
    }()
    private static let macintoshScalars: [Int] = {
        let high =
            ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨\0ÆØ\0±\0\0¥µ\0\0\0\0\0ªº\0æø¿¡¬\0ƒ\0\0«»… ÀÃÕŒœ–—“”‘’÷"
            + "\0ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\0ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars.map { Int($0.value) }
        return [Int](repeating: 0, count: 32) + Array(32..<127) + [0] + high
    }()
    private static let macintoshCodes = Dictionary(
        macintoshScalars.enumerated().filter { $0.element != 0 }.map { ($0.element, $0.offset) },
        uniquingKeysWith: { min($0, $1) })

    private static let standardNames = glyphs(standardScalars)
    private static let windowsNames = glyphs(windowsScalars)
    private static let macintoshNames = glyphs(macintoshScalars)

    private static func glyphs(_ scalars: [Int]) -> [Int: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: scalars.enumerated().compactMap { code, scalar in
                glyphs[scalar].map { (code, $0) }
            })
    }
}
