import Foundation
import SignetTestSupport
import Testing

/// Levels LT and LTA, their renewal, and what outsiders say of them, today and in years.
@Suite(.serialized) struct LongTermTests {
    /// Nobody knows yet whether the authority's certificate was revoked when its stamp comes.
    @Test(arguments: ["T", "LTA"]) func demandsAnAuthorityThatCanBeRevoked(level: String) throws {
        guard let office = try LongTermOffice() else { return }
        let anchors = ["--tsa-anchor", office.server.path("tsinterm.crt")]
        try office.sign(level, as: "out.pdf", anchors).expect(.done)
        let other = ["--tsa-anchor", "valid.pem"]
        try office.sign(level, as: "other.pdf", other)
            .expectRefusal(.serviceUnavailable, naming: "is not trusted")
    }

    /// Most tokens carry the authority's certificate alone: the one above is given, or fetched.
    @Test func findsTheIssuersOfAuthorities() throws {
        guard let office = try LongTermOffice() else { return }
        let root = ["--tsa-anchor", office.server.path("tsroot.crt")]
        try office.sign("LTA", as: "lta.pdf", root).expect(.done)
        try office.sign("T", as: "no.pdf", root).expectRefusal(
            .serviceUnavailable, naming: "the issuer certificate 'TS CA' was not found",
            "add the certificate of 'TS CA' with --chain")
        let chain = ["--chain", office.server.path("tsinterm.crt")]
        try office.sign("T", as: "t.pdf", root + chain).expect(.done)
        try office.workspace.succeed(
            "timestamp letter.pdf -o stamped.pdf \(office.tsa()) \(root) \(chain)")
        try office.workspace.succeed(
            "extend t.pdf -o extended.pdf \(office.tsa()) \(root) \(office.trust)")
        // Who is not below the anchor is refused all the same.
        try office.sign("LTA", as: "no.pdf", ["--tsa-anchor", office.server.path("root.crt")])
            .expectRefusal(.serviceUnavailable, naming: "is not trusted")
    }

    @Test("a document with usage rights is timestamped and extended with a warning")
    func endsUsageRights() throws {
        guard let office = try LongTermOffice() else { return }
        let sample = SamplePDF(
            catalogEntries: "/Perms <</UR3 6 0 R>>", extraObjects: ["<</Type /Sig>>"])
        try office.workspace.write(Data(sample.bytes), to: "form.pdf")
        let stamped = try office.workspace.succeed("timestamp form.pdf \(office.tsa())")
        #expect(stamped.errors.contains("usage rights"))
        try office.sign("T", as: "t.pdf", of: "form.pdf").expect(.done)
        let extended = try office.workspace.succeed(
            "extend t.pdf --level LT -o lt.pdf \(office.tsa()) \(office.trust)")
        #expect(extended.errors.contains("usage rights"))
        let again = try office.workspace.succeed(
            "extend lt.pdf --level LT -o again.pdf \(office.tsa()) \(office.trust)")
        #expect(!again.errors.contains("usage rights"), "nothing is changed")
    }

    /// What can be known without asking anybody is said before anything is signed.
    @Test func rehearsesLevels() throws {
        guard let office = try LongTermOffice() else { return }
        try office.server.forgetRequests()
        let rehearsal = try office.sign("LTA", ["--dry-run"]).expect(.done)
        #expect(rehearsal.output.contains("PAdES B-LTA"))
        try office.sign("LTA", by: "s-none", ["--dry-run"])
            .expectRefusal(.malformedInput, naming: "contains no OCSP or CRL URL")
        let blind =
            ["sign", "letter.pdf", "--level", "LTA", "--dry-run", "--trust", "valid.pem"]
            + office.tsa()
        try office.workspace.signet("\(blind) \(office.key()) --offline")
            .expectRefusal(
                .indeterminate, naming: "letter.pdf", "no trusted certificate chain for 'Signer'")
        let open = try office.workspace.succeed("\(blind) \(office.key())")
        #expect(open.errors.contains("the chain to a trust anchor is not checked"))
        // Without an address, the issuer cannot be fetched.
        let (key, lone) = (office.server.path("signer.pem"), office.server.path("s-none.crt"))
        try office.workspace.signet("\(blind) --key \(key) --cert \(lone)")
            .expectRefusal(.indeterminate, naming: "no trusted certificate chain for")
        #expect(try office.server.requests.isEmpty)
    }

