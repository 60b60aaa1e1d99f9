import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Embedded TrueType fonts whose maps, names and flags lead readers to different glyphs, beside such
/// that lead all to the same (ISO 32000-2 §9.6.5.4).
@Suite struct ShownGlyphsTests {
    /// A map of the codes A to I to the glyphs 1 to 9, or the other way round.
    private struct Map {
        let platform: Int
        let encoding: Int
        var base = 0
        var isReversed = false

        var bytes: [UInt8] {
            let glyphs = isReversed ? (1...9).reversed().map { $0 } : Array(1...9)
            // A list of glyphs from a first code on.
            return ShownGlyphsTests.numbers([6, 28, 0, base + 65, 9] + glyphs)
        }

        var reversed: Map {
            Map(platform: platform, encoding: encoding, base: base, isReversed: true)
        }

        static let roman = Map(platform: 1, encoding: 0)
        static let unicode = Map(platform: 3, encoding: 1)
        static let symbols = Map(platform: 3, encoding: 0, base: 0xF000)
        static let other = Map(platform: 0, encoding: 3)
    }

    private static func numbers(_ values: [Int], _ byteCount: Int = 2) -> [UInt8] {
        values.flatMap { value in
            (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    /// - Parameter blank: a glyph without an outline, besides the first.
    private static func font(_ maps: [Map], blank: Int = 0) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 160)
        var (map, body) = (numbers([0, maps.count]), [UInt8]())
        for part in maps {
            map += numbers([part.platform, part.encoding])
            map += numbers([4 + 8 * maps.count + body.count], 4)
            body += part.bytes
        }
        // Places are in units of two bytes, glyphs twelve bytes long.
        var places = [0]
        for glyph in 0..<10 {
            places.append(places[glyph] + (glyph == 0 || glyph == blank ? 0 : 6))
        }
        let tables: [(String, [UInt8])] = [
            ("cmap", map + body), ("glyf", Array(zeros.prefix(12 * 9))),
            ("head", Array(zeros.prefix(54))), ("hhea", Array(zeros.prefix(36))),
            ("hmtx", Array(zeros.prefix(40))), ("loca", numbers(places)),
            ("maxp", numbers([0, 1, 10])),
        ]
        var head: [UInt8] = [0, 1, 0, 0] + numbers([tables.count, 0, 0, 0])
        var data: [UInt8] = []
        for (tag, bytes) in tables {
            head += Array(tag.utf8)
            head += numbers([0, 12 + 16 * tables.count + data.count, bytes.count], 4)
            data += bytes
        }
        return head + data
    }

    /// - Parameter codes: that are shown.
    private func doubt(
        _ flags: Int, _ encoding: String, _ maps: [Map], codes: [UInt8] = [65, 66],
        kind: String = "TrueType", blank: Int = 0
    ) throws -> String? {
        let file = Hex.encode(Self.font(maps, blank: blank)) + ">"
        let widths = String(repeating: "500 ", count: 256)
        let sample = SamplePDF(extraObjects: [
            "<</Filter /ASCIIHexDecode /Length \(file.utf8.count)>>\nstream\n\(file)\nendstream",
            "<</Type /FontDescriptor /Flags \(flags) /FontFile2 6 0 R>>",
            "<</Type /Font /Subtype /\(kind) /BaseFont /A /FontDescriptor 7 0 R /FirstChar 0 /LastChar "
                + "255 /Widths [\(widths)] \(encoding.isEmpty ? "" : "/Encoding \(encoding)")>>",
        ])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let font = try #require(document.object(ObjectID(number: 8)).dictionaryValue)
        var budget = ShownFont.Budget(byteCount: 1 << 20)
        let content = Array("/F 9 Tf <".utf8) + Array(Hex.encode(codes).utf8) + Array("> Tj".utf8)
        let shown = try #require(ContentOutline(content).shownFonts["F"])
        return try ShownFont(font, in: document, within: &budget).doubt(for: shown)
    }

    private static let names = "<</BaseEncoding /WinAnsiEncoding /Differences [65 /D /E]>>"
    private static let unicodeNames = "<</Differences [65 /uni0044 /uni0045]>>"
    private static let numberNames = ["g4 /g5", "gid4 /gid5", "glyph4 /cid5"].map {
        "<</Differences [65 /\($0)]>>"
    }
    private static let oddGlyph = "not all readers find the same glyph for a code"

    @Test func whatAllReadersFind() throws {
        for (flags, encoding, maps) in [
            (32, "/WinAnsiEncoding", [Map.unicode]), (32, "/WinAnsiEncoding", [.roman]),
            (32, "/MacRomanEncoding", [.unicode, .roman]), (32, Self.names, [.unicode]),
            (32, Self.names, [.roman]), (4, "", [.symbols]), (4, "", [.roman]),
            (4, "", [.symbols, .roman]), (32, Self.unicodeNames, [.unicode]),
            (4, Self.unicodeNames, [.roman]), (4, Self.numberNames[0], [.roman]),
            (4, Self.numberNames[0], [.symbols]),
        ] {
            let found = try doubt(flags, encoding, maps)
            #expect(found == nil, "\(flags) \(encoding) \(maps): \(found ?? "")")
        }
    }

    @Test("codes beyond ASCII, in a map for Unicode", arguments: [(128, 0x20AC), (130, 0x201A)])
    func charactersBeyondASCII(code: Int, character: Int) throws {
        let map = Map(
            platform: 3, encoding: 1, base: character - 65, isReversed: false)
        #expect(try doubt(32, "/WinAnsiEncoding", [map], codes: [UInt8(code)]) == nil)
        #expect(try doubt(32, "/WinAnsiEncoding", [.unicode], codes: [UInt8(code)]) != nil)
    }

    @Test func namesBesideCodes() throws {
        for (flags, encoding, maps) in [
            (32, Self.names, [Map.symbols]), (32, Self.names, [.other]),
            (36, Self.names, [.roman]), (36, Self.names, [.symbols]), (36, "", [.symbols]),
            (0, Self.names, [.roman]), (4, Self.unicodeNames, [.unicode]),
            (4, Self.unicodeNames, [.other]), (32, Self.unicodeNames, [.roman]),
            (32, Self.unicodeNames, [.symbols]), (32, Self.unicodeNames, [.other]),
        ] {
            let found = try doubt(flags, encoding, maps)
            #expect(found == Self.oddGlyph, "\(flags) \(encoding) \(maps)")
        }
    }

    @Test func namesThatAreNumbers() throws {
        for encoding in Self.numberNames {
            for (flags, maps) in [
                (32, [Map.roman]), (32, [.unicode]), (32, [.other]),
                (4, [.roman.reversed, .unicode]), (4, [.symbols.reversed, .unicode]),
            ] {
                let found = try doubt(flags, encoding, maps)
                #expect(found == Self.oddGlyph, "\(flags) \(encoding) \(maps)")
            }
        }
    }

    @Test func encodingsAndKindsThatFewKnow() throws {
        #expect(
            try doubt(32, "/SymbolEncoding", [.unicode])
                == "its encoding is one that not all readers know")
        #expect(
            try doubt(32, "/WinAnsiEncoding", [.unicode], kind: "Type1")
                == "its program is of another kind than it says")
    }

    /// Codes and names that mean a blank, where the font has a letter there.
    @Test func blanksThatAreSeen() throws {
        func map(at code: Int, _ map: Map) -> Map {
            Map(platform: map.platform, encoding: map.encoding, base: map.base + code - 65)
        }
        for code in [0, 9, 10, 13, 127, 160] {
            let codes = [UInt8(code)], maps = [map(at: code, .unicode)]
            #expect(
                try doubt(32, "/WinAnsiEncoding", maps, codes: codes) == Self.oddGlyph, "\(code)")
            // Without an outline there is nothing to see, and the codes of a font of signs are its own.
            let hidden = try doubt(32, "/WinAnsiEncoding", maps, codes: codes, blank: 1)
            #expect(hidden == nil, "\(code)")
            #expect(try doubt(4, "", [map(at: code, .roman)], codes: codes) == nil, "\(code)")
        }
        // In a map for MacRoman it is a dagger, and few fonts have it without their blank.
        let whole = [map(at: 159, .roman), map(at: 32, .unicode)]
        #expect(try doubt(32, "/WinAnsiEncoding", whole, codes: [160], blank: 1) == nil)
        #expect(try doubt(32, "/MacRomanEncoding", [map(at: 160, .roman)], codes: [160]) == nil)
        for name in ["nbspace", "uni00A0", ".null", "CR", ".notdef"] {
            let encoding = "<</BaseEncoding /WinAnsiEncoding /Differences [65 /\(name)]>>"
            let maps = [Map.unicode]
            #expect(try doubt(32, encoding, maps) == Self.oddGlyph, "\(name)")
            #expect(try doubt(32, encoding, maps, codes: [65], blank: 1) == nil, "\(name)")
        }
    }
}
