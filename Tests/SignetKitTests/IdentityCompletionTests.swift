import SignetKit
import SignetTestSupport
import Testing

/// Anybody can make a certificate over a key that somebody requested one for.
@Suite("Certificates that come for pending keys")
struct IdentityCompletionTests {
    private let folder: TemporaryFolder
    private let store: IdentityStore
    private static let day = Duration.seconds(86_400)
    private static let year = day * 365
    /// 2015, when the authority's certificate begins.
    private static let begin = Moment(secondsSinceEpoch: 1_420_070_400)

    init() throws {
        folder = try TemporaryFolder()
        store = try IdentityStore(root: folder.file("data/signet"))
        _ = try GenerateKey(type: "ec:P-256").run(
            into: Destination(path: folder.file("ca-key.pem")), passphrase: nil)
        var authority = CreateCertificate(profile: .ca)
        authority.subject = "CN=CA"
        authority.notBefore = Self.begin
        authority.validity = Self.day * 36_500
        _ = try authority.run(
            certifying: .key(file: folder.file("ca-key.pem"), passphrase: .environment("UNSET")),
            into: Destination(path: folder.file("ca.pem")))
        var request = CreateRequest()
        request.subject = "CN=Anna,C=CZ"
        _ = try store.request(
            "anna", key: .new(type: "ec:P-256", passphrase: nil), request: request,
            into: Destination(path: folder.file("anna.csr")))
    }

    private func issue(
        _ profile: CertificateProfile = .signer, to name: String,
        _ change: (inout CreateCertificate) -> Void = { _ in }
    ) throws -> String {
        var task = CreateCertificate(profile: profile)
        task.issuer = CreateCertificate.Issuer(
            certificateFile: folder.file("ca.pem"), keyFile: folder.file("ca-key.pem"),
            passphrase: .environment("UNSET"))
        change(&task)
        _ = try task.run(
            certifying: .request(file: folder.file("anna.csr")),
            into: Destination(path: folder.file(name)))
        return folder.file(name)
    }

    enum Defect: CaseIterable {
        case otherSubject, subjectWithMore, notYetValid, authority
        case expired, wrongExtendedUsage

        /// Such a certificate cannot sign, whatever its owner says.
        var isFinal: Bool { self == .expired || self == .wrongExtendedUsage }
    }

    private func defective(_ defect: Defect) throws -> String {
        switch defect {
        case .otherSubject: try issue(to: "bad.crt") { $0.subject = "CN=Boris,C=CZ" }
        case .subjectWithMore: try issue(to: "bad.crt") { $0.subject = "CN=Anna,O=Bank,C=CZ" }
        case .notYetValid:
            try issue(to: "bad.crt") { $0.notBefore = Self.begin.adding(Self.year * 40) }
        case .authority: try issue(.ca, to: "bad.crt") { $0.subject = "CN=Anna,C=CZ" }
        case .expired:
            try issue(to: "bad.crt") {
                $0.notBefore = Self.begin.adding(Self.year)
                $0.validity = Self.day * 30
            }
        case .wrongExtendedUsage: try issue(.tsa, to: "bad.crt")
        }
    }

    @Test("are compared with the request, which stays", arguments: Defect.allCases)
    func refuses(defect: Defect) throws {
        let bad = try defective(defect)
        #expect(throws: SignetError(.credentialRefused, "")) { try store.complete(bad) }
        #expect(try store.pending().map(\.name) == ["anna"])
        #expect(try store.list().isEmpty)
        // An authority's certificate has no usage for documents.
        if defect.isFinal || defect == .authority {
            #expect(throws: SignetError(.credentialRefused, "")) {
                try store.complete(bad, acceptsDifferences: true)
            }
        } else {
            let taken = try store.complete(bad, acceptsDifferences: true)
            #expect(taken.name == "anna" && taken.issuer == "CN=CA")
        }
        // The true one comes later, and is taken in either case.
        let good = try store.complete(try issue(to: "good.crt"), replaces: true)
        #expect(good.subject == "CN=Anna,C=CZ")
        #expect(try store.list().map(\.name) == ["anna"])
    }

    @Test("replace another only when that is said, and keep the key")
    func replaces() throws {
        _ = try store.complete(try issue(to: "first.crt"))
        let key = folder.content("data/signet/identities/anna/key.pem")
        let second = try issue(to: "second.crt") { $0.validity = Self.day * 900 }
        #expect(throws: SignetError(.outputRefused, "")) { try store.complete(second) }
        let before = try store.show("anna")
        #expect(throws: SignetError(.credentialRefused, "")) {
            try store.complete(
                try issue(to: "other.crt") { $0.subject = "CN=Boris" }, replaces: true)
        }
        #expect(try store.show("anna").notAfter == before.notAfter)
        let after = try store.complete(second, replaces: true)
        #expect(after.notAfter != before.notAfter)
        #expect(folder.content("data/signet/identities/anna/key.pem") == key)
        // The same once more changes nothing.
        #expect(try store.complete(second).notAfter == after.notAfter)
    }
}
