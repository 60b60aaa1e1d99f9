import Foundation
import SignetTestSupport
import Testing

private let hasStrace = CommandRunner.find("strace") != nil || CommandRunner.toolsAreRequired

@Suite("Faults: pipes")
struct NamedPipeTests {
    /// Both ends are opened by whoever comes first.
    @Test(arguments: [
        "(sleep 0.3; cat letter.pdf >f) & $S sign f $K -o out.pdf",
        "(sleep 0.3; exec 3>f; sleep 0.3; cat letter.pdf >&3) & $S sign f $K -o out.pdf",
        "(sleep 0.3; cat key.pem >f) & $S sign letter.pdf --key f --cert valid.pem -o out.pdf",
        "(sleep 0.3; echo letter.pdf >f) & $S sign --files-from f $K -o ./ && mv letter.signed.pdf out.pdf",
    ])
    func aWriterIsWaitedFor(line: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell("mkfifo f; \(line)").expect(0)
        try workspace.signet("verify out.pdf --trust valid.pem").expect(0)
    }

    /// Nobody writes, or nobody reads what would be written.
    @Test(arguments: [
        "mkfifo f; $S sign f $K -o out.pdf",
        "mkfifo f; exec 3<>f; $S key generate --type rsa:16384 --no-passphrase -o k --public-out f",
        "mkfifo f; exec 3<>f; head -c 65536 /dev/zero >f; "
            + "$S key generate --type ec:P-256 --no-passphrase -o k --public-out f",
    ])
    func waitingEndsByASignal(line: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(
            "\(line) & p=$!; sleep 1; kill -TERM $p; wait $p; test $? -eq 143"
        ).expect(0)
    }

    /// A reader of a pipe has seen its end once it was opened and closed.
    @Test(arguments: [
        "sign letter.pdf $K", "hash sign letter.pdf --key key.pem",
        "key generate --type ec:P-256 --no-passphrase", "cms sign letter.pdf $K",
    ])
    func itsReaderGetsAll(command: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell("mkfifo f; (cat f >got) & sleep 0.3; $S \(command) -o f -q").expect(0)
        try workspace.shell("sleep 0.3; test -s got").expect(0)
    }

    /// Whoever opened the other end may have set it not to wait.
    @Test func whatDoesNotWaitIsWaitedFor() throws {
        let workspace = try signingWorkspace()
        let unblock =
            "import fcntl,os,sys; fcntl.fcntl(int(sys.argv[1]), fcntl.F_SETFL, os.O_NONBLOCK); "
            + "os.execvp(sys.argv[2], sys.argv[2:])"
        try workspace.write("\(unblock)\n", to: "unblock.py")
        try workspace.shell("head -c 300000 /dev/zero >big").expect(0)
        try workspace.shell(
            "python3 unblock.py 1 $S cms sign big $K --attached -o - | "
                + "(sleep 0.5; cat >big.p7m); $S cms verify big.p7m --trust valid.pem -o back && "
                + "cmp big back"
        ).expect(0)
        try workspace.shell(
            "(sleep 0.5; cat letter.pdf) | python3 unblock.py 0 $S sign - $K -o - >out.pdf"
        ).expect(0)
        try workspace.signet("verify out.pdf --trust valid.pem").expect(0)
    }

    @Test func notForEver() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("mkfifo f; $S sign f $K -o out.pdf")
            .expectRefusal(.missingInput, naming: "the pipe has no writer (waited 5 s)")
        try workspace.shell("$S sign letter.pdf $K -o f")
            .expectRefusal(.cannotCreateOutput, naming: "the pipe has no reader")
        try workspace.shell("mkfifo f.pdf; (: >f.pdf) & $S sign f.pdf $K -o out.pdf")
            .expectRefusal(.malformedInput, naming: "empty")
    }
}

@Suite("Faults: standard streams that are closed")
struct ClosedStreamTests {
    /// The first file that is opened would be taken for it: a key, for what is to be signed.
    @Test(arguments: [
        "cms sign - $K --attached", "sign - $K", "hash sign - --key key.pem",
        "sign letter.pdf --key encrypted-key.pem --cert valid.pem --passphrase-file -",
    ])
    func nothingIsTakenForInput(command: String) throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/encrypted-key.pem")
        try workspace.shell("$S \(command) -o out <&-")
            .expectRefusal(.inputOutputError, naming: "Bad file descriptor")
        #expect(!workspace.exists("out"))
    }

    /// Messages would be written into documents.
    @Test(.enabled(if: hasStrace), arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func noFileGetsTheirNumbers(closed: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell("mkdir in; for n in 1 2 3; do cp letter.pdf in/$n.pdf; done").expect(0)
        let outcome = try workspace.shell(
            "strace -f -o log -e trace=openat,memfd_create "
                + "sh -c \"exec $S sign in --recursive -o out/ $K -v --journal j \(closed)\"")
        #expect([0, ExitCode.inputOutputError].contains(outcome.exitCode))
        // What the loader opens it closes before the program begins.
        let taken = try workspace.shell("sed '1,/O_PATH/d' log | grep -v O_PATH | grep '= [012]$'")
        #expect(taken.output.isEmpty, "\(taken.output)")
        try workspace.shell("grep -q O_PATH log").expect(0)
        try workspace.shell("$S verify out/*.pdf --trust valid.pem").expect(0)
    }
}

