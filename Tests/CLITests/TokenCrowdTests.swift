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
        guard let run = try TokenRun() else { return }
        let workspace = run.workspace
        let request = try run.makeAuthority()
        let server = try run.serve(log: "calls")
        let answers = Mutex<[[UInt8]]>([])
        let port = server.port
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let received = try? ServedAuthority.post(request, times: 25, to: port)
            answers.withLock { $0 += (received ?? []).filter { $0.status == 200 }.map(\.body) }
        }
        try server.command.stop().expect(.done)
        let all = answers.withLock { $0 }
        #expect(all.count == 200)
        for answer in [all.first, all.last].compactMap({ $0 }) {
            try workspace.write(Data(answer), to: "answer.tsr")
            try workspace.openssl("ts -verify -in answer.tsr -queryfile letter.tsq -CAfile tsa.crt")
        }
        let calls = try workspace.text("calls")
        #expect(calls.split(separator: "\n").count { $0.contains("C_Login ") } == 1)
        #expect(calls.contains("C_Logout 0x0") && calls.contains("C_Finalize 0x0"))

        let broken = try run.serve(fault: "C_Sign#*=0x32")
        #expect(try broken.post(request, times: 3).map(\.status) == [200, 200, 200])
        let end = try broken.command.stop().expect(.done)
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
