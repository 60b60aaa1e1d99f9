import Base
import Testing

@testable import PDFCore

struct RepairTests {
    private func repaired(
        _ bytes: [UInt8], _ repair: PDFOptions.Repair = .whenNeeded
    ) throws -> PDFDocument {
        try PDFDocument(source: MemorySource(bytes), options: PDFOptions(repair: repair))
    }

    /// Replaces text of a document, once.
    private func replacing(_ text: String, with other: String, in bytes: [UInt8]) throws -> [UInt8]
    {
        let range = try #require(bytes.lastRange(of: Array(text.utf8)))
        return bytes[..<range.lowerBound] + Array(other.utf8) + bytes[range.upperBound...]
    }

    /// The damage, and the warning it leads to.
    private func damaged(_ name: String) throws -> ([UInt8], PDFWarning.Code) {
        var builder = TestDocument.minimal()
        let bytes = builder.bytes
        let start = builder.lastSection ?? 0
        switch name {
        case "startxref a few bytes early":
            return (
                try replacing("startxref\n\(start)", with: "startxref\n\(start - 7)", in: bytes),
                .crossReferenceOffset
            )
        case "startxref a few bytes late":
            return (
                try replacing("startxref\n\(start)", with: "startxref\n\(start + 3)", in: bytes),
                .crossReferenceOffset
            )
        case "startxref beyond the end":
            return (
                try replacing("startxref\n\(start)", with: "startxref\n999999", in: bytes),
                .crossReferenceRebuilt
            )
        case "no startxref":
            return (
                try replacing("startxref\n\(start)\n%%EOF\n", with: "", in: bytes),
                .crossReferenceRebuilt
            )
        case "no number after startxref":
            return (
                try replacing("startxref\n\(start)", with: "startxref\nx", in: bytes),
                .crossReferenceRebuilt
            )
        case "no trailer": return (Array(bytes.prefix(start)), .crossReferenceRebuilt)
        case "malformed entries":
            return (try replacing(" 00000 n", with: " 0z000 n", in: bytes), .crossReferenceRebuilt)
        case "all offsets wrong":
            builder = TestDocument()
            builder.writePage()
            builder.offsets = builder.offsets.mapValues { $0 + 300 }
            builder.table()
            return (builder.bytes, .crossReferenceRebuilt)
        case "offsets a little wrong":
            builder = TestDocument()
            builder.writePage()
            builder.offsets = builder.offsets.mapValues { $0 + 2 }
            builder.table()
            return (builder.bytes, .objectOffset)
        default:
            let stream = TestDocument.compressed()
            return (Array(stream.bytes.prefix(stream.lastSection ?? 0)), .crossReferenceRebuilt)
        }
    }

    @Test(arguments: [
        "startxref a few bytes early", "startxref a few bytes late", "startxref beyond the end",
        "no startxref", "no number after startxref", "no trailer", "malformed entries",
        "all offsets wrong", "offsets a little wrong", "not a cross-reference stream",
    ])
    func repairsWhenPermittedOnly(name: String) throws {
        let (bytes, warning) = try damaged(name)
        #expect(errorCode { _ = try PDFDocument(source: MemorySource(bytes)).page(at: 0) } != nil)
        let document = try repaired(bytes)
        #expect(try document.page(at: 0).mediaBox == PDFRectangle(0, 0, 595, 842))
        #expect(document.warnings.contains { $0.code == warning })
        #expect(document.isRebuilt == (warning == .crossReferenceRebuilt))
    }

