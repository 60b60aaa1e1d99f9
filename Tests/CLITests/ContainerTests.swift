import Foundation
import SignetTestSupport
import Testing

/// Containers (ASiC): made, verified and opened.
@Suite struct ContainerTests {
    func workspace() throws -> Workspace {
        let workspace = try timestampWorkspace()
        try workspace.makeKey("me")
        try workspace.certify("me", profile: "signer", key: "me.pem")
        try workspace.write("pay 900\n", to: "a b.txt")
        try workspace.write("another file\n", to: "b.txt")
        return workspace
    }

    let sign: ShellWords = "--key me.pem --cert me.crt"

    /// A new container with some entries replaced, added (nil before) or left out (nil after).
    func change(
        _ workspace: Workspace, _ name: String, to copy: String, _ changes: String
    ) throws {
        let script = """
            import sys, zipfile
            old, new = zipfile.ZipFile(sys.argv[1]), zipfile.ZipFile(sys.argv[2], "w")
            changes = \(changes)
            for entry in old.infolist():
                data = changes.pop(entry.filename, old.read(entry))
                if data is not None: new.writestr(entry.filename, data)
            for key, data in changes.items(): new.writestr(key, data)
            new.close()
            """
        let result = try ExternalTool.run(
            "/usr/bin/python3", ["-c", script, workspace.url(name).path, workspace.url(copy).path])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func othersReadWhatIsMade() throws {
        let workspace = try workspace()
        try workspace.succeed("sign 'a b.txt' b.txt --container c.asice \(sign)")
        let outcome = try workspace.succeed("verify c.asice --trust ca.crt --json")
        let report = try outcome.json()
        #expect(report.verdict == "passed")
        #expect(report.container.kind == "ASiC-E")
        #expect(report.signatures[0].files.map(\.text) == ["a b.txt", "b.txt"])
        #expect(report.signatures[0].level == "B-B")
        let script = """
            import base64, hashlib, sys, zipfile, xml.etree.ElementTree as tree
            archive = zipfile.ZipFile(sys.argv[1])
            assert archive.testzip() is None
            first = archive.infolist()[0]
            assert first.filename == "mimetype" and first.compress_type == 0 and not first.extra
            assert archive.read("mimetype") == b"application/vnd.etsi.asic-e+zip"
            manifest = archive.read("META-INF/ASiCManifest001.xml")
            for found in tree.fromstring(manifest).iter("{http://uri.etsi.org/02918/v1.2.1#}DataObjectReference"):
                import urllib.parse
                data = archive.read(urllib.parse.unquote(found.get("URI")))
                assert base64.b64decode(found[1].text) == hashlib.sha256(data).digest()
            open(sys.argv[2] + "/m.xml", "wb").write(manifest)
            open(sys.argv[2] + "/m.p7s", "wb").write(archive.read("META-INF/signature001.p7s"))
            """
        let folder = workspace.url("").path
        let read = try ExternalTool.run(
            "/usr/bin/python3", ["-c", script, workspace.url("c.asice").path, folder])
        #expect(read.status == 0, "\(read.errors)")
        let openssl = try ExternalTool.run(
            "/usr/bin/openssl",
            [
                "cms", "-verify", "-binary", "-inform", "DER", "-in", folder + "/m.p7s",
                "-content", folder + "/m.xml", "-CAfile", folder + "/ca.crt", "-purpose", "any",
                "-out", "/dev/null",
            ])
        #expect(openssl.status == 0, "\(openssl.errors)")
        guard let castle = try workspace.bouncyCastle("Countersignatures") else { return }
        #expect(try workspace.shell("\(castle) verify m.p7s m.xml").expect(.done).output == "1\n")
    }

    @Test func aFurtherSignatureKeepsEntries() throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container one.asice \(sign)")
        try workspace.succeed("sign one.asice --container two.asice \(sign)")
        let report = try workspace.succeed("verify two.asice --trust ca.crt --json").json()
        #expect(report.signatures.count == 2)
        for signature in report.signatures { #expect(signature.files.map(\.text) == ["b.txt"]) }
        let (one, two) = (try workspace.read("one.asice"), try workspace.read("two.asice"))
        // Up to the central directory.
        let end = try #require(one.firstRange(of: Data([0x50, 0x4B, 1, 2]))).lowerBound
        #expect(two.starts(with: one[..<end]))
    }

    @Test func oneFileGetsASimpleContainer() throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container c.asics \(sign)")
        let report = try workspace.succeed("verify c.asics --trust ca.crt --json").json()
        #expect(report.container.kind == "ASiC-S")
        #expect(report.signatures[0].files.map(\.text) == ["b.txt"])
        let text = try workspace.succeed("verify c.asics --trust ca.crt").output
        #expect(text.contains("covers the content of 'b.txt', not its name"), "\(text)")
        try workspace.signet("sign b.txt 'a b.txt' --container d.asics \(sign)").expect(.usage)
        #expect(!workspace.exists("d.asics"))
    }

