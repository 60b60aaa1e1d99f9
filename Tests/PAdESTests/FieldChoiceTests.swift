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
        ).lines.filter { $0.contains("the field 't'") }
    }

    private static func look(_ lines: [String], bar: Int? = nil) -> String {
        let ground = bar.map { "0.6 0.7 0.8 rg 1 \(26 - 12 * $0) 98 12 re f 0 g " } ?? ""
        let texts = lines.enumerated().map { "1 0 0 1 2 \(29 - 12 * $0) Tm (\($1)) Tj " }
        return ground + "BT /F1 10 Tf " + texts.joined() + "ET"
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
        ("/Opt [(1) (2) (3) (4) (5)] /V (5)", look(["1", "2", "3", "4", "5"], bar: 4)),
        (
            "/Opt [(100) (900)] /V (900)",
            "BT /F1 10 Tf 1 0 0 1 2 29 Tm 1 0 0 rg (100) Tj 0 g 1 0 0 1 2 17 Tm (900) Tj ET"
        ),
        // What it says is read in several ways.
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
