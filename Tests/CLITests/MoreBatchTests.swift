import Foundation
import SignetTestSupport
import Testing

/// Batches of photos and of messages.
@Suite struct MoreBatchTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    /// `in/a.jpg`, `in/sub/b.jpg`, and what is no photo.
    private func photos() throws -> Workspace {
        let workspace = try Workspace()
        for name in ["orientation-1.jpg", "gps.jpg"] { try workspace.copyVector("jpeg/\(name)") }
        try workspace.makeFolder("in/sub")
        try workspace.write(try workspace.read("orientation-1.jpg"), to: "in/a.jpg")
        try workspace.write(try workspace.read("gps.jpg"), to: "in/sub/b.JPG")
        try workspace.write("no photo", to: "in/notes.txt")
        return workspace
    }

    @Test func eachPhotoGetsAPDFInAFolder() throws {
        let workspace = try photos()
        let first = try workspace.succeed("convert in --recursive -o out/ --journal j --jobs 2")
        #expect(first.errors.contains("2 converted"), "\(first.errors)")
        let (a, b) = (try workspace.read("out/a.pdf"), try workspace.read("out/sub/b.pdf"))
        #expect(a.range(of: try workspace.read("in/a.jpg")) != nil)
        #expect(b.range(of: try workspace.read("in/sub/b.JPG")) != nil)
        // What is done is not done again, what is missing is.
        try FileManager.default.removeItem(at: workspace.url("out/a.pdf"))
        let again = try workspace.succeed("convert in --recursive -o out/ --journal j --jobs 2")
        #expect(again.errors.contains("1 converted, 1 skipped"), "\(again.errors)")
        let skipped = try workspace.succeed("convert in --recursive -o out/ --skip-existing")
        #expect(skipped.errors.contains("2 skipped"), "\(skipped.errors)")
        #expect(try workspace.read("out/sub/b.pdf") == b)
    }

    @Test func otherImagesAndExcludedOnesAreLeftOut() throws {
        let workspace = try photos()
        try workspace.write("no photo", to: "in/sub/c.HEIC")
        let first = try workspace.succeed("convert in --recursive -o all.pdf")
        #expect(first.output.contains("2 pages") && first.errors.contains("in/sub/c.HEIC"))
        // A name, a folder, a path.
        for pattern in ["b.*", "sub", "sub/*"] {
            let outcome = try workspace.succeed(
                "convert in --recursive -o all.pdf --force --exclude \(pattern)")
            #expect(outcome.output.contains("1 page,"), "\(pattern)")
            #expect(outcome.errors.contains("HEIC") == (pattern == "b.*"))
        }
        let named = try workspace.succeed(
            "convert in/a.jpg gps.jpg -o all.pdf --force --exclude a.*")
        #expect(named.output.contains("1 page,"))
        try workspace.signet("convert in --recursive -o no.pdf --exclude *").expect(.missingInput)
    }

    @Test func listsAndFoldersMakeOneDocumentToo() throws {
        let workspace = try photos()
        try workspace.write("in/sub/b.JPG\nin/a.jpg\n", to: "list")
        let outcome = try workspace.succeed("convert --files-from list -o all.pdf --page photo")
        #expect(outcome.output.contains("2 pages"))
        try workspace.signet("convert in --recursive -o all.pdf --skip-existing")
            .expectRefusal(.usage, naming: "-o FOLDER/")
        try workspace.write(try workspace.read("gps.jpg"), to: "in/a.jpeg")
        let twice = try workspace.signet("convert in --recursive -o both/").expect(.usage)
        #expect(twice.errors.contains("both/a.pdf: two outputs have the same path"))
    }

    @Test func onePhotoThatCannotBeDoesNotStopTheOthers() throws {
        let workspace = try photos()
        try workspace.write("GIF89a", to: "in/c.jpg")
        let outcome = try workspace.signet("convert in --recursive -o out/").expect(.malformedInput)
        #expect(outcome.errors.contains("3 files: 2 converted, 1 error"), "\(outcome.errors)")
        #expect(workspace.exists("out/a.pdf") && !workspace.exists("out/c.pdf"))
    }

    @Test func manyFilesBecomeMessagesAndBack() throws {
        let workspace = try signingWorkspace()
        try workspace.makeFolder("in/sub")
        for name in ["in/a.xml", "in/b.xml", "in/sub/c.xml"] {
            try workspace.write("<order>\(name)</order>", to: name)
        }
        let sign = ["cms", "sign", "in", "--recursive", "--attached", "-o", "sent/"] + Self.key
        let signed = try workspace.succeed("\(sign) --journal j")
        #expect(signed.errors.contains("3 signed"), "\(signed.errors)")
        #expect(workspace.exists("sent/sub/c.xml.p7m"))
        let again = try workspace.succeed("\(sign) --journal j")
        #expect(again.errors.contains("3 skipped"), "\(again.errors)")

        try workspace.write("broken", to: "sent/z.p7m")
        let verified = try workspace.signet("cms verify sent --recursive --trust valid.pem -o got/")
        verified.expect(.malformedInput)
        #expect(
            verified.errors.contains("4 files: 3 passed, 1 error"), "\(verified.errors)")
        for name in ["a.xml", "b.xml", "sub/c.xml"] {
            #expect(try workspace.read("got/\(name)") == workspace.read("in/\(name)"))
        }

        // Without a place messages stand beside their files; one file goes where it always went.
        try workspace.succeed("cms sign in/a.xml in/b.xml \(Self.key)")
        #expect(workspace.exists("in/a.xml.p7s") && workspace.exists("in/b.xml.p7s"))
        try workspace.succeed("cms sign in/a.xml -o one.p7m --attached \(Self.key)")
        try workspace.succeed("cms verify one.p7m --trust valid.pem -o one.xml")
        #expect(try workspace.read("one.xml") == workspace.read("in/a.xml"))
        try workspace.signet("cms sign in/a.xml in/b.xml -o x.p7s \(Self.key)")
            .expectRefusal(.cannotCreateOutput, naming: "x.p7s")
    }

    @Test("an output that somebody else signed, or changed before, is not taken for done")
    func outputsOfOthers() throws {
        let workspace = try signingWorkspace()
        try workspace.write("text", to: "t.txt")
        try workspace.succeed("cert create --key key.pem --subject CN=Other -o other.pem")
        func sign(_ file: String, by certificate: String = "valid.pem") throws {
            try workspace.succeed("sign \(file) --key key.pem --cert \(certificate) --force")
        }
        // A rehearsal says what the run does.
        func skip(_ file: String) throws -> [CommandOutcome] {
            try [[], ["--dry-run"]].map { more in
                try workspace.signet("sign \(file) --skip-existing \(Self.key) \(more)")
            }
        }
        func refuses(_ file: String, _ words: String) throws {
            for outcome in try skip(file) {
                outcome.expectRefusal(.cannotCreateOutput, naming: "already exists: ", words)
            }
        }
        for file in ["letter.pdf", "t.txt"] {
            try sign(file)
            for outcome in try skip(file) {
                outcome.expect(.done)
                #expect(outcome.errors.contains("skipped, output file exists"))
            }
            try sign(file, by: "other.pem")
            try refuses(file, "signed with another certificate, of 'Other'")
        }
        // Something that only names what a signature has.
        let letter = try workspace.read("letter.pdf")
        try workspace.write(
            letter + Data("\n%/ByteRange [0 1 2 3]\n".utf8), to: "letter.signed.pdf")
        try refuses("letter.pdf", "not a signed version")
        try sign("letter.pdf")
        let signed = try workspace.read("letter.signed.pdf")
        try workspace.write(signed + Data("\n%more\n".utf8), to: "letter.signed.pdf")
        try refuses("letter.pdf", "modified after signing")
        try workspace.write("junk", to: "t.txt.p7s")
        try refuses("t.txt", "t.txt.p7s")
        try sign("t.txt")
        try workspace.write("another", to: "t.txt")
        try refuses("t.txt", "not a signature of the input")
    }

    @Test("a rehearsal refuses outputs over what the run reads, as the run does")
    func rehearsesOutputs() throws {
        let workspace = try signingWorkspace()
        for (output, words) in [
            ("valid.pem", "overwrite an input file"), ("key.pem", "contains a private key"),
        ] {
            for more in [["--dry-run"], []] {
                let outcome = try workspace.signet(
                    "sign letter.pdf -o \(output) --force \(Self.key) \(more)")
                outcome.expectRefusal(outcome.exitCode, naming: words)
                #expect([ExitCode.usage, ExitCode.cannotCreateOutput].contains(outcome.exitCode))
            }
        }
    }

    /// What lies between the input and the signature counts as much as what lies behind it.
    @Test func outputsOfChangedInputs() throws {
        let workspace = try signingWorkspace()
        let bytes = SamplePDF().bytes
        let text = "BT /F1 24 Tf 72 720 Td (Another) Tj ET"
        let content = "<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream"
        try workspace.write(Data(bytes), to: "a.pdf")
        try workspace.write(
            Data(SamplePDF.updated(bytes, with: [4: content], size: 6)), to: "changed.pdf")
        let server = try TimestampServer.shared.get()
        let stamp = server.map { ["timestamp", "--tsa", $0.url("ok")] }
        let commands =
            [(["sign"] + Self.key, "a.signed.pdf")]
            + [stamp].compactMap(\.self).map { ($0, "a.timestamped.pdf") }
        for (command, output) in commands {
            for (input, isAnother) in [("a.pdf", false), ("changed.pdf", true)] {
                try workspace.succeed("\(command) \(input) -o \(output) --force")
                let outcome = try workspace.signet("\(command) a.pdf --skip-existing")
                outcome.expect(isAnother ? ExitCode.cannotCreateOutput : ExitCode.done)
                #expect(
                    outcome.errors.contains(
                        isAnother
                            ? "\(output): the output file already exists: it is another document"
                            : "skipped, output file exists"), "\(outcome.errors)")
            }
        }
    }

    @Test func detachedOutputsOfSeveralInputs() throws {
        let workspace = try signingWorkspace()
        for name in ["a.log", "b.log"] { try workspace.write(Data(name.utf8), to: name) }
        let server = try TimestampServer.shared.get()
        let commands = [
            ["sign"] + Self.key, server.map { ["timestamp", "--tsa", $0.url("ok")] },
        ].compactMap(\.self)
        for command in commands {
            try workspace.succeed("\(command) a.log b.log")
            let again = try workspace.succeed("\(command) a.log b.log --skip-existing")
            #expect(again.errors.contains("2 skipped"), "\(again.errors)")
            let suffix = command[0] == "sign" ? "p7s" : "tsr"
            let other = try workspace.read("b.log.\(suffix)")
            try workspace.write(other, to: "a.log.\(suffix)")
            try workspace.signet("\(command) a.log b.log --skip-existing").expectRefusal(
                .cannotCreateOutput, naming: "it is not a signature of the input")
        }
    }

    // MARK: What is said of a run

    /// `0.pdf` and so on, of which the first ones are no PDF.
    private func letters(_ count: Int, damaged: Int = 0) throws -> Workspace {
        let workspace = try signingWorkspace()
        for index in 0..<count {
            let bytes = index < damaged ? Data("not a PDF".utf8) : try workspace.read("letter.pdf")
            try workspace.write(bytes, to: "\(index).pdf")
        }
        return workspace
    }

    /// What was made was made, though nobody could be told.
    @Test(arguments: [
        ("sign [0-2].pdf --key key.pem --cert valid.pem -o out/", "2 signed, 1 error"),
        ("sign [0-2].pdf --key key.pem --cert valid.pem -o out/ --json", "2 signed, 1 error"),
        ("hash digest 1.pdf 2.pdf", "standard output"),
        ("verify 1.pdf 2.pdf", "2 without signature"),
    ])
    func countsWhatWasDoneWhereNobodyReads(line: String, summary: String) throws {
        let workspace = try letters(3, damaged: 1)
        let outcome = try workspace.shell("$S \(line) >/dev/full").expect(.inputOutputError)
        #expect(
            outcome.errors.components(separatedBy: "standard output").count == 2,
            "\(outcome.errors)")
        #expect(outcome.errors.contains(summary), "\(outcome.errors)")
        if line.hasPrefix("sign") { #expect(workspace.exists("out/2.signed.pdf")) }
    }

    @Test func namesAgainWhatFailed() throws {
        let workspace = try letters(14, damaged: 12)
        let sign = "$S sign $(seq -f %g.pdf 0 13) --key key.pem --cert valid.pem -o out/"
        let signed = try workspace.shell(sign).expect(.malformedInput)
        #expect(
            signed.errors.hasSuffix(
                "signet: errors: " + (0..<10).map { "\($0).pdf" }.joined(separator: ", ")
                    + ", and 2 more\nsignet: 14 files: 2 signed, 12 errors\n"), "\(signed.errors)")
        let few = try workspace.shell("$S verify 0.pdf 13.pdf")
        #expect(few.errors.components(separatedBy: "0.pdf").count == 2, "\(few.errors)")
        let judged = try workspace.shell("$S verify $(seq -f %g.pdf 3 13)")
        #expect(judged.errors.contains("signet: errors: 3.pdf, 4.pdf"), "\(judged.errors)")
    }

    @Test func tellsAWrongPassphraseOnce() throws {
        let workspace = try letters(3)
        try workspace.write("right\n", to: "right")
        try workspace.succeed("key convert key.pem -o locked.pem --new-passphrase-file right")
        try workspace.write("wrong\n", to: "wrong")
        let outcome = try workspace.shell(
            "$S sign [0-2].pdf --key locked.pem --cert valid.pem --passphrase-file wrong -o out/")
        outcome.expect(.credentialRefused)
        #expect(
            outcome.errors.components(separatedBy: "passphrase is wrong").count == 2,
            "\(outcome.errors)")
    }

    private static let damaged = Array(
        String(decoding: SamplePDF().bytes, as: UTF8.self)
            .replacing("startxref\n", with: "startxref\n9").utf8)

    /// What a signature brings along is its signer's, if the command asks for that.
    @Test(arguments: [
        (SamplePDF().bytes, ["--certify", "no-changes"], "/Perms"),
        (SamplePDF().bytes, ["--mark", "all:bottom-right"], "annotation (Stamp) added"),
        (SamplePDF().bytes, ["--rect", "1:60,700,300,760"], nil),
        (blank, ["--at", "last:bottom-right"], nil), (damaged, [], nil),
        (damaged, ["--certify", "form-filling", "--mark", "1:top", "--at", "1:bottom"], "/Perms"),
    ]) func outputsOfTheSameCommand(bytes: [UInt8], options: [String], difference: String?) throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "a.pdf")
        let sign = ["sign", "a.pdf"] + Self.key
        try workspace.succeed("\(sign) \(options)")
        let again = try workspace.succeed("\(sign) \(options) --skip-existing")
        #expect(again.errors.contains("skipped, output file exists"), "\(again.errors)")
        guard let difference else { return }
        try workspace.signet("\(sign) --skip-existing")
            .expectRefusal(.cannotCreateOutput, naming: "it is another document: ", difference)
    }

    private static let blank: [UInt8] = {
        var sample = SamplePDF()
        sample.objects[2] = "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>"
        return sample.bytes
    }()

    /// The update of a damaged file lists all of its objects again.
    @Test func outputsOfChangedDamagedInputs() throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(Self.damaged), to: "a.pdf")
        let text = "BT /F1 24 Tf 72 720 Td (Another) Tj ET"
        let content = "<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream"
        let changed = Self.damaged + Array("\n4 0 obj\n\(content)\nendobj\n".utf8)
        try workspace.write(Data(changed), to: "changed.pdf")
        let sign = ["sign"] + Self.key
        try workspace.succeed("\(sign) changed.pdf -o a.signed.pdf --allow-damaged")
        try workspace.signet("\(sign) a.pdf --skip-existing").expectRefusal(
            .cannotCreateOutput, naming: "it is another document: page 1: content replaced")
    }
}
