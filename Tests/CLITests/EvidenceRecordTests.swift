import Foundation
import SignetTestSupport
import Testing

/// Evidence records (RFC 4998): `timestamp --tree`, `verify`, `show` and `extend`.
@Suite(.serialized) struct EvidenceRecordTests {
    private static let names = ["a", "b", "c", "d", "e"]

    /// A folder with files and a running authority.
    private func archive() throws -> (Workspace, ServedAuthority) {
        let workspace = try timestampWorkspace()
        for name in Self.names {
            try workspace.write("content of \(name)\n", to: "docs/\(name).txt")
        }
        return (workspace, try ServedAuthority(workspace))
    }

    private func tree(
        _ workspace: Workspace, _ arguments: String, port: Int
    ) throws -> CommandOutcome {
        try workspace.shell("$S timestamp \(arguments) --tsa http://127.0.0.1:\(port)/")
    }

    @Test func oneRequestProvesAllFiles() throws {
        let (workspace, server) = try archive()
        let made = try tree(
            workspace, "docs --recursive --tree -o proofs --json", port: server.port)
        made.expect(.done)
        let lines = try made.jsonLines().filter { $0.schema.text == "signet.timestamp/1" }
        #expect(lines.count == Self.names.count)
        #expect(Set(lines.map { $0.timestamp.serial.text }).count == 1)
        for name in Self.names {
            let record = "proofs/\(name).txt.ers"
            let found = try workspace.shell(
                "$S verify \(record) --content docs/\(name).txt --trust ca.crt --json")
            found.expect(.done)
            let json = try found.json()
            #expect(json.verdict.text == "passed")
            #expect(json.evidenceRecord.objects[0].covered == true)
            try workspace.shell("$S verify \(record) --content ca.crt --trust ca.crt")
                .expect(.invalid)
        }
        try workspace.shell("$S verify proofs --recursive --content docs --trust ca.crt").expect(
            .done)
        // Without the file, and without the anchor.
        try workspace.shell("$S verify proofs/a.txt.ers --trust ca.crt").expect(.indeterminate)
        try workspace.shell("$S verify proofs/a.txt.ers --content docs/a.txt").expect(
            .indeterminate)
        let hash = try workspace.shell("sha256sum docs/a.txt").output.prefix(64)
        try workspace.shell("$S verify proofs/a.txt.ers --hash sha256:\(hash) --trust ca.crt")
            .expect(.done)
        let shown = try workspace.succeed("show proofs/a.txt.ers --json").json()
        #expect(shown.schema.text == "signet.evidence-record/1")
        #expect(shown.timestamps[0].digest.text == "sha256")
        // A modified file.
        try workspace.write("content of b!\n", to: "docs/b.txt")
        let failed = try workspace.shell(
            "$S verify proofs/b.txt.ers --content docs/b.txt --trust ca.crt --json")
        failed.expect(.invalid)
        #expect(failed.output.contains("object-not-recorded"))
        // Finished files are not timestamped again.
        try workspace.write("content of b\n", to: "docs/b.txt")
        try tree(workspace, "docs --recursive --tree -o proofs", port: 1).expect(
            ExitCode.cannotCreateOutput)
        try tree(workspace, "docs --recursive --tree -o proofs --skip-existing", port: 1).expect(
            .done)
    }

