import Foundation
import SignetTestSupport
import Testing

/// `tsp request`, `respond`, `verify`, `show`, and `verify` of timestamps.
struct TSPTests {
    @Test(arguments: ["ec:P-256", "rsa:3072"])
    func openSSLAcceptsOurStamps(_ keyType: String) throws {
        let workspace = try timestampWorkspace(keyType: keyType)
        for (index, options) in [
            [], ["--digest", "sha512"], ["--no-nonce"], ["--tsa-policy", "1.2.3.4.1"],
            ["--digest", "sha3-256"],
        ].enumerated() {
            let name = "r\(index)"
            try workspace.succeed("tsp request hello.txt -o \(name).tsq \(options)")
            try workspace.respond(name).expect(.done)
            try workspace.openssl(
                "ts -verify -in \(name).tsr -queryfile \(name).tsq -CAfile ca.crt")
            try workspace.openssl("ts -verify -in \(name).tsr -data hello.txt -CAfile ca.crt")
            try workspace.openssl("ts -reply -in \(name).tsr -token_out -out \(name).tst")
            try workspace.openssl(
                "ts -verify -in \(name).tst -token_in -data hello.txt -CAfile ca.crt")
            for reply in ["\(name).tsr", "\(name).tst"] {
                try workspace.tsp(
                    "verify \(reply) --request \(name).tsq --content hello.txt --trust ca.crt"
                ).expect(.done, "\(reply) \(options)")
            }
        }
    }

    @Test(arguments: ["ec:P-384", "rsa:3072", "ed25519"])
    func pyHankoAcceptsOurStamps(_ keyType: String) throws {
        guard let python = try ExternalTool.file(PythonEnvironment.path("python")) else { return }
        let workspace = try timestampWorkspace(keyType: keyType)
        try workspace.write("other", to: "other.txt")
        try workspace.stampHello()
        // PKIStatusInfo { granted } stands before the token.
        let response = try workspace.bytes("hello.tsr")
        let status = try #require(response.firstRange(of: [0x30, 0x03, 0x02, 0x01, 0x00]))
        try workspace.write(Data(response[status.upperBound...]), to: "hello.tst")
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/pyhanko_judge.py").path
        let lines = ["hello.txt", "other.txt"].map {
            "{\"token\": \"hello.tst\", \"content\": \"\($0)\", \"trust\": \"ca.crt\"}\n"
        }
        let outcome = try CommandRunner.run(
            python, [script], input: Data(lines.joined().utf8), folder: workspace.folder)
        let answers = try outcome.jsonLines()
        try #require(answers.count == 2, "\(outcome.errors)")
        #expect(answers[0].intact == true && answers[0].valid == true, "\(answers)")
        #expect(answers[0].trusted == true && answers[1].intact == false)
    }

    @Test func openSSLsStampsPassHere() throws {
        let workspace = try timestampWorkspace()
        for (index, lines) in [
            "accuracy = secs:1, millisecs:500, microsecs:100\nordering = yes\ntsa_name = yes",
            "ess_cert_id_alg = sha1", "ess_cert_id_alg = sha512\ness_cert_id_chain = yes",
            "clock_precision_digits = 6",
        ].enumerated() {
            let configuration = """
                [tsa]
                default_tsa = t
                [t]
                serial = serial
                signer_cert = tsa.crt
                signer_key = tsa.pem
                signer_digest = sha256
                default_policy = 1.2.3.4.1
                other_policies = 1.2.3.4.5
                digests = sha256, sha512
                \(lines)

                """
            try workspace.write(configuration, to: "tsa.cnf")
            try workspace.tsp([
                "request", "hello.txt", "-o", "hello.tsq", "--tsa-policy", "1.2.3.4.5", "--digest",
                index == 0 ? "sha512" : "sha256", "--force",
            ]).expect(.done)
            try workspace.openssl("ts -reply -config tsa.cnf -queryfile hello.tsq -out o.tsr")
            try workspace.tsp("verify o.tsr --request hello.tsq --content hello.txt --trust ca.crt")
                .expect(.done, "\(lines)")
        }
    }

