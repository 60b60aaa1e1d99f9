import Base
import PDFCore
import Testing
import TrustKit

@testable import PDFSigning
@testable import PDFVerification
@testable import RevisionDiff

/// What a later revision may do to a signed form and the annotations around it.
@Suite struct FilledFormTests {
    private static func form(_ content: String) -> String {
        "<< /Type /XObject /Subtype /Form /BBox [0 0 80 20] "
            + "/Resources << /Font << /Helv 9 0 R >> >> "
            + "/Length \(content.utf8.count + 1) >>\nstream\n\(content)\n\nendstream"
    }

    private static func text(_ value: String) -> String {
        form("/Tx BMC q BT 0 g /Helv 12 Tf 2 5 Td (\(value)) Tj ET Q EMC")
    }

    private static func amount(
        _ value: String, _ more: String = "/DA (/Helv 12 Tf 0 g)"
    ) -> String {
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (amount) /V (\(value)) "
            + "/Rect [9 9 89 29] /AP << /N 31 0 R >> \(more) >>"
    }

    private static func choice(_ state: String, _ look: Int) -> String {
        "<< /Type /Annot /Subtype /Widget /FT /Btn /T (choice) /V /\(state) /AS /\(state) "
            + "/Rect [9 39 89 59] /AP << /N << /On \(look) 0 R /Off 33 0 R >> >> >>"
    }

    private static func square(_ more: String = "") -> String {
        "<< /Type /Annot /Subtype /Square /Rect [9 9 89 29] \(more) >>"
    }

    private static func catalog(_ more: String = "", fonts: String = "") -> String {
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [10 0 R 12 0 R 13 0 R] "
            + "/DR << /Font << /Helv 9 0 R \(fonts) >> >> \(more) >> >>"
    }

    private static func page(
        _ more: String, _ annotations: String = "[12 0 R 13 0 R 14 0 R 15 0 R]"
    ) -> String { "<< /Type /Page /Parent 2 0 R /Annots \(annotations) \(more) >>" }

    private static func finding(
        after update: [Int: String], signed: [Int: String] = [:]
    ) throws -> RevisionFinding {
        var file = RevisedFile()
        file.revise(
            [
                1: catalog(),
                2: "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 300] >>", 3: page(""),
                9: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
                    + "/Encoding /WinAnsiEncoding >>",
                10: RevisedFile.field("a"), 12: amount("100"), 13: choice("Off", 32),
                14: square(), 15: square("/C [1 0 0]"), 31: text("100"), 32: form("q Q"),
                33: form("q Q"),
            ].merging(signed, uniquingKeysWith: { $1 }))
        file.sign(20, [10: RevisedFile.field("a", value: 20)])
        file.revise(update)
        let document = try file.document()
        let candidates = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
        return try #require(RevisionJudgement(of: document).findings(for: candidates).first)
    }

    private static func isDoubted(_ finding: RevisionFinding) -> Bool {
        finding.problems.contains { $0.verdict != nil && $0.code != .cmsMalformed }
    }

    @Test(
        "another order or repetition of annotations is a change of annotations",
        arguments: [
            "[12 0 R 13 0 R 15 0 R 14 0 R]", "[13 0 R 12 0 R 14 0 R 15 0 R]",
            "[12 0 R 13 0 R 14 0 R 15 0 R 14 0 R]", "[15 0 R 12 0 R 13 0 R 14 0 R 15 0 R]",
            "[12 0 R 13 0 R 14 0 R 15 0 R 12 0 R]", "[null 12 0 R 13 0 R 14 0 R 15 0 R]",
            "[12 0 R 13 0 R 15 0 R << /Type /Annot /Subtype /Square /Rect [9 9 89 29] >>]",
            "40 0 R", "41 0 R", "[12 0 R 13 0 R 15 0 R 42 0 R]",
        ])
    func annotationOrder(annotations: String) throws {
        let finding = try Self.finding(after: [
            3: Self.page("", annotations), 40: "[12 0 R 13 0 R 15 0 R 14 0 R]",
            41: "[15 0 R 12 0 R 13 0 R 14 0 R]", 42: Self.square(),
        ])
        #expect(finding.changes >= .annotations)
        #expect(!finding.contentChanges.isEmpty)
    }

