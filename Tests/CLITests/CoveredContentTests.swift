import Foundation
import SignetTestSupport
import Testing

/// Signature fields that lie over what a page says.
@Suite struct CoveredContentTests {
    /// A page with an empty field in [100 100 200 140], this content, and these resources.
    private static func form(
        _ content: String, resources: String = "", above: [String] = [],
        rect: String = "[100 100 200 140]", objects: [String] = [], filter: String = ""
    ) -> [UInt8] {
        let annotations = above.indices.map { "\(7 + objects.count + $0) 0 R" }
            .joined(separator: " ")
        var sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Sig /T (Sig) /Type /Annot /Subtype /Widget /F 4 /P 3 0 R /Rect \(rect)>>"
            ] + objects + above)
        sample.objects[2] = """
            <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
            /Annots [\(annotations) 6 0 R] /Resources <</Font <</F1 5 0 R /F2 7 0 R>> \
            /XObject <</X 7 0 R>> \(resources)>> >>
            """
        sample.objects[3] = stream(filter, content)
        return sample.bytes
    }

    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    private func sign(_ bytes: [UInt8], _ options: String...) throws -> CommandOutcome {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "in.pdf")
        return try workspace.signet(
            ["sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem"] + options)
    }

    static let covering: [(bytes: [UInt8], words: String)] = [
        (form("BT /F1 12 Tf 60 115 Td (I do  not  owe anything) Tj ET"), "text ('"),
        // Turned, scaled, and by other operators.
        (
            form("q 0 2 -2 0 180 90 cm BT /F1 6 Tf 9 TL 14 9 Td (x) ' 0 0 (not) \" ET Q"),
            "text ('"
        ),
        (form("BT /F1 1 Tf 12 0 0 12 300 115 Tm [14000 (not)] TJ ET"), "text ('not')"),
        // A line that is long enough for widths to count.
        (
            form(
                "BT /F2 10 Tf 20 115 Td (iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii not) Tj ET",
                objects: ["<</Type /Font /Subtype /Type1 /BaseFont /Times-Bold>>"]), "text ('"
        ),
        // Glyphs without characters.
        (
            form(
                "BT /F2 12 Tf 110 115 Td <000100020003> Tj ET",
                objects: [
                    """
                    <</Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H \
                    /DescendantFonts [<</Subtype /CIDFontType2 /BaseFont /A /DW 500>>]>>
                    """
                ]), "text of the page"
        ),
        (
            form(
                "q 2 0 0 2 0 0 cm /X Do Q",
                objects: [
                    stream(
                        """
                        /Subtype /Form /BBox [0 0 99 99] /Matrix [1 0 0 1 50 50] \
                        /Resources <</Font <</F 5 0 R>>>>
                        """, "BT /F 8 Tf 5 5 Td (not) Tj ET")
                ]), "text ('not')"
        ),
        // Every glyph is a picture.
        (
            form(
                "BT /F2 20 Tf 110 110 Td (a) Tj ET",
                objects: [
                    """
                    <</Type /Font /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /FontBBox [0 0 1 1] \
                    /FirstChar 97 /LastChar 97 /Widths [1] /CharProcs <</a 8 0 R>> \
                    /Encoding <</Differences [97 /a]>>>>
                    """, stream("", "1 0 0 0 1 1 d1 BI /W 1 /H 1 /IM true ID \u{1} EI"),
                ]), "a picture of the page"
        ),
        (
            form(
                "q 30 0 0 20 120 110 cm /X Do Q",
                objects: [
                    stream(
                        "/Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
                            + "/BitsPerComponent 8", "x")
                ]), "a picture of the page"
        ),
        (form("q 20 0 0 20 120 110 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"), "a picture"),
        // Outlines of letters.
        (form("110 110 m 112 130 118 130 120 110 c 116 120 l f"), "a drawing"),
        (
            form(
                (0..<6).map { "\(110 + 6 * $0) 110 1 9 re \(110 + 6 * $0) 110 4 1 re f" }
                    .joined(separator: "\n")), "a drawing"
        ),
        // Rows of dashes.
        (
            form(
                (0..<5).map {
                    "[3 3 3 9] \(3 * ($0 % 2)) d 102 \(110 + 3 * $0) m 190 \(110 + 3 * $0) l S"
                }
                .joined(separator: "\n")), "a drawing"
        ),
        (form("3 w [3 3 3 9] 0 d 102 120 m 198 120 l S"), "a drawing"),
        // What was marked or struck out.
        (form("5 w 105 105 m 195 135 l S 105 135 m 195 105 l S"), "a drawing"),
        (form("105 105 m 115 115 l 105 115 m 115 105 l S"), "a drawing"),
        (form("105 105 m 109 105 l 195 135 l 191 135 l f"), "a drawing"),
        (form("3 w 102 120 m 198 120 l S"), "a drawing"),
        (form("102 118 96 4 re f"), "a drawing"),
        (
            form(
                "102 104 m "
                    + (0..<12).map { "\(102 + 8 * $0) 136 l \(106 + 8 * $0) 104 l" }
                    .joined(separator: " ") + " S"), "a drawing"
        ),
        (
            form(
                "",
                above: (0..<12).map {
                    "<</Type /Annot /Subtype /Square /AP <</N 7 0 R>> /Rect [\(104 + 7 * $0) "
                        + "\(104 + 5 * ($0 % 4)) \(108 + 7 * $0) \(108 + 5 * ($0 % 4))]>>"
                }, objects: [stream("/Subtype /Form /BBox [0 0 3 3]", "0 0 3 3 re f")]),
            "a drawing of annotations"
        ),
        // In an annotation below, drawn, or left to the reader.
        (
            form(
                "",
                above: [
                    "<</Type /Annot /Subtype /FreeText /Rect [90 90 220 150] /AP <</N 7 0 R>>>>"
                ],
                objects: [
                    stream(
                        "/Subtype /Form /BBox [0 0 65 30] /Resources <</Font <</F 5 0 R>>>>",
                        "BT /F 8 Tf 10 10 Td (not) Tj ET")
                ]), "text ('not') of an annotation (FreeText)"
        ),
        (
            form(
                "",
                above: [
                    "<</Type /Annot /Subtype /FreeText /Rect [110 105 150 130] /Contents (not)>>"
                ], objects: ["null"]), "of an annotation (FreeText)"
        ),
        // Nobody knows what readers make of these.
        (form("BT /F1 12 Tf 110 115 Td <6e6!f74> Tj ET"), "cannot be read"),
        (form("q BI /W 4 /H 1 /BPC 8 /CS /G ID a EI % EI Q"), "cannot be read"),
    ]

    /// A composite font and the object that its encoding or map to characters is, number 8.
    private static func composite(
        _ encoding: String, _ entries: String, _ object: String = "null", more: String = ""
    ) -> [String] {
        [
            """
            <</Type /Font /Subtype /Type0 /BaseFont /A /Encoding \(encoding) \(more) \
            /DescendantFonts [<</Subtype /CIDFontType2 /BaseFont /A /DW 500 \(entries) \
            /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity)>>>>]>>
            """, object,
        ]
    }

    private static let letterN = "110 105 l 110 135 l 130 105 l 130 135 l"
    private static let ground = "0 0 595 842 re f"

    /// Drawings and words that lie in the box, and seem to lie elsewhere.
    static let hiding: [(bytes: [UInt8], words: String)] = [
        // A path that goes on beyond the box, or through which something larger is painted.
        (form("2 w 5 5 m \(letterN) 500 800 l S"), "a drawing"),
        (
            form(
                "2 w 5 5 m "
                    + (0..<6).map {
                        "\(110 + 10 * $0) 138 \(114 + 10 * $0) 102 \(118 + 10 * $0) 120 c"
                    }.joined(separator: " ") + " S"), "a drawing"
        ),
        (form("q 5 5 m \(letterN) 5 6 l W n \(ground) Q"), "a drawing"),
        (
            form(
                (0..<6).map { "q \(110 + 12 * $0) 105 4 30 re W n \(ground) Q" }
                    .joined(separator: "\n")), "a drawing"
        ),
        (
            form(
                (0..<6).map { "q 1 0 0 1 \(110 + 12 * $0) 105 cm /X Do Q" }
                    .joined(separator: "\n"),
                objects: [stream("/Subtype /Form /BBox [0 0 4 30]", ground)]), "a drawing"
        ),
        // Dashes that are longer than the line, and such of lines that go on.
        (form("[1000 1] 0 d 110 105 m 110 135 l 130 105 l 130 135 l S"), "a drawing"),
        (
            form(
                (0..<5).map {
                    "[3 3 3 9] \($0) d 2 \(110 + 3 * $0) m 590 \(110 + 3 * $0) l S"
                }.joined(separator: "\n")), "a drawing"
        ),
        // Full stops and underscores as dots.
        (
            form(
                ["10111", "11010", "11011", "10111", "11101"].enumerated().map { row, dots in
                    dots.enumerated().filter { $0.element == "1" }.map {
                        "BT /F1 24 Tf \(110 + 4 * $0.offset) \(110 + 4 * row) Td (.) Tj ET"
                    }.joined(separator: "\n")
                }.joined(separator: "\n")), "of the page"
        ),
        (
            form(
                (0..<5).map { "BT /F1 6 Tf \(110 + 9 * ($0 % 2)) \(110 + 5 * $0) Td (___) Tj ET" }
                    .joined(separator: "\n")), "a drawing"
        ),
        (form("BT /F1 4 Tf 1 Tr 3 w 110 120 Td (......) Tj ET"), "text"),
        // Codes of one byte, of which the first goes on far.
        (
            form(
                "BT /F2 12 Tf 0 115 Td <00010203> Tj ET",
                objects: composite(
                    "8 0 R", "/W [0 [9500]]",
                    stream(
                        "",
                        "1 begincodespacerange <00> <ff> endcodespacerange "
                            + "1 begincidrange <00> <ff> 0 endcidrange"))),
            "text of the page"
        ),
        // In a map that readers have, and which is not known here.
        (
            form(
                "BT /F2 12 Tf 0 115 Td <0000000100020003> Tj ET",
                objects: composite("/UniJIS-UTF16-H", "/W [1 [9500]]")), "cannot be read"
        ),
        (
            form(
                "BT /F2 12 Tf 0 115 Td <0001> Tj ET",
                objects: composite("8 0 R", "", stream("/UseCMap /H", ""))), "cannot be read"
        ),
        // Downwards, by more than the size.
        (
            form(
                "BT /F2 10 Tf 150 320 Td <00010002000300040005> Tj ET",
                objects: composite("/Identity-V", "/DW2 [880 -5000]")), "text of the page"
        ),
        // Of two bytes there is no blank between words.
        (
            form(
                "BT /F2 12 Tf 300 Tw 110 115 Td <002000010002> Tj ET",
                objects: composite(
                    "/Identity-H", "", stream("", "1 beginbfchar <0020> <0020> endbfchar"),
                    more: "/ToUnicode 8 0 R")), "text of the page"
        ),
        // Characters beyond ASCII are as wide as the font has them.
        (
            form(
                "BT /F2 10 Tf 20 115 Td (\(String(repeating: "\\240", count: 40))not) Tj ET",
                objects: [
                    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding "
                        + "/WinAnsiEncoding>>"
                ]), "text ('not')"
        ),
        (
            form(
                "BT /F2 10 Tf 20 115 Td (\(String(repeating: "A", count: 40))not) Tj ET",
                objects: [
                    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding "
                        + "<</Differences [65 /space]>>>>"
                ]), "text ('not')"
        ),
        // A glyph that draws here, however far the next one is.
        (
            form(
                "BT /F2 12 Tf 150 115 Td (n) Tj ET",
                objects: [
                    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 110 /LastChar "
                        + "110 /Widths [9000]>>"
                ]), "text ('n')"
        ),
        // A form goes on with the font of what draws it.
        (
            form(
                "BT /F1 12 Tf ET q 1 0 0 1 110 110 cm /X Do Q",
                objects: [stream("/Subtype /Form /BBox [0 0 90 30]", "BT 5 5 Td (not) Tj ET")]),
            "text ('not')"
        ),
    ]

    @Test(arguments: hiding.indices) func nothingHidesByBeingElsewhereToo(index: Int) throws {
        let (bytes, words) = Self.hiding[index]
        try sign(bytes).expectRefusal(
            ExitCode.usage, naming: "in.pdf: the field 'Sig'", words, "--field Sig --allow-hidden")
    }

    @Test(arguments: covering.indices) func fieldsOverContentNeedConsent(index: Int) throws {
        let (bytes, words) = Self.covering[index]
        try sign(bytes).expectRefusal(
            ExitCode.usage, naming: "in.pdf: the field 'Sig'", words,
            "--field Sig --allow-hidden", "--new-field")
        try sign(bytes, "--field", "Sig", "--allow-hidden").expect(ExitCode.done)
        try sign(bytes, "--new-field", "--at", "1:top").expect(ExitCode.done)
    }

    // MARK: Embedded fonts

    private static func numbers(_ values: [Int], _ byteCount: Int = 2) -> [UInt8] {
        values.flatMap { value in
            (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    /// A TrueType font whose second glyph is a box, in thousandths, whatever it says of itself; the
    /// first one is empty.
    private static func trueType(_ box: [Int]) -> String {
        var head = [UInt8](repeating: 0, count: 54)
        head.replaceSubrange(18..<20, with: numbers([1000]))
        let (left, bottom, right, top) = (box[0], box[1], box[2], box[3])
        let points = [left, 0, right - left, 0, bottom, top - bottom, 0, bottom - top]
        let outline =
            numbers([1, 0, 0, 500, 500, 3, 0]) + [1, 1, 1, 1] + numbers(points) + [0, 0]
        let tables: [(String, [UInt8])] = [
            ("glyf", outline), ("head", head), ("loca", numbers([0, 0, outline.count / 2])),
        ]
        var (bytes, body) = (numbers([1, 0, tables.count, 0, 0, 0]), [UInt8]())
        for (tag, content) in tables {
            let place = 12 + 16 * tables.count + body.count
            bytes += Array(tag.utf8) + numbers([0, place, content.count], 4)
            body += content
        }
        return (bytes + body).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// - Parameter text: what the second glyph is said to mean.
    private static func embedded(_ box: [Int], _ content: String, text: String = "006e") -> [UInt8]
    {
        form(
            content,
            objects: composite(
                "/Identity-H", "/FontDescriptor <</FontFile2 9 0 R>>",
                stream("", "1 beginbfchar <0001> <\(text)> endbfchar"), more: "/ToUnicode 8 0 R")
                + [stream("/Filter /ASCIIHexDecode", trueType(box) + ">")])
    }

    static let elsewhere: [(bytes: [UInt8], words: String)] = [
        // To the right of its place, above and below it.
        (embedded([8000, 0, 8600, 700], "BT /F2 12 Tf 20 115 Td <0001> Tj ET"), "text ('n')"),
        (embedded([0, 2000, 600, 2700], "BT /F2 12 Tf 120 91 Td <0001> Tj ET"), "text ('n')"),
        (embedded([0, -3000, 600, -2300], "BT /F2 12 Tf 120 151 Td <0001> Tj ET"), "text ('n')"),
        // From its place to far away.
        (embedded([0, 0, 30000, 700], "BT /F2 12 Tf 110 115 Td <0001> Tj ET"), "cannot be read"),
        // Called a blank, or a line.
        (embedded([0, 0, 600, 700], "BT /F2 12 Tf 120 115 Td <0001> Tj ET", text: "0020"), "text"),
        (
            embedded(
                [0, 0, 600, 700], "BT /F2 12 Tf 120 115 Td <000100010001> Tj ET", text: "005f"),
            "text"
        ),
    ]

    @Test(arguments: elsewhere.indices) func embeddedFontsAreSeenWhereTheyPaint(index: Int) throws {
        let (bytes, words) = Self.elsewhere[index]
        try sign(bytes).expectRefusal(
            ExitCode.usage, naming: "in.pdf: the field 'Sig'", words, "--field Sig --allow-hidden")
    }

    @Test func whatAnEmbeddedFontDoesNotPaintIsNotCovered() throws {
        for bytes in [
            Self.embedded([0, 0, 600, 700], "BT /F2 12 Tf 120 115 Td <0000> Tj ET"),
            Self.embedded([8000, 0, 8600, 700], "BT /F2 12 Tf 120 115 Td <0001> Tj ET"),
            Self.embedded(
                [0, -100, 600, -50], "BT /F2 12 Tf 102 105 Td <00010001000100010001> Tj ET",
                text: "005f"),
        ] {
            let outcome = try sign(bytes)
            outcome.expect(ExitCode.done)
            #expect(!outcome.errors.contains("'Sig'"))
        }
    }

    /// Places to write on.
    static let honest = [
        "100 105 m 200 105 l S", "0.5 w 99 99 102 42 re S 105 110 40 20 re S",
        "1 g 100 100 100 40 re f 0 G 100 100 m 200 100 l 200 140 l 100 140 l h S",
        "BT /F1 12 Tf 90 105 Td (__________________) Tj ET",
        "BT /F1 12 Tf 102 105 Td (X) Tj (________________) Tj ET",
        "BT /F1 12 Tf 102 105 Td (. . . . . . . . . . . . .) Tj ET",
        "BT /F1 12 Tf 20 105 Td (Signature: ) Tj ET BT /F1 8 Tf 110 91 Td (Signature) Tj ET",
        "3 w 100 105 m 200 105 l S", "1 g 100 112 100 12 re f", "[2 2] 0 d 100 105 m 200 105 l S",
        "[3 2] 0 d 100 104 m 200 104 l S 100 120 m 200 120 l S 100 136 m 200 136 l S",
        "0.5 w 100 100 100 40 re S 100 120 m 200 120 l S 150 100 m 150 140 l S",
        "[3 2] 0 d " + (0..<20).map { "\(102 + 4 * $0) 105 2 1 re f" }.joined(separator: " "),
        // Frames, and corners of larger ones.
        "0.5 w 20 20 m 20 300 l 400 300 l 400 20 l h S",
        "0.5 w 150 50 m 150 120 l 300 120 l S",
        "104 110 m 104 132 l 104 136 104 136 108 136 c 192 136 l 196 136 196 136 196 132 c "
            + "196 108 l 196 104 196 104 192 104 c 108 104 l 104 104 104 104 104 108 c h S",
        "q 0 0 595 842 re W n 100 105 m 200 105 l S Q",
        // Dotted lines across the page, and places for a date.
        "[1 2] 0 d 20 105 m 500 105 l S 20 117 m 500 117 l S 20 129 m 500 129 l S",
        "BT /F1 12 Tf 102 105 Td (__ __ ____) Tj ET",
        "BT /F1 12 Tf 102 105 Td (____) Tj 0 14 Td (____) Tj ET",
        // Beneath everything: too large to be hidden by a stamp.
        "q 0.7 0.7 -0.7 0.7 60 20 cm BT /F1 150 Tf (DRAFT) Tj ET Q",
    ]

    @Test(arguments: honest.indices) func fieldsOverLinesNeedNone(index: Int) throws {
        let outcome = try sign(Self.form(Self.honest[index]))
        outcome.expect(ExitCode.done)
        #expect(!outcome.errors.contains("'Sig'"))
    }

    /// As pikepdf and qpdf write pages without content.
    @Test func fieldsOnBlankPagesNeedNone() throws {
        let outcome = try sign(Self.form("", filter: "/Filter /FlateDecode"))
        outcome.expect(ExitCode.done)
        #expect(!outcome.errors.contains("'Sig'"))
    }

    @Test func fieldsOnScannedPagesAreRemarkedOn() throws {
        let image = Self.stream(
            "/Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8", "x")
        let outcome = try sign(Self.form("q 595 0 0 842 0 0 cm /X Do Q", objects: [image]))
        outcome.expect(ExitCode.done)
        #expect(outcome.errors.contains("lies on a picture of the page"))
    }

    private struct Report: Decodable {
        let visible: Bool
    }

    @Test func fieldsWithoutSizeAreSaidToBeInvisible() throws {
        for (rect, visible) in [
            ("[0 0 0 0]", false), ("[10 10 10 90]", false), ("[9 9 99 99]", true),
        ] {
            let bytes = Self.form("", rect: rect)
            let plan = try sign(bytes, "--dry-run", "--json").json(Report.self)
            #expect(plan.visible == visible)
            let words = try sign(bytes).output
            #expect(words.contains("invisible") != visible)
        }
    }

    @Test func preparingSaysWhereTheSignatureWillShow() throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(Self.form("")), to: "in.pdf")
        let prepare = ["remote", "prepare", "in.pdf", "--cert", "valid.pem", "-o", "p.pdf"]
        let words = try workspace.signet(prepare + ["--to-sign", "h"])
        words.expect(ExitCode.done)
        #expect(words.output.contains("Sig on page 1 [100 100 200 140]"))
        let plan = try workspace.signet(prepare + ["--to-sign", "h", "--force", "--json"])
        #expect(try plan.json(Report.self).visible)
    }
}