    @Test func verifyFindsTheStampedFileByDroppingTheSuffix() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        try workspace.copy("hello.tsr", to: "hello.txt.tsr")
        let outcome = try workspace.succeed("verify hello.txt.tsr --trust ca.crt --json")
        let report = try outcome.json(VerifyReport.self)
        #expect(report.schema == "signet.verify/1" && report.verdict == "passed")
        let signature = try #require(report.signatures.first)
        #expect(signature.kind == "timestamp" && signature.intact && signature.trusted)
        #expect(signature.timestamp?.tsa == "tsa" && signature.timestamp?.trusted == true)
        #expect(try workspace.signet("verify hello.txt.tsr").exitCode == .indeterminate)
        try workspace.signet("verify hello.tsr --trust ca.crt")
            .expectRefusal(.missingInput, naming: "--content")
        try workspace.succeed("verify hello.tsr --content hello.txt --signer tsa.crt")
    }

    @Test func eachWrongQuestionIsNamed() throws {
        let workspace = try timestampWorkspace()
        try workspace.write("other", to: "other.txt")
        try workspace.stampHello()
        let hash = String(repeating: "ab", count: 32)
        for (index, options) in [
            ["hello.txt"], ["other.txt"], ["hello.txt", "--tsa-policy", "1.2.3"],
            ["hello.txt", "--digest", "sha512"],
        ].enumerated() { try workspace.succeed("tsp request \(options) -o q\(index).tsq") }
        let questions: [([String], String, String)] = [
            (["--content", "other.txt"], "imprint-mismatch", "HASH_FAILURE"),
            (["--hash", hash], "imprint-mismatch", "HASH_FAILURE"),
            (["--request", "q0.tsq"], "nonce-mismatch", "FORMAT_FAILURE"),
            (["--request", "q1.tsq"], "imprint-mismatch", "HASH_FAILURE"),
            (["--request", "q2.tsq"], "policy-mismatch", "FORMAT_FAILURE"),
            (["--request", "q3.tsq"], "imprint-algorithm-mismatch", "HASH_FAILURE"),
        ]
        for (options, code, subindication) in questions {
            let outcome = try workspace.signet(
                "tsp verify hello.tsr --trust ca.crt --json \(options)")
            outcome.expect(.invalid, "\(options)")
            let report = try outcome.json(VerifyReport.self)
            #expect(report.codes.contains(code), "\(options): \(report.codes)")
            #expect(
                report.signatures.first?.subindication == subindication
                    || code == "policy-mismatch", "\(options)")
        }
        // A hash has a type: others are as long.
        try workspace.tsp("verify hello.tsr --hash sha3-256:\(hash) --trust ca.crt")
            .expectRefusal(.usage)
        try workspace.tsp("verify hello.tsr --hash abcd --trust ca.crt").expectRefusal(.usage)
        try workspace.tsp("verify hello.txt --content other.txt").expectRefusal(.malformedInput)
    }

    /// The reason for each request that cannot be granted: TimestampAuthorityTests.
    @Test func refusalsNameTheirReason() throws {
        let workspace = try timestampWorkspace()
        try workspace.write("hello", to: "garbage.tsq")
        try workspace.tsp("request hello.txt --tsa-policy 1.2.9 -o p.tsq").expect(.done)
        for (name, failure) in [("garbage", "badDataFormat"), ("p", "unacceptedPolicy")] {
            try workspace.respond(name).expect(.done)
            let shown = try workspace.signet("show \(name).tsr --json").json()
            #expect(shown.status == "rejection" && shown.token == .null)
            #expect(shown.failures.map(\.text) == [failure])
            let verified = try workspace.tsp(
                "verify \(name).tsr --content hello.txt --trust ca.crt --json")
            verified.expect(.invalid)
            #expect(try verified.json(VerifyReport.self).codes == ["timestamp-not-granted"])
        }
        try workspace.respond("p", "--accept-policy 1.2.9 --force").expect(.done)
        #expect(try workspace.signet("show p.tsr --json").json().token.policy == "1.2.9")
    }

    @Test func theAuthorityDoesAsConfigured() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello("--no-cert --no-nonce")
        let bare = try workspace.signet("tsp show hello.tsr --json").json()
        #expect(bare.schema == "signet.timestamp-reply/1" && bare.kind == "response")
        #expect(bare.token.certificates == [] && bare.token.nonce == .null)
        #expect(bare.token.accuracy == "1 s")
        // Without a certificate nobody can say whose it is.
        let verified = try workspace.tsp(
            "verify hello.tsr --content hello.txt --trust ca.crt --json")
        verified.expect(.indeterminate)
        #expect(
            try verified.json(VerifyReport.self).signatures.first?.subindication
                == "NO_SIGNING_CERTIFICATE_FOUND")
        try workspace.tsp("verify hello.tsr --content hello.txt --trust ca.crt --chain tsa.crt")
            .expect(.done)
        try workspace.respond(
            "hello", "--force --accuracy 10ms --policy 1.3.6.1.4.1.99999.7 --serial-file numbers"
        ).expect(.done)
        let fine = try workspace.signet("show hello.tsr --json").json()
        #expect(fine.token.accuracy == "0.01 s" && fine.token.policy == "1.3.6.1.4.1.99999.7")
        try workspace.write("no number", to: "numbers")
        try workspace.respond("hello", "--force --serial-file numbers")
            .expectRefusal(.malformedInput, naming: "numbers")
    }

    /// RFC 3161 §2.3: for time-stamping alone, and critical.
    @Test func refusesCertificatesThatAreNotForStamping() throws {
        let workspace = try timestampWorkspace()
        try workspace.certify("signer", profile: "signer", key: "tsa.pem")
        try workspace.tsp("request hello.txt -o hello.tsq").expect(.done)
        try workspace.signet(
            "tsp respond hello.tsq --key tsa.pem --cert signer.crt -o hello.tsr --serial-file n"
        ).expectRefusal(.credentialRefused, naming: "timeStamping")
        #expect(!workspace.exists("hello.tsr"))
    }

    @Test func requestsAreExplained() throws {
        let workspace = try timestampWorkspace()
        try workspace.tsp(
            "request --hash \(String(repeating: "0f", count: 48)) --tsa-policy 1.2.3.4 -o h.tsq"
        ).expect(.done)
        let shown = try workspace.succeed("show h.tsq")
        for word in ["sha384", "0f0f", "1.2.3.4", "requested"] {
            #expect(shown.output.contains(word))
        }
        try workspace.tsp("request --hash 0f0f -o x.tsq").expectRefusal(.usage)
        try workspace.tsp("request hello.txt --tsa-policy x -o x.tsq").expectRefusal(.usage)
        try workspace.tsp("request hello.txt -o h.tsq").expectRefusal(.cannotCreateOutput)
        try workspace.tsp("request absent -o x.tsq").expectRefusal(.missingInput)
        #expect(!workspace.exists("x.tsq"))
    }

    @Test func readsTokensInPEMAndBase64() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        let response = try workspace.read("hello.tsr")
        try workspace.write(Data(response.base64EncodedString().utf8), to: "base64.tsr")
        // PKIStatusInfo { granted } stands before the token.
        let token = response[9...]
        #expect(response[4...].starts(with: [0x30, 0x03, 0x02, 0x01, 0x00]))
        try workspace.write(
            Data(
                "-----BEGIN CMS-----\n\(token.base64EncodedString(options: .lineLength64Characters))\n-----END CMS-----\n"
                    .utf8), to: "pem.tst")
        for name in ["base64.tsr", "pem.tst"] {
            try workspace.signet("verify \(name) --content hello.txt --trust ca.crt")
                .expect(.done, "\(name)")
            try workspace.signet("show \(name)").expect(.done, "\(name)")
        }
    }
}
