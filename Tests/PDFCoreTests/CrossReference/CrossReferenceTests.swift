import Base
import Testing

@testable import PDFCore

struct CrossReferenceTests {
    @Test func readsATable() throws {
        let document = try TestDocument.minimal().opened()
        #expect(document.sections.map(\.kind) == [.table])
        #expect(document.warnings.isEmpty)
        #expect(document.size == 4)
        #expect(try document.catalog()["Type"] == .name("Catalog"))
    }

    @Test func readsAStreamAndObjectStreams() throws {
        let document = try TestDocument.compressed().opened()
        #expect(document.sections.map(\.kind) == [.stream])
        #expect(try document.location(of: ObjectID(number: 2)) == .compressed(stream: 4, index: 1))
        #expect(try document.pageCount() == 1)
        #expect(document.warnings.isEmpty)
    }

    @Test func theNewestRevisionCounts() throws {
        var builder = TestDocument.minimal()
        let first = builder.bytes.count
        builder.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 20] >>")
        builder.object(4, "(new)")
        builder.table()
        let second = builder.bytes.count
        builder.table(free: [4])
        let document = try builder.opened()
        #expect(document.sections.count == 3)
        #expect(try document.object(ObjectID(number: 4)) == .null)
        #expect(try document.page(at: 0).mediaBox == PDFRectangle(0, 0, 10, 20))
        #expect(try document.definition(of: 3)?.section == 1)
        #expect(try document.definition(of: 1)?.section == 2)

