import SignetKit
import SignetTestSupport
import Synchronization
import Testing

/// Asks another signer, and changes what it says.
private final class Delegate: SignetKit.Signer {
    struct Gone: Error, CustomStringConvertible { let description = "the card was taken out" }

    let inner: SigningCredential
    let takes: SigningInput.Kind
    let answer: @Sendable ([UInt8]) throws -> [UInt8]
    let calls = Mutex<[(SigningInput, SigningAlgorithm)]>([])

    init(
        _ inner: SigningCredential, takes: SigningInput.Kind = .either,
        answer: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
    ) {
        self.inner = inner
        self.takes = takes
        self.answer = answer
    }

    var certificates: [[UInt8]] { inner.certificates }

    func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) throws -> [UInt8] {
        calls.withLock { $0.append((input, algorithm)) }
        return try answer(inner.sign(input, with: algorithm))
    }
}

@Suite("Signers of other kinds than a key file")
struct SignerTests {
    /// Signs a small document with `signer`.
    private func sign(
        with signer: Delegate, in folder: TemporaryFolder, digest: SigningOptions.Digest? = nil
    ) throws -> String {
        let input = try folder.write("in.pdf", SamplePDF().bytes)
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        options.digest = digest
        let output = folder.file("out.pdf")
        _ = try SignDocument(
            credential: SigningCredential(signer: signer, name: "the card"), options: options
        ).run(.file(input), into: Destination(path: output))
        return output
    }

    @Test(
        "signs what it is given, in the form that it takes",
        arguments: ["rsa:2048", "ec:P-384"], [SigningInput.Kind.digestOnly, .messageOnly])
    func takes(keyType: String, kind: SigningInput.Kind) throws {
        let file = try Signer(keyType: keyType)
        let signer = Delegate(file.credential, takes: kind)
        let output = try sign(with: signer, in: file.folder, digest: .sha384)
        let report = try VerifyDocument(
            VerificationOptions(trust: [file.certificateFile], time: Signer.signingTime)
        ).run(.file(output))
        #expect(report.verdict == .passed)
        let calls = signer.calls.withLock { $0 }
        #expect(calls.count == 1)
        let expected = keyType.hasPrefix("rsa") ? SigningAlgorithm.rsaPKCS1 : SigningAlgorithm.ecdsa
        #expect(calls.first?.1 == expected(.sha384))
        switch calls.first?.0 {
        case .digest(let digest)?: #expect(kind == .digestOnly && digest.count == 48)
        case .message(let message)?: #expect(kind == .messageOnly && message.first == 0x31)
        case nil: Issue.record("nothing was signed")
        }
    }

    @Test("a signature of another key is refused, and nothing is left")
    func wrongAnswer() throws {
        let (file, other) = (try Signer(), try Signer())
        let signer = Delegate(file.credential) { _ in
            try other.credential.sign(.message([1, 2, 3]), with: .ecdsa(.sha256))
        }
        #expect(throws: SignetError(.credentialRefused, "")) {
            try sign(with: signer, in: file.folder)
        }
        #expect(try file.folder.names.filter { $0.hasPrefix("out") }.isEmpty)
    }

    @Test("why a signer cannot sign is told in its own words")
    func unavailable() throws {
        let file = try Signer()
        let signer = Delegate(file.credential) { _ in throw Delegate.Gone() }
        let error = #expect(throws: SignetError.self) { try sign(with: signer, in: file.folder) }
        #expect(error?.code == .serviceUnavailable)
        #expect(error?.file == "the card")
        #expect(error?.message == "the card was taken out")
    }

    @Test("a signer of hashes makes no Ed25519 signatures")
    func hashesOnly() throws {
        let file = try Signer(keyType: "ed25519")
        let signer = Delegate(file.credential, takes: .digestOnly)
        #expect(throws: SignetError.self) { try sign(with: signer, in: file.folder) }
        #expect(signer.calls.withLock { $0.isEmpty })
    }

    @Test("a batch is answered in order")
    func batch() throws {
        let file = try Signer(keyType: "rsa:2048")
        let inputs = (0..<3).map { SigningInput.message([UInt8($0)]) }
        let signatures = try file.credential.sign(inputs, with: .rsaPKCS1(.sha256))
        #expect(
            try signatures == inputs.map { try file.credential.sign($0, with: .rsaPKCS1(.sha256)) })
    }
}
