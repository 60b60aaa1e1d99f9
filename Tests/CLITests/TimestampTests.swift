import Foundation
import SignetTestSupport
import Testing

/// A workspace to sign in beside a time-stamping authority.
struct StampingWorkspace {
    let workspace: Workspace
    let server: TimestampServer

    /// Nil where there is none.
    init?() throws {
        guard let server = try TimestampServer.shared.get() else { return nil }
        self.server = server
        workspace = try signingWorkspace()
    }

    func sign(_ file: String, _ options: String...) throws -> CommandOutcome {
        try workspace.signet("sign \(file) --key key.pem --cert valid.pem \(options)")
    }
}

/// What pyHanko says of files.
enum PyHanko {
    /// Nil, said loudly, where pyHanko is not installed.
    static func about(_ files: [String]) throws -> [JSON]? {
        guard let python = try PythonEnvironment.find("python") else { return nil }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/pyhanko_judge.py").path
        let requests = files.map { "{\"file\": \"\($0)\"}\n" }.joined()
        let outcome = try CommandRunner.run(python, [script], input: Data(requests.utf8))
        return try outcome.jsonLines()
    }
}

@Suite struct TimestampTests {
    private func expectsPyHanko(
        _ workspace: Workspace, _ file: String, signatures: Int, timestamps: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard let answer = try PyHanko.about([workspace.url(file).path])?.first else {
            return
        }
        #expect(answer.signatures.count == signatures, sourceLocation: sourceLocation)
        #expect(answer.timestamps.count == timestamps, sourceLocation: sourceLocation)
        for signature in answer.signatures.items + answer.timestamps.items {
            #expect(
                signature.intact == true && signature.valid == true, "\(signature)",
                sourceLocation: sourceLocation)
        }
    }

    @Test func signsWithATimestamp() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        let outcome = try stamping.sign(
            "letter.pdf", "--tsa", stamping.server.url("ok"), "--tsa-policy", "1.2.3.4.5",
            "--tsa-anchor", stamping.server.file("ca.pem"), "--json")
        outcome.expect(.done)
        let report = try outcome.json()
        #expect(report.level == "B-T" && report.timestamp.policy == "1.2.3.4.5")
        #expect(report.timestamp.server.text == stamping.server.url("ok"))
        try workspace.outsidersAccept("letter.signed.pdf")
        let answer = try PyHanko.about([workspace.url("letter.signed.pdf").path])
        guard let signature = answer?.first?.signatures.first else { return }
        #expect(signature.valid == true && signature.timestamp.valid == true)
        #expect(signature.timestamp.trusted == true, "\(signature)")
    }

    /// The level that is told is the one that verification finds with the same anchors.
    @Test(arguments: [true, false])
    func tellsTheLevelThatVerifyFinds(isTrusted: Bool) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        let anchors = isTrusted ? ["--tsa-anchor", stamping.server.file("ca.pem")] : []
        let trust = isTrusted ? ["--trust", stamping.server.file("ca.pem")] : []
        for (input, output) in [
            ("letter.pdf", "letter.signed.pdf"), ("valid.pem", "valid.pem.p7s"),
        ] {
            let signed = try workspace.succeed(
                ["sign", input, "--key", "key.pem", "--cert", "valid.pem", "--json"]
                    + ["--tsa", stamping.server.url("ok")] + anchors)
            let report = try signed.json()
            let verified = try workspace.succeed(
                "verify \(output) --trust valid.pem --json \(trust)")
            let found = try #require(try verified.json(VerifyReport.self).signatures.first)
            #expect(report.level.text == found.level && found.level == (isTrusted ? "B-T" : "B-B"))
            #expect(report.timestamp.trusted == .bool(isTrusted))
            #expect(found.format == "B-T", "the format has a timestamp in any case")
            #expect(signed.errors.contains("is ignored in verification") != isTrusted)
            let told = try workspace.succeed(
                ["sign", input, "--key", "key.pem", "--cert", "valid.pem", "--force"]
                    + ["--tsa", stamping.server.url("ok")] + anchors)
            #expect(told.output.contains("AdES B-T"), "\(told.output)")
            #expect(told.output.contains("TSA not trusted") != isTrusted, "\(told.output)")
            let judged = try workspace.succeed("verify \(output) --trust valid.pem \(trust)")
            #expect(judged.output.contains("B-T"), "\(judged.output)")
        }
    }

    @Test func stampsSignedDocuments() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.signLetter()
        try workspace.succeed(
            "timestamp letter.signed.pdf --tsa \(stamping.server.url("ok")) --digest sha512 --json")
        let signed = try workspace.read("letter.signed.pdf")
        #expect(try workspace.read("letter.signed.timestamped.pdf").starts(with: signed))
        let listed = try workspace.succeed("field list letter.signed.timestamped.pdf").output
        #expect(listed.contains(": signed by") && listed.contains(": timestamped by"))
        try expectsPyHanko(workspace, "letter.signed.timestamped.pdf", signatures: 1, timestamps: 1)
        // A timestamp is permitted where the author forbids everything else.
        try stamping.sign("letter.pdf", "--certify", "no-changes", "-o", "certified.pdf")
            .expect(.done)
        try workspace.succeed(
            "timestamp certified.pdf --tsa \(stamping.server.url("ok")) --in-place")
        try expectsPyHanko(workspace, "certified.pdf", signatures: 1, timestamps: 1)
        try stamping.sign("certified.pdf").expectRefusal(.malformedInput)
    }

    @Test func stampsAnyFile() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.succeed("timestamp key.pem --tsa \(stamping.server.url("chunked"))")
        try workspace.openssl(
            """
            ts -verify -in key.pem.tsr -data key.pem -CAfile \(stamping.server.file("ca.pem"))
            """)
        try workspace.signet("timestamp key.pem --in-place --tsa \(stamping.server.url("ok"))")
            .expectRefusal(.usage, naming: "is not a PDF")
        // A timestamp is not called a signature, and has no clock of a signer.
        try workspace.succeed(
            "verify key.pem.tsr --trust \(stamping.server.file("ca.pem")) --report r.html")
        let page = try workspace.text("r.html")
        for fact in [
            "<h2>Timestamp</h2>", "All timestamps are valid.", "<dt>Timestamped file</dt>",
            "<dd><bdi>key.pem</bdi>: not modified after timestamping</dd>",
            "<dt>Time-stamping authority (TSA)</dt>",
        ] { #expect(page.contains(fact), "\(fact)") }
        for word in ["clock", "Signed file", "after signing"] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test func messagesGetTimestampsToo() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try stamping.sign("valid.pem", "--tsa", stamping.server.url("ok")).expect(.done)
        try workspace.succeed([
            "cms", "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--attached",
            "-o", "letter.p7m", "--tsa", stamping.server.url("ok"),
        ])
        for (message, content) in [
            ("valid.pem.p7s", ["-content", "valid.pem"]), ("letter.p7m", []),
        ] {
            let form = ["-inform", "DER", "-in", message]
            try workspace.openssl("cms -verify -binary -noverify \(form) -out content \(content)")
            let printed = try workspace.openssl("cms -cmsout -print \(form)")
            #expect(printed.contains("id-smime-aa-timeStampToken"))
        }
    }

    @Test func verifiesTimestampsOfMessages() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        func verify(_ authority: String) throws -> (Int32, VerifyReport.Signature) {
            let outcome = try workspace.signet([
                "verify", "valid.pem.p7s", "--trust", "valid.pem", "--trust",
                stamping.server.file(authority), "--json",
            ])
            return (
                outcome.exitCode, try #require(try outcome.json(VerifyReport.self).signatures.first)
            )
        }
        try stamping.sign("valid.pem", "--tsa", stamping.server.url("ok")).expect(.done)
        let (code, trusted) = try verify("ca.pem")
        #expect(code == .done && trusted.level == "B-T")
        #expect(trusted.timestamp?.trusted == true && trusted.timestamp?.tsa == "tsa")
        // A stamp of somebody unknown proves nothing, and the signature counts without it.
        let (other, untrusted) = try verify("other-ca.pem")
        #expect(other == .done && untrusted.timestamp?.trusted == false)
        #expect(untrusted.problems.contains { $0.code == "timestamp-untrusted" })
        // The stamp's signature comes last but for the message's own end.
        let message = [UInt8](try workspace.read("valid.pem.p7s"))
        var changed = message
        changed[changed.count - 1] ^= 1
        try workspace.write(Data(changed), to: "valid.pem.p7s")
        let (broken, altered) = try verify("ca.pem")
        #expect(broken == .indeterminate, "\(altered)")
        #expect(altered.problems.contains { $0.code == "timestamp-invalid" })
    }

    @Test func remoteSignaturesGetTimestampsWhereRoomWasLeft() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        for (level, expected) in [("T", ExitCode.done), ("B", ExitCode.malformedInput)] {
            try workspace.succeed([
                "remote", "prepare", "letter.pdf", "--cert", "valid.pem", "-o", "prepared.pdf",
                "--to-sign", "hash.bin", "--level", level, "--force",
            ])
            try workspace.succeed(
                "hash sign hash.bin --input hash --key key.pem -o signature.bin --force")
            try workspace.signet([
                "remote", "embed", "prepared.pdf", "--signature", "signature.bin", "-o",
                "\(level).pdf", "--tsa", stamping.server.url("ok"),
            ]).expect(expected)
        }
        try expectsPyHanko(workspace, "T.pdf", signatures: 1, timestamps: 0)
        #expect(!workspace.exists("B.pdf"))
    }

    @Test func longTokensGetMoreRoom() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.copy("letter.pdf", to: "other.pdf")
        let outcome = try workspace.succeed([
            "sign", "letter.pdf", "other.pdf", "--key", "key.pem", "--cert", "valid.pem", "--tsa",
            stamping.server.url("bulky"), "--jobs", "1",
        ])
        // The first tells how long they are.
        #expect(outcome.errors.components(separatedBy: "signed and timestamped again").count == 2)
        for file in ["letter.signed.pdf", "other.signed.pdf"] {
            try expectsPyHanko(workspace, file, signatures: 1, timestamps: 0)
        }
    }

    @Test("a time before the certificate began proves that the signature is none")
    func stampsBeforeCertificates() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.makeKey("young")
        try workspace.succeed("cert create --key young.pem --subject CN=Young -o young.crt")
        func sign(_ path: String) throws -> CommandOutcome {
            try workspace.signet([
                "sign", "letter.pdf", "--key", "young.pem", "--cert", "young.crt", "-o",
                "young.pdf", "--tsa", stamping.server.url(path),
            ])
        }
        try sign("hours-ago")
            .expectRefusal(
                .serviceUnavailable, naming: "the certificate of 'Young' is valid only from")
        #expect(!workspace.exists("young.pdf"))
        try sign("ok").expect(.done)
    }

    @Test func photosGetTimestampsToo() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.copyVector("jpeg/progressive.jpg")
        try stamping.sign(
            "progressive.jpg", "--as-pdf", "-o", "photo.pdf", "--tsa", stamping.server.url("bulky")
        ).expect(.done)
        try expectsPyHanko(workspace, "photo.pdf", signatures: 1, timestamps: 0)
    }

    @Test func keepsOneConnectionForABatch() throws {
        guard let server = try TimestampServer() else { return }
        let workspace = try signingWorkspace()
        let names = (1...100).map { "letter\($0).pdf" }
        for name in names { try workspace.copy("letter.pdf", to: name) }
        try workspace.succeed(
            "sign --key key.pem --cert valid.pem --tsa \(server.url("ok")) -q --jobs 1 \(names)")
        let (connections, requests) = try server.counts()
        #expect(connections == 1 && requests == 100)
        try workspace.succeed(
            [
                "timestamp", "--tsa", server.url("ok", "https"), "--tsa-trust",
                server.file("tls-ca.pem"), "--jobs", "2", "-q",
            ] + names.prefix(20))
        #expect(try server.counts().connections <= 3)
    }

    @Test func levelsNeedWhatTheyNeed() throws {
        let workspace = try signingWorkspace()
        func sign(_ options: String...) throws -> CommandOutcome {
            try workspace.signet("sign letter.pdf --key key.pem --cert valid.pem \(options)")
        }
        try sign("--level", "T").expectRefusal(.usage, naming: "add --tsa URL")
        try sign("--level", "LTA").expectRefusal(.usage, naming: "LTA")
        try sign("--level", "B", "--tsa", "http://127.0.0.1:1").expectRefusal(.usage)
        try sign("--tsa-timeout", "3").expectRefusal(.usage, naming: "--tsa URL")
        try sign("--tsa", "http://127.0.0.1:1", "--tsa-policy", "1.2.x")
            .expectRefusal(.usage, naming: "object identifier")
        // A mere check asks nobody.
        try sign("--tsa", "http://127.0.0.1:1", "--dry-run").expect(.done)
        try workspace.signet("timestamp letter.pdf").expectRefusal(.usage, naming: "--tsa URL")
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func otherCommandsDoNotLoadTheNetwork() throws {
        guard let ldd = try ExternalTool.find("ldd") else { return }
        let libraries = try ExternalTool.run(ldd, [try SignetBinary.path]).output
        #expect(!String(decoding: libraries, as: UTF8.self).contains("curl"))
    }

    @Test func certomancersStampsAreGood() throws {
        guard let server = try CertomancerServer() else { return }
        let workspace = try signingWorkspace()
        try workspace.signLetter("--tsa \(server.url)")
        try workspace.succeed("timestamp letter.signed.pdf key.pem --tsa \(server.url)")
        try expectsPyHanko(workspace, "letter.signed.timestamped.pdf", signatures: 1, timestamps: 1)
        let printed = try workspace.openssl("ts -reply -text -in key.pem.tsr")
        #expect(printed.contains("Status: Granted"))
    }

    /// Ten documents of a corpus, far apart in its list, and our own.
    private func documents() throws -> [URL] {
        let own = [TestVectors.url("pdf/handmade/letter.pdf")]
        guard let corpus = ProcessInfo.processInfo.environment["SIGNET_CORPUS"] else { return own }
        let folder = URL(fileURLWithPath: corpus)
        let names = (FileManager.default.enumerator(atPath: corpus)?.allObjects ?? [])
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".pdf") }.sorted()
        let step = max(1, names.count / 40)
        return own
            + stride(from: 0, to: names.count, by: step).map {
                folder.appendingPathComponent(names[$0])
            }
    }

    @Test func stampsAllKindsOfDocuments() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        let tsa = stamping.server.url("ok")
        var signed: [String] = []
        let all = try documents()
        let wanted = all.count == 1 ? 1 : 11
        for (index, document) in all.enumerated() where signed.count < wanted {
            let name = "\(index).pdf"
            try FileManager.default.copyItem(at: document, to: workspace.url(name))
            // What cannot be signed at all (damaged, encrypted, forbidden) is other tests' matter.
            guard try stamping.sign(name, "--dry-run").exitCode == .done else { continue }
            try stamping.sign(name, "--tsa", tsa).expect(.done, "\(document.path)")
            try workspace.signet("timestamp \(index).signed.pdf --tsa \(tsa)")
                .expect(.done, "\(document.path)")
            signed.append(workspace.url("\(index).signed.timestamped.pdf").path)
        }
        #expect(signed.count >= min(wanted, 10))
        guard let answers = try PyHanko.about(signed) else { return }
        for (file, answer) in zip(signed, answers) {
            let newest = try #require(answer.signatures.last)
            #expect(newest.timestamp.valid == true && newest.valid == true, "\(file): \(answer)")
            #expect(answer.timestamps.last?.valid == true, "\(file): \(answer)")
        }
    }
}
