import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Small files that make readers go round in circles, or do the same again and again.
@Suite("Hostile content", .timeLimit(.minutes(1)))
struct HostileContentTests {
    private func document(_ objects: [String]) throws -> PDFDocument {
        try PDFDocument(source: MemorySource(SamplePDF(extraObjects: objects).bytes))
    }

    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    // MARK: Values

    private func value(_ objects: [String]) throws -> FieldValue {
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Tx /T (x) /V 7 0 R>>"] + objects)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let field = try #require(AcroForm(of: document).fields.first)
        return try FieldValue(field, in: document)
    }

    @Test("lists in lists are no values") func valuesInCircles() throws {
        #expect(try value(["[7 0 R (a)]"]).text == "a")
        let levels = (8..<20).map { "[" + String(repeating: "\($0) 0 R ", count: 8) + "]" }
        #expect(try value(levels + ["(deep)"]).text == "")
    }

    @Test("what is too long to be compared is not known") func longValues() throws {
        let short = try value(["[(a) (b)]"])
        #expect(short.text == "a, b" && short.isComplete)
        let many = try value(["[" + String(repeating: "(a) ", count: 1001) + "]"])
        #expect(!many.isComplete)
        let text = "(" + String(repeating: "a", count: 50_000) + ")"
        let long = try value(["[" + String(repeating: "8 0 R ", count: 1000) + "]", text])
        #expect(!long.isComplete && long.text?.utf8.count ?? 0 < 2_000_000)
    }

    // MARK: Looks

    private func isEmpty(_ objects: [String]) throws -> Bool {
        try BlankAppearance.isBlank(
            .dictionary(["N": .reference(ObjectID(number: 6))]), in: document(objects))
    }

    @Test("looks that share their parts are not gone through for ever") func sharedLooks() throws {
        let levels = (7..<13).map { next in
            "<<" + (0..<200).map { "/K\($0) \(next) 0 R" }.joined(separator: " ") + ">>"
        }
        #expect(try !isEmpty(levels + ["<<>>"]))
    }

    @Test("frames and letters are compared as often as is bounded", arguments: [false, true])
    func framesOfManyLetters(isOver: Bool) throws {
        let corners = String(repeating: "0 20 l 200 20 l 200 0 l 0 0 l ", count: 2)
        let frames = "3.5 w " + String(repeating: "0 0 m \(corners)S ", count: 99)
        let letters = String(
            repeating: "(" + String(repeating: "i", count: 1000) + ") Tj ", count: 50)
        let text = "BT /F1 4 Tf -0.888 Tc 100 8 Td \(letters) ET "
        let form = Self.stream(
            "/Subtype /Form /BBox [0 0 200 20] /Resources <</Font <</F1 5 0 R>>>>",
            isOver ? text + frames : frames + text)
        let document = try document([form])
        let stream = try #require(try document.object(ObjectID(number: 6)).streamValue)
        let look = try AppearanceText(
            stream, rect: PDFRectangle(0, 0, 200, 20), in: document)
        #expect(look.isTooLong && !look.isReadable)
        #expect(look.comparisonCount <= AppearanceText.comparisonLimit + 1000)
    }

    @Test("pictures, and forms without a box, draw") func picturesAreDrawn() throws {
        let form = "/Subtype /Form /BBox [0 0 9 9]"
        #expect(try isEmpty([Self.stream(form, "q Q")]))
        #expect(try !isEmpty([Self.stream("/Subtype /Form", "q Q")]))
        #expect(try !isEmpty([Self.stream("/Subtype /Form /BBox [0 0 9]", "q Q")]))
        let outer = Self.stream(form + " /Resources <</XObject <</I 7 0 R>>>>", "/I Do")
        #expect(try isEmpty([outer, Self.stream(form, "q Q")]))
        for subtype in ["/Subtype /Image /Width 1 /Height 1", "", "/Subtype /PS"] {
            #expect(try !isEmpty([outer, Self.stream("/BBox [0 0 9 9] " + subtype, "q Q")]))
        }
    }

    // MARK: Fonts

    private func covered(_ content: String, _ objects: [String]) throws -> CoveredContent {
        let font = "<</Font <</F 6 0 R>> /ExtGState <</G <</Font [6 0 R 12]>>>>>>"
        var sample = SamplePDF(extraObjects: objects)
        sample.objects[2] =
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources \(font)>>"
        sample.objects[3] = Self.stream("", content)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let page = try document.page(at: 0)
        var covered = CoveredContent(in: PDFRectangle(0, 0, 595, 842), of: document)
        covered.look(at: page)
        return covered
    }

    static let fonts: [[String]] = [
        [
            "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R>>",
            stream(
                "",
                String(
                    repeating: "1 beginbfrange\n<0000><FFFF><0041>\nendbfrange\n", count: 20_000)),
        ],
        [
            """
            <</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H \
            /DescendantFonts [<</W 7 0 R>>]>>
            """, "[" + String(repeating: "0 65535 500 ", count: 50_000) + "]",
        ],
        [
            """
            <</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H \
            /DescendantFonts [<</W 7 0 R>>]>>
            """, "[" + String(repeating: "0 8 0 R ", count: 50_000) + "]",
            "[" + String(repeating: "500 ", count: 50_000) + "]",
        ],
    ]

    @Test(
        "fonts are read once, and not without end", arguments: fonts.indices,
        ["/F 12 Tf\n", "/G gs\n"])
    func fontsAreBounded(index: Int, operation: String) throws {
        let content =
            "BT 20 20 Td " + String(repeating: operation, count: 5000) + "(ab) Tj ET"
        let covered = try covered(content, Self.fonts[index])
        #expect(covered.hasText)
        #expect(covered.remaining > 0)
    }
}
