import SignetKit
import SignetTestSupport
import Testing

@Suite("Sign and verify a document")
struct SignDocumentTests {
    @Test(
        "what is signed verifies, the original is an exact prefix",
        arguments: ["rsa:2048", "ec:P-256", "ec:P-384", "ec:P-521", "ed25519"],
        SamplePDF.CrossReference.allCases)
    func roundTrip(keyType: String, crossReference: SamplePDF.CrossReference) throws {
        let signer = try Signer(keyType: keyType)
        var sample = SamplePDF()
        sample.crossReference = crossReference
        let signed = try signer.sign(sample.bytes)
        #expect(signed.starts(with: sample.bytes))
        let report = try signer.verify(signed)
        #expect(report.verdict == .passed, "\(report)")
        let signature = try #require(report.signatures.first)
        #expect(signature.intact && signature.trusted)
        #expect(signature.coverage == .wholeFile)
        #expect(signature.level == .b)
        #expect(signature.signer?.displayName == "Jan Novák")
        #expect(signature.claimedTime == Moment(rfc3339: "2026-01-01T00:00:00Z"))
    }

    @Test("RSA-PSS and every digest", arguments: SigningOptions.Digest.allCases)
    func pssDigests(digest: SigningOptions.Digest) throws {
        let signer = try Signer(keyType: "rsa:2048")
        let signed = try signer.sign(SamplePDF().bytes) {
            $0.padding = .pss
            $0.digest = digest
        }
        let report = try signer.verify(signed)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.first?.algorithm == "rsa-pss")
        #expect(report.signatures.first?.digest == digest.rawValue)
    }

    @Test("no flipped bit passes")
    func flippedBits() throws {
        let signer = try Signer()
        let signed = try signer.sign(SamplePDF().bytes)
        var position = 0
        while position < signed.count {
            var damaged = signed
            damaged[position] ^= 1 << UInt8(position % 8)
            // A hexadecimal digit whose case changes means the same.
            let isSameDigit =
                signed[position] ^ damaged[position] == 0x20
                && Character(Unicode.Scalar(signed[position])).isHexDigit
                && Character(Unicode.Scalar(damaged[position])).isHexDigit
            if !isSameDigit {
                let report = try? signer.verify(damaged)
                // The version numbers and the signer's name in the message are not signed.
                let problems = report?.signatures.flatMap(\.problems) ?? []
                let isRemarked = problems.contains {
                    [.versionUnusual, .signerNameEncoding].contains($0.code)
                }
                #expect(report?.verdict != .passed || isRemarked, "bit at byte \(position)")
            }
            position += 17
        }
    }
}

@Suite("Refuse to sign")
struct RefusalTests {
    private func refusal(
        _ bytes: [UInt8], _ change: (inout SigningOptions) -> Void = { _ in }
    ) throws -> SignetError? {
        let signer = try Signer()
        let before = try signer.folder.names
        do {
            _ = try signer.sign(bytes, change)
            return nil
        } catch let error as SignetError {
            #expect(try signer.folder.names == (before + ["in.pdf"]).sorted())
            return error
        }
    }

    @Test(
        "what is not a PDF",
        arguments: ["", "hello", "%PDF-1.7\n", "%PDF-1.7\nstartxref\n0\n%%EOF"])
    func noPDF(content: String) throws {
        #expect(try refusal(Array(content.utf8))?.code == .malformedInput)
    }

    @Test("several empty signature fields without a name")
    func ambiguousField() throws {
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R 7 0 R]>>",
            extraObjects: ["<</FT /Sig /T (A)>>", "<</FT /Sig /T (B)>>"])
        #expect(try refusal(sample.bytes)?.code == .usage)
        let signer = try Signer()
        let signed = try signer.sign(sample.bytes) { $0.field = .named("B") }
        #expect(try signer.verify(signed).signatures.map(\.field) == ["B"])
    }

    @Test("a certificate that is not valid at the time", arguments: [-400_000, 900 * 86_400])
    func outsideValidity(offset: Int) throws {
        let error = try refusal(SamplePDF().bytes) {
            $0.claimedTime = Signer.signingTime.adding(.seconds(offset))
        }
        #expect(error?.code == .credentialRefused)
    }

    @Test(
        "a certificate that is meant for something else",
        arguments: [CertificateProfile.tsa, .ocsp])
    func wrongUsage(profile: CertificateProfile) throws {
        let signer = try Signer(profile: profile)
        #expect(throws: SignetError(.credentialRefused, "")) { try signer.sign(SamplePDF().bytes) }
    }
}
