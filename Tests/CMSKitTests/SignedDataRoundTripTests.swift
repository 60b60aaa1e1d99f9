import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

@Suite("Making signed data")
struct SignedDataRoundTripTests {
    static let cases: [(KeyType, DigestAlgorithm, SignatureScheme?)] = [
        (.rsa(bits: 2048), .sha256, nil), (.rsa(bits: 2048), .sha384, nil),
        (.rsa(bits: 2048), .sha512, nil), (.rsa(bits: 2048), .sha3_256, nil),
        (.rsa(bits: 2048), .sha256, .rsaPSS(.sha256)),
        (.rsa(bits: 2048), .sha512, .rsaPSS(.sha512)),
        (.ec(curve: .p256), .sha256, nil), (.ec(curve: .p384), .sha384, nil),
        (.ec(curve: .p521), .sha512, nil), (.ec(curve: .p256), .sha3_512, nil),
        (.ed25519, .sha256, nil),
    ]

    @Test("verifies what it makes", arguments: cases)
    func roundTrip(type: KeyType, digest: DigestAlgorithm, scheme: SignatureScheme?) throws {
        let fixture = try CMSFixture(type)
        let builder = try fixture.builder(digest: digest, scheme: scheme)
        let bytes = try fixture.sign(digest: digest, scheme: scheme)
        #expect(bytes.count <= (try builder.maximumByteCount()))
        let check = try fixture.check(bytes)
        #expect(check.problems.isEmpty, "\(check.problems)")
        #expect(check.isIntact)
        #expect(check.isVerified && check.signer == fixture.identity.certificate)
        #expect(check.scheme == builder.signer.scheme)
        #expect(check.digest == builder.signer.digest)
        #expect(check.claimedTime == nil)
        #expect(check.signingCertificateMatches == true)
        #expect(
            Set(check.certificates) == [fixture.identity.certificate, fixture.root.certificate])
        let other = try fixture.check(bytes, content: [1])
        #expect(other.failures.map(\.code) == [.digestMismatch])
        #expect(!other.isVerified)
    }

    @Test func writesExactlyTheBaselineAttributes() throws {
        let fixture = try CMSFixture()
        let message = try SignedData(fixture.sign())
        #expect(message.version == 1)
        #expect(message.content == nil)
        #expect(message.contentType == OID.data)
        #expect(message.signers.count == 1)
        let info = message.signers[0]
        #expect(info.version == 1)
        #expect(
            Set(info.signedAttributes.map(\.oid)) == [
                OID.contentType, OID.messageDigest, OID.signingCertificateV2,
            ])
        #expect(info.signedAttributesAreSorted)
        #expect(info.unsignedAttributes.isEmpty)
        // RFC 5754 §2: no parameters.
        #expect(info.digestAlgorithm.parameters == nil)
    }

    @Test func signaturesFromElsewhereFitIn() throws {
        let fixture = try CMSFixture(.rsa(bits: 2048))
        let signer = try CMSSigner(
            key: ExternalSigner(publicKey: fixture.identity.key.publicKey),
            certificate: fixture.identity.certificate)
        let builder = SignedDataBuilder(signer: signer)
        #expect(throws: CMSError(.signingFailed, "")) {
            try builder.sign(messageDigest: fixture.hash(.sha256))
        }
        let prepared = try builder.prepare(messageDigest: fixture.hash(.sha256))
        let signature = try fixture.identity.key.sign(
            digest: prepared.digestToBeSigned(), scheme: prepared.scheme)
        let token = CMSAttribute(oid: OID.signatureTimeStamp, values: [[0x30, 0x00]])
        let bytes = try prepared.finish(signature: signature, unsignedAttributes: [token])
        let check = try fixture.check(bytes)
        #expect(check.isVerified)
        #expect(check.unsignedAttributes == [token])
        #expect(bytes.count <= (try builder.maximumByteCount(unsignedAttributesByteCount: 64)))
        let foreign = try PrivateKey.generate(.rsa(bits: 2048)).sign(
            message: prepared.toBeSigned, scheme: prepared.scheme)
        #expect(throws: CMSError(.signatureDoesNotVerify, "")) {
            try prepared.finish(signature: foreign)
        }
    }

    @Test func refusesAKeyThatIsNotTheCertificates() throws {
        let fixture = try CMSFixture()
        #expect(throws: CMSError(.keyMismatch, "")) {
            try CMSSigner(
                key: PrivateKey.generate(.ec(curve: .p256)),
                certificate: fixture.identity.certificate)
        }
        for weak in [DigestAlgorithm.sha1, .md5, .sha224] {
            #expect(throws: CMSError(.unsupportedAlgorithm, "")) {
                try CMSSigner(
                    key: fixture.identity.key, certificate: fixture.identity.certificate,
                    digest: weak)
            }
        }
    }

    @Test("the bound holds for every signature", arguments: 0..<20)
    func boundHolds(_: Int) throws {
        let fixture = try CMSFixture(.ec(curve: .p521))
        let bound = try fixture.builder().maximumByteCount()
        let count = try fixture.sign().count
        #expect(count <= bound)
        #expect(bound - count < 16)
    }

    @Test("OpenSSL accepts it", arguments: cases)
    func openSSLAccepts(type: KeyType, digest: DigestAlgorithm, scheme: SignatureScheme?) throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        // OpenSSL 3.0 refuses Ed25519 and ECDSA with SHA-3 in CMS: "invalid digest".
        if case .ed25519 = type { return }
        if digest == .sha3_512 { return }
        let fixture = try CMSFixture(type)
        let bytes = try fixture.sign(digest: digest, scheme: scheme)
        try ExternalTool.withFolder { folder in
            try ExternalTool.write(bytes, to: "\(folder)/sig")
            try ExternalTool.write(fixture.content, to: "\(folder)/content")
            try ExternalTool.write(fixture.root.certificate.pem, to: "\(folder)/root")
            let result = try ExternalTool.run(
                openssl,
                [
                    "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in",
                    "\(folder)/sig", "-content", "\(folder)/content", "-CAfile",
                    "\(folder)/root", "-purpose", "any", "-attime",
                    "\(TestPKI.now.secondsSinceEpoch)", "-out", "/dev/null",
                ])
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test func readsWhatOpenSSLSigns() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        let fixture = try CMSFixture(.rsa(bits: 2048))
        try ExternalTool.withFolder { folder in
            try ExternalTool.write(fixture.content, to: "\(folder)/content")
            try ExternalTool.write(
                try fixture.identity.key.pkcs8PEM(passphrase: nil).copyOut(), to: "\(folder)/key")
            try ExternalTool.write(fixture.identity.certificate.pem, to: "\(folder)/cert")
            let base = [
                "cms", "-sign", "-binary", "-in", "\(folder)/content", "-inkey", "\(folder)/key",
                "-signer", "\(folder)/cert", "-outform", "DER", "-out", "\(folder)/sig",
            ]
            for options in [
                [], ["-cades"], ["-keyid"],
                ["-keyopt", "rsa_padding_mode:pss", "-keyopt", "rsa_pss_saltlen:digest"],
            ] {
                let made = try ExternalTool.run(openssl, base + options)
                #expect(made.status == 0, "\(made.errors)")
                let check = try fixture.check(
                    ExternalTool.read("\(folder)/sig"), profile: .adobeDetached)
                #expect(check.problems.isEmpty, "\(options) \(check.problems)")
                #expect(check.isVerified)
                #expect(check.claimedTime != nil)
            }
            _ = try ExternalTool.run(openssl, base + ["-nodetach"])
            let attached = try ExternalTool.read("\(folder)/sig")
            #expect(try fixture.check(attached, profile: .attached).isVerified)
            #expect(
                try fixture.check(attached, profile: .detached).failures.map(\.code)
                    == [.contentEmbedded])
            // Streaming output is BER.
            _ = try ExternalTool.run(openssl, base + ["-nodetach", "-stream"])
            let streamed = try ExternalTool.read("\(folder)/sig")
            #expect(throws: CMSError(.notDER, "")) { try SignedData(streamed) }
            let message = try SignedData(streamed, encoding: .ber)
            #expect(try SignedDataVerifier(profile: .attached).verify(message)[0].isVerified)
        }
    }
}
