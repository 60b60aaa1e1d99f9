import CryptoBridge
import SignetTestSupport
import Testing

@Suite("Signatures")
struct SignatureTests {
    static let schemes: [(KeyType, SignatureScheme)] = [
        (.rsa(bits: 2048), .rsaPKCS1(.sha256)), (.rsa(bits: 2048), .rsaPKCS1(.sha512)),
        (.rsa(bits: 2048), .rsaPKCS1(.sha3_256)), (.rsa(bits: 2048), .rsaPSS(.sha256)),
        (.rsa(bits: 2048), .rsaPSS(.sha384)), (.ec(curve: .p256), .ecdsa(.sha256)),
        (.ec(curve: .p384), .ecdsa(.sha384)), (.ec(curve: .p521), .ecdsa(.sha512)),
        (.ec(curve: .p256), .ecdsa(.sha3_256)), (.ed25519, .ed25519),
    ]

    @Test("verifies what it signs and nothing else", arguments: schemes)
    func roundTrip(type: KeyType, scheme: SignatureScheme) throws {
        let key = try PrivateKey.generate(type)
        let message = Array("contract".utf8)
        let signature = try key.sign(message: message, scheme: scheme)
        #expect(signature.count <= key.maximumSignatureByteCount)
        let spki = try PublicKey(spkiDER: key.publicKey.spkiDER)
        #expect(try spki.verify(signature: signature, scheme: scheme, message: message))
        #expect(try !spki.verify(signature: signature, scheme: scheme, message: message + [0]))
        var broken = signature
        broken[broken.count / 2] ^= 1
        #expect(try !spki.verify(signature: broken, scheme: scheme, message: message))
        #expect(
            try !spki.verify(
                signature: Array(signature.dropLast()), scheme: scheme, message: message))
        #expect(try !spki.verify(signature: [], scheme: scheme, message: message))
    }

    @Test func signsAHashLikeTheMessage() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let message = Array("contract".utf8)
        let hash = try DigestAlgorithm.sha256.hash(message)
        #expect(
            try key.sign(digest: hash, scheme: .rsaPKCS1(.sha256))
                == key.sign(message: message, scheme: .rsaPKCS1(.sha256)))
    }

    @Test("signs in turn by different schemes, with one preparation for each of them")
    func alternates() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let schemes: [SignatureScheme] = [
            .rsaPKCS1(.sha256), .rsaPSS(.sha256), .rsaPKCS1(.sha384), .rsaPSS(.sha512),
        ]
        for round in UInt8(0)..<3 {
            for scheme in schemes {
                let signature = try key.sign(message: [round], scheme: scheme)
                #expect(
                    try key.publicKey.verify(
                        signature: signature, scheme: scheme, message: [round]))
            }
        }
        // What a failure left behind is not used again.
        #expect(throws: CryptoError(.digestLength, "")) {
            try key.sign(digest: [1, 2, 3], scheme: .rsaPSS(.sha256))
        }
        #expect(
            try key.publicKey.verify(
                signature: key.sign(message: [9], scheme: .rsaPSS(.sha256)),
                scheme: .rsaPSS(.sha256), message: [9]))
    }

    @Test func refusesHashesOfTheWrongLength() throws {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        #expect(throws: CryptoError(.digestLength, "")) {
            try key.sign(digest: [1, 2, 3], scheme: .ecdsa(.sha256))
        }
    }

    @Test func refusesSchemesOfOtherKeys() throws {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        #expect(throws: CryptoError(.invalidParameter, "")) {
            try key.sign(message: [1], scheme: .rsaPKCS1(.sha256))
        }
        #expect(throws: CryptoError(.invalidParameter, "")) {
            try PrivateKey.generate(.ed25519).sign(digest: [1], scheme: .ed25519)
        }
    }

    @Test func signsWithDSA() throws {
        let key = try PrivateKey.generate(.dsa(bits: 2048))
        let signature = try key.sign(message: [1, 2], scheme: .dsa(.sha256))
        #expect(signature.count <= 72)
        #expect(
            try key.publicKey.verify(signature: signature, scheme: .dsa(.sha256), message: [1, 2]))
        let pem = try key.pkcs8PEM(passphrase: nil)
        let again = try CredentialReader.read(pem) { nil }
        #expect(again.key?.publicKey == key.publicKey)
    }

    @Test(
        "hashes known vectors",
        arguments: [
            (
                DigestAlgorithm.sha256,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            ), (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (.sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        ])
    func hashes(algorithm: DigestAlgorithm, expected: String) throws {
        let context = try DigestContext(algorithm)
        try context.update(Array("a".utf8))
        let fork = try context.copy()
        try context.update(Array("bc".utf8)[...])
        #expect(try context.finish().hex == expected)
        try fork.update(Array("bc".utf8))
        #expect(try fork.finish().hex == expected)
    }
}

extension [UInt8] {
    var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
