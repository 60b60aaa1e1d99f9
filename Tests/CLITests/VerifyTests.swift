import Foundation
import SignetTestSupport
import Testing

@Suite struct VerifyTests {
    @Test func passesWithTheRightAnchor() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.succeed("verify letter.signed.pdf --trust valid.pem --json")
        #expect(outcome.output.hasSuffix("}\n"))
        let report = try outcome.json(VerifyReport.self)
        #expect(report.schema == "signet.verify/1")
        #expect(report.file.hasSuffix("letter.signed.pdf"))
        #expect(report.verdict == "passed")
        let signature = try #require(report.signatures.first)
        #expect(report.signatures.count == 1)
        #expect(signature.field == "Signature1")
        #expect(signature.kind == "signature" && signature.verdict == "passed")
        #expect(signature.coverage == "whole-file")
        #expect(signature.intact && signature.trusted)
        #expect(signature.changes == "none")
        #expect(signature.level == "B-B")
        #expect(signature.subfilter == "ETSI.CAdES.detached")
        #expect(signature.digest == "sha256" && signature.algorithm == "ecdsa")
        #expect(signature.signer?.subject.contains("CN=Valid Signer") == true)
        #expect(signature.problems.isEmpty)
    }

    @Test func isIndeterminateWithoutTrust() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.copyVector("pki/server-only.pem")
        let outcome = try workspace.signet(
            "verify letter.signed.pdf --trust server-only.pem --json")
        outcome.expect(.indeterminate)
        let signature = try #require(outcome.json(VerifyReport.self).signatures.first)
        #expect(signature.verdict == "indeterminate")
        #expect(signature.intact && !signature.trusted)
        #expect(signature.subindication == "NO_CERTIFICATE_CHAIN_FOUND")
        #expect(signature.problems.contains { $0.code == "certificate-not-trusted" })
    }

    @Test func trustsTheSystemStoreByDefault() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.succeed(
            "verify letter.signed.pdf",
            environment: ["SSL_CERT_FILE": workspace.url("valid.pem").path])
    }

    @Test func saysThatThereIsNothingToVerify() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.signet("verify letter.pdf --json").expect(.nothingToVerify)
        let report = try outcome.json(VerifyReport.self)
        #expect(report.verdict == "unsigned" && report.signatures.isEmpty)
    }

    @Test func failsWhenTheTextWasChanged() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        var signed = try workspace.read("letter.signed.pdf")
        let amount = try #require(signed.range(of: Data("1,184.00".utf8)))
        signed[amount.lowerBound] = UInt8(ascii: "9")
        try workspace.write(signed, to: "changed.pdf")
        let outcome = try workspace.signet("verify changed.pdf --trust valid.pem --json")
        outcome.expect(.invalid)
        let signature = try #require(outcome.json(VerifyReport.self).signatures.first)
        #expect(signature.verdict == "failed" && !signature.intact)
        #expect(signature.subindication == "HASH_FAILURE")
        #expect(signature.problems.contains { $0.code == "digest-mismatch" })
    }

    @Test func doesNotPassATruncatedFile() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let signed = try workspace.read("letter.signed.pdf")
        for kept in [signed.count - 1, signed.count - 10, signed.count / 2, 100, 1] {
            try workspace.write(signed.prefix(kept), to: "cut.pdf")
            let outcome = try workspace.signet("verify cut.pdf --trust valid.pem")
            #expect(
                [3, 4, 5, 65].contains(outcome.exitCode) && !outcome.wasKilled,
                "\(kept) bytes: exit \(outcome.exitCode) \(outcome.errors)")
        }
    }

    @Test func pinsTheSigner() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/server-only.pem")
        try workspace.signLetter()
        try workspace.succeed("verify letter.signed.pdf --trust valid.pem --signer valid.pem")
        // The same key in another certificate is another signer.
        let outcome = try workspace.signet(
            "verify letter.signed.pdf --trust valid.pem --signer server-only.pem")
        outcome.expect(.invalid)
        #expect(
            outcome.output.contains(
                "  Problem       the signature is by '"))
        #expect(outcome.output.components(separatedBy: "(SHA-256 ").count == 3)
        #expect(outcome.output.contains("Fix           ask the signer which certificate is right"))
        #expect(!outcome.output.contains("…"))
        // Signatures by others are not beyond doubt.
        try workspace.makeKey("other")
        try workspace.succeed("cert create --key other.pem --subject CN=Other -o other.crt")
        try workspace.succeed("sign letter.signed.pdf --key other.pem --cert other.crt -o two.pdf")
        let pin = ["verify", "two.pdf", "--trust", "valid.pem", "--trust", "other.crt", "--signer"]
        try workspace.signet("\(pin) valid.pem").expect(.invalid)
        try workspace.succeed("\(pin) valid.pem --field Signature1")
        try workspace.signet("\(pin) valid.pem --field Signature2").expect(.invalid)
        try workspace.signet("\(pin) server-only.pem").expect(.invalid)
    }

    /// Neither a fingerprint to compare nor revocation data could confirm the signature.
    @Test func offersNoTrustAfterTheExpiry() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.signet("verify letter.signed.pdf --at-time 2121-01-01")
        outcome.expect(.indeterminate)
        #expect(outcome.output.contains("so adding trust or revocation data is not enough: ask"))
        #expect(!outcome.output.contains("SHA-256 fingerprint"))
    }

    @Test func printsOneJSONDocumentALine() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.signet(
            "verify letter.pdf missing.pdf letter.signed.pdf --trust valid.pem --json")
        outcome.expect(.missingInput)
        let schemas = try outcome.jsonLines().map(\.schema)
        #expect(schemas == ["signet.verify/1", "signet.error/1", "signet.verify/1"])
    }
}

@Suite struct ShowTests {
    @Test(arguments: ["letter.pdf", "key.pem", "valid.pem"])
    func explainsInWords(name: String) throws {
        let workspace = try signingWorkspace()
        let text = try workspace.succeed("show \(name)")
        #expect(!text.output.isEmpty && text.errors.isEmpty)
    }

    @Test func neverPrintsThePrivateKey() throws {
        let workspace = try signingWorkspace()
        let privateHex = try workspace.openssl("pkey -in key.pem -noout -text").split(
            separator: "\n"
        ).drop { $0 != "priv:" }.dropFirst().prefix { $0.hasPrefix(" ") }
            .joined().filter(\.isHexDigit)
        #expect(privateHex.count >= 62)
        for options in [[], ["--json"], ["--verbose"]] {
            let outcome = try workspace.succeed("show key.pem \(options)")
            let digits = outcome.output.lowercased().filter(\.isHexDigit)
            #expect(!digits.contains(privateHex.suffix(40)))
        }
    }

    @Test func showsRevisionsAndSignatures() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.succeed("show letter.signed.pdf")
        #expect(outcome.output.contains("Signature1"))
        #expect(outcome.output.contains("2"))
    }

    @Test func refusesWhatItDoesNotKnow() throws {
        let workspace = try Workspace()
        try workspace.write(Data(repeating: 0x55, count: 300), to: "x.bin")
        try workspace.signet("show x.bin").expectRefusal(.malformedInput, naming: "x.bin")
        try workspace.signet("show y.bin").expectRefusal(.missingInput, naming: "y.bin")
    }
}
