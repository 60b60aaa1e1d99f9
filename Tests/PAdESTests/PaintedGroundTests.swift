import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// What of a page's content is hidden by who draws over [100 100 200 140].
@Suite struct PaintedGroundTests {
    private static let box = PDFRectangle(100, 100, 200, 140)

    private func isEmpty(_ content: String, permitsLine: Bool = true) throws -> Bool {
        var sample = SamplePDF(extraObjects: [
            "<</Length 30 /Subtype /Form /BBox [0 0 9 9]>>\nstream\n0 0 9 9 re f                  \nendstream"
        ])
        sample.objects[2] = """
            <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
            /Resources <</Font <</F1 5 0 R>> /XObject <</X 6 0 R>> /ExtGState <</S <</SMask <</G 6 0 R>>>> \
            /N <</SMask /None>>>> /ColorSpace <</I [/ICCBased 6 0 R] /P [/Separation /x /y 1]>>>>>>
            """
        sample.objects[3] = "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        var covered = CoveredContent(
            in: Self.box, of: document, upTo: 1 << 16,
            judging: PaintedGround(in: Self.box, permitsLine: permitsLine))
        covered.look(at: try document.page(at: 0))
        return covered.isEmptyGround
    }

    @Test(arguments: [
        "", "0 0 595 842 re f", "0.9 g 90 90 200 100 re f", "100 100 100 40 re S",
        // A line to write on.
        "90 110 m 210 110 l S", "110 108 80 0.5 re f",
        // The same colour, and what lies elsewhere.
        "1 g 120 110 9 9 re f", "0.5 g 0 0 595 842 re f 120 110 9 9 re f", "300 300 9 9 re f",
        "q 0 0 50 50 re W n 0 0 595 842 re f Q", "/N gs 0 0 595 842 re f",
        "q 0 0 595 842 re W n 1 0 0 rg 0 0 595 842 re f Q", "q 5 0 0 5 0 0 cm /X Do Q",
    ]) func evenGroundsAreEmpty(content: String) throws {
        #expect(try isEmpty(content))
    }

    @Test(arguments: [
        "120 105 m 140 135 l S", "120 110 9 9 re f", "120 130 m 180 130 l S", "120 110 9 9 re S",
        "100 100 m 200 140 l 100 140 l 200 100 l s", "110 105 m 110 150 190 150 190 105 c S",
        "BT /F1 400 Tf 90 90 Td (I) Tj ET", "q 120 110 9 9 re W n 0 0 595 842 re f Q",
        "q 100 100 m 150 140 l 200 100 l h W n 0 0 595 842 re f Q", "/S gs 0 0 595 842 re f",
        "q 110 110 20 20 re W n /Sh sh Q", "q 9 0 0 3 110 110 cm /X Do Q",
        "/P cs 0.5 scn 110 110 40 20 re f", "0 0 1 0 k 110 110 40 20 re f",
        "0 0 0 rg 90 90 300 100 re f 1 g 120 110 9 9 re f",
    ]) func drawingsAreNot(content: String) throws {
        #expect(try !isEmpty(content))
    }

    @Test("a line to write on is one to who judges a field's ground") func lines() throws {
        #expect(try !isEmpty("90 115 m 210 115 l S", permitsLine: false))
        #expect(try isEmpty("90 101 m 210 101 l S", permitsLine: false))
    }
}
