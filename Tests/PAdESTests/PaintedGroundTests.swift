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
            "<</Length 30 /Subtype /Form /BBox [0 0 9 9] /N 2>>\nstream\n0 0 9 9 re f                  \nendstream"
        ])
        sample.objects[2] = """
            <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
            /Resources <</Font <</F1 5 0 R>> /XObject <</X 6 0 R>> /ExtGState <</S <</SMask <</G 6 0 R>>>> \
            /T <</ca 0>> /O <</ca 1 /CA 1 /BM /Normal>> /D <</BM /Difference>> \
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
        // Letters on the box, and below it.
        "BT /F1 40 Tf 120 140.5 Td (Paid) Tj ET", "BT /F1 40 Tf 120 141 Td (100.) Tj ET",
        "BT /F1 40 Tf 120 78 Td (none) Tj ET",
        "20 w 1 M 110 30 m 120 80 l 130 30 l S", "20 w 100 30 m 100 80 l 140 80 l S",
        "/O gs 1 g 120 110 9 9 re f",
    ]) func evenGroundsAreEmpty(content: String) throws {
        #expect(try isEmpty(content))
    }

    @Test(arguments: [
        "120 105 m 140 135 l S", "120 110 9 9 re f", "120 130 m 180 130 l S", "120 110 9 9 re S",
        "100 100 m 200 140 l 100 140 l 200 100 l s", "110 105 m 110 150 190 150 190 105 c S",
        "BT /F1 400 Tf 90 90 Td (I) Tj ET", "q 120 110 9 9 re W n 0 0 595 842 re f Q",
        "q 100 100 m 150 140 l 200 100 l h W n 0 0 595 842 re f Q", "/S gs 0 0 595 842 re f",
        "q 110 110 20 20 re W n /Sh sh Q", "q 9 0 0 3 110 110 cm /X Do Q",
        "/P cs 0.5 scn 110 110 40 20 re f", "/I cs 0.5 0.5 sc 110 110 40 20 re f",
        "0 0 1 0 k 110 110 40 20 re f",
        "0 0 0 rg 90 90 300 100 re f 1 g 120 110 9 9 re f",
        // Tails, accents and the lower half of a comma.
        "BT /F1 40 Tf 120 140 Td (,) Tj ET", "BT /F1 40 Tf 120 140 Td (g) Tj ET",
        "BT /F1 40 Tf 120 140 Td (Q) Tj ET", "BT /F1 40 Tf 120 75 Td (T) Tj ET",
        "BT /F1 20 Tf 120 84 Td (\\304) Tj ET",
        // Lines around letters, and peaks where lines meet.
        "12 w BT 1 Tr /F1 20 Tf 120 142 Td (1) Tj ET", "20 w 110 30 m 120 80 l 130 30 l S",
        "20 w 110 30 m 130 30 l 120 80 l h S",
        // What shows through, or turns around what is under it, is no ground.
        "/T gs 0 0 595 842 re f /O gs 120 110 9 9 re f",
        "/D gs 1 g 120 110 9 9 re f",
    ]) func drawingsAreNot(content: String) throws {
        #expect(try !isEmpty(content))
    }

    @Test(
        "what is painted through a mask or with a pattern may show anything",
        arguments: [
            ("/S gs 0 0 595 842 re f", true), ("/S gs /N gs 0 0 595 842 re f", false),
            ("/S gs 300 300 9 9 re f", false), ("q /S gs Q 0 0 595 842 re f", false),
            ("/S gs BT /F1 2000 Tf 0 -300 Td (I) Tj ET", true),
            ("/Pattern CS /T SCN 1000 w 0 400 m 595 400 l S", true),
            ("/Pattern CS /T SCN 0 G 1000 w 0 400 m 595 400 l S", false),
            ("/Pattern CS /T SCN 0 0 595 842 re f", false),
        ]) func pictures(content: String, mayShow: Bool) throws
    {
        var sample = SamplePDF(extraObjects: [
            "<</Length 1 /PatternType 1>>\nstream\n \nendstream"
        ])
        sample.objects[2] = """
            <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R \
            /Resources <</Font <</F1 5 0 R>> /Pattern <</T 6 0 R>> /ExtGState \
            <</S <</SMask <</G 6 0 R>>>> /N <</SMask /None>>>>>>>>
            """
        sample.objects[3] = "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        var covered = CoveredContent(in: Self.box, of: document)
        covered.look(at: try document.page(at: 0))
        #expect(covered.liesOnPicture == mayShow)
    }

    @Test("a line to write on is one to who judges a field's ground") func lines() throws {
        #expect(try !isEmpty("90 115 m 210 115 l S", permitsLine: false))
        #expect(try isEmpty("90 101 m 210 101 l S", permitsLine: false))
    }
}
