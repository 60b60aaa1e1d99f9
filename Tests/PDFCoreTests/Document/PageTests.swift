import Testing

@testable import PDFCore

struct PageTests {
    private func document(_ objects: [Int: String]) throws -> PDFDocument {
        var builder = TestDocument()
        builder.object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            builder.object(number, body)
        }
        builder.table()
        return try builder.opened()
    }

    /// Five pages: two, a subtree of two, one.
    private func tree(counts: (root: String, inner: String)) throws -> PDFDocument {
        try document([
            2: "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R 8 0 R] \(counts.root) /Rotate 90 >>",
            3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 3 3] >>",
            4: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 4 4] >>",
            5: "<< /Type /Pages /Parent 2 0 R /Kids [6 0 R 7 0 R] \(counts.inner) /Rotate 180 >>",
            6: "<< /Type /Page /Parent 5 0 R /MediaBox [0 0 6 6] >>",
            7: "<< /Type /Page /Parent 5 0 R /MediaBox [0 0 7 7] /Rotate -90 >>",
            8: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 8 8] >>",
        ])
    }

    @Test(arguments: [
        ("/Count 5", "/Count 2"), ("/Count 4", "/Count 2"), ("/Count 5", "/Count 3"), ("", ""),
        ("/Count -1", "/Count 2"), ("/Count 9999999999", "/Count 2"), ("/Count 5", "/Count (x)"),
        ("/Count 0", "/Count 0"),
    ])
    func findsPagesWhateverTheCountsSay(root: String, inner: String) throws {
        let document = try tree(counts: (root, inner))
        #expect(try document.pageCount() == 5)
        #expect(try (0..<5).map { try document.page(at: $0).id.number } == [3, 4, 6, 7, 8])
        #expect(try (0..<5).map { try document.page(at: $0).rotate } == [90, 90, 180, 270, 90])
        #expect(errorCode { _ = try document.page(at: 5) } == .noSuchPage)
        #expect(errorCode { _ = try document.page(at: -1) } == .noSuchPage)
    }

    @Test func inheritsAndNormalisesBoxes() throws {
        let document = try document([
            2:
                "<< /Kids [3 0 R 4 0 R 5 0 R] /Count 3 /MediaBox [600 800 0 10] /CropBox [5 0 2000 700] >>",
            3: "<< /Type /Page /Parent 2 0 R /UserUnit 2.5 >>",
            4: "<< /Type /Page /Parent 2 0 R /CropBox [1000 1000 2000 2000] /Rotate 450 >>",
            5: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 0 0] /CropBox null /Rotate 45 >>",
        ])
        let first = try document.page(at: 0)
        #expect(first.mediaBox == PDFRectangle(0, 10, 600, 800))
        #expect(first.cropBox == PDFRectangle(5, 10, 600, 700))
        #expect(first.userUnit == 2.5)
        let second = try document.page(at: 1)
        #expect(second.cropBox == second.mediaBox)
        #expect(second.rotate == 90)
        #expect(try document.page(at: 2).mediaBox == PDFRectangle(0, 0, 612, 792))
    }

    @Test(arguments: [
        [2: "<< /Kids [2 0 R] /Count 1 >>"],
        [2: "<< /Kids [3 0 R] /Count 1 >>", 3: "<< /Kids [2 0 R] /Count 1 >>"],
        [
            2: "<< /Kids [3 0 R 3 0 R] /Count 2 >>", 3: "<< /Kids [4 0 R] /Count 7 >>",
            4: "<< /Type /Page >>",
        ],
    ])
    func refusesTreesWithLoops(objects: [Int: String]) throws {
        let document = try document(objects)
        #expect(errorCode { _ = try document.page(at: 9) } == .referenceLoop)
    }

    @Test(
        arguments: [
            ("/Count 5", "/Count 2", nil), ("/Count 4", "/Count 2", 4), ("/Count 6", "/Count 2", 5),
            ("/Count 5", "/Count 1", 3), ("/Count 5", "", 2), ("", "/Count 2", 0),
        ] as [(String, String, Int?)])
    func saysFromWherePagesAreCountedInOtherWays(root: String, inner: String, first: Int?) throws {
        let document = try tree(counts: (root, inner))
        #expect(try document.firstDisputedPageIndex() == first)
        #expect(try document.page(at: 3).doubts.isEmpty)
        #expect(document.warnings.map(\.code) == (first == nil ? [] : [.pageCount]))
    }

    @Test func refusesParentsInACircle() throws {
        let document = try document([
            2: "<< /Kids [3 0 R] /Count 1 >>", 3: "<< /Type /Page /Parent 4 0 R >>",
            4: "<< /Parent 3 0 R >>",
        ])
        #expect(errorCode { _ = try document.page(at: 0) } == .referenceLoop)
    }

    @Test func leavesOutKidsThatAreNoPages() throws {
        let document = try document([
            2: "<< /Kids [3 0 R 99 0 R null 4 0 R (x)] /Count 5 >>",
            3: "<< /Type /Page /Parent 2 0 R >>", 4: "<< /Type /Page /Parent 2 0 R >>",
        ])
        #expect(try document.pageCount() == 2)
        #expect(try document.page(at: 1).id.number == 4)
    }

    @Test(arguments: ["(no end", "<< /Kids >>", "[ >>", "<< /Kids 9 0 R", ""])
    func leavesOutKidsThatAreDamaged(body: String) throws {
        let document = try document([
            2: "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>",
            3: "<< /Type /Page /Parent 2 0 R >>", 4: "<< /Type /Page /Parent 2 0 R >>", 5: body,
        ])
        #expect(try document.pageCount() == 2)
        #expect(try document.page(at: 0).id.number == 3)
        #expect(document.warnings.contains { $0.code == .pageTreeEntry })
    }

    @Test(arguments: ["", "/Pages << >>", "/Pages 9 0 R", "/Pages 1 0 R"])
    func refusesCataloguesWithoutPages(entry: String) throws {
        var builder = TestDocument()
        builder.object(1, "<< /Type /Catalog \(entry) >>")
        builder.table()
        let document = try builder.opened()
        if entry == "/Pages 1 0 R" {
            #expect(try document.pageCount() == 1)
        } else {
            #expect(errorCode { _ = try document.pageCount() } == .malformedPageTree)
        }
    }
}
