import PDFCore
import Testing

@testable import PDFSigning
@testable import PDFVerification

/// Signatures that earlier revisions have and the newest one does not.
@Suite struct LostSignaturesTests {
    private typealias File = RevisedFile
    private static let page = File.page
    private static let signature = "<< /Type /Sig /Filter /X /SubFilter /Y /Contents <00> >>"

    private static func catalog(_ fields: String) -> String { File.catalog(fields) }

    private static func field(_ name: String, value: Int? = nil, _ more: String = "") -> String {
        File.field(name, value: value, more)
    }

    /// Fields 10 and 11, of which 10 is signed.
    private static func signed() -> File {
        var file = File()
        file.revise(
            page.merging(
                [1: catalog("10 0 R 11 0 R"), 10: field("a"), 11: field("b")],
                uniquingKeysWith: { $1 }))
        file.revise([10: field("a", value: 20), 20: signature])
        return file
    }

    @Test func nothingIsLostByFurtherSignatures() throws {
        var file = Self.signed()
        file.revise([11: Self.field("b", value: 21), 21: Self.signature])
        file.revise([
            1: Self.catalog("10 0 R 11 0 R 12 0 R"), 12: Self.field("c", value: 22),
            22: Self.signature,
        ])
        #expect(try file.lost().fields.isEmpty)
    }

    private static let removals: [[Int: String]] = [
        [1: catalog("11 0 R")], [1: "<< /Type /Catalog /Pages 2 0 R >>"],
        [10: field("a")], [10: "<< /FT /Tx /T (a) >>"], [10: "null"],
        [10: field("a", value: 21), 21: signature], [20: signature], [20: "null"],
        [1: catalog("12 0 R"), 12: field("a", value: 22), 22: signature],
    ]

    @Test(arguments: removals.indices) func whatIsTakenAwayIsFound(index: Int) throws {
        var file = Self.signed()
        file.revise(Self.removals[index])
        #expect(try file.lost().fields == ["a"])
        // However many revisions come then.
        file.revise([11: Self.field("b", value: 30), 30: Self.signature])
        file.revise([40: "(nothing)"])
        #expect(try file.lost().fields == ["a"])
    }

    @Test func aFieldThatLosesItsKidsLosesTheirSignatures() throws {
        var file = File()
        file.revise(
            Self.page.merging(
                [
                    1: Self.catalog("10 0 R 11 0 R"), 10: "<< /T (p) /Kids [12 0 R] >>",
                    11: Self.field("b"), 12: Self.field("a", value: 20, "/Parent 10 0 R"),
                    20: Self.signature,
                ], uniquingKeysWith: { $1 }))
        file.revise([10: "<< /T (p) /FT /Tx /V (text) >>"])
        file.revise([11: Self.field("b", value: 30), 30: Self.signature])
        #expect(try file.lost().fields == ["p.a"])
    }

    @Test func anotherCatalogHidesNothing() throws {
        var file = File()
        file.revise(
            Self.page.merging(
                [
                    1: Self.catalog("10 0 R"), 10: Self.field("a", value: 20), 20: Self.signature,
                    50: Self.catalog("11 0 R"), 11: Self.field("b"),
                ], uniquingKeysWith: { $1 }))
        file.revise([40: "(nothing)"], root: 50)
        #expect(try file.lost().fields == ["a"])
    }

    @Test func aSignatureIsFoundInTheRevisionThatHadIt() throws {
        var file = Self.signed()
        file.revise([20: Self.signature])
        file.revise([20: Self.signature])
        // Two of the three that object 20 was.
        #expect(try file.lost().fields == ["a", "a"])
    }
}

extension RevisedFile {
    fileprivate func lost() throws -> LostSignatures {
        let document = try document()
        return try LostSignatures(in: document, besides: AcroForm(of: document))
    }
}
