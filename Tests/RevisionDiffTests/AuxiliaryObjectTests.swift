import Base
import PDFCore
import SignetTestSupport
import Testing

@testable import RevisionDiff

/// Which objects are nothing but parts of others.
@Suite struct AuxiliaryObjectTests {
    private func isKind(_ kind: AuxiliaryObject, _ body: String) throws -> Bool {
        let sample = SamplePDF(extraObjects: [body])
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        return try kind.isKind(of: document.object(ObjectID(number: 6)), in: document)
    }

    @Test func partsAreKnownByWhatTheyHold() throws {
        let hash = String(repeating: "0aF", count: 14)
        #expect(try isKind(.dictionary, "<</F1 5 0 R>>"))
        #expect(try isKind(.entries(["Certs", "VRI"]), "<</Certs [] /VRI <<>>>>"))
        #expect(try isKind(.signatureLists, "<</\(hash) <<>> /Type /VRI>>"))
        #expect(try isKind(.references, "[4 0 R 5 0 R]"))
        #expect(try isKind(.states, "<</On 4 0 R /Off 4 0 R>>"))
        #expect(try isKind(.stream, "<</Length 0>>\nstream\n\nendstream"))
    }

    @Test(arguments: [
        "<</Type /Page>>", "<</Subtype /Widget>>", "<</Rect [0 0 9 9] /V (x)>>",
        "<</Kids [3 0 R] /Parent 2 0 R>>", "<</FT /Tx>>", "<</Fields []>>", "(x)",
    ]) func whatSaysThatItIsSomethingElseIsNone(body: String) throws {
        for kind in [
            AuxiliaryObject.dictionary, .entries(["Certs", "VRI"]), .signatureLists, .references,
            .states, .stream,
        ] { #expect(try !isKind(kind, body)) }
    }

    @Test func listsOfOtherThingsAreNone() throws {
        #expect(try !isKind(.references, "[4 0 R (x)]"))
        #expect(try !isKind(.states, "<</On 3 0 R>>"))
        #expect(try !isKind(.signatureLists, "<</A 3 0 R>>"))
    }
}
