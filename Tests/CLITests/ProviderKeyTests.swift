import Foundation
import SignetTestSupport
import Testing

@Suite struct ProviderKeyTests {
    /// A software TPM with keys, for one test.
    private final class SoftwareTPM {
        let workspace: Workspace
        private let server: BackgroundServer
        private let environment: [String: String]

        static let rsa = "provider:handle:0x81000001?pass"
        static let ec = "provider:handle:0x81000002?pass&provider=tpm2"
        static let open = "PROVIDER:handle:0x81000003"

        /// Nil, said loudly, where a program or the provider is missing.
        init?() throws {
            guard try ExternalTool.find("swtpm") != nil,
                try ExternalTool.find("tpm2_createprimary") != nil,
                try ExternalTool.library("ossl-modules/tpm2.so") != nil
            else { return nil }
            workspace = try signingWorkspace()
            server = try BackgroundServer(
                TestVectors.root.appendingPathComponent("Scripts/lib/software_tpm").path,
                [workspace.folder.path], folder: workspace.folder)
            let ready = server.firstLine.split { $0.isWhitespace }
            try #require(ready.first == "ready" && ready.count == 2, "\(server.firstLine)")
            let tcti = "swtpm:host=127.0.0.1,port=\(ready[1])"
            environment = [
                "TPM2OPENSSL_TCTI": tcti, "TPM2TOOLS_TCTI": tcti, "TSS2_LOG": "all+NONE",
                "SECRET": "secret", "WRONG": "mistake",
            ]
        }

        func signet(
            _ arguments: ShellWords, _ more: [String: String] = [:]
        ) throws -> CommandOutcome {
            try workspace.signet(
                arguments.words, environment: environment.merging(more) { $1 })
        }

        func succeed(_ arguments: ShellWords) throws { try signet(arguments).expect(.done) }

        /// The number of wrong PINs that the TPM has counted.
        var refusals: Int {
            get throws {
                // The TPM takes one connection at a time, and the one before may be closing.
                for _ in 0..<50 {
                    let listed = try CommandRunner.run(
                        "/usr/bin/tpm2_getcap", ["properties-variable"], environment: environment)
                    let counter = listed.output.firstMatch(of: /LOCKOUT_COUNTER: 0x([0-9A-F]+)/)
                    if let counter { return try #require(Int(counter.output.1, radix: 16)) }
                    Thread.sleep(forTimeInterval: 0.1)
                }
                return try #require(nil as Int?, "tpm2_getcap lists no counter")
            }
        }
    }

    @Test(arguments: [
        (SoftwareTPM.rsa, "--passphrase-env SECRET", "rsa-pkcs1"),
        (SoftwareTPM.rsa, "--passphrase-env SECRET --padding pss", "rsa-pss"),
        (SoftwareTPM.ec, "--passphrase-env SECRET", "ecdsa"), (SoftwareTPM.open, "", "ecdsa"),
    ])
    func keysInTPMsSign(uri: String, options: ShellWords, algorithm: String) throws {
        guard let tpm = try SoftwareTPM() else { return }
        let (key, padding) = (["--key", uri], options.words.contains("pss"))
        let login: ShellWords = padding ? "--passphrase-env SECRET" : options
        try tpm.succeed("cert create \(key) \(login) --subject CN=TPM -o tpm.crt")
        try tpm.succeed("csr create \(key) \(login) --subject CN=TPM -o tpm.csr")
        try tpm.succeed("csr verify tpm.csr")

        try tpm.succeed("sign letter.pdf \(key) --cert tpm.crt \(options)")
        let report = try tpm.signet("verify letter.signed.pdf --trust tpm.crt --json")
            .expect(.done).json(VerifyReport.self)
        #expect(report.signatures.map(\.algorithm) == [algorithm])
        try tpm.workspace.outsidersAccept("letter.signed.pdf")
        try tpm.succeed("cms sign letter.pdf \(key) --cert tpm.crt \(options) -o letter.p7s")
        try tpm.succeed("cms verify letter.p7s --content letter.pdf --trust tpm.crt")

        let pss: ShellWords = padding ? "--padding pss" : ""
        try tpm.succeed("hash sign letter.pdf \(key) \(options) -o data.sig")
        try tpm.succeed("hash verify letter.pdf --signature data.sig --cert tpm.crt \(pss)")
        let hash = try tpm.signet("hash digest letter.pdf").output.prefix(64)
        try tpm.workspace.write(String(hash), to: "hash")
        try tpm.succeed("hash sign hash --input hash \(key) \(options) -o hash.sig")
        try tpm.succeed("hash verify letter.pdf --signature hash.sig --cert tpm.crt \(pss)")

        try tpm.succeed("key generate -o ca.pem --type ec:P-256 --no-passphrase")
        try tpm.succeed("cert create --key ca.pem --subject CN=CA --ca -o ca.crt")
        try tpm.succeed(
            "cert create --csr tpm.csr --issuer-cert ca.crt --issuer-key ca.pem --profile tsa -o tsa.crt"
        )
        try tpm.succeed("tsp request letter.pdf -o letter.tsq")
        try tpm.succeed("tsp respond letter.tsq \(key) --cert tsa.crt \(login) -o letter.tsr")
        try tpm.succeed("tsp verify letter.tsr --content letter.pdf --trust ca.crt")
        #expect(try tpm.refusals == 0)
    }

