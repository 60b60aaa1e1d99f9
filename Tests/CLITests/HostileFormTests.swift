import Foundation
import SignetTestSupport
import Testing

/// Forms and files whose parts are not what they seem.
@Suite struct HostileFormTests {
    // MARK: Objects in two roles

    static let twice: [(bytes: [UInt8], options: [String])] = {
        var kidsOfPages = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Sig /T (S) /Kids [3 0 R]>>"])
        kidsOfPages.objects[2] = kidsOfPages.objects[2].replacing(
            "/Contents", with: "/Subtype /Widget /Rect [9 9 99 99] /Contents")
        return [
            // The form is its only field.
            (
                SamplePDF(
                    catalogEntries: "/AcroForm 6 0 R",
                    extraObjects: ["<</Fields [6 0 R] /FT /Sig /T (S)>>"]
                ).bytes, []
            ),
            // The catalogue is a field, or a field's kid.
            (
                SamplePDF(
                    catalogEntries: "/AcroForm <</Fields [1 0 R]>> /FT /Sig /T (S)"
                ).bytes, ["--certify", "no-changes"]
            ),
            (
                SamplePDF(
                    catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                    extraObjects: ["<</FT /Sig /T (S) /Kids [1 0 R]>>"]
                ).bytes, ["--certify", "no-changes", "--field", "S", "--allow-hidden"]
            ),
            // A page is a kid.
            (kidsOfPages.bytes, ["--field", "S", "--allow-hidden"]),
        ]
    }()

    @Test(arguments: twice.indices) func objectsInTwoRolesAreRefused(index: Int) throws {
        let (bytes, options) = Self.twice[index]
        let (workspace, outcome) = try sign(bytes, "\(options)")
        outcome.expectRefusal(.malformedInput, naming: "used in the form and elsewhere")
        #expect(!workspace.exists("out.pdf"))
    }

    /// A line through a clause, or somebody's stamp, listed as a kid of the field to be signed.
    @Test(arguments: [
        "/Subtype /Line /Rect [72 400 400 400]", "/Subtype /Stamp /Rect [72 400 72.5 500]",
        "/Subtype /Stamp /Rect [72 400]", "/Subtype /Highlight /Rect [0 0 0 0]",
    ]) func whatOthersDrewStays(entries: String) throws {
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [7 0 R 8 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Sig /T (S) /Kids [7 0 R 8 0 R]>>",
                "<</Type /Annot /Subtype /Widget /Parent 6 0 R /Rect [100 100 300 160] /F 4>>",
                "<</Type /Annot \(entries) /AP <</N 9 0 R>>>>",
                "<</Subtype /Form /BBox [0 0 9 9] /Length 0>>\nstream\n\nendstream",
            ]
        ).bytes
        let (workspace, outcome) = try sign(bytes, "--field S --allow-hidden")
        outcome.expect(.done)
        let text = String(
            decoding: try workspace.read("out.pdf").dropFirst(bytes.count), as: Unicode.ASCII.self)
        #expect(!text.contains("\n8 0 obj"))
    }

    // MARK: Many places

    @Test func manyWidgetsCostLittle() throws {
        let count = 2000
        let numbers = (7..<(7 + count)).map { "\($0) 0 R" }.joined(separator: " ")
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [\(numbers)]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Sig /T (S) /Kids [\(numbers)]>>"]
                + (0..<count).map { _ in "<</Subtype /Widget /Parent 6 0 R /F 4 /Rect [9 9 99 99]>>"
                }
        ).bytes
        let (_, outcome) = try sign(bytes)
        outcome.expectRefusal(.usage, naming: "\(count) widgets")
        #expect(outcome.errors.utf8.count < 4096)
    }

    @Test func longNamesAreCut() throws {
        let name = String(repeating: "x", count: 100_000)
        let bytes = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R 7 0 R]>>",
            extraObjects: ["a", "b"].map { "<</FT /Sig /T (\($0)\(name))>>" }
        ).bytes
        let (_, outcome) = try sign(bytes)
        outcome.expectRefusal(.usage, naming: "2 empty signature fields")
        #expect(outcome.errors.utf8.count < 2048)
    }

    // MARK: Revisions

    /// What readers take for the newest revision is the one that is signed.
    @Test(arguments: [
        "%%EO", "%%eof", "%% EOF", "", "%%EO\n" + String(repeating: " ", count: 1500),
    ])
    func aMisspeltEndLeadsToNoOlderRevision(marker: String) throws {
        let first = SamplePDF().bytes
        let previous = try #require(
            String(decoding: first, as: Unicode.ASCII.self)
                .matches(of: /startxref\n([0-9]+)/).last?.output.1)
        var bytes = first
        let text = "BT /F1 24 Tf 72 720 Td (Newest) Tj ET"
        let offset = bytes.count
        bytes += Array(
            "4 0 obj\n<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream\nendobj\n".utf8)
        let section = bytes.count
        let digits = String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset)"
        bytes += Array(
            "xref\n4 1\n\(digits) 00000 n \ntrailer <</Size 6 /Root 1 0 R /Prev \(previous)>>\n"
                .utf8)
        bytes += Array("startxref\n\(section)\n\(marker)\n".utf8)
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        try workspace.succeed("verify out.pdf --trust valid.pem")
        guard let text = try workspace.tool("pdftotext out.pdf -") else { return }
        #expect(text.output.contains("Newest"))
    }
}