    /// `--skip-existing` reports files that their existing records do not cover.
    @Test(arguments: ["-o proofs", "--group folder -o proofs", "--single -o all.ers"])
    func changedFilesAreNotSkipped(_ kind: String) throws {
        let (workspace, server) = try archive()
        let command = "docs --recursive --tree \(kind) --skip-existing"
        try tree(workspace, command, port: server.port).expect(.done)
        try tree(workspace, command, port: 1).expect(.done)
        try workspace.write("content of b!\n", to: "docs/b.txt")
        let changed = try tree(workspace, command, port: 1)
        changed.expectRefusal(
            ExitCode.cannotCreateOutput, naming: ".ers", "does not cover the input")
        #expect(changed.errors.contains("5 files: 4 skipped, 1 error"), "\(changed.errors)")
        // The hint leads to a new record.
        _ = try workspace.shell("mkdir old; mv proofs/b.txt.ers proofs/docs.ers all.ers old")
        try tree(workspace, command, port: server.port).expect(.done)
        try workspace.write("no record\n", to: "proofs/c.txt.ers")
        try workspace.write("no record\n", to: "proofs/docs.ers")
        try workspace.write("no record\n", to: "all.ers")
        try tree(workspace, command, port: 1).expect(ExitCode.cannotCreateOutput)
    }

    @Test func groupsAndSingleRecords() throws {
        let (workspace, server) = try archive()
        try workspace.write("other\n", to: "more/x.txt")
        try tree(
            workspace, "docs more --recursive --tree --group folder -o groups", port: server.port
        ).expect(.done)
        try workspace.shell("$S verify groups/docs.ers --content docs --trust ca.crt").expect(.done)
        try workspace.shell("$S verify groups/docs.ers --content more --trust ca.crt").expect(
            .invalid)
        try workspace.write("new\n", to: "docs/new.txt")
        try workspace.shell("$S verify groups/docs.ers --content docs --trust ca.crt").expect(
            .invalid)
        for mistake in ["--tree -o all.ers", "--tree --single -o groups"] {
            try tree(workspace, "docs --recursive \(mistake)", port: 1)
                .expectRefusal(.usage, naming: "--single")
        }
        try tree(workspace, "docs --recursive --tree --single -o all.ers", port: server.port)
            .expect(.done)
        try workspace.shell("$S verify all.ers --content docs --trust ca.crt").expect(.done)
        try workspace.shell("$S verify all.ers --content docs/a.txt --trust ca.crt").expect(.done)
        try workspace.shell("$S verify all.ers --content more --trust ca.crt").expect(.invalid)
        // A file of a group is missing.
        let part = try workspace.shell("$S verify all.ers --content docs/a.txt --trust ca.crt")
        #expect(part.output.contains("covers 5 more files or leaves"), "\(part.output)")
        let rest = try workspace.shell(
            "rm docs/new.txt; $S verify all.ers --content docs --trust ca.crt")
        #expect(rest.output.contains("covers 1 more file or leaf"), "\(rest.output)")
    }

    /// The hashes of the files, as a file that never existed: also above a megabyte, and in the
    /// order of a renewed tree.
    @Test func hashesAreNoFile() throws {
        let (workspace, server) = try archive()
        let script = """
            import os
            high = [b"\\xff" * 28 + n.to_bytes(4, "big") for n in range(40000)]
            open("list.bin", "wb").write(b"".join(high))
            open("pair.bin", "wb").write(high[1] + high[0])
            open("other.bin", "wb").write(high[1] + high[0] + high[2])
            """
        try workspace.write(script, to: "make.py")
        try workspace.shell("python3 make.py").expect(.done)
        let cases: [(String, Int32)] = [
            ("list", .indeterminate), ("pair", .indeterminate), ("other", .done),
        ]
        for (name, code) in cases {
            try tree(workspace, "\(name).bin --tree -o proofs", port: server.port).expect(.done)
            try workspace.shell(
                "$S verify proofs/\(name).bin.ers --content \(name).bin --trust ca.crt"
            ).expect(code)
        }
        let renewed = try workspace.shell(
            "$S extend proofs/pair.bin.ers --in-place --offline --trust ca.crt --digest sha512 "
                + "--content pair.bin --tsa http://127.0.0.1:\(server.port)/")
        renewed.expect(.done)
        #expect(renewed.errors.contains("form of a node"), "\(renewed.errors)")
    }

