import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// What in fonts leads readers to different glyphs.
@Suite struct ShownFontTests {
    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    /// - Parameter objects: from number 6 on.
    private func doubt(_ font: String, codes: [UInt8] = [49], _ objects: [String] = []) throws
        -> String?
    {
        let sample = SamplePDF(extraObjects: objects + [font])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let entry = try document.object(ObjectID(number: 6 + objects.count))
        var fonts = ShownFonts(document, .thorough)
        let content = [0x28] + codes + Array(") Tj".utf8)
        let shown = try #require(ContentOutline(Array("/F 9 Tf ".utf8) + content).shownFonts["F"])
        return try fonts.doubt(about: try #require(entry.dictionaryValue), nil, shown).doubt
    }

    private static let helvetica = "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica "

    @Test(
        "standard fonts have glyphs of standard names",
        arguments: [
            "", "/Encoding /WinAnsiEncoding", "/Encoding <</Differences [49 /nine]>>",
            "/Encoding <</Differences [49 /Euro /Aogonek]>>",
            "/Encoding <</Differences [49 /space]>>", "/Encoding <</Differences [1 /.notdef]>>",
            // Not shown.
            "/Encoding <</Differences [50 /uni0039]>>",
        ])
    func agreed(entries: String) throws {
        #expect(try doubt(Self.helvetica + entries + ">>") == nil)
    }

    @Test(arguments: [
        "/Encoding <</Differences [49 /uni0039]>>", "/Encoding <</Differences [49 /one.alt]>>",
        "/Encoding <</Differences [49 /alpha]>>", "/Encoding <</Differences [49.0 /nine]>>",
        "/Encoding <</Differences [300 /nine]>>", "/Encoding /MacExpertEncoding",
        "/Encoding <</Differences [49 /.notdef]>>", "/Encoding <</Differences [49 /nbspace]>>",
        "/Encoding <</Differences [49 /.null]>>",
        "/Widths [-500] /FirstChar 49 /LastChar 49", "/Widths [500]",
        "/Widths [500] /FirstChar 49 /LastChar 300", "/Widths <<>> /FirstChar 49 /LastChar 49",
        "/Widths [/A] /FirstChar 49 /LastChar 49", "/Widths [null] /FirstChar 49 /LastChar 49",
        "/Widths [99999] /FirstChar 49 /LastChar 49", "/Widths [500] /FirstChar 48 /LastChar 49",
        "/Widths [500 500] /FirstChar 48 /LastChar 48", "/Widths [500] /FirstChar 50 /LastChar 50",
        "/Widths [1] /FirstChar 49 /LastChar 49 /FontDescriptor <</MissingWidth (x)>>",
    ]) func simpleFonts(entries: String) throws {
        #expect(try doubt(Self.helvetica + entries + ">>") != nil)
    }

    private static let glyphs =
        "<</Subtype /Type3 /CharProcs <</one 1 0 R>> /Encoding <</Differences [49 /one]>> /FirstChar 49 "
        + "/LastChar 49 /Widths [500] /FontMatrix [1 0 0 1 0 0]>>"

    @Test func fontsOfContent() throws {
        #expect(try doubt(Self.glyphs) == nil)
        #expect(try doubt(Self.glyphs, codes: [50]) != nil)
        for (part, other) in [
            ("[1 0 0 1 0 0]", "[1 0 0 1 0]"), ("/Encoding", "/Other"), ("/Widths", "/Other"),
            ("/FirstChar", "/Other"), ("/CharProcs", "/Other"),
        ] {
            #expect(try doubt(Self.glyphs.replacing(part, with: other)) != nil, "\(other)")
        }
    }

    /// A composite font with an embedded program that is none, object 7.
    private static func composite(_ encoding: String, _ entries: String) -> String {
        "<</Subtype /Type0 /BaseFont /A /Encoding \(encoding) /DescendantFonts [<</Subtype "
            + "/CIDFontType2 /BaseFont /A \(entries) /FontDescriptor <</FontFile2 7 0 R>>>>]>>"
    }

    private static let system = "/CIDSystemInfo <</Registry (Adobe) /Ordering (Identity)>> "

    @Test(arguments: [
        ("/Identity-H", system, true), ("/UniGB-UTF16-V", system, true),
        ("/Identity-H", system + "/W [1 [500 600] 3 9 700]", true),
        ("/Identity-H", system + "/CIDToGIDMap 6 0 R", true), ("/Identity-H", "", false),
        ("/Foo", system, false), ("/Identity", system, false), ("null", system, false),
        ("/Identity-H", system + "/W [1 [500 600] 2 9 700]", false),
        ("/Identity-H", system + "/W [1 [500] 2 /X]", false),
        ("/Identity-H", system + "/W [1 [500 /X]]", false),
        ("/Identity-H", system + "/W [1 [500] 2]", false),
        ("/Identity-H", system + "/W [1 2 99999]", false),
        ("/Identity-H", system + "/DW (500)", false),
        ("/Identity-H", system + "/DW2 [880 -1000] /W2 [1 [-900 1 2] 4 5 -900 1 2]", true),
        ("/Identity-H", system + "/DW2 [880]", false),
        ("/Identity-H", system + "/W2 [1 [-900 1]]", false),
        ("/Identity-H", system + "/W2 [1 2 -900 1 2 2 3 -900 1 2]", false),
        ("/Identity-H", system + "/CIDToGIDMap 8 0 R", false),
        ("/Identity-H", system + "/CIDToGIDMap /Foo", false),
    ]) func compositeFonts(encoding: String, entries: String, isAgreed: Bool) throws {
        let objects = [
            Self.stream("", "abcdef"), Self.stream("", "none"), Self.stream("", "ab"),
        ]
        let found = try doubt(Self.composite(encoding, entries), codes: [0, 2], objects)
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test("there are no more widths than codes, in lists that stand in many places")
    func manyWidths() throws {
        let objects = [
            "[\(String(repeating: "5 ", count: 700))]", Self.stream("", "none"),
        ]
        for (count, isAgreed) in [(90, true), (95, false)] {
            let lists = (0..<count).map { "\($0 * 700) 6 0 R" }.joined(separator: " ")
            let font = Self.composite("/Identity-H", Self.system + "/W [\(lists)]")
            let found = try doubt(font, codes: [0, 2], objects)
            #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
        }
    }

    private static let pairs = "1 begincodespacerange <0000> <ffff> endcodespacerange "

    @Test(arguments: [
        (
            pairs + "1 begincidrange <0000> <ffff> 0 endcidrange",
            true
        ),
        (
            "2 begincodespacerange <00> <80> <8100> <ffff> endcodespacerange "
                + "1 begincidchar <01> 1 endcidchar",
            true
        ),
        ("1 begincidchar <01> 1 endcidchar", false), ("", false),
        ("2 begincodespacerange <00> <80> <0000> <ffff> endcodespacerange", false),
        ("1 begincodespacerange <000000> <ffffff> endcodespacerange", false),
        (pairs + "/A usecmap", false),
        (
            pairs + "1 beginbfchar <0001> <0002> endbfchar",
            false
        ),
        (
            pairs + "1 begincidchar 1 2 endcidchar",
            false
        ),
        (
            pairs + "1 begincidchar <01> 2 endcidchar",
            false
        ),
        (
            pairs + "1 begincidrange <0001> <0002> [2 1] endcidrange",
            false
        ),
        (pairs + "/WMode 1 def", false),
        (pairs + "1 begincidchar <0001> 2 endcidchar 1 begincidchar <0001> 2 endcidchar", true),
        (pairs + "2 begincidrange <0005> <0006> 7 <0001> <0004> 9 endcidrange", true),
        (pairs + "2 begincidrange <0001> <0004> 9 <0003> <0006> 9 endcidrange", false),
        (pairs + "1 begincidchar <0001> 2 endcidchar 1 begincidchar <0001> 3 endcidchar", false),
        (pairs + "1 begincidrange <0004> <0001> 9 endcidrange", false),
        (pairs + "1 begincidrange <0001> <0004> 9.0 endcidrange", false),
        (pairs + "/CMapVersion 1.000 def", true),
        (pairs + "1 begincidrange <0080> <0120> 9 endcidrange", false),
        (pairs + "1 begincidrange <0000> <ffff> 9 endcidrange", false),
        (pairs + "1 beginnotdefrange <0000> <001f> 0 endnotdefrange", true),
        (pairs + "1 beginnotdefrange <0000> <001f> 7 endnotdefrange", false),
        (pairs + "1 begincidchar <001> 2 endcidchar", false),
        (pairs + "1 begincidchar <00 1> 2 endcidchar", false),
        (pairs + "1 begincidchar (ab) 2 endcidchar", false),
        (pairs + "/Registry (Adobe) def 1 begincidchar % <1\n <0001> 2 endcidchar", true),
        (pairs + "endcmap 1 begincidchar <0001> 2 endcidchar", false),
        (pairs + "<0001> 2 endcidchar", false), (pairs + "1 begincidchar <0001> 2", false),
        (pairs + "true {1 begincidchar <0001> 2 endcidchar} if", false),
        (pairs + "/WMode 0 def /WMode 1 def", false),
        (pairs + pairs, false),
        (
            "1 begincodespacerange <0040> <ff20> endcodespacerange",
            false
        ),
        (
            "1 begincodespacerange <00> <80> endcodespacerange 1 begincidchar <90> 1 endcidchar",
            false
        ),
    ]) func mapsOfCodes(content: String, isAgreed: Bool) {
        #expect((CodeMap.doubt(about: Array(content.utf8), isVertical: false) == nil) == isAgreed)
    }

    // MARK: Font programs

    private static func numbers(_ values: [Int], _ byteCount: Int = 2) -> [UInt8] {
        values.flatMap { value in
            (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    /// A map of characters with one segment, from 49 on.
    private static func segment(_ base: Int, _ glyph: Int) -> [UInt8] {
        numbers([4, 32, 0, 4, 4, 1, 0, base + 57, 0xFFFF, 0, base + 49, 0xFFFF])
            + numbers([glyph - base - 49, 1, 0, 0])
    }

    @Test("the lists of a TrueType font are read") func trueType() throws {
        let maps = [Self.segment(0, 3), Self.segment(0xF000, 5)]
        var map = Self.numbers([0, 2])
        for (index, place) in [(3, 1), (3, 0)].enumerated() {
            map += Self.numbers([place.0, place.1]) + Self.numbers([20 + 32 * index], 4)
        }
        map += maps.joined()
        var post = Self.numbers([2, 0]) + [UInt8](repeating: 0, count: 28)
        post += Self.numbers([3, 0, 20, 258]) + [3] + Array("abc".utf8)
        let tables: [UInt32: Range<Int>] = [
            0x636D_6170: 0..<map.count, 0x706F_7374: map.count..<(map.count + post.count),
        ]
        let glyphs = TrueTypeGlyphs(FontBytes(map + post), tables)
        func found(_ character: Int, isNamed: Bool = false) -> Set<Int> {
            glyphs.glyphs(ofCharacter: character, isRoman: true, isNamed: isNamed)
        }
        #expect(found(49) == [3] && found(57) == [11] && found(58).isEmpty)
        #expect(glyphs.glyphs(ofCode: 49, isRoman: true) == [5] && !glyphs.hasRoman)
        #expect(found(49, isNamed: true) == [1, 3] && glyphs.names == [Array("abc".utf8)])
    }

    @Test("the names of Type 1 glyphs are found behind their cipher") func type1() {
        let text = Array(
            "xxxxdup /CharStrings 2 dict\n/one 3 RD \u{1}/\u{2} ND /nine 2 RD ab ND".utf8)
        var key: UInt16 = 55_665
        let secret = text.map { byte in
            let cipher = byte ^ UInt8(truncatingIfNeeded: key >> 8)
            key = (UInt16(cipher) &+ key) &* 52_845 &+ 22_719
            return cipher
        }
        let program = FontProgram(Array("%!PS currentfile eexec ".utf8) + secret)
        #expect(program.named?.names == [Array("one".utf8), Array("nine".utf8)])
        let digits = secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let written = FontProgram(Array(("%!PS currentfile eexec\n" + digits.joined()).utf8))
        #expect(written.named?.names == program.named?.names)
        #expect(FontProgram(Array("%!PS eexec".utf8)).named == nil)
        func coding(_ lists: String) -> [Int: [UInt8]]? {
            FontProgram(Array("%!PS \(lists) currentfile eexec ".utf8) + secret).named?.encoding
        }
        let list = "/Encoding 256 array dup 49/nine put dup 57 /one put readonly def"
        #expect(coding(list) == [49: Array("nine".utf8), 57: Array("one".utf8)])
        // Readers take different ones.
        for odd in [
            list + " " + list, "/Encoding StandardEncoding def " + list,
            "/Encoding 256 array dup 8#61 /nine put def",
            "/Encoding 256 array dup 49 /one put dup 49 /nine put def",
        ] {
            #expect(coding(odd)?.isEmpty == true, "\(odd)")
        }
        let usual = "%!PS /Encoding StandardEncoding def currentfile eexec "
        #expect(
            FontProgram(Array(usual.utf8) + secret).named?.encoding?[49] == Array("one".utf8))
    }

    @Test("the names of compact fonts are found by their numbers") func compact() {
        func list(_ elements: [[UInt8]]) -> [UInt8] {
            guard !elements.isEmpty else { return [0, 0] }
            var offsets = [1]
            for element in elements { offsets.append(offsets.last! + element.count) }
            return Self.numbers([elements.count]) + [1] + offsets.map { UInt8($0) }
                + elements.joined()
        }
        func font(_ charset: Int, _ glyphs: Int) -> [UInt8] {
            var top: [UInt8] = [29] + Self.numbers([charset], 4)
            top += [15, 29] + Self.numbers([glyphs], 4) + [17]
            let head: [UInt8] = [1, 0, 4, 1] + list([[65]]) + list([top])
            return head + list([Array("uni0039".utf8)]) + list([])
        }
        let place = font(0, 0).count
        var program = font(place, place + 5)
        program += [0] + Self.numbers([18, 391]) + list([[14], [14], [14]])
        #expect(FontProgram(program).isFont)
        #expect(FontProgram(program).named?.names == [Array("one".utf8), Array("uni0039".utf8)])
        #expect(FontProgram(program).named?.encoding?[49] == Array("one".utf8))
        #expect(FontProgram(program.dropLast(9)).named == nil)
    }

    // MARK: Lists that readers follow in different ways

    private static func list(_ elements: [[UInt8]]) -> [UInt8] {
        guard !elements.isEmpty else { return [0, 0] }
        var (end, offsets) = (1, [UInt8(1)])
        for element in elements {
            end += element.count
            offsets.append(UInt8(end))
        }
        return numbers([elements.count]) + [1] + offsets + elements.joined()
    }

    private static func integer(_ value: Int) -> [UInt8] { [29] + numbers([value], 4) }

    /// A compact font of three glyphs.
    ///
    /// - Parameters:
    ///   - more: entries of its dictionary, besides where its lists are.
    ///   - tail: behind all else, at the place that `more` is given.
    private static func compact(
        charset: [UInt8] = [0, 0, 18, 0, 19], tail: [UInt8] = [], tops: Int = 1,
        more: (Int) -> [UInt8] = { _ in [] }
    ) -> [UInt8] {
        func head(_ place: Int) -> [UInt8] {
            let glyphs = place + charset.count
            let end = glyphs + list([[14], [14], [14]]).count
            let top = more(end) + integer(place) + [15] + integer(glyphs) + [17]
            return [1, 0, 4, 1] + list([[65]]) + list([[UInt8]](repeating: top, count: tops))
                + list([]) + list([])
        }
        return head(head(0).count) + charset + list([[14], [14], [14]]) + tail
    }

    @Test("dictionaries of compact fonts have each operator once, with what it takes")
    func compactDictionaries() {
        let secrets = Self.integer(6) + [19] + [UInt8](repeating: 0, count: 2)
        func own(_ place: Int) -> [UInt8] {
            Self.integer(6) + Self.integer(place) + [18]
        }
        #expect(FontProgram(Self.compact()).doubt == nil)
        #expect(FontProgram(Self.compact(tail: secrets, more: own)).doubt == nil)
        #expect(FontProgram(Self.compact(more: { _ in [140, 0] })).doubt == nil)
        let odd: [[UInt8]] = [
            Self.compact(more: own), Self.compact(tops: 2),
            // Two operands, an operator twice, one without any, a number that is none.
            Self.compact(more: { _ in [140] }), Self.compact(more: { _ in [139, 16, 139, 16] }),
            Self.compact(more: { _ in [16] }), Self.compact(more: { _ in [31] }),
            Self.compact(more: { _ in [140, 12, 6] }),
            // Subroutines behind the end of all.
            Self.compact(tail: Self.integer(99) + [19, 0, 0], more: own),
        ]
        for font in odd { #expect(FontProgram(font).doubt != nil, "\(font)") }
    }

    @Test("the numbers of glyphs are their places where readers go by either")
    func numbersOfGlyphs() {
        // A part without entries, and which part each glyph has.
        let tail: [UInt8] = [0, 1, 1, 1, 1]
        func font(_ charset: [UInt8], choice: [UInt8] = [0, 0, 0, 0]) -> FontProgram {
            FontProgram(
                Self.compact(
                    charset: charset, tail: tail + choice,
                    more: { place in
                        var top: [UInt8] = [139, 139, 139, 12, 30]
                        top += Self.integer(place) + [12, 36]
                        return top + Self.integer(place + 5) + [12, 37]
                    }))
        }
        let plain = font([0, 0, 1, 0, 2])
        #expect(plain.doubt == nil && !plain.hasOtherNumbers(isTrueType: true))
        let other = font([0, 0, 2, 0, 1])
        #expect(other.doubt == nil && other.hasOtherNumbers(isTrueType: true))
        #expect(!other.hasOtherNumbers(isTrueType: false))
        let oddLists = "the lists of its glyphs are not as they should be"
        #expect(font([0, 0, 2, 0, 2]).doubt == "its glyphs have no numbers, or the same")
        #expect(font([0, 0, 1, 0, 2], choice: [0, 0, 1, 0]).doubt == oddLists)
        #expect(font([0, 0, 1, 0, 2], choice: [3, 0, 1, 0, 0, 0, 0, 3]).doubt == nil)
        #expect(font([0, 0, 1, 0, 2], choice: [3, 0, 1, 0, 0, 0, 0, 2]).doubt == oddLists)
    }

    @Test("two glyphs of a name, and two names of a code")
    func doubleNames() {
        #expect(FontProgram(Self.compact(charset: [0, 0, 18, 0, 18])).named?.names.isEmpty == true)
        func encoding(_ list: [UInt8]) -> [Int: [UInt8]]? {
            FontProgram(Self.compact(tail: list, more: { Self.integer($0) + [16] })).named?.encoding
        }
        #expect(encoding([0, 2, 49, 50])?[50] == Array("two".utf8))
        #expect(encoding([0x80, 2, 49, 50, 1, 51, 0, 18])?[51] == Array("one".utf8))
        #expect(encoding([0x80, 2, 49, 50, 1, 49, 0, 19])?.isEmpty == true)
        #expect(encoding([0, 2, 49, 49])?.isEmpty == true)
    }

    /// A TrueType font of one glyph without outlines.
    private static func trueType(
        _ changed: [(String, [UInt8])] = [], offsets: [String: Int] = [:]
    ) -> FontProgram {
        let zeros = [UInt8](repeating: 0, count: 64)
        var tables: [(String, [UInt8])] = [
            ("head", Array(zeros.prefix(54))), ("maxp", numbers([0, 1, 2])),
            ("hhea", Array(zeros.prefix(36))), ("hmtx", Array(zeros.prefix(8))),
            ("loca", numbers([0, 2, 4])), ("glyf", Array(zeros.prefix(8))),
        ]
        for change in changed {
            if let index = tables.firstIndex(where: { $0.0 == change.0 }), !change.1.isEmpty {
                tables[index] = change
            } else {
                tables.append((change.0, Array(zeros.prefix(8))))
            }
        }
        var head = [0, 1, 0, 0].map { UInt8($0) } + numbers([tables.count, 0, 0, 0])
        var body: [UInt8] = []
        for (tag, bytes) in tables {
            let place = 12 + 16 * tables.count + body.count + (offsets[tag] ?? 0)
            head += Array(tag.utf8) + numbers([0, place, bytes.count], 4)
            body += bytes
        }
        return FontProgram(head + body)
    }

    @Test("tables of TrueType fonts stand alone, and their glyphs one behind the other")
    func tables() {
        #expect(Self.trueType().isFont && Self.trueType().doubt == nil)
        #expect(Self.trueType([("abcd", [])]).doubt == nil)
        let double = "it has a table twice, or several in one place"
        #expect(Self.trueType([("glyf", [])]).doubt == double)
        #expect(Self.trueType(offsets: ["glyf": -4]).doubt == double)
        for places in [[0, 4, 2], [0, 2, 400], [0, 2]] {
            #expect(
                Self.trueType([("loca", Self.numbers(places))]).doubt
                    == "the places of its glyphs are not in order", "\(places)")
        }
    }

    /// - Parameter maps: platform, encoding and map each.
    private static func maps(_ maps: [(Int, Int, [UInt8])]) -> TrueTypeGlyphs {
        var (head, body) = (numbers([0, maps.count]), [UInt8]())
        for (platform, encoding, map) in maps {
            head += numbers([platform, encoding]) + numbers([4 + 8 * maps.count + body.count], 4)
            body += map
        }
        let table = head + body
        return TrueTypeGlyphs(FontBytes(table), [0x636D_6170: 0..<table.count])
    }

    @Test("of two maps of a kind both count, and ranges have an order")
    func mapsOfCharacters() {
        let double = Self.maps([(3, 1, Self.segment(0, 3)), (3, 1, Self.segment(0, 5))])
        #expect(double.glyphs(ofCharacter: 49, isRoman: false, isNamed: false) == [3, 5])
        #expect(!double.hasOddMaps)
        let symbols = Self.maps([(3, 0, Self.segment(0, 3)), (3, 0, Self.segment(0xF000, 5))])
        #expect(symbols.glyphs(ofCode: 49, isRoman: false) == [3, 5])
        let backwards = Self.numbers([4, 40, 0, 6, 4, 1, 0, 57, 50, 0xFFFF, 0, 49, 40, 0xFFFF])
        #expect(Self.maps([(3, 1, backwards + Self.numbers([1, 1, 1, 0, 0, 0]))]).hasOddMaps)
        let groups = Self.numbers([12, 0]) + Self.numbers([40, 0, 2], 4)
        let first = Self.numbers([40, 50, 1], 4)
        #expect(!Self.maps([(3, 10, groups + first + Self.numbers([51, 60, 1], 4))]).hasOddMaps)
        #expect(Self.maps([(3, 10, groups + first + Self.numbers([45, 60, 1], 4))]).hasOddMaps)
        #expect(Self.maps([(3, 1, Self.numbers([10, 0]))]).hasOddMaps)
    }

    @Test("the encodings that all readers know have their characters") func encodings() {
        #expect(LatinEncoding.windows.scalars[0x92] == 0x2019)
        #expect(LatinEncoding.macintosh.scalars[0xD5] == 0x2019)
        #expect(LatinEncoding.standard.names[39] == Array("quoteright".utf8))
        #expect(LatinEncoding.windows.names[39] == Array("quotesingle".utf8))
        #expect(LatinEncoding.standard.names[251] == Array("germandbls".utf8))
        #expect(LatinEncoding.macintoshCode(of: 0xE9) == 0x8E)
        #expect(LatinEncoding.scalar(of: Array("zcaron".utf8)) == 0x17E)
    }

    @Test(
        "instructions that put points elsewhere are told",
        arguments: [
            ([0x00, 0x48, 0x48, 0x48, 0x48], true), ([0xB9, 0, 1, 0, 2, 0x48], false),
            ([0x00, 0xB0, 0x48, 0x2F], false),
            ([0x40, 1, 0x48, 0x2F], false), ([0xB8, 0x48, 0x48, 0x38], false),
            ([0x41, 1, 0, 0x48, 0x38], false), ([0x3A, 0x3A, 0x3A, 0x3B], true),
            ([0x3A, 0x3A], false),
        ] as [([UInt8], Bool)]) func instructions(program: [UInt8], isTold: Bool)
    {
        let head = [UInt8](repeating: 0, count: 54)
        var glyph = Self.numbers([1]) + [UInt8](repeating: 0, count: 8)
        glyph += Self.numbers([3, program.count]) + program
        if !glyph.count.isMultiple(of: 2) { glyph.append(0) }
        let places = Self.numbers([0, glyph.count / 2])
        let tables: [UInt32: Range<Int>] = [
            0x6865_6164: 0..<54, 0x6C6F_6361: 54..<58, 0x676C_7966: 58..<(58 + glyph.count),
        ]
        let programs = GlyphPrograms(FontBytes(head + places + glyph), tables)
        #expect(programs?.movesPoints == isTold)
    }
}
