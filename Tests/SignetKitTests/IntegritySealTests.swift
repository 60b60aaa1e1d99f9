import CryptoBridge
import PDFVerification
import SignetKit
import SignetTestSupport
import Testing

@Suite("Signing documents with MACs")
struct IntegritySealTests {
    private static let user = DocumentPassword(.ask { Passphrase(Array("user".utf8)) })

    private static func recipient(_ name: String) throws -> DocumentPassword {
        DocumentPassword(
            .environment("UNSET"),
            recipient: DocumentRecipient(
                keyFile: "\(try EncryptedSamples.path() ?? "")/\(name).key",
                passphrase: .environment("UNSET")))
    }

    /// Where the revisions of a signed document end, but the first.
    private static func ends(_ bytes: [UInt8], after first: Int) -> [Int] {
        let mark = Array("%%EOF\n".utf8)
        return bytes.indices.filter { $0 >= first && bytes[$0...].starts(with: mark) }
            .map { $0 + mark.count }
    }

    @Test(
        "each signature carries a code, each revision stands alone, and pyHanko agrees",
        arguments: [
            ("aes-mac", ""), ("gcm-mac", ""), ("r5-mac", ""), ("key-mac", "first"),
            ("key-ecdh", "curve"),
        ])
    func signsTwice(name: String, recipient: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let access = recipient.isEmpty ? Self.user : try Self.recipient(recipient)
        let signer = try Signer()
        var signed = bytes
        for count in 1...2 {
            let earlier = signed
            signed = try signer.sign(signed, password: access) {
                $0.reason = "Důvod"
                if count == 1 {
                    $0.stamp = StampOptions()
                    $0.stamp?.page = 1
                }
            }
            #expect(signed.starts(with: earlier))
            let judged = try EncryptedSamples.judge(signed, password: "user", recipient: recipient)
            // Who opens a document for certificates may be its owner too.
            #expect(
                judged?.hasPrefix("FAILED") == false
                    && judged?.hasSuffix(String(repeating: " valid", count: count)) == true,
                "\(judged ?? "")")
        }
        let ends = Self.ends(signed, after: bytes.count)
        #expect(ends.count == 2 && ends.last == signed.count)
        for (index, end) in ends.enumerated() {
            let report = try signer.verify(Array(signed[..<end]), password: access)
            #expect(report.verdict == .passed, "\(report)")
            #expect(report.signatures.count == index + 1)
            let code = try #require(report.integrityCode)
            #expect(code.valid && code.required && code.location == "attached-to-signature")
        }
    }

    @Test("the code is hashed as the signature is", arguments: SigningOptions.Digest.allCases)
    func digests(digest: SigningOptions.Digest) throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let signer = try Signer(keyType: "rsa:2048")
        let signed = try signer.sign(bytes, password: Self.user) { $0.digest = digest }
        let report = try signer.verify(signed, password: Self.user)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.integrityCode?.valid == true)
        #expect(report.integrityCode?.digest == digest.rawValue)
    }

    @Test("Ed25519 too")
    func ed25519() throws {
        guard let bytes = try EncryptedSamples.document("gcm-mac") else { return }
        let signer = try Signer(keyType: "ed25519")
        let signed = try signer.sign(bytes, password: Self.user)
        let report = try signer.verify(signed, password: Self.user)
        #expect(report.verdict == .passed && report.integrityCode?.valid == true, "\(report)")
        #expect(try EncryptedSamples.judge(signed, password: "user") == "USER valid")
    }

    @Test("a document that neither has a code nor demands one gets none")
    func none() throws {
        guard let bytes = try EncryptedSamples.document("gcm") else { return }
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: Self.user)
        #expect(try signer.verify(signed, password: Self.user).integrityCode == nil)
        #expect(!signed.contains(subsequence: "/AuthCode"))
    }

    @Test(
        "a document is refused whose code is missing or wrong",
        arguments: [
            ("/AuthCode", "/AuthXode"), ("/KDFSalt", "/KDFXalt"), ("/MediaBox", "/MediaBux"),
            ("%%EOF\n", "%%EOF\n "), ("/MAC <", "/MAX <"), ("startxref", "startxxxx"),
        ])
    func refused(from: String, to: String) throws {
        guard var bytes = try EncryptedSamples.document("aes-mac") else { return }
        let pattern = Array(from.utf8)
        let start = try #require(bytes.indices.last { bytes[$0...].starts(with: pattern) })
        bytes.replaceSubrange(start..<(start + pattern.count), with: Array(to.utf8))
        let signer = try Signer()
        #expect(throws: SignetError(.malformedInput, "")) {
            try signer.sign(bytes, password: Self.user)
        }
        #expect(signer.folder.content("out.pdf") == nil)
    }

    @Test("an earlier revision whose code was taken away fails, and is not signed")
    func strippedRevision() throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let signer = try Signer()
        var signed = try signer.sign(bytes, password: Self.user)
        let pattern = Array("/AuthCode".utf8)
        let start = try #require(signed.indices.first { signed[$0...].starts(with: pattern) })
        #expect(start < bytes.count)
        signed[start + 5] ^= 1
        let report = try signer.verify(signed, password: Self.user)
        #expect(report.verdict == .failed)
        #expect(report.integrityCode?.problems.first?.code == .integrityCodeMissing)
        let error = try #require(throws: SignetError.self) {
            try signer.sign(signed, password: Self.user)
        }
        // Nobody can agree to that.
        #expect(error.code == .malformedInput && error.hint == Sentence(.askForWhole))
    }

    // MARK: In two steps

    private struct Prepared {
        let signer: Signer
        let folder: TemporaryFolder
        let signature: String

        /// Lays out a signature in `sample`, and signs its hash.
        init(_ sample: [UInt8]) throws {
            signer = try Signer()
            folder = signer.folder
            var options = SigningOptions()
            options.claimedTime = Signer.signingTime
            _ = try SignDocument(
                credential: try SigningCredential(certificateFile: signer.certificateFile),
                options: options, password: user
            ).prepareRemotely(
                .bytes(sample), into: Destination(path: folder.file("prepared.pdf")),
                toSign: BytesToSign(hash: Destination(path: folder.file("hash"))))
            let bundle = try CredentialReader.read(try folder.read("key.pem")) { nil }
            let key = try #require(bundle.key)
            let scheme = try #require(key.algorithm.scheme(digest: .sha256))
            signature = try folder.write(
                "signature", try key.sign(digest: try folder.read("hash"), scheme: scheme))
        }

        func embed(_ password: DocumentPassword?) throws -> [UInt8] {
            _ = try EmbedSignature(password: password).run(
                .file(folder.file("prepared.pdf")), signature: .file(signature),
                into: Destination(path: folder.file("out.pdf")))
            return try folder.read("out.pdf")
        }
    }

    @Test("in two steps the second asks for the password again, and makes the code")
    func twoSteps() throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let prepared = try Prepared(bytes)
        #expect(throws: SignetError(.credentialRefused, "")) { try prepared.embed(nil) }
        #expect(prepared.folder.content("out.pdf") == nil)
        let early = try prepared.signer.verify(
            try prepared.folder.read("prepared.pdf"), password: Self.user)
        #expect(early.verdict == .failed)
        let signed = try prepared.embed(Self.user)
        let report = try prepared.signer.verify(signed, password: Self.user)
        #expect(report.verdict == .passed && report.integrityCode?.valid == true, "\(report)")
        #expect(try EncryptedSamples.judge(signed, password: "user") == "USER valid")
    }

    @Test("a prepared document whose code is said to be elsewhere is refused")
    func twoStepsChanged() throws {
        guard let bytes = try EncryptedSamples.document("aes-mac") else { return }
        let prepared = try Prepared(bytes)
        var changed = try prepared.folder.read("prepared.pdf")
        let pattern = Array("/SigObjRef".utf8)
        let start = try #require(changed.indices.last { changed[$0...].starts(with: pattern) })
        changed[start + 3] ^= 1
        try prepared.folder.write("prepared.pdf", changed)
        #expect(throws: SignetError(.malformedInput, "")) { try prepared.embed(Self.user) }
        #expect(prepared.folder.content("out.pdf") == nil)
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence text: String) -> Bool {
        let pattern = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: pattern) }
    }
}
