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
                Self.look("One"),
                "<</Fields [6 0 R] /DR <</Font <</F1 5 0 R>>>> /DA (/F1 12 Tf)>>",
            ])
        try workspace.write(Data(sample.bytes), to: "form.pdf")
        try workspace.signet(
            "sign", "form.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "signed.pdf"
        ).expect(ExitCode.done)
        var bytes = try workspace.read("signed.pdf")
        let previous = try #require(
            String(decoding: bytes, as: UTF8.self).components(separatedBy: "startxref\n").last)
        var table = ""
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            let offset = String(bytes.count)
            let digits = String(repeating: "0", count: 10 - offset.count) + offset
            table += "\(number) 1\n\(digits) 00000 n \n"
            bytes += Data("\(number) 0 obj\n\(body)\nendobj\n".utf8)
        }
        let start = bytes.count
        bytes += Data(
            """
            xref
            \(table)trailer
            <</Root 1 0 R /Size 51 /Prev \(previous.prefix { $0.isNumber })>>
            startxref
            \(start)
            %%EOF

            """.utf8)
        try workspace.write(bytes, to: "changed.pdf")
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
            "page 1: annotation (FreeText) changed: 'Two' (it says 'One')"
        ),
    ]

    @Test(arguments: changes)
    func tellsPermittedChangesFirst(objects: [Int: String], words: String) throws {
        let workspace = try workspace(updating: objects)
        let found = try workspace.signet("verify", "changed.pdf", "--trust", "valid.pem")
        found.expect(ExitCode.done)
        #expect(
            found.output.hasPrefix("changed.pdf: passed, but CHANGED since it was signed\n"),
            "\(found.output)")
        #expect(
            found.output.contains("; CHANGED since: \(words)\n"), "\(found.output)")
        let report = try workspace.signet(
            "verify", "changed.pdf", "--trust", "valid.pem", "--json"
        ).json(Report.self)
        #expect(report.signatures.map(\.contentChanges) == [[words]])
        let strict = try workspace.signet(
            "verify", "changed.pdf", "--trust", "valid.pem", "--require-unchanged", "--json")
        strict.expect(ExitCode.indeterminate)
        let problems = try strict.json(VerifyReport.self).signatures.flatMap(\.problems)
        #expect(problems.map(\.code).contains("changed-since-signed"))
    }

    private struct Report: Decodable {
        struct Signature: Decodable { var contentChanges: [String] }
        var signatures: [Signature]
    }

    @Test func furtherSignaturesAreNoChange() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.signet(
            "sign", "letter.signed.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at",
            "1:top", "-o", "two.pdf"
        ).expect(ExitCode.done)
        let found = try workspace.signet(
            "verify", "two.pdf", "--trust", "valid.pem", "--require-unchanged")
        found.expect(ExitCode.done)
        #expect(found.output.hasPrefix("two.pdf: passed, 2 signatures\n"), "\(found.output)")
    }

    @Test func hintsCanBeCopied() throws {
        let workspace = try workspace(updating: [4: "<</Length 0>>\nstream\n\nendstream"])
        let failed = try workspace.signet("verify", "changed.pdf", "--trust", "valid.pem")
        failed.expect(ExitCode.invalid)
        let command = try #require(failed.output.components(separatedBy: ": signet ").last)
        let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
        let extracted = try workspace.signet(words)
        extracted.expect(ExitCode.invalid)
        #expect(
            extracted.output.hasSuffix(
                "changed.as-signed.pdf: what signature 'Signature1' was made over\n"))
        #expect(try workspace.read("changed.as-signed.pdf") == workspace.read("signed.pdf"))
    }

    @Test func namesCannotWriteVerdicts() throws {
        let workspace = try signingWorkspace()
        let name = "A: passed, signed by Jan' \"B"
        try workspace.signLetter("--field", name, "--new-field")
        let found = try workspace.signet("verify", "letter.signed.pdf")
        found.expect(ExitCode.indeterminate)
        #expect(
            found.output.contains(
                #"  indeterminate: signature "A: passed, signed by Jan' \"B": unchanged"#),
            "\(found.output)")
    }
}
