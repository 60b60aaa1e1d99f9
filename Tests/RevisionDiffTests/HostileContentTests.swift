import Base
import PDFCore
import PDFSigning
import SignetTestSupport
import Testing

@testable import RevisionDiff

/// Small files that make readers go round in circles, or do the same again and again.
@Suite("Hostile content", .timeLimit(.minutes(15)))
struct HostileContentTests {
    private func document(_ objects: [String]) throws -> PDFDocument {
        try PDFDocument(source: MemorySource(SamplePDF(extraObjects: objects).bytes))
    }

    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    // MARK: Values

    private func value(_ objects: [String]) throws -> FieldText {
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Tx /T (x) /V 7 0 R>>"] + objects)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let field = try #require(AcroForm(of: document).fields.first)
        return try FieldText(field, in: document)
    }

    @Test("lists in lists are no values") func valuesInCircles() throws {
        #expect(try value(["[7 0 R (a)]"]).text == "a")
        let levels = (8..<20).map { "[" + String(repeating: "\($0) 0 R ", count: 8) + "]" }
        #expect(try value(levels + ["(deep)"]).text == "")
    }

    @Test("what is too long to be compared is not known") func longValues() throws {
        let short = try value(["[(a) (b)]"])
        #expect(short.text == "a, b" && !short.isTooLong)
        let many = try value(["[" + String(repeating: "(a) ", count: 1001) + "]"])
        #expect(many.isTooLong)
        let text = "(" + String(repeating: "a", count: 50_000) + ")"
        let long = try value(["[" + String(repeating: "8 0 R ", count: 1000) + "]", text])
        #expect(long.isTooLong && long.text?.utf8.count ?? 0 < 2_000_000)
    }

    // MARK: Appearances

    private func isBlank(_ appearance: String, content: String = "") throws -> Bool {
        let objects = ["<</AP \(appearance)>>", Self.stream("/Subtype /Form", content)]
        return try WidgetAppearance(ObjectID(number: 6), in: document(objects)).isBlank
    }

    @Test("blank appearances set the graphics state and paint nothing")
    func blankAppearances() throws {
        #expect(try isBlank("<<>>") && isBlank("<</N 7 0 R>>") && isBlank("<</N <</A 7 0 R>>>>"))
        let clip = "q 1 0 0 1 0 0 cm /G gs 0 0 1 1 re W n BT /F1 12 Tf 0 0 Td ET Q"
        #expect(try isBlank("<</N 7 0 R>>", content: clip))
        for content in ["0 0 1 1 re f", "BT (a) Tj ET", "BT () Tj ET", "/X Do", "/S sh", "x"] {
            #expect(try !isBlank("<</N 7 0 R>>", content: content), "\(content)")
        }
        #expect(try !isBlank("7") && !isBlank("<</N 7>>") && !isBlank("<</N <</A <<>>>>>>"))
    }

    @Test("appearances that share their parts are read a bounded number of times")
    func sharedAppearances() throws {
        let states = (0..<300).map { "/K\($0) 7 0 R" }.joined(separator: " ")
        #expect(try !isBlank("<</N <<\(states)>>>>"))
    }
}
