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
        "/Widths [-500] /FirstChar 49 /LastChar 49", "/Widths [500]",
        "/Widths [500] /FirstChar 49 /LastChar 300", "/Widths <<>> /FirstChar 49 /LastChar 49",
    ]) func simpleFonts(entries: String) throws {
        #expect(try doubt(Self.helvetica + entries + ">>") != nil)
    }

    private static let glyphs =
        "<</Subtype /Type3 /CharProcs <<>> /Encoding <</Differences [49 /one]>> /FirstChar 49 "
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
        ("/Identity-H", system + "/CIDToGIDMap 8 0 R", false),
        ("/Identity-H", system + "/CIDToGIDMap /Foo", false),
    ]) func compositeFonts(encoding: String, entries: String, isAgreed: Bool) throws {
        let objects = [
            Self.stream("", "abcdef"), Self.stream("", "none"), Self.stream("", "ab"),
        ]
        let found = try doubt(Self.composite(encoding, entries), codes: [0, 2], objects)
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
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