        let middle = try #require(try document.view(atRevisionEndingAt: second))
        #expect(try middle.object(ObjectID(number: 4)).stringValue == Array("new".utf8))
        let original = try #require(try document.view(atRevisionEndingAt: first))
        #expect(try original.page(at: 0).mediaBox == PDFRectangle(0, 0, 595, 842))
        #expect(try document.view(atRevisionEndingAt: first - 40) == nil)
    }

    // MARK: Size

    /// As other readers do, which pass over Size.
    @Test(arguments: [0, 3, 4])
    func findsObjectsBeyondSize(size: Int) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "(x)")
        builder.size = size
        builder.table()
        let document = try builder.opened()
        #expect(try document.object(ObjectID(number: 4)).stringValue == [120])
        #expect(document.warnings.map(\.code) == [.entriesBeyondSize])
        #expect(try document.objectBeyondSize() == max(1, size))
        #expect(try document.hasAmbiguousXref())
    }

    @Test func findsObjectsBeyondSizeInAStream() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.stream(
            6, "/Type /XRef /Size 3 /W [1 2 1] /Index [1 3] /Root 1 0 R",
            [1, 2, 3].flatMap { number -> [UInt8] in
                let offset = builder.offsets[number] ?? 0
                return [1, UInt8(offset / 256), UInt8(offset % 256), 0]
            })
        builder.end(builder.offsets[6] ?? 0, 0)
        let document = try builder.opened()
        #expect(try document.pageCount() == 1)
        #expect(try document.objectBeyondSize() == 3)
    }

    /// A newer section's Size counts for what the older ones list, and a free entry hides nothing.
    @Test func comparesWithEverySizeSince() throws {
        var builder = TestDocument.minimal()
        #expect(try builder.opened().objectBeyondSize() == nil)
        builder.size = 4
        builder.table(free: [7])
        #expect(try builder.opened().warnings.map(\.code) == [.entriesBeyondSize])
        #expect(try builder.opened().objectBeyondSize() == nil)
        builder.size = 3
        builder.table()
        builder.size = 10
        builder.table()
        #expect(try builder.opened().objectBeyondSize() == 3)
    }

    @Test func givesNullForOtherGenerations() throws {
        let document = try TestDocument.minimal().opened()
        #expect(try document.object(ObjectID(number: 1, generation: 1)) == .null)
        let compressed = try TestDocument.compressed().opened()
        #expect(try compressed.object(ObjectID(number: 1, generation: 1)) == .null)
    }

    @Test(arguments: ["\n", " \r\n", "  \n"])
    func toleratesEntriesOfOtherLengths(end: String) throws {
        var builder = TestDocument()
        builder.writePage()
        let entries = (1...3).map {
            TestDocument.padded(builder.offsets[$0] ?? 0) + " 00000 n" + end
        }
        let start = builder.bytes.count
        builder.append("xref\n0 4\n0000000000 65535 f\(end)\(entries.joined())")
        builder.append("trailer\n<< /Size 4 /Root 1 0 R >>\n")
        builder.end(start, 0)
        let document = try builder.opened()
        #expect(try document.pageCount() == 1)
        #expect(document.warnings.map(\.code) == [.crossReferenceEntrySize])
    }

    @Test func readsAHybridSection() throws {
        var builder = TestDocument()
        builder.writePage()
        let streamOffset = builder.bytes.count
        let places = builder.objectStream(5, [(4, "(hidden)")])
        _ = places
        let rows: [UInt8] = [2, 0, 5, 0]
        let xrefOffset = builder.bytes.count
        builder.stream(6, "/Type /XRef /Size 7 /W [1 2 1] /Index [4 1]", rows)
        builder.table("/Root 1 0 R /XRefStm \(xrefOffset)", free: [4])
        let document = try builder.opened()
        #expect(document.sections.map(\.kind) == [.hybrid])
        #expect(try document.object(ObjectID(number: 4)).stringValue == Array("hidden".utf8))
        #expect(try document.hybridDisagreement() == nil)
        #expect(streamOffset < xrefOffset)
    }

    @Test func reportsHybridDisagreements() throws {
        var builder = TestDocument()
        builder.writePage()
        let xrefOffset = builder.bytes.count
        builder.stream(6, "/Type /XRef /Size 7 /W [1 2 1] /Index [3 1]", [1, 0, 9, 0])
        builder.table("/Root 1 0 R /XRefStm \(xrefOffset)")
        let document = try builder.opened()
        #expect(try document.hybridDisagreement() == 3)
        #expect(try document.pageCount() == 1)
    }

    @Test func reportsWhatAHybridSectionFreesForOldReaders() throws {
        var builder = TestDocument()
        builder.writePage()
        let place = builder.bytes.count
        builder.object(4, "(seen)")
        builder.table("/Root 1 0 R")
        let xrefOffset = builder.bytes.count
        builder.stream(
            6, "/Type /XRef /Size 7 /W [1 2 1] /Index [4 1] /Prev 9",
            [1, UInt8(place >> 8), UInt8(place & 255), 0])
        builder.offsets = [:]
        builder.table("/Root 1 0 R /XRefStm \(xrefOffset)", free: [4])
        let document = try builder.opened()
        #expect(try document.hybridDisagreement() == 4)
        #expect(document.sections[0].trailerIrregularity()?.contains("/Prev") == true)
    }

    @Test func countsOffsetsFromTheHeader() throws {
        let header = "junk before\n%PDF-1.4\n"
        for base in [0, 12] {
            let document = try TestDocument.minimal(header: header, base: base).opened()
            #expect(document.headerOffset == 12)
            #expect(document.offsetBase == base)
            #expect(try document.pageCount() == 1)
            #expect(document.warnings.map(\.code) == [.headerNotAtStart])
        }
    }

    @Test func refusesEncryptedDocuments() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.table("/Root 1 0 R /Encrypt << >>")
        #expect(errorCode { _ = try builder.opened() } == .encrypted)
        var options = PDFOptions()
        options.permitsEncryption = true
        #expect(try PDFDocument(source: builder.source, options: options).isEncrypted)
    }

    @Test(arguments: ["", "hello", "%PDF", String(repeating: " ", count: 2000) + "%PDF-1.7\n"])
    func refusesOtherFiles(text: String) {
        #expect(
            errorCode { _ = try PDFDocument(source: MemorySource(Array(text.utf8))) } == .notAPDF)
    }

    @Test(arguments: [
        "/Prev 100000", "/Prev -1", "/Prev 9223372036854775807", "/Prev (x)",
        "/XRefStm 9", "/XRefStm 99999999",
    ])
    func refusesLinksThatLeadNowhere(link: String) {
        var builder = TestDocument()
        builder.writePage()
        builder.table("/Root 1 0 R \(link)")
        #expect(errorCode { _ = try StrictDocument.open(builder) } == .damagedCrossReference)
    }

    @Test func refusesCircles() {
        var builder = TestDocument()
        builder.writePage()
        builder.lastSection = builder.bytes.count
        builder.table()
        #expect(errorCode { _ = try StrictDocument.open(builder) } == .damagedCrossReference)
    }

    @Test(arguments: [
        "0 99999999\n", "0 -1\n", "9223372036854775807 1\n", "1 9223372036854775807\n",
        "0 1\n0000000000 65535 f \n0 1\n0000000000 65535 f \n", "0 2\n0000000000 65535 f \n", "x\n",
    ])
    func refusesImpossibleTables(content: String) {
        var builder = TestDocument()
        builder.writePage()
        let start = builder.bytes.count
        builder.append("xref\n\(content)trailer\n<< /Size 4 /Root 1 0 R >>\n")
        builder.end(start, 0)
        #expect(errorCode { _ = try StrictDocument.open(builder) } == .damagedCrossReference)
    }

    @Test(arguments: [
        "/Size 5 /W [1 2]", "/Size 5 /W [1 9 1]", "/Size 5 /W [1 -1 1]", "/Size 5 /W [0 0 0]",
        "/Size -1 /W [1 2 1]", "/W [1 2 1]", "/Size 5 /W [1 2 1] /Index [0]",
        "/Size 5 /W [1 2 1] /Index [3 1 0 1]", "/Size 5 /W [1 2 1] /Index [0 -1]",
        "/Size 5 /W [1 2 1] /Index [0 2 1 1]", "/Size 5 /W [1 2 1] /Index [9223372036854775807 1]",
        "/Size 8000000 /W [8 8 8]", "/Size 5 /W [1 2 1] /Index [0 3000000]",
    ])
    func refusesImpossibleStreams(dictionary: String) {
        var builder = TestDocument()
        builder.writePage()
        let start = builder.bytes.count
        builder.stream(4, "/Type /XRef \(dictionary) /Root 1 0 R", [UInt8](repeating: 0, count: 20))
        builder.end(start, 0)
        #expect(errorCode { _ = try StrictDocument.open(builder) } == .damagedCrossReference)
    }

    @Test func limitsTheNumberOfSections() {
        var builder = TestDocument.minimal()
        for _ in 0...PDFLimits.sectionCount { builder.table() }
        #expect(errorCode { _ = try builder.opened() } == .limitExceeded)
    }

    @Test func everyPrefixOpensOrThrows() throws {
        for builder in [TestDocument.minimal(), TestDocument.compressed()] {
            for count in 0..<builder.bytes.count {
                let source = MemorySource(Array(builder.bytes.prefix(count)))
                guard let document = try? PDFDocument(source: source) else { continue }
                for number in 0...6 { _ = try? document.object(ObjectID(number: number)) }
                _ = try? document.pageCount()
            }
        }
    }
}

/// Opens documents as they are, without looking for objects of damaged ones.
enum StrictDocument {
    static func open(_ builder: TestDocument) throws -> PDFDocument {
        try PDFDocument(source: builder.source)
    }
}
