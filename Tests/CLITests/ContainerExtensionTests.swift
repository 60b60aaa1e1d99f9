import Foundation
import SignetTestSupport
import Testing

/// `extend` of containers: validation data in the signatures, and timestamps over everything.
@Suite(.serialized) struct ContainerExtensionTests {
    private func office() throws -> LongTermOffice? {
        guard let office = try LongTermOffice() else { return nil }
        try office.workspace.write("first file\n", to: "a.txt")
        try office.workspace.write("second file\n", to: "b.txt")
        return office
    }

    private func sign(
        _ office: LongTermOffice, _ files: [String], _ container: String, _ level: [String] = []
    ) throws {
        try office.workspace.succeed(
            ["sign"] + files + ["--container", container] + office.key() + level)
    }

    /// Python compares entries, and the hashes of the newest archive manifest; openssl verifies its
    /// timestamp.
    private func judge(
        _ office: LongTermOffice, _ old: String, _ new: String, changed: Set<String>
    ) throws {
        let script = """
            import base64, hashlib, sys, urllib.parse, zipfile, xml.etree.ElementTree as tree
            old, new = zipfile.ZipFile(sys.argv[1]), zipfile.ZipFile(sys.argv[2])
            assert new.testzip() is None and new.namelist()[0] == "mimetype"
            for entry in old.infolist():
                if entry.filename in sys.argv[3].split(","): continue
                copy = new.getinfo(entry.filename)
                assert (copy.compress_type, copy.date_time, copy.extra) == (
                    entry.compress_type, entry.date_time, entry.extra), entry.filename
                assert old.read(entry) == new.read(copy), entry.filename
            names = [name for name in new.namelist() if "ASiCArchiveManifest" in name]
            manifest = new.read("META-INF/ASiCArchiveManifest.xml")
            covered = set()
            space = "{http://uri.etsi.org/02918/v1.2.1#}"
            root = tree.fromstring(manifest)
            for found in root.iter(space + "DataObjectReference"):
                name = urllib.parse.unquote(found.get("URI"))
                covered.add(name)
                assert base64.b64decode(found[1].text) == hashlib.sha256(new.read(name)).digest()
                assert (found.get("Rootfile") == "true") == ("ASiCArchiveManifest" in name
                    and name == max(names)), name
            stamp = root.find(space + "SigReference").get("URI")
            own = {"mimetype", "META-INF/ASiCArchiveManifest.xml", stamp}
            assert covered | own == set(new.namelist()), covered
            assert hashlib.sha256(manifest).digest() in new.read(stamp)
            open("m.tst", "wb").write(new.read(stamp))
            """
        let workspace = office.workspace
        try workspace.write(script, to: "judge.py")
        try workspace.shell(
            "python3 judge.py \(old) \(new) \(changed.sorted().joined(separator: ","))"
        ).expect(.done)
        try workspace.openssl(
            """
            cms -verify -inform DER -in m.tst -purpose timestampsign -out /dev/null \
            -CAfile \(office.server.path("anchors.pem"))
            """)
    }

