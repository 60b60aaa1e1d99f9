import CryptoBridge
import SignetTestSupport
import Testing

/// Key files made to cost hours, and keys whose parts do not belong together.
struct HostileKeyTests {
    private static let secret = SecretBytes(copying: Array("x".utf8))
    private static let tooMuch = CryptoError(.limitExceeded, "")

    /// Refused without a question.
    private func expectRefused(_ file: [UInt8]) {
        #expect(throws: Self.tooMuch) {
            try CredentialReader.read(file) {
                Issue.record("asked for a passphrase")
                return nil
            }
        }
    }

    // MARK: PKCS#12

    /// Three derivations of 70,000 rounds; the indices name those that get 4,194,303, which each
    /// alone may have.
    private func bundle(raising raised: Set<Int>) throws -> [UInt8] {
        let signer = try TestPKI.selfSigned()
        var bytes = try PKCS12Writer.write(
            key: signer.key, certificate: signer.certificate, password: Self.secret,
            iterations: 70_000
        ).copyOut()
        let rounds: [UInt8] = [0x02, 0x03, 0x01, 0x11, 0x70]
        let places = bytes.indices.filter { bytes[$0...].starts(with: rounds) }
        try #require(places.count == 3)
        for index in raised {
            let content = places[index] + 2..<places[index] + 5
            bytes.replaceSubrange(content, with: [0x3F, 0xFF, 0xFF])
        }
        return bytes
    }

    @Test(arguments: [[0, 1], [0, 2], [1, 2], [0, 1, 2]])
    func addsUpTheRoundsOfABundle(raised: Set<Int>) throws {
        expectRefused(try bundle(raising: raised))
    }

    @Test func acceptsABundleBelowTheLimit() throws {
        let bundle = try CredentialReader.read(bundle(raising: [])) { Self.secret }
        let certificate = try #require(bundle.certificates.first)
        #expect(try bundle.key?.publicKey == certificate.publicKey)
    }

    private static let pbes2: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D,
    ]
    private static let data = DERNode([
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01,
    ])
    private static let encryptedData = DERNode([
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06,
    ])
    private static let salt = [UInt8](repeating: 0x5A, count: 8)
    private static let iv = [UInt8](repeating: 0xA5, count: 16)

    /// PBES2 with PBKDF2 (HMAC-SHA-256) and AES-256-CBC.
    private static func scheme(rounds: [UInt8]) -> DERNode {
        let hmac: [UInt8] = [
            0x30, 0x0C, 0x06, 0x08, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09, 0x05, 0x00,
        ]
        let function = DERNode.branch(
            0x30,
            [
                DERNode([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]),
                .branch(0x30, [.leaf(0x04, salt), .leaf(0x02, rounds), DERNode(hmac)]),
            ])
        let aes: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]
        let cipher = DERNode.branch(0x30, [DERNode(aes), .leaf(0x04, iv)])
        return .branch(0x30, [DERNode(pbes2), .branch(0x30, [function, cipher])])
    }

    /// A key bag whose derivation has two milliards of rounds, in a bag of bags.
    private static var bombs: DERNode {
        let bagID: [UInt8] = [
            0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01,
        ]
        let key = DERNode.branch(
            0x30,
            [
                DERNode(bagID + [0x02]),
                .branch(
                    0xA0, [.branch(0x30, [scheme(rounds: [0x77, 0, 0, 0]), .leaf(0x04, iv + iv)])]),
            ])
        let nested = DERNode.branch(
            0x30, [DERNode(bagID + [0x06]), .branch(0xA0, [.branch(0x30, [key])])])
        return .branch(0x30, [nested])
    }

    private static func file(_ part: DERNode) -> [UInt8] {
        let safe = DERNode.branch(0x30, [part]).bytes
        return DERNode.branch(
            0x30, [.leaf(0x02, [3]), .branch(0x30, [data, .branch(0xA0, [.leaf(0x04, safe)])])]
        ).bytes
    }

    /// Which of two keys is meant, the order of their bags does not say.
    @Test(arguments: [false, true]) func readsAllKeysOfABundle(isReversed: Bool) throws {
        let signers = try [TestPKI.selfSigned(), TestPKI.selfSigned()]
        let keyBag: [UInt8] = [
            0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x01,
        ]
        let bags = try (isReversed ? signers.reversed() : signers).map { signer in
            try DERNode.branch(
                0x30,
                [
                    DERNode(keyBag),
                    .branch(0xA0, [DERNode(signer.key.pkcs8DER(passphrase: nil).copyOut())]),
                ])
        }
        // The same key twice is one.
        let contents = DERNode.branch(0x30, bags + bags.prefix(1))
        let bytes = Self.file(
            .branch(0x30, [Self.data, .branch(0xA0, [.leaf(0x04, contents.bytes)])]))
        #expect(try CredentialReader.read(bytes) { nil }.keys.count == 2)
    }

    @Test func refusesABombInABagOfBags() {
        let part = DERNode.branch(
            0x30, [Self.data, .branch(0xA0, [.leaf(0x04, Self.bombs.bytes)])])
        expectRefused(Self.file(part))
    }

    /// Only the right passphrase shows it.
    @Test func refusesABombInAnEncryptedPart() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        let hex = { (bytes: [UInt8]) in bytes.map { $0 < 16 ? "0\($0)" : String($0, radix: 16) } }
        let encrypted = try ExternalTool.withFolder { folder in
            try ExternalTool.write(Self.bombs.bytes, to: "\(folder)/in")
            let result = try ExternalTool.run(
                openssl,
                [
                    "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "1000", "-md", "sha256", "-pass",
                    "pass:x", "-S", hex(Self.salt).joined(), "-iv", hex(Self.iv).joined(), "-in",
                    "\(folder)/in", "-out", "\(folder)/out",
                ])
            try #require(result.status == 0, "\(result.errors)")
            let output = try ExternalTool.read("\(folder)/out")
            // Older versions write their own header before it.
            return output.starts(with: Array("Salted__".utf8))
                ? Array(output.dropFirst(16)) : output
        }
        let content = DERNode.branch(
            0x30, [Self.data, Self.scheme(rounds: [0x03, 0xE8]), .leaf(0x80, encrypted)])
        let part = DERNode.branch(
            0x30,
            [Self.encryptedData, .branch(0xA0, [.branch(0x30, [.leaf(0x02, [0]), content])])])
        #expect(throws: Self.tooMuch) { try CredentialReader.read(Self.file(part)) { Self.secret } }
    }

    @Test func readsBundlesWithoutMAC() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        try ExternalTool.withFolder { folder in
            func make(_ arguments: [String]) throws {
                let result = try ExternalTool.run(openssl, arguments)
                try #require(result.status == 0, "\(arguments): \(result.errors)")
            }
            let key = "\(folder)/key.pem"
            try make([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", "/CN=x",
                "-out", "\(folder)/cert.pem",
            ])
            let expected = try CredentialReader.read(ExternalTool.read(key)) { nil }
            for options in [
                [], ["-legacy"], ["-keypbe", "NONE"], ["-certpbe", "NONE"],
                ["-keypbe", "NONE", "-certpbe", "NONE"],
            ] {
                try make(
                    [
                        "pkcs12", "-export", "-nomac", "-inkey", key, "-in", "\(folder)/cert.pem",
                        "-passout", "pass:x", "-out", "\(folder)/x.p12",
                    ] + options)
                let file = try ExternalTool.read("\(folder)/x.p12")
                let bundle = try CredentialReader.read(file) { Self.secret }
                #expect(bundle.key?.publicKey == expected.key?.publicKey, "\(options)")
                #expect(bundle.certificates.count == 1, "\(options)")
                guard !options.contains("-keypbe") else { continue }
                for wrong in ["", "y", "xx"] {
                    #expect(throws: CryptoError(.wrongPassphrase, ""), "\(options)") {
                        try CredentialReader.read(file) { SecretBytes(copying: Array(wrong.utf8)) }
                    }
                }
            }
        }
    }

    // MARK: PKCS#8

    /// An EncryptedPrivateKeyInfo with these bytes as AlgorithmIdentifier.
    private func encryptedKey(_ algorithm: [UInt8]) -> [UInt8] {
        let data: [UInt8] = [0x04, 0x20] + [UInt8](repeating: 7, count: 32)
        return [0x30, 0x81, UInt8(algorithm.count + data.count)] + algorithm + data
    }

    @Test(arguments: [
        [0x77, 0x35, 0x94, 0x00], [0x00, 0x98, 0x96, 0x81], [0xFF],
        [0x7F, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ])
    func refusesTooManyRounds(rounds: [UInt8]) {
        expectRefused(encryptedKey(Self.scheme(rounds: rounds).bytes))
    }

    /// OpenSSL reads BER here.
    @Test func refusesTooManyRoundsOfIndefiniteLength() {
        var bytes = Self.scheme(rounds: [0x77, 0x35, 0x94, 0x00]).bytes
        // Scheme, PBES2's parameters, PBKDF2: headers of two bytes, identifiers of eleven.
        let parameters = 2 + 11 + 2 + 2 + 11
        let count = Int(bytes[parameters + 1])
        bytes.insert(contentsOf: [0, 0], at: parameters + 2 + count)
        bytes[parameters + 1] = 0x80
        for outer in [1, 14, 16] { bytes[outer] += 2 }
        expectRefused(encryptedKey(bytes))
    }

    /// N, r, p.
    @Test(
        arguments: [
            [[0x02], [0x01], [0x02, 0, 0, 0]], [[0x40, 0x00], [0x08], [0x40, 0x00]],
            [[0x40, 0, 0, 0, 0], [0x40, 0, 0, 0], [0x01]],
        ] as [[[UInt8]]])
    func refusesTooMuchOfScrypt(numbers: [[UInt8]]) {
        let function = DERNode.branch(
            0x30,
            [
                DERNode([0x06, 0x09, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]),
                .branch(0x30, [.leaf(0x04, Self.salt)] + numbers.map { .leaf(0x02, $0) }),
            ])
        var scheme = Self.scheme(rounds: [1])
        scheme[1][0] = function
        expectRefused(encryptedKey(scheme.bytes))
    }

    // MARK: Keys

    private static let rsa = Result {
        try PrivateKey.generate(.rsa(bits: 2048)).pkcs8DER(passphrase: nil).copyOut()
    }

    /// The traditional structure in a plain PKCS#8 with one of its numbers changed.
    private func rsaKey(changing index: Int, _ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
        var file = DERNode(try Self.rsa.get())
        guard case .leaf(_, let inner) = file[2] else { return [] }
        var structure = DERNode(inner)
        guard case .leaf(let tag, var number) = structure[index] else { return [] }
        change(&number)
        structure[index] = .leaf(tag, number)
        file[2] = .leaf(0x04, structure.bytes)
        return file.bytes
    }

    /// Modulus, both exponents, primes, CRT exponents and coefficient.
    @Test(arguments: Array(1...8))
    func refusesRSAKeysWhosePartsDisagree(index: Int) throws {
        let changes: [(inout [UInt8]) -> Void] = [
            { $0[$0.count - 1] ^= 0x02 }, { $0 = [0] }, { $0 = [1] }, { $0[$0.count / 2] ^= 0x10 },
        ]
        for change in changes {
            let file = try rsaKey(changing: index, change)
            #expect(throws: CryptoError(.malformedKey, "")) {
                try CredentialReader.read(file) { nil }
            }
        }
    }

    @Test(arguments: [3, 4])
    func signsWithRSAKeysOfMorePrimes(primes: Int) throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        let file = try ExternalTool.withFolder { folder in
            let result = try ExternalTool.run(
                openssl, ["genrsa", "-primes", "\(primes)", "-out", "\(folder)/k.pem", "4096"])
            try #require(result.status == 0, "\(result.errors)")
            return try ExternalTool.read("\(folder)/k.pem")
        }
        let key = try #require(CredentialReader.read(file) { nil }.key)
        let scheme = try #require(key.algorithm.scheme(digest: .sha256))
        let signature = try key.sign(message: [1], scheme: scheme)
        #expect(try key.publicKey.verify(signature: signature, scheme: scheme, message: [1]))
    }

    @Test func refusesDSAKeysWithAnothersPublicHalf() throws {
        let own = try PrivateKey.generate(.dsa(bits: 2048))
        guard let openssl = try ExternalTool.find("openssl") else { return }
        try ExternalTool.withFolder { folder in
            try ExternalTool.write(own.pkcs8PEM(passphrase: nil).copyOut(), to: "\(folder)/k.pem")
            let result = try ExternalTool.run(
                openssl,
                [
                    "pkey", "-in", "\(folder)/k.pem", "-traditional", "-outform", "DER", "-out",
                    "\(folder)/k.der",
                ])
            try #require(result.status == 0, "\(result.errors)")
            let good = try ExternalTool.read("\(folder)/k.der")
            #expect(try CredentialReader.read(good) { nil }.key?.publicKey == own.publicKey)
            var structure = DERNode(good)
            guard case .leaf(let tag, var number) = structure[4] else { return }
            number[number.count - 1] ^= 1
            structure[4] = .leaf(tag, number)
            // The changed number is none of the group's, or another key's.
            #expect(throws: CryptoError.self) { try CredentialReader.read(structure.bytes) { nil } }
        }
    }
}
