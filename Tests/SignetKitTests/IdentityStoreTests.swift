import Foundation
import SignetKit
import SignetTestSupport
import Testing

@Suite("Identities")
struct IdentityStoreTests {
    private let folder: TemporaryFolder
    private let store: IdentityStore

    init() throws {
        folder = try TemporaryFolder()
        store = try IdentityStore(root: folder.file("data/signet"))
    }

    private func request(_ name: String) throws -> String {
        var request = CreateRequest()
        request.subject = "CN=\(name)"
        let file = folder.file("\(name).csr")
        _ = try store.request(
            name, key: .new(type: "ec:P-256", passphrase: nil), request: request,
            into: Destination(path: file))
        return file
    }

    private func issue(_ request: String) throws -> String {
        let authority = folder.file("ca.pem")
        if folder.content("ca.pem") == nil {
            _ = try GenerateKey(type: "ec:P-256").run(
                into: Destination(path: folder.file("ca-key.pem")), passphrase: nil)
            var task = CreateCertificate(profile: .ca)
            task.subject = "CN=CA"
            _ = try task.run(
                certifying: .key(
                    file: folder.file("ca-key.pem"), passphrase: .environment("UNSET")),
                into: Destination(path: authority))
        }
        var task = CreateCertificate(profile: .signer)
        task.issuer = CreateCertificate.Issuer(
            certificateFile: authority, keyFile: folder.file("ca-key.pem"),
            passphrase: .environment("UNSET"))
        let certificate = request + ".crt"
        _ = try task.run(certifying: .request(file: request), into: Destination(path: certificate))
        return certificate
    }

    @Test("certificates find their pending keys among many, in any order")
    func pending() throws {
        let names = ["anna", "boris", "cyril"]
        let requests = try names.map(request)
        #expect(try store.pending().map(\.name).sorted() == names)
        #expect(try store.list().isEmpty)
        for request in requests.reversed() {
            let identity = try store.complete(try issue(request))
            #expect(identity.state == "ready")
        }
        #expect(try store.pending().isEmpty)
        #expect(try store.list().map(\.name) == names)
        let credential = try store.credential("boris") { _ in .environment("UNSET") }
        let input = try folder.write("in.pdf", SamplePDF().bytes)
        let signed = try SignDocument(credential: credential, options: SigningOptions()).run(
            .file(input), into: Destination(path: folder.file("out.pdf")))
        #expect(signed.signer == "boris")
    }

    @Test("a certificate for no pending key is refused")
    func stranger() throws {
        _ = try request("anna")
        let stranger = try Signer()
        #expect(throws: SignetError(.malformedInput, "")) {
            try store.complete(stranger.certificateFile)
        }
        #expect(stranger.folder.content("cert.pem") != nil)
        #expect(try store.pending().count == 1)
    }

    @Test("only the owner reads it, and nothing half-made is left")
    func modes() throws {
        let signer = try Signer()
        _ = try store.importCredential(
            "work", keyFile: signer.folder.file("key.pem"),
            certificateFile: signer.certificateFile, chainFiles: [],
            passphrase: .environment("UNSET"))
        for path in ["data/signet", "data/signet/identities", "data/signet/identities/work"] {
            #expect(try folder.permissions(path) == 0o700)
        }
        #expect(try folder.permissions("data/signet/identities/work/key.pem") == 0o600)
        #expect(throws: SignetError(.outputRefused, "")) {
            try store.importCredential(
                "work", keyFile: signer.folder.file("key.pem"),
                certificateFile: signer.certificateFile, chainFiles: [],
                passphrase: .environment("UNSET"))
        }
        try store.remove("work")
        #expect(try store.list().isEmpty)
    }

    @Test(
        "names that are no folder names are refused",
        arguments: ["", ".hidden", "a/b", "..", "a\n"])
    func names(name: String) {
        #expect(throws: SignetError(.usage, "")) { try store.show(name) }
    }

    @Test("of several at once exactly one gets the name")
    func concurrency() async throws {
        let signer = try Signer()
        let (store, certificate) = (store, signer.certificateFile)
        let key = signer.folder.file("key.pem")
        let winners = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? store.importCredential(
                        "one", keyFile: key, certificateFile: certificate, chainFiles: [],
                        passphrase: .environment("UNSET"))) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try store.list().map(\.name) == ["one"])
    }

    @Test("without a name the only identity signs, of several none")
    func onlyOne() throws {
        let signer = try Signer()
        for name in ["one", "two"] {
            _ = try store.importCredential(
                name, keyFile: signer.folder.file("key.pem"),
                certificateFile: signer.certificateFile, chainFiles: [],
                passphrase: .environment("UNSET"))
            if name == "one" { _ = try store.credential(nil) { _ in .environment("UNSET") } }
        }
        #expect(throws: SignetError(.usage, "")) {
            try store.credential(nil) { _ in .environment("UNSET") }
        }
    }

    @Test("what interrupted programs left is removed")
    func leftovers() throws {
        _ = try request("anna")
        let manager = FileManager.default
        for name in ["work/old-1", "work/new-2"] {
            let path = folder.file("data/signet/" + name)
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/key.pem"))
        }
        #expect(try store.pending().map(\.name) == ["anna"])
        #expect(
            try manager.contentsOfDirectory(atPath: folder.file("data/signet/work")).isEmpty)
    }

    @Test("a request that was not written is written by the next command")
    func promise() throws {
        let file = try request("anna")
        let content = folder.content("anna.csr")
        let identifier = try #require(try store.pending().first).keyIdentifier
        try folder.remove("anna.csr")
        try folder.write("data/signet/work/request-" + identifier, Array(file.utf8))
        #expect(try store.pending().count == 1)
        #expect(folder.content("anna.csr") == content)
        #expect(folder.content("data/signet/work/request-" + identifier) == nil)
    }

    @Test("a store that was open to others is closed")
    func openStore() throws {
        _ = try request("anna")
        for name in ["data/signet", "data/signet/pending"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.file(name))
        }
        let identifier = try #require(try store.pending().first).keyIdentifier
        #expect(try folder.permissions("data/signet") == 0o700)
        #expect(try folder.permissions("data/signet/pending") == 0o700)
        for name in ["key.pem", "request.pem", "name"] {
            #expect(try folder.permissions("data/signet/pending/\(identifier)/\(name)") == 0o600)
        }
    }
}
