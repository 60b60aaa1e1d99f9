import Foundation
import SignetTestSupport
import Testing

/// A folder in which the program uses an OpenSSL of version 3.5 or newer, from a Python package.
private struct NewOpenSSL {
    let workspace: Workspace
    let libraries: String
    let python: String

    /// Nil with a message if the library is missing, or an error with CI=true.
    init?() throws {
        let packages = PythonEnvironment.path("../lib")
        let versions = try? FileManager.default.contentsOfDirectory(atPath: packages)
        libraries = "\(packages)/\(versions?.first ?? "python3")/site-packages/mysql/vendor"
        guard let python = try PythonEnvironment.find("python"),
            try ExternalTool.file("\(libraries)/libcrypto.so.3") != nil
        else { return nil }
        self.python = python
        workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.write("hello\n", to: "hello.txt")
    }

    var environment: [String: String] {
        workspace.environment.merging(["LD_LIBRARY_PATH": libraries]) { $1 }
    }

    @discardableResult func signet(
        _ arguments: ShellWords, _ code: Int32 = .done,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandOutcome {
        try workspace.signet(arguments, environment: environment)
            .expect(code, sourceLocation: sourceLocation)
    }

    /// A key and its certificate, `NAME.pem` and `NAME.crt`: of its own, or of the authority `ca`.
    func makeSigner(_ name: String, _ type: String, issuing options: ShellWords = []) throws {
        try signet("key generate --type \(type) -o \(name).pem --no-passphrase")
        try signet(
            "cert create --key \(name).pem --subject 'CN=\(name)' -o \(name).crt \(options)")
    }

    @discardableResult func make(_ arguments: ShellWords) throws -> CommandOutcome {
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/quantum_safe.py").path
        return try CommandRunner.run(
            python, [script] + arguments.words, folder: workspace.folder
        ).expect(.done)
    }

    func judge(_ request: String) throws -> JSON {
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/pyhanko_judge.py").path
        let outcome = try CommandRunner.run(
            python, [script], input: Data("\(request)\n".utf8), folder: workspace.folder)
        return try #require(try outcome.jsonLines().first, "\(outcome.errors)")
    }

    /// Changes a byte in the middle of a file, so that PEM stays PEM.
    func damage(_ name: String, at place: Int? = nil) throws -> String {
        var bytes = try workspace.bytes(name)
        var place = place ?? bytes.count / 2
        if bytes[place] == UInt8(ascii: "\n") { place += 1 }
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        try workspace.write(Data(bytes), to: "damaged-\(name)")
        return "damaged-\(name)"
    }
}

@Suite("ML-DSA and SLH-DSA, with OpenSSL 3.5 or newer")
struct QuantumSafeTests {
    @Test(arguments: ["ml-dsa-44", "ml-dsa-65", "ml-dsa-87"])
    func signsAndVerifiesEverywhere(_ type: String) throws {
        guard let run = try NewOpenSSL() else { return }
        try run.makeSigner("ca", type, issuing: "--ca")
        try run.signet("key generate --type \(type) -o me.pem --no-passphrase")
        try run.signet("csr create --key me.pem --subject CN=Me -o me.csr")
        try run.signet("csr verify me.csr")
        try run.signet("csr verify \(run.damage("me.csr"))", .invalid)
        try run.signet(
            "cert create --csr me.csr --issuer-cert ca.crt --issuer-key ca.pem -o me.crt")
        try run.signet("cms sign hello.txt --key me.pem --cert me.crt -o hello.p7s")
        let message = try run.signet("verify hello.p7s --content hello.txt --trust ca.crt --json")
        let signature = try #require(try message.json(VerifyReport.self).signatures.first)
        #expect(signature.algorithm == type && signature.digest == "sha512")
        try run.workspace.write("other\n", to: "other.txt")
        try run.signet("verify hello.p7s --content other.txt --trust ca.crt", .invalid)
        try run.signet("hash sign hello.txt --key me.pem -o hello.sig")
        try run.signet("hash verify hello.txt --signature hello.sig --cert me.crt")
        try run.signet("hash verify other.txt --signature hello.sig --cert me.crt", .invalid)

        let signed = try run.signet("sign letter.pdf --key me.pem --cert me.crt -o out.pdf")
        #expect((signed.output + signed.errors).contains("experimental"))
        try run.signet("verify out.pdf --trust ca.crt")
        try run.signet("verify \(run.damage("out.pdf", at: 200)) --trust ca.crt", .invalid)
        let judged = try run.judge("{\"file\": \"out.pdf\", \"password\": null}")
        #expect(judged.signatures[0].intact == true && judged.signatures[0].valid == true)
    }

