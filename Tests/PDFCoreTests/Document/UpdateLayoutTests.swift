import Base
import CodecBridge
import Testing

@testable import PDFCore

/// What stands behind the end of a revision, byte by byte.
@Suite struct UpdateLayoutTests {
    /// What a later revision is made of, and what is found of it.
    struct Update: CustomTestStringConvertible, Sendable {
        let name: String
        let severity: UpdateLayout.Finding.Severity?
        var words = ""
        let write: @Sendable (inout TestDocument) -> Void
        var testDescription: String { name }
    }

    private static let forged = "4 0 obj\n(forged)\nendobj\n"

    private static func plain(_ builder: inout TestDocument) {
        builder.object(3, "<< /Type /Page /Parent 2 0 R >>")
        builder.table()
    }

    private static let updates: [Update] = [
        Update(name: "a table", severity: nil, write: plain),
        Update(name: "a cross-reference stream", severity: nil) { builder in
            let places = builder.objectStream(10, [(3, "<< /Type /Page >>"), (11, "(new)")])
            builder.crossReferenceStream(12, compressed: places)
        },
        Update(name: "two revisions", severity: nil) { builder in
            plain(&builder)
            plain(&builder)
        },
        Update(name: "a program's comment before startxref", severity: nil) { builder in
            plain(&builder)
            builder.replaceLast("startxref", "%iText-5.5\nstartxref")
        },
        Update(name: "white space before the table", severity: nil) { builder in
            let start = builder.bytes.count
            plain(&builder)
            builder.replaceLast("xref\n0 1", " \nxref\n0 1")
            #expect(start > 0)
        },
        Update(
            name: "white space that moves startxref away", severity: .failure,
            words: "before the end of the file"
        ) {
            plain(&$0)
            $0.replaceLast("%%EOF", String(repeating: "\n", count: 600) + "%%EOF")
            $0.append(String(repeating: "\n", count: 400))
        },
        Update(name: "a few empty lines at the end", severity: nil) {
            plain(&$0)
            $0.replaceLast("%%EOF", "\n\n%%EOF")
            $0.append("\n\n\n")
        },
        Update(name: "a program's comment between objects", severity: nil) { builder in
            builder.append("\n% Written by a program\n\n")
            plain(&builder)
        },
        Update(name: "zero bytes between objects", severity: .doubt, words: "control characters") {
            $0.append("\n\0\0\n")
            plain(&$0)
        },
        Update(name: "a zero byte in the trailer", severity: .doubt, words: "control character") {
            plain(&$0)
            $0.replaceLast("/Prev ", "/Prev\0")
        },
        Update(name: "a comment in an object", severity: .doubt, words: "comment") {
            $0.object(3, "<< /Type /Page %c\n/Parent 2 0 R >>")
            $0.table()
        },
        Update(name: "a zero byte in a string", severity: nil) {
            $0.object(3, "<< /Type /Page /Parent 2 0 R /A (\0%) >>")
            $0.table()
        },
        Update(name: "a comment in an object stream", severity: .failure, words: "comment") {
            let places = $0.objectStream(10, [(3, "<< /Type %c\n/Page >>")])
            $0.crossReferenceStream(12, compressed: places)
        },
        Update(name: "parameters of an object stream", severity: .doubt, words: "unusual filters") {
            let places = $0.objectStream(
                10, [(3, "<< /Type /Page >>")], extra: "/DecodeParms << /Predictor 1 >>")
            $0.crossReferenceStream(12, compressed: places)
        },
        Update(
            name: "an object that nothing lists", severity: .failure, words: "belong to no object"
        ) {
            $0.append(forged)
            plain(&$0)
        },
        Update(name: "an object in a comment", severity: .failure) {
            $0.append("%")
            $0.append(forged)
            plain(&$0)
        },
        Update(name: "a comment that runs into an object", severity: .failure) {
            $0.append("% nothing")
            plain(&$0)
        },
        Update(name: "a second trailer", severity: .failure) {
            plain(&$0)
            $0.append("trailer\n<< /Size 4 /Root 1 0 R >>\n")
            plain(&$0)
        },
        Update(name: "a comment behind startxref", severity: .failure, words: "end of the revision")
        {
            plain(&$0)
            $0.replaceLast("startxref\n", "startxref %c\n")
        },
        Update(name: "startxref in a comment", severity: .failure) {
            plain(&$0)
            $0.replaceLast("startxref\n", "%startxref 9\nstartxref\n")
        },
        Update(name: "no catalog", severity: .failure, words: "names no catalog") {
            $0.object(3, "<< /Type /Page /Parent 2 0 R >>")
            $0.table("")
        },
        Update(name: "a header of three numbers", severity: .failure, words: "section") {
            plain(&$0)
            $0.replaceLast("xref\n0 1\n", "xref\n0 0 0\n1\n")
        },
        Update(name: "an entry of 19 bytes", severity: .failure) {
            $0.object(3, "<< /Type /Page /Parent 2 0 R >>")
            $0.table(entryEnd: "\n")
        },
        Update(name: "a wrong length", severity: .doubt, words: "/Length") {
            $0.stream(3, "", Array("0123456789".utf8))
            $0.replaceLast("/Length 10", "/Length 30")
            $0.table()
        },
        Update(name: "two lengths", severity: .doubt, words: "/Length") {
            $0.stream(3, "/Length 3", Array("0123456789".utf8))
            $0.table()
        },
        Update(name: "an object in a string", severity: .doubt, words: "has a keyword") {
            $0.object(3, "(\n\(forged))")
            $0.table()
        },
        Update(name: "a trailer in a stream", severity: .doubt, words: "has a keyword") {
            $0.stream(3, "", Array("trailer\n<< /Root 9 0 R >>".utf8))
            $0.table()
        },
        Update(name: "a number twice in an object stream", severity: .failure, words: "twice") {
            let places = $0.objectStream(10, [(3, "(one)"), (3, "(two)")])
            $0.crossReferenceStream(12, compressed: places)
        },
        Update(name: "an object that only its stream lists", severity: .failure, words: "listed") {
            var places = $0.objectStream(10, [(3, "(one)"), (4, "(two)")])
            places[4] = nil
            $0.crossReferenceStream(12, compressed: places)
        },
        Update(name: "an object stream that nobody uses", severity: .failure, words: "listed") {
            _ = $0.objectStream(10, [(3, "(one)")])
            $0.table()
        },
        Update(name: "bytes behind the last revision", severity: .failure, words: "last revision") {
            plain(&$0)
            $0.append("%\n")
        },
        Update(
            name: "an object behind its section", severity: .failure, words: "follows the section"
        ) {
            $0.object(3, "<< /Type /Page /Parent 2 0 R >>")
            let place = $0.bytes.count
            $0.offsets[4] = place
            $0.table()
            $0.replaceLast(TestDocument.padded(place), TestDocument.padded($0.bytes.count))
            $0.append(forged)
        },
    ]

