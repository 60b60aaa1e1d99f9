import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Masks, tiles, glyphs and forms that take over what is set where they are drawn.
struct ShownParametersTests {
    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    /// - Parameter part: object 7.
    private func doubt(_ content: String, _ part: String, _ resources: String) throws -> String? {
        let page = "<</Type /Page /Contents 6 0 R /Resources <<\(resources)>>>>"
        let document = try PDFDocument(
            source: MemorySource(
                SamplePDF(extraObjects: [Self.stream("", content), part, page]).bytes))
        var shown = ShownContent(document, .thorough)
        let entries = try document.object(ObjectID(number: 8)).dictionaryValue
        try shown.look(at: #require(entries), ObjectID(number: 8))
        return shown.doubts.first?.text
    }

    private static func expect(_ found: String?, _ isAgreed: Bool) {
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    private static let mask =
        "/Type /XObject /Subtype /Form /BBox [0 0 99 99] "
        + "/Group <</S /Transparency /CS /DeviceGray>>"

    @Test(arguments: [
        ("1 g /G gs", "9 9 9 9 re f", false), ("/G gs", "9 9 9 9 re f", true),
        ("1 g /G gs", "0 g 9 9 9 9 re f", true), ("/G gs 1 g", "9 9 9 9 re f", false),
        ("0 g /G gs", "9 9 9 9 re f", true), ("1 g /G gs", "q 0 g Q 9 9 9 9 re f", false),
        ("1 g /G gs", "0 g q 1 g Q 9 9 9 9 re f", true), ("1 G /G gs", "9 9 9 9 re S", false),
        ("1 G /G gs", "9 9 9 9 re f", true), ("30 w /G gs", "0 G 9 9 9 9 re s", false),
        ("30 w /G gs", "0 G 1 w 9 9 9 9 re s", true), ("[9] 0 d /G gs", "0 G 9 9 9 9 re S", false),
        ("/W gs /G gs", "0 G 9 9 9 9 re S", false), ("1 g /W gs", "9 9 9 9 re f", true),
        ("1 g /G gs", "BI /W 1 /H 1 /IM true ID x EI", false),
        ("1 g /G gs", "BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", true),
    ]) func masks(before: String, group: String, isAgreed: Bool) throws {
        let states = "/G <</SMask <</S /Luminosity /G 7 0 R>>>> /W <</LW 9>>"
        let found = try doubt(
            before + " 9 9 9 9 re f",
            Self.stream(Self.mask, group), "/ExtGState <<\(states)>>")
        Self.expect(found, isAgreed)
    }

    @Test("of several things the same one is told in every run") func order() throws {
        let names = "QWERTYUIOPASDFGHJKLZXCVBNM"
        let content = "BT " + names.map { "/\($0) 9 Tf (a) Tj " }.joined() + "ET"
        #expect(try doubt(content, "null", "")?.contains("'A'") == true)
    }

    @Test("where only the shape counts, patterns do") func alphaMasks() throws {
        let states = "/ExtGState <</G <</SMask <</S /Alpha /G 7 0 R>>>>>>"
        let group = Self.stream(Self.mask, "9 9 9 9 re f")
        Self.expect(try doubt("1 g /G gs 9 9 9 9 re f", group, states), true)
        Self.expect(
            try doubt("/Pattern cs /P scn /G gs 9 9 9 9 re f", group, states), false)
    }

    @Test(arguments: [
        ("1 G", 1, "9 9 9 9 re S", false), ("0 G", 1, "9 9 9 9 re S", true),
        ("1 G", 1, "0 G 9 9 9 9 re S", true), ("1 G", 1, "9 9 9 9 re f", true),
        ("1 G", 2, "9 9 9 9 re S", false), ("/Z gs", 1, "0 G 9 9 9 9 re S", false),
        ("/Y gs", 1, "0 G 9 9 9 9 re S", true),
    ]) func tiles(before: String, paint: Int, tile: String, isAgreed: Bool) throws {
        let entries =
            "/PatternType 1 /PaintType \(paint) /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 "
            + "/Resources <<>>"
        let found = try doubt(
            before + " /Pattern cs /P scn 9 9 9 9 re f", Self.stream(entries, tile),
            "/Pattern <</P 7 0 R>> /ExtGState <</Z <</CA 0>> /Y <</CA 0.5>>>>")
        Self.expect(found, isAgreed)
    }

    private static let font =
        "<</Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /CharProcs "
        + "<</a 7 0 R>> /Encoding <</Differences [65 /a]>> /FirstChar 65 /LastChar 65 "
        + "/Widths [9] /Resources <<>>>>"

    @Test(arguments: [
        ("1 g", "9 0 d0 0 0 9 9 re f", false), ("0 g", "9 0 d0 0 0 9 9 re f", true),
        ("1 g", "9 0 d0 0 g 0 0 9 9 re f", true), ("1 g", "9 0 0 0 9 9 d1 0 0 9 9 re f", true),
        ("1 g", "9 0 d0 0 0 9 9 re S", false), ("30 w", "9 0 0 0 9 9 d1 0 0 9 9 re S", false),
        ("7 Tr", "9 0 0 0 9 9 d1 0 0 9 9 re f", false),
        ("3 Tr", "9 0 0 0 9 9 d1 0 0 9 9 re f", true),
        ("3 Tr", "9 0 d0 0 0 9 9 re f", false), ("3 Tr", "9 0 d0", true),
        ("1 Tr", "9 0 0 0 9 9 d1 0 0 9 9 re f", false),
        ("2 Tr", "9 0 0 0 9 9 d1 0 0 9 9 re f", false),
        ("0 g", "9 0 0 0 9 9 d1 1 g 0 0 9 9 re f", false),
        ("0 g", "9 0 0 0 1 1 d1 0 0 9 9 re f", false),
        ("0 g", "9 0 0 0 1 1 d1 9 0 0 9 0 0 cm BI /W 1 /H 1 /IM true ID x EI", false),
        ("0 g", "9 0 0 0 9 9 d1 9 0 0 9 0 0 cm BI /W 1 /H 1 /IM true ID x EI", true),
        ("0 g", "9 0 0 0 0 0 d1 0 0 9 9 re f", true),
    ]) func glyphs(before: String, glyph: String, isAgreed: Bool) throws {
        let found = try doubt(
            before + " BT /F 9 Tf (A) Tj ET", Self.stream("", glyph), "/Font <</F \(Self.font)>>")
        Self.expect(found, isAgreed)
    }

    @Test(
        "some readers paint glyphs with colours of their own in full, however faint text is to be",
        arguments: [
            ("d0 1 0 0 rg", "0.1", false), ("d0 1 0 0 rg", "0.5", true),
            ("0 0 9 9 d1", "0.1", true),
        ]) func faintGlyphs(glyph: String, opacity: String, isAgreed: Bool) throws
    {
        let found = try doubt(
            "/S gs BT /F 9 Tf (A) Tj ET", Self.stream("", "9 0 \(glyph) 0 0 9 9 re f"),
            "/Font <</F \(Self.font)>> /ExtGState <</S <</ca \(opacity)>>>>")
        Self.expect(found, isAgreed)
    }

    @Test(arguments: [
        ("30 TL", "0 -9 Td T* (x) Tj", false), ("BT 0 -9 TD ET", "(x) '", false),
        ("0 TL", "T* (x) Tj", true), ("30 TL", "9 TL T* (x) Tj", true), ("30 TL", "(x) Tj", true),
        ("q 30 TL Q", "T* (x) Tj", true),
    ]) func leading(before: String, text: String, isAgreed: Bool) throws {
        let form = Self.stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources <</Font <</F <</Type /Font "
                + "/Subtype /Type1 /BaseFont /Helvetica>>>>>>", "BT /F 9 Tf \(text) ET")
        Self.expect(try doubt(before + " /X Do", form, "/XObject <</X 7 0 R>>"), isAgreed)
    }
}