    @Test func stampsTime() throws {
        guard let run = try NewOpenSSL() else { return }
        try run.makeSigner("ca", "ml-dsa-87", issuing: "--ca")
        try run.makeSigner(
            "tsa", "ml-dsa-65", issuing: "--profile tsa --issuer-cert ca.crt --issuer-key ca.pem")
        try run.signet("tsp request hello.txt -o hello.tsq")
        try run.signet("tsp respond hello.tsq --key tsa.pem --cert tsa.crt -o hello.tsr")
        try run.signet("tsp verify hello.tsr --content hello.txt --trust ca.crt")
        let response = try run.workspace.bytes("hello.tsr")
        let status = try #require(response.firstRange(of: [0x30, 0x03, 0x02, 0x01, 0x00]))
        try run.workspace.write(Data(response[status.upperBound...]), to: "hello.tst")
        let judged = try run.judge(
            "{\"token\": \"hello.tst\", \"content\": \"hello.txt\", \"trust\": \"ca.crt\"}")
        #expect(judged.intact == true && judged.valid == true && judged.trusted == true)
    }

    @Test func readsRevocationLists() throws {
        guard let run = try NewOpenSSL() else { return }
        try run.makeSigner("ca", "ml-dsa-65", issuing: "--ca")
        try run.makeSigner("me", "ec:P-256", issuing: "--issuer-cert ca.crt --issuer-key ca.pem")
        try run.signet("cms sign hello.txt --key me.pem --cert me.crt -o hello.p7s")
        let serial = try run.signet("show me.crt --json").json().serial.text
        try run.make("revocation ca.pem ca.crt \(serial)")
        let options: ShellWords = "--content hello.txt --trust ca.crt --crl"
        let revoked = try run.signet("verify hello.p7s \(options) list.crl --json", .indeterminate)
        #expect(
            try revoked.json(VerifyReport.self).signatures.first?.subindication == "REVOKED_NO_POE")
        let damaged = try run.damage("list.crl", at: run.workspace.bytes("list.crl").count - 1)
        let other = try run.signet("verify hello.p7s \(options) \(damaged) --json", .indeterminate)
        #expect(
            try other.json(VerifyReport.self).signatures.first?.subindication != "REVOKED_NO_POE")
    }

    @Test(arguments: ["SLH-DSA-SHA2-128f", "SLH-DSA-SHAKE-192f", "ML-DSA-65"])
    func verifiesWhatOpenSSLSigned(_ algorithm: String) throws {
        guard let run = try NewOpenSSL() else { return }
        try run.make("message \(run.libraries)/libcrypto.so.3 \(algorithm) hello.txt")
        try run.signet("verify made.p7s --content hello.txt --trust made.crt")
        let last = try run.workspace.bytes("made.p7s").count - 1
        let damaged = try run.damage("made.p7s", at: last)
        try run.signet("verify \(damaged) --content hello.txt --trust made.crt", .invalid)
    }

    /// RFC 9881 §6: a seed, the expanded key, or both, which must agree.
    @Test func readsAllFormsOfKeys() throws {
        guard let run = try NewOpenSSL() else { return }
        try run.makeSigner("me", "ml-dsa-44")
        try run.signet("key convert me.pem --to der --no-passphrase -o me.der")
        let seed = try run.workspace.bytes("me.der")
        #expect(seed.count == 54, "the seed alone, as RFC 9881 recommends")
        try run.make("expanded \(run.libraries)/libcrypto.so.3 me.der")
        for form in ["expanded.der", "both.der"] {
            try run.signet("cms sign hello.txt --key \(form) --cert me.crt -o \(form).p7s")
            try run.signet("verify \(form).p7s --content hello.txt --trust me.crt")
        }
        try run.signet("show \(run.damage("both.der", at: 40))", .malformedInput)
    }

    @Test func isNamedWhereItIsMissing() throws {
        guard let run = try NewOpenSSL() else { return }
        try run.makeSigner("me", "ml-dsa-65")
        try run.signet("cms sign hello.txt --key me.pem --cert me.crt -o hello.p7s")
        let made = try run.workspace.signet(
            "key generate --type ml-dsa-44 -o k.pem --no-passphrase")
        // The system's own OpenSSL may be new enough one day.
        if made.exitCode == .done { return }
        #expect(made.errors.contains("requires OpenSSL 3.5 or newer; installed is 3."))
        #expect(!run.workspace.exists("k.pem"))
        for arguments: ShellWords in ["show me.crt", "show me.pem"] {
            let shown = try run.workspace.signet(arguments)
            #expect(shown.errors.contains("requires OpenSSL 3.5 or newer"))
        }
        let judged = try run.workspace.signet("verify hello.p7s --content hello.txt --trust me.crt")
        judged.expect(.indeterminate)
        #expect(judged.output.contains("ML-DSA-65 requires OpenSSL 3.5 or newer"))
        #expect(!judged.output.contains("weak"))
    }
}
