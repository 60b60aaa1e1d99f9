import Foundation
import SignetTestSupport
import Testing

/// What shells offer, asked in the shells themselves.
@Suite struct CompletionTests {
    /// Starts a shell on a terminal, takes the script in, and types lines, each with a Tab behind it.
    /// Prints what became of each: the words, each in pointed brackets.
    private static let typist = """
        import fcntl, json, os, pty, re, select, struct, sys, termios, time
        shell, script, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
        name = os.path.basename(shell)
        start = {
            'bash': ['--norc', '--noprofile', '-i'], 'zsh': ['-f', '-i'],
            'fish': ['--no-config', '-i']}[name]
        setup = {
            'bash': f'. {script}', 'fish': f'set -g fish_autosuggestion_enabled 0; . {script}',
            'zsh': f'autoload -U compinit; compinit -u -D; . {script}'}[name]
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM='dumb', LC_ALL='C.UTF-8', HISTFILE='')
            os.execv(shell, [shell] + start)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, 400, 0, 0))
        shown = ''
        def until(pattern):
            global shown
            end = time.time() + 60
            while time.time() < end:
                found = re.search(pattern, shown)
                if found:
                    shown = shown[found.end():]
                    return found
                if select.select([terminal], [], [], 0.1)[0]:
                    shown += os.read(terminal, 65536).decode(errors='replace')
            sys.exit(f'{shell}: no {pattern} in {shown!r}')
        def type(text):
            os.write(terminal, text.encode())
        # Shells throw away what is typed before they are ready.
        time.sleep(1)
        type(setup + "; printf '<%s>' ready ''\\n")
        until('<ready><>')
        for line in lines:
            type(line + '\\t')
            time.sleep(0.05)
            type("\\x01printf '<%s>' \\x05 ''\\n")
            found = until(r'<signet>((?:<[^<>]*>)*?)<>')
            print(found.group(1))
        os.close(terminal)
        """

    private static let cases: [(line: String, words: String)] = [
        ("key generate --type ec:P-2", "<key><generate><--type><ec:P-256>"),
        ("key generate --type r", "<key><generate><--type><rsa:>"),
        ("csr create --new-key ec:P-5", "<csr><create><--new-key><ec:P-521>"),
        ("sign --identity bo", "<sign><--identity><boss>"),
        ("identity show bo", "<identity><show><boss>"),
        ("sign a.pdf --at last:bottom-r", "<sign><a.pdf><--at><last:bottom-right>"),
        ("sign a.pdf --at te", "<sign><a.pdf><--at><text:>"),
        ("sign a.pdf --level LTA", "<sign><a.pdf><--level><LTA>"),
        (
            "sign a.pdf --config config.toml --profile w",
            "<sign><a.pdf><--config><config.toml><--profile><work>"
        ), ("sign form.pdf --field App", "<sign><form.pdf><--field><Approval>"),
        ("convert a.jpg --page lette", "<convert><a.jpg><--page><letter>"),
        ("sign --key keys/on", "<sign><--key><keys/one.pem>"),
        ("sign --key pkcs11:tok", "<sign><--key><pkcs11:token=token->"),
        ("field ad", "<field><add>"),
        ("help verif", "<help><verify>"),
        ("help prob", "<help><problems>"),
        ("help key gen", "<help><key><generate>"),
        ("help problems standard-f", "<help><problems><standard-font>"),
        ("field add a.pdf --lock onl", "<field><add><a.pdf><--lock><only:>"),
        // What a document calls its fields is no code for the shell.
        ("sign form.pdf --field Two", "<sign><form.pdf><--field><Two $(touch hacked) words>"),
    ]

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsOfferWhatFits(shell: String) throws {
        guard let program = try ExternalTool.find(shell),
            let python = try ExternalTool.find("python3")
        else { return }
        let workspace = try signingWorkspace()
        let folder = { (name: String) in try workspace.makeFolder(name) }
        try folder("bin")
        try folder("keys")
        try workspace.write(Data(), to: "keys/one.pem")
        try workspace.write("[profile.work]\nlevel = \"B\"\n", to: "config.toml")
        try FileManager.default.createSymbolicLink(
            atPath: workspace.url("bin/signet").path, withDestinationPath: SignetBinary.path)
        var environment = [
            "XDG_DATA_HOME": workspace.url("data").path, "HOME": workspace.folder.path,
            "PATH": workspace.url("bin").path + ":/usr/bin:/bin",
        ]
        try workspace.succeed(
            "identity import boss --key key.pem --cert valid.pem", environment: environment)
        try workspace.succeed(
            "field add letter.pdf --field Approval --field 'Two $(touch hacked) words' -o form.pdf")
        try workspace.write(
            workspace.signet("completion \(shell)").outputBytes, to: "script.\(shell)")
        let token = try TokenFixture.shared.get()
        if let token {
            environment.merge(token.environment()) { $1 }
            environment["SIGNET_PKCS11_MODULE"] = token.file("fault.so")
        }
        let cases = Self.cases.filter { token != nil || !$0.line.contains("pkcs11:") }
        let outcome = try CommandRunner.run(
            python,
            ["-c", Self.typist, program, workspace.url("script.\(shell)").path]
                + cases.map { "signet " + $0.line },
            environment: environment, folder: workspace.folder, limit: .seconds(240))
        outcome.expect(.done, "\(shell)")
        let completed = outcome.output.split(separator: "\n").map(String.init)
        try #require(completed.count == cases.count, "\(outcome.output)")
        for (words, expected) in zip(completed, cases) {
            #expect(words == expected.words, "\(shell): \(expected.line)")
        }
        #expect(!workspace.exists("hacked"))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionPrintsTheScript(shell: String) throws {
        let workspace = try Workspace()
        let script = try workspace.succeed("completion \(shell)")
        #expect(
            try script.output == workspace.signet("--generate-completion-script \(shell)").output)
        try workspace.signet("completion csh").expectRefusal(.usage, naming: "fish")
    }
}
