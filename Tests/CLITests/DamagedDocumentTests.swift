import Foundation
import SignetTestSupport
import Testing

/// Files whose offsets are a little wrong: what is written must be sound for every reader.
@Suite struct DamagedDocumentTests {
    /// `letter.pdf` with offsets changed: of these objects in the table, and of the table itself.
    private func workspace(
        objects: [Int: Int] = [:], section: Int = 0, end: String? = nil
    ) throws -> Workspace {
        let workspace = try signingWorkspace()
        var text = try #require(
            String(data: workspace.read("letter.pdf"), encoding: .isoLatin1))
        for (number, shift) in objects {
            let table = try #require(text.range(of: "0000000000 65535 f \n", options: .backwards))
            let start = text.index(table.upperBound, offsetBy: 20 * (number - 1))
            let row = start..<text.index(start, offsetBy: 10)
            let offset = try #require(Int(text[row])) + shift
            text.replaceSubrange(row, with: String(format: "%010d", offset))
        }
        let number = try #require(text.range(of: #"\d+(?=\n%%EOF)"#, options: .regularExpression))
        let start = try #require(Int(text[number]))
        text.replaceSubrange(number, with: end ?? String(start + section))
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "letter.pdf")
        return workspace
    }

    /// Signs and has the result judged by readers that repair nothing.
    private func expectSound(
        _ workspace: Workspace, warnings: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try workspace.signet(
            "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem")
        outcome.expect(ExitCode.done, sourceLocation: sourceLocation)
        for warning in warnings {
            #expect(outcome.errors.contains(warning), sourceLocation: sourceLocation)
        }
        let signed = "letter.signed.pdf"
        let verified = try workspace.signet("verify", signed, "--trust", "valid.pem")
        verified.expect(ExitCode.done, sourceLocation: sourceLocation)
        #expect(verified.errors.isEmpty, "\(verified.errors)", sourceLocation: sourceLocation)
        for (tool, arguments) in [
            ("qpdf", ["--check"]), ("mutool", ["info"]), ("pdfsig", ["-nocert"]),
        ] {
            guard let path = try ExternalTool.find(tool) else { continue }
            let judged = try CommandRunner.run(path, arguments + [signed], folder: workspace.folder)
            judged.expect(ExitCode.done, "\(tool)", sourceLocation: sourceLocation)
            #expect(judged.errors.isEmpty, "\(judged.errors)", sourceLocation: sourceLocation)
            if tool == "pdfsig" {
                #expect(judged.output.contains("is Valid"), sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [-7, 5, 31])
    func startxref(shift: Int) throws {
        try expectSound(workspace(section: shift), warnings: ["the section begins at"])
    }

    @Test(arguments: [-6, 2, 17])
    func everyObject(shift: Int) throws {
        let all = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, shift) })
        try expectSound(
            workspace(objects: all), warnings: ["objects are not where the sections say"])
    }

    /// Objects that signing does not need: that the sections are wrong shows elsewhere.
    @Test(arguments: [[3, 4], [3, 5, 6], [1, 7]])
    func someObjects(numbers: [Int]) throws {
        let some = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 3) })
        try expectSound(
            workspace(objects: some), warnings: ["objects are not where the sections say"])
    }

    @Test func objectsAndStartxref() throws {
        try expectSound(
            workspace(objects: [4: 8, 5: 8], section: 8),
            warnings: ["objects are not where the sections say"])
    }

    @Test func nothingOfUse() throws {
        try expectSound(workspace(end: "99999"), warnings: ["99999"])
    }
}
