import Base
import Testing

@testable import PDFCore

struct ObjectTests {
    private func document(_ build: (inout TestDocument) -> Void) throws -> PDFDocument {
        var builder = TestDocument()
        builder.writePage()
        build(&builder)
        builder.table()
        return try builder.opened()
    }

    @Test func followsChainsOfReferences() throws {
        let document = try document {
            $0.object(4, "5 0 R")
            $0.object(5, "6 0 R")
            $0.object(6, "(end)")
        }
        let end = try document.resolve(.reference(ObjectID(number: 4)))
        #expect(end.stringValue == Array("end".utf8))
    }

    @Test func stopsAtCirclesOfReferences() throws {
        let document = try document {
            $0.object(4, "5 0 R")
            $0.object(5, "4 0 R")
        }
        #expect(
            errorCode { _ = try document.resolve(.reference(ObjectID(number: 4))) }
                == .limitExceeded)
    }

    @Test func readsAStreamWithAnIndirectLength() throws {
        let document = try document {
            $0.object(4, "<< /Length 5 0 R >>\nstream\nendstream inside\nendstream")
            $0.object(5, "16")
        }
        let stream = try #require(try document.object(ObjectID(number: 4)).streamValue)
        #expect(try document.decodedData(of: stream) == Array("endstream inside".utf8))
        #expect(document.warnings.isEmpty)
    }

    @Test(arguments: [
        "/Length 3", "/Length 100000", "/Length -1", "/Length 9223372036854775807", "",
        "/Length (x)", "/Length 99 0 R",
    ])
    func findsTheEndOfStreamsWithWrongLengths(length: String) throws {
        let document = try document {
            $0.object(4, "<< \(length) >>\nstream\r\nsome data\r\nendstream")
        }
        let stream = try #require(try document.object(ObjectID(number: 4)).streamValue)
        #expect(try document.rawData(of: stream) == Array("some data".utf8))
        #expect(document.warnings.map(\.code) == [.streamLength])
    }

    @Test func stopsAtLengthsThatNeedThemselves() throws {
        let document = try document {
            $0.object(4, "<< /Length 4 0 R >>\nstream\nabc\nendstream")
            $0.object(5, "<< /Length 6 0 R >>\nstream\nabc\nendstream")
            $0.object(6, "<< /Length 5 0 R >>\nstream\nabc\nendstream")
        }
        for number in 4...6 {
            #expect(
                errorCode { _ = try document.object(ObjectID(number: number)) } == .referenceLoop)
        }
    }

    @Test func refusesAnObjectWhereAnotherShouldBe() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "(x)")
        builder.offsets[5] = builder.offsets[4]
        builder.offsets[6] = 3
        builder.size = 7
        builder.table()
        let document = try builder.opened()
        #expect(errorCode { _ = try document.object(ObjectID(number: 5)) } == .wrongObject)
        #expect(errorCode { _ = try document.object(ObjectID(number: 6)) } == .wrongObject)
    }

    @Test func placesTheValuesOfADictionary() throws {
        let text =
            "<< /Type/Sig /Contents <00AB> /ByteRange [0 1 2 3] /R 12 0 R /N << /A 1 >>/B true>>"
        let document = try document { $0.object(4, text) }
        guard case .offset(let offset, _)? = try document.location(of: ObjectID(number: 4)) else {
            Issue.record("no location")
            return
        }
        let parsed = try document.parsedObject(at: offset)
        let found = parsed.valueRanges.mapValues { range in
            String(
                decoding: (try? document.source.bytes(at: range.lowerBound, count: range.count))
                    ?? [], as: UTF8.self)
        }
        #expect(
            found == [
                "Type": "/Sig", "Contents": "<00AB>", "ByteRange": "[0 1 2 3]", "R": "12 0 R",
                "N": "<< /A 1 >>", "B": "true",
            ])
        let whole = try document.source.bytes(
            at: parsed.range.lowerBound, count: parsed.range.count)
        #expect(String(decoding: whole, as: UTF8.self) == "4 0 obj\n\(text)\nendobj")
        let body = try document.source.bytes(
            at: parsed.bodyRange.lowerBound, count: parsed.bodyRange.count)
        #expect(String(decoding: body, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("/N 2147483648 /First 5", PDFErrorCode.limitExceeded),
        ("/N -1 /First 5", .malformedObjectStream),
        ("/N 1 /First -5", .malformedObjectStream),
        ("/N 1 /First 9223372036854775807", .malformedObjectStream),
        ("/N 5 /First 4", .malformedObjectStream),
        ("/First 4", .malformedObjectStream),
    ])
    func refusesDamagedObjectStreams(dictionary: String, code: PDFErrorCode) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.stream(4, "/Type /ObjStm \(dictionary)", Array("5 0 (x)".utf8))
        builder.crossReferenceStream(6, compressed: [5: (4, 0)])
        let document = try builder.opened()
        #expect(errorCode { _ = try document.object(ObjectID(number: 5)) } == code)
    }

    @Test(
        "objects of a stream that lie on one another, or go backwards",
        arguments: [
            ("7 0 8 4 ", "(a) (b) ", true), ("7 0 8 1 ", "[(a) (b)] ", false),
            ("7 4 8 0 ", "(a) (b) ", false), ("7 0 8 8 ", "(a) (c) (b) ", false),
            ("7 0 8 7 ", "(a) %c\n(b) ", true), ("7 0 8 5 ", "(a) %(b) ", false),
            ("7 -1 8 4 ", " (a) (b) ", false),
        ])
    func tellsOrderOfObjectStreams(header: String, objects: String, isOrdered: Bool) throws {
        var builder = TestDocument()
        builder.writePage()
        builder.stream(
            4, "/Type /ObjStm /N 2 /First \(header.utf8.count)", Array((header + objects).utf8))
        builder.size = 10
        builder.crossReferenceStream(6, compressed: [7: (4, 0), 8: (4, 1)])
        let document = try builder.opened()
        for number in [7, 8] { _ = try document.object(ObjectID(number: number)) }
        #expect(document.warnings.contains { $0.code == .objectStreamOrder } == !isOrdered)
    }

    @Test func refusesAnotherNumberInAnObjectStream() throws {
        var builder = TestDocument()
        builder.writePage()
        _ = builder.objectStream(4, [(7, "(x)"), (8, "(y)")])
        builder.size = 10
        builder.crossReferenceStream(6, compressed: [5: (4, 0), 8: (4, 1), 9: (4, 2)])
        let document = try builder.opened()
        #expect(
            errorCode { _ = try document.object(ObjectID(number: 5)) } == .malformedObjectStream)
        #expect(try document.object(ObjectID(number: 8)).stringValue == [121])
        #expect(
            errorCode { _ = try document.object(ObjectID(number: 9)) } == .malformedObjectStream)
    }

    @Test func decodesAnObjectStreamOnceForAllRevisions() throws {
        var builder = TestDocument()
        builder.writePage()
        let long = "<< /List [\(String(repeating: "7 ", count: 600_000))] >>"
        let places = builder.objectStream(4, [(7, long), (8, "(y)")])
        builder.crossReferenceStream(6, compressed: places)
        // As often as would take more than may come out of the filters of one file.
        let count = PDFLimits.decodedTotalAllowance / long.utf8.count + 10
        for _ in 0..<count {
            builder.object(9, "(later)")
            builder.table()
        }
        let document = try PDFDocument(source: builder.source, options: PDFOptions(repair: .never))
        for index in 0...count {
            let view = document.view(newestSection: index)
            let object = try view.object(ObjectID(number: 7))
            #expect(object.dictionaryValue?["List"]?.arrayValue?.count == 600_000)
            #expect(try view.object(ObjectID(number: 8)).stringValue == [121])
        }
    }

    /// What an object stream holds may depend on another object, which may change.
    @Test func decodesAnObjectStreamAnewWhoseFilterChanges() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(9, "null")
        builder.stream(4, "/Type /ObjStm /N 1 /First 4 /Filter 9 0 R", Array("5 0 7 >".utf8))
        builder.crossReferenceStream(6, compressed: [5: (4, 0)])
        builder.object(9, "/ASCIIHexDecode")
        builder.table()
        let document = try PDFDocument(source: builder.source, options: PDFOptions(repair: .never))
        let id = ObjectID(number: 5)
        #expect(try document.view(newestSection: 1).object(id) == .integer(7))
        #expect(errorCode { _ = try document.object(id) } == .malformedObjectStream)
        #expect(try document.view(newestSection: 1).object(id) == .integer(7))
    }

    @Test func refusesCirclesOfExtends() throws {
        var builder = TestDocument()
        builder.writePage()
        let places = builder.objectStream(4, [(7, "(x)")], extra: "/Extends 5 0 R")
        _ = builder.objectStream(5, [(8, "(y)")], extra: "/Extends 4 0 R")
        builder.crossReferenceStream(6, compressed: places)
        let document = try builder.opened()
        #expect(errorCode { _ = try document.object(ObjectID(number: 7)) } == .referenceLoop)
    }

    @Test func theCataloguesVersionRaisesTheHeaders() throws {
        var builder = TestDocument(header: "%PDF-1.4\n")
        builder.writePage()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R /Version /2.0 >>")
        builder.table()
        #expect(try builder.opened().version == PDFVersion(major: 2, minor: 0))
        #expect(try TestDocument.minimal().opened().version.description == "1.7")
    }
}
