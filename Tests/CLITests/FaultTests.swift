import Foundation
import SignetTestSupport
import Testing

extension Workspace {
    /// Compiles a program of `Scripts/lib` that uses Bouncy Castle.
    ///
    /// - Returns: the command that runs it; nil if Java or the library is missing.
    func bouncyCastle(_ program: String) throws -> String? {
        guard let java = try ExternalTool.find("java"), let javac = try ExternalTool.find("javac"),
            let library = try ExternalTool.file("/usr/share/java/bcpkix.jar")
        else { return nil }
        let folder = (library as NSString).deletingLastPathComponent
        let jars = ["bcpkix", "bcprov", "bcutil"].map { "\(folder)/\($0).jar" }
            .joined(separator: ":")
        let source = TestVectors.root.appendingPathComponent("Scripts/lib/\(program).java").path
        try shell("\(javac) -cp \(jars) -d classes \(source)").expect(.done)
        return "\(java) -cp \(jars):classes \(program)"
    }

    /// Runs a shell's line, in which `$S` is signet and `$K` names key and certificate.
    func shell(_ line: String, environment: [String: String] = [:]) throws -> CommandOutcome {
        try CommandRunner.run(
            "/bin/sh",
            ["-c", "S='\(try SignetBinary.path)'; K='--key key.pem --cert valid.pem'; \(line)"],
            environment: environment, folder: folder)
    }

    /// Runs signet with one failing call of the system, as strace's `inject` has it.
    func injecting(_ fault: String, _ line: String) throws -> CommandOutcome {
        try shell("strace -f -o strace.log \(fault) $S \(line)")
    }
}

private let hasStrace = CommandRunner.find("strace") != nil || CommandRunner.toolsAreRequired

@Suite("Faults: nothing done is no success")
struct NothingDoneTests {
    @Test(arguments: [[], ["key"], ["tsp"], ["--json"]])
    func noCommandIsUsage(arguments: [String]) throws {
        let outcome = try Workspace().signet(arguments)
        outcome.expect(.usage)
        #expect(outcome.errors.contains("signet: error: "))
    }

    @Test(.enabled(if: hasStrace)) func argumentsDoNotComeFromProc() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        for file in ["/proc/self/maps", "/proc/self/cmdline"] {
            let outcome = try workspace.shell(
                "strace -o strace.log -P \(file) -e inject=openat:error=EACCES "
                    + "$S verify letter.signed.pdf --json")
            outcome.expect(.indeterminate, "\(file)")
            #expect(outcome.output.contains("signet.verify/1"))
        }
    }

    @Test(.enabled(if: hasStrace)) func aSerialNumberThatCannotBeKeptIsAnError() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        try workspace.injecting(
            "-e inject=rename:error=EIO:when=2",
            "tsp respond hello.tsq --key tsa.pem --cert tsa.crt -o answer.tsr --serial-file n"
        ).expect(.inputOutputError)
        #expect(!workspace.exists("answer.tsr"))
    }

    @Test(.enabled(if: hasStrace)) func aSystemWithoutRandomNumbersIsAnError() throws {
        let workspace = try Workspace()
        let outcome = try workspace.injecting(
            "-e inject=getrandom:error=EAGAIN",
            "key generate --type ec:P-256 --no-passphrase -o key.pem")
        outcome.expectRefusal(.inputOutputError, naming: "random")
        #expect(!workspace.exists("key.pem"))
        // Whichever of the numbers it is.
        try workspace.write("x", to: "x")
        for call in 1...6 {
            let outcome = try workspace.injecting(
                "-e inject=getrandom:error=EAGAIN:when=\(call)", "tsp request x -o x.tsq --force")
            #expect(
                [ExitCode.done, ExitCode.inputOutputError].contains(outcome.exitCode),
                "\(outcome.errors)")
        }
    }

    @Test func aFolderIsNoOutput() throws {
        let workspace = try Workspace()
        try workspace.signet("key generate -o \(workspace.folder.path) --no-passphrase")
            .expectRefusal(.cannotCreateOutput, naming: "is a folder")
    }
}

