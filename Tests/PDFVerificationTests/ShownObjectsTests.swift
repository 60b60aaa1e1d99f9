import Base
import Foundation
import PDFCore
import SignetTestSupport
import Testing
import TrustKit

@testable import PDFSigning
@testable import PDFVerification

/// What the pages lead to, under whatever names.
@Suite struct ShownObjectsTests {
    private func codes(
        page: String, catalog: String = "", _ objects: [String]
    ) throws -> [ProblemCode] {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] \(page)", catalogEntries: catalog,
            extraObjects: objects)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        return try ShownObjects.problems(in: document, form: AcroForm(of: document), .thorough)
            .problems.map(\.code)
    }

    /// A form, a part of which some readers see, and others all.
    private static let form =
        "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /BBox [0 0 1 1] /Length 0>>\n"
        + "stream\n\nendstream"

    @Test(
        "names that the document chose are no entries that lead elsewhere",
        arguments: [
            "X", "Parent", "P", "V", "A", "AA", "Dest", "Metadata", "PieceInfo", "Popup", "IRT",
            "OC", "EF", "RF",
        ])
    func chosenNames(name: String) throws {
        let annotation = "<</Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP 8 0 R>>"
        for states in ["<</N <</\(name) 6 0 R>>>>", "<</N 9 0 R>>"] {
            let found = try codes(
                page: "/Annots [7 0 R]", [Self.form, annotation, states, "<</\(name) 6 0 R>>"])
            #expect(found.contains(.duplicateKeyShown), "\(states)")
        }
        // It is the same object as one that has entries of such names, and is met there first.
        let look = "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources 8 0 R /Length 0>>"
        let found = try codes(
            page: "/Annots [7 0 R]",
            [
                Self.form, annotation, "<</N 9 0 R /MK 10 0 R /XObject 10 0 R>>",
                look + "\nstream\n\nendstream", "<</\(name) 6 0 R>>",
            ])
        #expect(found.contains(.duplicateKeyShown))
    }

    @Test(
        "what is damaged is found by any name", arguments: ["X", "A", "P", "V", "Metadata", "EF"])
    func damagedParts(name: String) throws {
        let annotation = "<</Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP <</N 8 0 R>>>>"
        let form =
            "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Name other /Length 0>>\n"
            + "stream\n\nendstream"
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 200 200] /Annots [7 0 R]",
            extraObjects: [form, annotation, "<</\(name) 6 0 R>>"])
        let document = try PDFDocument(
            source: MemorySource(sample.bytes), options: PDFOptions(repair: .whenNeeded))
        #expect(try ShownObjects.damaged(in: document) == ObjectID(number: 6))
    }

    @Test("entries that lead elsewhere are not followed", arguments: ["Parent", "A", "PieceInfo"])
    func otherEntries(name: String) throws {
        let annotation = "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /\(name) 6 0 R>>"
        #expect(try codes(page: "/Annots [7 0 R]", [Self.form, annotation]).isEmpty)
    }

    @Test(
        "keywords that end a stream inside its data are named, but not in compressed data",
        arguments: [
            ("endstream", "", true), ("endobj", "", true), ("endstrea", "", false),
            ("endstream", "/Filter /DCTDecode", false), ("endobj", "/Filter [/A85 /LZW]", true),
        ])
    func endsInData(word: String, filter: String, isNamed: Bool) throws {
        let content = "q (\(word) ) Tj Q"
        let annotation = "<</Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP <</N 7 0 R>>>>"
        let found = try codes(
            page: "/Annots [6 0 R]",
            [
                annotation,
                "<</Subtype /Form \(filter) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream",
            ])
        #expect(found == (isNamed ? [.streamLength] : []))
    }

    @Test("a defect that matters is told, however many others come before it")
    func manyDefects() throws {
        func doubts(_ last: String) throws -> [String] {
            let count = 250
            let forms = (0..<count).map { "/X\($0) \($0 + 9) 0 R" }.joined(separator: " ")
            let form =
                "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0>>\nstream\n\nendstream"
            let annotation = "<</Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP <</N 8 0 R>>>>"
            let look =
                "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</Y 6 0 R "
                + "\(forms)>>>> /Length 0>>\nstream\n\nendstream"
            var sample = SamplePDF(
                pageEntries: "/MediaBox [0 0 200 200] /Annots [7 0 R]",
                extraObjects: [last, annotation, look] + (0..<count).map { _ in form })
            sample.header = "%PDF-1.7\n"
            // The look stays whole, what it draws is not.
            let text = String(decoding: sample.bytes, as: UTF8.self)
            let start = try #require(text.range(of: "\n9 0 obj")).lowerBound
            let bytes =
                Array(text[..<start].utf8)
                + Array(text[start...].replacing("endobj", with: "      ").utf8)
            let document = try PDFDocument(source: MemorySource(bytes))
            let found = try DocumentStructure.doubts(
                about: document, form: AcroForm(of: document), effort: .thorough)
            #expect(document.warnings.count >= PDFLimits.warningCount)
            return found.lines
        }
        let form =
            "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0>>\nstream\n\nendstream"
        let told = { (line: String) in line.contains("only a reference") }
        #expect(try !doubts(form).contains(where: told))
        #expect(try doubts("9 0 R").contains(where: told))
    }
}
