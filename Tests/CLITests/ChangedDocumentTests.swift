import Foundation
import SignetTestSupport
import Testing

/// What `verify` says of documents whose content was changed after signing, as far as is permitted.
struct ChangedDocumentTests {
    /// A letter with the text field `amount` (6, its look 7) and a note that lies on the page (8,
    /// its look 9), signed; then the update.
    private func workspace(updating objects: [Int: String]) throws -> Workspace {
        let workspace = try signingWorkspace()
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R 8 0 R]",
            catalogEntries: "/AcroForm 10 0 R",
            extraObjects: [
                Self.field("100", look: 7), Self.look("100"), Self.note("One", look: 9),
                Self.look("One"), "<</Fields [6 0 R] /DR <</Font <</F1 5 0 R>>>> /DA (/F1 12 Tf)>>",
            ])
        try workspace.write(Data(sample.bytes), to: "form.pdf")
        try workspace.succeed("sign form.pdf --key key.pem --cert valid.pem -o signed.pdf")
        let signed = try workspace.read("signed.pdf")
        let bytes = SamplePDF.updated([UInt8](signed), with: objects, size: 51)
        try workspace.write(Data(bytes), to: "changed.pdf")
        return workspace
    }

    private static func field(_ value: String, look: Int) -> String {
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (amount) /V (\(value)) "
            + "/Rect [72 600 172 620] /F 4 /P 3 0 R /AP <</N \(look) 0 R>>>>"
    }

    private static func note(_ text: String, look: Int) -> String {
        "<</Type /Annot /Subtype /FreeText /Rect [72 500 172 520] /F 4 /DA (/F1 12 Tf) "
            + "/Contents (\(text)) /AP <</N \(look) 0 R>>>>"
    }

    private static func look(_ text: String) -> String {
        let content = "/Tx BMC BT /F1 12 Tf 2 5 Td (\(text)) Tj ET EMC"
        return "<</Type /XObject /Subtype /Form /BBox [0 0 100 20] "
            + "/Resources <</Font <</F1 5 0 R>>>> /Length \(content.utf8.count)>>\nstream\n"
            + "\(content)\nendstream"
    }

    private static let changes: [([Int: String], String)] = [
        (
            [6: field("900", look: 50), 50: look("900")],
            "field 'amount' changed from '100' to '900'"
        ),
        (
            [8: note("Two", look: 50), 50: look("Two")],
            "page 1: annotation (FreeText) changed: 'Two'"
        ),
        // What it says is not what it shows.
        (
            [8: note("One", look: 50), 50: look("Two")],
            "page 1: annotation (FreeText) changed: 'Two' (/Contents: 'One')"
        ),
    ]

    @Test(arguments: changes)
    func tellsPermittedChangesFirst(objects: [Int: String], words: String) throws {
        let workspace = try workspace(updating: objects)
        let found = try workspace.succeed("verify changed.pdf --trust valid.pem")
        #expect(
            found.output.hasPrefix("changed.pdf: PASSED, modified after signing\n"),
            "\(found.output)")
        #expect(found.output.contains("Changes       \(words)\n"), "\(found.output)")
        let report = try workspace.signet("verify changed.pdf --trust valid.pem --json").json(
            VerifyReport.self)
        #expect(report.signatures.map(\.contentChanges) == [[words]])
        let strict = try workspace.signet(
            "verify changed.pdf --trust valid.pem --require-unchanged --json")
        strict.expect(.indeterminate)
        let problems = try strict.json(VerifyReport.self).signatures.flatMap(\.problems)
        #expect(problems.map(\.code).contains("changed-since-signed"))
    }

    /// As on a terminal, and by which rules.
    @Test func reportsChangesToPeople() throws {
        let (objects, words) = Self.changes[0]
        let workspace = try workspace(updating: objects)
        let time = "2027-01-02T00:00:00Z"
        try workspace.succeed([
            "verify", "changed.pdf", "--trust", "valid.pem", "--at-time", time, "--require-level",
            "B", "--report", "r.html",
        ])
        // Foreign words are kept apart from the direction of the rest.
        let page = try workspace.text("r.html")
            .replacing("<bdi>", with: "").replacing("</bdi>", with: "")
        #expect(page.contains("class=\"answer changed\""))
        #expect(!page.contains("All signatures are valid"))
        let shown = words.replacing("'", with: "&#39;")
        for fact in [
            "<li>\(shown)</li>", "2027-01-02 00:00:00 UTC (set by the person who validated)",
            "<dd>B</dd>",
            "<dt>Trusted certificates for this validation</dt><dd><ul><li>",
            "PDF permits such changes after signing; this signature does not cover them",
        ] { #expect(page.contains(fact), "\(fact)") }
    }

    /// A signature without the note would seem to forbid its changes.
    @Test func notesPermittedChangesOfEachSignature() throws {
        let (objects, _) = Self.changes[0]
        let workspace = try workspace(updating: [:])
        try workspace.succeed("sign signed.pdf --key key.pem --cert valid.pem -o two.pdf")
        let two = try workspace.read("two.pdf")
        try workspace.write(
            Data(SamplePDF.updated([UInt8](two), with: objects, size: 51)), to: "both.pdf")
        let output = try workspace.succeed("verify both.pdf --trust valid.pem").output
        let note =
            "Note          PDF permits such changes after signing; this signature does not cover them; to save"
        #expect(output.components(separatedBy: note).count == 3, "\(output)")
    }

    @Test func invisibleSignaturesAreNoChange() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.succeed("sign letter.signed.pdf --key key.pem --cert valid.pem -o two.pdf")
        let found = try workspace.succeed("verify two.pdf --trust valid.pem --require-unchanged")
        #expect(found.output.hasPrefix("two.pdf: PASSED (2 signatures)\n"), "\(found.output)")
    }

    @Test func aFileThatEndsInASignatureIsCutOff() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let whole = try workspace.read("letter.signed.pdf")
        let range = try #require(whole.range(of: Data("/ByteRange".utf8)))
        try workspace.write(whole.prefix(range.upperBound), to: "cut.pdf")
        try workspace.signet("verify cut.pdf").expectRefusal(
            .malformedInput, naming: "is truncated")
    }

    @Test func visibleSignaturesMayCoverContent() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.succeed(
            "sign letter.signed.pdf --key key.pem --cert valid.pem --at 1:top -o two.pdf")
        let found = try workspace.succeed("verify two.pdf --trust valid.pem")
        #expect(!found.output.contains("may hide signed content"))
        #expect(found.output.hasPrefix("two.pdf: PASSED (2 signatures)\n"), "\(found.output)")
        let doubted = try workspace.signet("verify two.pdf").expect(.indeterminate)
        #expect(doubted.output.contains("may hide signed content"))
        #expect(
            doubted.output.contains("save the version that 'Signature1' signed, and open"),
            "\(doubted.output)")
        let strict = try workspace.signet("verify two.pdf --trust valid.pem --require-unchanged")
        strict.expect(.indeterminate)
    }

    /// Who adds a signature seems to agree with what is shown.
    @Test func signsNothingThatFailsAlready() throws {
        let workspace = try workspace(updating: [4: "<</Length 0>>\nstream\n\nendstream"])
        var flipped = try workspace.read("signed.pdf")
        let title = try #require(flipped.range(of: Data("(Sample)".utf8)))
        flipped[title.lowerBound + 1] ^= 1
        try workspace.write(flipped, to: "flipped.pdf")
        for input in ["changed.pdf", "flipped.pdf"] {
            let sign = [
                "sign", input, "--key", "key.pem", "--cert", "valid.pem", "-o", "again.pdf",
                "--force",
            ]
            for options in [[], ["--dry-run"]] {
                let refused = try workspace.signet("\(sign) \(options)").expect(.malformedInput)
                #expect(
                    refused.errors.contains("the earlier signature 'Signature1' is invalid: "),
                    "\(refused.errors)")
                #expect(refused.errors.contains("--allow-failed"))
                #expect(!workspace.exists("again.pdf"))
            }
            let agreed = try workspace.succeed("\(sign) --allow-failed")
            #expect(agreed.errors.contains("is invalid"), "\(agreed.errors)")
            try workspace.signet("verify again.pdf --trust valid.pem").expect(.invalid)
            try FileManager.default.removeItem(at: workspace.url("again.pdf"))
        }
        // One that holds, by whomever, is no obstacle; nobody asked whom to trust.
        let sound = try workspace.succeed(
            "sign signed.pdf --key key.pem --cert valid.pem -o two.pdf")
        #expect(sound.errors.isEmpty, "\(sound.errors)")
    }

    @Test func formsAreLocked() throws {
        let workspace = try workspace(updating: [:])
        try workspace.succeed(
            "sign form.pdf --key key.pem --cert valid.pem -o locked.pdf --lock all")
        let found = try workspace.signet("verify locked.pdf --trust valid.pem")
        #expect(found.output.contains(/Locks +all fields\n/), "\(found.output)")
    }

    @Test func namesAreMadeKnown() throws {
        let workspace = try signingWorkspace()
        let prepare = [
            "remote", "prepare", "letter.pdf", "--cert", "valid.pem", "-o", "prepared.pdf",
            "--to-sign", "hash.bin",
        ]
        try workspace.succeed(prepare)
        let shown = try workspace.signet("show prepared.pdf")
        #expect(
            shown.output.contains("'Signature1' (prepared, to be signed with"), "\(shown.output)")
        let found = try workspace.signet("verify prepared.pdf").expect(.invalid)
        #expect(found.output.contains("the signature is pending"))
    }

    @Test func claimedTimesAreCompared() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter("--at-time 2029-01-01T00:00:00Z")
        let found = try workspace.succeed("verify letter.signed.pdf --trust valid.pem --json")
        let codes = try found.json(VerifyReport.self).signatures.flatMap(\.problems).map(\.code)
        #expect(codes.contains("claimed-time-in-future"))
    }

    @Test func otherFilesAreNamed() throws {
        let workspace = try signingWorkspace()
        let shown = try workspace.signet("verify valid.pem").expect(.malformedInput)
        #expect(shown.errors.contains("run: signet show valid.pem"), "\(shown.errors)")
        try workspace.write("a note\n", to: "note.txt")
        try workspace.succeed("sign note.txt --key key.pem --cert valid.pem")
        let beside = try workspace.signet("verify note.txt").expect(.malformedInput)
        #expect(beside.errors.contains("signet verify note.txt.p7s"), "\(beside.errors)")
    }

    @Test func hintsCanBeCopied() throws {
        let workspace = try workspace(updating: [4: "<</Length 0>>\nstream\n\nendstream"])
        let failed = try workspace.signet("verify changed.pdf --trust valid.pem").expect(.invalid)
        let command = try #require(failed.output.components(separatedBy: " signet ").last)
        let words = command.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
        // The exit status is that of the written file.
        let extracted = try workspace.signet(words).expect(.done)
        #expect(
            extracted.output.hasSuffix(
                "changed.signed-version-1.pdf: saved the version that signature 'Signature1' "
                    + "covers: revision 2 of the 3 in the file\n"))
        #expect(extracted.output.contains("the signed version is intact"))
        #expect(try workspace.read("changed.signed-version-1.pdf") == workspace.read("signed.pdf"))
        let wrong = try workspace.signet("verify changed.pdf --extract-revision 2 -o x.pdf")
            .expect(.usage)
        #expect(wrong.output.isEmpty)
    }

    @Test func namesCannotWriteVerdicts() throws {
        let workspace = try signingWorkspace()
        let name = "A: passed, signed by Jan' \"B"
        try workspace.signLetter("--field \(name) --new-field")
        let found = try workspace.signet("verify letter.signed.pdf").expect(.indeterminate)
        #expect(
            found.output.contains(
                #"  "A: passed, signed by Jan' \"B": INDETERMINATE ("#),
            "\(found.output)")
    }
}
