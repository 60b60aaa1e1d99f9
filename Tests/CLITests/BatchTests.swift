import Foundation
import SignetTestSupport
import Testing

/// Many files in one run, and one batch in several runs.
@Suite struct BatchTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    /// A workspace with `in/0.pdf` to `in/N.pdf`.
    private func batch(_ count: Int) throws -> Workspace {
        let workspace = try signingWorkspace()
        try makeFolder("in", in: workspace)
        for index in 0..<count { try copyLetter(to: "in/\(index).pdf", in: workspace) }
        return workspace
    }

    private func makeFolder(_ name: String, in workspace: Workspace) throws {
        try workspace.makeFolder(name)
    }

    private func copyLetter(to name: String, in workspace: Workspace) throws {
        try workspace.write(try workspace.read("letter.pdf"), to: name)
    }

    private func files(in folder: String, of workspace: Workspace) throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: workspace.url(folder).path))
    }

    // MARK: One line per cause

    @Test func equalWarningsAndErrorsAreCounted() throws {
        let workspace = try batch(15)
        let signed = try workspace.succeed(
            "sign in --recursive --field New -o out/ \(Self.key)")
        let warnings = signed.errors.split(separator: "\n").filter { $0.contains("warning:") }
        #expect(warnings.count == 1, "\(signed.errors)")
        #expect(warnings.first?.contains(" and 14 more files: the document has no field") == true)
        let again = try workspace.signet("sign in --recursive -o out/ \(Self.key)")
        again.expect(.cannotCreateOutput)
        #expect(
            again.errors.split(separator: "\n").count { $0.contains("output file already exists") }
                == 11)
        #expect(again.errors.contains("5 more files: the output file already exists"))
    }

    /// A check and a picture are not outputs.
    @Test func aCheckMayFindAnOutput() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf \(Self.key)")
        try workspace.succeed("sign letter.pdf --dry-run \(Self.key)")
        try workspace.signet("sign letter.pdf \(Self.key)").expect(.cannotCreateOutput)
    }

    @Test func theJournalTellsWhatWasChanged() throws {
        let workspace = try batch(4)
        let sign = ["sign", "in", "--recursive", "-o", "out/", "--journal", "j"] + Self.key
        try workspace.succeed(sign)
        for name in ["in/1.pdf", "out/2.signed.pdf", "in/3.pdf", "out/3.signed.pdf"] {
            try workspace.write(try workspace.read(name) + Data("\n".utf8), to: name)
        }
        for options: [String] in [[], ["--skip-existing"]] {
            let outcome = try workspace.signet(sign + options).expect(.cannotCreateOutput)
            for (number, what) in [
                (1, "the input was"), (2, "the output was"), (3, "the input and the output were"),
            ] {
                let words =
                    "\(number).signed.pdf: the output file already exists, but \(what) changed"
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
            }
            #expect(outcome.errors.contains("1 skipped, 3 errors"), "\(outcome.errors)")
            // The hint names only options that were given.
            #expect(
                outcome.errors.contains("(without --skip-existing)") == !options.isEmpty,
                "\(outcome.errors)")
        }
        let again = try workspace.succeed(sign + ["--force"])
        #expect(again.errors.contains("1 skipped"), "\(again.errors)")
    }

    /// The reader of a result may end early, as with other programs.
    @Test func aReaderMayEndEarly() throws {
        let workspace = try signingWorkspace()
        let shown = try workspace.shell("(sleep 0.3; $S show letter.pdf; echo code $? >&2) | true")
        #expect(shown.errors == "code 0\n")
        let hashed = try workspace.shell(
            "(sleep 0.3; $S hash digest letter.pdf key.pem; echo code $? >&2) | true")
        #expect(hashed.errors.hasSuffix("code 0\n") && !hashed.errors.contains("pipe"))
    }

    @Test func contentMayBeInAnotherFolder() throws {
        let workspace = try batch(1)
        try workspace.makeFolder("in/sub")
        for name in ["a.txt", "sub/b.txt"] { try workspace.write(name, to: "in/\(name)") }
        try workspace.succeed("sign in --recursive --include *.txt -o p7s/ \(Self.key)")
        let verify = ["verify", "p7s", "--recursive", "--content", "in", "--trust", "valid.pem"]
        try workspace.succeed(verify)
        try workspace.succeed("verify p7s/a.txt.p7s --content in --trust valid.pem")
        try workspace.write("changed", to: "in/a.txt")
        try workspace.signet(verify).expect(.invalid)
        try FileManager.default.removeItem(at: workspace.url("in/a.txt"))
        let missing = try workspace.signet(verify).expect(.missingInput)
        #expect(missing.errors.contains("in/a.txt: No such file"))
        try workspace.signet("verify p7s --recursive --content key.pem")
            .expectRefusal(.usage, naming: "--content requires a folder")
    }

    // MARK: Order and account

    @Test(arguments: ["1", "2", "7"]) func linesComeInTheOrderOfTheFiles(jobs: String) throws {
        let workspace = try batch(12)
        // The largest comes first: whoever is done first is not told of first.
        try workspace.write(
            try workspace.read("letter.pdf") + Data(repeating: 0x20, count: 3_000_000),
            to: "in/0.pdf")
        try workspace.write("not a PDF", to: "in/5.pdf")
        let inputs = (0..<12).map { "in/\($0).pdf" }
        let outcome = try workspace.signet("sign \(inputs) -o out/ --jobs \(jobs) \(Self.key)")
        outcome.expect(.malformedInput)
        let signed = outcome.output.split(separator: "\n").compactMap {
            $0.firstMatch(of: /^out\/(\d+)\.signed\.pdf: signed/)?.output.1
        }
        #expect(signed == (0..<12).filter { $0 != 5 }.map { "\($0)" }.map { Substring($0) })
        #expect(outcome.errors.contains("12 files: 11 signed, 1 error"))
        #expect(!workspace.exists("out/5.signed.pdf"))

        let report = try workspace.signet(
            ["verify", "--trust", "valid.pem", "--jobs", jobs, "letter.pdf"]
                + (0..<3).map { "out/\($0).signed.pdf" })
        report.expect(.nothingToVerify)
        #expect(report.errors.contains("3 passed, 1 without signature"))
        let hashes = try workspace.succeed("hash digest --jobs \(jobs) \(inputs)")
        #expect(
            hashes.output.split(separator: "\n").map { $0.suffix(9) }
                == inputs.map { ("  " + $0).suffix(9) })
    }

    @Test func theSummaryIsInTheJSONOfBatches() throws {
        let workspace = try batch(2)
        try workspace.write("in/0.pdf\nin/missing.pdf\r\nin/1.pdf\n", to: "list")
        let outcome = try workspace.signet("sign --files-from list -o out/ --json \(Self.key)")
        outcome.expect(.missingInput)
        let lines = try outcome.jsonLines()
        #expect(lines.count == 4)
        let summary = try #require(lines.last)
        #expect(summary.inputs == 3 && summary.done == 2 && summary.skipped == 0)
        #expect(summary.failed == 1 && summary.code == 66)
        #expect(summary.codes["0"].number == 2 && summary.codes["66"].number == 1)
    }

    // MARK: Which files

    @Test func listsNameFiles() throws {
        let workspace = try batch(3)
        try copyLetter(to: "in/a\nb.pdf", in: workspace)
        let zeroed = Data("in/0.pdf\0in/a\nb.pdf\0".utf8)
        let outcome = try CommandRunner.run(
            try SignetBinary.path, ["sign", "--files-from", "-", "-o", "out/"] + Self.key,
            input: zeroed, folder: workspace.folder)
        outcome.expect(.done)
        #expect(try files(in: "out", of: workspace) == ["0.signed.pdf", "a\nb.signed.pdf"])
        try workspace.signet("sign --files-from missing \(Self.key)")
            .expectRefusal(.missingInput, naming: "missing")
        try workspace.signet("sign --files-from - --passphrase-file - \(Self.key)")
            .expectRefusal(.usage)
    }

    @Test func foldersKeepTheirShape() throws {
        let workspace = try batch(1)
        try makeFolder("in/a/b", in: workspace)
        for name in ["in/a/0.PDF", "in/a/b/0.pdf", "in/a/b/old.signed.pdf"] {
            try copyLetter(to: name, in: workspace)
        }
        try workspace.write(Data([1]), to: "in/a/note.txt")
        try FileManager.default.createSymbolicLink(
            at: workspace.url("in/a/loop"), withDestinationURL: workspace.url("in"))
        try workspace.signet("sign in -o out/ \(Self.key)")
            .expectRefusal(.missingInput, naming: "in")
        try workspace.succeed("sign in/ --recursive -o out/ \(Self.key)")
        #expect(
            try files(in: "out", of: workspace) == [
                "0.signed.pdf", "a", "a/0.signed.pdf", "a/b", "a/b/0.signed.pdf",
                "a/b/old.signed.signed.pdf",
            ])
        // Beside their inputs outputs of earlier runs are no inputs.
        for round in 0..<2 {
            try workspace.succeed(
                "sign in --recursive \(round == 0 ? [] : ["--skip-existing"]) \(Self.key)")
        }
        #expect(try !files(in: "in", of: workspace).contains { $0.hasSuffix(".signed.signed.pdf") })
        let some = try workspace.signet(
            "hash digest in --recursive --include a/*.txt --include 0.pdf")
        #expect(some.output.split(separator: "\n").count == 4)
    }

    @Test func partsAreEachFileOnce() throws {
        let workspace = try batch(40)
        var seen: [String] = []
        for part in 1...4 {
            let outcome = try workspace.succeed("hash digest in --recursive --shard \(part)/4")
            seen += outcome.output.split(separator: "\n").map { String($0.dropFirst(66)) }
        }
        #expect(seen.count == 40 && Set(seen).count == 40)
        // The rule that the help promises, for one name: SHA-256 of `7.pdf` begins with this number.
        let hash = try CommandRunner.run(
            "/bin/sh", ["-c", "printf %s 7.pdf | sha256sum | cut -c1-16"])
        let number = try #require(
            UInt64(hash.output.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16))
        let own = try workspace.signet("hash digest in --recursive --shard \(number % 4 + 1)/4")
        #expect(own.output.contains("in/7.pdf\n"))
        for wrong in ["0/4", "5/4", "1", "1/0", "a/b"] {
            try workspace.signet("hash digest in --shard \(wrong)")
                .expectRefusal(.usage, naming: "--shard")
        }
    }

    /// The second night of `*.pdf` names the outputs of the first.
    @Test func outputsOfEarlierRunsAreNoInputs() throws {
        let workspace = try signingWorkspace()
        try copyLetter(to: "other.pdf", in: workspace)
        let sign = ["sign", "letter.pdf", "other.pdf"]
        try workspace.succeed("\(sign) \(Self.key)")
        try copyLetter(to: "third.pdf", in: workspace)
        let all = sign + ["letter.signed.pdf", "other.signed.pdf", "third.pdf"]
        try workspace.signet("\(all) \(Self.key)").expectRefusal(.usage, naming: "--skip-existing")
        let second = try workspace.succeed("\(all) \(Self.key) --skip-existing")
        #expect(second.errors.contains("1 signed, 2 skipped"), "\(second.errors)")
        #expect(workspace.exists("third.signed.pdf"))
        #expect(!workspace.exists("letter.signed.signed.pdf"))
    }

    /// The outputs' folder may be below the inputs'.
    @Test func outputsBelowTheInputsAreNoInputs() throws {
        let workspace = try batch(2)
        let sign = ["sign", "in", "--recursive", "-o", "in/signed/", "--skip-existing"] + Self.key
        try workspace.succeed(sign)
        try copyLetter(to: "in/new.pdf", in: workspace)
        let second = try workspace.succeed(sign)
        #expect(second.errors.contains("1 signed, 2 skipped"), "\(second.errors)")
        #expect(
            try files(in: "in/signed", of: workspace)
                == ["0.signed.pdf", "1.signed.pdf", "new.signed.pdf"])
        // Lists of editors that put a mark before the text.
        try workspace.write(Data([0xEF, 0xBB, 0xBF]) + Data("in/0.pdf\r\n".utf8), to: "list")
        try workspace.succeed("sign --files-from list -o listed/ \(Self.key)")
    }

    /// What only its owner may read stays so, whatever is made of it.
    @Test func whatIsMadeOfPrivateFilesIsPrivate() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("jpeg/gray.jpg")
        try workspace.write("text\n", to: "s.txt")
        try workspace.signLetter()
        for file in ["gray.jpg", "s.txt", "letter.signed.pdf"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: workspace.url(file).path)
        }
        let trust = ["--trust", "valid.pem"]
        for (made, command) in [
            ("g.pdf", ["convert", "gray.jpg", "-o", "g.pdf"]),
            ("s.p7m", ["cms", "sign", "s.txt", "--attached", "-o", "s.p7m"] + Self.key),
            ("s.out", ["cms", "verify", "s.p7m", "-o", "s.out"] + trust),
            (
                "rev.pdf",
                ["verify", "letter.signed.pdf", "--extract-revision", "1", "-o", "rev.pdf"] + trust
            ), ("r.html", ["verify", "letter.signed.pdf", "--report", "r.html"] + trust),
            ("r.xml", ["verify", "letter.signed.pdf", "--report", "r.xml"] + trust),
        ] {
            try workspace.signet(command).expect(.done, "\(made)")
            let mode =
                try FileManager.default.attributesOfItem(
                    atPath: workspace.url(made).path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(made)")
        }
    }

    /// A private key is not to be had again.
    @Test func keysAreNotReplacedByOtherThings() throws {
        let workspace = try signingWorkspace()
        let request = [
            "csr", "create", "--new-key", "ec:P-256", "--key-out", "my.pem", "--subject", "CN=Jan",
            "-o", "my.csr", "--no-passphrase",
        ]
        try workspace.succeed(request)
        let key = try workspace.read("my.pem")
        for command in [
            request, ["cert", "create", "--key", "key.pem", "--subject", "CN=x", "-o", "my.pem"],
            ["sign", "letter.pdf", "-o", "my.pem"] + Self.key,
        ] {
            try workspace.signet("\(command) --force")
                .expectRefusal(
                    .cannotCreateOutput, naming: "my.pem: the output file contains a private key")
            #expect(try workspace.read("my.pem") == key)
        }
        // What PEM may have before it does not hide it, wherever it ends.
        for text in ["n", "no", "not", "notes", "notes\n--"] {
            let file = Data(text.utf8) + Data("\n".utf8) + key
            try workspace.write(file, to: "my.pem")
            try workspace.signet("sign letter.pdf -o my.pem --force \(Self.key)")
                .expectRefusal(
                    .cannotCreateOutput, naming: "my.pem: the output file contains a private key")
            #expect(try workspace.read("my.pem") == file)
        }
        try workspace.succeed("key generate --type p256 -o my.pem --no-passphrase --force")
    }

    @Test func whatExistsIsSkipped() throws {
        let workspace = try batch(3)
        let sign = ["sign", "in", "--recursive", "-o", "out/"] + Self.key
        try makeFolder("out", in: workspace)
        try workspace.write(Data([7]), to: "out/1.signed.pdf")
        try workspace.signet(sign).expect(.cannotCreateOutput)
        try FileManager.default.removeItem(at: workspace.url("out/2.signed.pdf"))
        let outcome = try workspace.signet("\(sign) --skip-existing")
        // Whatever lies there is not taken for signed unseen.
        outcome.expect(.cannotCreateOutput)
        #expect(outcome.errors.contains("1 signed, 1 skipped, 1 error"), "\(outcome.errors)")
        #expect(try workspace.read("out/1.signed.pdf") == Data([7]))
        #expect(
            outcome.errors.contains(
                "out/1.signed.pdf: the output file already exists: its beginning differs from the input"
            )
                && !outcome.errors.contains("out/0.signed.pdf: "), "\(outcome.errors)")
        let told = try workspace.signet("\(sign) --skip-existing --json")
        told.expect(.cannotCreateOutput)
        #expect(told.output.components(separatedBy: "signet.skipped/1").count == 3)
    }

    @Test func whatIsSkippedIsSaid() throws {
        let workspace = try batch(1)
        let sign = ["sign", "in/0.pdf", "--skip-existing"] + Self.key
        try workspace.succeed(sign)
        let good = try workspace.succeed(sign)
        #expect(good.errors.contains("in/0.pdf: skipped, output file exists"))
        #expect(!good.errors.contains("warning:"))
        // What is signed beside a PDF does not begin with it.
        for _ in 0..<2 {
            let beside = try workspace.succeed("\(sign) --format cms")
            #expect(!beside.errors.contains("warning:"))
        }
        let letter = try workspace.read("in/0.pdf")
        let others: [(Data, String)] = [
            (letter, "not a signed version"),
            (letter + Data("\n% no more".utf8), "not a signed version"),
            (Data("%PDF-1.7\n".utf8) + letter, "its beginning differs"),
        ]
        for (bytes, words) in others {
            try workspace.write(bytes, to: "in/0.signed.pdf")
            let outcome = try workspace.signet(sign)
            outcome.expectRefusal(
                .cannotCreateOutput, naming: "in/0.signed.pdf: the output file already exists: ",
                words)
        }
    }

    // MARK: Journals

    @Test func aJournalGoesOn() throws {
        let workspace = try batch(4)
        let sign = ["sign", "in", "--recursive", "-o", "out/", "--journal", "j"] + Self.key
        try workspace.write("not a PDF", to: "in/2.pdf")
        try workspace.signet(sign).expect(.malformedInput)
        try OutputLog.note(workspace.read("j"))
        let first = try workspace.read("out/0.signed.pdf")
        try copyLetter(to: "in/2.pdf", in: workspace)
        try FileManager.default.removeItem(at: workspace.url("out/3.signed.pdf"))
        // A power failure left half a line.
        try workspace.write(
            try workspace.read("j") + Data("{\"schema\":\"signet.jour".utf8), to: "j")
        let second = try workspace.succeed(sign)
        #expect(second.errors.contains("2 signed, 2 skipped"), "\(second.errors)")
        #expect(try workspace.read("out/0.signed.pdf") == first)
        let third = try workspace.succeed(sign)
        #expect(third.errors.contains("4 skipped"), "\(third.errors)")
        // Another document under the same name is another document.
        try workspace.write(try workspace.read("letter.pdf") + Data("\n".utf8), to: "in/0.pdf")
        try workspace.signet(sign).expect(.cannotCreateOutput)
        try workspace.succeed("\(sign) --force")
        #expect(try workspace.read("out/0.signed.pdf") != first)
    }

    @Test func anInterruptedOutputIsKnownAgain() throws {
        let workspace = try batch(2)
        let sign = ["sign", "in", "--recursive", "-o", "out/", "--journal", "j"] + Self.key
        try workspace.succeed(sign)
        // As if the run had been killed between the output and its second line.
        let lines = try workspace.text("j")
            .split(separator: "\n").filter { $0.contains("\"begun\"") }
        #expect(lines.count == 4)
        try workspace.write(Data(lines.joined(separator: "\n").utf8 + [10]), to: "j")
        let outcome = try workspace.succeed(sign)
        #expect(outcome.errors.contains("2 skipped"))

        // In place an input says itself whether it was replaced; if that is not known, nobody guesses.
        let inPlace = ["sign", "in", "--recursive", "--in-place", "--journal", "k"] + Self.key
        try workspace.succeed(inPlace)
        let once = try workspace.read("in/0.pdf")
        try workspace.succeed(inPlace)
        #expect(try workspace.read("in/0.pdf") == once)
        let begun = try workspace.text("k")
            .split(separator: "\n").filter { $0.contains("\"begun\"") }
        try workspace.write(Data(begun.joined(separator: "\n").utf8 + [10]), to: "k")
        try workspace.succeed(inPlace)
        #expect(try workspace.read("in/0.pdf") == once)
        let first = begun.filter { !$0.contains("replacedBy") }
        try workspace.write(Data(first.joined(separator: "\n").utf8 + [10]), to: "k")
        try workspace.signet(inPlace).expect(.cannotCreateOutput)
        #expect(try workspace.read("in/0.pdf") == once)
    }

    @Test func aJournalIsNothingElse() throws {
        let workspace = try batch(1)
        for content in ["no journal\n}", "{}\n", "{\"schema\":\"signet.journal/2\"}\n"] {
            try workspace.write(content, to: "j")
            let outcome = try workspace.signet("sign in/0.pdf -o out/ --journal j \(Self.key)")
            outcome.expectRefusal(.malformedInput, naming: "is not a journal")
        }
    }

    @Test func verdictsAreRemembered() throws {
        let workspace = try batch(1)
        let verify = ["verify", "letter.pdf", "--trust", "valid.pem", "--journal", "j", "--json"]
        for _ in 0..<2 { try workspace.signet(verify).expect(.nothingToVerify) }
        // A skipped file that did not pass does not count as one that did.
        try workspace.succeed("sign in/0.pdf -o s.pdf \(Self.key)")
        let both = try workspace.signet("\(verify) s.pdf").expect(.nothingToVerify)
        let summary = try #require(try both.jsonLines().last)
        #expect(summary.inputs == 2 && summary.done == 1 && summary.skipped == 1)
    }

    /// What was signed lies beside the signature that the journal knows.
    @Test func verdictsOfChangedContentAreNot() throws {
        let workspace = try batch(1)
        try workspace.write("100 EUR", to: "data")
        try workspace.succeed("sign data \(Self.key)")
        let verify = ["verify", "data.p7s", "--trust", "valid.pem", "--journal", "j"]
        for expected in ["PASSED", "skipped"] {
            let outcome = try workspace.succeed(verify)
            #expect((outcome.output + outcome.errors).contains(expected))
        }
        try workspace.write("900 EUR", to: "data")
        try workspace.signet(verify).expect(.invalid)
    }

    /// Another question, another anchor, and an answer of last week.
    @Test func verdictsByOtherRulesAreNot() throws {
        let workspace = try batch(1)
        try workspace.copyVector("pki/expired.pem")
        try workspace.succeed("sign in/0.pdf -o s.pdf \(Self.key)")
        try workspace.write(try workspace.read("valid.pem"), to: "anchor.pem")
        let verify = ["verify", "s.pdf", "--trust", "anchor.pem", "--journal", "j"]
        try workspace.succeed(verify)
        try workspace.signet("\(verify) --require-level LTA").expect(.indeterminate)
        try workspace.succeed("\(verify) --jobs 1")
        try workspace.write(try workspace.read("expired.pem"), to: "anchor.pem")
        try workspace.signet(verify).expect(.indeterminate)
        try workspace.write(try workspace.read("valid.pem"), to: "anchor.pem")
        let journal = try workspace.text("j")
        let done = try #require(journal.split(separator: "\n").first { $0.contains("\"code\":0") })
        for forged in [
            done.replacing(/"time":"[^"]*"/, with: "\"time\":\"2020-01-01T00:00:00Z\""),
            done.replacing(/"code":0/, with: "\"code\":99"),
        ] {
            try workspace.write(Data((forged + "\n").utf8), to: "j")
            let outcome = try workspace.succeed(verify)
            #expect(!outcome.errors.contains("skipped"))
        }
    }

    /// Somebody else's file at the place of an output, and other options.
    @Test func onlyOwnOutputsAreTakenForDone() throws {
        let workspace = try batch(1)
        let sign = ["sign", "in/0.pdf", "-o", "out/", "--journal", "j"] + Self.key
        try workspace.succeed(sign)
        let signed = try workspace.read("out/0.signed.pdf")
        let other = try workspace.succeed("\(sign) --reason Other")
        #expect(
            other.errors.contains("warning: in/0.pdf: skipped, already done with other options"))
        #expect(try workspace.read("out/0.signed.pdf") == signed)
        try workspace.succeed("\(sign) --reason Other --force")
        #expect(try workspace.read("out/0.signed.pdf") != signed)
        try workspace.write("somebody else's", to: "out/0.signed.pdf")
        try workspace.signet(sign).expectRefusal(.cannotCreateOutput)
        let lines = try workspace.read("j").split(separator: 10)
        let begun = lines.filter { String(decoding: $0, as: UTF8.self).contains("begun") }
        // Killed before the output was whole: what is there another has signed.
        try workspace.write(Data(try #require(begun.first) + [10]), to: "j")
        try workspace.write(signed, to: "out/0.signed.pdf")
        try workspace.signet(sign).expectRefusal(.cannotCreateOutput)
        // Killed behind that.
        for (content, isOwn) in [(Data("somebody else's".utf8), false), (signed, true)] {
            try workspace.write(Data(begun[1] + [10]), to: "j")
            try workspace.write(content, to: "out/0.signed.pdf")
            let outcome = try workspace.signet(sign)
            outcome.expect(isOwn ? ExitCode.done : ExitCode.cannotCreateOutput)
            #expect(try workspace.read("out/0.signed.pdf") == content)
        }
    }

    /// What only its owner may read is not signed for all.
    @Test(arguments: [0o600, 0o640, 0o644]) func outputsAreNoMorePublicThanInputs(
        mode: Int
    ) throws {
        let workspace = try batch(1)
        let manager = FileManager.default
        try manager.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: workspace.url("in/0.pdf").path)
        try workspace.succeed("sign in/0.pdf -o out/ \(Self.key)")
        let made = try manager.attributesOfItem(atPath: workspace.url("out/0.signed.pdf").path)
        let permissions = try #require(made[.posixPermissions] as? Int)
        #expect(permissions & ~mode == 0)
        #expect(permissions & 0o600 == 0o600)
    }

    @Test func linksInFoldersAreNotFollowed() throws {
        let workspace = try batch(1)
        try FileManager.default.createSymbolicLink(
            at: workspace.url("in/link.pdf"), withDestinationURL: workspace.url("letter.pdf"))
        let before = try workspace.read("letter.pdf")
        let outcome = try workspace.succeed("sign in --recursive --in-place \(Self.key)")
        #expect(outcome.errors.contains("in/link.pdf: the link was skipped"))
        #expect(try workspace.read("letter.pdf") == before)
    }

    @Test func nothingIsNoWork() throws {
        let workspace = try batch(0)
        try workspace.write("\n", to: "list")
        for arguments in [["in", "--recursive"], ["--files-from", "list"]] {
            try workspace.signet("verify \(arguments)")
                .expectRefusal(.missingInput, naming: "no matching file was found")
        }
    }

    /// What never ends is not read without end.
    @Test func devicesAreNoFiles() throws {
        let workspace = try batch(0)
        for arguments in [
            ["verify", "/dev/zero"],
            ["sign", "letter.pdf", "--key", "key.pem", "--cert", "/dev/zero"],
        ] { try workspace.signet(arguments).expectRefusal(.missingInput, naming: "is a device") }
    }
}
