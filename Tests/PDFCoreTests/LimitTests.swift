import Base
import CodecBridge
import Testing

@testable import PDFCore

/// Every limit that no other suite reaches: what is just within it is read, what exceeds it is
/// refused as such.
struct LimitTests {
    @Test func limitsStrings() throws {
        let longest = String(repeating: "a", count: PDFLimits.stringByteCount)
        #expect(try parse("(\(longest))").stringValue?.count == PDFLimits.stringByteCount)
        #expect(errorCode { _ = try parse("(\(longest)a)") } == .limitExceeded)
        #expect(errorCode { _ = try parse("<\(longest)\(longest)aa>") } == .limitExceeded)
    }

    @Test func limitsValuesOfAnObject() throws {
        let numbers = String(repeating: "1 ", count: PDFLimits.valuesPerObject)
        #expect(try parse("[\(numbers)]").arrayValue?.count == PDFLimits.valuesPerObject)
        #expect(errorCode { _ = try parse("[\(numbers) 1]") } == .limitExceeded)
    }

    /// What takes memory of its own counts fourfold.
    @Test func limitsStringsInAnObject() throws {
        let strings = String(repeating: "()", count: PDFLimits.valuesPerObject / 4)
        #expect(try parse("[\(strings)]").arrayValue?.count == PDFLimits.valuesPerObject / 4)
        #expect(errorCode { _ = try parse("[\(strings)()]") } == .limitExceeded)
    }

    @Test func limitsObjectNumbers() throws {
        #expect(try parse("\(PDFLimits.objectNumber) 0 R").referenceValue != nil)
        #expect(try parse("\(PDFLimits.objectNumber + 1) 0 R") == .null)
        var builder = TestDocument()
        builder.bytes = Array(
            String(decoding: TestDocument.minimal().bytes, as: UTF8.self)
                .replacing("/Size 4", with: "/Size \(PDFLimits.objectNumber + 2)").utf8)
        let largest = try builder.opened()
        #expect(largest.size == PDFLimits.objectNumber + 1)
        // A Size that leaves no room is not obeyed.
        var update = IncrementalUpdate(document: largest, avoiding: ObjectNumberSet())
        #expect(update.allocate().number == 4)
    }

    /// A stream may grow by the ratio, and by the allowance in any case.
    @Test func limitsDecodedStreams() throws {
        let document = try TestDocument.minimal().opened()
        func decoded(_ count: Int) throws -> Int {
            let data = Flate.deflate([UInt8](repeating: 0, count: count))
            let stream = PDFStream(dictionary: ["Filter": .name("Fl")], data: data)
            return try document.decodedData(of: stream).count
        }
        #expect(try decoded(PDFLimits.decodedStreamAllowance) == PDFLimits.decodedStreamAllowance)
        #expect(
            errorCode { _ = try decoded(PDFLimits.decodedStreamAllowance * 5 / 4) }
                == .limitExceeded)
    }

    /// What its caller has left holds for every stream, and may be less than nothing.
    @Test(arguments: [PDFName("FlateDecode"), "ASCIIHexDecode", nil], [100, 99, 0, -1])
    func limitsWhatACallerWants(filter: PDFName?, limit: Int) throws {
        let document = try TestDocument.minimal().opened()
        let bytes = [UInt8](repeating: 0, count: 100)
        let (data, dictionary): ([UInt8], PDFDictionary) =
            switch filter {
            case "FlateDecode": (Flate.deflate(bytes), ["Filter": .name("FlateDecode")])
            case nil: (bytes, [:])
            default: ([UInt8](repeating: 0x30, count: 200), ["Filter": .name("ASCIIHexDecode")])
            }
        let stream = PDFStream(dictionary: dictionary, data: data)
        let code = errorCode { _ = try document.decodedData(of: stream, upTo: limit) }
        #expect(code == (limit < 100 ? .limitExceeded : nil))
    }

    @Test func limitsAllDecodedStreamsTogether() throws {
        let document = try TestDocument.minimal().opened()
        let count = 1 << 20
        let data = Flate.deflate([UInt8](repeating: 0, count: count))
        let stream = PDFStream(dictionary: ["Filter": .name("Fl")], data: data)
        document.reader.noteDecoded(PDFLimits.decodedTotalAllowance - 2 * count)
        for _ in 0..<2 { #expect(try document.decodedData(of: stream).count == count) }
        #expect(errorCode { _ = try document.decodedData(of: stream) } == .limitExceeded)
    }

    @Test func limitsCrossReferencesTogether() throws {
        let rows = Flate.deflate([UInt8](repeating: 0, count: 7 << 20))
        var file = TestDocument()
        file.writePage()
        var previous = ""
        var start = 0
        for number in 10..<13 {
            start = file.bytes.count
            file.stream(
                number,
                "/Type /XRef /Root 1 0 R /Size 1000000 /W [1 4 2] /Filter /Fl \(previous)", rows)
            previous = "/Prev \(start)"
        }
        file.append("startxref\n\(start)\n%%EOF\n")
        #expect(errorCode { _ = try file.opened() } == .limitExceeded)
    }

    /// Objects that are parsed to the end of the file, and in vain, each time.
    @Test func limitsWastedReading() throws {
        let text = "%PDF-1.7\n" + (1..<20_000).map { "\($0) 0 obj(\n" }.joined()
        let source = MemorySource(Array(text.utf8))
        let options = PDFOptions(repair: .always)
        #expect(
            errorCode { _ = try PDFDocument(source: source, options: options) } == .limitExceeded)
    }

    @Test(arguments: ["/Count 5", "/Count -1", "/Count 99999999999"])
    func limitsPages(count: String) throws {
        var builder = TestDocument()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        builder.object(2, "<< /Kids [3 0 R 4 0 R 5 0 R 6 0 R 7 0 R] \(count) >>")
        for number in 3...7 { builder.object(number, "<< /Type /Page >>") }
        builder.table()
        let document = try builder.opened()
        #expect(try PageTree(document, pageLimit: 5).pageCount() == 5)
        let tooSmall = try PageTree(document, pageLimit: 4)
        #expect(errorCode { _ = try tooSmall.pageCount() } == .limitExceeded)
        // The tree does not own its document.
        withExtendedLifetime(document) {}
    }

    /// Nodes without pages cost as much as pages.
    @Test func limitsNodesOfThePageTree() throws {
        var builder = TestDocument()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        for number in 2..<12 { builder.object(number, "<< /Kids [\(number + 1) 0 R] >>") }
        builder.object(12, "<< /Kids [] >>")
        builder.table()
        let document = try builder.opened()
        let tree = try PageTree(document, pageLimit: 4)
        #expect(errorCode { _ = try tree.pageCount() } == .limitExceeded)
        // The tree does not own its document.
        withExtendedLifetime(document) {}
    }

    @Test func limitsTheDepthOfParents() throws {
        func document(_ depth: Int) throws -> PDFDocument {
            var builder = TestDocument()
            builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
            builder.object(2, "<< /Kids [3 0 R] /Count 1 >>")
            builder.object(3, "<< /Type /Page /Parent 4 0 R >>")
            for number in 4..<(4 + depth) {
                builder.object(number, "<< /Parent \(number + 1) 0 R >>")
            }
            builder.object(4 + depth, "<< /Rotate 90 >>")
            builder.table()
            return try builder.opened()
        }
        #expect(try document(PDFLimits.pageTreeDepth - 3).page(at: 0).rotate == 90)
        let deep = try document(PDFLimits.pageTreeDepth)
        #expect(errorCode { _ = try deep.page(at: 0) } == .limitExceeded)
    }
}