@Suite("Faults: inputs that change")
struct ChangingInputTests {
    /// What is signed is what was looked at, whether it is read once more for that or not: of a
    /// document with few objects all bytes are looked at before.
    @Test(
        .enabled(if: hasStrace),
        arguments: [
            "sign f.pdf $K -o out.pdf", "sign f.pdf $K -o - >out.pdf",
            "remote prepare f.pdf --cert valid.pem --to-sign hash -o out.pdf",
        ], [0, 200])
    func areNotSigned(command: String, objectCount: Int) throws {
        let workspace = try signingWorkspace()
        var sample = SamplePDF()
        sample.objects += [String](repeating: "<<>>", count: objectCount)
        try workspace.write(Data(sample.bytes), to: "f.pdf")
        // The last read before the file is compared with what was opened.
        let lastRead = command.hasPrefix("remote") ? 2 : 3
        let outcome = try workspace.shell(
            """
            (until grep -q pread log 2>/dev/null; do sleep 0.02; done; printf '%%%%' >>f.pdf) &
            strace -f -o log -P f.pdf -e trace=pread64 \
            -e inject=pread64:delay_exit=500000:when=\(lastRead) $S \(command)
            """)
        #expect(outcome.exitCode == .cannotCreateOutput, "\(outcome.errors)")
        #expect(outcome.errors.contains("was changed while it was read"))
        try workspace.shell("test ! -s out.pdf").expect(0)
    }
}

@Suite("Faults: outputs of several kinds")
struct SeveralOutputTests {
    /// At each call that gives one of them its name.
    @Test(.enabled(if: hasStrace), arguments: ["INT", "TERM", "HUP"], 1...2)
    func belongTogetherWhenASignalComes(signal: String, call: Int) throws {
        let workspace = try signingWorkspace()
        let generate = "$S key generate --type ec:P-256 --no-passphrase -o k --public-out p --force"
        try workspace.shell(generate).expect(0)
        let calls = "link,linkat,rename,renameat,renameat2"
        _ = try workspace.shell(
            "cp p old; strace -f -o log -e trace=\(calls) "
                + "-e inject=\(calls):signal=SIG\(signal):when=\(call) \(generate); true")
        try workspace.shell("openssl pkey -in k -pubout | cmp - p").expect(0)
        // One that is told while the key gets its name is late: both are there then.
        try workspace.shell("grep -q 'SIG\(signal)' log && test $(ls | wc -l) -eq $(ls -A | wc -l)")
            .expect(0)
    }

    @Test(arguments: [
        "verify signed.pdf --extract-revision 1 -o x.html --report x.html",
        "verify signed.pdf --extract-revision 1 -o x.html --report ./x.html --force",
        "tsp respond q.tsq --key tsa.pem --cert tsa.crt --serial-file x.html -o x.html --force",
    ])
    func neverMeet(command: String) throws {
        let workspace = try timestampWorkspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.copyVector("pki/valid.pem")
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.shell(
            "$S sign letter.pdf $K -o signed.pdf -q && $S tsp request letter.pdf -o q.tsq -q"
        ).expect(0)
        try workspace.shell("$S \(command)")
            .expectRefusal(.usage, naming: "two outputs have the same path")
        // The serial numbers were there first.
        #expect(workspace.exists("x.html") == command.hasPrefix("tsp"))
    }
}

@Suite("Faults: files that others save meanwhile")
struct SavedMeanwhileTests {
    /// Signs in place, and saves another content while the output is brought to the disk.
    private func saving(
        _ save: String, _ faults: String = ""
    ) throws -> (Workspace, CommandOutcome) {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            """
            (until grep -q fsync log 2>/dev/null; do sleep 0.02; done; sleep 0.2; \(save)) &
            strace -f -o log -e trace=fsync,renameat2 -e inject=fsync:delay_enter=2000000:when=1 \
            \(faults) $S sign letter.pdf $K --in-place; r=$?; wait; rm log; exit $r
            """)
        return (workspace, outcome)
    }

    @Test(
        .enabled(if: hasStrace),
        arguments: [
            "echo saved >letter.pdf", "echo saved >new; mv new letter.pdf",
            "echo saved >new; mv new letter.pdf; chmod 600 letter.pdf",
        ])
    func whatWasSavedStays(save: String) throws {
        let (workspace, outcome) = try saving(save)
        outcome.expectRefusal(.cannotCreateOutput, naming: "was changed since it was read")
        #expect(try workspace.read("letter.pdf") == Data("saved\n".utf8))
        #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
    }

    @Test(.enabled(if: hasStrace)) func whatWasRemovedStaysAway() throws {
        let (workspace, outcome) = try saving("rm letter.pdf")
        outcome.expectRefusal(.cannotCreateOutput)
        #expect(try workspace.names == ["key.pem", "valid.pem"])
    }

    /// Where files cannot be exchanged, the last look is as late as can be, and it is said.
    @Test(.enabled(if: hasStrace)) func withoutAnExchange() throws {
        let (workspace, outcome) = try saving(
            "echo saved >letter.pdf", "-e inject=renameat2:error=EINVAL")
        outcome.expect(.cannotCreateOutput)
        #expect(try workspace.read("letter.pdf") == Data("saved\n".utf8))
        let alone = try workspace.shell(
            "$S sign \(TestVectors.url("pdf/handmade/letter.pdf").path) $K "
                + "-o l.pdf -q; strace -f -o log -e inject=renameat2:error=EINVAL "
                + "$S sign l.pdf $K --in-place")
        alone.expect(0)
        #expect(alone.errors.contains("cannot exchange files"), "\(alone.errors)")
        try workspace.signet("verify l.pdf --trust valid.pem").expect(0)
    }
}