    @Test("an array of annotations may become an object of its own")
    func sameOrder() throws {
        let finding = try Self.finding(after: [
            3: Self.page("", "40 0 R"), 40: "[12 0 R 13 0 R 14 0 R 15 0 R]",
        ])
        #expect(finding.changesDetail.isEmpty)
    }

    /// A check mark, as a character of ZapfDingbats.
    private static let mark = form("BT 0 g /ZaDb 14 Tf 2 5 Td (4) Tj ET")
        .replacing("/Helv 9 0 R", with: "/ZaDb 36 0 R")
    private static let dingbats = "<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>"

    @Test(
        "a filled button shows a mark as a character, and none when it is off",
        arguments: [
            (mark, "q Q", false), (mark, "1 1 m 9 9 l 18 1 2 3 4 5 c S", true),
            (form("1 1 m 1 2 3 4 5 6 c f"), "q Q", true),
            (mark.replacing("ET\n", with: "ET 1 g 0 0 80 20 re f"), "q Q", true),
        ])
    func newMarks(on: String, off: String, isDoubted: Bool) throws {
        let finding = try Self.finding(after: [
            13: Self.choice("On", 34).replacing("33 0 R", with: "35 0 R"), 34: on,
            35: Self.form(off), 36: Self.dingbats,
        ])
        #expect(finding.contentChanges == ["field 'choice' changed from 'Off' to 'On'"])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test(
        "default appearances with strings, and fonts that they may use, are not passed",
        arguments: [
            ("/Helv 12 Tf 0 g", "/Helv 12 Tf 0 g", "", false),
            ("/Helv 12 Tf 0 g", "0 g /Helv 12 Tf", "", false),
            ("/Helv 12 Tf 0 g", "(0 Tf\\) Tj \\(9) /Helv 12 Tf 0 g", "", true),
            ("/Helv 12 Tf 0 g", "/Helv 12 Tf <> 0 g", "", true),
            ("/Helv 12 Tf 0 g", "/Helv 900 Tf 0 g", "/NeedAppearances true", true),
            ("/Helv 12 Tf 0 g", "/Helv 12 Tf 0 g", "/NeedAppearances true", false),
        ])
    func defaults(was: String, now: String, form: String, isDoubted: Bool) throws {
        let finding = try Self.finding(
            after: [1: Self.catalog(form), 12: Self.amount("100", "/DA (\(now))")],
            signed: [12: Self.amount("100", "/DA (\(was))")])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test(
        "another spelling of a default appearance that viewers use",
        arguments: [
            ("0 g /Helv 12 Tf", "/Helv 12 Tf 0 g", false),
            ("0 g /Helv 12 Tf", "0 g/Helv 12 Tf", true),
            ("0 g /Helv 12 Tf", "0 g\\f/Helv 12 Tf", true),
            ("0 g /Helv 12 Tf", "0 g /H#65lv 12 Tf", true),
        ])
    func respelledDefaults(was: String, now: String, isDoubted: Bool) throws {
        func field(_ entry: String) -> String {
            Self.amount("100", "/DA (\(entry))").replacing("/AP << /N 31 0 R >>", with: "")
        }
        let finding = try Self.finding(after: [12: field(now)], signed: [12: field(was)])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test(
        "a value in another encoding that viewers draw",
        arguments: [("(100)", false), ("<313030>", false), ("<FEFF003100300030>", true)])
    func respelledValues(value: String, isDoubted: Bool) throws {
        let drawn = Self.amount("100").replacing("/AP << /N 31 0 R >>", with: "")
        let finding = try Self.finding(
            after: [12: drawn.replacing("(100)", with: value) + " "], signed: [12: drawn])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test("a font that is added under a name that fields use", arguments: ["Courier", "Arial"])
    func namedFont(name: String) throws {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"
        let finding = try Self.finding(
            after: [1: Self.catalog(fonts: "/\(name) 36 0 R"), 36: font],
            signed: [
                12: Self.amount("100", "/DA (/Arial 12 Tf 0 g)").replacing(
                    "/AP << /N 31 0 R >>", with: "")
            ])
        #expect(Self.isDoubted(finding) == (name == "Arial"), "\(finding.problems)")
    }

    @Test("object numbers far above the earlier ones", arguments: [1000, 2000])
    func farNumbers(number: Int) throws {
        let finding = try Self.finding(
            after: [12: Self.amount("250"), 31: Self.text("250"), number: "<< /Length 0 >>"])
        #expect(
            finding.problems.contains { $0.message.contains("implausibly high") }
                == (number == 2000), "\(finding.problems)")
    }

    @Test("symbols under the name of a font that fields use", arguments: ["ZaDb", "Arial"])
    func symbolFont(name: String) throws {
        let finding = try Self.finding(
            after: [1: Self.catalog(fonts: "/\(name) 36 0 R"), 36: Self.dingbats],
            signed: [
                12: Self.amount("100", "/DA (/Arial 12 Tf 0 g)").replacing(
                    "/AP << /N 31 0 R >>", with: "")
            ])
        #expect(Self.isDoubted(finding) == (name == "Arial"), "\(finding.problems)")
    }

    @Test("options in another encoding", arguments: ["(yes)", "<796573>", "<FEFF007900650073>"])
    func options(text: String) throws {
        let combo = Self.amount("yes", "/DA (/Helv 12 Tf 0 g) /Ff 131072 /Opt [(yes)]")
            .replacing("/Tx", with: "/Ch")
        let finding = try Self.finding(
            after: [12: combo.replacing("[(yes)]", with: "[\(text)]")],
            signed: [12: combo, 31: Self.text("yes")])
        #expect(Self.isDoubted(finding) == (text.count > 10), "\(finding.problems)")
        #expect(finding.changes < .forbidden)
    }

    @Test("another currency", arguments: ["USD", "EUR"])
    func currency(shown: String) throws {
        let script = "/DA (/Helv 12 Tf 0 g) /AA << /F << /S /JavaScript /JS (x) >> >>"
        let finding = try Self.finding(
            after: [12: Self.amount("250", script), 31: Self.text("250 \(shown)")],
            signed: [12: Self.amount("100", script), 31: Self.text("100 EUR")])
        #expect(Self.isDoubted(finding) == (shown == "USD"), "\(finding.problems)")
    }

    @Test("the box of a field does not move by small steps", arguments: [2, 4])
    func smallSteps(count: Int) throws {
        let before = Self.amount("100")
        let positions = (0..<count).map { "9.00\($0 * 3)" }
        var file = RevisedFile()
        file.revise([
            1: Self.catalog(), 3: Self.page(""), 10: RevisedFile.field("a"), 13: Self.square(),
            2: "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 300] >>", 12: before,
            9: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", 31: Self.text("100"),
        ])
        file.sign(20, [10: RevisedFile.field("a", value: 20)])
        for position in positions {
            file.revise([12: before.replacing("[9 9 89 29]", with: "[\(position) 9 89 29]")])
        }
        let document = try file.document()
        let candidates = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
        let finding = try #require(
            RevisionJudgement(of: document).findings(for: candidates).first)
        #expect((finding.changes == .forbidden) == (count == 4), "\(finding.changes)")
    }

    @Test("a button that keeps its value may show its mark anew", arguments: [true, false])
    func markAnew(wasPlain: Bool) throws {
        let larger = Self.mark.replacing("14 Tf", with: "15 Tf")
        let finding = try Self.finding(
            after: [13: Self.choice("On", 34), 34: larger],
            signed: [
                13: Self.choice("On", 32), 32: wasPlain ? Self.mark : Self.form("q Q"),
                36: Self.dingbats,
            ])
        #expect(!finding.contentChanges.isEmpty || !wasPlain)
        #expect(Self.isDoubted(finding) == !wasPlain, "\(finding.problems)")
    }

    @Test("a field that the form does not list is compared too", arguments: ["100", "250"])
    func unlisted(shown: String) throws {
        let finding = try Self.finding(
            after: [12: Self.amount("250"), 31: Self.text(shown)],
            signed: [1: Self.catalog().replacing("12 0 R", with: "")])
        #expect(finding.contentChanges == ["field 'amount' changed from '100' to '250'"])
        #expect(finding.changes == .formFilling)
        #expect(Self.isDoubted(finding) == (shown == "100"), "\(finding.problems)")
    }

    @Test("the value of a field may stand above it", arguments: ["100", "250"])
    func inheritedValue(shown: String) throws {
        func group(_ value: String) -> String {
            "<< /FT /Tx /T (group) /V (\(value)) /Kids [12 0 R] >>"
        }
        let finding = try Self.finding(
            after: [16: group("250"), 31: Self.text(shown)],
            signed: [
                1: Self.catalog().replacing("12 0 R", with: "16 0 R"), 16: group("100"),
                12: Self.amount("100").replacing("/V (100)", with: "/Parent 16 0 R"),
            ])
        #expect(finding.contentChanges[0] == "field 'group.amount' changed from '100' to '250'")
        #expect(finding.changes == .formFilling)
        #expect(Self.isDoubted(finding) == (shown == "100"), "\(finding.problems)")
    }

    @Test("all differences of a long value are told")
    func longValue() throws {
        let middle = String(repeating: "x", count: 100)
        let finding = try Self.finding(
            after: [12: Self.amount("Terms: \(middle) 900")],
            signed: [12: Self.amount("Terms. \(middle) 100")])
        #expect(
            finding.contentChanges == [
                "field 'amount' changed from 'Terms. \(middle) 100' to 'Terms: \(middle) 900'"
            ])
    }

