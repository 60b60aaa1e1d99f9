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
        var text = try #require(String(data: workspace.read("letter.pdf"), encoding: .isoLatin1))
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
        _ workspace: Workspace, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try workspace.signet("sign letter.pdf --key key.pem --cert valid.pem")
        outcome.expect(.done, sourceLocation: sourceLocation)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)", sourceLocation: sourceLocation)
        let signed = "letter.signed.pdf"
        let verified = try workspace.signet("verify \(signed) --trust valid.pem")
        verified.expect(.done, sourceLocation: sourceLocation)
        #expect(verified.errors.isEmpty, "\(verified.errors)", sourceLocation: sourceLocation)
        for (tool, arguments) in [
            ("qpdf", ["--check"]), ("mutool", ["info"]), ("pdfsig", ["-nocert"]),
        ] {
            guard let judged = try workspace.tool("\(tool) \(arguments) \(signed)") else {
                continue
            }
            judged.expect(.done, "\(tool)", sourceLocation: sourceLocation)
            #expect(judged.errors.isEmpty, "\(judged.errors)", sourceLocation: sourceLocation)
            if tool == "pdfsig" {
                #expect(judged.output.contains("is Valid"), sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [-7, 5, 31])
    func startxref(shift: Int) throws {
        try expectSound(workspace(section: shift))
    }

    @Test(arguments: [-6, 2, 17])
    func everyObject(shift: Int) throws {
        let all = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, shift) })
        try expectSound(workspace(objects: all))
    }

    /// Objects that signing does not need: that the sections are wrong shows elsewhere.
    @Test(arguments: [[3, 4], [3, 5, 6], [1, 7]])
    func someObjects(numbers: [Int]) throws {
        let some = Dictionary(uniqueKeysWithValues: numbers.map { ($0, 3) })
        try expectSound(workspace(objects: some))
    }

    /// An upload that ended early, also in the middle of a later revision, is not signed as if it
    /// were complete.
    @Test func refusesFilesThatAreCutOff() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o signed.pdf")
        let (letter, signed) = (try workspace.read("letter.pdf"), try workspace.read("signed.pdf"))
        let sign = ["sign", "cut.pdf", "--key", "key.pem", "--cert", "valid.pem"]
        for part in [letter.dropLast(30), letter.prefix(letter.count * 3 / 5)] {
            try workspace.write(Data(part), to: "cut.pdf")
            try workspace.signet(sign).expectRefusal(.malformedInput, naming: "cut off")
            #expect(!workspace.exists("cut.signed.pdf"))
        }
        // The signature would be lost, so no option permits it.
        try workspace.write(Data(signed.dropLast(400)), to: "cut.pdf")
        try workspace.signet(sign + ["--allow-damaged"]).expectRefusal(
            .malformedInput, naming: "truncated inside a signature", "a complete file")
        try workspace.write(Data(letter.dropLast(30)), to: "cut.pdf")
        try workspace.succeed("sign cut.pdf --key key.pem --cert valid.pem --allow-damaged")
    }

    @Test func objectsAndStartxref() throws {
        try expectSound(workspace(objects: [4: 8, 5: 8], section: 8))
    }

    /// `letter.pdf` with a text overwritten.
    private func workspace(overwriting text: String, by other: String) throws -> Workspace {
        let workspace = try signingWorkspace()
        var bytes = try workspace.read("letter.pdf")
        let range = try #require(bytes.range(of: Data(text.utf8)))
        bytes.replaceSubrange(
            range,
            with: Data(other.padding(toLength: text.count, withPad: " ", startingAt: 0).utf8))
        try workspace.write(bytes, to: "letter.pdf")
        return workspace
    }

    /// Objects in use with numbers that Size excludes: readers obey it or not.
    @Test(arguments: [1, 4, 7])
    func size(size: Int) throws {
        try expectSound(workspace(overwriting: "/Size 8", by: "/Size \(size)"))
    }

    /// Another text for page 1 behind a document whose sections most readers do not find.
    @Test(arguments: [false, true])
    func anotherDocumentBehindHiddenSections(isSigned: Bool) throws {
        let workspace = try signingWorkspace()
        if isSigned { try workspace.succeed("sign letter.pdf -o base.pdf \(credential)") }
        var text = try #require(
            String(
                data: workspace.read(isSigned ? "base.pdf" : "letter.pdf"), encoding: .isoLatin1))
        let start = try #require(text.range(of: #"\d+(?=\n%%EOF\n$)"#, options: .regularExpression))
        let section = try #require(Int(text[start]))
        text += "1 0 obj\n<< /Type /Catalog /Pages 22 0 R >>\nendobj\n"
        text += "22 0 obj\n<< /Type /Pages /Kids [23 0 R] /Count 1 >>\nendobj\n"
        text += "23 0 obj\n<< /Type /Page /Parent 22 0 R /MediaBox [0 0 99 99] >>\nendobj\n"
        text += "trailer\n<< /Root 1 0 R /Size 24 >>\nstartxref\n\(section + 1)\n%%EOF\n"
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "hidden.pdf")
        let outcome = try workspace.signet("sign hidden.pdf -o out.pdf --json \(credential)")
        guard isSigned else {
            // Nobody's signature is lost: what readers show is written and signed.
            outcome.expect(.done)
            let shown = try workspace.signet("show out.pdf --json")
            #expect(shown.output.contains("99"))
            return
        }
        outcome.expect(.malformedInput)
        #expect(outcome.errors.contains("the earlier signature 'Signature1' is invalid"))
        #expect(!workspace.exists("out.pdf"))
    }

    /// Objects near their places, and a page that a search for objects does not find: what would be
    /// signed is not what `verify` reads.
    @Test func repairThatFails() throws {
        let workspace = try signingWorkspace()
        var text = try #require(String(data: workspace.read("letter.pdf"), encoding: .isoLatin1))
        let range = try #require(text.range(of: "3 0 obj"))
        text.replaceSubrange(range, with: "3 0 % \nobj")
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "hidden.pdf")
        let outcome = try workspace.signet("sign hidden.pdf -o out.pdf \(credential)")
        outcome.expect(.malformedInput)
        #expect(outcome.errors.contains("--allow-damaged"))
        #expect(!workspace.exists("out.pdf"))
    }

    /// An entry that nobody looks up leads to another page: only readers that search the file would
    /// show that.
    @Test(arguments: [3, 9]) func entriesThatNobodyNeeds(number: Int) throws {
        let workspace = try signingWorkspace()
        let sample = SamplePDF(extraObjects: ["<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>>"])
        let text = try #require(String(bytes: sample.bytes, encoding: .isoLatin1))
            .replacing("6 0 obj", with: "\(number) 0 obj")
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "decoy.pdf")
        for options in [[], ["--strict"]] {
            let outcome = try workspace.signet("sign decoy.pdf -o out.pdf \(credential) \(options)")
            if number == 9, options.isEmpty {
                outcome.expect(.done)
                try FileManager.default.removeItem(at: workspace.url("out.pdf"))
            } else {
                outcome.expect(.malformedInput)
                #expect(outcome.errors.contains(options.isEmpty ? "--allow-damaged" : "--strict"))
                #expect(!workspace.exists("out.pdf"))
            }
        }
    }

    /// Another page that nobody lists, before sections that some readers take for damaged: these
    /// search the file and show that one.
    @Test(arguments: [
        ("0 6\n0", "0 6\n0"), ("0 6\n0", "0\n 6\n0"), ("startxref\n", "startxref "),
        ("\nstartxref", " startxref"), ("\n%%EOF", " %%EOF"), (" 65535 f", " 65535 n"),
        ("/Size 6", "/X (\r) /Size 6"), ("xref\n0 6", "xref % \n0 6"),
    ])
    func sectionsThatSomeTakeForDamaged(good: String, bad: String) throws {
        let workspace = try signingWorkspace()
        var text = try #require(String(bytes: SamplePDF().bytes, encoding: .isoLatin1))
        let section = try #require(text.range(of: "xref\n0 6"))
        let start = text.distance(from: text.startIndex, to: section.lowerBound)
        let decoy = "3 0 obj\n<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>>\nendobj\n"
        text = text.replacing("startxref\n\(start)", with: "startxref\n\(start + decoy.count)")
        text.insert(contentsOf: decoy, at: section.lowerBound)
        text = text.replacing(good, with: bad)
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "in.pdf")
        let outcome = try workspace.signet("sign in.pdf -o out.pdf \(credential)")
        outcome.expect(good == bad ? ExitCode.done : ExitCode.malformedInput)
        #expect(workspace.exists("out.pdf") == (good == bad))
        if good != bad { #expect(outcome.errors.contains("viewers"), "\(outcome.errors)") }
    }

    /// A page that one reader shows and the next one does not, because its dictionary does not end,
    /// or one that all show, because it is only the document's information.
    @Test(arguments: ["/Type /Page /Parent 2 0 R", "/Title (x)"])
    func damagedObjects(entries: String) throws {
        let workspace = try signingWorkspace()
        let isPage = entries.contains("Page")
        var sample = SamplePDF(
            catalogEntries: isPage ? "" : "/PieceInfo 6 0 R", extraObjects: ["<<\(entries)"])
        if isPage { sample.objects[1] = "<</Type /Pages /Kids [3 0 R 6 0 R] /Count 2>>" }
        try workspace.write(Data(sample.bytes), to: "in.pdf")
        let outcome = try workspace.signet("sign in.pdf -o out.pdf \(credential)")
        if isPage {
            outcome.expect(.malformedInput)
            #expect(outcome.errors.contains("does not follow the PDF syntax"), "\(outcome.errors)")
        } else {
            outcome.expect(.done)
        }
        #expect(workspace.exists("out.pdf") != isPage)
    }

    /// An object with another generation, which every reader takes or leaves by its own rule.
    @Test func decoyOfAnotherGeneration() throws {
        let workspace = try signingWorkspace()
        var text = try #require(String(data: workspace.read("letter.pdf"), encoding: .isoLatin1))
        let place = try #require(text.range(of: "xref\n0 ", options: .backwards)).lowerBound
        text.insert(contentsOf: "4 1 obj\nnull\nendobj\n", at: place)
        let number = try #require(text.range(of: #"\d+(?=\n%%EOF)"#, options: .regularExpression))
        text.replaceSubrange(number, with: "999999")
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "decoy.pdf")
        let outcome = try workspace.signet("sign decoy.pdf -o out.pdf \(credential)")
        outcome.expect(.malformedInput)
        #expect(outcome.errors.contains("a reference names object 4 0"))
    }

    private let credential = ["--key", "key.pem", "--cert", "valid.pem"]

    private func signedLetter(_ workspace: Workspace) throws -> String {
        try workspace.succeed("sign letter.pdf -o once.pdf \(credential)")
        return try #require(String(data: workspace.read("once.pdf"), encoding: .isoLatin1))
    }

    /// One more revision, whose Size hides what was signed from readers that obey it.
    @Test func sizeLoweredAfterSigning() throws {
        let workspace = try signingWorkspace()
        var text = try signedLetter(workspace)
        let start = text.unicodeScalars.count
        let trailer = try #require(text.range(of: "trailer", options: .backwards))
        let number = try #require(
            text.range(of: #"\d+(?=\n%%EOF\n$)"#, options: .regularExpression))
        text += "xref\n0 1\n0000000000 65535 f \n"
        text += text[trailer.lowerBound..<number.lowerBound]
            .replacing(/\/Size \d+/, with: "/Size 4")
            .replacing(/\/Prev \d+/, with: "/Prev \(text[number])")
        text += "\(start)\n%%EOF\n"
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "lowered.pdf")

        // An earlier signature must live on: nothing can be done about the numbers.
        try workspace.succeed(
            "sign lowered.pdf -o twice.pdf --field Second --allow-damaged \(credential)")
        for (name, count) in [("lowered.pdf", 1), ("twice.pdf", 2)] {
            let verified = try workspace.signet("verify \(name) --trust valid.pem")
            verified.expect(.indeterminate)
            #expect(verified.output.contains("is not below /Size"))
            guard let judged = try workspace.tool("pdfsig -nocert \(name)") else { continue }
            #expect(judged.output.components(separatedBy: "is Valid").count == count + 1)
        }
    }

    /// A later revision has damaged the catalogue: what it says now, readers do not agree on.
    @Test func catalogueDamagedAfterSigning() throws {
        let workspace = try signingWorkspace()
        var text = try signedLetter(workspace)
        let catalog = try #require(text.range(of: "/Lang (en)", options: .backwards))
        text.replaceSubrange(catalog, with: "12345 (en)")
        try workspace.write(try #require(text.data(using: .isoLatin1)), to: "damaged.pdf")
        try workspace.signet("verify damaged.pdf").expect(.malformedInput)
        let again = ["sign", "damaged.pdf", "-o", "twice.pdf", "--field", "Second"] + credential
        for more in [[], ["--allow-failed"]] {
            try workspace.signet("\(again) \(more)").expect(.malformedInput)
            #expect(!workspace.exists("twice.pdf"))
        }
    }

    /// Catalogues that hold what none may: readers pass over it, or lose what stands behind it.
    @Test(arguments: [("/Lang (en)", "/Lang"), ("/Lang (en)", "1 (en)"), ("/Lang (en)", "/Lang ]")])
    func dictionary(text: String, other: String) throws {
        let workspace = try workspace(overwriting: text, by: other)
        try workspace.signet("sign letter.pdf \(credential)")
            .expectRefusal(
                .malformedInput, naming: "does not follow the PDF syntax", "--allow-damaged")
    }

    /// Of a page readers show what they take it for, or nothing.
    @Test func pageDictionary() throws {
        let workspace = try workspace(
            overwriting: "/MediaBox [0 0 595 842]", by: "[0 0 595 842] junk R")
        try workspace.signet("sign letter.pdf \(credential)")
            .expectRefusal(
                .malformedInput, naming: "does not follow the PDF syntax", "--allow-damaged")
    }

    @Test func nothingOfUse() throws {
        try expectSound(workspace(end: "99999"))
    }
}
