import Base
import SignetTestSupport
import Testing

@testable import TextBridge

@Suite("Fonts and shaping")
struct TextBridgeTests {
    private func fontBytes() throws -> [UInt8]? {
        try ExternalTool.file(DejaVu.path).map { try ExternalTool.read($0) }
    }

    private func font(_ bytes: [UInt8]) throws -> TextFont {
        try TextFont(MemorySource(bytes), label: "test", engine: TextEngine())
    }

    @Test("what is no font is refused", arguments: [0, 4, 12, 100])
    func noFont(count: Int) throws {
        #expect(throws: TextError(.notAFont, "")) {
            try FontTables(MemorySource([UInt8](repeating: 0x20, count: count)), faceIndex: 0)
        }
    }

    @Test("a font that promises too much is refused")
    func limits() throws {
        let manyTables: [UInt8] = [0, 1, 0, 0, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 200)
        #expect(throws: TextError(.damagedFont, "")) {
            try FontTables(MemorySource(manyTables), faceIndex: 0)
        }
        let manyFaces = Array("ttcf".utf8) + [0, 1, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0]
        #expect(throws: TextError(.damagedFont, "")) {
            try FontTables(MemorySource(manyFaces), faceIndex: 0)
        }
    }

    @Test("measures are those of the font")
    func metrics() throws {
        guard let bytes = try fontBytes() else { return }
        let font = try font(bytes)
        #expect(font.metrics.unitsPerEm == 2048)
        #expect(font.metrics.ascent == 928 && font.metrics.descent == -236)
        #expect(font.metrics.weight == 400 && !font.metrics.isFixedPitch)
        #expect(font.postScriptName == "DejaVuSans")
        #expect(font.permitsEmbedding && !font.isCFF)
        #expect(font.glyph(of: "A") != nil && font.glyph(of: "\u{E000}") == nil)
    }

    @Test("text is shaped in its direction")
    func shaping() throws {
        guard let bytes = try fontBytes() else { return }
        let font = try font(bytes)
        let latin = try font.shape(Array("AV".unicodeScalars), script: .latin, isRightToLeft: false)
        #expect(latin.map(\.cluster) == [0, 1])
        #expect(latin[0].advance < font.width(ofGlyph: latin[0].glyph), "kerned")
        let arabic = try font.shape(
            Array("سلام".unicodeScalars), script: .arabic, isRightToLeft: true)
        #expect(arabic.map(\.cluster) == [3, 1, 0], "lam and alef join")
        #expect(try font.shape([], script: .latin, isRightToLeft: false).isEmpty)
    }

    @Test("letters and marks are composed")
    func composing() throws {
        guard try fontBytes() != nil else { return }
        let composed = try TextEngine().composed(Array("Nova\u{301}k e\u{30C}".unicodeScalars))
        #expect(composed == Array("Nov\u{E1}k \u{11B}".unicodeScalars))
    }

    @Test("a subset has the glyphs asked for, and is a font again")
    func subset() throws {
        guard let bytes = try fontBytes() else { return }
        let whole = try font(bytes)
        let glyphs = "ěščř".unicodeScalars.compactMap { whole.glyph(of: $0) }
        let subset = try whole.subset(Set(glyphs))
        #expect(subset.program.count < 10_000)
        #expect(Set(subset.identifiers.keys) == Set(glyphs))
        let small = try FontTables(MemorySource(subset.program), faceIndex: 0)
        for glyph in glyphs {
            let identifier = try #require(subset.identifiers[glyph])
            let width = small["hmtx"].bigEndian16(at: 4 * identifier)
            #expect(Double(width) * 1000 / 2048 == whole.width(ofGlyph: glyph))
        }
    }

    @Test("damaged fonts are refused or give other glyphs", arguments: 0..<60)
    func damage(seed: Int) throws {
        guard var bytes = try fontBytes() else { return }
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<(1 << next(10)) {
            bytes[next(next(2) == 0 ? 4096 : bytes.count)] = UInt8(next(256))
        }
        if next(4) == 0 { bytes.removeLast(next(bytes.count)) }
        guard let font = try? font(bytes) else { return }
        let text = Array("Příliš".unicodeScalars)
        let shaped = try font.shape(text, script: .latin, isRightToLeft: false)
        #expect(shaped.allSatisfy { (0..<text.count).contains($0.cluster) })
        _ = try? font.subset(Set(shaped.map(\.glyph)))
    }
}
