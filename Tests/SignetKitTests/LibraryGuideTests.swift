import Foundation
import SignetKit
import SignetTestSupport
import Testing

/// What the guide for programs shows, compiled and run.
@Suite("The guide to the library")
struct LibraryGuideTests {
    struct Vault: SignetKit.Signer {
        let certificates: [[UInt8]]
        let ask: @Sendable (SigningInput, SigningAlgorithm) throws -> [UInt8]
        func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8] {
            try ask(input, algorithm)
        }
    }

    @Test("its examples work")
    func examples() throws {
        let owner = try Signer()
        let (signer, root) = (owner.credential, owner.certificateFile)
        let (contract, time) = (SamplePDF().bytes, Signer.signingTime)
        var options = SigningOptions()
        options.claimedTime = time
        let vault = Vault(certificates: signer.certificates) { try signer.sign($0, with: $1) }
        let credential = try SigningCredential(signer: vault, name: "vault")
        let certificateOnly = try SigningCredential(certificateFile: root)

        let signed = OutputBytes()
        let task = SignDocument(credential: credential, options: options)
        let document = try task.run(.bytes(contract, name: "contract"), into: Destination(signed))
        let trusted = VerificationOptions(trust: [root], time: time)
        let verified = try VerifyDocument(trusted).run(.bytes(signed.bytes))
        #expect(document.file == "contract" && verified.verdict == .passed)

        let prepared = OutputBytes()
        let preparation = SignDocument(credential: certificateOnly, options: options)
        _ = try preparation.prepareRemotely(.bytes(contract), into: Destination(prepared))

        let completion = EmbedSignature()
        let pending = try completion.pending(in: .bytes(prepared.bytes))
        let value = try signer.sign(pending.input, with: pending.algorithm)
        let finished = OutputBytes()
        _ = try completion.run(
            .bytes(prepared.bytes), signature: .bytes(value), into: Destination(finished))
        #expect(try VerifyDocument(trusted).run(.bytes(finished.bytes)).verdict == .passed)
    }

    @Test("it shows what is compiled here")
    func sameText() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = try String(
            contentsOf: root.appending(path: "Sources/SignetKit/SignetKit.docc/Guides/Library.md"),
            encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        let compiled = Set(source.split(separator: "\n").map { $0.drop { $0 == " " } })
        let blocks = guide.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("swift\n") }.map(\.element)
        #expect(blocks.count == 4)
        for line in blocks.flatMap({ $0.split(separator: "\n").dropFirst() }) {
            // The guide has no other type of that name.
            let shown = line.drop { $0 == " " }.replacing(
                ": Signer {", with: ": SignetKit.Signer {")
            #expect(compiled.contains(shown[...]), "\(line)")
        }
    }
}
