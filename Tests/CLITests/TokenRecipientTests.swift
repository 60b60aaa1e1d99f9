import Foundation
import SignetTestSupport
import Testing

/// What a token is asked for documents that are encrypted for the holder of a key on it, how often, and
/// in which order.
@Suite struct TokenRecipientTests {
    typealias Recipient = TokenDecryptTests.Recipient

    /// Others' envelopes and parts of kinds that are unknown here are passed over.
    @Test func othersOfUnknownKindsKeepNobodyOut() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        let files = (Recipient.besides + ["key-second-ecdh"]).map { "\($0).pdf" }
        try run.signet(
            "show \(files) --decrypt-key \(run.token.uri(nil)) --decrypt-passphrase-file pin"
        ).expect(.done)
        #expect(run.count("C_Login") == 1 && run.count("C_Decrypt") == files.count - 1)
    }

    /// The document names the certificate of its time: the older or the newer of two of one key.
    @Test func renewedCertificatesOpenWhatTheOthersDo() throws {
        guard let recipient = try Recipient() else { return }
        let (run, folder) = (recipient.run, recipient.folder)
        for (name, files) in [
            ("first", ["key-aes256", "key-renewed"]), ("curve", ["key-ecdh", "key-renewed-ecdh"]),
        ] {
            // One alone is on the token.
            try recipient.show(files[1], key: name)
                .expectRefusal(.credentialRefused, naming: "CN=\(name)")
            #expect(run.count("C_Login") == 0)
            let both = ["\(folder)/\(name).crt", "\(folder)/\(name)-renewed.crt"]
            for (order, suffix) in [(both, "old"), (both.reversed(), "new")] {
                let text = try order.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
                try run.workspace.write(Data(text.joined()), to: "\(suffix).crt")
                for file in files {
                    try recipient.show(file, key: name, "--decrypt-cert", "\(suffix).crt")
                        .expect(.done)
                }
            }
            try recipient.write("\(name)-renewed", id: name == "first" ? "40" : "41")
            for file in files { try recipient.show(file, key: name).expect(.done) }
        }
    }

    /// What nobody opens asks for no PIN; and a refused PIN is told also where everybody may read the
    /// document.
    @Test func aTryOfThePINIsSpentForNothingAndNotUnnoticed() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        try recipient.show("key-crowd-1001", key: "first")
            .expectRefusal(.malformedInput, naming: "1001 recipients")
        #expect(run.count("C_Login") == 0)
        try recipient.show("key-crowd-1000", key: "first").expect(.done)
        #expect(run.count("C_Decrypt") == 1)
        try recipient.show("key-attached", key: "curve").expect(.done)
        #expect(run.count("C_Login") == 0)
        try recipient.show("key-attached", key: "first").expect(.done)
        #expect(run.count("C_Login") == 1)
        try recipient.show("key-attached", key: "first", pin: "other-pin")
            .expectRefusal(.credentialRefused, naming: "is wrong")
        #expect(run.count("C_Login") == 1)
    }

    /// Whether what came out had a padding does not show in what the token is asked afterwards.
    @Test func theSameCallsFollowWhateverComesOut() throws {
        guard let recipient = try Recipient(["first"]) else { return }
        let calls = try ["key-noise", "key-short"].map { name in
            try recipient.show(name, fault: "talk")
                .expectRefusal(.credentialRefused, naming: "CN=first")
            return recipient.run.calls().map { $0.hasPrefix("C_Decrypt ") ? "C_Decrypt" : $0 }
        }
        #expect(calls[0] == calls[1] && calls[0].contains("C_Decrypt"), "\(calls)")
    }

    /// A token that has one session only opens batches: keys are looked for, used and used for signing
    /// one after the other.
    @Test func oneSessionIsEnoughForABatch() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        let files = ["key-aes256", "key-ecdh", "key-oaep", "key-two", "key-mac"].map { "\($0).pdf" }
        try run.signet(
            ["sign", "--jobs", "4", "--key", run.token.uri("p256")] + files + ["letter.pdf"]
                + ["--decrypt-key", run.token.uri(nil), "--decrypt-passphrase-file", "pin"],
            fault: "single slow"
        ).expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
    }

    /// Of two keys on one token either opens the document: the one is taken that it names first.
    @Test func theDocumentSaysWhichOfTwoKeysOpensIt() throws {
        guard let recipient = try Recipient(["first", "second"]) else { return }
        try recipient.show("key-two").expect(.done)
        #expect(recipient.run.count("C_Login") == 1 && recipient.run.count("C_Decrypt") == 1)
        try recipient.show("key-two", key: "second").expect(.done)
        try recipient.show("key-two", "--decrypt-cert", "\(recipient.folder)/second.crt")
            .expect(.done)
    }

    /// Nobody confirms again and again what a document's author makes up.
    @Test func oneConfirmationIsWorthADocument() throws {
        for isConfirmed in [true, false] {
            guard let recipient = try Recipient(["first"], isConfirmed: isConfirmed) else { return }
            try recipient.show("key-noise").expectRefusal(.credentialRefused, naming: "CN=first")
            #expect(recipient.run.count("C_Login(context)") == (isConfirmed ? 1 : 0))
            #expect(recipient.run.count("C_Decrypt") == (isConfirmed ? 1 : 3))
        }
    }

    @Test func moreThanATokenIsAskedIsTold() throws {
        guard let recipient = try Recipient(["first"]) else { return }
        try recipient.show("key-noise-crowd")
            .expectRefusal(.malformedInput, naming: "more than 4 times", "no more are tried")
        #expect(recipient.run.count("C_Decrypt") == 4)
    }

    /// What a module answers to a PIN, that it failed say, may have cost a try; not where it sent none.
    @Test(arguments: ["0x30", "0x54", "0x80000001", "0xa0", "0x91"])
    func aConfirmationThatFailsIsTheLast(code: String) throws {
        guard let recipient = try Recipient(["first", "holder"], isConfirmed: true) else { return }
        let uri = recipient.run.token.uri(nil)
        try recipient.run.signet(
            ["verify", "key-aes256.pdf", "key-holder.pdf"]
                + ["--decrypt-key", uri, "--decrypt-passphrase-file", "pin"],
            fault: "C_Login#2=\(code) C_Login#3=\(code)"
        ).expect(code == "0xa0" ? ExitCode.credentialRefused : ExitCode.serviceUnavailable)
        #expect(recipient.run.count("C_Login(context)") == (code == "0x91" ? 2 : 1))
    }

    /// Some cards want each decryption confirmed and do not say so beforehand.
    @Test func aCardMayWantAConfirmationUnannounced() throws {
        guard let recipient = try Recipient(["first"]) else { return }
        try recipient.show("key-aes256", fault: "unsaid C_Login#2=0x0").expect(.done)
        #expect(recipient.run.count("C_Login(context)") == 1)
    }
}