    /// The output does not exist when it could not be made.
    @Test func blamesTheInput() throws {
        guard let office = try LongTermOffice() else { return }
        try office.workspace.signet(
            ["sign", "letter.pdf", "--level", "LTA", "-o", "out.pdf", "--trust", "valid.pem"]
                + office.key() + office.tsa()
        ).expectRefusal(
            .indeterminate, naming: "error: letter.pdf: no trusted certificate chain for")
    }

    /// A timestamp from the future proves nothing yet.
    @Test func saysWhyAStampDoesNotCount() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("T").expect(.done)
        let extend = ["extend", "out.pdf"] + office.tsa() + office.trust
        try office.workspace.succeed("\(extend) --dry-run")
        try office.server.write("3600", to: "clock")
        defer { try? office.server.write("", to: "clock") }
        try office.workspace.signet("\(extend) -o no.pdf")
            .expectRefusal(.indeterminate, naming: "later than")
    }

    @Test func signsForDecades() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA").expect(.done)
        let requests = try office.server.requests
        #expect(requests.count == 7, "\(requests)")
        #expect(Set(requests.filter { !$0.contains("/tsa/") }).count == 5)
        try office.workspace.succeed("verify out.pdf --require-level LTA \(office.trust)")
        #expect(try office.levels("out.pdf") == ["B-LTA"])
        try office.workspace.tool("qpdf --check out.pdf")?.expect(.done)
        // The signer's certificate ends with 2027, the authority's with 2028.
        try office.travel(to: "2028-06-01", ["verify", "out.pdf"] + office.trust)
            .expect(.done)
        try office.travel(to: "2029-05-01", ["verify", "out.pdf"] + office.trust)
            .expect(.indeterminate)
        #expect(try office.judge("out.pdf", on: "2028-06-01") == "OK")
        #expect(try office.judge("out.pdf", on: "2029-05-01") == "NO_POE")
    }

    /// Until when it holds, and what has to be done before then; afterwards it is too late.
    @Test func tellsUntilWhenItHolds() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA").expect(.done)
        let question = ["verify", "out.pdf"] + office.trust
        let future = try office.workspace.signet("\(question) --as-of 2040-01-01")
        future.expect(.indeterminate)
        #expect(future.output.contains("before 2029-01-01:\n"))
        #expect(future.output.contains("signet extend out.pdf --tsa URL --renew"))
        for wrong in ["root certificate", "not trusted", "only a trusted timestamp"] {
            #expect(!future.output.contains(wrong), "\(future.output)")
        }
        let late = try office.travel(to: "2029-05-01", question).expect(.indeterminate)
        #expect(late.output.contains("the timestamp expired on 2029-01-01"))
        // Who signed later without a timestamp was never proven by it.
        try office.workspace.succeed("sign out.pdf -o two.pdf --new-field \(office.key())")
        let two = try office.workspace.signet("verify two.pdf --as-of 2040-01-01 \(office.trust)")
            .output
        let own = two[try #require(two.ranges(of: "  Signature2: ").last).lowerBound...]
        #expect(own.contains("a new signature with a timestamp"), "\(two)")
        #expect(!own.contains("renew the timestamps before"))
    }

    /// What takes a signature to the level that was asked for.
    @Test func tellsTheNextStep() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("T").expect(.done)
        let low = try office.workspace.signet(
            "verify out.pdf --require-level LTA --online --online-local \(office.trust)")
        low.expect(.indeterminate)
        #expect(low.output.contains("  signet extend out.pdf --tsa URL"))
        // Another stamp by the same authority would be no more trusted.
        let unknown = try office.workspace.signet("verify out.pdf --explain-level")
        #expect(unknown.output.contains("the root certificate of the TSA 'TSA A' as trust anchor"))
        // The command of the fix is another one, so only the fix is printed.
        #expect(unknown.output.contains("Fix  "))
        #expect(!unknown.output.contains("Next step"), "\(unknown.output)")
        // Who has more than nobody asked for keeps it.
        try office.sign("LTA", as: "lta.pdf").expect(.done)
        let enough = try office.workspace.succeed("extend lta.pdf \(office.trust)")
        #expect(enough.output.contains("nothing to add (PAdES B-LTA, renew before 2029-01-01"))
        try office.workspace.signet("extend lta.pdf --level LT \(office.trust)").expect(.usage)
        // A second stamp by the same authority lasts no longer.
        let vain = try office.workspace.succeed(
            "extend lta.pdf --renew -o vain.pdf \(office.tsa()) \(office.trust)")
        #expect(vain.errors.contains("the new timestamp is valid until"))
        // What runs every night does not make files grow for nothing.
        let before = try office.workspace.read("lta.pdf")
        try office.workspace.write(before, to: "copy.pdf")
        let nightly = try office.workspace.succeed(
            [
                "extend", "lta.pdf", "copy.pdf", "--renew", "--within", "36500d", "--in-place",
                "--jobs", "1", "--json",
            ] + office.tsa() + office.trust)
        #expect(nightly.errors.contains("left unchanged: a new timestamp"))
        #expect(nightly.errors.contains("2 not renewed"))
        #expect(nightly.output.contains("\"gained\":false"))
        #expect(try office.workspace.read("lta.pdf") == before)
        #expect(try office.workspace.read("copy.pdf") == before)
    }

    /// Nobody speaks about certificates that are trusted by themselves.
    @Test func saysWhyThereIsNoEvidence() throws {
        guard let office = try LongTermOffice() else { return }
        try office.workspace.succeed("cert create --key key.pem --subject CN=Alone -o alone.crt")
        try office.workspace.signet(
            """
            sign letter.pdf --level LTA -o out.pdf --key key.pem --cert alone.crt --trust \
            alone.crt --trust \(office.server.path("tsa.crt")) \(office.tsa())
            """
        ).expectRefusal(.indeterminate, naming: "certificates are trusted directly")
        #expect(!office.workspace.exists("out.pdf"))
        // Nobody is told to try it.
        try office.workspace.succeed(
            "sign letter.pdf --key key.pem --cert alone.crt -o t.pdf \(office.tsa())")
        let explained = try office.workspace.signet([
            "verify", "t.pdf", "--explain-level", "--trust", "alone.crt", "--trust",
            office.server.path("tsa.crt"),
        ]).output
        #expect(explained.contains("revocation data: the signing and TSA certificates"))
        #expect(!explained.contains("signet extend"), "\(explained)")
    }

    /// Evidence without a timestamp over it proves nothing for long.
    @Test func evidenceAloneDoesNotLast() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LT").expect(.done)
        #expect(try office.levels("out.pdf") == ["B-LT"])
        try office.workspace.succeed("verify out.pdf \(office.trust)")
        for day in ["2027-06-01", "2028-06-01"] {
            try office.travel(to: day, ["verify", "out.pdf"] + office.trust).expect(.indeterminate)
        }
    }

    @Test(arguments: ["B", "T", "LT"])
    func raises(from level: String) throws {
        guard let office = try LongTermOffice() else { return }
        let workspace = office.workspace
        if level == "B" {
            try workspace.succeed("sign letter.pdf -o out.pdf \(office.key())")
        } else {
            _ = try office.sign(level)
        }
        let outcome = try workspace.succeed(
            "extend out.pdf -o lta.pdf --json \(office.tsa()) \(office.trust)")
        let extended = try outcome.json()
        #expect(extended.from.text == "B-\(level)")
        #expect(extended.level == "B-LTA")
        #expect(extended.renewBefore == "2029-01-01T00:00:00Z")
        #expect(try office.levels("lta.pdf") == ["B-LTA"])
        let (old, new) = (try workspace.read("out.pdf"), try workspace.read("lta.pdf"))
        #expect(new.starts(with: old))
        // pyHanko wants a timestamp inside the signature, which a signed document cannot get any
        // more; a document timestamp will do by ETSI EN 319 142-1 §6.3 (n).
        if level != "B" { #expect(try office.judge("lta.pdf", on: "2028-06-01") == "OK") }
        // Nothing is added twice.
        let again = try workspace.succeed(
            "extend lta.pdf -o again.pdf \(office.tsa()) \(office.trust)")
        #expect(again.output.contains("nothing to add"))
        #expect(try workspace.read("again.pdf") == new)
    }

    @Test func renewsInTime() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA").expect(.done)
        let renewal =
            ["extend", "out.pdf", "--renew", "--within", "60d", "--force"] + office.tsa("tsa-b")
            + office.trust
        // Two years before the end there is nothing to do, and nobody is asked.
        try office.server.forgetRequests()
        let early = try office.workspace.succeed(renewal)
        #expect(early.output.contains("nothing to add"))
        #expect(try office.server.requests.isEmpty)
        let renewed = try office.travel(
            to: "2028-12-01", renewal + ["-o", "renewed.pdf", "--json"])
        renewed.expect(.done)
        let extended = try renewed.json()
        #expect(extended.renewBefore == "2036-01-01T00:00:00Z")
        #expect(extended.added.bytes.number < 9000)
        let old = try office.workspace.read("out.pdf")
        let new = try office.workspace.read("renewed.pdf")
        #expect(new.starts(with: old))
        #expect(new.count - old.count < 12_000)
        for day in ["2029-05-01", "2031-01-01"] {
            try office.travel(to: day, ["verify", "renewed.pdf"] + office.trust).expect(.done)
            #expect(try office.judge("renewed.pdf", on: day) == "OK")
        }
        // Once the authority's certificate has ended nothing proves the rest.
        let late = try office.travel(
            to: "2029-03-01",
            ["extend", "out.pdf", "--renew", "-o", "late.pdf"] + office.tsa("tsa-b")
                + office.trust)
        late.expectRefusal(.indeterminate, naming: "can no longer be extended")
        #expect(!office.workspace.exists("late.pdf"))
    }

    /// Certificates whose evidence cannot be had, and what is said of them.
    @Test(arguments: [
        ("s-none", ExitCode.malformedInput, "contains no OCSP or CRL URL"),
        ("s-dead", ExitCode.serviceUnavailable, "no usable revocation data for"),
        ("s-revoked", ExitCode.credentialRefused, "was revoked on 2026-06-01"),
        ("s-hold", ExitCode.credentialRefused, "certificateHold"),
    ])
    func refusesAndLeavesNothing(certificate: String, code: Int32, words: String) throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA", by: certificate).expectRefusal(code, naming: words)
        #expect(!office.workspace.exists("out.pdf"))
    }

    @Test(arguments: ["s-short", "s-crl", "s-check", "s-parts", "s-later"])
    func finds(certificate: String) throws {
        guard let office = try LongTermOffice() else { return }
        let signed = try office.sign("LTA", by: certificate).expect(.done)
        #expect(!signed.errors.contains("another server was used"), "\(signed.errors)")
        #expect(try office.levels("out.pdf") == ["B-LTA"])
        if !["s-short", "s-parts"].contains(certificate) {
            #expect(try office.judge("out.pdf", on: "2028-06-01") == "OK")
        }
    }

    @Test func wantsFreshEvidenceWhereAskedTo() throws {
        guard let office = try LongTermOffice() else { return }
        let plain = try office.sign("LTA", by: "s-crl").expect(.done)
        #expect(plain.errors.contains("is older than the signature"))
        try office.sign("LTA", as: "fresh.pdf", by: "s-crl", ["--require-fresh"])
            .expectRefusal(.serviceUnavailable, naming: "older than the signature")
        #expect(!office.workspace.exists("fresh.pdf"))
    }

    @Test func takesTheListWhereTheResponderFails() throws {
        guard let office = try LongTermOffice() else { return }
        try office.server.write("/lta/ocsp/interm\n", to: "down")
        let outcome = try office.sign("LTA").expect(.done)
        #expect(outcome.errors.contains("another server was used"))
        try office.server.write("/lta/ocsp\n/lta/crls\n", to: "down")
        try office.sign("LTA", as: "none.pdf", ["--no-cache"])
            .expectRefusal(.serviceUnavailable, naming: "status 503")
        #expect(!office.workspace.exists("none.pdf"))
    }

    @Test func asksNobodyAboutADamagedDocument() throws {
        guard let office = try LongTermOffice() else { return }
        _ = try office.sign("T")
        var bytes = try office.workspace.read("out.pdf")
        bytes[100] ^= 1
        try office.workspace.write(bytes, to: "bad.pdf")
        try office.server.forgetRequests()
        try office.workspace.signet("extend bad.pdf -o no.pdf \(office.tsa()) \(office.trust)")
            .expect(.invalid)
        #expect(try office.server.requests.isEmpty)
        #expect(!office.workspace.exists("no.pdf"))
        try office.workspace.signet("extend letter.pdf -o no.pdf \(office.tsa()) \(office.trust)")
            .expect(.nothingToVerify)
    }

    @Test func worksFromFiles() throws {
        guard let office = try LongTermOffice() else { return }
        _ = try office.sign("T", by: "s-crl")
        for name in ["interm", "root", "tsinterm", "tsroot"] { try office.download("\(name).crl") }
        try office.server.forgetRequests()
        let files = ["interm", "root", "tsinterm", "tsroot"].flatMap { ["--crl", "\($0).crl"] }
        let offline =
            ["extend", "out.pdf", "--level", "LT", "--offline", "--chain"]
            + [office.server.path("tsinterm.crt")] + office.trust
        try office.workspace.succeed("\(offline) \(files) -o lt.pdf")
        #expect(try office.server.requests.isEmpty)
        #expect(try office.levels("lt.pdf") == ["B-LT"])
        try office.workspace.signet("\(offline) -o no.pdf").expect(.serviceUnavailable)
        // A list that nobody needs is the wrong one.
        try office.workspace.signet("extend out.pdf -o no.pdf --crl ../nothing.crl \(office.trust)")
            .expect(.missingInput)
    }

    @Test func worksForEncryptedAndCertifiedDocuments() throws {
        guard let office = try LongTermOffice() else { return }
        let certified = try office.sign("LTA", ["--certify", "no-changes"]).expect(.done)
        #expect(certified.errors.contains("some viewers report it"))
        #expect(try office.levels("out.pdf") == ["B-LTA"])
        guard
            let locked = try office.workspace.tool(
                "qpdf letter.pdf locked.pdf --encrypt secret owner 256 --")
        else { return }
        locked.expect(.done)
        try office.workspace.write("secret\n", to: "password")
        let password = ["--password-file", "password"]
        try office.sign("LTA", as: "enc.pdf", of: "locked.pdf", password).expect(.done)
        #expect(try office.levels("enc.pdf", password) == ["B-LTA"])
        #expect(!(try office.workspace.read("enc.pdf")).contains(Data("TS Root".utf8)))
        // Sections stay of their kind.
        try office.workspace.tool("qpdf --object-streams=generate letter.pdf streams.pdf")
        try office.sign("LTA", as: "s.pdf", of: "streams.pdf").expect(.done)
        #expect(!(try office.workspace.read("s.pdf")).contains(Data("\ntrailer".utf8)))
    }

    @Test func raisesSeveralSignersAtOnce() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("T", as: "one.pdf").expect(.done)
        try office.sign("T", as: "two.pdf", by: "s-check", of: "one.pdf", ["--new-field"])
            .expect(.done)
        try office.workspace.succeed("extend two.pdf -o lta.pdf \(office.tsa()) \(office.trust)")
        #expect(try office.levels("lta.pdf") == ["B-LTA", "B-LTA"])
        // Who signs afterwards needs evidence and a timestamp of their own.
        try office.sign("LTA", as: "three.pdf", of: "lta.pdf", ["--new-field"]).expect(.done)
        #expect(try office.levels("three.pdf") == ["B-LTA", "B-LTA", "B-LTA"])
        #expect(try office.judge("three.pdf", on: "2028-06-01") == "OK OK OK")
    }

    @Test func refusesContradictions() throws {
        let workspace = try signingWorkspace()
        let contradictions = [
            ["extend", "letter.pdf", "--level", "LTA"],
            ["extend", "letter.pdf", "--level", "B"],
            ["extend", "letter.pdf", "--within", "3d"],
            ["extend", "letter.pdf", "--renew"],
            ["extend", "letter.pdf", "--renew", "--level", "LT", "--tsa", "http://127.0.0.1:9"],
            ["sign", "letter.pdf", "--key", "key.pem", "--level", "LT"],
            ["sign", "letter.pdf", "--key", "key.pem", "--crl", "a.crl"],
            ["sign", "letter.pdf", "--key", "key.pem", "--trust", "a.pem"],
        ]
        for arguments in contradictions { try workspace.signet(arguments).expect(.usage) }
    }
}
