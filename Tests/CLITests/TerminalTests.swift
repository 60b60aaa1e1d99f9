import Foundation
import SignetTestSupport
import Testing

/// What happens on a terminal: questions, secrets, second tries.
@Suite struct TerminalTests {
    /// Runs signet as the foreground job of a terminal and plays a script against it: lines
    /// `wait TEXT`, `pause`, `type TEXT`, `end`, `interrupt`, `stop`, `continue`, `echo`. Prints what the terminal showed, a line
    /// for each `echo` with whether the terminal shows what is typed, and the exit code.
    private static let player = """
        import os, pty, select, signal, sys, termios, time
        steps = [line.split(' ', 1) for line in sys.argv[1].splitlines()]
        pid, terminal = pty.fork()
        if pid == 0:
            for number in (signal.SIGTSTP, signal.SIGCONT):
                signal.signal(number, signal.SIG_DFL)
            os.execv(sys.argv[2], sys.argv[2:])
        shown = b''
        def read(limit):
            global shown
            if select.select([terminal], [], [], limit)[0]:
                try:
                    shown += os.read(terminal, 4096)
                except OSError:
                    return False
            return True
        seen = 0
        for step in steps:
            if step[0] == 'wait':
                end = time.time() + 100
                while step[1].encode() not in shown[seen:] and time.time() < end and read(0.1):
                    pass
                assert step[1].encode() in shown[seen:], (step, shown)
                seen = shown.index(step[1].encode(), seen) + len(step[1])
            elif step[0] == 'type':
                os.write(terminal, step[1].encode() + b'\\n')
            elif step[0] == 'end':
                # What Ctrl-D sends.
                time.sleep(0.5)
                os.write(terminal, b'\\x04')
            elif step[0] == 'interrupt':
                # What Ctrl-C sends.
                time.sleep(0.5)
                os.write(terminal, b'\\x03')
                # The terminal is asked for as long as the program is not waited for.
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            elif step[0] == 'stop':
                # The question is repeated where it is being waited for the answer.
                time.sleep(0.5)
                os.write(terminal, b'\\x1a')
                assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
                # What a shell does with the terminal of a job that stopped.
                settings = termios.tcgetattr(terminal)
                settings[3] |= termios.ECHO
                termios.tcsetattr(terminal, termios.TCSANOW, settings)
            elif step[0] == 'continue':
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.3)
            elif step[0] == 'pause':
                time.sleep(0.5)
            elif step[0] == 'echo':
                print('echo', bool(termios.tcgetattr(terminal)[3] & termios.ECHO))
        while read(20):
            pass
        print(shown.decode(errors='replace'))
        print('exit', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    private func play(
        _ steps: String, _ arguments: [String], in workspace: Workspace,
        environment: [String: String] = [:]
    ) throws -> String? {
        guard let python = try ExternalTool.find("python3") else { return nil }
        let outcome = try CommandRunner.run(
            python, ["-c", Self.player, steps, try SignetBinary.path] + arguments,
            environment: environment, folder: workspace.folder, limit: .seconds(240))
        outcome.expect(.done, "the terminal")
        return outcome.output
    }

    /// A workspace with an encrypted key, `locked.pem`.
    private func lockedWorkspace() throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write("correct horse\n", to: "pass")
        try workspace.succeed("key convert key.pem -o locked.pem --new-passphrase-file pass")
        return workspace
    }

    private static let sign = ["sign", "letter.pdf", "--key", "locked.pem", "--cert", "valid.pem"]

    @Test func asksThreeTimes() throws {
        let workspace = try lockedWorkspace()
        let steps = """
            wait Passphrase for locked.pem:
            type wrong
            wait try again
            wait Passphrase for locked.pem:
            type wrong too
            wait try again
            wait Passphrase for locked.pem:
            type correct horse
            """
        guard let shown = try play(steps, Self.sign, in: workspace) else { return }
        #expect(shown.contains("exit 0"), "\(shown)")
        #expect(!shown.contains("horse"))
        #expect(workspace.exists("letter.signed.pdf"))
    }

    @Test func givesUpAfterTheThirdTime() throws {
        let workspace = try lockedWorkspace()
        let once = "wait Passphrase for locked.pem:\ntype wrong\n"
        guard let shown = try play(once + once + once, Self.sign, in: workspace) else { return }
        #expect(shown.contains("exit \(ExitCode.credentialRefused)"), "\(shown)")
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func whoTypesNothingIsToldSo() throws {
        let workspace = try lockedWorkspace()
        let steps = "wait Passphrase for locked.pem:\nend\n"
        guard let shown = try play(steps, Self.sign, in: workspace) else { return }
        #expect(shown.contains("exit \(ExitCode.credentialRefused)"), "\(shown)")
        #expect(shown.contains("none was entered"), "\(shown)")
    }

    @Test func filesOfPassphrasesAreReadOnce() throws {
        let workspace = try lockedWorkspace()
        try workspace.write("wrong\n", to: "wrong")
        let outcome = try workspace.signet("\(Self.sign) --passphrase-file wrong")
        outcome.expectRefusal(.credentialRefused, naming: "passphrase is wrong")
        #expect(!outcome.errors.contains("again"))
    }

    @Test func aStopLeavesTheEchoOff() throws {
        let workspace = try lockedWorkspace()
        let steps = """
            wait Passphrase for locked.pem:
            echo
            stop
            continue
            wait Passphrase for locked.pem:
            echo
            type correct horse
            """
        guard let shown = try play(steps, Self.sign, in: workspace) else { return }
        #expect(shown.contains("exit 0"), "\(shown)")
        #expect(!shown.contains("echo True"))
        #expect(!shown.contains("horse"))
    }

    /// Who thinks better of it gets the terminal back as it was, and no try was made.
    @Test func ctrlCGivesTheTerminalBack() throws {
        let workspace = try lockedWorkspace()
        let steps = "wait Passphrase for locked.pem:\necho\ninterrupt\necho\n"
        guard let shown = try play(steps, Self.sign, in: workspace) else { return }
        #expect(shown.contains("exit -\(SIGINT)"), "\(shown)")
        #expect(shown.contains("echo False\necho True"), "\(shown)")
        #expect(try workspace.names.allSatisfy { !$0.hasPrefix("letter.signed") })

        guard let run = try TokenRun() else { return }
        let asked = "wait PIN\necho\ninterrupt\necho\n"
        guard
            let shown = try play(
                asked, ["sign", "letter.pdf", "--key", run.token.uri("p256"), "-o", "out.pdf"],
                in: run.workspace,
                environment: run.token.environment(log: run.workspace.url("log").path))
        else { return }
        #expect(shown.contains("exit -\(SIGINT)"), "\(shown)")
        #expect(shown.contains("echo False\necho True"), "\(shown)")
        #expect(run.count("C_Login") == 0)
        #expect(!run.workspace.exists("out.pdf"))
    }

    /// Two documents ask for two keys at once: one question stands on the terminal, and after a wrong
    /// answer no other one.
    @Test func asksOneQuestionAfterTheOther() throws {
        let keys = ["first", "holder"]
        guard let recipient = try TokenDecryptTests.Recipient(keys, isConfirmed: true) else {
            return
        }
        let run = recipient.run
        func play(_ pins: [String]) throws -> String? {
            let steps = ["PIN of token", "Decryption PIN", "Decryption PIN"]
            return try self.play(
                zip(steps, pins).map { "wait \($0)\npause\ntype \($1)" }.joined(separator: "\n"),
                ["verify", "key-aes256.pdf", "key-holder.pdf", "--jobs", "2"]
                    + ["--decrypt-key", run.token.uri(nil)],
                in: run.workspace,
                environment: run.token.environment(log: run.workspace.url("log").path))
        }
        guard let refused = try play([TokenFixture.pin, "9999"]) else { return }
        #expect(refused.components(separatedBy: "Decryption PIN").count == 2, "\(refused)")
        #expect(run.count("C_Login(context)") == 1)
        try? FileManager.default.removeItem(at: run.workspace.url("log"))
        let right = try play([TokenFixture.pin, TokenFixture.pin, ""]) ?? ""
        #expect(right.contains("exit \(ExitCode.nothingToVerify)"), "\(right)")
        #expect(run.count("C_Login(context)") == 2)
    }

    @Test func asksBeforeAKeyIsRemoved() throws {
        let workspace = try signingWorkspace()
        let environment = ["XDG_DATA_HOME": workspace.url("data").path]
        func identities() throws -> String {
            try workspace.signet("identity list", environment: environment).output
        }
        try workspace.succeed(
            "identity import me --key key.pem --cert valid.pem", environment: environment)
        let remove = ["identity", "remove", "me"]

        for answer in ["n", ""] {
            guard
                let shown = try play(
                    "wait [y/N]\ntype \(answer)\n", remove, in: workspace, environment: environment)
            else { return }
            #expect(shown.contains("exit \(ExitCode.usage)"), "\(shown)")
            #expect(try identities().contains("me: "))
        }
        // Nobody to be asked.
        guard let setsid = try ExternalTool.find("setsid") else { return }
        let alone = try CommandRunner.run(
            setsid, ["--wait", try SignetBinary.path] + remove, environment: environment,
            folder: workspace.folder)
        alone.expectRefusal(.usage, naming: "--force")
        #expect(try identities().contains("me: "))

        guard
            let shown = try play(
                "wait [y/N]\ntype y\n", remove, in: workspace, environment: environment)
        else { return }
        #expect(shown.contains("exit 0"), "\(shown)")
        #expect(try !identities().contains("me: "))
    }

    /// Nobody is asked for a secret first.
    @Test func documentsDoNotGoToTheTerminal() throws {
        let workspace = try lockedWorkspace()
        guard let shown = try play("", Self.sign + ["-o", "-"], in: workspace) else { return }
        #expect(shown.contains("exit \(ExitCode.usage)"), "\(shown)")
        #expect(shown.contains("standard output is a terminal"))
        #expect(!shown.contains("Passphrase for"))
    }
}