    @Test(
        "viewers may be asked to generate values that are shown already, in plain fonts",
        arguments: [
            ("100", "100", "", false, false), ("100", "250", "", true, false),
            ("900", "900", "", false, true), ("900", "900", "", true, true),
            ("100", "250", "", false, true), ("100", "100", "/Odd 8 0 R", false, false),
            ("100", "100", "own", false, true), ("100", "100", "rich", false, true),
            ("100", "100", "white", false, true), ("100", "100", "small", false, true),
            ("100", "100", "odd", false, true), ("100", "100", "fontless", false, true),
        ])
    func needAppearances(
        was: String, now: String, fonts: String, isDrawn: Bool, isDoubted: Bool
    ) throws {
        let own = [
            "own": "/DA (/Helv 0 Tf) /DR << /Font << /Helv 8 0 R >> >>",
            "rich": "/DA (/Helv 0 Tf) /RV (900)", "white": "/DA (/Helv 12 Tf 1 g)",
            "small": "/DA (/Helv 0.1 Tf 0 g)", "odd": "/DA (/Helv 12 Tf 3 Tr)", "fontless": "",
        ][fonts]
        let fonts = own == nil ? fonts : ""
        var update = [
            1: Self.catalog("/NeedAppearances true", fonts: fonts),
            12: Self.amount(now, own ?? "/DA (/Helv 0 Tf 0 g)"),
        ]
        if isDrawn { update[31] = Self.text(now) }
        let finding = try Self.finding(
            after: update,
            signed: [
                1: Self.catalog(fonts: fonts),
                12: Self.amount(was, own ?? "/DA (/Helv 0 Tf 0 g)"),
                8: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
                    + "/Encoding << /Differences [49 /nine] >> >>",
            ])
        #expect(
            finding.contentChanges.contains(
                "/NeedAppearances was set: viewers generate the appearances of form fields"))
        #expect(Self.isDoubted(finding) == isDoubted)
    }

    @Test(
        "viewers may be asked to generate the captions of push buttons that show them",
        arguments: ["100", "900"])
    func caption(caption: String) throws {
        let button = """
            << /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (choice) /Rect [9 39 89 59]
            /MK << /CA (\(caption)) >> /AP << /N 31 0 R >> >>
            """
        let finding = try Self.finding(
            after: [1: Self.catalog("/NeedAppearances true")], signed: [13: button])
        #expect(Self.isDoubted(finding) == (caption == "900"))
    }

    @Test(
        "new text has the color of the default appearance or of the earlier text",
        arguments: [
            ("1 g", "0 g", "1 g", false), ("1 g", "0 g", "0 g", false), ("1 g", "1 g", "0 g", true),
            ("0 g", "0 g", "1 g", true), ("0 0 .4 rg", "0 g", "0 0 0.402 rg", false),
            ("0 g", "0 g", "0 0 0 1 k", false), ("0 g", "0 g", "0.5 g", true),
            ("1 g 1 0 0 1 2 5 Tm", "0 g", "1 g", false), ("0 g 1 g", "0 g", "1 g", true),
        ])
    func textColor(setting: String, was: String, now: String, isDoubted: Bool) throws {
        func shown(_ value: String, _ color: String) -> String {
            Self.form("/Tx BMC q BT \(color) /Helv 12 Tf 2 5 Td (\(value)) Tj ET Q EMC")
        }
        let entry = "/DA (/Helv 12 Tf \(setting))"
        let finding = try Self.finding(
            after: [12: Self.amount("250", entry), 31: shown("250", now)],
            signed: [12: Self.amount("100", entry), 31: shown("100", was)])
        #expect(finding.contentChanges == ["field 'amount' changed from '100' to '250'"])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test("the text color of the form stays", arguments: ["0 0 0 rg", "1 g"])
    func formColor(color: String) throws {
        let finding = try Self.finding(
            after: [1: Self.catalog("/DA (/Helv 0 Tf \(color))")],
            signed: [1: Self.catalog("/DA (/Helv 12 Tf 0 g)")])
        #expect(Self.isDoubted(finding) == (color == "1 g"), "\(finding.problems)")
    }

    @Test(
        "the default border is the same with and without its entry",
        arguments: [
            ("", "/BS << /S /S /W 1 >>", false), ("", "/BS << /Type /Border >>", false),
            ("/BS << /W 1 >>", "", false), ("", "/BS << /S /D /W 1 >>", true),
            ("/Border [0 0 1]", "/Border [0 0 1] /BS << /W 1 >>", false),
            ("", "/BS << /W 0 >>", true), ("/BS << /W 2 >>", "/BS << /W 1 >>", true),
            ("/Border [0 0 0]", "/Border [0 0 0] /BS << /W 1 >>", true),
        ])
    func border(was: String, now: String, isDoubted: Bool) throws {
        let finding = try Self.finding(
            after: [12: Self.amount("100", now)],
            signed: [1: Self.catalog("/NeedAppearances true"), 12: Self.amount("100", was)])
        #expect(finding.contentChanges.isEmpty == !isDoubted)
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test("entries of the catalog are named as they take effect")
    func catalogEntries() throws {
        for (entry, words, isContent) in [
            ("/PageMode /FullScreen", "the entry /PageMode was changed", true),
            ("/Version /2.0", "the PDF version was raised to 2.0", false),
            (
                "/Version /1.0", "the entry /Version was set to 1.0, not higher than 1.7",
                false
            ),
        ] {
            let finding = try Self.finding(after: [
                1: Self.catalog().replacing(" /Pages", with: entry + " /Pages")
            ])
            #expect(finding.changesDetail == [words])
            #expect(finding.contentChanges.isEmpty == !isContent)
        }
    }

    @Test("the new target of a link is named")
    func linkTarget() throws {
        func link(_ entry: String) -> String {
            "<< /Type /Annot /Subtype /Link /Rect [9 9 89 29] \(entry) >>"
        }
        for (entry, words) in [
            ("/A << /S /URI /URI (https://b.example) >>", ", target 'https://b.example'"),
            ("/A << /S /GoTo /D [3 0 R /Fit] >>", ", target page 1"),
            ("/Dest /intro", ", target 'intro'"),
            ("/A << /S /GoToR /F << /F (b.pdf) >> /D [0 /Fit] >>", ", target 'b.pdf'"),
            ("/A << /S /URI /URI (https://a.example) >> /C [1 0 0]", ""),
        ] {
            let finding = try Self.finding(
                after: [14: link(entry)],
                signed: [14: link("/A << /S /URI /URI (https://a.example) >>")])
            #expect(finding.contentChanges == ["page 1: annotation (Link) changed" + words])
        }
    }

    @Test("numbers may be spelled differently", arguments: [".50", "0.6"])
    func spelling(number: String) throws {
        func settings(_ number: String) -> String {
            Self.form("q Q").replacing(
                "/Resources <<", with: "/Resources << /ExtGState << /G << /ca \(number) >> >>")
        }
        let finding = try Self.finding(
            after: [33: settings(number)], signed: [33: settings("0.5")])
        #expect(finding.changesDetail.isEmpty == (number == ".50"))
    }

    @Test("fields whose values were not shown stay so when viewers generate no more appearances")
    func needNoAppearances() throws {
        for value in ["100", "900"] {
            let finding = try Self.finding(
                after: [1: Self.catalog(), 12: Self.amount(value)],
                signed: [1: Self.catalog("/NeedAppearances true"), 12: Self.amount(value)])
            #expect(Self.isDoubted(finding) == (value == "900"))
        }
    }

    @Test(
        "a page may repeat what it inherits",
        arguments: [
            ("/MediaBox [0 0 300 300]", ChangeLevel.none), ("/MediaBox [0 0 300 301]", .forbidden),
            ("/CropBox [0 0 300 300]", .forbidden), ("/Rotate 90", .forbidden),
        ])
    func inherited(entry: String, level: ChangeLevel) throws {
        #expect(try Self.finding(after: [3: Self.page(entry)]).changes == level)
    }

    @Test(
        "the color and the font of a default appearance may change places",
        arguments: [
            ("0 g /Helv 12 Tf", false), ("1 g /Helv 12 Tf", true), ("0 g /Helv 9 Tf", true),
            ("0 g /Odd 12 Tf", true),
            ("0 g 1 g /Helv 12 Tf", true), ("", true),
        ])
    func defaultAppearance(entry: String, isDoubted: Bool) throws {
        let finding = try Self.finding(
            after: [12: Self.amount("250", "/DA (\(entry))"), 31: Self.text("250")],
            signed: [1: Self.catalog("/NeedAppearances true")])
        #expect(finding.contentChanges.contains("field 'amount' changed from '100' to '250'"))
        #expect(Self.isDoubted(finding) == isDoubted)
    }

    @Test(
        "a filled field may have a new standard font with its own widths",
        arguments: [("600", "/Courier", false), ("100", "/Courier", true), ("600", "/Arial", true)])
    func addedFont(width: String, name: String, isDoubted: Bool) throws {
        let descriptor = "<< /FontName \(name) /Flags 35 /MissingWidth \(width) >>"
        let font =
            "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding "
            + "/FirstChar 32 /LastChar 32 /Widths [600] /FontDescriptor \(descriptor) >>"
        let shown = Self.text("250").replacing("/Helv 9 0 R", with: "/Helv \(font)")
        let finding = try Self.finding(after: [12: Self.amount("250"), 31: shown])
        #expect(Self.isDoubted(finding) == isDoubted)
    }
}
