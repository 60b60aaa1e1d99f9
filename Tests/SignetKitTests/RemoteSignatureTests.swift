import Base
import CryptoBridge
import SignetKit
import SignetTestSupport
import Testing

@Suite("A signature in two steps")
struct RemoteSignatureTests {
    private struct Prepared {
        let signer: Signer
        let key: PrivateKey
        let document: PreparedDocument
        let toSign: [UInt8]

        var file: String { signer.folder.file("prepared.pdf") }
    }

    private func prepare(_ keyType: String, pss: Bool = false) throws -> Prepared {
        let signer = try Signer(keyType: keyType)
        let input = try signer.folder.write("in.pdf", SamplePDF().bytes)
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        options.padding = pss ? .pss : .pkcs1
        let document = try SignDocument(
            credential: try SigningCredential(certificateFile: signer.certificateFile),
            options: options
        ).prepareRemotely(
            .file(input), into: Destination(path: signer.folder.file("prepared.pdf")),
            toSign: BytesToSign(hash: Destination(path: signer.folder.file("to-sign"))))
        let bundle = try CredentialReader.read(try signer.folder.read("key.pem")) { nil }
        return Prepared(
            signer: signer, key: try #require(bundle.key), document: document,
            toSign: try signer.folder.read("to-sign"))
    }

    private func embed(_ prepared: Prepared, _ signature: [UInt8]) throws {
        _ = try EmbedSignature().run(
            .file(prepared.file), signature: .bytes(signature),
            into: Destination(path: prepared.signer.folder.file("out.pdf")))
    }

