import Base
import Testing

@testable import PDFCore

struct IncrementalUpdateTests {
    /// What referred to nothing would refer to the new object.
    @Test func leavesOutNumbersThatAreReferredTo() throws {
        let document = try TestDocument.minimal().opened()
        var referred = ObjectNumberSet()
        referred.insert(document.size)
        var update = IncrementalUpdate(document: document, avoiding: referred)
        #expect(update.allocate().number == document.size + 1)
    }

    /// A number near the limit leaves no room above it.
    @Test(arguments: [2, 5, 9])
    func findsNumbersBelowAStrayOne(size: Int) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(PDFLimits.objectNumber, "(stray)")
        builder.size = size
        builder.table()
        #expect(try builder.opened().object(ObjectID(number: 5)) == .null)
        let (document, _, _) = try updated(builder) { update in
            #expect(update.add(.integer(1)).number == 4)
            #expect(update.add(.integer(2)).number == 5)
        }
        #expect(try document.object(ObjectID(number: 5)) == .integer(2))
        #expect(
            try document.object(ObjectID(number: PDFLimits.objectNumber)).stringValue
                == Array("stray".utf8))
        #expect(document.trailer["Size"] == .integer(PDFLimits.objectNumber + 1))
    }

    /// Readers disagree which value of a repeated key counts.
    @Test(arguments: [
        "/PageMode/UseNone/PageMode/UseOutlines", "/AA<<>>/PageMode/X/PageMode/UseOutlines",
        "/Names<</A 1/A 2>>/PageMode/UseOutlines",
    ])
    func writesRepeatedKeysOnce(entries: String) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(1, "<</Type/Catalog/Pages 2 0 R\(entries)>>")
        builder.table()
        let (document, _, _) = try updated(builder) { update in _ = update.add(.integer(1)) }
        let catalog = try document.catalog()
        #expect(catalog == catalog.withKeysOnce)
        #expect(catalog["PageMode"]?.nameValue == "UseOutlines")
        #expect(try document.object(ObjectID(number: 4)) == .integer(1))
    }

    /// Neither in use beyond Size nor free beyond it.
    @Test func givesNewObjectsNumbersThatNoSectionMentions() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(8, "(x)")
        builder.size = 4
        builder.table(free: [11])
        let (document, _, _) = try updated(builder) { update in
            #expect(update.add(.integer(1)).number == 12)
        }
        #expect(document.trailer["Size"] == .integer(13))
        #expect(try document.object(ObjectID(number: 8)).stringValue == [120])
    }

    private let random = [UInt8](repeating: 0xAB, count: 16)

    private func updated(
        _ builder: TestDocument, _ change: (inout IncrementalUpdate) throws -> Void
    ) throws -> (PDFDocument, SerializedUpdate, [UInt8]) {
        let document = try builder.opened()
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        try change(&update)
        let serialized = try update.serialize(fileIdentifier: random)
        let bytes = builder.bytes + serialized.bytes
        return (try PDFDocument(source: MemorySource(bytes)), serialized, bytes)
    }

    @Test(arguments: [TestDocument.minimal(), TestDocument.compressed()])
    func keepsTheKindOfSection(builder: TestDocument) throws {
        let kind = try builder.opened().sections[0].kind
        let (document, serialized, bytes) = try updated(builder) { update in
            let id = update.add(.string(PDFString(bytes: [65])))
            #expect(id.number == builder.size)
            update.set(ObjectID(number: 3), .dictionary(["Type": .name("Page")]))
        }
        #expect(bytes.starts(with: builder.bytes))
        #expect(document.sections.map(\.kind) == [kind, kind])
        #expect(document.warnings.isEmpty)
        #expect(try document.object(ObjectID(number: builder.size)).stringValue == [65])
        #expect(try document.object(ObjectID(number: 3)) == .dictionary(["Type": .name("Page")]))
        #expect(
            document.trailer["ID"]
                == .array([
                    .string(PDFString(bytes: random, isHexadecimal: true)),
                    .string(PDFString(bytes: random, isHexadecimal: true)),
                ]))
        for (id, offset) in serialized.bodyOffsets {
            guard case .offset(let start, _)? = try document.location(of: id) else {
                Issue.record("\(id) is not at an offset")
                continue
            }
            #expect(try document.parsedObject(at: start).bodyRange.lowerBound == offset)
        }
    }

    @Test func writesATableOfExactEntries() throws {
        let (_, serialized, _) = try updated(.minimal()) { update in
            update.set(ObjectID(number: 1), .integer(1))
            update.set(ObjectID(number: 3), .integer(3))
            _ = update.add(.integer(4))
        }
        let text = String(decoding: serialized.bytes, as: UTF8.self)
        let table = try #require(text.split(separator: "xref\n").dropFirst().first)
        let start = serialized.startOffset
        #expect(
            table.hasPrefix(
                """
                0 1
                0000000000 65535 f\u{20}
                1 1
                \(TestDocument.padded(start)) 00000 n\u{20}
                3 2
                \(TestDocument.padded(start + 17)) 00000 n\u{20}
                \(TestDocument.padded(start + 34)) 00000 n\u{20}
                trailer
                """))
    }

    @Test func keepsTheTrailersOtherKeys() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "<< /Title (t) >>")
        builder.table(
            "/Root 1 0 R /Info 4 0 R /ID [<01> <02>] /Private#20Key [1.50 (a\\(b)] /DocChecksum /X")
        let (document, _, _) = try updated(builder) { _ = $0.add(.null) }
        #expect(document.trailer["Info"] == .reference(ObjectID(number: 4)))
        let kept = PDFWriter.bytes(document.trailer["Private Key"] ?? .null)
        #expect(kept == Array("[1.50 (a\\(b)]".utf8))
        #expect(document.trailer["DocChecksum"] == .name("X"))
        #expect(document.trailer["Prev"]?.integerValue == builder.lastSection)
        #expect(document.trailer["ID"]?.arrayValue?.first?.stringValue == [1])
        #expect(document.trailer["ID"]?.arrayValue?.last?.stringValue == random)
        #expect(document.trailer["Size"] == .integer(6))
    }

    @Test func leavesOutStaleKeys() throws {
        let (document, _, _) = try updated(.compressed()) { _ = $0.add(.null) }
        #expect(document.trailer["DecodeParms"] == nil)
        #expect(document.trailer["W"] == .array([.integer(1), .integer(4), .integer(3)]))
        #expect(document.trailer.duplicateKeys.isEmpty)
        #expect(document.trailer["Size"] == .integer(8))
    }

    @Test func writesATableAfterAHybridSection() throws {
        var builder = TestDocument()
        builder.writePage()
        _ = builder.objectStream(5, [(4, "(hidden)")])
        let offset = builder.bytes.count
        builder.stream(6, "/Type /XRef /Size 7 /W [1 2 1] /Index [4 1]", [2, 0, 5, 0])
        builder.table("/Root 1 0 R /XRefStm \(offset)", free: [4])
        let (document, _, _) = try updated(builder) { _ = $0.add(.null) }
        #expect(document.sections.map(\.kind) == [.table, .hybrid])
        #expect(document.trailer["XRefStm"] == nil)
        #expect(try document.object(ObjectID(number: 4)).stringValue == Array("hidden".utf8))
    }

    @Test(arguments: [("%%EOF", true), ("%%EOF\n", false), ("%%EOF\r", false)])
    func separatesItselfFromTheOriginal(end: String, needsLineFeed: Bool) throws {
        var builder = TestDocument.minimal()
        builder.bytes.removeLast("%%EOF\n".utf8.count)
        builder.append(end)
        let (document, serialized, _) = try updated(builder) { _ = $0.add(.integer(7)) }
        #expect((serialized.bytes.first == 10) == needsLineFeed)
        #expect(try document.object(ObjectID(number: 4)) == .integer(7))
    }

    @Test(arguments: [0, 12])
    func keepsTheBaseOfOffsets(base: Int) throws {
        let builder = TestDocument.minimal(header: "junk before\n%PDF-1.4\n", base: base)
        let (document, _, _) = try updated(builder) { _ = $0.add(.integer(7)) }
        #expect(document.sections.count == 2)
        #expect(document.offsetBase == base)
        #expect(try document.object(ObjectID(number: 4)) == .integer(7))
    }

    @Test func writesVerbatimBytesWhereItSays() throws {
        let body = Array("<< /ByteRange [0 1 2 3      ] /Contents <0000> >>".utf8)
        let (document, serialized, bytes) = try updated(.minimal()) { _ = $0.add(.verbatim(body)) }
        let offset = try #require(serialized.bodyOffsets[ObjectID(number: 4)])
        #expect(Array(bytes[offset...].prefix(body.count)) == body)
        #expect(try document.object(ObjectID(number: 4)).dictionaryValue?.count == 2)
    }

    @Test func rewritesStreamsOfTheFile() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "<< /Length 5 0 R /K 1 >>\nstream\nabc\nendstream")
        builder.object(5, "3")
        builder.table()
        let original = try builder.opened()
        var stream = try #require(try original.object(ObjectID(number: 4)).streamValue)
        stream.dictionary["K"] = .integer(2)
        let (document, _, _) = try updated(builder) { $0.set(ObjectID(number: 4), .stream(stream)) }
        let read = try #require(try document.object(ObjectID(number: 4)).streamValue)
        #expect(read.dictionary["K"] == .integer(2))
        #expect(try document.rawData(of: read) == Array("abc".utf8))
    }

    @Test func refusesOffsetsThatDoNotFitATable() throws {
        let section = NewSection(kind: .table, base: 0)
        var output: [UInt8] = []
        #expect(
            errorCode {
                try section.write([:], at: 10_000_000_000, containerNumber: 9, into: &output)
            } == .offsetTooLarge)
        let stream = NewSection(kind: .stream, base: 0)
        #expect(throws: Never.self) {
            try stream.write([:], at: 10_000_000_000, containerNumber: 9, into: &output)
        }
    }

    @Test func severalUpdatesFollowOneAnother() throws {
        var bytes = TestDocument.compressed().bytes
        for round in 1...5 {
            let document = try PDFDocument(source: MemorySource(bytes))
            var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
            _ = update.add(.integer(round))
            bytes += try update.serialize(fileIdentifier: random).bytes
        }
        let document = try PDFDocument(source: MemorySource(bytes))
        #expect(document.sections.count == 6)
        #expect(document.warnings.isEmpty)
        #expect(try document.pageCount() == 1)
    }
}