    @Test func shardsAreJoined() throws {
        let (workspace, server) = try archive()
        for index in 1...3 {
            try workspace.shell(
                "$S timestamp docs --recursive --tree --shard \(index)/3 -o leaves"
            ).expect(.done)
        }
        try tree(workspace, "--tree-join leaves/*.leaves -o proofs", port: server.port).expect(
            .done)
        try workspace.shell("$S verify proofs --recursive --content docs --trust ca.crt").expect(
            .done)
    }

    /// After an interruption the authority is not asked again, and modified files get no record.
    @Test func interruptedRunsContinueWithoutAnotherRequest() throws {
        let (workspace, server) = try archive()
        // A folder in place of a record fails the first run after the request.
        try workspace.shell("mkdir -p proofs/c.txt.ers/in").expect(.done)
        try tree(
            workspace, "docs --recursive --tree -o proofs --force", port: server.port
        ).expect(ExitCode.cannotCreateOutput)
        try workspace.shell("rm -r proofs/c.txt.ers proofs/b.txt.ers; ls proofs/.signet-tree.tst")
            .expect(.done)
        try workspace.write("content of b!\n", to: "docs/b.txt")
        let again = try tree(workspace, "docs --recursive --tree -o proofs", port: 1)
        again.expect(ExitCode.malformedInput)
        #expect(again.errors.contains("modified after the timestamp"), "\(again.errors)")
        let list = try workspace.shell("ls proofs").output
        #expect(!list.contains("b.txt") && list.contains("c.txt.ers"), "\(list)")
        try workspace.write("content of b\n", to: "docs/b.txt")
        try tree(workspace, "docs --recursive --tree -o proofs", port: 1).expect(.done)
        try workspace.shell("test ! -e proofs/.signet-tree.tst").expect(.done)
        try workspace.shell("$S verify proofs --recursive --content docs --trust ca.crt").expect(
            .done)
    }

    @Test func renewsTimestampsAndTrees() throws {
        let (workspace, server) = try archive()
        try tree(workspace, "docs --recursive --tree -o proofs", port: server.port).expect(.done)
        let extend =
            "$S extend proofs --recursive --in-place --offline --trust ca.crt "
            + "--tsa http://127.0.0.1:\(server.port)/"
        let idle = try workspace.shell("\(extend) --renew --within 1d --json").expect(.done)
        #expect(try idle.jsonLines().allSatisfy { $0.output == .null })
        // Timestamps become evidence records only if requested.
        try workspace.write("a timestamp", to: "proofs/old.tsr")
        let renewed = try workspace.shell("\(extend) --renew").expect(.done)
        #expect(renewed.errors.contains("1 timestamp was not renewed"))
        #expect(renewed.errors.contains("not longer than the one before"), "\(renewed.errors)")
        try FileManager.default.removeItem(at: workspace.url("proofs/old.tsr"))
        // A timestamp of the same TSA gains nothing.
        let record = try workspace.read("proofs/a.txt.ers")
        let left = try workspace.shell("\(extend) --renew --within 9000d").expect(.done)
        #expect(left.errors.contains("left unchanged: a new timestamp"), "\(left.errors)")
        #expect(try workspace.read("proofs/a.txt.ers") == record)
        let copied = try workspace.shell(
            "\(extend) --renew --within 9000d".replacing("--in-place", with: "-o same/"))
        #expect(copied.output.contains("a.txt.extended.ers: copied, nothing to add"))
        #expect(try workspace.read("same/a.txt.extended.ers") == record)
        let verify = "$S verify proofs --recursive --content docs --trust ca.crt"
        try workspace.shell(verify).expect(.done)
        try workspace.shell("\(extend) --digest sha512 --content docs").expect(.done)
        try workspace.shell(verify).expect(.done)
        let shown = try workspace.shell("$S show proofs/a.txt.ers --json").json()
        #expect((0..<3).map { shown.timestamps[$0].chain.number } == [1, 1, 2])
        #expect(shown.timestamps[2].digest.text == "sha512")
        // The earlier tree no longer helps a file that differs.
        try workspace.write("other\n", to: "docs/a.txt")
        let failed = try workspace.shell(
            "$S verify proofs/a.txt.ers --content docs/a.txt --trust ca.crt"
        ).expect(.invalid)
        #expect(!failed.output.contains("not modified after timestamping (docs/a.txt)"))
        try workspace.shell("\(extend) --digest sha256 --content docs").expect(
            ExitCode.invalid)
    }