@Suite("Faults: outputs of one run")
struct OutputTests {
    @Test(arguments: [
        "sign letter.pdf $K -o key.pem", "sign letter.pdf $K -o soft.pem",
        "sign letter.pdf $K -o hard.pem", "sign letter.pdf $K -o valid.pem",
        "hash sign letter.pdf --key key.pem -o key.pem",
        "csr create --key key.pem --subject CN=A -o key.pem",
        "csr create --new-key ed25519 --no-passphrase --key-out x --subject CN=A -o x",
        "csr create --new-key ed25519 --no-passphrase --key-out x --subject CN=A -o ./x",
        "key generate --type ed25519 --no-passphrase -o x --public-out x",
        "key generate --type ed25519 --passphrase-file pass -o pass",
        "key convert key.pem -o key.pem --no-passphrase",
        "remote prepare letter.pdf --cert valid.pem -o p.pdf --to-sign p.pdf",
        "remote prepare letter.pdf --cert valid.pem -o p.pdf --to-sign letter.pdf",
        "remote prepare letter.pdf --cert valid.pem -o valid.pem --to-sign h",
        "cert create --key key.pem --subject CN=A -o key.pem",
        "sign letter.pdf other.pdf $K -o into",
        "sign letter.pdf $K --password-file pass -o pass",
        "sign letter.pdf $K --password-file=pass -o pass",
        "sign letter.pdf $K --passphrase-file pass -o pass",
        "sign letter.pdf $K --chain chain.pem -o chain.pem",
    ])
    func outputsReplaceNothingThatIsRead(line: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(
            "ln key.pem hard.pem; ln -s key.pem soft.pem; echo secret > pass; mkdir into; "
                + "cp letter.pdf other.pdf; ln other.pdf into/letter.signed.pdf; "
                + "cp valid.pem chain.pem"
        ).expect(0)
        let names = try workspace.names
        let before = try names.filter { $0 != "into" }.map(workspace.read)
        for force in ["", " --force"] {
            let outcome = try workspace.shell("$S \(line)\(force)")
            #expect([ExitCode.usage, ExitCode.cannotCreateOutput].contains(outcome.exitCode))
            #expect(outcome.errors.contains("signet: error: "))
        }
        #expect(try workspace.names == names)
        #expect(try names.filter { $0 != "into" }.map(workspace.read) == before)
    }

    @Test func severalRunsInPlaceLoseNoSignature() throws {
        let workspace = try signingWorkspace()
        let line = (1...8).map { "$S sign letter.pdf $K --in-place -q || echo $? & : \($0)" }
        #expect(try workspace.shell(line.joined(separator: "\n") + "\nwait").output.isEmpty)
        let report = try workspace.signet("verify letter.pdf --trust valid.pem --json")
        #expect(try report.json(VerifyReport.self).signatures.count == 8)
        #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
    }

    @Test func whatIsReplacedKeepsItsPermissions() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.shell("chmod 600 letter.signed.pdf; $S sign letter.pdf $K --force -q")
            .expect(0)
        #expect(try workspace.mode("letter.signed.pdf") == 0o600)
        try workspace.shell(
            "chmod 640 letter.signed.pdf; $S sign letter.signed.pdf $K --in-place -q"
        ).expect(0)
        #expect(try workspace.mode("letter.signed.pdf") == 0o640)
    }

    @Test(.enabled(if: hasStrace)) func whatCannotBeKeptIsSaid() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.injecting(
            "-e inject=fchmod:error=EPERM", "sign letter.pdf $K --force")
        outcome.expect(0)
        #expect(outcome.errors.contains("the permissions"))
    }
}

