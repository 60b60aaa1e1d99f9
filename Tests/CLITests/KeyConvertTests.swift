import Foundation
import SignetTestSupport
import Testing

@Suite struct KeyConvertTests {
    @Test func hintsNameTheNewPassphrase() throws {
        let workspace = try signingWorkspace()
        try workspace.signet("key convert key.pem -o new.pem --new-passphrase-env NOPE")
            .expectRefusal(.credentialRefused, naming: "--new-passphrase-file FILE")
    }

    @Test(arguments: ["rsa:2048", "ec:P-256", "ec:P-521", "ed25519", "dsa:2048"])
    func goesThroughEveryFormat(type: String) throws {
        let workspace = try Workspace()
        try workspace.makeKey("k", type)
        try workspace.succeed("cert create --key k.pem --subject 'CN=Jan Novák' -o c.pem")
        let expected = try workspace.openssl("pkey -in k.pem -pubout")
        try workspace.succeed(
            "key convert k.pem -o k.p12 --to p12 --cert c.pem --new-passphrase-env PP",
            environment: ["PP": "straße"])
        #expect(try workspace.mode("k.p12") == 0o600)
        try workspace.openssl("pkcs12 -in k.p12 -passin pass:straße -nodes -out from-p12.pem")
        #expect(try workspace.openssl("pkey -in from-p12.pem -pubout") == expected)
        try workspace.succeed(
            "key convert k.p12 -o k.der --to der --no-passphrase --passphrase-env PP",
            environment: ["PP": "straße"])
        #expect(try workspace.openssl("pkey -in k.der -inform DER -pubout") == expected)
        try workspace.succeed(
            "key convert k.der -o again.pem --new-passphrase-env PP", environment: ["PP": "tree"])
        #expect(try workspace.openssl("pkey -in again.pem -passin pass:tree -pubout") == expected)
    }

    @Test func keepsTheCertificatesOfAPKCS12InPEM() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed(
            "key convert key.pem -o me.p12 --to p12 --cert valid.pem --no-passphrase")
        try workspace.succeed("key convert me.p12 -o me.pem --no-passphrase")
        try workspace.succeed("sign letter.pdf --key me.pem")
    }

    @Test func refusesWhatCannotBeConverted() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/other-key.pem")
        try workspace.copyVector("pki/encrypted-key.pem")
        try workspace.signet("key convert key.pem -o a.p12 --to p12 --no-passphrase")
            .expectRefusal(.usage, naming: "--cert")
        try workspace.signet(
            "key convert other-key.pem -o a.p12 --to p12 --no-passphrase --cert valid.pem"
        ).expectRefusal(.credentialRefused)
        try workspace.signet("key convert valid.pem -o a.pem --no-passphrase")
            .expectRefusal(.malformedInput, naming: "no private key")
        try workspace.signet(
            "key convert encrypted-key.pem -o a.pem --no-passphrase --passphrase-env PP",
            environment: ["PP": "wrong"]
        ).expectRefusal(.credentialRefused)
        try workspace.withoutTerminal(["key", "convert", "key.pem", "-o", "a.pem"])
            .expectRefusal(.credentialRefused, naming: "--new-passphrase-file")
        try workspace.signet("key convert key.pem -o key.pem --no-passphrase")
            .expectRefusal(.cannotCreateOutput)
        #expect(try workspace.names.allSatisfy { !$0.hasPrefix("a.") && !$0.hasPrefix(".signet") })
    }
}
