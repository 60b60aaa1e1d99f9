import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Choices of which readers that go by the options show others than the look.
struct FieldChoiceTests {
    /// What is doubted of a field whose look is this content.
    private func doubts(of field: String, _ content: String) throws -> [String] {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</T (t) /FT /Ch \(field) /AP <</N 7 0 R>> /Type /Annot /Subtype /Widget /F 4 "
                    + "/Rect [9 9 109 49]>>",
                "<</Type /XObject /Subtype /Form /BBox [0 0 100 40] /Length "
                    + "\(content.utf8.count) /Resources <</Font <</F1 <</Type /Font /Subtype "
                    + "/Type1 /BaseFont /Helvetica>>>>>>>>\nstream\n\(content)\nendstream",
            ])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        return try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick
        ).lines.filter { $0.contains("the field 't' ") }
    }

    private static func look(_ lines: [String], bar: Int? = nil) -> String {
        let ground = bar.map { "0.6 0.7 0.8 rg 1 \(26 - 12 * $0) 98 12 re f 0 g " } ?? ""
        let texts = lines.enumerated().map { "1 0 0 1 2 \(29 - 12 * $0) Tm (\($1)) Tj " }
        return ground + "BT /F1 10 Tf " + texts.joined() + "ET"
    }

    /// The same, each line behind its bar.
    private static func inTurn(_ lines: [String], bar: Int, height: Int = 11) -> String {
        let parts = lines.enumerated().map { index, line in
            let bottom = 26 - 12 * index
            let ground = "q 0 0.2 0.44314 rg 1 \(bottom) 98 \(height) re f Q "
            return (index == bar ? ground + "BT 1 g" : "BT 0 g")
                + " /F1 10 Tf 2 \(bottom + 3) Td (\(line)) Tj ET "
        }
        return "/Tx BMC q 1 1 98 38 re W n " + parts.joined() + "Q EMC"
    }

    @Test(arguments: [
        ("/Opt [(100) (900)] /V (100)", look(["100", "900"], bar: 0)),
        ("/Opt [(100) (900)] /V (900)", look(["100", "900"], bar: 1)),
        ("/Opt [(100) (900)] /V (900)", look(["100", "900"])),
        ("/Opt [(100) (900)]", look(["100", "900"])),
        ("/Opt [[(a) (100)] [(b) (900)]] /V (b)", look(["100", "900"], bar: 1)),
        ("/Opt [(x) (100) (900)] /TI 1 /V (900)", look(["100", "900"], bar: 1)),
        ("/Opt [(1) (2) (3) (4) (5)] /V (1)", look(["1", "2", "3", "4", "5"], bar: 0)),
        ("/Opt [(1) (2)] /V [(1) (2)] /Ff 2097152", look(["1", "2"])),
        ("/Ff 131072 /Opt [[(a) (100)] [(b) (900)]] /V (b)", look(["900"])),
        ("/Ff 131072 /Opt [(100) (100)] /V (100)", look(["100"])),
        ("/Ff 393216 /Opt [(100)] /V (500)", look(["500"])),
        ("/Ff 131072 /Opt [(100)] /V ()", look([])),
        // A blank option that nobody has changed (Acrobat, iText).
        ("/Ff 131072 /Opt [( ) (Red)] /V ( ) /I [0]", look([])),
        ("/Ff 131072 /Opt [( ) (Red)] /V () /I [0]", look([])),
        ("/Ff 131072 /Opt [[() (Choose)] [(a) (A)]] /V () /I [0]", look(["Choose"])),
        ("/Opt [[() (None)] [(a) (A)]] /V () /I [0]", look(["None", "A"], bar: 0)),
        // What is shown in place of the export value (pdf-lib, pypdf), and no options (scripts).
        ("/Ff 131072 /Opt [[(1) (Red)]] /V (Red)", look(["Red"])),
        ("/Ff 131072 /Opt [[(0) (Blue)] [(1) (Red)]] /V (Red) /I [1]", look(["Red"])),
        ("/Ff 131072 /V (Red)", look(["Red"])),
        ("/Opt [(1) (2) (3)] /V [(3) (1)] /I [0 2] /Ff 2097152", look(["1", "2", "3"])),
        // The chosen one is below what is seen (PDFBox, pdf-lib), or the list is left to the readers
        // (LibreOffice).
        ("/Opt [(1) (2) (3) (4) (5)] /V (5)", look(["1", "2", "3", "4"])),
        ("/Opt [(1) (2) (3) (4) (5)] /TI 2 /V (1)", look(["3", "4", "5"])),
        ("/Opt [(100) (900)] /V (900)", "1 g 0 0 100 40 re f"),
        // Scrolled to the chosen one (pdf.js).
        ("/Opt [(1) (2) (3) (4) (5)] /V (4)", look(["2", "3", "4", "5"], bar: 2)),
        // Each line on its bar in turn (PDFium, iText), and bars beyond the box (pdf-lib).
        ("/Opt [(100) (900)] /V (900) /I [1]", inTurn(["100", "900"], bar: 1)),
        ("/Opt [(100) (500) (900)] /V (500)", inTurn(["100", "500", "900"], bar: 1)),
        ("/Opt [(1) (2) (3) (4) (5)] /V (5)", look(["1", "2", "3", "4", "5"], bar: 4)),
        // Goes on below its frame.
        (
            "/Opt [(1) (2) (3) (4) (5)] /V (1)",
            "0.5 0.5 99 39 re S "
                + look(["1", "2", "3", "4", "5"], bar: 0).replacing("10 Tf", with: "9 Tf")
        ),
        // Marked by its colour.
        (
            "/Opt [(1) (2) (3)] /V (2)",
            "BT /F1 10 Tf 2 29 Td (1) Tj 0 0 1 rg 0 -12 Td (2) Tj 0 g 0 -12 Td (3) Tj ET"
        ),
        // As long as all its options, most of them below.
        (
            "/Opt [(1) \(String(repeating: "(2) ", count: 900))] /V (1)",
            "0.6 0.7 0.8 rg 1 26 98 12 re f BT 0 g /F1 10 Tf 2 29 Td (1) Tj "
                + String(
                    repeating: "0 -12 Td (2) Tj" + String(repeating: " ", count: 70), count: 900)
                + "ET"
        ),
        // Long options are broken (pdf-lib).
        ("/Opt [(a long one) (b)] /V (b)", look(["a long", "one", "b"], bar: 2)),
    ]) func choicesThatAreShownAreNoDoubt(field: String, content: String) throws {
        #expect(try doubts(of: field, content) == [])
    }

    @Test(arguments: [
        // Other options than it has, in another order, or more.
        ("/Opt [[(100) (900)]] /V (100)", look(["100"])),
        ("/Opt [(100) (900)] /V (100)", look(["900", "100"], bar: 1)),
        ("/Opt [(100)] /V (100)", look(["100", "900"], bar: 0)),
        ("/Opt [(900) (100)] /V (100)", look(["100"])),
        // Another is marked, or the chosen one is not seen.
        ("/Opt [(100) (900)] /V (900)", look(["100", "900"], bar: 0)),
        ("/Opt [(100) (900)]", look(["100", "900"], bar: 0)),
        ("/Opt [(100) (900)] /V (900)", look(["100"])),
        ("/Opt [(100) (900)] /V (900)", inTurn(["100", "900"], bar: 0)),
        ("/Opt [(100) (900)] /V (900)", inTurn(["100", "900"], bar: 1, height: 20)),
        (
            "/Opt [(100) (900)] /V (900)",
            "BT /F1 10 Tf 1 0 0 1 2 29 Tm (100) Tj 1 0 0 1 2 17 Tm (900) Tj ET 1 14 98 12 re f"
        ),
        (
            "/Opt [(100) (900)] /V (900)",
            look(["100", "900"]) + " 1 g 1 0 m 99 0 l 99 9 l 99 60 1 60 1 9 c h f"
        ),
        (
            "/Opt [(100) (900)] /V (900)",
            "BT /F1 10 Tf 1 0 0 1 2 29 Tm 1 0 0 rg (100) Tj 0 g 1 0 0 1 2 17 Tm (900) Tj ET"
        ),
        (
            "/Opt [(1) (2) (3)] /V (1)",
            "BT /F1 10 Tf 2 29 Td (1) Tj 0 0 1 rg 0 -12 Td (2) Tj 0 g 0 -12 Td (3) Tj ET"
        ),
        ("/Opt [(1) (2) (3) (4) (5)] /V (5)", look(["1", "2", "3", "4"], bar: 0)),
        ("/Opt [(1) (2) (3) (4) (5)] /V (4)", look(["2", "3", "5", "4"], bar: 3)),
        ("/Opt [(1) (2) (3) (4) (5)] /V (4)", look(["2", "3", "4", "5"], bar: 1)),
        ("/Opt [(1000) (2)] /V (1000)", look(["10"])),
        ("/Opt [(1) (23)] /V (1)", look(["12", "3"])),
        (
            "/Opt [(100) (900)]",
            "BT /F1 10 Tf 1 0 0 1 2 29 Tm 1 0 0 rg (100) Tj 0 g 1 0 0 1 2 17 Tm (900) Tj ET"
        ),
        // Its value and its numbers.
        ("/Opt [(100) (900)] /V (100) /I [0 1] /Ff 2097152", look(["100", "900"], bar: 0)),
        ("/Opt [(1) (2) (3)] /V [(1) (3)] /I [0] /Ff 2097152", look(["1", "2", "3"])),
        ("/Ff 131072 /Opt [[(A) (B)] [(B) (A)]] /V (A) /I [1]", look(["B"])),
        ("/Ff 131072 /Opt [[(x) (1)] [(x) (10)] [(x) (1)]] /V (x) /I [1]", look(["1"])),
        ("/Ff 131072 /Opt [[( ) (1000)] [() (0)]] /V () /I [0]", look(["0"])),
        ("/Ff 131072 /Opt [[() (1000)]] /I [0]", look([])),
        ("/Ff 393216 /Opt [(100)] /V (500) /I [0]", look(["500"])),
        // What it says is read in several ways.
        ("/Ff 131072 /Opt [[(1) (Red)]] /V (Blue)", look(["Blue"])),
        ("/Opt [[(1) (Red)]] /V (Red)", look(["Red"])),
        ("/Opt [(100) (900)] /I [1]", look(["100", "900"])),
        ("/Opt [(100) (900)] /V [(100) (900)]", look(["100", "900"])),
        ("/Ff 131072 /Opt [[(a) (100)] [(a) (900)]] /V (a)", look(["100"])),
        ("/Ff 131072 /Opt [(100)] /V (500)", look(["500"])),
        ("/Ff 131072 /Opt [[(100)]] /V (100)", look(["100"])),
        ("/Ff 131072 /Opt [[(a) (100) (900)]] /V (a)", look(["a"])),
        ("/Opt [(500)] /V (500)", "0 g 30 9 20 20 re f " + look(["500"])),
    ]) func choicesThatReadersShowDifferently(field: String, content: String) throws {
        #expect(try doubts(of: field, content).count == 1)
    }

    @Test("values and options that stand in many places cost what they are once")
    func sharedTexts() throws {
        let text = String(repeating: "x", count: 60_000)
        let many = [String](repeating: "7 0 R", count: 1000).joined(separator: " ")
        let shared = [String](repeating: "()", count: 1000).joined(separator: " ")
        for (field, kids) in [
            ("/Opt [\(many)] /V [\(many)] /I [\(many)]", 1), ("/Opt 8 0 R /V 8 0 R", 100),
        ] {
            let numbers = 9..<(9 + kids)
            let sample = SamplePDF(
                catalogEntries: "/AcroForm <</Fields ["
                    + numbers.map { "\($0) 0 R" }.joined(separator: " ") + "]>>",
                extraObjects: ["null", "(\(text))", "[\(shared)]"]
                    + numbers.map {
                        "<</T (t\($0)) /FT /Ch /Ff 2097152 \(field) /Subtype /Widget /Rect "
                            + "[0 0 9 9]>>"
                    })
            let document = try PDFDocument(source: MemorySource(sample.bytes))
            let form = try AcroForm(of: document)
            let elapsed = try ContinuousClock().measure {
                _ = try DocumentStructure.doubts(about: document, form: form, effort: .quick)
            }
            #expect(elapsed < .seconds(5))
        }
    }

    @Test("options that are too many to be read are not passed over in silence")
    func manyOptions() throws {
        let options = (0..<2000).map { "(\($0))" }.joined(separator: " ")
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</T (t) /FT /Ch /Opt [\(options)] /V (1999) /Subtype /Widget /Rect [0 0 9 9]>>"
            ])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let found = try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick)
        #expect(!found.isComplete)
    }
}
