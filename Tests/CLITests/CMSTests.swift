import Foundation
import SignetTestSupport
import Testing

@Suite struct CMSTests {
    /// `order.xml`, with the key and certificate of `NAME` as `NAME.pem` and `NAME.crt`.
    private func workspace(_ signers: [(name: String, type: String)]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("<order>100 pieces</order>\r\nline\n", to: "order.xml")
        for signer in signers {
            try workspace.makeKey(signer.name, signer.type)
            try workspace.succeed([
                "cert", "create", "--key", "\(signer.name).pem", "--subject", "CN=\(signer.name)",
                "-o", "\(signer.name).crt",
            ])
        }
        return workspace
    }

    private func verify(
        _ workspace: Workspace, _ arguments: [String], _ code: Int32, problem: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try workspace.signet("cms verify \(arguments) --json")
        outcome.expect(code, "\(arguments)", sourceLocation: sourceLocation)
        guard code == 0 || code == 3 || code == 4 else { return }
        let report = try outcome.json(VerifyReport.self)
        #expect(report.schema == "signet.verify/1", sourceLocation: sourceLocation)
        guard let problem else { return }
        let codes = report.signatures.flatMap(\.problems).map(\.code)
        #expect(codes.contains(problem), "\(codes)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["rsa:2048", "ec:P-256", "ec:P-384", "dsa:2048"], [[], ["--attached"]])
    func signsWhatOpensslVerifies(type: String, options: [String]) throws {
        let workspace = try workspace([("me", type)])
        try workspace.succeed("cms sign order.xml --key me.pem --cert me.crt -o m.p7 \(options)")
        let content = options.isEmpty ? ["-content", "order.xml"] : []
        try workspace.openssl(
            """
            cms -verify -in m.p7 -inform DER -binary -CAfile me.crt -purpose any -cades -out content \
            \(content)
            """)
        #expect(try workspace.read("content") == workspace.read("order.xml"))
        try verify(
            workspace,
            ["m.p7", "--signer", "me.crt"] + (options.isEmpty ? ["--content", "order.xml"] : []),
            ExitCode.done)
    }

    @Test(arguments: [
        ["-outform", "DER"], ["-outform", "PEM"], ["-outform", "DER", "-nodetach"],
        ["-outform", "DER", "-nodetach", "-stream"], ["-outform", "PEM", "-nodetach", "-stream"],
        ["-outform", "DER", "-keyid"], ["-outform", "DER", "-cades", "-md", "sha512"],
        ["-outform", "DER", "-keyopt", "rsa_padding_mode:pss"], ["-outform", "DER", "-nocerts"],
    ])
    func verifiesWhatOpensslSigned(options: [String]) throws {
        let workspace = try workspace([("me", "rsa:2048")])
        try workspace.openssl(
            "cms -sign -in order.xml -binary -signer me.crt -inkey me.pem \(options) -out m.p7")
        let attached = options.contains("-nodetach")
        let arguments = ["m.p7"] + (attached ? [] : ["--content", "order.xml"])
        try verify(workspace, arguments + ["--signer", "me.crt", "-o", "content"], ExitCode.done)
        #expect(try workspace.read("content") == workspace.read("order.xml"))
        if !options.contains("-nocerts") {
            try verify(workspace, arguments + ["--trust", "me.crt"], ExitCode.done)
        }
        // The same with the line break that editors add, and as bare base64.
        try workspace.write(try workspace.read("m.p7") + Data("\r\n".utf8), to: "m.txt")
        try verify(
            workspace, ["m.txt"] + arguments.dropFirst() + ["--signer", "me.crt"], ExitCode.done)
        if options.contains("DER") {
            let text = try workspace.read("m.p7").base64EncodedData()
            try workspace.write(text, to: "m.b64")
            try verify(
                workspace, ["m.b64"] + arguments.dropFirst() + ["--signer", "me.crt"],
                ExitCode.done)
        }
    }

    @Test func releasesContentOnlyAfterSuccess() throws {
        let workspace = try workspace([("me", "ec:P-256"), ("other", "ec:P-256")])
        try workspace.succeed("cms sign order.xml --key me.pem --cert me.crt -o m.p7m --attached")
        var message = try workspace.read("m.p7m")
        let hundred = try #require(message.range(of: Data("100 pieces".utf8)))
        message[hundred.lowerBound] = UInt8(ascii: "9")
        try workspace.write(message, to: "bad.p7m")
        try verify(
            workspace, ["bad.p7m", "--signer", "me.crt", "-o", "out"], ExitCode.invalid,
            problem: "digest-mismatch")
        try verify(
            workspace, ["m.p7m", "--signer", "other.crt", "-o", "out"], ExitCode.invalid,
            problem: "signer-not-pinned")
        // Intact but not trusted is no success either.
        try verify(
            workspace, ["m.p7m", "--trust", "other.crt", "-o", "out"], ExitCode.indeterminate)
        #expect(!workspace.exists("out"))
        #expect(try workspace.names.allSatisfy { !$0.hasPrefix(".signet") })
        try verify(workspace, ["m.p7m", "--signer", "me.crt", "-o", "out"], ExitCode.done)
        #expect(try workspace.read("out") == workspace.read("order.xml"))
    }

    @Test func asksEverySignerUnlessToldOtherwise() throws {
        let workspace = try workspace([
            ("one", "rsa:2048"), ("two", "ec:P-256"), ("three", "ec:P-256"),
        ])
        try workspace.openssl([
            "cms", "-sign", "-in", "order.xml", "-binary", "-signer", "one.crt", "-inkey",
            "one.pem", "-signer", "two.crt", "-inkey", "two.pem", "-outform", "DER", "-nodetach",
            "-out", "m.p7m",
        ])
        let both = ["--trust", "one.crt", "--trust", "two.crt"]
        try verify(workspace, ["m.p7m"] + both, ExitCode.done)
        try verify(workspace, ["m.p7m", "--trust", "one.crt"], ExitCode.indeterminate)
        try verify(workspace, ["m.p7m", "--trust", "one.crt", "--any-signer"], ExitCode.done)
        try verify(workspace, ["m.p7m", "--signer", "one.crt"], ExitCode.indeterminate)
        try verify(workspace, ["m.p7m", "--signer", "one.crt"] + both, ExitCode.done)
        try verify(workspace, ["m.p7m", "--signer", "two.crt", "--any-signer"], ExitCode.done)
        try verify(
            workspace, ["m.p7m", "--signer", "three.crt", "--any-signer"] + both,
            ExitCode.invalid, problem: "signer-not-pinned")
    }

    @Test func comparesAttachedContentWithTheFileNamed() throws {
        let workspace = try workspace([("me", "ec:P-256")])
        try workspace.succeed("cms sign order.xml --key me.pem --cert me.crt -o m.p7m --attached")
        try workspace.write("other", to: "other.xml")
        try verify(
            workspace, ["m.p7m", "--content", "order.xml", "--signer", "me.crt"], ExitCode.done)
        try verify(
            workspace, ["m.p7m", "--content", "other.xml", "--signer", "me.crt"],
            ExitCode.invalid, problem: "content-embedded")
        try workspace.succeed("cms sign order.xml --key me.pem --cert me.crt -o d.p7s")
        try workspace.signet("cms verify d.p7s --signer me.crt")
            .expectRefusal(.missingInput, naming: "--content")
    }

    @Test func refusesWhatIsNoMessage() throws {
        let workspace = try workspace([("me", "ec:P-256")])
        let sign = ["cms", "sign", "order.xml", "--key", "me.pem", "--cert", "me.crt", "-o"]
        try workspace.succeed("\(sign) m.p7s")
        try workspace.succeed("\(sign) m.pem --pem")
        let message = try workspace.read("m.p7s")
        try workspace.write(message + Data([0]), to: "trailing.p7s")
        try workspace.write(message.dropLast(), to: "short.p7s")
        try workspace.write(try workspace.read("m.pem") + workspace.read("m.pem"), to: "twice.pem")
        try workspace.write(
            "MIME-Version: 1.0\r\nContent-Type: multipart/signed\r\n\r\n", to: "mail")
        for file in ["trailing.p7s", "short.p7s", "twice.pem", "mail", "order.xml", "me.crt"] {
            try workspace.signet("cms verify \(file) --content order.xml --signer me.crt")
                .expectRefusal(.malformedInput, naming: file)
        }
        try verify(
            workspace, ["m.pem", "--content", "order.xml", "--signer", "me.crt"], ExitCode.done)
    }
}

@Suite struct DetachedSignatureTests {
    @Test func signsAnyFileAndFindsItAgain() throws {
        let workspace = try signingWorkspace()
        try workspace.write("some data", to: "data.bin")
        let signed = try workspace.succeed("sign data.bin --key key.pem --cert valid.pem")
        #expect(signed.output.hasPrefix("data.bin.p7s: "))
        try workspace.openssl([
            "cms", "-verify", "-cades", "-in", "data.bin.p7s", "-inform", "DER", "-content",
            "data.bin", "-binary", "-CAfile", "valid.pem", "-purpose", "any", "-out", "/dev/null",
        ])
        let verified = try workspace.succeed("verify data.bin.p7s --trust valid.pem --json")
        let report = try verified.json(VerifyReport.self)
        #expect(report.verdict == "passed")
        #expect(report.signatures.map(\.level) == ["B-B"])
        #expect(report.signatures.map(\.coverage) == ["whole-file"])
        try workspace.write("some date", to: "data.bin")
        let changed = try workspace.signet("verify data.bin.p7s --trust valid.pem").expect(.invalid)
        #expect(changed.output.contains("modified or damaged after signing"))
        try workspace.write("some data", to: "moved.bin")
        try workspace.succeed("verify data.bin.p7s --trust valid.pem --content moved.bin")
    }

