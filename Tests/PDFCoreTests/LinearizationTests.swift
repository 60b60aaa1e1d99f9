import Base
import Foundation
import PDFCore
import SignetTestSupport
import Testing

/// Files that say that they are linearized, and of which pages.
@Suite struct LinearizationTests {
    /// A page behind these parameters; `LENGTH` stands for the length of the file.
    private static func document(
        _ parameters: String, behind junk: String = ""
    ) throws -> PDFDocument {
        var sample = SamplePDF()
        func bytes(_ length: Int) -> [UInt8] {
            let digits = String(length)
            let padded = String(repeating: "0", count: 6 - digits.count) + digits
            sample.header =
                junk + "%PDF-1.7\n9 0 obj\n<<"
                + parameters.replacing("LENGTH", with: padded) + ">>\nendobj\n"
            return sample.bytes
        }
        return try PDFDocument(source: MemorySource(bytes(bytes(0).count)))
    }

    @Test(arguments: [
        // Of another length nobody asks the rest.
        "/Linearized 1 /L 20 /O 7 /N 5", "/L LENGTH /O 7 /N 5", "/Linearized 1 /O 7 /N 5",
    ]) func whatAgreesIsNothing(parameters: String) throws {
        let document = try Self.document(parameters)
        #expect(try document.linearizationDisagreement() == nil)
        #expect(try document.linearizationDisagreement(isGrowing: true) == nil)
    }

    @Test(arguments: [
        ("/Linearized 1 /L LENGTH /O 4 /N 1", "starts with object 4"),
        ("/Line#61rized 1 /L LENGTH /O 3 /N 2", "declares 2 pages, but the page tree has 1"),
        ("/Linearized 1 /L LENGTH /O 3 /N 1 /P 1", "starts with an object that is not a page"),
        ("/Linearized 1 /L LENGTH /L 3 /O 3 /N 1", "has the key /L for it more than once"),
        ("/Linearized 1 /L LENGTH /O 3 /N 1", "another cross-reference section"),
        (
            "/X (" + String(repeating: "x", count: 2000) + ") /Linearized 1 /L LENGTH /O 4",
            "starts with object 4"
        ),
    ]) func otherPagesAreTold(parameters: String, words: String) throws {
        let found = try Self.document(parameters).linearizationDisagreement()
        #expect(found?.contains(words) == true, "\(found ?? "nothing")")
    }

    @Test("a file may get the length that it says", arguments: ["/O 4", "/O 3"])
    func growing(first: String) throws {
        let document = try Self.document("/Linearized 1 /L 99999 /N 1 " + first)
        #expect(try document.linearizationDisagreement() == nil)
        let found = try document.linearizationDisagreement(isGrowing: true)
        #expect(found?.contains("declares a greater file length") == true, "\(found ?? "nothing")")
    }

    /// One that begins with its newest section, and another behind it.
    @Test("the newest section may follow the parameters") func sections() throws {
        var bytes: [UInt8] = []
        for behind in ["", "xref\n0 0\ntrailer\n<<>>\n"] {
            let page = "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>>"
            let objects =
                "2 0 obj\n<</Type /Pages /Kids [3 0 R] /Count 1>>\nendobj\n"
                + "3 0 obj\n\(page)\nendobj\n1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n"
            func file(_ length: Int, _ start: Int) -> String {
                let digits = { (number: Int) in String(String(number + 10_000_000_000).dropFirst())
                }
                let head =
                    "%PDF-1.7\n9 0 obj\n<</Linearized 1 /L \(digits(length)) /O 3 /N 1>>\nendobj\n"
                let places = [1, 2, 3].map { number in
                    let before = objects.components(separatedBy: "\(number) 0 obj")[0]
                    return "\(digits(start + before.utf8.count)) 00000 n \n"
                }
                let table =
                    "xref\n0 4\n0000000000 65535 f \n\(places.joined())"
                    + "trailer\n<</Size 10 /Root 1 0 R>>\n"
                return head + behind + table + objects
                    + "startxref\n\(head.utf8.count + behind.utf8.count)\n%%EOF\n"
            }
            let start = file(0, 0).components(separatedBy: "2 0 obj")[0].utf8.count
            bytes = Array(file(file(0, start).utf8.count, start).utf8)
            let document = try PDFDocument(source: MemorySource(bytes))
            #expect(try (document.linearizationDisagreement() == nil) == behind.isEmpty)
        }
    }

    @Test("readers count from the start or from the header") func behindJunk() throws {
        let document = try Self.document("/Linearized 1 /L LENGTH /O 4", behind: "junk\n")
        let found = try document.linearizationDisagreement()
        #expect(found?.contains("starts with object 4") == true, "\(found ?? "nothing")")
    }
}