    @Test func raisesAndRenewsByAdding() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        let signature = "META-INF/signature001.p7s"
        try sign(office, ["a.txt", "b.txt"], "c.asice")
        let extend = office.tsa() + office.trust
        try workspace.succeed(["extend", "c.asice", "--dry-run"] + extend)
        let made = try workspace.succeed(["extend", "c.asice", "--json"] + extend).json()
        #expect(made.schema == "signet.extend/1")
        #expect(made.from == "B-B")
        #expect(made.level == "B-LTA")
        #expect(made.signatures[0].field.text == signature)
        #expect(try office.levels("c.extended.asice") == ["B-LTA"])
        try judge(office, "c.asice", "c.extended.asice", changed: [signature])
        // Nothing is left to do, and a lower level is an error.
        let idle = try workspace.succeed(["extend", "c.extended.asice", "--json"] + extend).json()
        #expect(idle.output == .null)
        try workspace.signet(["extend", "c.extended.asice", "--level", "LT"] + extend)
            .expect(.usage)
        // Data for the timestamp's authority is in its token already: it does not change.
        let renew = ["extend", "c.extended.asice", "--renew", "-o", "two.asice"] + extend
        try workspace.succeed(renew)
        let manifest = "META-INF/ASiCArchiveManifest.xml"
        let stamp = "META-INF/timestamp001.tst"
        try judge(office, "c.extended.asice", "two.asice", changed: [manifest, stamp])
        let renewed = try workspace.succeed(["verify", "two.asice", "--json"] + office.trust).json()
        #expect(renewed.signatures.count == 3)
        try workspace.succeed(
            ["extend", "two.asice", "--renew", "--within", "1d", "--json"] + extend)
        // The signer's certificate ends with 2027, the authority's with 2028.
        let verify = ["verify", "two.asice", "--require-level", "LTA"] + office.trust
        try office.travel(to: "2028-06-01", verify).expect(.done)
        try office.travel(to: "2029-05-01", verify).expect(.indeterminate)
        // Another signature, which the archive timestamps do not cover yet.
        try workspace.succeed(
            ["sign", "two.asice", "--container", "three.asice"] + office.key())
        try workspace.succeed(["extend", "three.asice", "-o", "four.asice"] + extend)
        #expect(try office.levels("four.asice") == ["B-LTA", "B-LTA"])
    }

    /// OpenSSL makes the signature, and Python a compressed archive with other names.
    @Test func raisesContainersOfOthers() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        let script = """
            import base64, hashlib, subprocess, sys, zipfile
            folder, key, certificate, chain = sys.argv[1:]
            digest = base64.b64encode(hashlib.sha256(open(folder + "/a.txt", "rb").read()).digest())
            manifest = (
                '<?xml version="1.0"?><ASiCManifest xmlns="http://uri.etsi.org/02918/v1.2.1#" '
                'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><SigReference MimeType='
                '"application/x-pkcs7-signature" URI="META-INF/signature-x.p7s"/>'
                '<DataObjectReference URI="a.txt"><ds:DigestMethod '
                'Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>'
                + digest.decode() + '</ds:DigestValue></DataObjectReference></ASiCManifest>')
            open(folder + "/m.xml", "w").write(manifest)
            subprocess.run(["openssl", "cms", "-sign", "-cades", "-binary", "-md", "sha256", "-in",
                folder + "/m.xml", "-signer", certificate, "-inkey", key, "-certfile", chain,
                "-outform", "DER", "-out", folder + "/m.p7s"], check=True)
            with zipfile.ZipFile(folder + "/c.asice", "w", zipfile.ZIP_DEFLATED) as made:
                made.writestr("mimetype", "application/vnd.etsi.asic-e+zip", zipfile.ZIP_STORED)
                made.write(folder + "/m.p7s", "META-INF/signature-x.p7s")
                made.write(folder + "/m.xml", "META-INF/ASiCManifest-x.xml")
                made.write(folder + "/a.txt", "a.txt")
            """
        let paths = ["signer.pem", "signer.crt", "interm.crt"].map(office.server.path)
        let made = try ExternalTool.run(
            "/usr/bin/python3", ["-c", script, workspace.url(".").path] + paths)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try office.levels("c.asice") == ["B-B"])
        try workspace.succeed(["extend", "c.asice"] + office.tsa() + office.trust)
        #expect(try office.levels("c.extended.asice") == ["B-LTA"])
        try judge(
            office, "c.asice", "c.extended.asice", changed: ["META-INF/signature-x.p7s"])
        let renew = ["extend", "c.extended.asice", "--renew", "-o", "two.asice"]
        try workspace.succeed(renew + office.tsa() + office.trust)
        #expect(try office.levels("two.asice") == ["B-LTA"])
    }

    @Test func addsValidationData() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        try sign(office, ["a.txt"], "c.asice", ["--level", "T"] + office.tsa())
        try workspace.succeed(
            ["extend", "c.asice", "--level", "LT", "--in-place"] + office.trust)
        #expect(try office.levels("c.asice") == ["B-LT"])
        // The signature of ASiC-S has its archive timestamp itself.
        try sign(office, ["a.txt"], "c.asics")
        try workspace.succeed(["extend", "c.asics"] + office.tsa() + office.trust)
        #expect(try office.levels("c.extended.asics") == ["B-LTA"])
        try workspace.succeed(
            ["extend", "c.extended.asics", "--renew", "--in-place"] + office.tsa() + office.trust)
        #expect(try office.levels("c.extended.asics") == ["B-LTA"])
    }

    @Test func refusesWhatItWouldBreak() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        try sign(office, ["a.txt"], "c.asice")
        let change = """
            import zipfile
            old = zipfile.ZipFile("c.asice")
            for name, path, data in (("bad", "a.txt", b"other"), ("more", "c.txt", b"added"),
                    ("xml", "META-INF/signatures.xml", b"<a/>")):
                with zipfile.ZipFile(name + ".asice", "w") as new:
                    entries = {entry: old.read(entry) for entry in old.namelist()}
                    entries[path] = data
                    for entry, content in entries.items(): new.writestr(entry, content)
            """
        try workspace.write(change, to: "change.py")
        try workspace.shell("python3 change.py").expect(.done)
        let extend = office.tsa() + office.trust
        try workspace.signet(["extend", "bad.asice"] + extend).expect(.invalid)
        // A timestamp would cover the file that nobody signed.
        try workspace.signet(["extend", "more.asice"] + extend).expect(.invalid)
        #expect(!workspace.exists("more.extended.asice"))
        let xml = try workspace.signet(["extend", "xml.asice"] + extend)
        xml.expect(.malformedInput)
        #expect(xml.errors.contains("XAdES"))
        #expect(!workspace.exists("bad.extended.asice") && !workspace.exists("xml.extended.asice"))
    }

    /// Adds a manifest over some entries, and its target, to `c.asice`.
    private static let covering = """
        import base64, hashlib, sys, zipfile
        manifest, target, over, data, made = sys.argv[1:]
        old = zipfile.ZipFile("c.asice")
        text = "".join('<DataObjectReference URI="%s"><d:DigestMethod Algorithm="http://www.w3.org/2001/'
            '04/xmlenc#sha256"/><d:DigestValue>%s</d:DigestValue></DataObjectReference>' % (name,
                base64.b64encode(hashlib.sha256(old.read(name)).digest()).decode())
            for name in over.split(","))
        text = ('<ASiCManifest xmlns="http://uri.etsi.org/02918/v1.2.1#" xmlns:d="http://www.w3.org/'
            '2000/09/xmldsig#"><SigReference URI="%s"/>%s</ASiCManifest>' % (target, text)).encode()
        open("m.xml", "wb").write(text)
        if made:
            with zipfile.ZipFile(made, "w") as new:
                for name in old.namelist(): new.writestr(name, old.read(name))
                new.writestr(manifest, text)
                new.writestr(target, open(data, "rb").read())
        """

    @Test func whatAManifestCoversIsKept() throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        try workspace.write(Self.covering, to: "cover.py")
        try sign(office, ["a.txt"], "c.asice")
        let names = "META-INF/evidencerecord001.ers META-INF/signature001.p7s"
        try workspace.shell(
            "python3 cover.py META-INF/ASiCEvidenceRecordManifest001.xml \(names) a.txt er.asice"
        ).expect(.done)
        let before = try workspace.read("er.asice")
        let refused = try workspace.signet(
            ["extend", "er.asice", "--in-place"] + office.tsa() + office.trust
        ).expect(.malformedInput)
        #expect(refused.errors.contains("ASiCEvidenceRecordManifest001.xml' covers"))
        #expect(try workspace.read("er.asice") == before)
    }

    /// A timestamp over the signature alone is not one over the signed files.
    @Test(arguments: [true, false])
    func archiveTimestampsCoverFiles(_ isComplete: Bool) throws {
        guard let office = try office() else { return }
        let workspace = office.workspace
        try workspace.write(Self.covering, to: "cover.py")
        try sign(office, ["a.txt"], "c.asice", ["--level", "T"] + office.tsa())
        try workspace.succeed(["extend", "c.asice", "--level", "LT", "--in-place"] + office.trust)
        let over =
            "META-INF/signature001.p7s" + (isComplete ? ",META-INF/ASiCManifest001.xml,a.txt" : "")
        let cover =
            "python3 cover.py META-INF/ASiCArchiveManifest.xml META-INF/timestamp001.tst \(over)"
        try workspace.shell("\(cover) '' ''").expect(.done)
        try workspace.succeed(["timestamp", "m.xml", "-o", "m.tsr"] + office.tsa())
        try workspace.shell("\(cover) m.tsr lta.asice").expect(.done)
        try workspace.signet(["verify", "lta.asice", "--require-level", "LTA"] + office.trust)
            .expect(isComplete ? .done : .indeterminate)
    }
}