    @Test func choosesTheFormatByTheBytes() throws {
        let workspace = try signingWorkspace()
        try workspace.write(try workspace.read("letter.pdf"), to: "letter.bin")
        let key = ["--key", "key.pem", "--cert", "valid.pem"]
        try workspace.succeed("sign letter.bin \(key)")
        #expect(workspace.exists("letter.bin.signed.pdf"))
        try workspace.succeed("sign letter.pdf --format cms \(key)")
        try workspace.succeed("verify letter.pdf.p7s --trust valid.pem")
        try workspace.write("text", to: "broken.pdf")
        try workspace.signet("sign broken.pdf \(key)")
            .expectRefusal(.malformedInput, naming: "broken.pdf")
        try workspace.write("text", to: "text.txt")
        try workspace.signet("sign text.txt --reason Approved \(key)")
            .expectRefusal(.usage, naming: "text.txt")
        try workspace.signet("sign text.txt --format cms --in-place \(key)").expectRefusal(.usage)
        try workspace.succeed("sign text.txt --dry-run \(key)")
        #expect(!workspace.exists("text.txt.p7s"))
    }

    @Test func explainsEveryArtefact() throws {
        let workspace = try signingWorkspace()
        try workspace.write("some data", to: "data.bin")
        try workspace.succeed("sign data.bin --key key.pem --cert valid.pem")
        try workspace.succeed("csr create --key key.pem --subject CN=Jan -o r.csr")
        try workspace.succeed(
            "key convert key.pem --cert valid.pem --to p12 -o k.p12 --no-passphrase")
        try workspace.openssl("req -x509 -key key.pem -subj /CN=CA -out ca.pem")
        try workspace.write("", to: "index")
        try workspace.write(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\n", to: "ca.cnf")
        try workspace.openssl(
            "ca -config ca.cnf -gencrl -keyfile key.pem -cert ca.pem -crldays 7 -out l.crl")
        for (file, schemas) in [
            ("data.bin.p7s", ["signet.cms/1"]), ("r.csr", ["signet.csr/1"]),
            ("k.p12", ["signet.pkcs12/1", "signet.key/1", "signet.certificate/1"]),
            ("l.crl", ["signet.crl/1"]),
        ] {
            let outcome = try workspace.succeed("show \(file) --json")
            let shown = try outcome.jsonLines()
            #expect(shown.map(\.schema.text) == schemas)
            // The key and its certificate.
            if schemas.contains("signet.key/1"), schemas.contains("signet.certificate/1") {
                #expect(shown[1].publicKeySHA256.text == shown[2].publicKeySHA256.text)
            }
            try workspace.succeed("show \(file)")
        }
    }
}
