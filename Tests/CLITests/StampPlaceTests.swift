import Foundation
import SignetTestSupport
import Testing

/// Documents that readers lay out in different ways: a stamp shows where it was asked for, and
/// nowhere else, or there is none.
@Suite struct StampPlaceTests {
    private func sign(
        _ bytes: [UInt8], _ options: [String]
    ) throws -> (Workspace, CommandOutcome) {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "in.pdf")
        let outcome = try workspace.signet(
            ["sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "out.pdf"]
                + options)
        return (workspace, outcome)
    }

    private static let atCorner = ["--at", "1:bottom-right"]

    /// What signing appended, as text.
    private func appended(_ workspace: Workspace) throws -> String {
        String(
            decoding: try workspace.read("out.pdf").dropFirst(try workspace.read("in.pdf").count),
            as: Unicode.ASCII.self)
    }

    // MARK: Arrays with two uses

    private static let text = "<</Subtype /Text /Rect [72 600 92 620]>>"
    private static let field =
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [72 600 92 620] /F 4>>"
    private static let otherPage = "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"

    /// Two pages; objects 6 and 7 are an array and an annotation, 9 leads to the array.
    private static func pair(
        page: String, other: String, catalog: String = "", annotation: String = text
    ) -> [UInt8] {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(page)", catalogEntries: catalog,
            extraObjects: ["[7 0 R]", annotation, "\(otherPage) \(other)>>", "6 0 R"])
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 8 0 R] /Count 2>>"
        return sample.bytes
    }

    static let shared = [
        pair(
            page: "", other: "/Annots 6 0 R", catalog: "/AcroForm <</Fields 6 0 R>>",
            annotation: field),
        pair(page: "/Annots 6 0 R", other: "/Annots 6 0 R"),
        pair(page: "/Annots 6 0 R", other: "/Annots 9 0 R"),
        pair(page: "/Annots 9 0 R", other: "/Annots 6 0 R"),
        pair(
            page: "/Annots 6 0 R", other: "", catalog: "/AcroForm <</Fields [10 0 R]>>",
            annotation: field
        ),
    ]

    @Test(arguments: shared.indices) func arraysThatAreObjectsAreLeftAlone(index: Int) throws {
        let (workspace, outcome) = try sign(Self.shared[index], Self.atCorner)
        outcome.expect(ExitCode.done)
        #expect(try !appended(workspace).contains("\n6 0 obj"))
        #expect(try appended(workspace).contains(/\n3 0 obj\n.*\/Annots \[/.dotMatchesNewlines()))
        try workspace.signet("verify", "out.pdf", "--trust", "valid.pem").expect(ExitCode.done)
    }

    /// There may be too many pages to look whether one has the same array.
    @Test func manyPagesThatShareAnnotationsDoNotShareTheStamp() throws {
        let count = 2001
        var sample = SamplePDF(extraObjects: ["[7 0 R]", Self.text])
        sample.objects += [String](
            repeating: "\(Self.otherPage) /Annots 6 0 R>>", count: count)
        let kids = (0..<count).map { "\($0 + 8) 0 R" }.joined(separator: " ")
        sample.objects[1] = "<</Type /Pages /Kids [\(kids)] /Count \(count)>>"
        let (workspace, outcome) = try sign(sample.bytes, Self.atCorner)
        outcome.expect(ExitCode.done)
        #expect(try !appended(workspace).contains("\n6 0 obj"))
    }
}
