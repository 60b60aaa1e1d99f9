import Base
import PDFCore
import SignetTestSupport
import Testing
import TextBridge

@testable import Pages

@Suite("Stamp text")
struct StampTextTests {
    private let area = StampArea(x: 0, y: 0, width: 150, height: 50)

    private func layout(_ text: String, fonts: any StampFonts) throws -> StampLayout {
        try StampLayout(StampText([StampParagraph(text)], fonts: fonts), area: area)
    }

    @Test("long text is wrapped and made smaller until it fits")
    func fits() throws {
        let layout = try layout(String(repeating: "word ", count: 60), fonts: StandardStampFonts())
        #expect(layout.lines.count > 1)
        for line in layout.lines {
            #expect(line.width > 0 && line.width <= area.width)
            #expect(line.baseline > 0 && line.baseline < area.height)
        }
    }

    @Test("what cannot be shown is refused")
    func refusals() {
        #expect(throws: AppearanceError(.characterNotInFont, "")) {
            try layout("Подпись", fonts: StandardStampFonts())
        }
        #expect(throws: AppearanceError(.textDoesNotFit, "")) {
            try layout(String(repeating: "word ", count: 2000), fonts: StandardStampFonts())
        }
    }

    @Test("Czech letters have glyphs")
    func czech() {
        for scalar in "PříLiš žluťoučký kůň úpěl ďábelské ódy ČŠŽŘĎŤŇ".unicodeScalars {
            #expect(StandardFont.regular.width(of: scalar) != nil, "\(scalar)")
        }
    }

    @Test("control characters are left out, white space becomes one space")
    func cleaning() throws {
        let layout = try layout("  a\u{7}\t \u{202E}b  ", fonts: StandardStampFonts())
        let text = layout.lines.flatMap(\.atoms).flatMap(\.clusters).flatMap(\.text)
        #expect(text == ["a", " ", "b"])
    }

    @Test("an embedded font is complete, and small")
    func embedding() throws {
        guard let fonts = try FileFonts() else { return }
        let stamp = try appearance("Příliš žluťoučký kůň السلام", fonts, StampSurroundings())
        #expect(stamp.names("FontDescriptor").count == 1)
        for key: PDFName in ["FontFile2", "FontBBox", "StemV", "ItalicAngle", "Ascent"] {
            #expect(stamp.dictionaries.contains { $0[key] != nil }, "\(key)")
        }
        #expect(stamp.dictionaries.contains { $0["ToUnicode"] != nil })
        #expect(!stamp.dictionaries.contains { $0["CIDSet"] != nil })
        #expect(stamp.byteCount < 40 << 10)
        #expect(stamp.isClosed)
    }

    @Test("PDF/A-1 gets a CIDSet, a file without output intent calibrated grey")
    func archival() throws {
        guard let fonts = try FileFonts() else { return }
        let stamp = try appearance(
            "Jan", fonts,
            StampSurroundings(gray: .calibrated, mustEmbedFonts: true, isArchivalPart1: true))
        #expect(stamp.dictionaries.contains { $0["CIDSet"] != nil })
        let resources = stamp.form.dictionary["Resources"]?.dictionaryValue
        #expect(resources?["ColorSpace"] != nil)
        #expect(!stamp.content.contains(" g\n") && stamp.content.contains(" sc\n"))
    }

    @Test("text from right to left turns the stamp around")
    func mirrored() throws {
        guard let fonts = try FileFonts() else { return }
        let text = try StampText([StampParagraph("שלום"), StampParagraph("12")], fonts: fonts)
        #expect(text.isRightToLeft)
        let line = try #require(try StampLayout(text, area: area).lines.first)
        #expect(abs(line.x + line.width - area.width) < 1e-9)
        let drawn = line.atoms.flatMap(\.clusters).flatMap(\.text)
        #expect(drawn == ["ם", "ו", "ל", "ש"])
        #expect(
            try !StampText([StampParagraph("שלום"), StampParagraph("Jan")], fonts: fonts)
                .isRightToLeft)
    }

    private struct Drawn {
        let form: PDFStream
        let resources: [(ObjectID, PDFObject)]

        var dictionaries: [PDFDictionary] {
            resources.compactMap { $0.1.dictionaryValue ?? $0.1.streamValue?.dictionary }
        }
        var byteCount: Int { resources.reduce(0) { $0 + PDFWriter.bytes($1.1).count } }
        var content: String {
            guard case .data(let bytes) = form.content else { return "" }
            return String(decoding: bytes, as: UTF8.self)
        }
        func names(_ type: PDFName) -> [PDFDictionary] {
            dictionaries.filter { $0["Type"]?.nameValue == type }
        }
        /// Whether every reference leads to an object that is there.
        var isClosed: Bool {
            let known = Set(resources.map(\.0))
            return known.count == resources.count
                && dictionaries.allSatisfy { dictionary in
                    dictionary.entries.allSatisfy { entry in
                        entry.value.referenceValue.map(known.contains) ?? true
                    }
                }
        }
    }

    private func appearance(
        _ text: String, _ fonts: any StampFonts, _ surroundings: StampSurroundings
    ) throws -> Drawn {
        let page = try PDFDocument(
            source: MemorySource(SamplePDF(pageEntries: "/MediaBox [0 0 595 842]").bytes)
        ).page(at: 0)
        let box = try StampBox(position: .topLeft(x: 10, y: 10), width: 170, height: 57, on: page)
        let stamp = try StampAppearance(
            StampContent([StampParagraph(text)]), in: box, fonts: fonts, surroundings: surroundings)
        var number = 100
        let objects = stamp.objects {
            number += 1
            return ObjectID(number: number)
        }
        return Drawn(form: objects.form, resources: objects.resources)
    }
}

/// One font for everything.
private final class FileFonts: StampFonts {
    let engine: TextEngine?
    private let font: TextFont

    /// Nil, said loudly, where HarfBuzz or the font is not installed.
    init?() throws {
        guard let path = try ExternalTool.file(DejaVu.path), let engine = try? TextEngine() else {
            return nil
        }
        self.engine = engine
        font = try TextFont(MemorySource(try ExternalTool.read(path)), label: path, engine: engine)
    }

    func face(
        for character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) throws -> StampFace { .embedded(font) }
}