    @Test(
        arguments: [
            ("{'b.txt': b'changed'}", Int32.invalid, "digest-mismatch"),
            ("{'b.txt': None}", Int32.indeterminate, "file-missing"),
            ("{'c.txt': b'added'}", Int32.indeterminate, "file-not-covered"),
            ("{'META-INF/c.txt': b'added'}", Int32.done, "file-not-covered"),
            ("{'META-INF/ASiCManifest001.xml': None}", Int32.invalid, "container-malformed"),
            ("{'META-INF/ASiCManifest001.xml': b'<a/>'}", Int32.invalid, "container-malformed"),
            ("{'mimetype': b'text/plain'}", Int32.invalid, "container-malformed"),
            (
                "{'META-INF/evidencerecord.xml': b'<a/>'}", Int32.indeterminate,
                "evidence-record-unchecked"
            ),
            (
                """
                {'META-INF/manifest.xml': b'<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'}
                """, Int32.indeterminate, "manifest-mismatch"
            ),
        ])
    func reportsChanges(_ changes: String, _ code: Int32, _ problem: String) throws {
        let workspace = try workspace()
        try workspace.succeed("sign 'a b.txt' b.txt --container c.asice \(sign)")
        try change(workspace, "c.asice", to: "d.asice", changes)
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json").expect(code)
        #expect(try outcome.json(VerifyReport.self).codes.contains(problem))
    }

    @Test func extractsOnlyCoveredFiles() throws {
        let workspace = try workspace()
        try workspace.succeed("sign 'a b.txt' b.txt --container c.asice \(sign)")
        try change(workspace, "c.asice", to: "d.asice", "{'x/c.txt': b'added'}")
        let outcome = try workspace.signet("extract d.asice -o out --trust ca.crt")
            .expect(.indeterminate)
        #expect(outcome.errors.contains("x/c.txt"))
        #expect(try workspace.text("out/a b.txt") == "pay 900\n")
        #expect(!workspace.exists("out/x/c.txt"))
        try workspace.signet("extract d.asice -o all --all --trust ca.crt").expect(.indeterminate)
        #expect(try workspace.text("all/x/c.txt") == "added")
        // Existing files are kept.
        try workspace.signet("extract c.asice -o out --trust ca.crt").expect(.cannotCreateOutput)
        let shown = try workspace.succeed("show d.asice --json").json()
        #expect(shown.schema == "signet.container/1")
        #expect(shown.entries.contains { $0.name == "x/c.txt" })
    }

    /// XAdES by lxml, judged by xmlsec1.
    @Test(arguments: ["exclusive", "inclusive", "inclusive11"])
    func verifiesXMLSignatures(_ method: String) throws {
        let workspace = try workspace()
        guard try xml(workspace, method) else { return }
        let report = try workspace.succeed("verify c.asice --trust ca.crt --json").json()
        #expect(report.signatures[0].level == "B-B")
        #expect(report.signatures[0].files.map(\.text) == ["b.txt", "hello.txt"])
        if method == "exclusive" {
            // The namespace of Estonian containers of before 2015.
            let signatures = "'META-INF/signatures0.xml'"
            try change(
                workspace, "c.asice", to: "old.asice",
                "{\(signatures): old.read(\(signatures)).replace(b'/02918/', b'/2918/')}")
            try workspace.succeed("verify old.asice --trust ca.crt")
        }
        try change(workspace, "c.asice", to: "d.asice", "{'b.txt': b'changed'}")
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json").expect(.invalid)
        #expect(try outcome.json(VerifyReport.self).codes.contains("digest-mismatch"))
    }

    @Test(
        arguments: [
            ("wrapped", Int32.indeterminate), ("doubled-id", Int32.invalid),
            ("foreign-properties", Int32.invalid), ("doctype", Int32.invalid),
            ("xslt", Int32.indeterminate),
            ("unsigned-properties", Int32.invalid),
        ])
    func refusesAttacksOnXMLSignatures(_ attack: String, _ code: Int32) throws {
        let workspace = try workspace()
        guard try xml(workspace, attack) else { return }
        let outcome = try workspace.signet("verify c.asice --trust ca.crt --json")
        #expect(outcome.exitCode == code || outcome.exitCode == .invalid, "\(outcome.output)")
    }

    func xml(
        _ workspace: Workspace, _ mode: String, over names: [String] = ["b.txt", "hello.txt"]
    ) throws -> Bool {
        guard let python = try PythonEnvironment.find("python") else { return false }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/xades_sample.py").path
        let paths = ["me.pem", "me.crt", "c.asice"].map { workspace.url($0).path }
        let files = names.map { workspace.url($0).path }
        let made = try ExternalTool.run(python, [script] + paths + [mode] + files)
        #expect(made.status == 0, "\(made.errors)")
        return made.status == 0
    }
}