    /// A record that ends with an untrusted timestamp would no longer pass.
    @Test func refusesANewAuthorityThatIsNotTrusted() throws {
        let (workspace, server) = try archive()
        try tree(workspace, "docs --recursive --tree -o proofs", port: server.port).expect(.done)
        let before = try workspace.read("proofs/a.txt.ers")
        let second = try timestampWorkspace()
        try second.succeed(
            "cert create --key tsa.pem --subject CN=Other --profile tsa -o tsa.crt --force")
        let other = try ServedAuthority(second)
        let outcome = try workspace.shell(
            "$S extend proofs --recursive --renew --in-place --offline --trust ca.crt "
                + "--tsa http://127.0.0.1:\(other.port)/")
        outcome.expect(.indeterminate)
        #expect(outcome.errors.contains("no trusted certificate chain"), "\(outcome.errors)")
        #expect(try workspace.read("proofs/a.txt.ers") == before)
    }

    @Test func malformedRecordsAreRefused() throws {
        let (workspace, _) = try archive()
        try workspace.write("no record\n", to: "x.ers")
        try workspace.shell("$S verify x.ers").expectRefusal(ExitCode.malformedInput)
        try workspace.shell("$S timestamp docs --recursive --tree -o x --tsa http://127.0.0.1:1/")
            .expect(ExitCode.serviceUnavailable)
        try workspace.shell("$S timestamp docs/a.txt --tree --tsa http://127.0.0.1:1/").expect(64)
    }

    /// A record in an ASiC-S container, and one for two files with a manifest in ASiC-E.
    @Test func recordsInContainers() throws {
        let (workspace, server) = try archive()
        try tree(workspace, "docs/a.txt --tree -o proofs", port: server.port).expect(.done)
        try workspace.write("content of a\n", to: "pair/a.txt")
        try workspace.write("content of b\n", to: "pair/b.txt")
        try tree(
            workspace, "pair --recursive --tree --group folder -o groups", port: server.port
        ).expect(.done)
        let script = """
            import base64, hashlib, zipfile
            def container(name, kind, entries):
                with zipfile.ZipFile(name, "w") as made:
                    made.writestr("mimetype", "application/vnd.etsi.asic-%s+zip" % kind)
                    for path, data in entries: made.writestr(path, data)
            a, b = (open("pair/%s.txt" % name, "rb").read() for name in "ab")
            single = open("proofs/a.txt.ers", "rb").read()
            container("one.asics", "s", [("a.txt", a), ("META-INF/evidencerecord.ers", single)])
            container("bad.asics", "s", [("a.txt", b), ("META-INF/evidencerecord.ers", single)])
            names = "http://uri.etsi.org/02918/v1.2.1#", "http://www.w3.org/2000/09/xmldsig#"
            parts = "".join(
                '<DataObjectReference URI="%s"><d:DigestMethod Algorithm='
                '"http://www.w3.org/2001/04/xmlenc#sha256"/><d:DigestValue>%s</d:DigestValue>'
                "</DataObjectReference>"
                % (name, base64.b64encode(hashlib.sha256(data).digest()).decode())
                for name, data in (("a.txt", a), ("b.txt", b)))
            manifest = (
                '<ASiCManifest xmlns="%s" xmlns:d="%s"><SigReference '
                'URI="META-INF/evidencerecord001.ers" MimeType="application/x-ers"/>%s'
                "</ASiCManifest>" % (*names, parts))
            group = open("groups/pair.ers", "rb").read()
            for name, second in (("two.asice", b), ("bad.asice", a)):
                container(name, "e", [
                    ("a.txt", a), ("b.txt", second), ("META-INF/evidencerecord001.ers", group),
                    ("META-INF/ASiCEvidenceRecordManifest001.xml", manifest)])
            """
        try workspace.write(script, to: "make.py")
        try workspace.shell("python3 make.py").expect(.done)
        for (name, files) in [("one.asics", ["a.txt"]), ("two.asice", ["a.txt", "b.txt"])] {
            let found = try workspace.shell("$S verify \(name) --trust ca.crt --json")
            found.expect(.done)
            #expect(try found.json().signatures[0].files.map(\.text) == files)
            try workspace.shell("$S verify \(name)").expect(.indeterminate)
        }
        for name in ["bad.asics", "bad.asice"] {
            try workspace.shell("$S verify \(name) --trust ca.crt").expect(.invalid)
        }
    }

