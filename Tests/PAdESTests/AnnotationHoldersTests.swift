import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Which pages list an annotation, from revision to revision.
@Suite struct AnnotationHoldersTests {
    private let annotation = ObjectID(number: 6)
    private let page = ObjectID(number: 3)

    private func sample() -> SamplePDF {
        SamplePDF(
            pageEntries: "/MediaBox [0 0 9 9] /Annots 7 0 R",
            extraObjects: ["<</Subtype /Stamp>>", "[6 0 R]"])
    }

    /// The document with an object defined anew.
    private func updated(_ bytes: [UInt8], _ number: Int, _ body: String) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        let previous = text.split(separator: "startxref\n").last?.prefix { $0.isNumber } ?? ""
        let base = bytes + Array("\(number) 0 obj\n\(body)\nendobj\n".utf8)
        let digits = String(bytes.count)
        let offset = String(repeating: "0", count: 10 - digits.count) + digits
        return base
            + Array(
                """
                xref
                \(number) 1
                \(offset) 00000 n \n\
                trailer
                <</Root 1 0 R /Size 20 /Prev \(previous)>>
                startxref
                \(base.count)
                %%EOF

                """.utf8)
    }

    private func pages(
        _ bytes: [UInt8], _ holders: AnnotationHolders, reading: inout Int
    ) throws -> Set<ObjectID> {
        let document = try PDFDocument(source: MemorySource(bytes))
        var count = 0
        defer { reading = count }
        return try holders.pages(with: annotation, in: document) { count += 1 }
    }

    @Test func listsOfLaterRevisionsCount() throws {
        let holders = AnnotationHolders()
        var count = 0
        let first = sample().bytes
        #expect(try pages(first, holders, reading: &count) == [page])
        #expect(count == 1)
        // What touches neither page nor list is not read again.
        let second = updated(first, 5, "<</Type /Font>>")
        #expect(try pages(second, holders, reading: &count) == [page])
        #expect(count == 0)
        let third = updated(second, 7, "[]")
        #expect(try pages(third, holders, reading: &count).isEmpty)
        #expect(count == 1)
        let fourth = updated(third, 7, "[6 0 R 6 0 R]")
        #expect(try pages(fourth, holders, reading: &count) == [page])
        // An older one is read anew.
        #expect(try pages(first, holders, reading: &count) == [page])
        #expect(count == 1)
    }
}