    @Test(arguments: updates) func accountsFor(_ update: Update) throws {
        var builder = TestDocument.minimal()
        let end = builder.bytes.count
        update.write(&builder)
        let document = try builder.opened()
        let newer = document.sections.count { $0.offset >= end }
        let found = try document.layout(from: end, sections: newer).summary(behind: end)
        #expect(found?.severity == update.severity)
        #expect(found?.text.contains(update.words) ?? true, "\(update)")
        // A signature over everything is not concerned.
        #expect(
            try document.layout(from: end, sections: newer).summary(behind: builder.bytes.count)
                == nil)
    }

    @Test func namesMissingObjectsThatViewersSearchFor() throws {
        var builder = TestDocument.minimal()
        let place = builder.bytes.count
        builder.append(Self.forged)
        builder.object(3, "<< /Type /Page /Parent 2 0 R /A 9 0 R >>")
        builder.table()
        #expect(
            try builder.opened().differenceWhenRebuilt(for: [9])?.words
                == "object 9, missing in the cross-reference table, while the data at byte \(place) belongs to no "
                + "listed object")
    }

    @Test(
        "a table after a stream, or the reverse, follows no replaced object of an object stream",
        arguments: [false, true], [false, true])
    func otherKindOfSection(isReplaced: Bool, isTable: Bool) throws {
        var builder = TestDocument.compressed()
        let tree = [(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 /A 1 >>")]
        if isReplaced {
            builder.crossReferenceStream(7, compressed: builder.objectStream(6, tree))
        }
        builder.object(isReplaced ? 2 : 20, tree[0].1)
        if isTable { builder.crossReferenceStream(8) } else { builder.table() }
        let end = builder.bytes.count
        builder.object(3, "<< /Type /Page /Parent 2 0 R >>")
        if isTable { builder.table() } else { builder.crossReferenceStream(9) }
        let document = try builder.opened()
        let found = try document.layout(from: end, sections: 1).summary(behind: end)
        #expect(found?.severity == (isReplaced ? .doubt : nil))
        #expect(found?.text.contains("is a table and the one before a stream") ?? true)
    }

    @Test(
        "an object's keywords have one form",
        arguments: [
            "3  0 obj\n(x)\nendobj", "3 0\nobj\n(x)\nendobj", "03 0 obj\n(x)\nendobj",
            "+3 0 obj\n(x)\nendobj", "3 00 obj\n(x)\nendobj", "3 %c\n0 obj\n(x)\nendobj",
            "3 0 %c\nobj\n(x)\nendobj", "3 0\0obj\n(x)\nendobj", "3 0 obj%c\n(x)\nendobj",
            "3 0 obj\n(x)\n%c\nendobj", "3 0 obj\n(x)\nendobj%c",
            "3 0 obj\n<</Length 1>>%c\nstream\nq\nendstream\nendobj",
            "3 0 obj\n<</Length 1>>\nstream\nq\nendstream %c\nendobj",
        ])
    func keywords(text: String) throws {
        #expect(try severity(of: text) == .doubt)
    }

    @Test(
        "keywords inside an object are found however they are spelled",
        arguments: [
            "<</A /obj>>", "<</A (\n00000000000008 0 obj)>>", "<</A (8 %c\n0 obj)>>",
            "<</A (8\u{b}0\u{b}obj)>>", "<</A (endobj8 0 obj)>>", "<</A (8 0 objX)>>",
            "<</A (99999999999 65536 obj)>>", "<</A (-8 +0 obj)>>", "<</A (8 0obj)>>",
            "<</A (8.0 0.0 obj)>>", "<</A (\nendobj\n)>>", "<</A (\n xref\n)>>",
            "<</A (\r%PDF-1.4)>>", "<</A (\n/Catalog)>>", "<</Type /Catalog>>",
            "<</A 1 %startxref\n>>", "<</A 1 %(\n%startxref\n>>", "[/Type/Catalog]",
            "<</Length 13>>\nstream\n8 %c\n 0 \u{1}obj\nendstream",
            "<</Length 10>>\nstream\ntrailer <<\nendstream",
        ])
    func keywordsInside(body: String) throws {
        #expect(try severity(of: "3 0 obj\n\(body)\nendobj") == .doubt)
    }

    @Test(
        "text and data without a second reading are left alone",
        arguments: [
            "<</A (objednavka 12, objects 3)>>", "<</A (the trailer, endobj and xref)>>",
            "<</A (12 of the objects)>>", "<</A /ObjStm /B /XRef>>",
            "<</Length 19>>\nstream\nthis stream, 1 obj.\nendstream",
        ])
    func text(body: String) throws {
        #expect(try severity(of: "3 0 obj\n\(body)\nendobj") == nil)
    }

    @Test func comments() throws {
        let text = String(repeating: "%obj\n", count: 400_000)
        #expect(
            try severity(
                of: "3 0 obj\n<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream\nendobj")
                == .doubt)
    }

    /// The file is read in parts.
    @Test(arguments: [65_000, 65_500, 65_783, 65_800, 66_100]) func parts(offset: Int) throws {
        for space in [" ", "\n", "%c\n"] {
            let gap = String(repeating: space, count: 300)
            var text = "\(gap)obj"
            text = String(repeating: "x", count: offset - text.utf8.count - 4) + " 4 0" + text
            let body = "<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream"
            #expect(try severity(of: "3 0 obj\n\(body)\nendobj") == .doubt)
        }
    }

    @Test(
        "trailers name no objects beyond the limit",
        arguments: ["/Info 99999999 0 R", "/X [8388608 0 R]"])
    func trailer(entry: String) throws {
        var builder = TestDocument.minimal()
        let end = builder.bytes.count
        Self.plain(&builder)
        builder.replaceLast("trailer\n<<", "trailer\n<< \(entry)")
        let document = try builder.opened()
        let newer = document.sections.count { $0.offset >= end }
        let found = try document.layout(from: end, sections: newer).summary(behind: end)
        #expect(found?.severity == .failure)
    }

    /// What is found of an update with one object.
    private func severity(of object: String) throws -> UpdateLayout.Finding.Severity? {
        var builder = TestDocument.minimal()
        let end = builder.bytes.count
        builder.offsets[3] = end
        builder.append(object + "\n")
        builder.table()
        let document = try builder.opened()
        let newer = document.sections.count { $0.offset >= end }
        return try document.layout(from: end, sections: newer).summary(behind: end)?.severity
    }

    @Test func noticesThatABoundaryLiesInsideOfAnObject() throws {
        var builder = TestDocument.minimal()
        let end = builder.bytes.count
        Self.plain(&builder)
        let layout = try builder.opened().layout(from: end, sections: 1)
        #expect(layout.summary(behind: end + 5)?.severity == .failure)
    }

    @Test func readsHowFarAStreamReaches() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.stream(4, "", Array("0123".utf8))
        builder.replaceLast("/Length 4", "/Length 4000000")
        builder.table()
        let document = try builder.opened()
        let found = try document.inspect(ObjectID(number: 4))
        #expect(found.hasDoubtfulLength)
        #expect((found.reach ?? 0) > 4_000_000)
        #expect((found.end ?? 0) < builder.bytes.count)
    }

    @Test func listsWhatAnUnreadableObjectSeemsToReferTo() throws {
        var builder = TestDocument()
        builder.writePage()
        builder.object(4, "<< /A [50 0 R] /B foo /C 7 1 R /D (8 0 R) >>")
        let place = try #require(builder.offsets[4])
        builder.table()
        let document = try builder.opened()
        #expect(try document.inspect(ObjectID(number: 4)).object == nil)
        #expect(try document.apparentReferences(at: place) == [50, 7, 8])
    }
}