    // MARK: Bouncy Castle

    /// Bouncy Castle verifies our records, and ours verifies its: single files, groups, two
    /// timestamps, two chains.
    @Test func bouncyCastleAgrees() throws {
        let (workspace, server) = try archive()
        guard let castle = try workspace.bouncyCastle("EvidenceRecords") else { return }
        let files = Self.names.map { "docs/\($0).txt" }
        let trust = "--trust ca.crt"
        let answer = """
            $S tsp send q.tsq --tsa http://127.0.0.1:\(server.port)/ -o q.tsr --force
            """
        // Ours.
        try tree(workspace, "docs --recursive --tree -o proofs", port: server.port).expect(.done)
        try tree(
            workspace, "docs --recursive --tree --group folder -o groups", port: server.port
        ).expect(.done)
        let extend =
            "$S extend proofs/a.txt.ers --in-place --offline \(trust) "
            + "--tsa http://127.0.0.1:\(server.port)/"
        try workspace.shell("\(castle) verify proofs/b.txt.ers docs/b.txt").expect(.done)
        try workspace.shell("\(castle) verify groups/docs.ers \(files.joined(separator: " "))")
            .expect(.done)
        try workspace.shell("\(extend) --renew && \(castle) verify proofs/a.txt.ers docs/a.txt")
            .expect(.done)
        try workspace.shell(
            """
            \(extend) --digest sha512 --content docs/a.txt \
            && \(castle) verify proofs/a.txt.ers docs/a.txt
            """
        ).expect(.done)
        // Theirs: a file, a group of two files, and a renewal of each kind.
        let objects = "docs/a.txt docs/b.txt,docs/c.txt docs/d.txt"
        try workspace.shell(
            """
            set -e
            \(castle) request SHA-256 q.tsq \(objects)
            \(answer)
            \(castle) build SHA-256 q.tsr r \(objects)
            """
        ).expect(.done)
        let found = try (0..<3).map { index in
            try ["docs/a.txt", "docs/b.txt --content docs/c.txt", "docs/d.txt"].filter { content in
                try workspace.shell("$S verify r\(index).ers --content \(content) \(trust)")
                    .exitCode == ExitCode.done
            }
        }
        #expect(found.allSatisfy { $0.count == 1 } && Set(found.flatMap { $0 }).count == 3)
        let own = try #require(found.firstIndex(of: ["docs/a.txt"]))
        try workspace.shell(
            """
            set -e
            \(castle) renew-request r\(own).ers q.tsq
            \(answer)
            \(castle) renew r\(own).ers q.tsr two.ers
            $S verify two.ers --content docs/a.txt \(trust)
            \(castle) rehash-request SHA-512 two.ers q.tsq docs/a.txt
            \(answer)
            \(castle) rehash SHA-512 two.ers q.tsr three.ers docs/a.txt
            $S verify three.ers --content docs/a.txt \(trust)
            """
        ).expect(.done)
        try workspace.shell("$S verify three.ers --content docs/b.txt \(trust)").expect(.invalid)
    }
}
