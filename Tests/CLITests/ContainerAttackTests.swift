import Foundation
import SignetTestSupport
import Testing

/// What containers must not hide.
extension ContainerTests {
    /// An entry of another container, for `change`.
    private func entry(_ name: String, of container: URL) -> String {
        "zipfile.ZipFile('\(container.path)').read('\(name)')"
    }

    @Test func aContainerOfPDFsIsAContainer() throws {
        let workspace = try workspace()
        try workspace.write("%PDF-1.7 is how PDFs begin\n", to: "a.pdf")
        try workspace.succeed("sign a.pdf --container c.asice \(sign)")
        let report = try workspace.succeed("verify c.asice --trust ca.crt --json").json()
        #expect(report.container.kind == "ASiC-E")
        let shown = try workspace.succeed("show c.asice --json").json()
        #expect(shown.schema == "signet.container/1")
        try workspace.succeed("verify c.asice --trust ca.crt --require-level B")
    }

    @Test func aTimestampIsNotTheRequiredSigner() throws {
        let workspace = try workspace()
        let server = try ServedAuthority(workspace)
        try workspace.shell(
            "$S timestamp b.txt --container t.asice --tsa http://127.0.0.1:\(server.port)/"
        ).expect(.done)
        try workspace.succeed("verify t.asice --trust ca.crt")
        let outcome = try workspace.signet("verify t.asice --trust ca.crt --signer me.crt --json")
            .expect(.invalid)
        #expect(try outcome.json(VerifyReport.self).codes.contains("signer-not-pinned"))
        // Beside a signature, a timestamp covers no further files.
        try workspace.succeed("sign 'a b.txt' --container c.asice \(sign)")
        let stamp = workspace.url("t.asice")
        try change(
            workspace, "c.asice", to: "d.asice",
            """
            {'b.txt': \(entry("b.txt", of: stamp)),
             'META-INF/ASiCManifest009.xml': \(entry("META-INF/ASiCManifest001.xml", of: stamp)),
             'META-INF/timestamp001.tst': \(entry("META-INF/timestamp001.tst", of: stamp))}
            """)
        let mixed = try workspace.signet("verify d.asice --trust ca.crt --json")
            .expect(.indeterminate)
        #expect(try mixed.json(VerifyReport.self).codes.contains("file-not-covered"))
        try workspace.signet("extract d.asice -o out --trust ca.crt").expect(.indeterminate)
        #expect(!workspace.exists("out/b.txt"))
    }

    @Test func nothingIsAddedToDoubtfulContainers() throws {
        let workspace = try workspace()
        try workspace.succeed("sign 'a b.txt' b.txt --container c.asice \(sign)")
        for (copy, changes) in [
            ("added.asice", "{'c.txt': b'added'}"), ("changed.asice", "{'b.txt': b'changed'}"),
            ("missing.asice", "{'b.txt': None}"),
            // A manifest for the next signature.
            (
                "planted.asice",
                """
                {'META-INF/ASiCManifest009.xml': old.read('META-INF/ASiCManifest001.xml').replace(
                    b'signature001', b'signature002')}
                """
            ),
        ] {
            try change(workspace, "c.asice", to: copy, changes)
            let outcome = try workspace.signet([
                "sign", copy, "--container", "e.asice", "--key", "me.pem", "--cert", "me.crt",
            ])
            #expect(outcome.exitCode != .done)
            #expect(!workspace.exists("e.asice"))
        }
    }

