import Foundation
import SignetTestSupport
import Testing

/// What is put in the place of a pinned signer's message, made with openssl: all refused.
@Suite struct PinnedSignerCommandTests {
    /// `me.pem` and `me.crt`, and Mallory's certificate of the same name and number.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("100 pieces\n", to: "order.txt")
        for name in ["me", "mallory"] {
            try workspace.makeKey(name, "rsa:2048")
            try workspace.openssl(
                """
                req -x509 -key \(name).pem -out \(name).crt -subj '/CN=Jan Novak' -set_serial 7 \
                -days 30
                """)
        }
        return workspace
    }

    /// Both commands say why, and let no content out. What else may be there: PinnedSignerTests.
    @Test(arguments: [
        ("mallory", [], "signer-not-pinned"),
        ("mallory", ["-certfile", "me.crt"], "signature-invalid"),
        ("mallory", ["-nocerts"], "signature-invalid"),
        ("me", ["-noattr"], "signed-attributes-missing"),
    ])
    func refusesWhatTheSignerDidNotSign(signer: String, options: [String], problem: String) throws {
        let workspace = try workspace()
        try workspace.openssl(
            """
            cms -sign -in order.txt -binary -nodetach -outform DER -signer \(signer).crt \
            -inkey \(signer).pem -out m.p7m \(options)
            """)
        for command in [["cms", "verify", "-o", "out"], ["verify"]] {
            let outcome = try workspace.signet("\(command) m.p7m --signer me.crt --json")
            outcome.expect(.invalid)
            let report = try outcome.json(VerifyReport.self)
            #expect(report.verdict == "failed" && report.codes.contains(problem), "\(report)")
        }
        #expect(!workspace.exists("out"))
    }

    @Test func refusesAMessageWithoutSigners() throws {
        let workspace = try workspace()
        try workspace.openssl("crl2pkcs7 -nocrl -certfile me.crt -outform DER -out m.p7m")
        for command in [["cms", "verify", "-o", "out"], ["verify"]] {
            for content in [[], ["--content", "order.txt"]] {
                try workspace.signet("\(command) m.p7m --signer me.crt \(content)")
                    .expect(.nothingToVerify)
            }
        }
        #expect(!workspace.exists("out"))
    }
}
