import Foundation
import SignetKit
import SignetTestSupport
import Testing

/// What the guide for programs shows, compiled and run.
@Suite("The guide to the library")
struct LibraryGuideTests {
    /// Compiled only: the files are not here.
    enum Server {
        static func main() async throws {
            let credential = try SigningCredential(
                keyFile: "me.p12", passphrase: .environment("PASS"))
            let task = SignDocument(credential: credential, options: SigningOptions())
            let signed = try await task.run(
                .file("contract.pdf"), into: Destination(path: "contract.signed.pdf"))
            print("\(signed.output ?? ""): signed by \(signed.signer), \(signed.level.rawValue)")
        }
    }

    struct Vault: AsyncSigner {
        let certificates: [[UInt8]]
        let ask: @Sendable ([SigningInput], SigningAlgorithm) async throws -> [[UInt8]]
        func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) async throws -> [UInt8] {
            try await ask([input], algorithm)[0]
        }
        func sign(
            _ inputs: [SigningInput], with algorithm: SigningAlgorithm
        ) async throws -> [[UInt8]] { try await ask(inputs, algorithm) }
    }

    private var options: SigningOptions {
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        return options
    }

    @Test("its examples work")
    func examples() async throws {
        let owner = try Signer()
        let (signer, root) = (owner.credential, owner.credential.certificates[0])
        let (contract, time) = (SamplePDF().bytes, Signer.signingTime)
        let keyPEM = try owner.folder.read("key.pem")
        let certificatePEM = try owner.folder.read("cert.pem")
        let vault = Vault(certificates: signer.certificates) { try signer.sign($0, with: $1) }
        let certificateOnly = try SigningCredential(certificateFile: owner.certificateFile)
        let (first, second) = (OutputBytes(), OutputBytes())

        let credential = try SigningCredential(key: keyPEM, certificates: [certificatePEM])
        let signed = OutputBytes()
        let task = SignDocument(credential: credential, options: options)
        let document = try await task.run(
            .bytes(contract, name: "contract"), into: Destination(signed))

        var trusted = VerificationOptions(time: time)
        trusted.trustedCertificates = [root]
        let verified = try await VerifyDocument(trusted).run(.bytes(signed.bytes))
        for signature in verified.signatures {
            print(signature.verdict, signature.signer?.displayName ?? "unknown signer")
        }
        let problems = verified.problems + verified.signatures.flatMap(\.problems)
        #expect(problems.allSatisfy { $0.verdict == nil })
        #expect(document.file == "contract" && verified.verdict == .passed)

        let inVault = try await SigningCredential(signer: vault, name: "vault")
        let results = await SignDocument(credential: inVault, options: options).run([
            (.bytes(contract, name: "first"), Destination(first)),
            (.bytes(contract, name: "second"), Destination(second)),
        ])
        #expect(try results.map { try $0.get().file } == ["first", "second"])

        let prepared = OutputBytes()
        let preparation = SignDocument(credential: certificateOnly, options: options)
        _ = try await preparation.prepareRemotely(.bytes(contract), into: Destination(prepared))

        let completion = EmbedSignature()
        let pending = try completion.pending(in: .bytes(prepared.bytes))
        let value = try signer.sign(pending.input, with: pending.algorithm)
        let finished = OutputBytes()
        _ = try await completion.run(
            .bytes(prepared.bytes), signature: .bytes(value), into: Destination(finished))
        for output in [second, finished] {
            let verified = try await VerifyDocument(trusted).run(.bytes(output.bytes))
            #expect(verified.verdict == .passed)
        }
        #expect(pending.certificate == root)
        #expect(throws: SignetError(.malformedInput, "")) {
            try completion.pending(in: .bytes(finished.bytes))
        }
    }

    @Test("a visible signature is at the bottom right of the last page")
    func visible() async throws {
        let owner = try Signer()
        var options = SigningOptions()
        options.reason = "Approved"
        var stamp = StampOptions()
        stamp.page = -1
        stamp.position = .place(.bottomRight)
        options.stamp = stamp
        let signed = OutputBytes()
        let document = try await SignDocument(credential: owner.credential, options: options).run(
            .bytes(SamplePDF().bytes), into: Destination(signed))
        #expect(document.visible == true)
    }

    /// Compiled only: there is no TSA here.
    private func longTerm(
        _ credential: SigningCredential, _ authorities: TimestampAuthorities, _ root: [UInt8]
    ) async throws {
        var evidence = LongTermOptions()
        evidence.verification.trustedCertificates = [root]
        var lasting = SignDocument(
            credential: credential, options: options, timestamps: authorities)
        lasting.longTerm = try LongTermValidation(evidence, timestamps: authorities)
        lasting.longTermLevel = .lta
        let task = lasting
        do {
            _ = try await task.run(.file("contract.pdf"), into: Destination(path: "signed.pdf"))
        } catch let error as SignetError {
            print(error.code.rawValue, error.file ?? "", error.message)
        }
    }

    /// Compiled only: there is no TSA here.
    private func timestamp(
        _ row: [UInt8], at server: String, trusting trusted: VerificationOptions
    ) async throws -> VerifiedDocument {
        let authorities = try TimestampAuthorities(TimestampOptions(servers: [server]))
        let token = OutputBytes()
        _ = try await TimestampFile(authorities).run(
            .bytes(row, name: "row"), into: Destination(token))
        let stamped = try await VerifyTimestamp(trusted).run(
            .bytes(token.bytes), content: .bytes(row))
        return stamped
    }

    @Test("the examples for servers work")
    func servers() async throws {
        let owner = try Signer()
        let (certificateFile, keyFile) = (owner.certificateFile, owner.folder.file("key.pem"))
        let input = try owner.folder.write("in.pdf", SamplePDF().bytes)
        let output = owner.folder.file("out.pdf")

        let opened = try await SignetThreads.run {
            try SigningCredential(
                keyFile: keyFile, certificateFile: certificateFile, passphrase: .environment("PASS")
            )
        }
        let task = SignDocument(credential: opened, options: options)
        let running = RunningTask {
            try await task.run(.file(input), into: Destination(path: output))
        }
        for await step in running.progress {
            if case .read(let count, let total) = step { print("\(count) of \(total) bytes") }
        }
        let result = try await running.value
        #expect(result.output == output)
    }

    @Test("it shows what is compiled here")
    func sameText() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guides = root.appending(path: "Sources/SignetKit/SignetKit.docc/Guides")
        let guide = try ["Library.md", "Servers.md"].map {
            try String(contentsOf: guides.appending(path: $0), encoding: .utf8)
        }.joined()
        let source = try String(contentsOf: here, encoding: .utf8)
        let compiled = Set(source.split(separator: "\n").map { $0.drop { $0 == " " } })
        let blocks = guide.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("swift\n") }.map(\.element)
        #expect(blocks.count == 12)
        for line in blocks.flatMap({ $0.split(separator: "\n").dropFirst() }) where line != "@main"
        {
            let shown = line.drop { $0 == " " }
            #expect(compiled.contains(shown), "\(line)")
        }
    }
}
