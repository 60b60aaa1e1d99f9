import CryptoBridge
import SignetTestSupport
import Testing

@Suite("Reading keys and bundles")
struct CredentialReaderTests {
    static let types: [KeyType] = [
        .rsa(bits: 2048), .ec(curve: .p256), .ec(curve: .p384), .ec(curve: .p521), .ed25519,
    ]

    @Test("reads back PKCS#8 of every kind, asking only when needed", arguments: types)
    func roundTrip(type: KeyType) throws {
        let key = try PrivateKey.generate(type)
        let secret = SecretBytes(copying: Array("žluťoučký".utf8))
        for plain in [try key.pkcs8PEM(passphrase: nil), try key.pkcs8DER(passphrase: nil)] {
            let bundle = try CredentialReader.read(plain) {
                Issue.record("asked for a passphrase of a plain key")
                return nil
            }
            #expect(bundle.key?.publicKey == key.publicKey)
        }
        for encrypted in [
            try key.pkcs8PEM(passphrase: secret, iterations: 1000),
            try key.pkcs8DER(passphrase: secret, iterations: 1000),
        ] {
            #expect(try CredentialReader.read(encrypted) { secret }.key?.publicKey == key.publicKey)
            #expect(throws: CryptoError(.passphraseNeeded, "")) {
                try CredentialReader.read(encrypted) { nil }
            }
            // One wrong passphrase in 256 happens upon valid padding.
            for attempt in 0..<300 {
                #expect(throws: CryptoError(.wrongPassphrase, "")) {
                    try CredentialReader.read(encrypted) {
                        SecretBytes(copying: Array("wrong \(attempt)".utf8))
                    }
                }
            }
        }
    }

    @Test func tellsDamageFromAWrongPassphrase() throws {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        let secret = SecretBytes(copying: [1, 2, 3])
        let der = try key.pkcs8DER(passphrase: secret, iterations: 1000).copyOut()
        #expect(throws: CryptoError(.unrecognisedFormat, "")) {
            try CredentialReader.read(Array(der.dropLast(20))) { secret }
        }
        var cut = try key.pkcs8PEM(passphrase: nil).copyOut()
        cut[40] = 0x21
        #expect(throws: CryptoError(.unrecognisedFormat, "")) {
            try CredentialReader.read(cut) { secret }
        }
    }

    @Test func usesManyRoundsByDefault() throws {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        let der = try key.pkcs8DER(passphrase: SecretBytes(copying: [1])).copyOut()
        // INTEGER 600000.
        let rounds: [UInt8] = [0x02, 0x03, 0x09, 0x27, 0xC0]
        #expect(der.indices.contains { der[$0...].starts(with: rounds) })
    }

    @Test func namesWhatItCannotRead() throws {
        #expect(throws: CryptoError(.unrecognisedFormat, "")) {
            try CredentialReader.read(Array("hello".utf8)) { nil }
        }
        #expect(throws: CryptoError(.unrecognisedFormat, "")) {
            try CredentialReader.read([]) { nil }
        }
        let openSSH =
            "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"
        #expect(throws: CryptoError(.unsupportedAlgorithm, "")) {
            try CredentialReader.read(Array(openSSH.utf8)) { nil }
        }
    }

    @Test func putsTheKeysCertificateFirst() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root)
        let file =
            root.certificate.pem + signer.certificate.pem
            + (try signer.key.pkcs8PEM(passphrase: nil).copyOut())
        let bundle = try CredentialReader.read(file) { nil }
        #expect(bundle.certificates == [signer.certificate, root.certificate])
        #expect(bundle.key?.publicKey == signer.key.publicKey)
    }

    @Test("survives any prefix and any flipped byte", arguments: [true, false])
    func survivesDamage(encrypted: Bool) throws {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        let secret = SecretBytes(copying: [7])
        let der = try key.pkcs8DER(passphrase: encrypted ? secret : nil, iterations: 1000).copyOut()
        for count in der.indices {
            #expect(throws: CryptoError.self) {
                try CredentialReader.read(Array(der.prefix(count))) { secret }
            }
        }
        for index in der.indices {
            var damaged = der
            damaged[index] ^= 0x55
            _ = try? CredentialReader.read(damaged) { secret }
        }
    }

    /// Formats made by OpenSSL's own tool.
    @Test func readsWhatOpenSSLWrites() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        try ExternalTool.withFolder { folder in
            func make(_ arguments: [String]) throws {
                let result = try ExternalTool.run(openssl, arguments)
                #expect(result.status == 0, "\(arguments): \(result.errors)")
            }
            let secret = SecretBytes(copying: Array("tajné".utf8))
            let pass = ["-passout", "pass:tajné"]
            let key = "\(folder)/key.pem"
            try make(["genrsa", "-out", key, "2048"])
            let expected = try #require(
                CredentialReader.read(ExternalTool.read(key)) { nil }.key?.publicKey)
            let out = "\(folder)/out"
            let variants: [[String]] = [
                ["rsa", "-in", key, "-traditional", "-out", out],
                ["rsa", "-in", key, "-outform", "DER", "-traditional", "-out", out],
                ["rsa", "-in", key, "-aes256", "-traditional", "-out", out] + pass,
                ["rsa", "-in", key, "-des3", "-traditional", "-out", out] + pass,
                ["pkcs8", "-topk8", "-in", key, "-scrypt", "-out", out] + pass,
                ["pkcs8", "-topk8", "-in", key, "-v2", "aes-128-cbc", "-out", out] + pass,
                ["pkcs8", "-topk8", "-in", key, "-v1", "PBE-SHA1-3DES", "-out", out] + pass,
            ]
            for variant in variants {
                try make(variant)
                let bundle = try CredentialReader.read(ExternalTool.read(out)) { secret }
                #expect(bundle.key?.publicKey == expected, "\(variant)")
                guard variant.contains("-passout") else { continue }
                for wrong in ["", "x", "tajné "] {
                    #expect(throws: CryptoError(.wrongPassphrase, ""), "\(variant)") {
                        try CredentialReader.read(ExternalTool.read(out)) {
                            SecretBytes(copying: Array(wrong.utf8))
                        }
                    }
                }
            }
            try make(["ecparam", "-name", "prime256v1", "-genkey", "-out", out])
            #expect(
                try CredentialReader.read(ExternalTool.read(out)) { nil }.key?.algorithm
                    == .ec(curve: "P-256"))
            try make([
                "ecparam", "-name", "prime256v1", "-param_enc", "explicit", "-genkey", "-out", out,
            ])
            #expect(throws: CryptoError(.unsupportedAlgorithm, "")) {
                try CredentialReader.read(ExternalTool.read(out)) { nil }
            }
        }
    }

    @Test func readsPKCS12WithAndWithoutPassword() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        try ExternalTool.withFolder { folder in
            let root = try TestPKI.root()
            let signer = try TestPKI.issue(type: .rsa(bits: 2048), by: root)
            let pem = "\(folder)/all.pem"
            try ExternalTool.write(
                try signer.key.pkcs8PEM(passphrase: nil).copyOut() + signer.certificate.pem
                    + root.certificate.pem, to: pem)
            let out = "\(folder)/out.p12"
            let base = ["pkcs12", "-export", "-in", pem, "-out", out, "-passout"]
            for options in [["pass:a b"], ["pass:a b", "-legacy"], ["pass:"]] {
                let made = try ExternalTool.run(openssl, base + options)
                guard made.status == 0 else {
                    Issue.record("\(options): \(made.errors)")
                    continue
                }
                var askedCount = 0
                let bundle = try CredentialReader.read(ExternalTool.read(out)) {
                    askedCount += 1
                    return SecretBytes(copying: Array("a b".utf8))
                }
                #expect(askedCount == (options == ["pass:"] ? 0 : 1))
                #expect(bundle.key?.publicKey == signer.key.publicKey)
                #expect(bundle.certificates == [signer.certificate, root.certificate])
                guard options != ["pass:"] else { continue }
                #expect(throws: CryptoError(.wrongPassphrase, "")) {
                    try CredentialReader.read(ExternalTool.read(out)) {
                        SecretBytes(copying: [0x78])
                    }
                }
            }
        }
    }
}

