import Foundation
import SignetTestSupport
import Testing

/// Levels LT and LTA of CAdES, for files that are no PDF.
@Suite(.serialized) struct LongTermMessageTests {
    /// A file to sign, and the authorities.
    private func office() throws -> LongTermOffice? {
        guard let office = try LongTermOffice() else { return nil }
        try office.workspace.write("what is signed\n", to: "data.txt")
        return office
    }

    /// What the messages of the tests are of.
    private func requireWhole(_ file: String, _ count: Int, in office: LongTermOffice) throws {
        try office.workspace.openssl(
            """
            cms -verify -binary -inform DER -in \(file) -content data.txt \
            -CAfile \(office.server.path("root.crt")) -out /dev/null
            """)
        guard let python = try PythonEnvironment.find("python") else { return }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/archive_index.py")
        let judged = try ExternalTool.run(
            python,
            [script.path, office.workspace.url(file).path, office.workspace.url("data.txt").path])
        let word = String(decoding: judged.output, as: UTF8.self)
        #expect(word == "\(count) whole\n", "\(judged.errors)")
    }

    @Test func signsForDecades() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        try office.sign("LTA", as: "data.txt.p7s", of: "data.txt").expect(.done)
        #expect(try office.server.requests.count == 7)
        #expect(try office.levels("data.txt.p7s") == ["B-LTA"])
        try requireWhole("data.txt.p7s", 1, in: office)
        let verify = ["verify", "data.txt.p7s", "--require-level", "LTA"] + office.trust
        try workspace.succeed(verify)
        let explained = try workspace.signet("\(verify) --explain-level")
        #expect(explained.output.contains("covered by archive timestamp 1"))
        let shown = try workspace.signet("show data.txt.p7s")
        #expect(shown.output.contains("ocsp about CN=Signer"))
        #expect(
            shown.output.contains(
                "timestamp    valid until 2029-01-01T00:00:00Z, if the newest timestamp is valid"))
        // The signer's certificate ends with 2027, the authority's with 2028.
        try office.travel(to: "2028-06-01", verify).expect(.done)
        try office.travel(to: "2029-05-01", verify).expect(.indeterminate)
        // A message that carries what is signed.
        try workspace.succeed(
            ["cms", "sign", "data.txt", "--attached", "--level", "LTA", "-o", "data.p7m"]
                + office.key() + office.tsa() + office.trust)
        #expect(try office.levels("data.p7m") == ["B-LTA"])
    }

    /// Many programs write a BasicOCSPResponse.
    @Test func readsBasicResponses() throws {
        guard let office = try office(), let python = try PythonEnvironment.find("python") else {
            return
        }
        try office.sign("LT", as: "data.txt.p7s", of: "data.txt").expect(.done)
        let script = """
            import sys
            from asn1crypto import cms, core, ocsp
            info = cms.ContentInfo.load(open(sys.argv[1], "rb").read())
            made = []
            for choice in info["content"]["crls"]:
                if choice.name == "other":
                    whole = ocsp.OCSPResponse.load(choice.chosen["other_rev_info"].dump())
                    basic = whole["response_bytes"]["response"].parsed.dump()
                    kind = core.ObjectIdentifier("1.3.6.1.5.5.7.48.1.1").dump()
                    parts = core.OctetString(kind + basic).dump()[1:]
                    choice = cms.RevocationInfoChoice.load(b"\\xa1" + parts)
                made.append(choice)
            info["content"]["crls"] = cms.RevocationInfoChoices(made)
            open(sys.argv[1], "wb").write(info.dump(force=True))
            """
        let message = office.workspace.url("data.txt.p7s").path
        let made = try ExternalTool.run(python, ["-c", script, message])
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            try Data(contentsOf: URL(filePath: message)).range(
                of: Data([43, 6, 1, 5, 5, 7, 16, 2])) == nil)
        #expect(try office.levels("data.txt.p7s") == ["B-LT"])
    }

    /// Evidence without a timestamp over it proves nothing for long.
    @Test func evidenceAloneDoesNotLast() throws {
        guard let office = try office() else { return }
        try office.sign("LT", as: "data.txt.p7s", of: "data.txt").expect(.done)
        #expect(try office.levels("data.txt.p7s") == ["B-LT"])
        try requireWhole("data.txt.p7s", 0, in: office)
        let verify = ["verify", "data.txt.p7s"] + office.trust
        try office.workspace.succeed(verify)
        try office.workspace.signet("\(verify) --require-level LTA").expect(.indeterminate)
        for day in ["2027-06-01", "2028-06-01"] {
            try office.travel(to: day, verify).expect(.indeterminate)
        }
    }

    @Test(arguments: ["B", "T", "LT"])
    func raises(from level: String) throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        if level == "B" {
            try workspace.succeed("sign data.txt -o data.txt.p7s \(office.key())")
        } else {
            try office.sign(level, as: "data.txt.p7s", of: "data.txt").expect(.done)
        }
        let outcome = try workspace.succeed("extend data.txt.p7s \(office.tsa()) \(office.trust)")
        #expect(outcome.output.contains("extended (CAdES B-LTA, renew before 2029-01-01"))
        #expect(try office.levels("data.txt.extended.p7s") == ["B-LTA"])
        try requireWhole("data.txt.extended.p7s", 1, in: office)
        let again = try workspace.signet(
            "extend data.txt.extended.p7s -o again.p7s \(office.tsa()) \(office.trust)")
        #expect(again.output.contains("nothing to add"))
        #expect(try workspace.read("again.p7s") == workspace.read("data.txt.extended.p7s"))
    }

    /// Programs look for the label that they know.
    @Test(arguments: ["PKCS7", "CMS"]) func keepsTheLabel(label: String) throws {
        guard let office = try office() else { return }
        try office.sign("T", as: "data.txt.p7s", of: "data.txt").expect(.done)
        let text = try office.workspace.read("data.txt.p7s")
            .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
        try office.workspace.write(pem, to: "text.p7s")
        try office.workspace.succeed(
            "extend text.p7s --content data.txt -o new.p7s \(office.tsa()) \(office.trust)")
        let made = try office.workspace.text("new.p7s")
        #expect(made.hasPrefix("-----BEGIN \(label)-----\n"))
        #expect(made.hasSuffix("-----END \(label)-----\n"))
    }

    @Test func renewsInTime() throws {
        guard let office = try office() else { return }
        try office.sign("LTA", as: "data.txt.p7s", of: "data.txt").expect(.done)
        let renewal =
            ["extend", "data.txt.p7s", "--renew", "--within", "60d", "-o", "new.p7s", "--force"]
            + ["--content", "data.txt"] + office.tsa("tsa-b") + office.trust
        try office.server.forgetRequests()
        let early = try office.workspace.signet(renewal)
        #expect(early.output.contains("nothing to add"))
        #expect(try office.server.requests.isEmpty)
        let renewed = try office.travel(to: "2028-12-01", renewal).expect(.done)
        #expect(renewed.output.contains("renew before 2036-01-01"))
        try requireWhole("new.p7s", 2, in: office)
        let verify = ["verify", "new.p7s", "--content", "data.txt", "--require-level", "LTA"]
        for day in ["2029-05-01", "2031-01-01"] {
            try office.travel(to: day, verify + office.trust).expect(.done)
        }
    }

    /// A timestamp counts only while all that it covers is there, unchanged.
    @Test func noticesWhatIsMissing() throws {
        guard let office = try office(), let python = try PythonEnvironment.find("python") else {
            return
        }
        try office.sign("LTA", as: "data.txt.p7s", of: "data.txt").expect(.done)
        for part in ["certificates", "crls"] {
            let code =
                "from asn1crypto import cms; m = cms.ContentInfo.load(open('data.txt.p7s','rb')"
                + ".read()); d = m['content']; s = list(d['\(part)']); "
                + "d['\(part)'] = s[1:]; open('less.p7s','wb').write(m.dump(force=True))"
            let made = try CommandRunner.run(python, ["-c", code], folder: office.workspace.folder)
            #expect(made.exitCode == 0, "\(made.errors)")
            let found = try office.workspace.signet(
                "verify less.p7s --content data.txt --require-level LTA \(office.trust)")
            found.expect(.indeterminate)
            #expect(found.output.contains("data that it covers is missing"))
        }
        try office.workspace.write("what is forged\n", to: "data.txt")
        try office.workspace.signet("verify data.txt.p7s \(office.trust)").expect(.invalid)
        try office.server.forgetRequests()
        try office.workspace.signet(
            "extend data.txt.p7s --renew -o no.p7s \(office.tsa()) \(office.trust)"
        ).expect(.invalid)
        #expect(try office.server.requests.isEmpty)
    }

    @Test func refusesWhatCannotHaveLevels() throws {
        guard let office = try office() else { return }
        let key = ["-inkey", office.server.path("signer.pem")]
        try office.workspace.openssl(
            """
            cms -sign -binary -in data.txt -signer \(office.server.path("signer.crt")) \(key) \
            -certfile \(office.server.path("interm.crt")) -outform DER -out data.txt.p7s
            """)
        try office.workspace.signet("extend data.txt.p7s \(office.tsa()) \(office.trust)")
            .expectRefusal(.malformedInput, naming: "not a CAdES baseline signature")
        try office.sign("LTA", as: "no.p7s", by: "s-dead", of: "data.txt")
            .expectRefusal(.serviceUnavailable, naming: "no usable revocation data for")
        #expect(!office.workspace.exists("no.p7s"))
    }
}
