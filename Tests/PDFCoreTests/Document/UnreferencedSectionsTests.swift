import Base
import CodecBridge
import Testing

@testable import PDFCore

/// What ends like a revision, and what is one.
@Suite struct StrayRevisionsTests {
    private static func simple(header: String = "%PDF-1.7\n") -> TestDocument {
        var builder = TestDocument(header: header)
        builder.writePage()
        return builder
    }

    private static func revisions(
        of builder: TestDocument
    ) throws -> (found: [PDFDocument], isComplete: Bool) {
        let document = try builder.opened()
        return try document.revisions(of: UnreferencedSections(in: document))
    }

    /// A document as an attachment has it, longer than all others before it.
    private static func attachment(_ number: Int) -> [UInt8] {
        var attached = simple(header: "%PDF-1.4\n% attached\n")
        attached.stream(4, "", [UInt8](repeating: 32, count: number))
        attached.table()
        attached.object(5, "(later)")
        attached.table()
        return attached.bytes
    }

    @Test func attachedDocumentsAreNone() throws {
        var builder = Self.simple()
        for number in 0..<300 {
            builder.stream(4 + number, "/Type /EmbeddedFile", Self.attachment(number))
        }
        builder.table()
        let unreferencedSections = try UnreferencedSections(in: builder.opened())
        #expect(unreferencedSections.endsBySection.count > 500)
        let (found, isComplete) = try Self.revisions(of: builder)
        #expect(found.isEmpty && isComplete)
    }

    @Test(arguments: ["\n", " ", "% comment\n", "%%EOF\n", "\n% x\n \r\n"])
    func whatTheNewestRevisionLeavesOutIsFound(between: String) throws {
        var builder = Self.simple()
        builder.object(4, "(left out)")
        builder.table()
        builder.replaceLast("%%EOF", between + "%%EOF")
        for number in 0..<100 { builder.stream(10 + number, "", Self.attachment(number)) }
        // The next section does not name it.
        builder.lastSection = nil
        builder.writePage()
        builder.table()
        let (found, isComplete) = try Self.revisions(of: builder)
        try #require(found.count == 1 && isComplete)
        #expect(try found[0].object(ObjectID(number: 4)) != .null)
    }

    @Test func manyOfThemAreNotAllOpened() throws {
        var builder = TestDocument()
        for _ in 0..<70 {
            builder.lastSection = nil
            builder.writePage()
            builder.table()
        }
        let (found, isComplete) = try Self.revisions(of: builder)
        #expect(found.count == 64 && !isComplete)
    }

    /// However the bytes come.
    @Test func piecesMakeNoDifference() throws {
        var builder = Self.simple()
        for number in 0..<5 { builder.stream(4 + number, "", Self.attachment(number)) }
        builder.table()
        let whole = try UnreferencedSections(in: builder.opened())
        for size in [1, 7, 63, 64, 500] {
            var pieces = UnreferencedSections(newest: whole.sections)
            for start in stride(from: 0, to: builder.bytes.count, by: size) {
                let piece = Array(builder.bytes[start..<min(start + size, builder.bytes.count)])
                pieces.scan(piece.span)
            }
            #expect(pieces.endsBySection == whole.endsBySection)
            #expect(pieces.endsWithoutSection == whole.endsWithoutSection)
        }
    }
}
