import ByteKit
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
        "/Linearized 1 /L LENGTH /O 3 /N 1", "/Linearized 1 /L LENGTH /O 3 /N 1 /P 0",
        // Of another length nobody asks the rest.
        "/Linearized 1 /L 20 /O 7 /N 5", "/L LENGTH /O 7 /N 5", "/Linearized 1 /O 7 /N 5",
    ]) func whatAgreesIsNothing(parameters: String) throws {
        let document = try Self.document(parameters)
        #expect(try document.linearizationDisagreement() == nil)
        #expect(try document.linearizationDisagreement(isGrowing: true) == nil)
    }

    @Test(arguments: [
        ("/Linearized 1 /L LENGTH /O 4 /N 1", "begins with object 4"),
        ("/Line#61rized 1 /L LENGTH /O 3 /N 2", "speaks of 2 pages, of which the page tree has 1"),
        ("/Linearized 1 /L LENGTH /O 3 /N 1 /P 1", "begins with a page that is none"),
        ("/Linearized 1 /L LENGTH /L 3 /O 3 /N 1", "has the key /L for it more than once"),
        (
            "/X (" + String(repeating: "x", count: 2000) + ") /Linearized 1 /L LENGTH /O 4",
            "begins with object 4"
        ),
    ]) func otherPagesAreTold(parameters: String, words: String) throws {
        let found = try Self.document(parameters).linearizationDisagreement()
        #expect(found?.contains(words) == true, "\(found ?? "nothing")")
    }

    @Test("a file may get the length that it says") func growing() throws {
        let document = try Self.document("/Linearized 1 /L 99999 /O 4 /N 1")
        #expect(try document.linearizationDisagreement() == nil)
        #expect(try document.linearizationDisagreement(isGrowing: true) != nil)
    }

    @Test("readers count from the start or from the header") func behindJunk() throws {
        let document = try Self.document("/Linearized 1 /L LENGTH /O 4", behind: "junk\n")
        #expect(try document.linearizationDisagreement() != nil)
    }
}
