import Foundation
import SignetTestSupport
import Testing

/// `signet remote` for keys that hash the message, and for services that return a whole CMS.
@Suite struct ServiceMessageTests {
    private static let prepare = ["remote", "prepare", "letter.pdf", "-o", "p.pdf"]

    /// The bytes that a signature of a prepared document covers.
    private func signedBytes(_ workspace: Workspace) throws -> Data {
        let file = try workspace.read("p.pdf")
        let text = String(decoding: file, as: UTF8.self)
        let match = try #require(text.matches(of: /ByteRange ?\[(\d+) (\d+) (\d+) (\d+)/).last)
        let numbers = [match.output.1, match.output.2, match.output.3, match.output.4]
            .compactMap { Int($0) }
        return file[numbers[0]..<(numbers[0] + numbers[1])]
            + file[numbers[2]..<(numbers[2] + numbers[3])]
    }

    @Test func keysThatHashGetTheMessage() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed(
            "\(Self.prepare) --cert valid.pem --to-sign-message m --to-sign h --hash-encoding hex --json"
        )
        let prepared = try outcome.json()
        #expect(prepared.input == "hash" && prepared.toSignMessage == "m")
        #expect(try workspace.text("h") == prepared["hash"].text + "\n")
        let digest = try workspace.succeed("hash digest m")
        #expect(digest.output.hasPrefix(prepared["hash"].text))
        try workspace.succeed("hash sign m --key key.pem -o s")
        try workspace.succeed("remote embed p.pdf --signature s -o out.pdf")
        try workspace.succeed("verify out.pdf --trust valid.pem")
        try workspace.signet("\(Self.prepare) --cert valid.pem --force")
            .expectRefusal(.usage, naming: "--to-sign FILE or --to-sign-message FILE")
    }

    /// With an output on standard output, nothing else is there.
    @Test func standardOutputHoldsOnlyTheHash() throws {
        let workspace = try signingWorkspace()
        let hash = try workspace.succeed(
            "\(Self.prepare) --cert valid.pem --to-sign - --hash-encoding base64")
        #expect(hash.output.count == 45 && hash.errors.contains("p.pdf: prepared"))
        let document = try workspace.succeed(
            "remote prepare letter.pdf --cert valid.pem -o - --to-sign h --json")
        #expect(document.outputBytes.suffix(6) == Data("%%EOF\n".utf8))
        try workspace.signet("remote prepare letter.pdf --cert valid.pem -o - --to-sign -")
            .expectRefusal(.usage, naming: "Only one output".lowercased())
    }

    @Test func aServiceReturnsAWholeMessage() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed("\(Self.prepare) --to-sign h --json")
        #expect(try outcome.json().input == "document")
        try workspace.write(try signedBytes(workspace), to: "signed")
        let digest = try workspace.succeed("hash digest signed")
        #expect(try digest.output.hasPrefix(outcome.json()["hash"].text))
        try workspace.succeed("cms sign signed --key key.pem --cert valid.pem -o m.p7s")
        try workspace.succeed("cms sign letter.pdf --key key.pem --cert valid.pem -o other.p7s")

        try workspace.signet("remote embed p.pdf --cms other.p7s -o out.pdf")
            .expectRefusal(.credentialRefused, naming: "another hash")
        try workspace.succeed("cms sign h --key key.pem --cert valid.pem -o twice.p7s")
        try workspace.signet("remote embed p.pdf --cms twice.p7s -o out.pdf")
            .expectRefusal(.credentialRefused, naming: "the hash of the hash", "message digest")
        for (digest, options, words) in [
            ("sha512", [], "again with --digest sha512"), ("sha256", ["-cades"], ""),
            ("sha256", [], "add -cades"),
        ] {
            try workspace.openssl(
                "cms -sign -binary -in signed -signer valid.pem -inkey key.pem -md \(digest) -outform DER -out o.p7s \(options)"
            )
            let outcome = try workspace.signet("remote embed p.pdf --cms o.p7s -o o.pdf --force")
            outcome.expect(words.isEmpty ? .done : .credentialRefused)
            #expect(outcome.errors.contains(words) || words.isEmpty, "\(outcome.errors)")
        }
        try workspace.signet("\(Self.prepare) --to-sign h2 --level T --force")
            .expectRefusal(.usage, naming: "the service adds the timestamp")
        try workspace.succeed("hash sign h --input hash --key key.pem -o s")
        try workspace.signet("remote embed p.pdf --cms s -o out.pdf")
            .expectRefusal(.malformedInput, naming: "use --signature")
        try workspace.signet("remote embed p.pdf --signature s -o out.pdf")
            .expectRefusal(.usage, naming: "prepared without a certificate", "--cms")
        try workspace.signet("remote embed p.pdf -o out.pdf")
            .expectRefusal(.usage, naming: "--signature FILE and --cms FILE")
        #expect(!workspace.exists("out.pdf"))
        let embedded = try workspace.succeed("remote embed p.pdf --cms m.p7s -o out.pdf")
        #expect(embedded.output.contains("(PAdES B-B)"))
        try workspace.succeed("verify out.pdf --trust valid.pem")

        var changed = try workspace.read("p.pdf")
        changed[changed.startIndex + 20] ^= 1
        try workspace.write(changed, to: "p.pdf")
        try workspace.signet("remote embed p.pdf --cms m.p7s -o no.pdf").expect(.malformedInput)
    }

    /// The forms in which OpenSSL and services write by default, and what to change.
    @Test func otherFormsOfTheMessageAreReadOrExplained() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("\(Self.prepare) --to-sign h")
        try workspace.write(try signedBytes(workspace), to: "signed")
        let sign = "cms -sign -cades -binary -in signed -signer valid.pem -inkey key.pem".split(
            separator: " "
        ).map(String.init)
        try workspace.openssl("\(sign) -out mail")
        try workspace.openssl("\(sign) -outform DER -nodetach -out attached")
        try workspace.openssl("\(sign) -outform DER -nocerts -out bare")
        try workspace.openssl("\(sign) -outform DER -out whole")
        for name in ["mail", "attached", "bare"] {
            let outcome = try workspace.signet("remote embed p.pdf --cms \(name) -o out.pdf")
            #expect(outcome.errors.contains("add -outform DER, and leave out -nodetach"), "\(name)")
        }
        let digits = try workspace.read("whole").map { String(format: "%02x", $0) }.joined()
        try workspace.write(digits + "\n", to: "whole.hex")
        try workspace.succeed("remote embed p.pdf --cms whole.hex -o out.pdf")

        try workspace.succeed(
            "\(Self.prepare) --cert valid.pem --to-sign h --hash-encoding hex --force")
        try workspace.signet("remote embed p.pdf --signature whole -o no.pdf").expectRefusal(
            .malformedInput, naming: "whole: the file is a CMS signature", "again without --cert")
        try workspace.openssl("dgst -sha256 -sign key.pem -out s h")
        try workspace.signet("remote embed p.pdf --signature s -o no.pdf").expectRefusal(
            .credentialRefused, naming: "the hash as text", "xxd -r -p")
    }

    /// A PDF prepared with a certificate has little space, and one for level B-T gets a timestamp.
    @Test func aMessageNeedsTheRightPreparation() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("\(Self.prepare) --cert valid.pem --to-sign h")
        try workspace.write(try signedBytes(workspace), to: "signed")
        try workspace.succeed("cert create --key key.pem --subject CN=Root --ca -o ca.crt")
        try workspace.openssl(
            "cms -sign -binary -cades -in signed -signer valid.pem -certfile ca.crt -inkey key.pem -outform DER -out m.p7s"
        )
        try workspace.signet("remote embed p.pdf --cms m.p7s -o out.pdf")
            .expectRefusal(.malformedInput, naming: "are reserved", "again without --cert")
        try workspace.succeed("\(Self.prepare) --cert valid.pem --to-sign h --level T --force")
        try workspace.write(try signedBytes(workspace), to: "signed")
        try workspace.succeed("cms sign signed --key key.pem --cert valid.pem -o m.p7s --force")
        try workspace.signet("remote embed p.pdf --cms m.p7s -o out.pdf")
            .expectRefusal(.usage, naming: "level B-T", "no timestamp", "without --level T")
        #expect(!workspace.exists("out.pdf"))
    }

    /// The answer of a service may be JSON, or a JSON string.
    @Test func answersInJSONAreExplained() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("\(Self.prepare) --cert valid.pem --to-sign h")
        try workspace.succeed(
            "hash sign h --input hash --key key.pem --encoding base64 -o s.b64")
        let value = try workspace.text("s.b64").filter { !$0.isWhitespace }
        try workspace.write("\"\(value)\"\n", to: "s.txt")
        try workspace.write("{ \"signature\": \"\(value)\" }", to: "s.json")
        for option in ["--signature", "--cms"] {
            try workspace.signet("remote embed p.pdf \(option) s.json -o out.pdf").expectRefusal(
                .malformedInput, naming: "s.json: the file is a JSON file", "only the value")
        }
        try workspace.succeed("remote embed p.pdf --signature s.txt -o out.pdf")

        try workspace.succeed("\(Self.prepare) --to-sign h --force")
        let pending = try workspace.signet("verify p.pdf").expect(.invalid)
        #expect(!pending.output.contains("without a certificate"), "\(pending.output)")
        try workspace.write(try signedBytes(workspace), to: "signed")
        try workspace.succeed("cms sign signed --key key.pem --cert valid.pem -o m.p7s")
        let message = try workspace.read("m.p7s").base64EncodedString()
        try workspace.write("\"\(message)\"\n", to: "m.txt")
        try workspace.succeed("remote embed p.pdf --cms m.txt -o signed.pdf")
    }

    /// The signature appearance needs the name of the signer.
    @Test func theNameIsAskedFor() throws {
        let workspace = try signingWorkspace()
        let visible = Self.prepare + ["--to-sign", "h", "--at", "1:top"]
        try workspace.signet(visible).expectRefusal(.usage, naming: "add --name")
        try workspace.succeed("\(visible) --name Somebody")
        try workspace.write(try signedBytes(workspace), to: "signed")
        try workspace.succeed("cms sign signed --key key.pem --cert valid.pem -o m.p7s")
        let embedded = try workspace.succeed("remote embed p.pdf --cms m.p7s -o out.pdf")
        #expect(embedded.errors.contains("prepared for 'Somebody', but the certificate is of"))
    }
}
