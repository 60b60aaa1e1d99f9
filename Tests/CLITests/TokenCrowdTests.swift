import Foundation
import SignetTestSupport
import Synchronization
import Testing

/// Tokens that many ask at once, and everybody who asks for none.
@Suite(.serialized) struct TokenCrowdTests {
    @Test func severalProgramsShareAToken() throws {
        guard let run = try TokenRun() else { return }
        let files = (0..<40).map { "\($0).pdf" }
        for file in files { try run.workspace.copy("letter.pdf", to: file) }
        let (workspace, environment) = (run.workspace, run.token.environment())
        let key = run.token.uri("p256")
        let outcomes = Mutex<[CommandOutcome]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { part in
            let mine = files.indices.filter { $0 % 4 == part }.map { files[$0] }
            let outcome = try? workspace.signet(
                "sign \(mine) --key \(key) --passphrase-file pin", environment: environment)
            if let outcome { outcomes.withLock { $0.append(outcome) } }
        }
        let all = outcomes.withLock { $0 }
        #expect(all.count == 4)
        for outcome in all { outcome.expect(.done) }
        try workspace.succeed(
            ["verify"] + files.map { "\($0.dropLast(4)).signed.pdf" }
                + ["--trust", run.token.file("p256.crt")])
    }

    /// One login for all requests, whoever sends them; and a token that fails is told once.
    @Test func anAuthorityLogsInOnce() throws {
        guard let run = try TokenRun(), let openssl = try ExternalTool.find("openssl") else {
            return
        }
        let workspace = run.workspace
        try run.signet([
            "cert", "create", "--profile", "tsa", "--key", run.token.uri("rsa2048"), "--subject",
            "CN=TSA", "--passphrase-file", "pin", "-o", "tsa.crt",
        ]).expect(.done)
        try run.signet("tsp request letter.pdf -o letter.tsq").expect(.done)
        let request = [UInt8](try workspace.read("letter.tsq"))
        let head =
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/timestamp-query\r\n"
            + "Content-Length: \(request.count)\r\n\r\n"
        func serve(_ fault: String, _ log: String) throws -> (server: RunningCommand, port: Int) {
            let server = try RunningCommand(
                SignetBinary.path,
                [
                    "tsp", "serve", "--key", run.token.uri(nil), "--cert", "tsa.crt",
                    "--passphrase-file", "pin", "--listen", ":0",
                ],
                environment: run.token.environment(
                    fault: fault, log: workspace.url(log).path
                ).merging(["XDG_DATA_HOME": workspace.url("home").path]) { $1 },
                folder: workspace.folder)
            let line = server.firstLine()
            return (server, try #require(Int(line.split(separator: ":").last?.dropLast() ?? "")))
        }

        let (server, port) = try serve("", "calls")
        let answers = Mutex<[[UInt8]]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            guard let client = try? LoopbackClient(port: port) else { return }
            for _ in 0..<25 {
                client.send(head)
                client.send(request)
                guard let response = client.receive(), response.status == 200 else { return }
                answers.withLock { $0.append(response.body) }
            }
        }
        #expect(try server.stop().exitCode == 0)
        let all = answers.withLock { $0 }
        #expect(all.count == 200)
        for answer in [all.first, all.last].compactMap({ $0 }) {
            try workspace.write(Data(answer), to: "answer.tsr")
            let verified = try ExternalTool.run(
                openssl,
                [
                    "ts", "-verify", "-in", workspace.url("answer.tsr").path, "-queryfile",
                    workspace.url("letter.tsq").path, "-CAfile", workspace.url("tsa.crt").path,
                ])
            #expect(verified.status == 0, "\(verified.errors)")
        }
        let calls = try workspace.text("calls")
        #expect(calls.split(separator: "\n").count { $0.contains("C_Login ") } == 1)
        #expect(calls.contains("C_Logout 0x0") && calls.contains("C_Finalize 0x0"))

        let (broken, brokenPort) = try serve("C_Sign#*=0x32", "broken-calls")
        let client = try LoopbackClient(port: brokenPort)
        for _ in 0..<3 {
            client.send(head)
            client.send(request)
            #expect(client.receive()?.status == 200)
        }
        let end = try broken.stop()
        #expect(end.exitCode == 0)
        #expect(end.errors.components(separatedBy: "timestamps are refused").count == 2)
    }

    /// Nothing that a document, a name or a certificate says loads a module or starts a program, and
    /// a key file needs neither a module nor the network.
    @Test func nobodyElseDecidesWhatIsLoaded() throws {
        guard let strace = CommandRunner.find("strace") else { return }
        let workspace = try signingWorkspace()
        try workspace.makeFolder("bin")
        try workspace.write("#!/bin/sh\n", to: "bin/signet-key-demo")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: workspace.url("bin/signet-key-demo").path)
        let words = ["pkcs11:token=x", "exec:demo", "csc:http://127.0.0.1:9/csc/v2"]
        func traced(_ arguments: [String]) throws {
            let outcome = try CommandRunner.run(
                strace,
                ["-f", "-e", "trace=openat,execve,connect", "-o", "trace", try SignetBinary.path]
                    + arguments,
                environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"],
                folder: workspace.folder)
            outcome.expect(.done)
            let trace = try workspace.text("trace")
            #expect(trace.contains("execve("))
            for line in trace.split(separator: "\n") where !line.contains("ENOENT") {
                let path = line.split(separator: "\"").dropFirst().first ?? ""
                let isOdd = ["p11-kit", "pkcs11", "libcurl", "signet-key"].contains {
                    path.contains($0)
                }
                #expect(!isOdd && !line.contains("connect("), "\(line)")
            }
        }
        for (index, word) in words.enumerated() {
            try traced([
                "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--reason", word,
                "--name", word, "--contact", word, "-o", "\(index).pdf",
            ])
            try traced(["verify", "\(index).pdf", "--trust", "valid.pem"])
            try traced(["show", "\(index).pdf"])
        }
        // Nor does the name of a key in its file, or its holder's.
        guard let openssl = CommandRunner.find("openssl") else { return }
        for word in words {
            try CommandRunner.run(
                try SignetBinary.path,
                [
                    "cert", "create", "--key", "key.pem", "--subject", "CN=exec:demo", "-o",
                    "odd.crt",
                ] + ["--force"], folder: workspace.folder
            ).expect(.done)
            try CommandRunner.run(
                openssl,
                [
                    "pkcs12", "-export", "-inkey", "key.pem", "-in", "odd.crt", "-name", word,
                    "-caname", word, "-passout", "pass:", "-out", "odd.p12",
                ], folder: workspace.folder
            ).expect(.done)
            try traced(["show", "odd.p12"])
            try traced(["sign", "letter.pdf", "--key", "odd.p12", "-o", "odd.pdf", "--force"])
        }
    }
}
