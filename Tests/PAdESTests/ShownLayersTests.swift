import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Layers that readers show in different states without anybody switching them.
struct ShownLayersTests {
    private static let listed = "<</OCGs [6 0 R] /D <<>>>>"
    private static let off = "<</OCGs [6 0 R] /D <</OFF [6 0 R]>>>>"
    private static let first = "<</OCGs [6 0 R] /D <</BaseState /OFF>>>>"

    private func document(_ objects: [String], _ properties: String) throws -> PDFDocument {
        try PDFDocument(
            source: MemorySource(
                SamplePDF(
                    catalogEntries: "/OCProperties " + properties, extraObjects: objects
                ).bytes))
    }

    @Test(arguments: [
        ("<</Type /OCG>>", "6 0 R", off, true), ("<</Type /OCG>>", "6 0 R", listed, true),
        ("<<>>", "6 0 R", off, false),
        ("<</Type /OCG /Intent /Design>>", "6 0 R", off, false),
        ("<</Type /OCG /Intent [/Design /View]>>", "6 0 R", off, true),
        ("<</Type /OCG /Intent /Design>>", "6 0 R", listed, true),
        ("<</Type /OCG /Usage <</View <</ViewState /OFF>>>>>>", "6 0 R", listed, false),
        ("<</Type /OCG /Usage <</View <</ViewState /OFF>>>>>>", "6 0 R", off, true),
        ("<</Type /OCG /Usage <</View <</ViewState /ON>>>>>>", "6 0 R", first, false),
        ("<</Type /OCG>>", "<</Type /OCMD /OCGs 6 0 R>>", off, true),
        ("<</Type /OCG>>", "<</Type /OCMD /OCGs [null 6 0 R]>>", off, false),
        ("<</Type /OCG>>", "<</Type /OCMD /OCGs [6 0 R] /VE [/Not 6 0 R]>>", off, false),
        ("<<>>", "<</Type /OCMD /OCGs [6 0 R]>>", off, false),
        ("<</MCID 1>>", "6 0 R", "<</OCGs [] /D <<>>>>", true),
    ])
    func layers(layer: String, membership: String, properties: String, isAgreed: Bool) throws {
        let document = try document([layer, membership], properties)
        let number = membership.hasPrefix("<<") ? 7 : 6
        let entries: PDFDictionary = ["MC0": .reference(ObjectID(number: number))]
        var layers = ShownLayers(document)
        let found = try layers.doubt(about: ["Properties": .dictionary(entries)])
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test(arguments: [(off, true), (listed, false), (first, true)])
    func hidden(properties: String, isHidden: Bool) throws {
        let document = try document(["<</Type /OCG>>", "<</Type /OCMD /OCGs 6 0 R>>"], properties)
        for number in [6, 7, 6] {
            var layers = ShownLayers(document)
            #expect(
                try layers.isHidden(.reference(ObjectID(number: number))) == isHidden, "\(number)")
        }
    }
}