    @Test func aManifestWithSHA1IsDoubted() throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container c.asice \(sign)")
        let script = """
            import base64, hashlib, re, sys, zipfile
            text = zipfile.ZipFile(sys.argv[1]).read("META-INF/ASiCManifest001.xml").decode()
            text = text.replace("http://www.w3.org/2001/04/xmlenc#sha256",
                                "http://www.w3.org/2000/09/xmldsig#sha1")
            value = base64.b64encode(hashlib.sha1(open(sys.argv[2], "rb").read()).digest()).decode()
            text = re.sub("DigestValue>[^<]*<", "DigestValue>" + value + "<", text)
            open(sys.argv[3], "w").write(text)
            """
        let paths = ["c.asice", "b.txt", "m.xml"].map { workspace.url($0).path }
        let made = try ExternalTool.run("/usr/bin/python3", ["-c", script] + paths)
        #expect(made.status == 0, "\(made.errors)")
        try workspace.succeed("cms sign m.xml -o m.p7s \(sign)")
        let (manifest, message) = (workspace.url("m.xml").path, workspace.url("m.p7s").path)
        try change(
            workspace, "c.asice", to: "d.asice",
            """
            {'META-INF/ASiCManifest001.xml': open('\(manifest)', 'rb').read(),
             'META-INF/signature001.p7s': open('\(message)', 'rb').read()}
            """)
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json")
            .expect(.indeterminate)
        #expect(try outcome.json(VerifyReport.self).codes.contains("weak-algorithm"))
    }

    @Test func aSignatureOverNoFileFails() throws {
        let workspace = try workspace()
        guard try xml(workspace, "exclusive", over: []) else { return }
        let outcome = try workspace.signet("verify c.asice --trust ca.crt --json").expect(.invalid)
        #expect(try outcome.json(VerifyReport.self).codes.contains("file-not-covered"))
    }

    @Test(
        "comments in transformed XML are doubted, and HTML, which browsers read otherwise than XML",
        arguments: [
            (
                "pay.xml", "<pay><amount>100</amount></pay>",
                "<pay><amount>1<!-- -->00</amount></pay>"
            ), ("pay.html", "<p><textarea></textarea>pay 100</p>", "<p><textarea/>pay 100</p>"),
        ])
    func transformedFilesAreDoubted(name: String, content: String, changed: String) throws {
        let workspace = try workspace()
        try workspace.write(content, to: name)
        guard try xml(workspace, "transformed", over: [name]) else { return }
        try workspace.succeed("verify c.asice --trust ca.crt")
        try change(workspace, "c.asice", to: "d.asice", "{'\(name)': b'\(changed)'}")
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json")
            .expect(.indeterminate)
        #expect(try outcome.json(VerifyReport.self).codes.contains("file-not-covered"))
    }

    @Test(
        arguments: [
            "<!DOCTYPE pay><pay/>", "<?xml version='1.0' encoding='ISO-8859-2'?><pay/>",
            "<?print page?><pay/>", "<pay>" + String(repeating: "<a/>", count: 50_001) + "</pay>",
        ])
    func uncheckedFilesAreNotModified(_ text: String) throws {
        let workspace = try workspace()
        try workspace.write(text, to: "pay.xml")
        guard try xml(workspace, "transformed", over: ["pay.xml"]) else { return }
        let outcome = try workspace.signet("verify c.asice --trust ca.crt --json")
            .expect(.indeterminate)
        #expect(
            outcome.output.contains("the canonical form of 'pay.xml' could not be computed"))
    }

    @Test func onlySignaturesMeetRequirementsOfSignatures() throws {
        let workspace = try workspace()
        let server = try ServedAuthority(workspace)
        let tsa = "--tsa http://127.0.0.1:\(server.port)/"
        try workspace.shell(
            "$S timestamp b.txt --container t.asice \(tsa) && $S timestamp b.txt \(tsa)"
        ).expect(.done)
        for (option, code) in [
            ("--require-level LTA", "level-not-reached"),
            ("--signature-policy-file b.txt", "signature-policy-mismatch"),
            ("--policy 1.2.3", "certificate-not-trusted"),
            ("--explicit-policy", "certificate-not-trusted"),
        ] {
            let outcome = try workspace.shell("$S verify t.asice --trust ca.crt --json \(option)")
                .expect(.indeterminate)
            #expect(try outcome.json(VerifyReport.self).codes.contains(code))
            try workspace.shell("$S verify b.txt.tsr --trust ca.crt \(option)").expect(.usage)
        }
        guard try xml(workspace, "exclusive") else { return }
        let policy = try workspace.signet(
            "verify c.asice --trust ca.crt --signature-policy-file b.txt --json"
        ).expect(.indeterminate)
        #expect(try policy.json(VerifyReport.self).codes.contains("signature-policy-mismatch"))
    }

    @Test func partsThatNobodySignedAreNoted() throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container c.asice \(sign)")
        let script = """
            import copy, sys, zipfile
            old = zipfile.ZipFile(sys.argv[1])
            def write(name, folder=None, comment=None, whole=b""):
                with zipfile.ZipFile(sys.argv[2] + "/" + name, "w") as new:
                    for entry in old.infolist():
                        made = copy.copy(entry)
                        if comment and entry.filename == "b.txt": made.comment = comment
                        new.writestr(made, old.read(entry.filename))
                    if folder: new.writestr(folder, b"")
                    new.comment = whole
            write("folder.asice", folder="PAID IN FULL/")
            write("entry.asice", comment=b"pay 900")
            write("archive.asice", whole=b"pay 900")
            write("type.asice", whole=b"mimetype=application/vnd.etsi.asic-e+zip")
            """
        let folder = workspace.url(".").path
        let made = try ExternalTool.run(
            "/usr/bin/python3", ["-c", script, workspace.url("c.asice").path, folder])
        #expect(made.status == 0, "\(made.errors)")
        for name in ["folder", "entry", "archive"] {
            let report = try workspace.succeed("verify \(name).asice --trust ca.crt --json")
                .json(VerifyReport.self)
            #expect(report.problems?.map(\.code) == ["file-not-covered"], "\(name)")
        }
        try change(
            workspace, "c.asice", to: "listed.asice",
            """
            {'META-INF/manifest.xml': b'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:'
             b'manifest:1.0"><m:file-entry m:full-path="b.txt" m:media-type="text/plain"/>'
             b'<paid/></m:manifest>'}
            """)
        let listed = try workspace.succeed("verify listed.asice --trust ca.crt --json")
            .json(VerifyReport.self)
        #expect(listed.problems?.map(\.code) == ["file-not-covered"])
        let plain = try workspace.succeed("verify type.asice --trust ca.crt --json")
            .json(VerifyReport.self)
        #expect(plain.problems?.isEmpty ?? true)
        for name in ["a.txt::$DATA", "a.txt.", "CON", "a\u{200B}b.txt", "\u{FF21}.txt"] {
            try workspace.write("pay 900\n", to: name)
            try workspace.succeed(["sign", name, "--container", "n.asice", "--force"] + sign.words)
            let outcome = try workspace.succeed("verify n.asice --trust ca.crt --json")
                .json(VerifyReport.self)
            #expect(outcome.problems?.map(\.code) == ["file-not-covered"], "\(name)")
        }
    }

    @Test(arguments: ["", "-noattr"])
    func messagesWithoutSigningCertificateAreDoubted(_ option: String) throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container c.asice \(sign)")
        try workspace.shell(
            """
            python3 -c "import zipfile; open('m.xml', 'wb').write(zipfile.ZipFile('c.asice').read(
                'META-INF/ASiCManifest001.xml'))"
            openssl cms -sign -binary \(option) -in m.xml -signer me.crt -inkey me.pem \
                -outform DER -out m.p7s
            """
        ).expect(.done)
        let message = workspace.url("m.p7s").path
        try change(
            workspace, "c.asice", to: "d.asice",
            "{'META-INF/signature001.p7s': open('\(message)', 'rb').read()}")
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json")
        #expect(outcome.exitCode == (option.isEmpty ? .indeterminate : .invalid))
        #expect(
            try outcome.json(VerifyReport.self).codes.contains(
                option.isEmpty
                    ? "signing-certificate-reference-missing" : "signed-attributes-missing"))
    }

    @Test(arguments: [
        ("</ds:Signature>", "<ds:Object>pay 900</ds:Object></ds:Signature>", true),
        ("<ds:SignedInfo", "<x xmlns='urn:x'>pay 900</x><ds:SignedInfo", true),
        (":XAdESSignatures ", ":XAdESSignatures xml:base='other/' ", false),
    ])
    func unsignedPartsOfXMLAreNoted(_ old: String, _ new: String, _ isNote: Bool) throws {
        let workspace = try workspace()
        guard try xml(workspace, "exclusive") else { return }
        try change(
            workspace, "c.asice", to: "d.asice",
            """
            {'META-INF/signatures0.xml': old.read('META-INF/signatures0.xml').replace(
                b"\(old)", b"\(new)", 1)}
            """)
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --json")
        #expect(outcome.exitCode == (isNote ? .done : .indeterminate))
        #expect(
            try outcome.json(VerifyReport.self).codes.contains("signature-form-unsupported"))
    }

    /// Changes of the CMS message of a signature with a timestamp, and what `verify` says of such
    /// signatures.
    @Test(arguments: [
        ("attribute['values'] = [attribute['values'][0]] * 60", "over 512 timestamps"),
        (
            """
            inner = signer.copy()
            inner["unsigned_attrs"][0]["values"] = [attribute["values"][0]] * 60
            signer["unsigned_attrs"].append(
                {"type": "counter_signature", "values": cms.SignerInfos([inner])})
            """, "over 512 timestamps"
        ),
        (
            """
            signer["unsigned_attrs"].append({"type": "1.2.3.4", "values": [core.Integer(1)]})
            """, "not signed: the unknown attributes '1.2.3.4'"
        ),
        (
            "info['content']['certificates'] = list(info['content']['certificates']) * 300",
            "more than 256 elements in the certificates (the limit)"
        ),
    ])
    func messagesOfSignaturesAreLimited(_ change: String, _ words: String) throws {
        let isPermitted = words.hasPrefix("not signed")
        let workspace = try workspace()
        guard let python = try PythonEnvironment.find("python") else { return }
        let server = try ServedAuthority(workspace)
        try workspace.shell(
            """
            $S sign b.txt --container c.asice --key me.pem --cert me.crt --level T \
                --tsa http://127.0.0.1:\(server.port)/
            python3 -c "import zipfile; open('m.p7s', 'wb').write(zipfile.ZipFile('c.asice').read(
                'META-INF/signature001.p7s'))"
            """
        ).expect(.done)
        let message = workspace.url("m.p7s").path
        let script = """
            import sys
            from asn1crypto import cms, core
            info = cms.ContentInfo.load(open(sys.argv[1], "rb").read())
            signer = info["content"]["signer_infos"][0]
            attribute = signer["unsigned_attrs"][0]
            \(change)
            open(sys.argv[1], "wb").write(info.dump(force=True))
            """
        let made = try ExternalTool.run(python, ["-c", script, message])
        #expect(made.status == 0, "\(made.errors)")
        try self.change(
            workspace, "c.asice", to: "d.asice",
            """
            {f'META-INF/{name}{number:03}.{suffix}': data.replace(
                 b'signature001', b'signature%03d' % number)
             for number in range(1, \(isPermitted ? 2 : 11)) for name, suffix, data in (
                 ('signature', 'p7s', open('\(message)', 'rb').read()),
                 ('ASiCManifest', 'xml', old.read('META-INF/ASiCManifest001.xml')))}
            """)
        let outcome = try workspace.signet("verify d.asice --trust ca.crt")
        #expect((outcome.output + outcome.errors).contains(words), "\(outcome.output)")
        #expect(outcome.exitCode == (isPermitted ? .done : .malformedInput))
    }

    @Test func onlyReadableContainersAreWritten() throws {
        let workspace = try workspace()
        try workspace.write("pay 900\n", to: "s.txt")
        try workspace.write("pay 900\n", to: "\u{17F}.txt")
        try workspace.signet(
            ["sign", "s.txt", "\u{17F}.txt", "--container", "c.asice"] + sign.words
        ).expectRefusal(.usage, naming: "c.asice: two entries have the name")
        #expect(!workspace.exists("c.asice"))
        // A name that is the encoded form of another one.
        try workspace.write("pay 100\n", to: "a%20b.txt")
        try workspace.succeed("sign 'a b.txt' 'a%20b.txt' --container c.asice \(sign)")
        try workspace.succeed("verify c.asice --trust ca.crt")
        try workspace.signet("sign b.txt --container c.asice \(sign)").expect(.cannotCreateOutput)
        try workspace.succeed("sign b.txt --container c.asice --force \(sign)")
    }

    @Test func entriesHaveOneReading() throws {
        let workspace = try workspace()
        try workspace.succeed("sign b.txt --container c.asice \(sign)")
        let script = """
            import io, sys, zipfile
            old = zipfile.ZipFile(sys.argv[1])
            def write(name, **values):
                with zipfile.ZipFile(sys.argv[2] + "/" + name, "w") as new:
                    for entry in old.infolist():
                        copy = zipfile.ZipInfo(entry.filename)
                        for key, value in values.items(): setattr(copy, key, value)
                        new.writestr(copy, old.read(entry.filename))
            write("vms.asice", create_system=2)
            write("folders.asice", external_attr=0o040755 << 16)
            write("dos.asice", create_system=0, external_attr=0x10)
            write("extra.asice", extra=bytes([0x4E, 0x55, 1, 0, 0]))
            class Pipe(io.RawIOBase):
                def __init__(self): self.bytes = bytearray()
                def writable(self): return True
                def write(self, part): self.bytes += part; return len(part)
            pipe = Pipe()
            with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as new:
                for entry in old.infolist():
                    if entry.filename != "mimetype":
                        new.writestr(entry.filename, old.read(entry.filename))
                for entry in new.infolist():
                    size = entry.file_size.to_bytes(4, "little")
                    pipe.bytes[entry.header_offset + 22:entry.header_offset + 26] = size
            open(sys.argv[2] + "/stream.asice", "wb").write(pipe.bytes)
            """
        let made = try ExternalTool.run(
            "/usr/bin/python3",
            ["-c", script, workspace.url("c.asice").path, workspace.url(".").path])
        #expect(made.status == 0, "\(made.errors)")
        for name in ["vms", "folders", "dos"] {
            try workspace.signet("verify \(name).asice --trust ca.crt").expect(.malformedInput)
        }
        let report = try workspace.succeed("verify extra.asice --trust ca.crt --json")
            .json(VerifyReport.self)
        #expect(report.codes.contains("file-not-covered"))
        // Info-ZIP states the size before the data of a stream.
        try workspace.succeed("verify stream.asice --trust ca.crt")
    }

    @Test func prefixesAreLimited() throws {
        let workspace = try workspace()
        try workspace.write("<pay/>", to: "pay.xml")
        guard try xml(workspace, "transformed", over: ["pay.xml"]) else { return }
        try change(
            workspace, "c.asice", to: "d.asice",
            """
            {'META-INF/signatures0.xml': old.read('META-INF/signatures0.xml').replace(
                b'xml-exc-c14n#"/></ds:Transforms>',
                b'xml-exc-c14n#"><e:InclusiveNamespaces xmlns:e="http://www.w3.org/2001/10/'
                b'xml-exc-c14n#" PrefixList="' + b'p ' * 65 + b'"/></ds:Transform></ds:Transforms>')}
            """)
        let outcome = try workspace.signet("verify d.asice --trust ca.crt --verbose")
        #expect(outcome.exitCode != .done)
        #expect(outcome.output.contains("too many prefixes"))
    }
}
