import Foundation
import SignetTestSupport
import Testing

/// Lists of leaves of `timestamp --tree --shard`, and trees over many files.
@Suite(.serialized) struct EvidenceRecordListTests {
    /// Writes a list of numbered files. The hash of a file is that of its number.
    private static let maker = """
        import hashlib, sys
        with open(sys.argv[1], "w") as made:
            made.write("signet.tree/1 sha256\\n")
            for number in range(int(sys.argv[2]), int(sys.argv[3])):
                digest = hashlib.sha256(b"%d" % number).hexdigest()
                made.write("%s  folder/scan-%08d.pdf\\n" % (digest, number))
        """

    private func workspace() throws -> (Workspace, ServedAuthority) {
        let workspace = try timestampWorkspace()
        try workspace.write(Self.maker, to: "make.py")
        return (workspace, try ServedAuthority(workspace))
    }

    private func join(
        _ workspace: Workspace, _ lists: String, port: Int, _ options: String = ""
    ) throws -> CommandOutcome {
        try workspace.shell(
            "$S timestamp --tree-join \(lists) -o proofs --tsa http://127.0.0.1:\(port)/ \(options)"
        )
    }

    /// The lists have several blocks of lines, and equal names but for their case.
    @Test func joinedListsAreProvedCompletely() throws {
        let (workspace, server) = try workspace()
        try workspace.shell("python3 make.py a.leaves 0 300 && python3 make.py b.leaves 300 700")
            .expect(.done)
        try workspace.shell("sed 's/scan-00000001/SCAN-00000000/' -i a.leaves").expect(.done)
        try join(workspace, "a.leaves b.leaves", port: server.port, "-q").expect(.done)
        let made = try workspace.shell("find proofs -type f | wc -l").output
        #expect(made.trimmingCharacters(in: .whitespacesAndNewlines) == "700")
        for (number, name) in [
            (0, "scan-00000000"), (1, "SCAN-00000000"), (255, "scan-00000255"),
            (256, "scan-00000256"), (511, "scan-00000511"), (699, "scan-00000699"),
        ] {
            let hash = try workspace.shell("printf \(number) | sha256sum").output.prefix(64)
            try workspace.shell(
                "$S verify proofs/folder/\(name).pdf.ers --hash sha256:\(hash) --trust ca.crt"
            ).expect(.done)
        }
    }

    @Test func unusableListsAreRefused() throws {
        let (workspace, _) = try workspace()
        try workspace.shell("python3 make.py a.leaves 0 9 && python3 make.py b.leaves 8 12")
            .expect(.done)
        let double = try join(workspace, "a.leaves b.leaves", port: 1)
        double.expectRefusal(ExitCode.malformedInput)
        #expect(double.errors.contains("'folder/scan-00000008.pdf' is in the lists twice"))
        for (edit, words) in [
            ("truncate -s -3 a.leaves", "the end of the list of leaves is missing"),
            ("sed 's/folder/../' -i a.leaves", "line 2 is not a hash and a relative name"),
            ("sed 's/sha256/sha512/' -i a.leaves", "line 2 is not a hash"),
            ("sed 2,99d -i a.leaves", "the list of leaves is empty"),
            ("sed 1d -i a.leaves", "not a list of leaves"),
        ] {
            try workspace.shell("python3 make.py a.leaves 0 9 && \(edit)").expect(.done)
            let refused = try join(workspace, "a.leaves", port: 1)
            refused.expectRefusal(ExitCode.malformedInput)
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
        try workspace.shell("test ! -e proofs/.signet-tree.leaves").expect(.done)
    }

    /// An interrupted run continues with its lists, and not with others.
    @Test func interruptedJoinsContinue() throws {
        let (workspace, server) = try workspace()
        try workspace.shell(
            """
            python3 make.py a.leaves 0 300 && python3 make.py b.leaves 300 400
            mkdir -p proofs/folder/scan-00000007.pdf.ers/in
            """
        ).expect(.done)
        try join(workspace, "a.leaves b.leaves", port: server.port, "-q --force")
            .expect(ExitCode.cannotCreateOutput)
        try workspace.shell("rm -r proofs/folder/scan-0000000*").expect(.done)
        let other = try join(workspace, "b.leaves a.leaves", port: 1)
        other.expect(ExitCode.cannotCreateOutput)
        #expect(other.errors.contains("an interrupted run with other files"), "\(other.errors)")
        try join(workspace, "a.leaves b.leaves", port: 1, "-q").expect(.done)
        try workspace.shell("test ! -e proofs/.signet-tree.leaves").expect(.done)
        let made = try workspace.shell("find proofs -type f | wc -l").output
        #expect(made.trimmingCharacters(in: .whitespacesAndNewlines) == "400")
    }

    /// Ten million leaves fit into a gigabyte: the tree is made with at most 100 bytes for each
    /// leaf. No authority is reached, so that no record is written.
    @Test func memoryOfJoinedLists() throws {
        let (workspace, _) = try workspace()
        let script = """
            import os, resource, subprocess, sys
            subprocess.run([os.environ["S"], "timestamp", "--tree-join", sys.argv[1], "-o", "proofs",
                "--tsa", "http://127.0.0.1:1/"], stderr=subprocess.DEVNULL)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        try workspace.write(script, to: "measure.py")
        let (few, many) = (5000, 45000)
        let sizes = try [few, many].map { count in
            try workspace.shell("python3 make.py \(count).leaves 0 \(count)").expect(.done)
            let found = try workspace.shell("export S; python3 measure.py \(count).leaves").output
            return try #require(Int(found.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let growth = (sizes[1] - sizes[0]) * 1024 / (many - few)
        // The allocator rounds up.
        #expect(growth < 130, "\(sizes)")
    }

    /// More files than a thread hashes at a time: one that is missing is reported, the others are
    /// timestamped, and --force replaces their records.
    @Test func manyFilesAreHashedInChunks() throws {
        let (workspace, server) = try workspace()
        let script = """
            import os
            os.mkdir("docs")
            for number in range(1500): open("docs/%04d" % number, "w").write(str(number))
            os.remove("docs/0700")
            open("list", "w").write("".join("docs/%04d\\n" % number for number in range(1500)))
            """
        try workspace.write(script, to: "files.py")
        try workspace.shell("python3 files.py").expect(.done)
        let timestamp =
            "$S timestamp --files-from list --tree -o proofs --jobs 2 --force "
            + "--tsa http://127.0.0.1:\(server.port)/"
        for _ in 1...2 {
            let made = try workspace.shell(timestamp).expect(ExitCode.missingInput)
            #expect(made.errors.contains("1500 files: 1499 timestamped, 1 error"), "\(made.errors)")
        }
        for name in ["0000", "0699", "0701", "1499"] {
            try workspace.shell(
                "$S verify proofs/\(name).ers --content docs/\(name) --trust ca.crt"
            ).expect(.done)
        }
    }

    @Test func groupsOfTwoFoldersWithOneNameAreRefused() throws {
        let (workspace, server) = try workspace()
        try workspace.write("a\n", to: "one/case/a.txt")
        try workspace.write("b\n", to: "two/case/b.txt")
        let made = try workspace.shell(
            """
            $S timestamp one/case two/case --recursive --tree --group folder -o proofs \
            --tsa http://127.0.0.1:\(server.port)/
            """)
        made.expect(.usage)
        #expect(made.errors.contains("two folders have the name 'case'"), "\(made.errors)")
        try workspace.shell("$S verify proofs/case.ers --content one/case --trust ca.crt")
            .expect(.done)
    }
}