    @Test func aWrongPINIsSentOnce() throws {
        guard let tpm = try SoftwareTPM() else { return }
        try tpm.succeed("cert create --key \(SoftwareTPM.open) --subject CN=A -o open.crt")
        let key = ["--key", SoftwareTPM.ec, "--passphrase-env"]
        try tpm.succeed("cert create \(key) SECRET --subject CN=A -o tpm.crt")
        for name in ["b", "c"] {
            try tpm.workspace.write(try tpm.workspace.read("letter.pdf"), to: "\(name).pdf")
        }
        let batch = try tpm.signet(
            "sign letter.pdf b.pdf c.pdf \(key) WRONG --cert tpm.crt -o signed/ --jobs 3")
        batch.expect(.credentialRefused)
        #expect(batch.errors.contains("check the PIN"), "\(batch.errors)")
        #expect(try tpm.refusals == 1)
        #expect(!tpm.workspace.exists("signed/b.pdf") && !batch.errors.contains("mistake"))
        try tpm.signet("hash sign letter.pdf \(key) WRONG -o s")
            .expectRefusal(.credentialRefused, naming: "authorization", "not asked again")
        #expect(try tpm.refusals == 2)
        try tpm.signet("sign letter.pdf \(key) SECRET --cert open.crt")
            .expectRefusal(.credentialRefused, naming: "certificate")
        // The provider would ignore the PIN and send an empty one.
        try tpm.signet(
            "hash sign letter.pdf --key provider:handle:0x81000002 --passphrase-env SECRET -o s"
        ).expectRefusal(.usage, naming: "handle:0x81000002?pass")
        #expect(try tpm.refusals == 2)
    }

    @Test func missingPartsAreNamed() throws {
        guard let tpm = try SoftwareTPM() else { return }
        func refuse(_ uri: String, _ code: Int32, _ words: String, _ more: [String: String] = [:])
            throws
        {
            try tpm.signet(
                "hash sign letter.pdf --key \(uri) -o s", more
            ).expectRefusal(code, naming: words)
        }
        try refuse(
            "provider:handle:0x81000009", .missingInput, "no private key 'handle:0x81000009'")
        try refuse("provider:handle:0x81000003?provider=nope", .missingInput, "'nope'")
        try refuse("provider:file:key.pem?provider=tpm2", .missingInput, "no private key")
        try refuse("provider:file:key.pem", .usage, "?provider=")
        try refuse("provider:handle:1?provider=../x", .usage, "?provider=")
        try refuse(
            SoftwareTPM.open, .missingInput, "apt install tpm2-openssl",
            ["TPM2OPENSSL_TCTI": "swtpm:host=127.0.0.1,port=1"])
        let found = try tpm.signet("doctor").output
        #expect(found.contains(/OpenSSL provider tpm2 +found/), "\(found)")
    }
}
