import Foundation
import SignetTestSupport
import Testing

/// Keys behind programs of the user's own (`--key exec:NAME`).
@Suite struct ProgramKeyTests {
    /// A program on the PATH whose `sign` does what `body` says.
    private func workspace(_ body: String, certificates: Bool = true) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.makeFolder("bin")
        let folder = workspace.folder.path
        try workspace.write(
            Data(
                """
                #!/bin/sh
                set -eu
                cd '\(folder)'
                echo "$1" >>calls
                env >"environment-$1"
                sign() {
                    case "$SIGNET_ALGORITHM" in
                    rsa-pss) openssl pkeyutl -sign -inkey key.pem -pkeyopt digest:"$SIGNET_DIGEST" \
                -pkeyopt rsa_padding_mode:pss -pkeyopt rsa_pss_saltlen:digest ;;
                    *) openssl pkeyutl -sign -inkey key.pem -pkeyopt digest:"$SIGNET_DIGEST" ;;
                    esac
                }
                case "$1" in
                certificates) \(certificates ? "cat valid.pem" : "exit 64") ;;
                public-key) openssl pkey -in key.pem -pubout ;;
                sign) \(body) ;;
                *) exit 64 ;;
                esac

                """.utf8), to: "bin/signet-key-demo")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: workspace.url("bin/signet-key-demo").path)
        return workspace
    }

    private func sign(_ workspace: Workspace, _ options: String...) throws -> CommandOutcome {
        try workspace.signet(
            "sign letter.pdf --key exec:demo?key=one -o out.pdf \(options)",
            environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"])
    }

    @Test(arguments: [
        "sign", "sign | base64", "sign | base64 -w0 | tr '+/' '-_' | tr -d =",
        "sign | od -An -v -tx1", "printf 'vault:v1:'; sign | base64 -w0",
        "sign >s; cat s; (sleep 30; echo late) & ",
    ])
    func takesSignaturesAsProgramsWriteThem(body: String) throws {
        let workspace = try workspace(body)
        try sign(workspace).expect(.done)
        try workspace.succeed("verify out.pdf --trust valid.pem")
        #expect(try workspace.text("calls") == "certificates\nsign\n")
    }

    /// What a program left running may write as long as it likes.
    @Test func whoGoesOnWritingIsNotWaitedFor() throws {
        let workspace = try workspace(
            "sign >s; cat s; setsid timeout 30 sh -c 'yes >&2' & sleep 0.2; exit 0")
        let start = ContinuousClock.now
        try sign(workspace).expect(.done)
        #expect(.now - start < .seconds(20))
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test func noOutputGoesOverTheProgram() throws {
        let workspace = try workspace("sign")
        let program = try workspace.read("bin/signet-key-demo")
        try workspace.signet(
            "sign letter.pdf --key exec:demo?key=one -o bin/signet-key-demo --force",
            environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"]
        ).expectRefusal(.usage, naming: "would overwrite an input file")
        #expect(try workspace.read("bin/signet-key-demo") == program)
    }

    @Test func signsWithPSSAndOtherHashes() throws {
        let workspace = try workspace("sign")
        try sign(workspace, "--padding", "pss").expectRefusal(.usage, naming: "requires an RSA key")
        try workspace.succeed("key generate --type rsa:2048 -o key.pem --no-passphrase --force")
        try workspace.succeed("cert create --key key.pem --subject CN=RSA -o valid.pem --force")
        try sign(workspace, "--padding", "pss", "--digest", "sha384").expect(.done)
        let answer = try workspace.succeed("verify out.pdf --trust valid.pem")
        #expect(answer.output.contains("RSA-PSS, SHA-384"), "\(answer.output)")
    }

    @Test(arguments: [
        ("exit 77", ExitCode.credentialRefused, "refused"),
        ("exit 69", ExitCode.serviceUnavailable, "cannot reach"),
        ("exit 1", ExitCode.serviceUnavailable, "exit status 1"),
        ("kill -9 $$", ExitCode.serviceUnavailable, "by a signal"),
        ("cat /dev/zero", ExitCode.serviceUnavailable, "more than"),
        ("echo nonsense", ExitCode.credentialRefused, "does not match the public key"),
        ("exit 0", ExitCode.credentialRefused, "does not match the public key"),
    ])
    func whatFailsIsNamedAndLeavesNothing(body: String, code: Int32, words: String) throws {
        let workspace = try workspace("echo why >&2; \(body)")
        let outcome = try sign(workspace).expect(code)
        #expect(outcome.errors.contains(words))
        // What was said before it was ended is lost with the rest.
        if !body.contains("zero") { #expect(outcome.errors.contains("why")) }
        #expect(!workspace.exists("out.pdf"))
    }

    /// A program that unlocks an account is not asked sixty times with a wrong password.
    @Test(arguments: [
        ("exit 77", [], ExitCode.credentialRefused), ("exit 69", [], ExitCode.serviceUnavailable),
        ("sleep 30", ["--key-timeout", "1"], ExitCode.serviceUnavailable),
    ])
    func aRefusalIsTheLastWord(body: String, options: [String], code: Int32) throws {
        let workspace = try workspace(body)
        let files = (1...12).map { "\($0).pdf" }
        for file in files { try workspace.write(try workspace.read("letter.pdf"), to: file) }
        let outcome = try workspace.signet(
            "sign \(files) --key exec:demo --jobs 4 -o out/ \(options)",
            environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"])
        outcome.expect(code)
        #expect(outcome.errors.contains("12 errors"), "\(outcome.errors)")
        let calls = try workspace.text("calls")
        #expect(calls.split(separator: "\n").count { $0 == "sign" } == 1)
    }

    /// What fails for one file need not fail for the next one.
    @Test func otherFailuresAreNot() throws {
        let workspace = try workspace("if [ -e failed ]; then sign; else touch failed; exit 75; fi")
        let files = (1...3).map { "\($0).pdf" }
        for file in files { try workspace.write(try workspace.read("letter.pdf"), to: file) }
        let outcome = try workspace.signet(
            "sign \(files) --key exec:demo --jobs 1 -o out/",
            environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"])
        outcome.expect(.serviceUnavailable)
        #expect(outcome.errors.contains("2 signed, 1 error"), "\(outcome.errors)")
    }

    /// Another run may write the output while the key signs.
    @Test func anOutputOfAnotherRunIsSkipped() throws {
        let workspace = try workspace("cp done.pdf out.pdf; sign")
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o done.pdf")
        let outcome = try sign(workspace, "--skip-existing").expect(.done)
        #expect(outcome.errors.contains("letter.pdf: skipped, output file exists"))
        #expect(try workspace.read("out.pdf") == workspace.read("done.pdf"))
    }

    @Test func anotherKeysSignatureIsRefused() throws {
        let workspace = try workspace(
            "openssl genpkey -algorithm RSA -out other.pem 2>/dev/null; "
                + "openssl pkeyutl -sign -inkey other.pem -pkeyopt digest:sha256")
        try sign(workspace).expect(.credentialRefused)
        #expect(!workspace.exists("out.pdf"))
    }

    @Test func aMessageIsGivenWhereItIsWanted() throws {
        let workspace = try workspace("openssl dgst -sha256 -sign key.pem")
        try workspace.succeed(
            "sign letter.pdf --key exec:demo?input=message -o out.pdf",
            environment: ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"])
    }

    @Test func hashesAndRequestsNeedNoCertificate() throws {
        let workspace = try workspace("sign", certificates: false)
        let environment = ["PATH": workspace.url("bin").path + ":/usr/bin:/bin"]
        for command in [
            ["hash", "sign", "letter.pdf", "-o", "s.sig"],
            ["csr", "create", "--subject", "CN=x", "-o", "x.csr"],
        ] { try workspace.succeed("\(command) --key exec:demo", environment: environment) }
        try workspace.succeed("csr verify x.csr")
        try sign(workspace).expectRefusal(.missingInput, naming: "no certificate")
        try sign(workspace, "--cert", "valid.pem").expect(.done)
    }

    @Test(arguments: [
        ("exec:nobody", ExitCode.missingInput), ("exec:../demo", ExitCode.usage),
        ("exec:", ExitCode.usage), ("exec:Demo", ExitCode.usage),
        ("exec:demo?key=a&key=b", ExitCode.usage), ("exec:/nowhere/x", ExitCode.missingInput),
    ])
    func namesThatAreNoneAreRefused(key: String, code: Int32) throws {
        let workspace = try workspace("sign")
        try workspace.signet(
            "sign letter.pdf --key \(key)",
            environment: ["PATH": "bin:" + workspace.url("bin").path + ":/usr/bin:/bin"]
        ).expect(code)
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func relativeFoldersOfThePathAreLeftOut() throws {
        let workspace = try workspace("sign")
        try workspace.signet(
            "sign letter.pdf --key exec:demo", environment: ["PATH": "bin::/usr/bin:/bin"]
        ).expect(.missingInput)
    }

    @Test func secretsAreNotHandedOn() throws {
        let workspace = try workspace("env >environment; sign")
        try workspace.succeed(
            "sign letter.pdf --key exec:demo?region=eu-1 --passphrase-env SECRET_PIN -o out.pdf",
            environment: [
                "PATH": workspace.url("bin").path + ":/usr/bin:/bin", "SECRET_PIN": "hidden-word",
            ])
        let environment = try workspace.text("environment")
        #expect(environment.contains("SIGNET_KEY_REGION=eu-1"))
        #expect(environment.contains("SIGNET_INPUT=digest"))
        #expect(!environment.contains("hidden-word"))
    }

    /// Not even those that are read later, or never.
    @Test func secretsAreKeptFromTheStart() throws {
        let workspace = try workspace("sign")
        try workspace.succeed(
            """
            sign letter.pdf --key exec:demo --password-env SECRET_ONE --passphrase-env=SECRET_TWO \
            -o out.pdf
            """,
            environment: [
                "PATH": workspace.url("bin").path + ":/usr/bin:/bin", "OPEN": "to-all",
                "SECRET_ONE": "hidden-one", "SECRET_TWO": "hidden-two",
            ])
        for call in ["certificates", "sign"] {
            let environment = String(
                decoding: try workspace.read("environment-\(call)"), as: UTF8.self)
            #expect(environment.contains("to-all"))
            #expect(!environment.contains("hidden"), "\(environment)")
        }
    }

    /// An identity names a program for later: nobody else may exchange it meanwhile.
    @Test(arguments: ["bin/signet-key-demo", "bin"])
    func programsThatOthersMayWriteAreNotKept(place: String) throws {
        let workspace = try workspace("sign")
        let environment = [
            "PATH": workspace.url("bin").path + ":/usr/bin:/bin",
            "XDG_DATA_HOME": workspace.url("data").path,
        ]
        func set(_ mode: Int, _ name: String) throws {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: workspace.url(name).path)
        }
        try set(0o755, "bin")
        try workspace.succeed("identity import cloud --key exec:demo", environment: environment)
        let sign = ["sign", "letter.pdf", "--identity", "cloud", "-o", "out.pdf"]
        for mode in [0o775, 0o757] {
            try set(mode, place)
            try workspace.signet(sign, environment: environment)
                .expectRefusal(.credentialRefused, naming: "other users can write")
            #expect(!workspace.exists("out.pdf"))
        }
        try set(0o755, place)
        try workspace.succeed(sign, environment: environment)
    }

    /// Who may rename a folder on the way, or write where a link leads, exchanges the program too.
    @Test func theWayToAProgramCountsToo() throws {
        let workspace = try workspace("sign")
        func shell(_ line: String) throws { try workspace.shell(line).expect(.done) }
        try shell("chmod 755 bin && mkdir open linked target && mv bin open/ && chmod 755 open/bin")
        let environment = ["PATH": "/usr/bin:/bin", "XDG_DATA_HOME": workspace.url("data").path]
        for (name, path) in [("way", "open/bin"), ("link", "linked")] {
            try shell("cp open/bin/signet-key-demo target/")
            try shell("ln -sf ../target/signet-key-demo linked/")
            let key = "exec:" + workspace.url(path + "/signet-key-demo").path
            try workspace.succeed("identity import \(name) --key \(key)", environment: environment)
            let sign = ["sign", "letter.pdf", "--identity", name, "-o", "\(name).pdf"]
            try shell("chmod 777 open target")
            try workspace.signet(sign, environment: environment)
                .expectRefusal(.credentialRefused, naming: "other users can write")
            try shell("chmod 755 open target")
            try workspace.succeed(sign, environment: environment)
        }
    }

    @Test func ed448KeysSignAndVerify() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.succeed("key generate --type ed448 --no-passphrase -o k.pem")
        try workspace.succeed("cert create --key k.pem --subject CN=Ed -o k.crt")
        try workspace.succeed("sign letter.pdf --key k.pem --cert k.crt -o out.pdf")
        try workspace.succeed("verify out.pdf --trust k.crt")
        try workspace.succeed("hash sign letter.pdf --key k.pem -o s.sig")
        try workspace.succeed("hash verify letter.pdf --signature s.sig --cert k.crt")
        try workspace.succeed("cms sign letter.pdf --key k.pem --cert k.crt -o m")
        try workspace.openssl("verify -CAfile k.crt k.crt")
    }
}
