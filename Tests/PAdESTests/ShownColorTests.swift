import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Colours, glyphs and data that readers take in different ways, beside such that they agree about.
@Suite struct ShownColorTests {
    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    /// - Parameter parts: objects 7 and so on.
    private func doubt(
        _ content: String, _ resources: String, _ parts: [String] = [], filter: String = ""
    ) throws -> String? {
        let page = "<</Type /Page /Contents 6 0 R /Resources <<\(resources)>>>>"
        let document = try PDFDocument(
            source: MemorySource(
                SamplePDF(extraObjects: [Self.stream(filter, content)] + parts + [page]).bytes))
        var shown = ShownContent(document, .thorough)
        let id = ObjectID(number: 7 + parts.count)
        try shown.look(at: #require(document.object(id).dictionaryValue), id)
        return shown.doubts.first?.text
    }

    private static func expect(_ found: String?, _ isAgreed: Bool) {
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    private static let white = "/WhitePoint [0.9505 1 1.089]"
    private static let usual =
        "/Matrix [0.4124 0.2126 0.0193 0.3576 0.7152 0.1192 0.1805 0.0722 0.9505]"

    @Test(arguments: [
        ("[/CalRGB <<\(white) /Gamma [2.2 2.2 2.2] \(usual)>>]", true),
        ("[/CalRGB <<\(white)>>]", true),
        ("[/CalRGB <<\(white) /Matrix [0.9505 1 1.089 0 0 0 0 0 0]>>]", false),
        ("[/CalRGB <<\(white) /Matrix [0 0 0 0 0 0 0 0 0]>>]", false),
        ("[/CalRGB <</WhitePoint [9 1 9]>>]", false),
        ("[/CalRGB <<\(white) /BlackPoint [0.9 0.9 0.9]>>]", false),
        ("[/CalGray <<\(white) /Gamma 2.2>>]", true),
        ("[/CalGray <<\(white) /Gamma 0.4>>]", false),
        (
            "[/Separation /Black /DeviceGray <</FunctionType 2 /Domain [0 1] /N 1 /C0 [1] /C1 [0]>>]",
            true
        ),
        (
            "[/Separation /Black /DeviceGray <</FunctionType 2 /Domain [0 1] /N 20 /C0 [1] /C1 [0]>>]",
            false
        ),
        (
            "[/Separation /Black /DeviceGray <</FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [0]>>]",
            false
        ),
        ("[/Separation /Black /DeviceGray 7 0 R]", false),
        ("[/Separation /Black /DeviceGray 8 0 R]", true),
        (
            "[/DeviceN [/Foo] /DeviceGray 8 0 R <</Colorants <</Foo [/Separation /Foo /DeviceGray 8 0 R]>>>>]",
            true
        ),
        (
            "[/DeviceN [/Foo] /DeviceGray 7 0 R <</Colorants <</Foo [/Separation /Foo /DeviceGray 8 0 R]>>>>]",
            false
        ),
    ]) func spaces(space: String, isAgreed: Bool) throws {
        let program = "/FunctionType 4 /Domain [0 1] /Range [0 1]"
        let found = try doubt(
            "0 g 9 9 9 9 re f", "/ColorSpace <</C \(space)>>",
            [Self.stream(program, "{pop 1}"), Self.stream(program, "{1 exch sub}")])
        Self.expect(found, isAgreed)
    }

    @Test(
        "colours that a table has not, and such that were never set",
        arguments: [
            ("/I cs 1 sc", true), ("/I cs 2 sc", false), ("/I cs 0.6 sc", false),
            ("/I cs -1 sc", false), ("1 g /I cs", false), ("/I cs", false), ("/R cs", true),
            ("/S cs", false), ("0 g /P scn", false), ("/Pattern cs /T scn", false),
            ("/Q cs 0 /T scn", true), ("/Q cs 0 /U scn", false), ("/Q cs /T scn", false),
            ("/Q cs 0 0 /T scn", false), ("/Pattern cs /V scn", true),
            ("/Pattern cs 1 /V scn", false), ("/Q cs 1 /V scn", false),
            ("/I cs 1 1 sc", false), ("/S cs 0.5 sc", true), ("/S cs 0 0 scn", false),
            ("/R cs 1 0 sc", false), ("/R cs 1 0 0 sc", true), ("/R cs -1 0 0 sc", false),
            ("/S cs 1.5 sc", false), ("/N cs 0 1 scn", true), ("/N cs 0 scn", false),
            ("/N cs 0 1 1 scn", false), ("0 0 0 1 k", true), ("-5 -5 -5 1 k", false),
            ("3 0 0 0 K", false), ("2 2 2 rg", true), ("/DeviceCMYK cs 2 2 2 2 sc", false),
            ("0 0 0 1.001 k", true),
        ]) func colors(content: String, isAgreed: Bool) throws
    {
        let spaces =
            "/I [/Indexed /DeviceRGB 1 <000000ffffff>] /R [/CalRGB <<\(Self.white)>>] "
            + "/S [/Separation /Foo /DeviceGray <</FunctionType 2 /Domain [0 1] /N 1 /C0 [1] /C1 [0]>>] "
            + "/Q [/Pattern /DeviceGray] /N [/DeviceN [/A /B] /DeviceGray 10 0 R]"
        let tile =
            "/PatternType 1 /PaintType 2 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 "
            + "/Resources <<>>"
        let found = try doubt(
            content + " 9 9 9 9 re f",
            "/ColorSpace <<\(spaces)>> /Pattern <</T 7 0 R /U 8 0 R /V 9 0 R>>",
            [
                Self.stream(tile, "9 9 9 9 re f"), Self.stream(tile, "0 g 9 9 9 9 re f"),
                Self.stream(
                    tile.replacing("PaintType 2", with: "PaintType 1"), "0 g 9 9 9 9 re f"),
                Self.stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]", "{pop}"),
            ])
        Self.expect(found, isAgreed)
    }

    @Test(
        "text under a soft mask, which has to be a group",
        arguments: [
            ("/M gs 0 g 9 9 9 9 re f", true), ("/M gs BT /F 9 Tf (a) Tj ET", false),
            ("/M gs /E gs BT /F 9 Tf (a) Tj ET", true),
            ("/M gs /O gs BT /F 9 Tf (a) Tj ET", false),
            ("q /M gs 0 0 9 9 re f Q BT /F 9 Tf (a) Tj ET", true),
            ("/M gs q /E gs Q BT /F 9 Tf (a) ' ET", false),
            ("/M gs BT 3 Tr /F 9 Tf (a) Tj ET", true), ("/P gs 0 g 9 9 9 9 re f", false),
            ("/M gs /X Do", false), ("/X Do", true), ("/M gs /Y Do", true), ("/M gs /Z Do", true),
        ]) func maskedText(content: String, isAgreed: Bool) throws
    {
        let form = "/Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 0 0] /Resources <<>>"
        let font = "/Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>"
        let text = "/Subtype /Form /BBox [0 0 9 9] /Resources <<\(font)>>"
        let show = "0 g BT 0 Tr /F 9 Tf (a) Tj ET"
        let found = try doubt(
            content,
            font
                + " /ExtGState <</M <</SMask <</S /Luminosity /G 7 0 R>>>> /E <</SMask /None>> "
                + "/O <</SA true>>"
                + "\(content.hasPrefix("/P") ? " /P <</SMask <</S /Luminosity /G 8 0 R>>>>" : "")"
                + ">> /XObject <</X 9 0 R /Y 10 0 R /Z 8 0 R>>",
            [
                Self.stream(
                    form + " /Group <</S /Transparency /CS /DeviceGray>>", "1 g 0 0 9 9 re f"),
                Self.stream(form, "1 g 0 0 9 9 re f"), Self.stream(text, show),
                Self.stream(text + " /Group <</S /Transparency>>", show),
            ])
        Self.expect(found, isAgreed)
    }

    @Test("a colorant stands once among those of a space")
    func colorants() throws {
        for (names, isAgreed) in [("/A /B", true), ("/A /A", false), ("/A /None /None", true)] {
            let count = names.split(separator: " ").count
            let domain = Array(repeating: "0 1", count: count).joined(separator: " ")
            let pops = Array(repeating: "pop", count: count - 1).joined(separator: " ")
            let found = try doubt(
                "0 g 9 9 9 9 re f", "/ColorSpace <</C [/DeviceN [\(names)] /DeviceGray 7 0 R]>>",
                [Self.stream("/FunctionType 4 /Domain [\(domain)] /Range [0 1]", "{\(pops)}")])
            Self.expect(found, isAgreed)
        }
    }

    @Test(
        "samples that a table has not, behind the last one of a row too",
        arguments: [
            ("/Width 2 /Height 2 /BitsPerComponent 8", "\u{0}\u{1}\u{1}\u{0}", true),
            ("/Width 2 /Height 2 /BitsPerComponent 8", "\u{0}\u{1}\u{1}\u{2}", false),
            // Samples 1 and 0, then what fills the byte.
            ("/Width 2 /Height 1 /BitsPerComponent 4", "\u{10}", true),
            ("/Width 1 /Height 2 /BitsPerComponent 4", "\u{1F}\u{1F}", true),
            ("/Width 2 /Height 1 /BitsPerComponent 4", "\u{12}", false),
            ("/Width 2 /Height 1 /BitsPerComponent 4 /Decode [15 0]", "\u{10}", false),
        ]) func samples(entries: String, data: String, isAgreed: Bool) throws
    {
        let document = try PDFDocument(
            source: MemorySource(
                SamplePDF(extraObjects: [
                    Self.stream(
                        "/Subtype /Image /ColorSpace [/Indexed /DeviceRGB 1 <000000ffffff>] "
                            + entries, data)
                ]).bytes))
        let image = try #require(document.object(ObjectID(number: 6)).streamValue)
        var budget = ShownImage.Budget(.thorough)
        let found = try ShownImage.doubt(
            about: image, in: document, FunctionMemory(upTo: 1 << 16), within: &budget)
        Self.expect(found, isAgreed)
    }

    @Test(arguments: [
        ("900 0 d0 9 9 9 9 re f", "", true), ("900 0 0 0 99 99 d1 9 9 9 9 re f", "", true),
        ("9 9 9 9 re f", "", false), ("900 0 0 0 99 99 d1 900 0 d0 9 9 9 9 re f", "", false),
        ("900 0 d0 9 9 9 9 re f", "/FontMatrix [0.001 0 0 0.001 0 1]", false),
        ("900 0 d0 9 9 9 9 re f", "/FontMatrix [0 0 0 0 0 0]", false),
        ("900 0 d0 9 9 9 9 re f", "/Encoding <<>>", false),
        ("900 0 d0 9 9 9 9 re f", "/Widths [0]", false),
        ("900 0 d0 9 9 9 9 re f", "/Widths []", false),
        ("900 0 d0 9 9 9 9 re f", "/Widths [899.5]", true),
        ("0 0 d0 9 9 9 9 re f", "/Widths [0]", true), ("900 0 d0", "/Widths [0]", true),
        ("900 0 d0 /X Do", "/Resources <</XObject <</X 9 0 R>>>>", true),
        ("900 0 d0 /X Do", "/Resources null", false),
        ("900 0 d0 9 9 9 9 re f", "/Resources null", true),
        ("9 0 0 0 9 9 d1 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI", "", false),
        ("9 0 d0 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI", "", true),
        ("900 0 d0 9 9 9 9 re f", "/Encoding <</Differences [97 /a 97 /a]>>", false),
        ("900 0 d0 9 9 9 9 re f", "/Encoding <</Differences [97 /b]>>", false),
        ("900 0 d0 9 9 9 9 re f", "/FontMatrix [0 0.001 -0.001 0 0 0]", false),
        ("1 g 900 0 0 0 99 99 d1 9 9 9 9 re f", "", false),
    ]) func glyphs(glyph: String, entries: String, isAgreed: Bool) throws {
        var parts = [
            "FontMatrix": "[0.001 0 0 0.001 0 0]", "Encoding": "<</Differences [97 /a]>>",
            "Widths": "[900]", "Resources": "<<>>",
        ]
        if let key = parts.keys.first(where: { entries.hasPrefix("/" + $0) }) {
            parts[key] = String(entries.dropFirst(key.count + 1))
        }
        let rest = parts.map { "/\($0) \($1)" }.joined(separator: " ")
        let font =
            "<</Type /Font /Subtype /Type3 /FontBBox [0 0 999 999] /FirstChar 97 /LastChar 97 "
            + "/CharProcs <</a 8 0 R>> \(rest)>>"
        let found = try doubt(
            "BT /F 9 Tf (a) Tj ET", "/Font <</F 7 0 R>> /XObject <</X 9 0 R>>",
            [
                font, Self.stream("", glyph),
                Self.stream("/Subtype /Form /BBox [0 0 9 9]", "0 0 9 9 re f"),
            ])
        Self.expect(found, isAgreed)
    }

    @Test(
        "ink that is none, gradients with a ground, and half a byte",
        arguments: [
            ("/O gs 0 0 0 0 k 9 9 9 9 re f", false), ("/O gs 0 0 0 1 k 9 9 9 9 re f", true),
            ("/N gs 0 0 0 0 k 9 9 9 9 re f", true), ("/S sh", true), ("/G sh", false),
            ("BI /W 1 /H 1 /BPC 8 /CS /G ID a EI", false), ("/G cs 1 sc 0 0 9 9 re f", true),
            ("BT /F 9 Tf 1 Tr 0 w <5041> Tj ET", false), ("BT /F 9 Tf 1 Tr <5041> Tj ET", true),
            ("BT /F 9 Tf 2 Tr 0 w <5041> Tj ET", true),
            ("BT /F 9 Tf <5041> Tj ET", true), ("BT /F 9 Tf <504> Tj ET", false),
        ]) func others(content: String, isAgreed: Bool) throws
    {
        let ramp = "<</FunctionType 2 /Domain [0 1] /N 1>>"
        let shading = "/ShadingType 2 /Coords [0 0 9 9] /ColorSpace /DeviceGray /Function \(ramp)"
        let found = try doubt(
            content,
            "/ColorSpace <</G [/Indexed /DeviceGray 1 <00ff>] /RGB /DeviceRGB>> "
                + "/ExtGState <</O <</op true /OPM 1>> /N <</op false /OPM 1>>>> "
                + "/Shading <</S <<\(shading)>> /G <<\(shading) /Background [0.3]>>>> "
                + "/Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>")
        Self.expect(found, isAgreed)
    }

    @Test(
        "a device's colours go by its name",
        arguments: [("/DeviceRGB", true), ("[/Indexed /DeviceRGB 0 <000000>]", false)])
    func names(space: String, isAgreed: Bool) throws {
        let found = try doubt("0 g 9 9 9 9 re f", "/ColorSpace <</DeviceRGB \(space)>>")
        Self.expect(found, isAgreed)
    }

    @Test("JPEGs in the content itself")
    func inlinePictures() throws {
        let image = "BI /W 1 /H 1 /BPC 8 /CS /RGB "
        Self.expect(try doubt(image + "ID abc EI", ""), true)
        Self.expect(try doubt(image + "/F /DCT ID abc EI", ""), false)
    }

    @Test("pictures in tiles without colours")
    func tiles() throws {
        let entries =
            "/PatternType 1 /PaintType 2 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 "
            + "/Resources <</XObject <</X 8 0 R>>>>"
        let image = "/Subtype /Image /Width 1 /Height 1 "
        for (kind, isAgreed) in [
            ("/ImageMask true", true), ("/ColorSpace /DeviceGray /BitsPerComponent 8", false),
        ] {
            let found = try doubt(
                "/Q cs 0 /T scn 9 9 9 9 re f",
                "/ColorSpace <</Q [/Pattern /DeviceGray]>> /Pattern <</T 7 0 R>>",
                [Self.stream(entries, "/X Do"), Self.stream(image + kind, "a")])
            Self.expect(found, isAgreed)
        }
    }

    @Test(
        "filters and what they need",
        arguments: [
            ("/Filter /ASCIIHexDecode", "30 67>", true),
            ("/Filter /ASCIIHexDecode", "30 67", false),
            ("/Filter [/ASCIIHexDecode] /DecodeParms [null]", "30 67>", true),
            ("/Filter [/ASCIIHexDecode] /DecodeParms <</Predictor 1>>", "30 67>", false),
            ("/Filter /ASCIIHexDecode /DecodeParms [<</Predictor 1>>]", "30 67>", false),
            ("/Filter /ASCIIHexDecode /DecodeParms <</Columns 1.5>>", "30 67>", false),
        ]) func filters(filter: String, data: String, isAgreed: Bool) throws
    {
        Self.expect(try doubt(data, "", filter: filter), isAgreed)
    }
}
