import Foundation
import SignetTestSupport
import Testing

/// What `sign` refuses, signs with an option, notes, and signs without a word.
@Suite struct SigningTierTests {
    /// A document whose only field is an empty signature field.
    private static func field(_ entries: String, others: String = "", page: String = "") -> [UInt8]
    {
        SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R \(others)] \(page)",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</Type /Annot /Subtype /Widget /FT /Sig /T (S) /P 3 0 R \(entries)>>",
                "<</Type /Annot /Subtype /Square /Rect [90 90 320 170] /AP <</N 8 0 R>>>>",
                "<</Subtype /Form /BBox [0 0 9 9] /Length 0>>\nstream\n\nendstream",
                "<</Type /OCG /Name (layer)>>",
            ]
        ).bytes
    }

    private static let box = "/Rect [100 100 300 160]"

    @Test(arguments: [
        (field("\(box) /F 2"), "it is hidden"),
        (field("/F 4 /Rect [700 100 900 160]"), "outside the page"),
        (field("\(box) /F 4 /OC 9 0 R"), "a layer that can be hidden"),
        (field("\(box) /F 4", others: "7 0 R"), "an annotation (Square) covers"),
        (field("\(box) /F 4 /Lock <</Action /All>>"), "adds: a lock of form fields (all)"),
        (
            SamplePDF(catalogEntries: "/OpenAction <</S /JavaScript /JS (x)>>").bytes,
            "a script runs"
        ),
        (
            SamplePDF(catalogEntries: "/OpenAction <</S /Launch /F (x)>>").bytes,
            "an action (Launch)"
        ),
        (SamplePDF(catalogEntries: "/Collection <</View /D>>").bytes, "is a portfolio"),
    ]) func toldInOneNote(bytes: [UInt8], words: String) throws {
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("note:") } == 1 && !outcome.errors.contains("warning:"))
        let text = outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains(words), "\(outcome.errors)")
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test func hiddenFieldsAreNotCalledVisible() throws {
        let (_, hidden) = try sign(Self.field("\(Self.box) /F 2"))
        #expect(hidden.output.contains(", on page 1)"), "\(hidden.output)")
        let (_, shown) = try sign(Self.field("\(Self.box) /F 4"))
        #expect(shown.output.contains(", visible on page 1)"), "\(shown.output)")
    }

    @Test(arguments: [
        field("/Rect [0 0 0 0] /F 132"), field("\(box) /F 4"),
        SamplePDF(
            catalogEntries: "/Names <</EmbeddedFiles <</Names [(a.xml) <</F (a.xml)>>]>>>>"
        ).bytes,
        SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Tx /T (name)>>"]
        ).bytes,
        SamplePDF(
            pageEntries: "/Annots [<</Subtype /Widget /FT /Tx /T (x) /Rect [9 9 99 99]>>]"
        ).bytes,
    ]) func signedWithoutAWord(bytes: [UInt8]) throws {
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    /// A sample with ASCII only, and one text replaced.
    private static func sample(replacing text: String, with other: String) -> [UInt8] {
        var sample = SamplePDF()
        sample.header = "%PDF-1.7\n"
        return Array(
            String(decoding: sample.bytes, as: UTF8.self).replacing(text, with: other).utf8)
    }

    /// The cross-reference table is not where startxref says, and lists another page than the last one.
    private static let disputed = sample(
        replacing: "xref\n0 ", with: "3 0 obj\n<</Type /Page>>\nendobj\nxref\n0 ")

    @Test func damagedFilesAreSignedWithTheOptionThatTheHintNames() throws {
        let (workspace, refused) = try sign(Self.disputed)
        refused.expectRefusal(.malformedInput, naming: "damaged", "--allow-damaged")
        #expect(!workspace.exists("out.pdf"))
        let (_, signed) = try sign(Self.disputed, "--allow-damaged")
        signed.expect(.done)
        #expect(signed.errors.contains("warning:"))
    }

    /// Whatever else is appended to a damaged file needs the same option.
    private func expectOption(_ workspace: Workspace, _ command: [String]) throws {
        let refused = try workspace.signet(command)
        refused.expectRefusal(.malformedInput, naming: "damaged", "--allow-damaged")
        #expect(!workspace.exists("out.pdf"))
        let done = try workspace.succeed("\(command) --allow-damaged")
        #expect(done.errors.contains("warning:"))
        #expect(workspace.exists("out.pdf"))
    }

    @Test func fieldsInDamagedFilesNeedTheOption() throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(Self.disputed), to: "in.pdf")
        try expectOption(workspace, ["field", "add", "in.pdf", "--field", "A", "-o", "out.pdf"])
    }

    @Test func timestampsAndValidationDataInDamagedFilesNeedTheOption() throws {
        guard let office = try LongTermOffice() else { return }
        var sample = SamplePDF()
        sample.header = "%PDF-1.7\n9 0 obj\n<</Linearized 1 /L 999999 /O 3 /N 1>>\nendobj\n"
        try office.workspace.write(Data(sample.bytes), to: "in.pdf")
        let output = ["-o", "out.pdf"]
        try expectOption(office.workspace, ["timestamp", "in.pdf"] + output + office.tsa())
        try office.sign("T", as: "signed.pdf", of: "in.pdf", ["--allow-damaged"]).expect(.done)
        for level in [["--level", "LT"], office.tsa()] {
            try FileManager.default.removeItem(at: office.workspace.url("out.pdf"))
            try expectOption(
                office.workspace, ["extend", "signed.pdf"] + output + level + office.trust)
        }
        try office.sign("LTA", as: "archived.pdf", of: "in.pdf", ["--allow-damaged"]).expect(.done)
    }

    /// The font is in an object stream that no viewer can decode.
    @Test func objectStreamsWithUnknownFiltersNeedTheOption() throws {
        var sample = SamplePDF(extraObjects: [
            "<</Type /ObjStm /N 1 /First 4 /Filter /Unknown /Length 0>>\nstream\n\nendstream"
        ])
        sample.crossReference = .stream
        // The row of object 5: compressed, in object 6.
        let bytes = Array(sample.bytes)
        let data = try #require(Data(bytes).range(of: Data("\nstream\n".utf8), options: .backwards))
        var changed = bytes
        changed.replaceSubrange(
            data.upperBound + 5 * 5..<data.upperBound + 6 * 5, with: [2, 0, 0, 6, 0])
        let (_, refused) = try sign(changed)
        refused.expectRefusal(.malformedInput, naming: "Unknown", "--allow-damaged")
        let (workspace, signed) = try sign(changed, "--allow-damaged")
        signed.expect(.done)
        try workspace.signet("verify out.pdf --trust valid.pem").expect(.indeterminate)
    }

    @Test(arguments: [
        ("endobj\n5 0 obj", "       5 0 obj"), ("/Length 37", "/Length 9 "),
        ("%PDF-", "junk\n%PDF-"),
    ]) func slightlyDamagedFilesAreSignedAndPass(text: String, other: String) throws {
        let (workspace, outcome) = try sign(
            Self.sample(replacing: text, with: other), "--allow-damaged")
        outcome.expect(.done)
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test func strictRefusesScriptsButNoAttachments() throws {
        let script = SamplePDF(catalogEntries: "/OpenAction <</S /JavaScript /JS (x)>>").bytes
        let (_, refused) = try sign(script, "--strict")
        refused.expectRefusal(.malformedInput, naming: "a script runs")
        let portfolio = SamplePDF(catalogEntries: "/Collection <</View /D>>").bytes
        try sign(portfolio, "--strict").1
            .expectRefusal(.malformedInput, naming: "is a portfolio")
        let attached = SamplePDF(
            catalogEntries: "/Names <</EmbeddedFiles <</Names [(a.xml) <</F (a.xml)>>]>>>>"
        ).bytes
        let (_, signed) = try sign(attached, "--strict")
        signed.expect(.done)
    }

    @Test func findingsAreExplainedWithTheirTier() throws {
        let workspace = try signingWorkspace()
        let allowed = try workspace.signet("help problems readers-disagree").output
        #expect(allowed.contains("--allow-damaged"))
        let told = try workspace.signet("help problems javascript").output
        #expect(told.contains("prints a note") && told.contains("--strict refuses"))
    }
}
