import Foundation
import SignetTestSupport
import Testing

/// What stands in the environment or in a folder's file names must not steer a signature.
@Suite struct EnvironmentTests {
    /// OpenSSL configurations that would stop every TLS connection, or load another's module.
    @Test(arguments: [
        "openssl_conf = x\n[x]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n",
        "openssl_conf = x\n[x]\nproviders = p\n[p]\nmodule = m\n[m]\nmodule = ./evil.so\n"
            + "activate = 1\n",
        "openssl_conf = x\n[x]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
            + "CipherString = NULL\nMaxProtocol = TLSv1\n",
    ])
    func libcurlReadsNoConfigurationOfOpenSSL(configuration: String) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.write(configuration, to: "o.cnf")
        try workspace.succeed(
            """
            timestamp letter.pdf --tsa \(stamping.server.url("ok", "https")) --tsa-trust \
            \(stamping.server.file("tls-ca.pem"))
            """,
            environment: [
                "OPENSSL_CONF": workspace.url("o.cnf").path,
                "SSLKEYLOGFILE": workspace.url("keys.log").path,
            ])
        #expect(!workspace.exists("keys.log"))
    }

    @Test func oldBundlesNeedNoModulesFromElsewhere() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.copyVector("pki/valid.pem")
        try workspace.openssl(
            "pkcs12 -export -legacy -inkey key.pem -in valid.pem -passout pass:x -out old.p12")
        try workspace.succeed(
            "hash sign valid.pem --key old.p12 --passphrase-env PP -o s",
            environment: ["PP": "x", "OPENSSL_MODULES": workspace.folder.path])
    }

    @Test(arguments: ["--reason=I owe 1000.pdf", "--in-place", "-q", "--at=1:top.pdf"])
    func filesNamedLikeOptionsAreRefused(name: String) throws {
        let workspace = try signingWorkspace()
        try workspace.write(try workspace.read("letter.pdf"), to: name)
        let before = try workspace.names
        let key = ["--key", "key.pem", "--cert", "valid.pem"]
        try workspace.signet("sign \(key) letter.pdf \(name)")
            .expectRefusal(.usage, naming: name, "./")
        try workspace.signet("sign \(name) \(key) letter.pdf").expectRefusal(.usage, naming: name)
        #expect(try workspace.names == before)
        try workspace.succeed("sign \(key) ./\(name)")
        try workspace.succeed("sign --force \(key) -- \(name)")
    }

    /// `--reason *.pdf`: the first file would become the reason.
    @Test(arguments: ["--reason", "--name", "--location", "--contact"])
    func filesAreNoWordsByMistake(option: String) throws {
        let workspace = try signingWorkspace()
        try workspace.write(try workspace.read("letter.pdf"), to: "other.pdf")
        let key = ["--key", "key.pem", "--cert", "valid.pem"]
        try workspace.signet("sign \(key) \(option) letter.pdf other.pdf")
            .expectRefusal(.usage, naming: "letter.pdf", "\(option)=")
        try workspace.succeed("sign \(key) \(option)=letter.pdf other.pdf")
        try workspace.succeed("sign --force \(key) \(option) 'J. Novak' other.pdf")
    }

    @Test func aRelativeHomeIsNone() throws {
        let workspace = try Workspace()
        try workspace.signet(
            "identity list", environment: ["HOME": "here", "XDG_DATA_HOME": "there"]
        ).expectRefusal(.usage, naming: "HOME")
    }

    /// As the XDG Base Directory Specification has it.
    @Test(arguments: ["data", "./data", "~/data"])
    func relativeDataFoldersAreIgnored(folder: String) throws {
        let workspace = try Workspace()
        try workspace.succeed(
            "identity request me --subject CN=Me --type ec:P-256 --no-passphrase -o me.csr",
            environment: ["XDG_DATA_HOME": folder, "HOME": workspace.url("home").path])
        #expect(try workspace.names == ["home", "me.csr"])
    }
}