@Suite("Faults: temporary files")
struct TemporaryFileTests {
    @Test func aPipeThatNobodyReadsIsSilent() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell("{ $S show letter.pdf valid.pem; echo $? >&2; } | true")
        #expect(outcome.errors == "0\n")
    }

    @Test func aFileThatMayNotGrowIsAnError() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("ulimit -f 1; exec $S sign letter.pdf $K")
            .expectRefusal(.inputOutputError, naming: "letter.signed.pdf")
        #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
    }

    @Test(.enabled(if: hasStrace), arguments: ["KILL", "TERM", "QUIT", "USR1"])
    func nothingStaysBehindAfterASignal(signal: String) throws {
        let workspace = try signingWorkspace()
        for call in ["fsync", "linkat", "write"] {
            _ = try workspace.shell(
                "strace -o strace.log -e inject=\(call):signal=\(signal):when=1 "
                    + "$S sign letter.pdf $K -o out.pdf; rm -f strace.log")
            // The signal may come when all is done.
            if workspace.exists("out.pdf") {
                try workspace.signet("verify out.pdf --trust valid.pem").expect(0)
                _ = try workspace.shell("rm out.pdf")
            }
            #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
        }
    }

    @Test(
        .enabled(if: hasStrace),
        arguments: [
            "-e inject=linkat:error=EPERM",
            "-e inject=linkat:error=EPERM -e inject=renameat2:error=EINVAL",
            "-e inject=openat:error=EOPNOTSUPP:when=9+",
        ])
    func worksWhereFilesCannotBeWithoutName(faults: String) throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            "strace -o strace.log \(faults) $S sign letter.pdf $K -o out.pdf")
        if outcome.exitCode == 0 {
            try workspace.signet("verify out.pdf --trust valid.pem").expect(0)
        } else {
            #expect(!workspace.exists("out.pdf"))
        }
        #expect(try !workspace.names.contains { $0.hasPrefix(".signet") })
    }

    @Test(.enabled(if: hasStrace)) func whatAKilledRunLeftIsRemoved() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        _ = try workspace.shell(
            "strace -o strace.log -e inject=rename:signal=KILL "
                + "$S sign letter.pdf $K --force")
        #expect(try workspace.names.contains { $0.hasPrefix(".signet") })
        try workspace.shell("$S sign letter.pdf $K --force").expect(0)
        #expect(try !workspace.names.contains { $0.hasPrefix(".signet") })
    }
}

@Suite("Faults: inputs")
struct InputTests {
    @Test(arguments: [
        "cat letter.pdf | $S sign /dev/stdin $K -o out.pdf",
        "mkfifo f; cat letter.pdf > f & $S sign f $K -o out.pdf",
        "mkfifo f; cat key.pem > f & $S sign letter.pdf --key f --cert valid.pem -o out.pdf",
        "mkfifo f.pdf; cat letter.pdf > f.pdf & $S sign f.pdf $K -o out.pdf",
    ])
    func pipesAreReadOnce(line: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(line).expect(0)
        try workspace.signet("verify out.pdf --trust valid.pem").expect(0)
        try workspace.shell("cat out.pdf | $S verify /dev/stdin --trust valid.pem").expect(0)
    }

    @Test(.enabled(if: hasStrace)) func inputsAreOpenedOnce() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("cp letter.pdf letter").expect(0)
        try workspace.shell("strace -o log -e trace=openat $S sign letter $K -o out.pdf").expect(0)
        for file in ["letter", "key.pem", "valid.pem"] {
            #expect(try workspace.shell("grep -c '\"\(file)\"' log").output == "1\n")
        }
    }

    @Test func namesNeedNotBeUTF8() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            "f=$(printf 'b\\351\\364\\217\\277\\277.pdf'); cp letter.pdf \"$f\"; "
                + "$S sign \"$f\" $K && $S verify \"${f%.pdf}.signed.pdf\" --trust valid.pem; "
                + "r=$?; rm -f \"$f\" \"${f%.pdf}.signed.pdf\"; exit $r")
        outcome.expect(0)
        #expect(outcome.output.contains("\\xe9"))
    }

    @Test func tooLittleMemoryIsAnError() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("head -c 300000000 /dev/zero > large").expect(0)
        for command in [
            "cms sign large --attached $K -o out", "hash sign large --key ed.pem -o out",
        ] {
            _ = try workspace.shell("$S key generate --type ed25519 --no-passphrase -o ed.pem -q")
            let outcome = try workspace.shell("ulimit -v 200000; exec $S \(command)")
            #expect(
                [ExitCode.inputOutputError, ExitCode.malformedInput].contains(outcome.exitCode))
        }
        #expect(!workspace.exists("out"))
    }
}

