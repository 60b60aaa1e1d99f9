import Foundation
import SignetTestSupport
import Testing

/// Where evidence comes from, what is kept of it, and what does not count.
@Suite(.serialized) struct LongTermEvidenceTests {
    private func others(_ office: LongTermOffice) throws -> [String] {
        try office.server.requests.filter { !$0.contains("/tsa/") }
    }

    // MARK: The cache

    /// Lists, and certificates of issuers, are fetched once; about signer and authority somebody is
    /// asked for each signature.
    @Test func keepsWhatHolds() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA", as: "one.pdf").expect(.done)
        #expect(try others(office).count == 5)
        let cache = office.workspace.url("cache/signet/evidence")
        let kept = try FileManager.default.contentsOfDirectory(atPath: cache.path)
        // Besides the five answers the length of the authority's timestamps.
        #expect(kept.count == 6)
        let first = try office.workspace.read("one.pdf").count
        let mode = try FileManager.default.attributesOfItem(atPath: cache.path)[.posixPermissions]
        #expect(mode as? Int == 0o700)
        try office.server.forgetRequests()
        try office.sign("LTA", as: "two.pdf").expect(.done)
        #expect(try others(office).allSatisfy { $0.hasPrefix("POST /lta/ocsp/") })
        #expect(try others(office).count == 2)
        #expect(try office.levels("two.pdf") == ["B-LTA"])
        // With room for a timestamp that is no longer.
        #expect(try office.workspace.read("two.pdf").count < first - 5000)
        // What was said after a signature holds for it for as long as its responder says.
        _ = try office.sign("T", as: "t.pdf")
        try office.sign("LTA", as: "three.pdf").expect(.done)
        try office.server.forgetRequests()
        let extended = try office.workspace.succeed(
            "extend t.pdf --level LT -o lt.pdf --json \(office.trust)")
        #expect(try office.server.requests.isEmpty)
        let sources = try extended.json().evidence.filter { $0.kind != "none" }
        #expect(sources.count >= 4)
        #expect(sources.allSatisfy { $0.source == "cache" }, "\(sources)")
        // Nothing of that where it is not wanted.
        try office.sign("LTA", as: "four.pdf", ["--no-cache"]).expect(.done)
        #expect(try others(office).count == 5)
    }

    /// A list that is older than the signature is asked for again, in few bytes when it is the last.
    @Test func asksForNewerLists() throws {
        guard let office = try LongTermOffice() else { return }
        let place = ["--cache", "shelf"]
        try office.sign("LTA", as: "one.pdf", by: "s-crl", place).expect(.done)
        try office.server.forgetRequests()
        let again = try office.sign("LTA", as: "two.pdf", by: "s-crl", place).expect(.done)
        #expect(again.errors.contains("is older than the signature"))
        #expect(try others(office).filter { $0.hasSuffix("interm/latest.crl 304") }.count == 1)
        // Where nobody answers, what holds is used.
        try office.server.write("/lta/crls\n", to: "down")
        try office.sign("LTA", as: "three.pdf", by: "s-crl", place).expect(.done)
        #expect(try office.levels("three.pdf") == ["B-LTA"])
    }

    /// Whoever can write into the cache gains nothing.
    @Test func believesNothingForBeingKept() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA", as: "one.pdf").expect(.done)
        let cache = office.workspace.url("cache/signet/evidence")
        let forge =
            "import hashlib, pathlib, sys\nfor f in pathlib.Path(sys.argv[1]).iterdir():\n"
            + "  lines = f.read_bytes().split(b'\\n', 8)\n  body = bytearray(lines[8])\n"
            + "  body[-1] ^= b'/certs/' not in lines[1]\n"
            + "  lines[6] = hashlib.sha256(body).hexdigest().encode()\n"
            + "  f.write_bytes(b'\\n'.join(lines[:8] + [bytes(body)]))\n"
        _ = try CommandRunner.run("/usr/bin/python3", ["-c", forge, cache.path])
        try office.server.forgetRequests()
        try office.sign("LTA", as: "two.pdf").expect(.done)
        let asked = try others(office)
        #expect(asked.count >= 4, "\(asked)")
        #expect(try office.levels("two.pdf") == ["B-LTA"])
        // Neither what is no such file.
        for name in try FileManager.default.contentsOfDirectory(atPath: cache.path) {
            try Data("signet evidence 1\n".utf8).write(to: cache.appendingPathComponent(name))
        }
        try office.sign("LTA", as: "three.pdf").expect(.done)
    }

    /// What one machine gathers serves another one that reaches nobody.
    @Test func carriesEvidenceElsewhere() throws {
        guard let office = try LongTermOffice() else { return }
        let workspace = office.workspace
        _ = try office.sign("T")
        let gathering =
            ["extend", "out.pdf", "--level", "LT", "--dry-run", "--evidence-out", "found"]
            + office.trust
        try workspace.succeed(gathering)
        let found = try FileManager.default.contentsOfDirectory(atPath: workspace.url("found").path)
        #expect(Set(found.map { $0.split(separator: ".").last }) == ["pem", "crl", "ocsp"])
        #expect(found.contains { $0.hasPrefix("Signer-") && $0.hasSuffix(".ocsp") })
        try workspace.succeed(gathering)
        try office.server.forgetRequests()
        let offline = ["extend", "out.pdf", "--level", "LT", "--offline"] + office.trust
        let given = ["--crl", "found", "--ocsp", "found", "--chain", "found"]
        try workspace.succeed("\(offline) \(given) -o lt.pdf")
        // So it does whoever verifies.
        let lists = ["--crl", "found", "--chain", "found"]
        let verify = ["verify", "out.pdf"] + office.trust + lists
        try workspace.signet(verify).expect(.indeterminate)
        try workspace.succeed("\(verify) --ocsp found")
        try workspace.signet("\(verify) --ocsp out.pdf")
            .expectRefusal(.malformedInput, naming: "is not an OCSP response")
        #expect(try office.server.requests.isEmpty)
        #expect(try office.levels("lt.pdf") == ["B-LT"])
        // A folder of the wrong kind is noticed.
        try workspace.signet("extend out.pdf --level LT --crl . -o no.pdf \(office.trust)")
            .expectRefusal(.malformedInput, naming: "the folder contains no revocation list")
        try workspace.signet("extend out.pdf --no-cache --cache a").expect(.usage)
    }

    /// What earlier runs kept serves who reaches nobody, as long as it counts.
    @Test func worksOfflineFromTheCache() throws {
        guard let office = try LongTermOffice() else { return }
        _ = try office.sign("T")
        let raise = ["extend", "out.pdf", "--level", "LT"] + office.trust
        try office.workspace.succeed("\(raise) --dry-run")
        try office.server.forgetRequests()
        let chain = ["--chain", office.server.path("tsinterm.crt")]
        for options in [["--no-cache"], ["--cache", "empty"]] {
            try office.workspace.signet("\(raise) --offline -o no.pdf \(chain) \(options)")
                .expectRefusal(
                    .serviceUnavailable, naming: "the cache contains no valid data",
                    "leave out --offline")
        }
        let outcome = try office.workspace.succeed("\(raise) --offline -o lt.pdf --json")
        #expect(try office.server.requests.isEmpty)
        #expect(try office.levels("lt.pdf") == ["B-LT"])
        let sources = try outcome.json().evidence.filter { $0.kind != "none" }
        #expect(sources.allSatisfy { $0.source == "cache" }, "\(sources)")
        if let strace = try ExternalTool.find("strace") {
            let traced = try CommandRunner.run(
                strace,
                ["-f", "-e", "trace=socket,connect", "-o", "calls", try SignetBinary.path]
                    + raise + ["--offline", "-o", "again.pdf"],
                environment: SignetBinary.cache(in: office.workspace),
                folder: office.workspace.folder)
            traced.expect(.done)
            let calls = try office.workspace.text("calls")
            #expect(!calls.contains("AF_INET") && calls.contains("exited"), "\(calls)")
        }
        // Lists of another time count for nothing.
        try office.travel(to: "2027-03-01", raise + chain + ["--offline", "-o", "late.pdf"])
            .expectRefusal(.serviceUnavailable, naming: "the cache contains no valid data")
    }

    // MARK: What counts

    /// An answer that is wrong in itself counts for nothing; the list does (case 39).
    @Test(arguments: ["nonce", "serial", "delegate", "signature", "tail"])
    func passesOverWrongAnswers(fault: String) throws {
        guard let office = try LongTermOffice() else { return }
        try office.server.write(fault, to: "fault")
        let outcome = try office.sign("LT", ["--no-cache"]).expect(.done)
        #expect(outcome.errors.contains("another server was used"), "\(outcome.errors)")
        let shown = try office.workspace.signet("show out.pdf").output
        #expect(shown.contains("crl by CN=CA,"))
        #expect(!shown.contains("ocsp about"))
        try office.server.write("/lta/crls/interm\n", to: "down")
        try office.sign("LT", as: "no.pdf", ["--no-cache"])
            .expectRefusal(.serviceUnavailable, naming: "no usable revocation data for")
        #expect(!office.workspace.exists("no.pdf"))
    }

    /// Signed after the revocation, with an answer from before it at hand (case 23).
    @Test func noticesReplayedAnswers() throws {
        guard let office = try LongTermOffice() else { return }
        _ = try office.sign("T", as: "early.pdf", by: "s-later")
        try office.workspace.succeed(
            "extend early.pdf --level LT --dry-run --evidence-out found \(office.trust)")
        let signing = ["sign", "letter.pdf", "--level", "T", "-o", "late.pdf"]
        let signed = try office.travel(
            to: "2027-07-01", signing + office.key("s-later") + office.tsa())
        signed.expect(.done)
        let replay =
            ["extend", "late.pdf", "--level", "LT", "-o", "no.pdf", "--ocsp", "found"]
            + office.trust
        try office.travel(to: "2027-07-01", replay)
            .expectRefusal(.invalid, naming: "was revoked on 2027-06-01")
        try office.travel(
            to: "2027-07-01",
            replay + ["--offline", "--no-cache", "--crl", "found", "--chain", "found"]
        ).expect(.serviceUnavailable)
        // What an earlier run was told is not forgotten.
        try office.travel(to: "2027-07-01", replay + ["--offline", "--crl", "found"])
            .expectRefusal(.invalid, naming: "was revoked on 2027-06-01")
        #expect(!office.workspace.exists("no.pdf"))
    }

    /// An authority that was revoked proves nothing (case 25).
    @Test func refusesStampsOfRevokedAuthorities() throws {
        guard let office = try LongTermOffice() else { return }
        let signing = ["sign", "letter.pdf", "-o", "out.pdf"] + office.key()
        try office.workspace.signet(
            "\(signing) --level LTA \(office.tsa("tsa-revoked")) \(office.trust)"
        ).expectRefusal(.indeterminate, naming: "was revoked on 2026-06-01")
        #expect(!office.workspace.exists("out.pdf"))
        try office.workspace.succeed("\(signing) --level T \(office.tsa("tsa-revoked"))")
        try office.workspace.signet("extend out.pdf -o no.pdf \(office.tsa()) \(office.trust)")
            .expectRefusal(.indeterminate, naming: "was revoked on 2026-06-01")
        #expect(!office.workspace.exists("no.pdf"))
    }

    // MARK: Documents of others

    /// A store without the signers' roots, with lists for the signature, made by pyHanko: extending
    /// adds the roots, and leaves every byte that was there (cases 5 and 37).
    @Test(arguments: ["plain", "indirect"]) func completesStoresOfOthers(kind: String) throws {
        guard let office = try LongTermOffice(), let python = try PythonEnvironment.find("python")
        else { return }
        _ = try office.sign("T", as: "t.pdf")
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/foreign_store.py")
        let made = try CommandRunner.run(
            python,
            [script.path, "make", "t.pdf", "other.pdf", kind]
                + ["interm.crt", "tsinterm.crt"].map { office.server.path($0) },
            folder: office.workspace.folder)
        #expect(made.exitCode == 0, "\(made.errors)")
        try office.workspace.succeed("extend other.pdf -o lta.pdf \(office.tsa()) \(office.trust)")
        let (old, new) = (
            try office.workspace.read("other.pdf"), try office.workspace.read("lta.pdf")
        )
        #expect(new.starts(with: old))
        #expect(try office.levels("lta.pdf") == ["B-LTA"])
        let compared = try CommandRunner.run(
            python, [script.path, "compare", "other.pdf", "lta.pdf"],
            folder: office.workspace.folder)
        #expect(compared.output.contains("kept"), "\(compared.output)\(compared.errors)")
        #expect(compared.output.contains("Common Name: Root"))
        #expect(try office.judge("lta.pdf", on: "2028-06-01") == "OK")
    }

    // MARK: Archives

    /// Of an archive, those are renewed whose newest timestamp ends soon (case 29).
    @Test func renewsWhatEndsSoon() throws {
        guard let office = try LongTermOffice() else { return }
        let workspace = office.workspace
        let letter = try workspace.read("letter.pdf")
        try workspace.makeFolder("in")
        for number in 1...12 { try workspace.write(letter, to: "in/\(number).pdf") }
        let day = "2026-11-22"
        func inputs(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "in/\($0).pdf" } }
        let common = ["--level", "LTA", "-o", "archive/"] + office.key() + office.trust
        let signed = try office.travel(to: day, ["sign"] + inputs(1...9) + common + office.tsa())
        signed.expect(.done)
        try office.travel(to: day, ["sign"] + inputs(10...12) + common + office.tsa("tsa-soon"))
            .expect(.done)
        func contents() throws -> [String: Data] {
            Dictionary(
                uniqueKeysWithValues: try (1...12).map {
                    ("\($0)", try workspace.read("archive/\($0).signed.pdf"))
                })
        }
        let before = try contents()
        try office.server.forgetRequests()
        let renewal =
            ["extend", "archive", "--recursive", "--renew", "--within", "60d", "--in-place"]
            + office.tsa() + office.trust
        try office.travel(to: day, renewal).expect(.done)
        #expect(try office.server.requests.filter { $0.contains("/tsa/") }.count == 3)
        let after = try contents()
        for (name, bytes) in after {
            let isDue = Int(name).map { $0 > 9 } ?? false
            #expect((bytes != before[name]) == isDue, "\(name)")
            #expect(bytes.starts(with: before[name] ?? Data()))
        }
        try office.server.forgetRequests()
        try office.travel(to: day, renewal).expect(.done)
        #expect(try office.server.requests.isEmpty)
    }

    // MARK: The way there

    /// Everything goes through the proxy of the environment: there is no other way (case 44).
    @Test func asksThroughTheProxy() throws {
        guard let office = try LongTermOffice() else { return }
        let signing =
            ["sign", "letter.pdf", "--level", "LTA", "-o", "out.pdf", "--no-cache"]
            + office.key("s-far") + ["--tsa", "http://tsa.invalid/lta/tsa/tsa"] + office.trust
        try office.workspace.signet(signing).expect(.serviceUnavailable)
        #expect(!office.workspace.exists("out.pdf"))
        try office.workspace.succeed(
            signing, environment: ["http_proxy": "http://127.0.0.1:\(office.server.port)"])
        #expect(try office.levels("out.pdf") == ["B-LTA"])
    }

    /// A run that is killed at any of its writes leaves the whole output, or none (case 41).
    @Test func leavesAllOrNothing() throws {
        guard let office = try LongTermOffice(), let strace = try ExternalTool.find("strace")
        else { return }
        let workspace = office.workspace
        _ = try office.sign("T", as: "t.pdf")
        let old = try workspace.read("t.pdf")
        var (finished, unfinished) = (0, 0)
        for call in ["write", "pwrite64", "linkat", "renameat2", "fsync"] {
            for number in 1...25 {
                try workspace.write(old, to: "file.pdf")
                let killed = try CommandRunner.run(
                    strace,
                    [
                        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                        "inject=\(call):signal=KILL:when=\(number)", try SignetBinary.path,
                        "extend", "file.pdf", "--in-place",
                    ] + office.tsa() + office.trust,
                    environment: SignetBinary.cache(in: workspace), folder: workspace.folder)
                let new = try workspace.read("file.pdf")
                #expect(new.starts(with: old), "\(call) \(number)")
                if new != old {
                    finished += 1
                    #expect(try office.levels("file.pdf") == ["B-LTA"], "\(call) \(number)")
                }
                // So many calls there are not.
                if killed.exitCode == 0 { break }
                if new == old { unfinished += 1 }
            }
        }
        #expect(finished > 0)
        #expect(unfinished > 2)
    }
}