    private func sign(_ prepared: Prepared, pss: Bool = false) throws -> [UInt8] {
        let scheme = try #require(
            prepared.key.algorithm.scheme(digest: .sha256, padding: pss ? .pss : .pkcs1))
        return prepared.document.input == "hash"
            ? try prepared.key.sign(digest: prepared.toSign, scheme: scheme)
            : try prepared.key.sign(message: prepared.toSign, scheme: scheme)
    }

    @Test(
        "what comes back becomes a complete signature",
        arguments: [
            ("rsa:2048", false), ("rsa:2048", true), ("ec:P-256", false), ("ec:P-521", false),
            ("ed25519", false),
        ])
    func roundTrip(keyType: String, pss: Bool) throws {
        let prepared = try prepare(keyType, pss: pss)
        try embed(prepared, try sign(prepared, pss: pss))
        let report = try prepared.signer.verify(try prepared.signer.folder.read("out.pdf"))
        #expect(report.verdict == .passed, "\(report)")
        // Before the second step it is no signature at all.
        let early = try prepared.signer.verify(try prepared.signer.folder.read("prepared.pdf"))
        #expect(early.verdict == .failed)
    }

    @Test("an EC signature may come as r and s in a row, or as text")
    func spellings() throws {
        let prepared = try prepare("ec:P-256")
        let signature = try sign(prepared)
        let raw = try #require(RawSignature.p1363(fromDER: signature, integerByteCount: 32))
        for spelling in [
            raw, Array(signature.map { String($0, radix: 16).leftPadded }.joined().utf8),
        ] {
            try embed(prepared, spelling)
            let report = try prepared.signer.verify(try prepared.signer.folder.read("out.pdf"))
            #expect(report.verdict == .passed)
            _ = try prepared.signer.folder.remove("out.pdf")
        }
    }

    @Test("a signature of something else, or by another key, is refused and nothing written")
    func refusals() throws {
        let prepared = try prepare("ec:P-256")
        let scheme = try #require(prepared.key.algorithm.scheme(digest: .sha256))
        let other = try PrivateKey.generate(.ec(curve: .p256))
        for signature in [
            try prepared.key.sign(digest: [UInt8](repeating: 1, count: 32), scheme: scheme),
            try other.sign(digest: prepared.toSign, scheme: scheme), [0x30, 0x00],
        ] {
            #expect(throws: SignetError(.credentialRefused, "")) { try embed(prepared, signature) }
        }
        #expect(throws: SignetError(.malformedInput, "")) { try embed(prepared, []) }
        #expect(prepared.signer.folder.content("out.pdf") == nil)
    }

    /// Between the two steps: every byte is bound, those behind the document and in its gap too.
    static let changes: [(String, @Sendable (inout [UInt8]) -> Void)] = [
        ("a byte of the original", { $0[20] ^= 1 }),
        ("a byte of the update", { $0[$0.count - 40] ^= 1 }),
        ("a byte behind", { $0.append(10) }),
        ("a comment behind", { $0 += Array("% harmless\n".utf8) }),
        ("the last line end gone", { $0.removeLast() }),
        ("a byte before", { $0.insert(10, at: 0) }),
        (
            "an update that changes the page",
            { bytes in
                let start = bytes.count
                bytes += Array("3 0 obj <</Type /Page /Parent 2 0 R>> endobj\n".utf8)
                let section = bytes.count
                let offset = String(repeating: "0", count: 10 - "\(start)".count) + "\(start)"
                bytes += Array(
                    """
                    xref
                    3 1
                    \(offset) 00000 n\u{20}
                    trailer <</Size 99 /Root 1 0 R>>
                    startxref
                    \(section)
                    %%EOF

                    """.utf8)
            }
        ),
        (
            // Where the zeros of the gap end, before its bracket.
            "something in the gap",
            { bytes in
                guard let end = bytes.lastIndex(of: UInt8(ascii: ">")) else { return }
                let gap = bytes[..<end].lastIndex(of: UInt8(ascii: "0")) ?? 0
                bytes[gap] = UInt8(ascii: "1")
            }
        ),
        (
            "another type of content",
            { bytes in
                let type = Hex.digits(of: [6, 9, 42, 134, 72, 134, 247, 13, 1, 7, 1])
                let start = bytes.indices.dropLast(type.count).first {
                    bytes[$0] == type[0] && Array(bytes[$0..<($0 + type.count)]) == type
                }
                if let start { bytes[start + type.count - 1] = UInt8(ascii: "3") }
            }
        ),
        (
            "another range",
            { bytes in
                let key = Array("/ByteRange".utf8)
                guard
                    let start = bytes.indices.dropLast(key.count).last(where: {
                        Array(bytes[$0..<($0 + key.count)]) == key
                    }), let digit = bytes[start...].firstIndex(where: { (49...56).contains($0) })
                else { return }
                bytes[digit] += 1
            }
        ),
    ]

    @Test("a prepared document that was changed is refused", arguments: changes.indices)
    func changed(index: Int) throws {
        let (what, change) = Self.changes[index]
        let prepared = try prepare("ec:P-256")
        let original = try prepared.signer.folder.read("prepared.pdf")
        var bytes = original
        change(&bytes)
        try prepared.signer.folder.write("prepared.pdf", bytes)
        #expect(bytes != original, "\(what)")
        #expect(throws: SignetError(.malformedInput, ""), "\(what)") {
            try embed(prepared, try sign(prepared))
        }
        #expect(prepared.signer.folder.content("out.pdf") == nil, "\(what)")
    }

    @Test("another certificate for the same key is refused")
    func swappedCertificate() throws {
        let prepared = try prepare("ec:P-256")
        let file = try Array(prepared.signer.folder.read("cert.pem"))
        let certificate = try #require(try CredentialReader.read(file) { nil }.certificates.first)
        let digits = Hex.digits(of: certificate.der)
        var bytes = try prepared.signer.folder.read("prepared.pdf")
        let start = try #require(
            bytes.indices.dropLast(digits.count).first {
                bytes[$0] == digits[0] && Array(bytes[$0..<($0 + digits.count)]) == digits
            })
        // In what its issuer signed: it has the same names, number and key.
        bytes[start + digits.count - 1] ^= 1
        try prepared.signer.folder.write("prepared.pdf", bytes)
        #expect(throws: SignetError(.malformedInput, "")) {
            try embed(prepared, try sign(prepared))
        }
        #expect(prepared.signer.folder.content("out.pdf") == nil)
    }
}

extension String { fileprivate var leftPadded: String { count < 2 ? "0" + self : self } }
