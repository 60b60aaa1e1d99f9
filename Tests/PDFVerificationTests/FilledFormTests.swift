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

    @Test(
        "a filled button may show a few curves, and none when it is off",
        arguments: [(4, false, false), (12, false, false), (13, false, true), (4, true, true)])
    func curves(count: Int, isOff: Bool, isDoubted: Bool) throws {
        let mark = Self.form("1 1 m " + String(repeating: "1 2 3 4 5 6 c ", count: count) + "f")
        let finding = try Self.finding(after: [
            13: Self.choice("On", 34).replacing("33 0 R", with: isOff ? "35 0 R" : "33 0 R"),
            34: mark, 35: mark,
        ])
        #expect(finding.contentChanges == ["field 'choice' changed from 'Off' to 'On'"])
        #expect(Self.isDoubted(finding) == isDoubted, "\(finding.problems)")
    }

    @Test("a button that keeps its value may show its mark anew", arguments: [true, false])
    func markAnew(wasPlain: Bool) throws {
        let mark = "1 1 m 1 2 3 4 5 6 c f"
        let finding = try Self.finding(
            after: [13: Self.choice("On", 34), 34: Self.form("q \(mark) Q")],
            signed: [13: Self.choice("On", 32), 32: Self.form(wasPlain ? mark : "q Q")])
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
            ("100", "250", "", false, true), ("100", "100", "/Odd 8 0 R", false, true),
            ("100", "250", "/Odd 8 0 R", true, true), ("100", "100", "own", false, true),
            ("100", "100", "rich", false, true),
        ])
    func needAppearances(
        was: String, now: String, fonts: String, isDrawn: Bool, isDoubted: Bool
    ) throws {
        let own = [
            "own": "/DA (/Helv 0 Tf) /DR << /Font << /Helv 8 0 R >> >>", "rich": "/RV (900)",
        ][fonts]
        let fonts = own == nil ? fonts : ""
        var update = [
            1: Self.catalog("/NeedAppearances true", fonts: fonts), 12: Self.amount(now, own ?? ""),
        ]
        if isDrawn { update[31] = Self.text(now) }
        let finding = try Self.finding(
            after: update,
            signed: [
                1: Self.catalog(fonts: fonts), 12: Self.amount(was, own ?? ""),
                8: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
                    + "/Encoding << /Differences [49 /nine] >> >>",
            ])
        #expect(
            finding.contentChanges.contains(
                "/NeedAppearances was set: viewers generate the appearances of form fields"))
        #expect(Self.isDoubted(finding) == isDoubted)
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
            ("0 g 1 g /Helv 12 Tf", true), ("", true),
        ])
    func defaultAppearance(entry: String, isDoubted: Bool) throws {
        let finding = try Self.finding(
            after: [12: Self.amount("250", "/DA (\(entry))"), 31: Self.text("250")],
            signed: [1: Self.catalog("/NeedAppearances true")])
        #expect(finding.contentChanges.contains("field 'amount' changed from '100' to '250'"))
        #expect(Self.isDoubted(finding) == isDoubted)
    }
}