@Suite("Faults: secrets")
struct SecretTests {
    @Test func aProcessWithAKeyLeavesNoCoreDump() throws {
        let workspace = try timestampWorkspace()
        let server = try RunningCommand(
            SignetBinary.path,
            ["tsp", "serve", "--key", "tsa.pem", "--cert", "tsa.crt", "--listen", ":0"],
            environment: workspace.environment, folder: workspace.folder)
        _ = server.firstLine()
        let limits = try workspace.shell(
            "cat /proc/\(server.processIdentifier)/limits /proc/\(server.processIdentifier)/status")
        #expect(limits.output.contains(#/Max core file size +0 +0 /#))
        #expect(limits.output.contains(/VmLck:\s+[1-9]/))
        try server.stop().expect(0)
    }

    @Test(.enabled(if: hasStrace)) func othersPayNothingForThat() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("strace -o log $S show valid.pem").expect(0)
        #expect(try workspace.shell("grep -c 'prctl(PR_SET_DUMPABLE' log").output == "0\n")
        try workspace.shell("strace -o log $S sign letter.pdf $K").expect(0)
        #expect(try workspace.shell("grep -c 'prctl(PR_SET_DUMPABLE' log").output == "1\n")
    }
}

@Suite("Faults: the identity store")
struct IdentityFaultTests {
    private static let make =
        "export XDG_DATA_HOME=$PWD/data; $S identity import me $K -q; "
        + "$S identity request it --subject CN=it --type ec:P-256 --no-passphrase -o it.csr -q; "

    /// Whether anything of the store holds a private key that no command shows.
    private func unreferencedSections(_ workspace: Workspace) throws -> String {
        try workspace.shell("find data -path '*work/*' -o -name '.*'").output
    }

    @Test(.enabled(if: hasStrace), arguments: ["unlink", "rename", "rmdir"], ["INT", "KILL"])
    func removalIsFinishedByTheNextCommand(call: String, signal: String) throws {
        let workspace = try signingWorkspace()
        _ = try workspace.shell(
            Self.make + "strace -f -o log -e inject=\(call):signal=\(signal):when=1 "
                + "$S identity remove me --force")
        let next = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity list").expect(0)
        // Killed before it was renamed, it is what it was.
        #expect(
            next.output.isEmpty || call == "rename" && next.output.hasPrefix("me: "))
        #expect(try unreferencedSections(workspace).isEmpty)
        if call == "unlink" { #expect(next.errors.contains("interrupted")) }
    }

    @Test(.enabled(if: hasStrace)) func anInterruptedCompletionIsRepeatedOrDone() throws {
        for count in 1...12 {
            let workspace = try signingWorkspace()
            try workspace.shell(
                Self.make + "$S cert create --csr it.csr --issuer-cert valid.pem "
                    + "--issuer-key key.pem -o it.crt -q || "
                    + "$S cert create --ca --key key.pem --subject CN=CA -o ca.crt -q && "
                    + "$S cert create --csr it.csr --issuer-cert ca.crt --issuer-key key.pem "
                    + "-o it.crt -q --force"
            ).expect(0)
            let calls = "rename,linkat,unlink,fsync,openat"
            _ = try workspace.shell(
                "export XDG_DATA_HOME=$PWD/data; strace -f -o log "
                    + "-e inject=\(calls):signal=KILL:when=\(10 + count * 2) "
                    + "$S identity complete it.crt")
            let pending = try workspace.shell(
                "XDG_DATA_HOME=$PWD/data $S identity pending -q; $S identity complete it.crt",
                environment: ["XDG_DATA_HOME": workspace.url("data").path])
            let list = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity list").expect(0)
            #expect(list.output.contains("it: "), "\(count): \(pending.errors)")
            #expect(try unreferencedSections(workspace).isEmpty)
        }
    }

