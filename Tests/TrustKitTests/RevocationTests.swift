import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TrustKit

/// Revocation lists and OCSP responses as openssl makes them.
@Suite("Revocation")
struct RevocationTests {
    /// An authority's folder with the tools to speak about its certificates.
    private final class Authority {
        let folder: TemporaryFolder
        let openssl: String
        let root: TestPKI.Identity
        let signer: TestPKI.Identity

        init?(namesSource: Bool = true) throws {
            guard let openssl = try ExternalTool.find("openssl") else { return nil }
            self.openssl = openssl
            folder = try TemporaryFolder()
            root = try TestPKI.root()
            signer = try TestPKI.issue(by: root)
            try write("ca.pem", root)
            try write("signer.pem", signer)
            try write("stranger.pem", try TestPKI.selfSigned("CN=Stranger"))
            try folder.write("ca.cnf", Array("[ca]\ndefault_ca=x\n[x]\ndatabase=index.txt\n".utf8))
            try index(revoked: nil)
        }

        func write(_ name: String, _ identity: TestPKI.Identity) throws {
            let key = try identity.key.pkcs8PEM(passphrase: nil).copyOut()
            try folder.write(name, identity.certificate.pem + key)
        }

        /// The authority's book: `V`alid or `R`evoked since a time and for a reason.
        func index(revoked: String?, reason: String? = nil) throws {
            let status = revoked == nil ? "V" : "R"
            let time = revoked.map { $0 + (reason.map { ",\($0)" } ?? "") } ?? ""
            let serial = signer.certificate.serialHex.uppercased()
            let line = "\(status)\t280101000000Z\t\(time)\t\(serial)\tunknown\t/CN=x\n"
            try folder.write("index.txt", Array(line.utf8))
        }

        @discardableResult func run(_ arguments: String...) throws -> ExternalTool.Result {
            let names = ["ca.pem", "signer.pem", "stranger.pem", "index.txt", "ca.cnf"]
            return try ExternalTool.run(
                openssl,
                arguments.map { names.contains($0) || $0.hasSuffix(".der") ? folder.file($0) : $0 })
        }

        func list(by issuer: String = "ca.pem") throws -> RevocationList {
            let config = "[ca]\ndefault_ca=x\n[x]\ndatabase=\(folder.file("index.txt"))\n"
            try folder.write("ca.cnf", Array(config.utf8))
            let done = try run(
                "ca", "-config", "ca.cnf", "-gencrl", "-keyfile", issuer, "-cert", issuer, "-md",
                "sha256", "-crl_lastupdate", "20260501000000Z", "-crl_nextupdate",
                "20260701000000Z", "-out", "list.der")
            try #require(done.status == 0, "\(done.errors)")
            return try #require(RevocationList(folder.read("list.der")))
        }

        func response(by responder: String = "ca.pem") throws -> OCSPResponse {
            let asked = try run(
                "ocsp", "-issuer", "ca.pem", "-cert", "signer.pem", "-no_nonce", "-reqout",
                "request.der")
            try #require(asked.status == 0, "\(asked.errors)")
            let done = try run(
                "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", responder, "-rkey",
                responder, "-reqin", "request.der", "-respout", "response.der", "-ndays", "3650")
            try #require(done.status == 0, "\(done.errors)")
            return try #require(OCSPResponse(folder.read("response.der")))
        }

        func verdict(
            lists: [RevocationList] = [], responses: [OCSPResponse] = [],
            at time: CalendarTime = TestPKI.now
        ) throws -> PathVerdict {
            // openssl answers as of today.
            var validator = PathValidator(
                anchors: .certificates([root.certificate]), now: TestPKI.time(2100, 1, 1))
            validator.evidence = RevocationEvidence(lists: lists, responses: responses)
            return try validator.validate(leaf: signer.certificate, candidates: [], at: time)
        }
    }

    @Test func aListSpeaksAboutItsIssuersCertificates() throws {
        guard let authority = try Authority() else { return }
        #expect(try authority.verdict(lists: [authority.list()]).isTrusted)
        try authority.index(revoked: "260415000000Z", reason: "keyCompromise")
        let list = try authority.list()
        let revoked = try authority.verdict(lists: [list])
        #expect(revoked.outcome == .indeterminate(.revokedNoPOE) && !revoked.isTrusted)
        #expect(revoked.message?.contains("2026-04-15 00:00:00 UTC (keyCompromise)") == true)
        // What was done before stays good.
        #expect(try authority.verdict(lists: [list], at: TestPKI.time(2026, 4, 14)).isTrusted)
    }

    @Test func aListOfAnotherAuthoritySaysNothing() throws {
        guard let authority = try Authority() else { return }
        try authority.index(revoked: "260515000000Z")
        // The same name with another key.
        try authority.write("stranger.pem", try TestPKI.root())
        let forged = try authority.list(by: "stranger.pem")
        let found = try authority.verdict(lists: [forged])
        #expect(found.outcome == .indeterminate(.tryLater))
    }

    @Test func aResponseSpeaksForTheIssuer() throws {
        guard let authority = try Authority() else { return }
        #expect(try authority.verdict(responses: [authority.response()]).outcome == .passed)
        try authority.index(revoked: "260515000000Z", reason: "superseded")
        let revoked = try authority.verdict(responses: [authority.response()])
        #expect(revoked.outcome == .indeterminate(.revokedNoPOE))
        #expect(revoked.message?.contains("superseded") == true)
    }

    @Test func aBrokenResponseSaysNothing() throws {
        guard let authority = try Authority() else { return }
        var bytes = try authority.response().der
        for index in [60, 100] where bytes.indices.contains(index) {
            bytes[index] ^= 1
            if let response = OCSPResponse(bytes) {
                #expect(!response.isSigned(by: authority.root.certificate))
            }
            bytes[index] ^= 1
        }
        #expect(OCSPResponse([1, 2, 3]) == nil && RevocationList([0x30, 0]) == nil)
    }
}
