import Foundation
import SignetTestSupport
import Testing

/// PKCS#12 files as other programs write them.
@Suite struct KeyStoreTests {
    private static let data: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01,
    ]
    private static let pkcs9: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09]

    private func sequence(_ nodes: [DERNode]) -> DERNode { .branch(0x30, nodes) }

    /// A key (type 1) or a certificate (type 3) with its attributes (RFC 7292 §4.2).
    private func bag(_ type: UInt8, _ value: DERNode, alias: String?, id: UInt8?) -> DERNode {
        let oid: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, type]
        var attributes: [DERNode] = []
        if let alias {
            let text = alias.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            attributes.append(
                sequence([.leaf(0x06, Self.pkcs9 + [20]), .branch(0x31, [.leaf(0x1E, text)])]))
        }
        if let id {
            attributes.append(
                sequence([.leaf(0x06, Self.pkcs9 + [21]), .branch(0x31, [.leaf(0x04, [id])])]))
        }
        return sequence([
            .leaf(0x06, oid), .branch(0xA0, [value]), .branch(0x31, attributes),
        ])
    }

    private func keyBag(
        _ file: String, alias: String? = nil, id: UInt8?, _ workspace: Workspace
    ) throws -> DERNode {
        try workspace.openssl("pkcs8 -topk8 -nocrypt -in \(file) -outform DER -out key.der")
        return bag(1, DERNode(Array(try workspace.read("key.der"))), alias: alias, id: id)
    }

    private func certificateBag(
        _ file: String, id: UInt8? = nil, _ workspace: Workspace
    ) throws -> DERNode {
        try workspace.openssl("x509 -in \(file) -outform DER -out certificate.der")
        let der = Array(try workspace.read("certificate.der"))
        let value = sequence([
            .leaf(0x06, Self.pkcs9 + [22, 1]), .branch(0xA0, [.leaf(0x04, der)]),
        ])
        return bag(3, value, alias: nil, id: id)
    }

    /// An unencrypted file, without a MAC unless `code` makes one from the contents.
    private func bundle(
        _ bags: [DERNode], code: ((_ content: [UInt8]) throws -> DERNode)? = nil
    ) throws -> Data {
        func content(_ bytes: [UInt8]) -> DERNode {
            sequence([DERNode(Self.data), .branch(0xA0, [.leaf(0x04, bytes)])])
        }
        let safe = sequence([content(sequence(bags).bytes)]).bytes
        let mac = try code.map { [try $0(safe)] } ?? []
        return Data(sequence([.leaf(0x02, [3]), content(safe)] + mac).bytes)
    }

    /// `two.p12`: a signing key, and a decryption key before it.
    private func twoKeys() throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.makeKey("other", "rsa:2048")
        try workspace.openssl(
            """
            req -x509 -key other.pem -subj /CN=Decrypt -days 30 -out other.crt \
            -addext keyUsage=keyEncipherment -addext basicConstraints=CA:FALSE
            """)
        try workspace.write(
            try bundle([
                keyBag("other.pem", alias: "decrypt", id: 1, workspace),
                keyBag("key.pem", alias: "signing", id: 2, workspace),
                certificateBag("other.crt", id: 1, workspace),
                certificateBag("valid.pem", id: 2, workspace),
            ]), to: "two.p12")
        return workspace
    }

    @Test func theKeyThatMaySignIsChosen() throws {
        let workspace = try twoKeys()
        let publicKey = try workspace.openssl("pkey -in key.pem -pubout")
        let otherKey = try workspace.openssl("pkey -in other.pem -pubout")
        try workspace.succeed("sign letter.pdf --key two.p12")
        try workspace.succeed("hash sign letter.pdf --key two.p12 -o letter.sig")
        try workspace.succeed("csr create --key two.p12 --subject CN=a -o a.csr")
        #expect(try workspace.openssl("req -in a.csr -noout -pubkey") == publicKey)
        let converted = try workspace.succeed("key convert two.p12 -o one.pem --no-passphrase")
        #expect(converted.errors.contains("is used: alias 'signing'"), "\(converted.errors)")
        #expect(try workspace.openssl("pkey -in one.pem -pubout") == publicKey)
        for choice in [["--alias", "decrypt"], ["--cert", "other.crt"]] {
            try workspace.succeed(
                "key convert two.p12 \(choice) -o one.pem --no-passphrase --force")
            #expect(try workspace.openssl("pkey -in one.pem -pubout") == otherKey)
            try workspace.succeed(
                "csr create --key two.p12 \(choice) --subject CN=a -o b.csr --force")
            #expect(try workspace.openssl("req -in b.csr -noout -pubkey") == otherKey)
            let signed = try workspace.succeed(
                "hash sign letter.pdf --key two.p12 \(choice) -o b.sig --force")
            #expect(signed.errors.isEmpty, "\(signed.errors)")
        }
        try workspace.signet("sign letter.pdf --key two.p12 --alias decrypt -o no.pdf")
            .expectRefusal(.credentialRefused, naming: "usage")
        try workspace.signet("sign letter.pdf --key two.p12 --alias none -o no.pdf")
            .expectRefusal(.usage, naming: "alias 'decrypt'", "alias 'signing'", "localKeyID 02")
        let shown = try workspace.succeed("show two.p12").output
        for word in ["2 private keys", "decrypt", "signing", "localKeyID", "Decrypt, SHA-256"] {
            #expect(shown.contains(word), "\(shown)")
        }
    }

    @Test func severalSigningKeysAreListedWithTheirAliases() throws {
        let workspace = try signingWorkspace()
        try workspace.makeKey("other", "rsa:2048")
        try workspace.succeed("cert create --key other.pem --subject CN=Other -o other.crt")
        try workspace.write(
            try bundle([
                keyBag("other.pem", alias: "druhý", id: 1, workspace),
                keyBag("key.pem", alias: "first", id: 2, workspace),
                certificateBag("other.crt", id: 1, workspace),
                certificateBag("valid.pem", id: 2, workspace),
            ]), to: "two.p12")
        try workspace.signet("sign letter.pdf --key two.p12")
            .expectRefusal(.usage, naming: "alias 'first'", "alias 'druhý'", "--alias NAME")
        let signed = try workspace.succeed("sign letter.pdf --key two.p12 --alias druhý")
        #expect(signed.output.contains("signed by Other"))
    }

    @Test func theFileSaysWhichCertificateOfAKey() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("cert create --key key.pem --subject CN=Renewed -o renewed.crt")
        try workspace.write(
            try bundle([
                keyBag("key.pem", id: 7, workspace), certificateBag("valid.pem", workspace),
                certificateBag("renewed.crt", id: 7, workspace),
            ]), to: "renewed.p12")
        let outcome = try workspace.succeed("sign letter.pdf --key renewed.p12")
        #expect(outcome.output.contains("signed by Renewed"))
        #expect(outcome.errors.contains("localKeyID"))
    }

    /// The code by RFC 9579, made with OpenSSL's PBKDF2 and HMAC.
    private func code(
        _ content: [UInt8], length: Int?, iterations: Int = 2048, _ workspace: Workspace
    ) throws -> DERNode {
        let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D]
        let hmac = sequence([.leaf(0x06, rsa + [2, 9]), .leaf(0x05, [])])
        let key = try workspace.openssl(
            """
            kdf -keylen \(length ?? 32) -kdfopt digest:SHA256 -kdfopt pass:secret -kdfopt \
            hexsalt:0102030405060708 -kdfopt iter:2048 PBKDF2
            """
        ).filter(\.isHexDigit)
        try workspace.write(Data(content), to: "content")
        try workspace.openssl(
            "dgst -sha256 -mac HMAC -macopt hexkey:\(key) -binary -out code content")
        let count = iterations == 2048 ? [8, 0] : [8, 1] as [UInt8]
        let derivation = sequence(
            [.leaf(0x04, [1, 2, 3, 4, 5, 6, 7, 8]), .leaf(0x02, count)]
                + (length.map { [.leaf(0x02, [UInt8($0)])] } ?? []) + [hmac])
        let algorithm = sequence([
            .leaf(0x06, rsa + [1, 5, 14]),
            sequence([sequence([.leaf(0x06, rsa + [1, 5, 12]), derivation]), hmac]),
        ])
        return sequence([
            sequence([algorithm, .leaf(0x04, Array(try workspace.read("code")))]),
            .leaf(0x04, Array("NOT USED".utf8)), .leaf(0x02, [1]),
        ])
    }

    @Test(
        arguments: [(32, 2048), (20, 2048), (19, 2048), (nil, 2048), (32, 2049)] as [(Int?, Int)])
    func verifiesPBMAC1(length: Int?, iterations: Int) throws {
        let workspace = try signingWorkspace()
        let bags = try [
            keyBag("key.pem", id: 1, workspace), certificateBag("valid.pem", id: 1, workspace),
        ]
        try workspace.write(
            try bundle(bags) {
                try code($0, length: length, iterations: iterations, workspace)
            }, to: "k.p12")
        let isGood = (length ?? 0) >= 20 && iterations == 2048
        func sign(_ passphrase: String) throws -> CommandOutcome {
            try workspace.signet(
                "sign letter.pdf --key k.p12 --passphrase-env PP --force",
                environment: ["PP": passphrase])
        }
        #expect(try (sign("secret").exitCode == 0) == isGood)
        #expect(try sign("Secret").exitCode != 0)
    }

    // MARK: Passphrases

    private func export(_ passphrase: String, _ workspace: Workspace) throws {
        try workspace.openssl([
            "pkcs12", "-export", "-inkey", "key.pem", "-in", "valid.pem", "-passout",
            "pass:\(passphrase)", "-out", "k.p12", "-keypbe", "PBE-SHA1-3DES", "-certpbe",
            "PBE-SHA1-3DES",
        ])
    }

    private func show(_ passphrase: String, _ workspace: Workspace) throws -> CommandOutcome {
        try workspace.signet("show k.p12 --passphrase-env PP", environment: ["PP": passphrase])
    }

    /// OpenSSL before 1.1.0 took each byte of UTF-8 as a character.
    @Test func readsOldEncodingsOfPassphrases() throws {
        let workspace = try signingWorkspace()
        try export("stra\u{C3}\u{9F}e", workspace)
        try show("straße", workspace).expect(.done)
        try show("strase", workspace).expectRefusal(.credentialRefused, naming: "wrong")
    }

    @Test func anEmptyPassphraseIsOne() throws {
        let workspace = try signingWorkspace()
        try export("", workspace)
        try show("wrong", workspace).expectRefusal(.credentialRefused, naming: "wrong")
        try show("", workspace).expect(.done)
        try workspace.succeed("show k.p12")
        try export("secret", workspace)
        try show("", workspace).expectRefusal(
            .credentialRefused, naming: "--passphrase-env is empty")
    }

    @Test func aByteOrderMarkIsNotPartOfThePassphrase() throws {
        let workspace = try signingWorkspace()
        try export("secret", workspace)
        try workspace.write("\u{FEFF}secret\r\n", to: "pass")
        try workspace.succeed("show k.p12 --passphrase-file pass")
    }

    // MARK: Other formats

    @Test(arguments: [["show"], ["sign", "letter.pdf", "--key"]]) func javaKeyStoresAreNamed(
        command: [String]
    ) throws {
        let workspace = try signingWorkspace()
        for (type, magic) in [("JKS", "FEED"), ("JCEKS", "CECE")] {
            let half = try #require(UInt16(magic, radix: 16))
            let bytes = [UInt8(half >> 8), UInt8(half & 0xFF)]
            try workspace.write(Data(bytes + bytes + [0, 0, 0, 2]), to: "store.jks")
            try workspace.signet("\(command) store.jks").expectRefusal(
                .malformedInput, naming: type,
                "keytool -importkeystore -srckeystore store.jks -srcstoretype \(type)")
        }
    }

    @Test func writesTheLegacyFormWithAnAlias() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed(
            """
            key convert key.pem --cert valid.pem -o old.p12 --legacy --alias Klíč \
            --new-passphrase-env PP
            """, environment: ["PP": "x"])
        let info = try workspace.opensslOutcome("pkcs12 -in old.p12 -passin pass:x -info -noout")
        for word in ["MAC: sha1", "pbeWithSHA1And3-KeyTripleDES-CBC"] {
            #expect(info.errors.contains(word) && !info.errors.contains("AES"), "\(info.errors)")
        }
        let shown = try workspace.signet(
            "show old.p12 --passphrase-env PP", environment: ["PP": "x"])
        #expect(shown.output.contains("Klíč"))
        try workspace.signet("key convert key.pem -o x.pem --legacy --no-passphrase")
            .expect(.usage)
    }

    @Test func keysSignWithTheirOnlyDigest() throws {
        let workspace = try signingWorkspace()
        try workspace.openssl(
            """
            genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -out pss.pem \
            -pkeyopt rsa_pss_keygen_md:sha512 -pkeyopt rsa_pss_keygen_mgf1_md:sha512
            """)
        try workspace.succeed("cert create --key pss.pem --subject CN=a -o pss.crt")
        let signed = try workspace.succeed(
            "cms sign letter.pdf --key pss.pem --cert pss.crt --json")
        #expect(signed.output.contains("sha512"))
        try workspace.succeed("hash sign letter.pdf --key pss.pem -o letter.sig")
    }
}
