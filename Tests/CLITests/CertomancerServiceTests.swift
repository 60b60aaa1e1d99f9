import Foundation
import SignetTestSupport
import Testing

/// Keys at a signing service that others wrote, Certomancer's: what our own server of the tests and
/// Signet might understand wrongly alike would show here.
@Suite struct CertomancerServiceTests {
    private struct Service {
        let workspace: Workspace
        let uri: String
        private let server: BackgroundServer

        /// Nil, said loudly, where the test environment is missing.
        init?(securityLevel: Int) throws {
            guard let python = try PythonEnvironment.find("python") else { return nil }
            workspace = try signingWorkspace()
            server = try BackgroundServer(
                python,
                [
                    TestVectors.root.appendingPathComponent("Scripts/lib/certomancer_csc.py").path,
                    ".", String(securityLevel),
                ], folder: workspace.folder)
            uri = "csc:\(server.firstLine.trimmingCharacters(in: .whitespacesAndNewlines))/csc/v1"
        }
    }

    @Test(arguments: [1, 2]) func signsByEveryAlgorithm(securityLevel: Int) throws {
        guard let service = try Service(securityLevel: securityLevel) else { return }
        for (key, options) in [
            ("rsa", []), ("rsa", ["--padding", "pss"]), ("rsa", ["--digest", "sha512"]),
            ("rsa", ["--padding", "pss", "--digest", "sha384"]), ("p256", []),
            ("p384", ["--digest", "sha384"]),
        ] {
            try service.workspace.succeed(
                [
                    "sign", "letter.pdf", "-o", "out.pdf", "--force", "--key",
                    "\(service.uri)?credential=csc/\(key)",
                ] + options)
            try service.workspace.succeed("verify out.pdf --trust root.crt")
            try service.workspace.outsidersAccept("out.pdf")
        }
    }

    /// More files than the service signs at once.
    @Test func signsABatch() throws {
        guard let service = try Service(securityLevel: 2) else { return }
        let letter = try service.workspace.read("letter.pdf")
        let names = (1...12).map { "letter\($0).pdf" }
        for name in names { try service.workspace.write(letter, to: name) }
        let key = "\(service.uri)?credential=csc/p256"
        try service.workspace.succeed("sign \(names) -o out/ --key \(key)")
        try service.workspace.succeed(
            ["verify"] + (1...12).map { "out/letter\($0).signed.pdf" } + ["--trust", "root.crt"])
    }

    @Test func listsItsKeysAndNamesWhatCannotSign() throws {
        guard let service = try Service(securityLevel: 1) else { return }
        let listed = try service.workspace.succeed("key list \(service.uri)")
        for name in ["rsa", "p256", "p384"] {
            #expect(listed.output.contains("'\(service.uri)?credential=csc/\(name)'\n"))
        }
        #expect(listed.output.components(separatedBy: "cannot sign documents").count == 2)
        try service.workspace.signet(
            "sign letter.pdf -o out.pdf --key \(service.uri)?credential=csc/root"
        ).expect(.credentialRefused)
        #expect(!service.workspace.exists("out.pdf"))
    }
}
