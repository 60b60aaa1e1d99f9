import Base
import PDFCore
import SignetTestSupport
import Testing

@testable import RevisionDiff

/// What the small grammar makes of appearance streams.
@Suite("Strings of appearances")
struct AppearanceStringsTests {
    /// An appearance of 200 by 20 points; its font is object 7.
    private func strings(
        _ content: String, font: String = "/BaseFont /Helvetica", resources: String = "",
        entries: String = "", isFontSigned: Bool = true,
        frame: AppearanceFrame = AppearanceFrame(
            hasBackground: true, hasBorder: true, isMultiline: true)
    ) throws -> AppearanceStrings {
        let form = """
            <</Type /XObject /Subtype /Form /BBox [0 0 200 20] \(entries)
            /Length \(content.utf8.count)
            /Resources <</Font <</F1 7 0 R>> \(resources)>>>>
            stream
            \(content)
            endstream
            """
        let sample = SamplePDF(
            extraObjects: [
                form, "<</Type /Font /Subtype /Type1 \(font)>>",
                "<</Subtype /Image /Width 1 /Height 1 /Length 1>>\nstream\nx\nendstream",
            ])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let stream = try #require(try document.object(ObjectID(number: 6)).streamValue)
        return try AppearanceStrings(
            stream, rect: PDFRectangle(72, 600, 272, 620), frame: frame, in: document
        ) { _ in isFontSigned }
    }

