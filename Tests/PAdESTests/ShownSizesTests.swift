import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Text that is next to nothing by what draws its content, not by what its content says.
struct ShownSizesTests {
    private static func form(_ content: String, _ entries: String = "") -> String {
        """
        <</Type /XObject /Subtype /Form /BBox [0 0 99999 99999] \(entries) \
        /Length \(content.utf8.count)>>
        stream
        \(content)
        endstream
        """
    }

    /// - Parameter forms: objects from 7 on, each of which may draw the next as /X.
    private func isDoubted(
        _ content: String, _ forms: [String], annotation: String? = nil
    ) throws -> Bool {
        let fonts = "/Font <</F1 5 0 R>>"
        let page =
            "<</Type /Page /Contents 6 0 R /Resources <<\(fonts) /XObject <</X 7 0 R>>>>>>"
        var objects = ["<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"]
        for (index, form) in forms.enumerated() {
            let resources = "/Resources <<\(fonts) /XObject <</X \(index + 8) 0 R>>>>"
            objects.append(form.replacing("/Length", with: resources + " /Length"))
        }
        objects.append(annotation ?? page)
        let document = try PDFDocument(
            source: MemorySource(SamplePDF(extraObjects: objects).bytes))
        let id = ObjectID(number: 7 + forms.count)
        var shown = ShownContent(document, .thorough)
        let entries = try #require(try document.object(id).dictionaryValue)
        try shown.look(at: entries, id)
        return shown.doubts.contains { $0.text.contains("so small") }
    }

    private static let text = "BT /F1 12 Tf 9 9 Td (I owe 1000) Tj ET"
    private static func drawn(at scale: Double) -> String {
        "q \(scale) 0 0 \(scale) 9 9 cm /X Do Q"
    }

    @Test func matricesAreFollowedIntoForms() throws {
        let text = Self.form(Self.text)
        #expect(try !isDoubted("/X Do", [text]))
        #expect(try isDoubted(Self.drawn(at: 0.001), [text]))
        #expect(try isDoubted("/X Do", [Self.form(Self.text, "/Matrix [.001 0 0 .001 9 9]")]))
        #expect(try isDoubted("/X Do", [Self.form(Self.text, "/Matrix [1 0 0 .001 9 9]")]))
        // Each makes it a little smaller, the last one in what is drawn large before.
        let step = Self.form(Self.drawn(at: 0.1))
        #expect(try isDoubted("/X Do", [step, step, step, text]))
        #expect(try isDoubted("/X Do " + Self.drawn(at: 0.001), [text]))
        #expect(try isDoubted("/X Do " + Self.drawn(at: 0.005), [step, text]))
    }

    /// None of them is small by itself.
    @Test func manyMatricesAreSmallTogether() throws {
        for matrix in ["0.2 0 0 0.2", "0.6 0 0 0.6", "0.5 0.5 -0.5 0.5", "1 0 0 0.3"] {
            let all = String(repeating: matrix + " 0 0 cm ", count: 20)
            #expect(try isDoubted(all + Self.text, []), "\(matrix)")
            let restored = String(repeating: "q \(matrix) 0 0 cm Q ", count: 20)
            #expect(try !isDoubted(restored + Self.text, []), "\(matrix)")
        }
        #expect(try !isDoubted("0.24 0 0 -0.24 9 9 cm 0.75 0 0 0.75 0 0 cm " + Self.text, []))
    }

    @Test func whatIsLargeEnoughIsFine() throws {
        let step = Self.form(Self.drawn(at: 0.1))
        let large = Self.form(Self.text.replacing("12 Tf", with: "12000 Tf"))
        #expect(try !isDoubted("/X Do", [step, step, step, large]))
        #expect(try !isDoubted(Self.drawn(at: 0.5), [Self.form(Self.drawn(at: 0.5)), large]))
        #expect(try !isDoubted(Self.drawn(at: 100), [step, step, Self.form(Self.text)]))
        // Pictures and lines may be small.
        #expect(try !isDoubted("/X Do", [step, step, step, Self.form("9 9 9 9 re f")]))
    }

    @Test func looksAreFittedIntoTheirBoxes() throws {
        func stamp(_ rect: String) -> String {
            "<</Type /Annot /Subtype /Stamp /Rect [\(rect)] /AP <</N 7 0 R>>>>"
        }
        let inner = Self.form(Self.text)
        let outer = Self.form(Self.drawn(at: 1))
        #expect(try isDoubted("", [outer, inner], annotation: stamp("0 0 99 99")))
        #expect(try !isDoubted("", [outer, inner], annotation: stamp("0 0 9999 9999")))
        #expect(try !isDoubted("", [outer, inner], annotation: stamp("0 0 0 0")))
    }
}