    /// Standard output is another command's by then.
    @Test(.enabled(if: hasStrace)) func anInterruptedRequestIsPrintedByNoOtherCommand() throws {
        let workspace = try signingWorkspace()
        for call in ["write:signal=KILL:when=4+", "renameat2,rename:signal=KILL:when=2+"] {
            _ = try workspace.shell(
                Self.make + "strace -f -o log -e inject=\(call) $S identity request new "
                    + "--subject CN=N --type ed25519 --no-passphrase -o -")
            let next = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity list").expect(0)
            #expect(!next.output.contains("REQUEST"))
            _ = try workspace.shell("rm -r data")
        }
    }

    /// What a link leads to belongs to somebody else.
    @Test(arguments: ["identities/b", "work/old-b", "pending/b"])
    func linksAreRemovedThemselves(place: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(
            Self.make + "mkdir ext; echo thesis >ext/thesis.txt; cp key.pem ext/; "
                + "cp valid.pem ext/certificates.pem; mkdir -p data/signet/work; "
                + "ln -s $PWD/ext data/signet/\(place)"
        ).expect(0)
        _ = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity remove b --force")
        _ = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity import more $K")
        try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity list").expect(0)
        try workspace.shell("test ! -e data/signet/\(place)").expect(0)
        #expect(
            try workspace.shell("ls ext; cat ext/thesis.txt").output
                == "certificates.pem\nkey.pem\nthesis.txt\nthesis\n")
    }

    /// What cannot be looked at is not taken for absent.
    @Test(.enabled(if: hasStrace), arguments: [1, 2]) func whatCannotBeToldFails(call: Int) throws {
        let workspace = try signingWorkspace()
        let list = try workspace.shell(
            Self.make + "strace -f -o log -P $PWD/data/signet/identities/me "
                + "-e inject=newfstatat,stat:error=EIO:when=\(call) $S identity list")
        list.expectRefusal(.inputOutputError, naming: "identities/me")
    }

    /// One folder that is damaged, or no identity's, keeps nobody from the others.
    @Test(arguments: [
        "echo x >data/signet/pending/notes.txt", "echo x >data/signet/identities/notes.txt",
        "mkdir data/signet/identities/empty", "echo x >data/signet/identities/me/certificates.pem",
        "echo x >$(echo data/signet/pending/*)/request.pem", "rm data/signet/pending/*/name",
        "p=$(echo data/signet/pending/*); echo x >$p/request.pem; "
            + "echo $PWD/there.csr >data/signet/work/request-${p##*/}",
    ])
    func damageStaysWhereItIs(damage: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(Self.make + "$S identity import a $K -q; \(damage)").expect(0)
        let list = try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity list").expect(0)
        #expect(list.output.contains("a: "))
        try workspace.shell(
            "export XDG_DATA_HOME=$PWD/data; $S identity import b $K -q && "
                + "$S identity remove a --force -q"
        ).expect(0)
        let pending = try workspace.shell("ls data/signet/pending")
        for name in pending.output.split(separator: "\n") where name != "notes.txt" {
            try workspace.shell("XDG_DATA_HOME=$PWD/data $S identity remove \(name) --force")
                .expect(0)
        }
    }

    @Test func manyWorkersAtOnceAllSucceed() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            """
            export XDG_DATA_HOME=$PWD/data
            for w in 1 2 3 4 5 6 7 8; do (for n in 1 2 3 4; do
              $S identity import w$w-$n $K -q || echo $?
              $S identity list -q || echo $?
              $S sign letter.pdf --identity w$w-$n -o o$w-$n.pdf -q || echo $?
              $S identity remove w$w-$n --force -q || echo $?
            done) & done; wait
            """)
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
    }
}
