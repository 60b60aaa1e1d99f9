import Foundation
import SignetTestSupport
import Testing

/// What nightly jobs over archives meet.
@Suite struct LongTermArchiveTests {
    /// Whoever names an output goes on with it, also where nothing was to be done.
    @Test func copiesWhatNeedsNothing() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA").expect(.done)
        let signed = try office.workspace.read("out.pdf")
        let extend = ["extend", "out.pdf"] + office.tsa() + office.trust
        let copied = try office.workspace.succeed("\(extend) -o copy.pdf")
        #expect(copied.output.hasPrefix("copy.pdf: copied, nothing to add (PAdES B-LTA"))
        #expect(try office.workspace.read("copy.pdf") == signed)
        for more in [[], ["--renew", "--within", "180d"]] {
            let piped = try office.workspace.succeed("\(extend) \(more) -o -")
            #expect(piped.outputBytes == signed)
        }
        let quiet = try office.workspace.signet(extend)
        #expect(quiet.output.hasPrefix("out.pdf: nothing to add"))
        #expect(!office.workspace.exists("out.extended.pdf"))

        try office.workspace.write("data", to: "data.bin")
        try office.sign("LTA", as: "data.p7s", of: "data.bin").expect(.done)
        let message = try office.workspace.succeed(
            "extend data.p7s --content data.bin -o - \(office.tsa()) \(office.trust)")
        #expect(try message.outputBytes == office.workspace.read("data.p7s"))
    }

    /// Timestamps without a signature are proven once, and have no level.
    @Test(arguments: ["LT", "LTA"]) func provesStampsOnce(level: String) throws {
        guard let office = try LongTermOffice() else { return }
        try office.workspace.succeed("timestamp letter.pdf -o out.pdf \(office.tsa())")
        let extend =
            ["extend", "out.pdf", "--level", level, "--in-place"] + office.trust
            + (level == "LTA" ? office.tsa() : [])
        let first = try office.workspace.succeed(extend)
        #expect(first.output.contains("extended (timestamped"))
        let proven = try office.workspace.read("out.pdf")
        let second = try office.workspace.succeed(extend)
        #expect(second.output.contains("nothing to add (timestamped"))
        #expect(try office.workspace.read("out.pdf") == proven)
    }

    /// Who was revoked a minute before they signed is good by every older list: what is said later is
    /// gathered when it is there, at level B-LTA too.
    @Test func gathersWhatIsSaidLater() throws {
        guard let office = try LongTermOffice() else { return }
        let signed = try office.sign("LTA", by: "s-crl").expect(.done)
        #expect(signed.errors.contains("is older than the signature"))
        let explained = try office.workspace.signet(
            "verify out.pdf --explain-level \(office.trust)")
        #expect(explained.output.contains("revocation data for the signer CN=CRL only"))
        let extend = ["extend", "out.pdf"] + office.tsa() + office.trust
        let early = try office.workspace.signet(extend)
        #expect(early.output.contains("nothing to add"))
        try office.workspace.signet("\(extend) --require-fresh")
            .expectRefusal(.serviceUnavailable, naming: "is older than the signature")

        let later = ISO8601DateFormatter().string(from: Date() + 9 * 86_400).prefix(10)
        let extended = try office.travel(to: "\(later)", extend + ["-o", "later.pdf"]).expect(.done)
        #expect(extended.output.contains("later.pdf: extended (PAdES B-LTA"))
        let again = try office.travel(
            to: "\(later)", ["extend", "later.pdf"] + office.tsa() + office.trust)
        #expect(again.output.contains("nothing to add"))
        let now = try office.travel(
            to: "\(later)", ["verify", "later.pdf", "--explain-level"] + office.trust)
        now.expect(.done)
        #expect(!now.output.contains("revocation data for the signer"))
    }

    /// In an archive a list is there for some of the files; for one file it is the wrong one.
    @Test func listsMayBeForOthers() throws {
        guard let office = try LongTermOffice() else { return }
        let workspace = office.workspace
        try office.download("tsroot.crl")
        for name in ["a.pdf", "b.pdf"] { try office.sign("LTA", as: name).expect(.done) }
        let other = try OtherAuthority(in: workspace)
        let files = ["--crl", other.list]
        let renew = ["--renew", "--in-place"] + office.tsa() + office.trust
        for command in [["extend", "a.pdf"] + renew, ["extend", "a.pdf", "b.pdf"] + renew] {
            try workspace.succeed("\(command) \(files)")
        }
        for name in ["c.pdf", "d.pdf"] { try office.sign("T", as: name).expect(.done) }
        let level = ["--level", "LT", "--in-place"] + office.trust
        try workspace.signet("extend c.pdf \(level) \(files)")
            .expectRefusal(
                .usage,
                naming: "the revocation data in the file is not needed for the signatures of c.pdf")
        let several = try workspace.succeed("extend c.pdf d.pdf \(level) \(files)")
        #expect(several.errors.contains("the revocation data is not needed for any signature"))
        // One that speaks of somebody in a path is right, whoever else answered.
        try office.sign("T", as: "e.pdf").expect(.done)
        try workspace.succeed("extend e.pdf \(level) --crl tsroot.crl")
    }

    /// A document with a problem of its own is signed as it is: the signature lasts, indeterminate.
    @Test func doubtfulLooksLast() throws {
        guard let office = try LongTermOffice() else { return }
        let odd = SamplePDF.pages(
            ["/MediaBox [0 0 595 842]"], content: "BT /F1 12 Tf 72 720 Td (endstream) Tj ET")
        try office.workspace.write(Data(odd), to: "odd.pdf")
        let signed = try office.sign("LTA", of: "odd.pdf", ["--allow-damaged"]).expect(.done)
        #expect(signed.errors.contains("the level is reached, but the signature is indeterminate"))
        let verify = ["verify", "out.pdf", "--explain-level"] + office.trust
        let doubtful = try office.workspace.signet(verify).expect(.indeterminate)
        #expect(doubtful.output.contains("PAdES B-LTA"))
        let extend = ["extend", "out.pdf"] + office.tsa("tsa-b") + office.trust
        let enough = try office.workspace.succeed(extend)
        #expect(enough.output.contains("nothing to add (PAdES B-LTA"))
        #expect(enough.errors.contains("the level is reached, but the signature is indeterminate"))
        let renewed = try office.workspace.succeed("\(extend) --renew --in-place")
        #expect(renewed.errors.contains("the level is reached, but the signature is indeterminate"))
    }

    /// A timestamp over an altered document makes it no better, and it is not laid beside those that
    /// were renewed.
    @Test func copiesNothingAltered() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA").expect(.done)
        var bytes = try office.workspace.read("out.pdf")
        let place = try #require(bytes.range(of: Data("/MediaBox [0 0 5".utf8)))
        bytes[place.upperBound - 1] = UInt8(ascii: "4")
        try office.workspace.write(bytes, to: "altered.pdf")
        try office.workspace.succeed("timestamp altered.pdf -o stamped.pdf \(office.tsa())")
        try office.workspace.signet(
            "extend stamped.pdf --renew --within 10d -o no.pdf \(office.tsa()) \(office.trust)"
        ).expectRefusal(.invalid, naming: "failed")
        #expect(!office.workspace.exists("no.pdf"))
    }

    /// A timestamp of which all is known proves no signature of which nothing is.
    @Test func stampsDoNotHideSignatures() throws {
        guard let office = try LongTermOffice() else { return }
        try office.sign("LTA", as: "first.pdf").expect(.done)
        try office.sign("T", as: "second.pdf", by: "s-crl", of: "first.pdf").expect(.done)
        try office.workspace.succeed("timestamp second.pdf -o out.pdf \(office.tsa())")
        let renew =
            ["extend", "out.pdf", "--renew", "--within", "180d", "--in-place"] + office.tsa()
            + office.trust
        let raised = try office.workspace.succeed(renew)
        #expect(raised.output.contains("extended (PAdES B-LTA"))
        #expect(try office.levels("out.pdf") == ["B-LTA", "B-LTA"])
        let again = try office.workspace.signet(renew)
        #expect(again.output.contains("nothing to add"))
    }

    /// `6m` was meant as months.
    @Test(arguments: ["6m", "90s", "4h", "0d", "1y"]) func marginsAreDays(margin: String) throws {
        let workspace = try signingWorkspace()
        try workspace.signet(
            "extend letter.pdf --renew --within \(margin) --tsa http://127.0.0.1:9"
        ).expectRefusal(.usage, naming: "a number of days")
    }

    /// Nothing is asked in a rehearsal that would be found out later only.
    @Test func rehearsesWhatIsKnown() throws {
        guard let office = try LongTermOffice() else { return }
        let sign = ["sign", "letter.pdf", "-o", "out.pdf"] + office.key("s-revoked")
        try office.workspace.succeed(sign)
        try office.workspace.signet("extend out.pdf --dry-run \(office.tsa()) \(office.trust)")
            .expectRefusal(.invalid, naming: "was revoked")
    }

    /// One answer about each certificate, given after the last timestamp, serves a whole batch.
    @Test func asksOnceForManyFiles() throws {
        guard let office = try LongTermOffice() else { return }
        let letter = try office.workspace.read("letter.pdf")
        try office.workspace.makeFolder("in")
        try office.workspace.write("text\n", to: "in/note.txt")
        for number in 1...24 { try office.workspace.write(letter, to: "in/\(number).pdf") }
        let inputs = (1...24).map { "in/\($0).pdf" } + ["in/note.txt"]
        try office.workspace.succeed(
            "sign \(inputs) -o out/ --level LTA \(office.key()) \(office.tsa()) \(office.trust)")
        let requests = try office.server.requests
        #expect(requests.filter { $0.contains("/tsa/") }.count == 50)
        #expect(requests.count <= 56, "\(requests.filter { !$0.contains("/tsa/") })")
        #expect(try office.levels("out/24.signed.pdf") == ["B-LTA"])
        // Those of T too, for which one day's evidence serves.
        try office.workspace.succeed(
            "sign \(inputs) -o t/ --level T \(office.key()) \(office.tsa())")
        try office.server.forgetRequests()
        try office.workspace.succeed(
            ["extend", "t", "--recursive", "--include", "*.pdf", "--in-place", "--journal", "log"]
                + office.tsa() + office.trust)
        #expect(try office.server.requests.filter { $0.contains("/tsa/") }.count == 24)
        #expect(try office.server.requests.count <= 30)
        try office.server.forgetRequests()
        let again = ["extend", "t", "--recursive", "--include", "*.pdf", "--in-place", "-v"]
        let options = ["--journal", "log"] + office.tsa() + office.trust
        let skipped = try office.workspace.succeed("\(again) \(options)")
        #expect(skipped.errors.contains("done according to the journal"))
        #expect(try office.server.requests.isEmpty)
        // What is done lasts for a time: another day it may have to be renewed.
        let log = try office.workspace.text("log")
        let old = log.replacing(/"time":"\d{4}/, with: "\"time\":\"2020")
        try office.workspace.write(old, to: "log")
        let later = try office.workspace.succeed("\(again) \(options)")
        #expect(!later.errors.contains("done according to the journal"))
    }
}

/// An authority that has nothing to do with any signature, and its list.
private struct OtherAuthority {
    let list = "other.crl"

    init(in workspace: Workspace) throws {
        let openssl = try #require(try ExternalTool.find("openssl"))
        try workspace.write(Data(), to: "index.txt")
        try workspace.write(
            Data(
                """
                [ca]
                default_ca = d
                [d]
                database = index.txt
                default_md = sha256
                default_crl_days = 30
                """.utf8), to: "ca.cnf")
        func run(_ arguments: [String]) throws {
            try CommandRunner.run(openssl, arguments, folder: workspace.folder).expect(.done)
        }
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "other.key", "-out", "other.pem", "-days", "30", "-subj", "/CN=Other",
        ])
        try run([
            "ca", "-config", "ca.cnf", "-gencrl", "-keyfile", "other.key", "-cert", "other.pem",
            "-out", list,
        ])
    }
}
