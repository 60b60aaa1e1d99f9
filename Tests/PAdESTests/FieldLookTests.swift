import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// What is made of the looks that fields get: who reads them sees the value, or nobody knows.
@Suite("Looks of fields")
struct FieldLookTests {
    /// What a look of 200 by 20 points shows.
    private func text(
        _ content: String, font: String = "/BaseFont /Helvetica", resources: String = "",
        others: [String] = []
    ) throws -> AppearanceText {
        let form = """
            <</Type /XObject /Subtype /Form /BBox [0 0 200 20] /Length \(content.utf8.count)
            /Resources <</Font <</F1 <</Type /Font /Subtype /Type1 \(font)>>>> \(resources)>>>>
            stream
            \(content)
            endstream
            """
        let sample = SamplePDF(extraObjects: [form] + others)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let stream = try #require(try document.object(ObjectID(number: 6)).streamValue)
        return try AppearanceText(stream, rect: PDFRectangle(72, 600, 272, 620), in: document)
    }

    private static let shown: [(content: String, text: String)] = [
        ("BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
        ("/Tx BMC q 1 1 198 18 re W n BT 0 g /F1 12 Tf 2 6 Td [(A) 70 (V)] TJ ET Q EMC", "AV"),
        ("q 0 0 200 20 re W BT /F1 12 Tf 2 5 Td (no) Tj 20 0 Td (gap) Tj ET Q", "no gap"),
        ("BT /F1 7 Tf 8 TL 4 11 Td (two) Tj (lines) ' ET", "two\nlines"),
        ("0 g 0 0 200 20 re f 1 g BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
        ("0.5 0.5 199 19 re S BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
        ("0 0 200 20 re 1 1 198 18 re f* BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
        ("/DeviceRGB cs 0 0 1 sc BT /F1 12 Tf 4 6 Td (1900) Tj ET", "1900"),
    ]

    @Test("plain ones are read", arguments: shown)
    func plain(content: String, text: String) throws {
        let look = try self.text(content)
        #expect(look.isReadable && look.isPlain)
        #expect(look.text == text)
    }

    @Test(
        "ones that show something else than they hold are not plain",
        arguments: [
            "BT /F1 12 Tf 60 6 Td [(1) 400 400 312 (9) -556 (00)] TJ ET",
            "BT /F1 12 Tf 60 6 Td -13 Tw (1 9) Tj 13 0 Td (00) Tj ET",
            "BT /F1 12 Tf 4 6 Td 150 Tc (1900) Tj ET", "BT /F1 12 Tf 4 6 Td 200 Tz (1900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1) Tj 3 0 Td (900) Tj ET",
            "BT /F1 12 Tf 4 9 Td (19) Tj 0 -5 Td (00) Tj ET",
            "q 0 0 20 20 re W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "q 0 0 200 10 re W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "q 0 0 200 20 re 9 20 200 -20 re W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "q 0 0 m 200 0 l 0 20 l h W n BT /F1 12 Tf 4 6 Td (1900) Tj ET Q",
            "0 0 200 20 re 1 g f BT 0 g /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 0 200 20 re q Q f BT 1 g /F1 12 Tf 4 6 Td (1900) Tj ET",
            "BT /F1 12 Tf 4 6 Td (1900) Tj ET 0 0 200 20 re BT ET f",
            "/DeviceGray cs 1 sc /DeviceGray cs BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 9 m 200 9 l S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 16.5 m 200 16.5 l S BT /F1 6 Tf 4 14 Td (1900) Tj ET",
            "BT /F1 90 Tf 4 6 Td (1900) Tj ET", "BT /F1 12 Tf 190 6 Td (1900) Tj ET",
            "0 g 0 0 125 20 re f 1 g BT /F1 12 Tf 110 6 Td (1900) Tj ET",
            "q 0 0 9 9 re W n 0 g 0 0 200 20 re f Q 1 g BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "80 w 0 0 m 200 0 l S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "1 0 m 1 20 l S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "0 3 m 200 17 l S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "3 w 1 J 50 6 m h S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "9 g BT /F1 12 Tf 4 6 Td (1900) Tj ET", "0 0 0 -1 k BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "/DeviceCMYK cs 0 sc BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "/S cs 0 sc BT /F1 12 Tf 4 6 Td (1900) Tj ET",
            "Q BT /F1 12 Tf 4 6 Td (1900) Tj ET", "BT /F1 12 Tf 4 6 Td q (1900) Tj Q ET",
            "BT /F1 12 Tf 4 6 Td /Span <</ActualText (1)>> BDC (1900) Tj EMC ET",
        ])
    func notPlain(content: String) throws {
        let look = try text(content)
        #expect(!look.isPlain && look.isReadable, "\(look.text)")
    }

    private static let huge = "1" + String(repeating: "0", count: 400)

    @Test(
        "numbers with which nobody can calculate are not followed",
        arguments: [
            "\(huge) 0 0 \(huge) 0 0 cm BT /F1 12 Tf 4 6 Td (19) Tj ET",
            "BT /F1 \(huge) Tf 0 0 0 0 4 6 Tm (19) Tj ET",
            "BT /F1 12 Tf 4 6 Td [(1) -\(huge) (9) \(huge) (0)] TJ ET",
            "BT /F1 12 Tf \(huge) Tc 4 6 Td (19) Tj ET",
            String(repeating: "900000000 0 0 900000000 0 0 cm ", count: 50)
                + "BT /F1 12 Tf 4 6 Td (19) Tj ET",
        ])
    func boundlessNumbers(content: String) throws {
        #expect(try !text(content).isReadable)
    }

    @Test("widths with which nobody can calculate are none")
    func boundlessWidths() throws {
        let font =
            "/BaseFont /Helvetica /FirstChar 49 /LastChar 49 /Widths [\(Self.huge)] "
            + "/FontDescriptor <</Flags 32 /FontFile 4 0 R>> /Encoding /WinAnsiEncoding"
        let look = try text("BT /F1 12 Tf 4 6 Td (1111) Tj ET", font: font)
        #expect(!look.isPlain && look.text == "1111")
    }

    @Test("spaces with numbers of colours that no device has", arguments: [0, 2, 5])
    func oddProfiles(count: Int) throws {
        let numbers = String(repeating: "0.5 ", count: count)
        let look = try text(
            "/C cs \(numbers) sc /C CS \(numbers) SC BT /F1 12 Tf 4 6 Td (19) Tj ET",
            resources: "/ColorSpace <</C [/ICCBased 7 0 R]>>",
            others: ["<</N \(count) /Length 0>>\nstream\n\nendstream"])
        #expect(!look.isPlain && look.text == "19")
    }

    @Test("fonts of which viewers may show something else are not relied on")
    func fonts() throws {
        let content = "BT /F1 12 Tf 4 6 Td (1900) Tj ET"
        let digits = { (width: Int) in
            "/FirstChar 48 /LastChar 57 /Widths [" + String(repeating: "\(width) ", count: 10) + "]"
        }
        for font in [
            "/BaseFont /Helvetica-Bold", "/BaseFont /ArialMT " + digits(556),
            "/BaseFont /Calibri " + digits(507), "/BaseFont /Times-Roman " + digits(500),
            "/BaseFont /Helvetica /Encoding <</Differences [128 /uni0039]>>",
        ] {
            let look = try text(content, font: font)
            #expect(look.isReadable && look.isPlain, "\(font)")
        }
        for font in [
            "/BaseFont /Calibri", "/BaseFont /HelveticaX", "/BaseFont /Code128 " + digits(556),
            "/BaseFont /Helvetica " + digits(300), "/BaseFont /Calibri " + digits(900),
            "/BaseFont /Helvetica /FirstChar 49 /LastChar 49 /Widths [556]",
            "/BaseFont /Helvetica /FontDescriptor <</Flags 4>>",
            "/BaseFont /Helvetica /Encoding /WinAnsiEncoding /FontDescriptor "
                + "<</Flags 32 /FontFile3 6 0 R>>",
        ] {
            let look = try text(content, font: font)
            #expect(look.isReadable && !look.isPlain, "\(font)")
        }
        for font in [
            "/BaseFont /D050000L-Dingbats", "/BaseFont /Foo /FontDescriptor <</Flags 4>>",
            "/BaseFont /Helvetica /Encoding <</Differences [49 /u0037]>>",
            "/BaseFont /Helvetica /FontDescriptor <</Flags 32 /FontFile3 6 0 R>>",
        ] {
            #expect(try !text(content, font: font).isReadable, "\(font)")
        }
        #expect(
            try !text(
                content, resources: "/ColorSpace <</DefaultGray /DeviceGray>>"
            ).isPlain)
    }

    @Test("bytes are characters one by one")
    func bytes() throws {
        let font = "/BaseFont /Helvetica /Encoding"
        let named =
            "\(font) <</BaseEncoding /WinAnsiEncoding /Differences [9 /endash 129 /ccaron]>>"
        #expect(
            try text("BT /F1 12 Tf 4 6 Td (\\200\\351) Tj ET", font: "\(font) /WinAnsiEncoding")
                .text == "€é")
        #expect(try text("BT /F1 12 Tf 4 6 Td (\\t\\201) Tj ET", font: named).text == "–č")
        for string in ["<EFBBBF31>", "<FEFF0031>", "(\\r1)"] {
            #expect(try !text("BT /F1 12 Tf 4 6 Td \(string) Tj ET").isReadable)
        }
    }

    @Test(
        "a number that a format script shows is the field's or is not known",
        arguments: [
            ("1000.50", "1,000.50", true), ("1000.5", "1.000,50", true), ("-5", "(5.00)", true),
            ("1000000", "1 000 000", true), ("12", "EUR 12", true), ("12", "12,00 Kč", true),
            ("1000.50", "100,050", false), ("1000.50", "100050", false), ("-5", "5", false),
            ("2", "2k", false), ("2", "2 MIO", false), ("2", "minus 2", false), ("5", "0.5", false),
            ("500", "0.500", false), ("1000", "10,00", false), ("1000", "1.00", false),
            ("1", "1%", false), ("1", "1-", false), ("", "", false),
        ])
    func numbers(value: String, shown: String, isSame: Bool) {
        let (meant, seen) = (FormattedNumber(value: value), FormattedNumber(shown))
        #expect((seen != nil && meant == seen) == isSame)
    }

    /// Of long values the part in which they differ is told.
    @Test func tellsWhereLongValuesDiffer() {
        let start = String(repeating: "agrees with all terms ", count: 5)
        let (was, now) = (start + "and pays 100 EUR", start + "and pays 900 EUR")
        #expect(FieldValue.excerpt(was, besides: now).hasSuffix("and pays 100 EUR"))
        #expect(FieldValue.excerpt(now, besides: was).hasSuffix("and pays 900 EUR"))
        #expect(FieldValue.excerpt(now, besides: was).hasPrefix("…"))
        #expect(FieldValue.excerpt(now, besides: was).count < 62)
        // What differs at the beginning is there, and so is what is short.
        #expect(FieldValue.excerpt("X" + was, besides: now).hasPrefix("Xagrees"))
        #expect(FieldValue.excerpt("100", besides: "900") == "100")
        #expect(FieldValue.excerpt(start + "more", besides: start).contains("more"))
        #expect(FieldValue.excerpt(was, besides: nil).hasSuffix("…"))
    }
}