    @Test(arguments: [
        "startxref a few bytes early", "startxref beyond the end", "no trailer",
        "all offsets wrong", "not a cross-reference stream",
    ])
    func anUpdateMakesTheFileSound(name: String) throws {
        let (bytes, warning) = try damaged(name)
        let document = try repaired(bytes)
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        let id = update.add(.integer(5))
        update.set(ObjectID(number: 3), .dictionary(["Type": .name("Page")]))
        let serialized = try update.serialize(fileIdentifier: [UInt8](repeating: 1, count: 16))
        let sound = try PDFDocument(source: MemorySource(bytes + serialized.bytes))
        #expect(try sound.object(id) == .integer(5))
        #expect(try sound.page(at: 0).dictionary == ["Type": .name("Page")])
        if warning == .crossReferenceRebuilt {
            #expect(sound.sections.count == 1)
            #expect(
                sound.sections[0].kind
                    == (name == "not a cross-reference stream" ? .stream : .table))
            #expect(sound.trailer["Prev"] == nil)
        }
    }

    @Test func aCompleteTableLeavesNoNumberOut() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(7, "(x)", generation: 0)
        let document = try repaired(builder.bytes)
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        _ = update.add(.null)
        let bytes = try update.serialize(fileIdentifier: [0]).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("xref\n0 9\n0000000000 65535 f \n"))
    }

    @Test func theLastDefinitionCounts() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "(old)")
        builder.object(4, "(new)")
        builder.append("trailer\n<< /Root 1 0 R /Info 4 0 R >>\n")
        let document = try repaired(builder.bytes)
        #expect(try document.object(ObjectID(number: 4)).stringValue == Array("new".utf8))
        #expect(document.trailer["Info"] != nil)
    }

    @Test func ignoresObjectsInsideStreams() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.stream(4, "", Array("\n1 0 obj\n<< /Type /Catalog /Fake true >>\nendobj\n".utf8))
        let document = try repaired(builder.bytes)
        #expect(try document.catalog()["Fake"] == nil)
    }

    /// What is put behind the page of a file without sections, and what readers disagree about.
    private static let disputed: [(String, String?)] = [
        ("", nil),
        ("3 0 obj\n<< /Type /Page >>\nendobj\n", nil),
        // Commented out.
        ("%3 1 obj\n%endobj\n", nil),
        ("% << >> 3 1 obj null endobj\n", nil),
        // Other generations: every reader has a rule of its own.
        ("3 1 obj\n<< /Type /Page >>\nendobj\n", "generation 1"),
        ("8 1 obj\nnull\nendobj\n8 0 obj\nnull\nendobj\n", "generation 0"),
        // A number that is used again, and nothing refers to its former object.
        ("8 0 obj\nnull\nendobj\n8 1 obj\nnull\nendobj\n", nil),
        // Readers that look at lines find what others find inside of an object.
        (
            "4 0 obj\n<< /Length 20 >>\nstream\n3 0 obj\nnull\nendobj\nendstream\nendobj\n",
            "inside another object"
        ), ("4 0 obj\n(\n3 0 obj null endobj\n)\nendobj\n", "inside another object"),
        ("4 0 obj\n(3 0 obj)\nendobj\n", nil),
        ("4 0 obj\n(\ntrailer <</Root 9 0 R>>\n)\nendobj\n", "a trailer is inside an object"),
        ("4 0 obj\n(\n3 0 obj null\n)\nendobj\n3 0 obj\nnull\nendobj\n", nil),
        // Readers that look at lines do not find it.
        ("x 3 0 obj\nnull\nendobj\n", "in the middle of a line"),
        ("4 0 obj null endobj 3 0 obj null endobj\n", nil),
        // The last one, though nobody can read it.
        ("3 0 obj\n<< /Length 9 >>\nstream\nabc", "is damaged"),
        ("3 0 obj\n", "is damaged"),
        (
            "9 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
                + "trailer\n<< /Root 9 0 R >>\ntrailer\n<< /Root 1 0 R >>\n",
            "several catalogs: objects 9 0 and 1 0"
        ), ("trailer\n<< /Root 9 0 R >>\ntrailer\n<< /Root 1 0 R >>\n", nil),
        ("trailer\n<< /Root 1 0 R >>\ntrailer\n<< /Root 9 0 R >>\n", nil),
        ("9 0 obj\n<< /Type /Catalog >>\nendobj\n", "several catalogs: objects 1 0 and 9 0"),
        (
            "trailer\n<< /Root 1 0 R /Encrypt 8 0 R >>\ntrailer\n<< /Root 1 0 R >>\n",
            "different encryption dictionaries"
        ),
    ]

    @Test(arguments: disputed)
    func tellsWhereReadersDisagree(text: String, expected: String?) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.append(text)
        let document = try repaired(builder.bytes)
        let found = try document.readersDisagreement()
        #expect(expected.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "")")
    }

    /// Sections that only some readers find, and a later object that they do not list.
    @Test(arguments: [0, 5], [false, true])
    func comparesHiddenSectionsWithWhatOthersFind(shift: Int, isReplaced: Bool) throws {
        var builder = TestDocument.minimal()
        let start = builder.lastSection ?? 0
        if isReplaced { builder.append("3 0 obj\n<< /Type /Page >>\nendobj\n") }
        builder.append("startxref\n\(start + shift)\n%%EOF\n")
        let found = try repaired(builder.bytes).readersDisagreement()
        #expect((found != nil) == (shift > 0 && isReplaced))
    }

    /// However many, in files however small.
    @Test(arguments: [true, false])
    func findsTheEndsOfManyStreamsWithWrongLengths(isWhole: Bool) throws {
        var builder = TestDocument()
        builder.writePage()
        for number in 4..<1500 {
            builder.object(
                number, "<< /Length 0 >>\nstream\n\(number)" + (isWhole ? "\nendstream" : ""))
        }
        builder.append("1500 0 obj << >> stream x endstream endobj\n")
        builder.table()
        let document = try repaired(builder.bytes)
        for number in 4..<1500 {
            let object = try document.object(ObjectID(number: number))
            let stream = try #require(object.streamValue)
            let text = String(decoding: try document.decodedData(of: stream), as: UTF8.self)
            #expect(isWhole ? text == "\(number)" : text.hasPrefix("\(number)\nendobj"))
        }
    }

    /// The word at all places around the border of a block.
    @Test func findsWordsAcrossBlocks() throws {
        let size = BlockCache.blockByteCount
        for place in (size - 12)...(size + 3) {
            var bytes = [UInt8](repeating: 32, count: 3 * size)
            bytes.replaceSubrange(place..<(place + 9), with: Array("endstream".utf8))
            let cache = BlockCache(MemorySource(bytes))
            var index = WordIndex(of: Array("endstream".utf8), byteCount: bytes.count)
            #expect(try index.firstPosition(from: place + 1, in: cache) == nil)
            #expect(try index.firstPosition(from: 0, in: cache) == place)
            #expect(try index.firstPosition(from: place, in: cache) == place)
            #expect(try index.firstPosition(from: 3 * size, in: cache) == nil)
        }
    }

    @Test func findsObjectsAcrossChunks() throws {
        for shift in 0..<24 {
            var builder = TestDocument()
            builder.append(String(repeating: " ", count: 256 * 1024 - 20 - shift) + "\n")
            builder.writePage()
            #expect(try repaired(builder.bytes).pageCount() == 1)
        }
    }

    @Test func toleratesJunkAfterTheEnd() throws {
        for count in [10, 1000, 5000, 100_000] {
            var builder = TestDocument.minimal()
            builder.append(String(repeating: "<html>", count: count / 6))
            let document = try builder.opened()
            #expect(try document.pageCount() == 1)
            #expect(document.warnings.map(\.code) == [.bytesAfterEndOfFile])
        }
    }

    @Test func aViewOfARevisionIsNeverRepaired() throws {
        let builder = TestDocument.minimal()
        let document = try repaired(builder.bytes + Array("junk".utf8))
        #expect(try document.view(atRevisionEndingAt: builder.bytes.count - 60) == nil)
    }

    @Test func opensWhatHasNoHeaderButAnEnd() throws {
        let document = try TestDocument.minimal(header: "%!PS\n").opened()
        #expect(try document.pageCount() == 1)
        #expect(document.warnings.map(\.code) == [.missingHeader])
        #expect(document.headerOffset == 0)
    }

    @Test func takesObjectStreamsOfAnotherType() throws {
        let bytes = try replacing("/ObjStm", with: "/Potato", in: TestDocument.compressed().bytes)
        let document = try PDFDocument(source: MemorySource(bytes))
        #expect(try document.pageCount() == 1)
        #expect(document.warnings.map(\.code) == [.objectStreamType])
    }

    @Test(arguments: [0, 1, 2, 3])
    func noticesObjectsAwayFromTheirPlaces(shifted: Int) throws {
        var builder = TestDocument()
        builder.writePage()
        if shifted > 0 { builder.offsets[shifted, default: 0] += 2 }
        builder.table()
        #expect(try builder.opened().hasAmbiguousXref() == (shifted > 0))
    }

    @Test func opensAPageTreeThatLeadsBack() throws {
        var builder = TestDocument()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Type /Pages /Kids [3 0 R 2 0 R 3 0 R 4 0 R] /Count 4 >>")
        builder.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
        builder.object(4, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
        builder.table()
        #expect(errorCode { _ = try builder.opened().page(at: 2) } == .referenceLoop)
        let document = try PDFDocument(
            source: builder.source, options: PDFOptions(repair: .whenNeeded))
        #expect(try (0..<3).map { try document.page(at: $0).id.number } == [3, 3, 4])
        #expect(document.warnings.contains { $0.code == .pageTreeEntry })
    }

    @Test func takesAnEncryptionThatIsMissingForNone() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.table("/Root 1 0 R /Encrypt 99 0 R")
        #expect(errorCode { _ = try builder.opened() } == .malformedEncryption)
        let document = try PDFDocument(
            source: builder.source, options: PDFOptions(repair: .whenNeeded))
        #expect(try document.pageCount() == 1)
        #expect(try document.hasAmbiguousXref())
        // Written anew it is not encrypted for anybody.
        let whole = try PDFDocument(source: builder.source, options: PDFOptions(repair: .always))
        var update = IncrementalUpdate(document: whole, avoiding: ObjectNumberSet())
        update.set(ObjectID(number: 1), try whole.object(ObjectID(number: 1)))
        let bytes = try update.serialize(fileIdentifier: [UInt8](repeating: 7, count: 16)).bytes
        let written = try PDFDocument(source: MemorySource(builder.bytes + bytes))
        #expect(try !written.isEncrypted && written.pageCount() == 1)
    }

    // MARK: Objects that do not follow the syntax

    /// What stands in for the catalogue, the page tree and the page.
    private static let damagedBodies: [Int: String] = [
        1: "<< 2 0 R /Type /Catalog ] /Pages 2 0 R >>",
        2: "<< /Type /Pages /Kids [3 0 R] (junk) <zz> /Count 1 /Last >>",
        3: "<< /Type /Page junk /Parent 2 0 R R /MediaBox [0 0 595 842] >>",
    ]

    private func damagedDocument(_ numbers: [Int], isCompressed: Bool) -> TestDocument {
        var builder = TestDocument()
        builder.writePage()
        let bodies = Self.damagedBodies.filter { numbers.contains($0.key) }
        guard isCompressed else {
            for (number, body) in bodies { builder.object(number, body) }
            builder.table()
            return builder
        }
        let places = builder.objectStream(4, bodies.map { ($0.key, $0.value) })
        for number in numbers { builder.offsets[number] = nil }
        builder.crossReferenceStream(5, compressed: places)
        return builder
    }

    @Test(arguments: [[1], [2], [3], [1, 2, 3]], [false, true])
    func readsDamagedObjectsAndMendsThem(numbers: [Int], isCompressed: Bool) throws {
        let builder = damagedDocument(numbers, isCompressed: isCompressed)
        #expect(errorCode { _ = try builder.opened().page(at: 0) } != nil)
        for repair in [PDFOptions.Repair.whenNeeded, .always] {
            let document = try repaired(builder.bytes, repair)
            #expect(try document.page(at: 0).mediaBox == PDFRectangle(0, 0, 595, 842))
            #expect(document.hasDamagedObjects)
            #expect(document.isRebuilt == (repair == .always))
            let damaged = document.warnings.filter { $0.code == .damagedObject }
            #expect(damaged.compactMap(\.object?.number).sorted() == numbers)
            // For a strict reader.
            try document.mendObjects()
            let update = try IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
                .serialize(fileIdentifier: [UInt8](repeating: 7, count: 16))
            let mended = try PDFDocument(source: MemorySource(builder.bytes + update.bytes))
            #expect(try mended.page(at: 0).mediaBox == PDFRectangle(0, 0, 595, 842))
            #expect(mended.warnings.isEmpty)
        }
    }

    @Test func findsAllDamagedObjects() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "<< 1 /A (b) >>")
        builder.table()
        let document = try repaired(builder.bytes)
        #expect(try document.pageCount() == 1)
        #expect(!document.hasDamagedObjects)
        try document.mendObjects()
        #expect(document.hasDamagedObjects)
    }

    @Test func readsADamagedTrailer() throws {
        let bytes = try replacing("<< /Size", with: "<< 7 /Size", in: TestDocument.minimal().bytes)
        #expect(errorCode { _ = try repaired(bytes, .never) } == .damagedCrossReference)
        #expect(try repaired(bytes).pageCount() == 1)
    }

    @Test(arguments: ["/Length 3", "/Length 30", "/Length 30 1"])
    func findsObjectsBehindAStreamWithoutEnd(length: String) throws {
        var builder = TestDocument()
        builder.append("4 0 obj\n<< \(length) >>\nstream\nabc\nendobj\n")
        builder.writePage()
        builder.stream(5, "", [65])
        #expect(try repaired(builder.bytes, .always).pageCount() == 1)
    }

    @Test func findsTheObjectBehindOneThatWasCutOff() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.append("2 0 obj\n")
        builder.object(4, "(x)")
        let document = try repaired(builder.bytes, .always)
        #expect(try document.pageCount() == 1)
        #expect(try document.object(ObjectID(number: 4)).stringValue == [120])
    }

    /// Cut off, it may be anything; other readers give it up too.
    @Test func leavesOutObjectsWithoutEnd() throws {
        var builder = TestDocument.minimal()
        builder.append("2 0 obj\n<< /Type /Pages /Kids [3 0 R 3 0 R]")
        let document = try repaired(builder.bytes, .always)
        #expect(try document.pageCount() == 1)
        #expect(!document.hasDamagedObjects)
    }

    @Test func givesUpWithoutACatalogue() {
        var builder = TestDocument()
        builder.object(1, "(nothing)")
        #expect(errorCode { _ = try repaired(builder.bytes) } == .damagedCrossReference)
    }

    @Test func everyPrefixRepairsOrThrows() {
        for builder in [TestDocument.minimal(), TestDocument.compressed()] {
            for count in 0..<builder.bytes.count {
                guard let document = try? repaired(Array(builder.bytes.prefix(count))) else {
                    continue
                }
                _ = try? document.pageCount()
            }
        }
    }
}
