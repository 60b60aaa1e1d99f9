import Base
import PDFCore
import SignetKit
import SignetTestSupport
import Testing

@testable import PDFSigning

@Suite("Tagged documents")
struct TaggedDocumentTests {
    /// A tagged page: its content is a paragraph, number 0 of the parent tree.
    struct Shape: CustomTestStringConvertible {
        let name: String
        /// Further entries of the structure tree's root, object 6; 7 is the document's element.
        let root: String
        var objects: [String] = []
        /// The number that the widget gets.
        var key: Int? = 1
        var testDescription: String { name }
    }

    static let element = "<</Type /StructElem /S /Document /P 6 0 R /K [8 0 R]>>"
    static let paragraph = "<</Type /StructElem /S /P /P 7 0 R /Pg 3 0 R /K 0>>"
    static let shapes = [
        Shape(
            name: "flat", root: "/K 7 0 R /ParentTree 9 0 R /ParentTreeNextKey 1",
            objects: [element, paragraph, "<</Nums [0 [8 0 R]]>>"]),
        Shape(
            name: "direct", root: "/K [7 0 R] /ParentTree <</Nums [0 [8 0 R]]>>",
            objects: [element, paragraph]),
        Shape(
            name: "next key too low", root: "/K 7 0 R /ParentTree 9 0 R /ParentTreeNextKey 0",
            objects: [element, paragraph, "<</Nums [0 [8 0 R] 4 8 0 R]>>"], key: 5),
        Shape(
            name: "next key higher", root: "/K 7 0 R /ParentTree 9 0 R /ParentTreeNextKey 70",
            objects: [element, paragraph, "<</Nums [0 [8 0 R]]>>"], key: 70),
        Shape(
            name: "nested", root: "/K 7 0 R /ParentTree 9 0 R",
            objects: [
                element, paragraph, "<</Kids [10 0 R 11 0 R]>>",
                "<</Limits [0 0] /Nums [0 [8 0 R]]>>", "<</Limits [3 3] /Nums [3 8 0 R]>>",
            ], key: 4),
        Shape(
            name: "no document element", root: "/K [8 0 R] /ParentTree 9 0 R",
            objects: [
                "null", "<</Type /StructElem /S /P /P 6 0 R /Pg 3 0 R /K 0>>",
                "<</Nums [0 [8 0 R]]>>",
            ]), Shape(name: "empty", root: "", key: 0),
        Shape(
            name: "damaged", root: "/K 7 0 R /ParentTree 9 0 R",
            objects: [element, paragraph, "<</Kids [9 0 R]>>"], key: nil),
    ]

    private func document(_ shape: Shape) -> [UInt8] {
        SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /StructParents 0",
            catalogEntries: "/MarkInfo <</Marked true>> /StructTreeRoot 6 0 R",
            extraObjects: ["<</Type /StructTreeRoot \(shape.root)>>"] + shape.objects
        ).bytes
    }

    @Test("a new field gets a form element, found from both sides", arguments: shapes)
    func tagsTheField(shape: Shape) throws {
        let signer = try Signer()
        let signed = try signer.sign(document(shape)) {
            var stamp = StampOptions()
            stamp.page = 1
            $0.stamp = stamp
        }
        let report = try signer.verify(signed)
        #expect(report.verdict == .passed, "\(report)")

        let file = try PDFDocument(source: MemorySource(signed))
        let field = try #require(try AcroForm(of: file).signatureFields.first)
        #expect(field.dictionary["StructParent"]?.integerValue == shape.key)
        guard let key = shape.key else { return }
        let name = try #require(field.dictionary["TU"]?.stringValue)
        let page = try file.page(at: 0)
        #expect(page.dictionary["Tabs"]?.nameValue == "S")
        let root = try #require(
            try file.resolve(file.catalog()["StructTreeRoot"] ?? .null).dictionaryValue)
        #expect(root["ParentTreeNextKey"]?.integerValue == key + 1)

        // Down the parent tree's last branch to the element, and from there to the widget.
        var node = try #require(try file.value(root, "ParentTree").dictionaryValue)
        while let kid = try file.value(node, "Kids").arrayValue?.last {
            node = try #require(try file.resolve(kid).dictionaryValue)
            #expect(node["Limits"]?.arrayValue?.last?.integerValue == key)
        }
        let numbers = try #require(try file.value(node, "Nums").arrayValue)
        #expect(numbers.dropLast().last?.integerValue == key)
        let elementID = try #require(numbers.last?.referenceValue)
        let element = try #require(try file.object(elementID).dictionaryValue)
        #expect(element["S"]?.nameValue == "Form")
        #expect(element["Alt"]?.stringValue == name && !name.isEmpty)
        let reference = try #require(element["K"]?.dictionaryValue)
        #expect(reference["Obj"]?.referenceValue == field.id)
        // And from the top down.
        let upward = try #require(element["P"])
        let parent = try #require(try file.resolve(upward).dictionaryValue)
        let kids = try #require(parent["K"])
        let last = try file.resolve(kids).arrayValue?.last ?? kids
        #expect(last.referenceValue == elementID)
    }

    @Test("what others signed gets no tags, which some validators would count as a change")
    func laterSignatures() throws {
        let signer = try Signer()
        let twice = try signer.sign(try signer.sign(document(Self.shapes[0])))
        let file = try PDFDocument(source: MemorySource(twice))
        let fields = try AcroForm(of: file).signatureFields
        #expect(fields.map { $0.dictionary["StructParent"] != nil } == [true, false])
        #expect(try signer.verify(twice).verdict == .passed)
    }

    @Test("tags for a field that others add are a permitted change", arguments: shapes.dropLast())
    func verifiesTagsOfOthers(shape: Shape) throws {
        let signer = try Signer()
        let signed = try signer.sign(document(shape))
        let file = try PDFDocument(source: MemorySource(signed))
        let field = try #require(try AcroForm(of: file).signatureFields.first)
        var update = IncrementalUpdate(document: file, avoiding: ObjectNumberSet())
        let tree = try #require(try StructureTree(of: file, in: update))
        let key = try tree.tag(
            [(field.id, file.page(at: 0).id)], as: "Form", description: "again", &update)
        #expect(key != nil)
        let bytes = try update.serialize(fileIdentifier: [UInt8](repeating: 7, count: 16)).bytes
        let report = try signer.verify(signed + bytes)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.first?.changes == .formFilling)
    }
}