    @Test(
        "plain text",
        arguments: [
            ("BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
            ("/Tx BMC q 1 1 198 18 re W n BT 0 g /F1 12 Tf 2 6 Td [(A) 70 (V)] TJ ET Q EMC", "AV"),
            ("BT /F1 7 Tf 8 TL 4 11 Td (two) Tj (lines) ' ET", "two\nlines"),
            ("0 0 .4 rg 0 0 200 20 re f BT 1 g /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
            (
                "0 0 200 1 re 0 19 200 1 re 0 0 1 20 re 199 0 1 20 re f BT /F1 9 Tf 4 6 Td (1) Tj ET",
                "1"
            ),
            ("0.5 0.5 199 19 re S BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
            ("q 1 0 0 1 4 6 cm BT /F1 12 Tf (1) Tj 20 0 Td (9) Tj ET Q", "19"),
        ])
    func plain(content: String, text: String) throws {
        let shown = try strings(content)
        #expect(shown.text == text)
        #expect(shown.oddity == nil && shown.unreadablePart == nil)
        #expect(!shown.hasUnknownCharacters)
    }

    @Test func glyphNamesAndSymbols() throws {
        let content = "BT /F1 12 Tf 4 6 Td (1) Tj ET"
        let encoding = "/Encoding <</BaseEncoding /WinAnsiEncoding /Differences [49 /uni0039]>>"
        #expect(try strings(content, font: "/BaseFont /Helvetica \(encoding)").text == "9")
        let symbol = "BT /F1 12 Tf 4 6 Td (\\300) Tj ET"
        #expect(try strings(symbol, font: "/BaseFont /ZapfDingbats").oddity != nil)
    }

    @Test(
        "text that people may see differently",
        arguments: [
            "BT 3 Tr /F1 12 Tf 4 6 Td (1900) Tj ET",
            "BT /F1 12 Tf 0.01 0 0 0.01 4 6 Tm (1900) Tj ET",
            "BT /F1 12 Tf 500 6 Td (1900) Tj ET", "BT /F1 90 Tf 4 6 Td (19000000) Tj ET",
            "BT /F1 12 Tf -1 0 0 -1 90 16 Tm (1900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1900) Tj ET 1 g 0 0 200 20 re f",
            "BT /F1 12 Tf 4 6 Td (1) Tj /F1 6 Tf (900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (19) Tj 1 0 0 rg (00) Tj ET",
            "BT /F1 12 Tf 40 6 Td (1) Tj -20 0 Td (900) Tj ET",
            "BT /F1 12 Tf 40 6 Td [(1) 3000 (900)] TJ ET",
            "BT /F1 12 Tf -20 Tc 4 6 Td (1900) Tj ET",
            "q 40 3 m 50 3 l 50 17 l 40 17 l h S Q BT /F1 12 Tf 4 6 Td (190) Tj ET",
            "q 0 0 9 9 re W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "/OC /L BDC BT /F1 12 Tf 4 6 Td (1900) Tj ET EMC",
            "/Span <</ActualText (900)>> BDC BT /F1 12 Tf 4 6 Td (1900) Tj ET EMC",
            "/G gs BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "1 g 0 0 200 20 re f 1 1 0 rg BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "/Cs1 cs 1 scn BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 g 0 0 200 20 re f BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1900) Tj ET 1 G 30 w 0 10 m 200 10 l S",
            "30 w 1 G .5 .5 199 19 re S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "4 2 m 4 18 l 14 18 l 14 2 l s BT /F1 12 Tf 40 6 Td (1900) Tj ET",
            "3 0 m 3 20 l S BT /F1 12 Tf 4 6 Td (100) Tj ET",
            "BT /F1 12 Tf 4 19 Td (1900) Tj ET", "BT /F1 60 Tf 4 1 Td (1) Tj ET",
            "q 12 0 188 20 re W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "BT /F1 12 Tf 4 6 Td [(1) 500 (9) 500 (0)] TJ ET", "BT (1900) Tj ET",
            "q 0 0 9 20 re W n 100 0 100 20 re W n BT /F1 12 Tf 20 6 Td (1900) Tj ET Q",
            "q 0 0 m 200 0 l 200 20 l 200 0 l W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "q 0 0 m 200 0 l 200 20 l 0 20 l 9 9 9 9 9 9 c W n BT /F1 12 Tf 4 6 Td (1) Tj ET Q",
            "0 g 0 0 m 200 0 l 200 20 l 200 0 l f 1 g BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 g 0 0 200 20 re 0 0 200 20 re f* 1 g BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "q 0 0 9 20 re W n 0 g 0 0 200 20 re f Q 1 g BT /F1 12 Tf 20 6 Td (1900) Tj ET",
            "BT /F1 12 Tf 40 6 Td [(1) 200 200 200 (9)] TJ ET",
            "BT /F1 12 Tf 40 6 Td [(1) 150 () 150 (9)] TJ ET",
            "0 g 0 0 m 200 0 l 200 20 l 200 0 l f BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "BT 9 Tw /F1 12 Tf 4 6 Td (1900) Tj ET", "BT /F1 12 Tf 4 6 Td 0 9 (19) \" ET",
            "BT 5 g /F1 12 Tf 4 6 Td (1900) Tj ET",
            "BT 0 0 0 -2 k /F1 12 Tf 4 6 Td (1900) Tj ET", "BT /F1 12 Tf 4 6 Td (19) Tj q ET Q",
            "BT /F1 12 Tf .1 0 0 1 4 6 Tm (1900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1) Tj .1 0 0 .1 20 6 Tm (9) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1                                                                      9) Tj ET",
            "/F1 12 Tf (1900) Tj",
        ])
    func odd(content: String) throws {
        #expect(try strings(content).oddity != nil)
    }

    @Test(
        "text with the color of paper is plain but faint",
        arguments: [("1 g", true), ("0 0 0 0 k", true), ("1 1 0 rg", true), ("1 0 0 rg", false)])
    func faint(color: String, isFaint: Bool) throws {
        let shown = try strings("BT \(color) /F1 12 Tf 4 6 Td (1900) Tj ET")
        #expect(shown.oddity == nil)
        #expect(shown.isFaint == isFaint)
        #expect(shown.textColor?.isAlike(.black) == false)
    }

    @Test("grounds, borders and dividers stand as the field has them")
    func frames() throws {
        let text = "BT /F1 12 Tf 4 6 Td (1900) Tj ET"
        let ground = "1 g 0 0 200 20 re f 0 g " + text
        #expect(try strings(ground, frame: AppearanceFrame(hasBackground: true)).oddity == nil)
        #expect(try strings(ground, frame: AppearanceFrame()).oddity != nil)
        let border = "0.5 0.5 199 19 re S " + text
        #expect(try strings(border, frame: AppearanceFrame(hasBorder: true)).oddity == nil)
        #expect(try strings(border, frame: AppearanceFrame()).oddity != nil)
        let divider = "50 0 m 50 20 l 100 0 m 100 20 l 150 0 m 150 20 l S " + text
        #expect(try strings(divider, frame: AppearanceFrame(cellCount: 4)).oddity == nil)
        #expect(try strings(divider, frame: AppearanceFrame(cellCount: 5)).oddity != nil)
        #expect(try strings(text, entries: "/OC 8 0 R").oddity != nil)
        let gray = "/ColorSpace <</DefaultGray /DeviceRGB>>"
        #expect(try strings(text, resources: gray).oddity != nil)
        let lines = "BT /F1 7 Tf 8 TL 4 11 Td (two) Tj (lines) ' ET"
        #expect(try strings(lines, frame: AppearanceFrame(isMultiline: true)).oddity == nil)
        #expect(try strings(lines, frame: AppearanceFrame()).oddity != nil)
    }

    @Test("an appearance that is turned, scaled or has no box")
    func placed() throws {
        let content = "BT /F1 12 Tf 4 6 Td (1900) Tj ET"
        #expect(try strings(content, entries: "/Matrix [-1 0 0 -1 0 0]").oddity != nil)
        #expect(try strings(content, entries: "/BBox [0 0 9000 9000]").oddity != nil)
        let small = "BT /F1 3.5 Tf 4 6 Td (1900) Tj ET"
        #expect(try strings(small).oddity == nil)
        #expect(try strings(small.replacing("3.5", with: "2.5")).oddity != nil)
        let gap = "BT /F1 12 Tf 4 6 Td (1) Tj 20 0 Td (900) Tj ET"
        #expect(try strings(gap).oddity == nil)
        #expect(try strings(gap.replacing("20 0 Td", with: "90 0 Td")).oddity != nil)
    }

    @Test(
        "parts outside the grammar",
        arguments: [
            ("0 0 m 1 1 2 2 3 3 c S", "a curve"), ("/S sh", "a shading"),
            ("/Missing Do", "an object that cannot be read"), ("/I Do", "an image"),
            ("BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", "content that cannot be read"),
            ("/I /E Do", "the operator Do with wrong operands"),
            ("BT /F1 /F2 12 Tf (1) Tj ET", "the operator Tf with wrong operands"),
            ("BT /F1 12 Tf (1) (900) Tj ET", "the operator Tj with wrong operands"),
            ("0 0 9 9 re /I Do f", "a form inside a text or path"),
            ("BT /F1 12 Tf (1) Tj", "an unfinished text object"),
        ])
    func unreadable(content: String, part: String) throws {
        let form = try strings(content, resources: "/XObject <</I 8 0 R>>")
        #expect(form.unreadablePart == part)
    }

    @Test("marks of buttons that can be seen")
    func marks() throws {
        func mark(_ content: String) throws -> AppearanceStrings {
            try strings(content, font: "/BaseFont /ZapfDingbats")
        }
        let seen = try mark("BT /F1 16 Tf 3 4 Td (4) Tj ET")
        #expect(seen.markCount == 1 && seen.oddity == nil)
        #expect(try mark("BT /F1 3 Tf 3 4 Td (4) Tj ET").oddity != nil)
        #expect(try mark("BT /F1 16 Tf 230 4 Td (4) Tj ET").oddity != nil)
        #expect(try mark("1 1 m 2 2 2 3 1 2 c f").oddity != nil)
    }

    @Test("fonts")
    func fonts() throws {
        let content = "BT /F1 12 Tf 4 6 Td (1900) Tj ET"
        #expect(try strings(content, isFontSigned: false).oddity == nil)
        let widths = "/BaseFont /Helvetica /FirstChar 48 /LastChar 57 /Widths [0 0 0 0 0 0 0 0 0 0]"
        #expect(try strings(content, font: widths, isFontSigned: false).oddity != nil)
        let unicode = "/BaseFont /Helvetica /ToUnicode 8 0 R"
        #expect(try strings(content, font: unicode, isFontSigned: false).oddity != nil)
        let mark = try strings("BT /F1 12 Tf 4 6 Td (4) Tj ET", font: "/BaseFont /ZapfDingbats")
        #expect(mark.markCount == 1 && mark.codeCount == 0)
        #expect(try strings(content, font: "/BaseFont /ZapfDingbats").hasUnknownCharacters)
        for other in ["/FontDescriptor 8 0 R", "/Widths []", "/Encoding <<>>"] {
            #expect(
                try strings(content, font: "/BaseFont /ZapfDingbats " + other, isFontSigned: false)
                    .oddity != nil)
        }
        #expect(try strings(content, font: "/BaseFont /ABCDEF+Arial").oddity != nil)
        let recoded = "/BaseFont /Helvetica /Encoding <</Differences [49 /nine]>>"
        #expect(try strings(content, font: recoded).text == "9900")
        for name in ["uni0031", "u0031"] {
            let font = "/BaseFont /Helvetica /Encoding <</Differences [49 /\(name)]>>"
            #expect(try strings(content, font: font).oddity == nil)
            #expect(try strings(content, font: font, isFontSigned: false).oddity != nil)
        }
        let umlaut = "BT /F1 12 Tf 4 6 Td (\\344) Tj ET"
        #expect(
            try strings(umlaut, font: "/BaseFont /Helvetica /Encoding /WinAnsiEncoding").text == "ä"
        )
        #expect(try strings(umlaut).hasUnknownCharacters)
    }

    @Test(
        "a standard font that the update adds with its own widths",
        arguments: [
            ("600", "600", "/Courier", true), ("600", "600", "/Symbol", false),
            ("600", "100", "/Courier", false), ("100", "600", "/Courier", false),
            ("600", "600", "/Courier /FontFile 8 0 R", false),
            ("600", "600", "/Courier /FontFamily (Symbol)", false),
        ])
    func standardWidths(listed: String, missing: String, name: String, isPlain: Bool) throws {
        let font = """
            /BaseFont /Courier /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 32
            /Widths [\(listed)] /FontDescriptor <</Flags 35 /MissingWidth \(missing) /FontName \(name)>>
            """
        let content = "BT /F1 12 Tf 4 6 Td (1900) Tj ET"
        #expect(try (strings(content, font: font, isFontSigned: false).oddity == nil) == isPlain)
    }

    @Test("a symbolic font that is not embedded is readable if it names its encoding")
    func symbolicFont() throws {
        func shown(_ encoding: String, name: String = "Arial") throws -> AppearanceStrings {
            let font = "/BaseFont /\(name) /Encoding \(encoding) /FontDescriptor <</Flags 4>>"
            return try strings("BT /F1 12 Tf 4 6 Td (1900) Tj ET", font: font)
        }
        #expect(try shown("/WinAnsiEncoding").text == "1900")
        #expect(try shown("<</Differences [49 /nine]>>").hasUnknownCharacters)
        #expect(try shown("/MacExpertEncoding").hasUnknownCharacters)
        #expect(try shown("/WinAnsiEncoding", name: "Wingdings").hasUnknownCharacters)
    }
}