@Suite("Writing PKCS#12")
struct PKCS12WriterTests {
    @Test(arguments: [KeyType.rsa(bits: 2048), .ec(curve: .p256), .ed25519])
    func readsBackWhatItWrites(type: KeyType) throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(type: type, by: root)
        let password = SecretBytes(copying: Array("heslo ž".utf8))
        let file = try PKCS12Writer.write(
            key: signer.key, certificate: signer.certificate, chain: signer.chain,
            friendlyName: "Jan", password: password, iterations: 2000)
        let bundle = try CredentialReader.read(file) { password }
        #expect(bundle.key?.publicKey == signer.key.publicKey)
        #expect(bundle.certificates == [signer.certificate, root.certificate])
        #expect(throws: CryptoError(.wrongPassphrase, "")) {
            try CredentialReader.read(file) { SecretBytes(copying: [1]) }
        }
        #expect(throws: CryptoError(.passphraseNeeded, "")) {
            try CredentialReader.read(file) { nil }
        }
        let bytes = file.copyOut()
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged[index] ^= 0xFF
            _ = try? CredentialReader.read(damaged) { password }
        }
    }

    @Test func refusesACertificateOfAnotherKey() throws {
        let signer = try TestPKI.selfSigned()
        #expect(throws: CryptoError(.keyMismatch, "")) {
            try PKCS12Writer.write(
                key: PrivateKey.generate(.ed25519), certificate: signer.certificate,
                password: SecretBytes(copying: [1]))
        }
    }
}

@Suite("Raw signatures")
struct RawSignatureTests {
    @Test(arguments: [KeyType.ec(curve: .p256), .ec(curve: .p521), .dsa(bits: 2048)])
    func convertsBothWays(type: KeyType) throws {
        let key = try PrivateKey.generate(type)
        let scheme = try #require(key.algorithm.scheme(digest: .sha256))
        let count = try #require(key.publicKey.rawSignatureIntegerByteCount)
        for _ in 0..<20 {
            let der = try key.sign(message: [1], scheme: scheme)
            let raw = try #require(RawSignature.p1363(fromDER: der, integerByteCount: count))
            #expect(raw.count == 2 * count)
            #expect(RawSignature.der(fromP1363: raw) == der)
        }
    }

    @Test func refusesOtherEncodings() {
        let signature: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x06]
        #expect(RawSignature.p1363(fromDER: signature, integerByteCount: 2) == [0, 5, 0, 6])
        for bad: [UInt8] in [
            signature + [0], [], [0x30, 0x00], [0x30, 0x03, 0x02, 0x01, 0x05],
            [0x30, 0x07, 0x02, 0x02, 0x00, 0x05, 0x02, 0x01, 0x06],
            [0x30, 0x06, 0x02, 0x01, 0x85, 0x02, 0x01, 0x06],
        ] { #expect(RawSignature.p1363(fromDER: bad, integerByteCount: 2) == nil) }
        #expect(RawSignature.der(fromP1363: [1, 2, 3]) == nil)
    }
}
