import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Fields that hold another thing than people see where they look.
struct FieldConcealmentTests {
    private static func look(
        _ content: String, _ entries: String = "", font: String = ""
    ) -> String {
        "<</Type /XObject /Subtype /Form /BBox [0 0 100 20] /Length \(content.utf8.count) "
            + "/Resources <</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica \(font)>>>> "
            + "/ColorSpace <</C [/CalRGB <</WhitePoint [0.95 1 1.09]>>] /T [/Separation /Red "
            + "/DeviceGray <</FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1>>]>> /Shading <</S <</ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 100 0] /Function "
            + "<</FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1>>>>>> /Pattern <</P <<>>>> "
            + "/ExtGState <</G <</ca 0.01 /CA 0.01>> /B <</BM /Screen>>>>>> \(entries)>>\nstream\n\(content)\nendstream"
    }

    private static let widget = "/Type /Annot /Subtype /Widget /Rect [9 9 109 29] /F 4"

    /// What is doubted of a field in object 6, whose looks are the objects from 7 on.
    private func doubts(
        of field: String, _ looks: [String], font: String = ""
    ) throws -> [String] {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</T (t) \(field) \(Self.widget)>>"]
                + looks.map {
                    Self.look($0, font: font)
                })
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        return try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick
        ).lines.filter {
            $0.contains("the one or the other") || $0.contains("by some readers in another way")
        }
    }

    @Test(arguments: [
        "BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "1 g 0 0 100 20 re f 0 g BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0 g 0 0 100 20 re f 1 g BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0.6 g BT /F1 12 Tf 2 4 Td (100) Tj ET", "1 0 0 rg BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0.5 0.5 99 19 re S /Tx BMC q 2 2 96 16 re W n BT /F1 12 Tf 2 4 Td (100) Tj ET Q EMC",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 0.5 0.5 99 19 re S",
        "0 1 m 100 1 l S BT /F1 12 Tf 2 1 Td (100) Tj ET",
    ]) func valuesThatAreSeenAreNoDoubt(content: String) throws {
        #expect(try doubts(of: "/FT /Tx /V (100) /AP <</N 7 0 R>>", [content]) == [])
    }

    @Test(arguments: [
        "1 g BT /F1 12 Tf 2 4 Td (100) Tj ET", "0.9 g BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0 g 0 0 100 20 re f BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "BT 3 Tr /F1 12 Tf 2 4 Td (100) Tj ET", "BT 1 Tr 1 G /F1 12 Tf 2 4 Td (100) Tj ET",
        "/G gs BT /F1 12 Tf 2 4 Td (100) Tj ET", "BT /F1 12 Tf 2 400 Td (100) Tj ET",
        "0 0 12 20 re W n BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0 0 m 12 0 l 12 20 l h W n BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "BT /F1 0.1 Tf 2 4 Td (100) Tj ET", "BT /F1 12 Tf 50 Ts 2 4 Td (100) Tj ET",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 60 0 10 20 re f",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 1 g 0 0 100 20 re f",
        "60 0 m 60 20 80 20 80 0 c f BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "-1 0 0 -1 40 20 cm BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "BT -1 0 0 -1 40 20 Tm /F1 12 Tf (100) Tj ET",
        "BT -1 0 0 -1 40 20 cm /F1 12 Tf 2 4 Td (100) Tj ET",
        "BT -1 0 0 1 40 4 Tm /F1 12 Tf (100) Tj ET", "BT 40 14 Td /F1 -12 Tf (100) Tj ET",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET /S sh", "/S sh BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "BT /F1 12 Tf 2 4 Td (100) Tj 0 0 (0) \" ET",
        // Lines that read like a letter, and such that strike letters out.
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 50 0 m 50 20 l S",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 0.5 0 m 0.5 20 l S",
        "BT /F1 12 Tf 2 4 Td (100) Tj ET 0 0 1 20 re f",
        "1 0 m 1 20 l 99 0 m 99 20 l S BT /F1 12 Tf 2 4 Td (100) Tj ET",
        "0 3.9 m 100 3.9 l S BT /F1 8 Tf 2 1.5 Td (100) Tj ET",
        "BT /F1 8 Tf 2 1.5 Td (100) Tj ET 0 3.9 m 100 3.9 l S",
        "/Pattern cs /P scn 0 0 100 20 re f 0 g BT /F1 12 Tf 2 4 Td (100) Tj ET",
    ]) func valuesThatAreNotSeenAreDoubted(content: String) throws {
        let found = try doubts(of: "/FT /Tx /V (100) /AP <</N 7 0 R>>", [content])
        #expect(found.contains { $0.contains("the field 't' ") }, "\(found)")
    }

    private static let descriptor = "/FontDescriptor <</Type /FontDescriptor /FontFile3 4 0 R "
    private static let map = " /ToUnicode 8 0 R "
    private static let characters =
        "5 beginbfchar <00> <0030> <01> <0031> <30> <0030> <39> <0031> <41> <FFFD> endbfchar "
        + "1 beginbfrange <02> <02> [<0030>] endbfrange"

    /// Looks by another order, fonts and colours, and what they hide of 100 or 900.
    @Test(arguments: [
        // The letters stand in another order than the one in which they are drawn.
        ("19", "", "BT /F1 12 Tf 12 4 Td (1) Tj -8 0 Td (9) Tj ET", "order"),
        ("19", "", "BT /F1 12 Tf 12 4 Td [(1) 1200 (9)] TJ ET", "order"),
        ("0019", "", "BT /F1 12 Tf 60 4 Td -14 Tc (0019) Tj ET", "order"),
        ("100", "", "BT /F1 12 Tf 2 4 Td (1) Tj 0 0 Td (00) Tj ET", "order"),
        ("12", "", "BT /F1 8 Tf 2 4 Td (1) Tj 0 8 Td (2) Tj ET", "order"),
        ("Bill", "", "BT /F1 12 Tf 2 4 Td [(Bil) 222 (l)] TJ ET", "order"),
        ("Hl", "", "BT /F1 12 Tf 2 4 Td [(H) 222 (l)] TJ ET", "order"),
        // Codes that mean nothing, and fonts that do not say what they draw.
        ("100", "", "BT /F1 12 Tf 2 4 Td (900\\201) Tj ET", "cannot be read"),
        ("100", "/Encoding /WinAnsiEncoding", "BT /F1 12 Tf 2 4 Td (900\\177) Tj ET", "cannot be"),
        ("100", descriptor + "/Flags 4>>", "BT /F1 12 Tf 2 4 Td (900) Tj ET", "cannot be read"),
        // Maps to characters say of codes what readers do not draw, or nothing.
        ("100", "/Encoding /Foo" + map, "BT /F1 12 Tf 2 4 Td (900) Tj ET", "cannot be read"),
        ("100", map + descriptor + "/Flags 4>>", "BT /F1 12 Tf 2 4 Td <41> Tj ET", "cannot be"),
        // Numbers that no font lacks.
        ("\\357\\273\\2771\\357\\274\\220", "", "BT /F1 12 Tf 2 4 Td (1) Tj ET", "shows '1'"),
        ("\\357\\273\\2771\\331\\240", "", "BT /F1 12 Tf 2 4 Td (1) Tj ET", "shows '1'"),
        // Signs beside the letters that are the same.
        ("100", "/Encoding /WinAnsiEncoding", "BT /F1 12 Tf 2 4 Td (\\226100) Tj ET", "shows"),
        ("100", "/Encoding /WinAnsiEncoding", "BT /F1 12 Tf 2 4 Td (100\\276) Tj ET", "shows"),
        // What is white, blended or faint in another way.
        ("900", "", "BT /F1 12 Tf 2 4 Td (9) Tj /C cs 1 1 1 sc (00) Tj ET", "not seen"),
        ("900", "", "BT /F1 12 Tf 2 4 Td (9) Tj /T cs 0 sc (00) Tj ET", "cannot be told"),
        ("900", "", "BT 2 Tr /F1 12 Tf 2 4 Td (9) Tj 1 g 1 G (00) Tj ET", "not seen"),
        ("900", "", "BT /F1 12 Tf 2 4 Td (9) Tj 1 Tr /G gs (00) Tj ET", "not seen"),
        ("900", "", "BT /F1 12 Tf 2 4 Td (9) Tj /B gs (00) Tj ET", "blended"),
        ("900", "", "BT -100 Tz /F1 12 Tf 90 4 Td (900) Tj ET", "not seen"),
    ]) func looksThatReadOtherwise(
        value: String, font: String, content: String, words: String
    ) throws {
        let found = try doubts(
            of: "/FT /Tx /V (\(value)) /AP <</N 7 0 R>>", [content, Self.characters], font: font)
        #expect(
            found.contains { $0.contains("the field 't' ") && $0.contains(words) }, "\(found)")
    }

    @Test(arguments: [
        ("100", "", "BT /F1 12 Tf 2 4 Td [(1) 60 (00)] TJ ET"),
        ("1 2", "", "BT /F1 8 Tf 2 11 Td (1) Tj 0 -8 Td (2) Tj ET"),
        ("1 2", "", "BT /F1 8 Tf 2 4 Td (1\\2402) Tj ET"),
        ("900", "", "BT /F1 12 Tf 2 4 Td /C cs 0 0 1 sc (900) Tj ET"),
        ("900", "", "BT 50 Tz /F1 12 Tf 2 4 Td (90) Tj 6.7 0 Td (0) Tj ET"),
        ("it's", "/Encoding /WinAnsiEncoding", "BT /F1 12 Tf 2 4 Td (it\\222s) Tj ET"),
        ("100", map + descriptor + "/Flags 4>>", "BT /F1 12 Tf 2 4 Td <010200> Tj ET"),
        ("00", "/Encoding /Foo" + map, "BT /F1 12 Tf 2 4 Td (00) Tj ET"),
        ("P.l", "", "BT /F1 12 Tf 2 4 Td [(P) 129 (.) 20 (l)] TJ ET"),
    ]) func looksThatReadAlike(value: String, font: String, content: String) throws {
        #expect(
            try doubts(
                of: "/FT /Tx /V (\(value)) /AP <</N 7 0 R>>", [content, Self.characters], font: font
            ) == [])
    }

    @Test("only a script formats a value", arguments: ["<<>>", "5", "[]", "<</S /JavaScript>>"])
    func formats(action: String) throws {
        let found = try doubts(
            of: "/FT /Tx /V (100) /AA <</F \(action)>> /AP <</N 7 0 R>>",
            ["BT /F1 12 Tf 2 4 Td (900) Tj ET"])
        #expect(found.contains { $0.contains("shows '900'") }, "\(found)")
    }

    @Test("what is upside down stands upright on a page that is turned")
    func turnedPages() throws {
        // Some annotations stand upright on any page (ISO 32000-2 Table 167, NoRotate).
        let cases = [
            (0, 4, true), (90, 4, false), (180, 4, false), (270, 4, false), (180, 20, true),
        ]
        for (turn, flags, isDoubted) in cases {
            let widget = Self.widget.replacing("/F 4", with: "/F \(flags)")
            let sample = SamplePDF(
                pageEntries: "/MediaBox [0 0 200 200] /Rotate \(turn) /Annots [6 0 R]",
                catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                extraObjects: [
                    "<</T (t) /FT /Tx /V (6) \(widget) /AP <</N 7 0 R>>>>",
                    Self.look("BT /F1 12 Tf 2 4 Td (6) Tj ET", "/Matrix [-1 0 0 -1 0 0]"),
                ])
            let document = try PDFDocument(source: MemorySource(sample.bytes))
            let found = try DocumentStructure.doubts(
                about: document, form: AcroForm(of: document), effort: .quick)
            #expect(found.lines.contains { $0.contains("upside down") } == isDoubted)
        }
    }

    /// Looks that use up what is looked at would hide the field behind them.
    @Test func fieldsThatAreNotComparedAreDoubted() throws {
        let padding = String(repeating: " ", count: 250_000)
        let kids = (8..<58).map { "\($0) 0 R" }.joined(separator: " ")
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots [\(kids)]",
            catalogEntries: "/AcroForm <</Fields [\(kids)]>>",
            extraObjects: [
                Self.look("BT /F1 12 Tf 2 4 Td (100) Tj ET" + padding),
                Self.look("BT /F1 12 Tf 2 4 Td (900) Tj ET"),
            ]
                + (8..<58).map {
                    "<</T (f\($0)) /FT /Tx /V (100) \(Self.widget) /AP <</N \($0 < 57 ? 6 : 7) 0 R>>>>"
                })
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let form = try AcroForm(of: document)
        let found = try DocumentStructure.doubts(about: document, form: form, effort: .thorough)
        #expect(found.lines.contains { $0.contains("not all were looked at") }, "\(found)")
        // Who signs is told that verify looks further.
        let quick = try DocumentStructure.doubts(about: document, form: form, effort: .quick)
        #expect(!quick.isComplete)
    }

    @Test(
        "fonts of the document's own are read by what they say, and doubted where that is none",
        arguments: [
            ("/Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FontDescriptor 8 0 R", false),
            ("/TrueType /BaseFont /A+B /FontDescriptor 8 0 R", true),
            ("/TrueType /BaseFont /A+B /FontDescriptor 9 0 R /Encoding /WinAnsiEncoding", false),
            (
                "/TrueType /BaseFont /A+B /FontDescriptor 8 0 R /Encoding <</Differences "
                    + "[48 /zero /one]>>", false
            ),
            (
                "/TrueType /BaseFont /A+B /FontDescriptor 8 0 R /Encoding <</Differences "
                    + "[48 /zero /nine]>>", true
            ),
            (
                "/TrueType /BaseFont /A /FontDescriptor 8 0 R /Encoding /WinAnsiEncoding "
                    + "/ToUnicode 11 0 R", true
            ),
            ("/Type1 /BaseFont /Helvetica /ToUnicode 11 0 R", false),
            (
                "/Type3 /FontMatrix [1 0 0 1 0 0] /CharProcs <<>> /Encoding <</Differences "
                    + "[48 /zero /one]>>", true
            ),
            ("/Type0 /BaseFont /A+B /Encoding /Identity-H /DescendantFonts []", true),
        ])
    func ownFonts(font: String, isDoubted: Bool) throws {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</T (t) /FT /Tx /V (100) \(Self.widget) /AP <</N 7 0 R>>>>",
                Self.look("BT /F2 12 Tf 2 4 Td (100) Tj ET").replacing(
                    "/Font <<", with: "/Font <</F2 <</Type /Font /Subtype \(font)>> "),
                "<</Flags 32 /FontFile2 10 0 R>>", "<</Flags 4 /FontFile2 10 0 R>>",
                "<</Length 0>>\nstream\n\nendstream",
                "<</Length 33>>\nstream\n1 beginbfchar <31> <0039> endbfchar\nendstream",
            ])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let found = try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick)
        #expect(found.lines.contains { $0.contains("the field 't' ") } == isDoubted)
    }

    /// What is doubted of a form, and whether all was looked at.
    ///
    /// - Parameter objects: from number 6 on.
    private func findings(
        of fields: String, annotations: String = "[6 0 R]", _ objects: [String]
    ) throws -> (lines: [String], isComplete: Bool, hasStray: Bool) {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots \(annotations)",
            catalogEntries: "/AcroForm <</Fields \(fields)>>", extraObjects: objects)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let found = try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick)
        let content = DynamicContent(of: document, effort: .quick)
        return (
            found.lines.filter { $0.contains("the one or") }, found.isComplete,
            content.findings.contains { $0.code == .strayField }
        )
    }

    private static let shown = "\(widget) /AP <</N 8 0 R>>"
    private static let text = look("BT /F1 12 Tf 2 4 Td (100) Tj ET")

    @Test(
        "widgets are below the field that lists them, and have nothing of a field of their own",
        arguments: [
            ("[7 0 R]", "/Parent 7 0 R", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true),
            ("[7 0 R]", "/Parent 7 0 R /FT /Tx", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true),
            ("[7 0 R]", "/Parent 7 0 R /Ff 0", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true),
            (
                "[7 0 R]", "/Parent 7 0 R /V <FEFF003100300030>",
                "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true
            ),
            (
                "[7 0 R]", "/Parent 7 0 R /Opt [<313030> [(b) (B)]]",
                "/T (p) /FT /Ch /Ff 131072 /Opt [(100) [(b) <42>]] /V (100) /Kids [6 0 R]", true
            ),
            // Some programs list all widgets with the fields.
            ("[6 0 R 7 0 R]", "/Parent 7 0 R", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true),
            ("[7 0 R 6 0 R]", "/Parent 7 0 R", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", true),
            (
                "[6 0 R 7 0 R]", "/Parent 7 0 R /T (x)", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]",
                false
            ),
            (
                "[7 0 R]", "/Parent 7 0 R /Opt [(100) [(b) (900)]]",
                "/T (p) /FT /Ch /Ff 131072 /Opt [(100) [(b) (B)]] /V (100) /Kids [6 0 R]", false
            ),
            ("[6 0 R]", "/T (p) /FT /Tx /V (100) /Parent <</V (900)>>", "null", false),
            ("[6 0 R]", "/T (p) /FT /Tx /V (100)", "null", true),
            ("[6 0 R]", "/T (p) /FT /Tx /V (100) /Parent 9 0 R", "null", true),
            ("[7 0 R]", "/Parent 7 0 R /V /Off", "/T (p) /FT /Btn /Kids [6 0 R]", true),
            ("[7 0 R]", "/Parent 7 0 R /V (900)", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", false),
            ("[7 0 R]", "/Parent 7 0 R /FT /Ch", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", false),
            ("[7 0 R]", "/Parent 7 0 R /Ff 8192", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", false),
            ("[6 0 R]", "/Parent 7 0 R", "/T (p) /FT /Tx /V (900)", false),
            ("[7 0 R]", "/T (x) /FT /Tx /V (100)", "/T (p) /Kids [6 0 R]", false),
            ("[7 0 R]", "/Parent 5 0 R", "/T (p) /FT /Tx /V (100) /Kids [6 0 R]", false),
        ])
    func widgetsAreBelowTheirFields(
        fields: String, kid: String, field: String, isAgreed: Bool
    ) throws {
        let found = try findings(
            of: fields,
            ["<<\(kid) \(Self.shown)>>", field == "null" ? field : "<<\(field)>>", Self.text])
        #expect(found.lines.isEmpty == isAgreed, "\(found.lines)")
        #expect(!found.hasStray || !isAgreed)
    }

    @Test("a widget whose field does not list it is none of the form's")
    func widgetsThatAreNotListed() throws {
        for (kids, hasStray) in [("/Kids [6 0 R]", false), ("/Kids [9 0 R]", true), ("", true)] {
            let found = try findings(
                of: "[7 0 R]",
                [
                    "<</Parent 7 0 R \(Self.shown)>>", "<</T (p) /FT /Tx /V (900) \(kids)>>",
                    Self.text, "<</Parent 7 0 R \(Self.shown)>>",
                ])
            #expect(found.hasStray == hasStray, "\(kids)")
        }
    }

    @Test("widgets that no field can list are none of the form's")
    func widgetsThatCannotBeListed() throws {
        for (annotations, kid) in [
            ("[6 0 R]", "<</Parent <</Parent 7 0 R>> \(Self.shown)>>"),
            ("[<</Parent 7 0 R \(Self.shown)>>]", "null"),
        ] {
            let found = try findings(
                of: "[7 0 R]", annotations: annotations,
                [kid, "<</T (p) /FT /Tx /V (900) /Kids [9 0 R]>>", Self.text, "<<>>"])
            #expect(found.hasStray)
        }
    }

    @Test("a button may say what its group does")
    func valuesOfButtons() throws {
        for (value, isAgreed) in [("/Yes", true), ("/Off", true), ("/No", false)] {
            let found = try findings(
                of: "[7 0 R]", annotations: "[6 0 R 9 0 R]",
                [
                    "<</Parent 7 0 R /V \(value) /AS /Off \(Self.widget) /AP <</N <</No 8 0 R>>>>>>",
                    "<</T (p) /FT /Btn /Ff 32768 /V /Yes /Kids [6 0 R 9 0 R]>>", Self.text,
                    "<</Parent 7 0 R /AS /Yes \(Self.widget) /AP <</N <</Yes 8 0 R>>>>>>",
                ])
            #expect(found.lines.isEmpty == isAgreed, "\(found.lines)")
        }
    }

    @Test("a long entry that many widgets have is not compared for each", arguments: [false, true])
    func longEntries(isShared: Bool) throws {
        let numbers = 9..<159
        let kids = numbers.map { "\($0) 0 R" }.joined(separator: " ")
        let options = [String](repeating: "0", count: 200_000).joined(separator: " ")
        let found = try findings(
            of: "[6 0 R]", annotations: "[]",
            [
                "<</T (t) /FT /Btn /Opt 7 0 R /Kids [\(kids)]>>", "[\(options)]",
                "[\(options)]",
            ]
                + numbers.map { _ in
                    "<</Parent 6 0 R /Opt \(isShared ? 7 : 8) 0 R /Subtype /Widget>>"
                })
        #expect(found.lines == [] && found.isComplete == isShared)
    }

    @Test("pages that are turned are found without going through their tree for each")
    func manyTurnedPages() throws {
        // As many nodes, each with one page; and pages that share one list of annotations.
        let count = 3000
        for entries in ["", "/Rotate 90 /Annots 5 0 R"] {
            var sample = SamplePDF()
            sample.objects[4] =
                "[" + [String](repeating: "7 0 R", count: 20_000).joined(separator: " ") + "]"
            let nodes = (0..<count).map { "\(6 + 3 * $0) 0 R" }.joined(separator: " ")
            sample.objects[1] = "<</Type /Pages /Kids [\(nodes)] /Count \(2 * count)>>"
            sample.objects += (0..<count).flatMap { index in
                let node = 6 + 3 * index
                let page = "<</Type /Page /Parent \(node) 0 R /MediaBox [0 0 9 9] \(entries)>>"
                return [
                    "<</Type /Pages /Parent 2 0 R /Kids [\(node + 1) 0 R \(node + 2) 0 R] /Count 2>>",
                    page, page,
                ]
            }
            let document = try PDFDocument(source: MemorySource(sample.bytes))
            let turns = PageTurns(of: document, .thorough)
            let elapsed = ContinuousClock().measure {
                _ = turns.quarters(of: ObjectID(number: 7))
            }
            #expect(elapsed < .seconds(10))
            #expect(turns.isComplete == entries.isEmpty)
        }
    }

    @Test("fields that are too many to be looked at are not passed over in silence")
    func manyFields() throws {
        for (count, isComplete) in [(150, true), (250, false)] {
            let fields = (0..<count).map { "\(6 + $0) 0 R" }.joined(separator: " ")
            let objects = (0..<count).map { "<</T (f\($0)) /FT /Tx /V () \(Self.widget)>>" }
            let found = try findings(of: "[\(fields)]", annotations: "[\(fields)]", objects)
            #expect(found.isComplete == isComplete)
        }
    }

    @Test("an annotation over text is told of, however many come before it")
    func manyAnnotations() throws {
        func findings(_ count: Int, pageByteCount: Int) throws -> DynamicContent {
            var sample = SamplePDF(
                extraObjects: (0...count).map { index in
                    let place = index == count ? "[0 0 595 842]" : "[1 1 2 2]"
                    return "<</Type /Annot /Subtype /Stamp /F 4 /Rect \(place) /AP <</N 4 0 R>>>>"
                })
            let annotations = (0...count).map { "\(6 + $0) 0 R" }.joined(separator: " ")
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources "
                + "<</Font <</F1 5 0 R>>>> /Annots [\(annotations)]>>"
            let content =
                "BT /F1 12 Tf 90 115 Td (not) Tj ET" + String(repeating: " ", count: pageByteCount)
            sample.objects[3] =
                "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
            let document = try PDFDocument(source: MemorySource(sample.bytes))
            return DynamicContent(of: document, effort: .quick)
        }
        let many = try findings(30, pageByteCount: 0)
        #expect(many.findings.contains { $0.code == .overlay } && many.isComplete)
        #expect(try !findings(60, pageByteCount: 100_000).isComplete)
    }

    private static let (box, tick, ring) = (
        "0.5 0.5 99 19 re S ", "20 10 m 40 4 l 80 16 l S ",
        "98 10 m 98 15 74 19 50 19 c 26 19 2 15 2 10 c 2 5 26 1 50 1 c 74 1 98 5 98 10 c S "
    )

    @Test(arguments: [
        // The state, its look when it is on and when it is off, and whether a person sees it.
        ("Yes", box + tick, box, true), ("Off", box + tick, box, true),
        ("Yes", tick, "", true), ("Off", tick, "", true), ("Off", ring + tick, ring, true),
        ("Yes", "0.8 g 0 0 100 20 re f 0 g 40 5 20 10 re f", "0.8 g 0 0 100 20 re f", true),
        ("Off", "0.8 g 0 0 100 20 re f 0 g 40 5 20 10 re f", "0.8 g 0 0 100 20 re f", true),
        ("Yes", "BT /F1 12 Tf 44 4 Td (4) Tj ET", "", true),
        ("Yes", box, box + tick, false), ("Off", box, box + tick, false),
        ("Yes", "", box, false), ("Yes", box, box, false), ("Off", box + tick, box + tick, false),
        ("Yes", box + "1 G " + tick, box, false), ("Off", "", "0 g 0 0 100 20 re f", false),
        ("Yes", box + "0 0 1 1 re W n " + tick, box, false),
        ("Yes", tick + "1 g 0 0 100 20 re f", "", false),
        ("Yes", "/G gs " + tick, "", false),
        ("Yes", box + "BT 3 Tr /F1 12 Tf (4) Tj ET", box, false),
        ("Off", box + tick + "48 2 3 3 re f", box + tick, false),
        ("Yes", "q 1 0 0 1 0 300 cm " + tick + "Q", "", false),
    ]) func buttonsShowWhatTheyHold(
        state: String, on: String, off: String, isSeen: Bool
    ) throws {
        let found = try doubts(
            of: "/FT /Btn /V /\(state) /AS /\(state) /AP <</N <</Yes 7 0 R /Off 8 0 R>>>>",
            [on, off])
        #expect(found.isEmpty == isSeen, "\(found)")
    }

    @Test(arguments: [
        ("/FT /Tx /V (100) /AP <</N 7 0 R>>", true), ("/AP <</N 7 0 R>>", false),
        ("/FT /Zz /AP <</N 7 0 R>>", false), ("/FT /Btn /V /Yes /AS /Yes /AP <</N 7 0 R>>", false),
        ("/FT /Btn /V /A /AS /A /AP <</N <</Yes 7 0 R>>>>", false),
        ("/FT /Btn /V /Yes /AS /Yes /AP <</N <</Off 7 0 R>> /D <</Yes 7 0 R>>>>", false),
        ("/FT /Btn /Ff 65536 /AP <</N 7 0 R>>", true),
        ("/FT /Btn /V /Yes /AS /Yes /AP <</N <</Yes 7 0 R>>>>", true),
        ("/FT /Tx /V (100) /RV (<body><p>900</p></body>) /AP <</N 7 0 R>>", false),
        ("/FT /Tx /V (100) /RV (<body><p>1&#48;<b>0</b></p></body>) /AP <</N 7 0 R>>", true),
        ("/FT /Tx /V (100) /RV (<body><![CDATA[900]]></body>) /AP <</N 7 0 R>>", false),
        ("/FT /Tx /V (100) /RV (<body><!-- a > 900 -->100</body>) /AP <</N 7 0 R>>", true),
        ("/FT /Btn /Ff 65536 /MK <</CA (900)>> /AP <</N 8 0 R>>", false),
        ("/FT /Btn /Ff 65536 /MK <</CA (900) /TP 1>> /AP <</N 8 0 R>>", true),
    ]) func fieldsSayWhatTheyAre(entries: String, isClear: Bool) throws {
        let found = try doubts(
            of: entries, ["BT /F1 12 Tf 2 4 Td (100) Tj ET", "0.5 0.5 99 19 re S"])
        #expect(found.isEmpty == isClear, "\(found)")
    }

    /// A look may be shared by any number of widgets, and be long.
    /// Long ones, and those that draw again and again what cannot be read.
    @Test(arguments: ["0 0 1 1 re f\n", "/X Do\n"])
    func longLooksCostLittle(operation: String) throws {
        let content = String(repeating: operation, count: 4000)
        let inner = String(repeating: "0 0 1 1 re f\n", count: 4000) + "("
        let kids = (0..<2000).map { _ in
            "<<\(Self.widget) /Parent 6 0 R /AS /Off /AP <</N <</A 7 0 R /Off 9 0 R>>>>>>"
        }
        let numbers = kids.indices.map { "\(10 + $0) 0 R" }.joined(separator: " ")
        let looks = [
            Self.look(content).replacing("/ExtGState", with: "/XObject <</X 8 0 R>> /ExtGState"),
            Self.look(inner), Self.look(""),
        ]
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</T (t) /FT /Btn /Kids [\(numbers)]>>"] + looks + kids)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let form = try AcroForm(of: document)
        let elapsed = try ContinuousClock().measure {
            _ = try DocumentStructure.doubts(about: document, form: form, effort: .quick)
        }
        #expect(elapsed < .seconds(20))
    }

    @Test func catalogsThatNameAPageAreDoubted() throws {
        var sample = SamplePDF()
        sample.objects[1] = sample.objects[2]
        sample.objects[2] = "null"
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let lines = try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick
        ).lines
        #expect(lines.contains { $0.contains("is a page itself") }, "\(lines)")
    }
}
