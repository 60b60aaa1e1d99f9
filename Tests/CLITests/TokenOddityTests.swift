import Foundation
import SignetTestSupport
import Testing

/// Modules and tokens that are odd in ways that keep nobody from signing, or are told for what they are.
@Suite struct TokenOddityTests {
    /// A person enters the PIN on the reader; one that is given besides is not used.
    @Test(arguments: [nil, "other-pin"]) func aReaderLetsIn(pin: String?) throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.sign("p256", pin: pin, fault: "flags=0x100 padpin=1234").expect(.done)
        #expect(outcome.errors.contains("on its reader"))
        #expect(outcome.errors.contains("is not used") == (pin != nil))
        #expect(run.calls().filter { $0.hasPrefix("C_Login") } == ["C_Login(pad) 0x0"])
        run.expectLoggedOut()
    }

    /// A public key in a form that nobody reads is left out, with its key, and no other.
    @Test func anUnreadablePointHidesNoOtherKey() throws {
        guard let run = try TokenRun() else { return }
        try run.sign("p256", fault: "point").expect(.done)
        #expect(run.count("C_Login") == 1)
        // Its certificate tells the key as well.
        try run.sign("ed25519", "--force", fault: "point").expect(.done)
        let listed = try run.signet("key list \(run.token.uri(nil))", fault: "point").expect(.done)
        for name in ["p256", "rsa2048", "ed25519"] { #expect(listed.output.contains("CN=\(name)")) }
    }

    /// What a module leaves in OpenSSL's queue of errors becomes no message of ours.
    @Test func errorsThatAModuleLeavesAreNotOurs() throws {
        guard let run = try TokenRun() else { return }
        let signed = try run.sign("rsa2048", fault: "mess").expect(.done)
        #expect(!signed.errors.contains("mess"))
        let refused = try run.sign("rsa2048", "--force", fault: "mess flip")
        refused.expectRefusal(.credentialRefused, naming: "does not match the public key")
        #expect(!refused.errors.contains("mess"))
        let failed = try run.sign("rsa2048", "--force", fault: "mess C_Sign#1=0x30")
        failed.expectRefusal(.serviceUnavailable, naming: "CKR_DEVICE_ERROR")
        #expect(!failed.errors.contains("mess"))
    }

    /// A token that was taken out has refused no PIN, whatever its module says.
    @Test(arguments: [
        ("p256", "C_Login#1=0x5"), ("p256", "C_Login#1=0x6"), ("always", "C_Login#2=0x5"),
    ])
    func aTokenThatIsGoneRefusesNoPIN(key: String, fault: String) throws {
        guard let run = try TokenRun() else { return }
        try run.sign(key, fault: "gone \(fault)")
            .expectRefusal(.serviceUnavailable, naming: "was removed")
        try run.sign(key, fault: "gone C_Login#1=0xa0")
            .expectRefusal(.credentialRefused, naming: "is wrong")
    }

    /// A module for another kind of processor is named as that.
    @Test func aModuleOf32BitsIsToldToRunApart() throws {
        let workspace = try signingWorkspace()
        // An ELF header: 32 bits, least byte first, a shared object.
        var header = Data([0x7F, 0x45, 0x4C, 0x46, 1, 1, 1] + [UInt8](repeating: 0, count: 9))
        header.append(contentsOf: [3, 0, 3, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 28))
        header.append(contentsOf: [UInt8](repeating: 0, count: 4096))
        try workspace.write(header, to: "old.so")
        let outcome = try workspace.signet(
            "sign letter.pdf --key pkcs11:?module-path=\(workspace.url("old.so").path)")
        outcome.expectRefusal(.missingInput, naming: "old.so", "p11-kit server")
    }
}
