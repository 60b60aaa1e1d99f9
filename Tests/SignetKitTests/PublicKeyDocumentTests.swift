import SignetKit
import SignetTestSupport
import Testing

@Suite("Documents encrypted for the holders of certificates")
struct PublicKeyDocumentTests {
    private static func access(_ name: String, certificate: Bool = false) throws -> DocumentPassword
    {
        let folder = try EncryptedSamples.path() ?? ""
        return access(
            file: "\(folder)/\(name).key", certificate ? "\(folder)/\(name).crt" : nil)
    }

    private static func access(
        file: String, _ certificate: String? = nil,
        _ passphrase: PassphraseSource = .environment("UNSET")
    ) -> DocumentPassword {
        DocumentPassword(
            .environment("UNSET"),
            recipient: DocumentRecipient(
                keyFile: file, certificateFile: certificate, passphrase: passphrase))
    }

    @Test(
        "is signed with a recipient's key, and pyHanko agrees",
        arguments: [
            ("key-aes256", "first", "AES-256"), ("key-two", "first", "AES-256"),
            ("key-two", "second", "AES-256"), ("key-oaep", "first", "AES-256"),
            ("key-clear-metadata", "first", "AES-256"), ("key-rc4-40", "first", "RC4-40"),
            ("key-rc4-128", "first", "RC4-128"), ("key-v4-rc4", "first", "RC4-128"),
            ("key-v4-rc4-40", "first", "RC4-40"),
            ("key-v4-aes128", "first", "AES-128"), ("key-x25519", "montgomery", "AES-256"),
        ], [true, false])
    func roundTrip(sample: (String, String, String), namesCertificate: Bool) throws {
        let (name, recipient, method) = sample
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let signer = try Signer()
        let access = try Self.access(recipient, certificate: namesCertificate)
        let shown = try signer.show(bytes, password: access)
        #expect(shown.method == method && shown.openedAs == "owner")
        #expect(shown.recipients.count == (name == "key-two" ? 2 : 1))
        let issuer = name == "key-x25519" ? recipient : "first"
        #expect(shown.recipients.first?.hasPrefix("issuer CN=\(issuer), serial ") == true)
        #expect(shown.encryptsMetadata == (name != "key-clear-metadata"))
        let signed = try signer.sign(bytes, password: access) { $0.reason = "Důvod" }
        #expect(signed.starts(with: bytes))
        let report = try signer.verify(signed, password: access)
        #expect(report.verdict == .passed, "\(report)")
        #expect(report.signatures.first?.reason == "Důvod")
        if namesCertificate {
            let judged = try EncryptedSamples.judge(signed, recipient: recipient)
            #expect(judged?.hasSuffix(" valid") == true, "\(judged ?? "")")
        }
    }

    @Test(
        "MACs are checked there too",
        arguments: [("key-mac", "first"), ("key-ecdh", "curve")])
    func integrityCode(name: String, recipient: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let report = try Signer().verify(bytes, password: Self.access(recipient))
        #expect(report.integrityCode?.valid == true && report.integrityCode?.required == true)
    }

    @Test(
        "recipients who may have been given different keys are told, whatever the cipher",
        arguments: [
            ("key-aes256", "first", false), ("key-two", "first", true),
            ("key-two", "second", true), ("key-groups", "first", true),
            ("key-groups", "second", true), ("key-groups-gcm", "first", true),
            ("key-groups-mac", "first", true),
        ])
    func groups(sample: (name: String, recipient: String, isTold: Bool)) throws {
        guard let bytes = try EncryptedSamples.document(sample.name) else { return }
        let access = try Self.access(sample.recipient)
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: access)
        let report = try signer.verify(signed, password: access)
        #expect(report.verdict == .passed)
        let codes = report.dynamicContent?.findings.map(\.code.rawValue) ?? []
        #expect(codes.contains("recipient-groups") == sample.isTold)
    }

    @Test("whether a part beside the one that opens a document has a padding does not show")
    func guess() throws {
        guard let bytes = try EncryptedSamples.document("key-guess") else { return }
        for namesCertificate in [true, false] {
            let access = try Self.access("first", certificate: namesCertificate)
            #expect(try Signer().show(bytes, password: access).openedAs == "owner")
        }
    }

    @Test(
        "more recipients than anybody tries are refused with the reason, and as many are opened",
        arguments: [
            ("key-named-100", true, ""), ("key-named-100", false, ""),
            ("key-named-101", true, "more than 100 times"), ("key-crowd-100", false, ""),
            ("key-crowd-101", false, "more than 100 recipients"), ("key-crowd-101", true, ""),
            ("key-crowd-1000", true, ""), ("key-crowd-1001", true, "1001 recipients"),
            ("key-agreed-101", true, "more than 100 times"),
            ("key-nobody", true, "contains no recipients"),
            ("key-nobody", false, "contains no recipients"),
        ])
    func limits(name: String, namesCertificate: Bool, refusal: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let recipient = name.contains("agreed") ? "curve" : "first"
        let access = try Self.access(recipient, certificate: namesCertificate)
        do {
            #expect(try Signer().show(bytes, password: access).openedAs == "owner")
            #expect(refusal.isEmpty)
        } catch let error as SignetError {
            #expect(!refusal.isEmpty && error.message.contains(refusal), "\(error.message)")
        }
    }

    @Test("what nobody opens is refused before a key is looked for")
    func limitsBeforeKeys() throws {
        guard let bytes = try EncryptedSamples.document("key-crowd-1001") else { return }
        let access = Self.access(file: "/nowhere.key")
        let error = try #require(throws: SignetError.self) {
            try Signer().show(bytes, password: access)
        }
        #expect(error.code == .malformedInput && error.message.contains("1001 recipients"))
    }

    @Test(
        "a renewed certificate beside the recipient's keeps nobody out, in whatever order they come",
        arguments: [
            ("key-aes256", "first"), ("key-renewed", "first"), ("key-ecdh", "curve"),
            ("key-renewed-ecdh", "curve"),
        ], [false, true])
    func renewed(sample: (name: String, recipient: String), isNewestFirst: Bool) throws {
        guard let bytes = try EncryptedSamples.document(sample.name),
            let folder = try EncryptedSamples.path(), let openssl = try ExternalTool.find("openssl")
        else { return }
        let signer = try Signer()
        let own = "\(folder)/\(sample.recipient)"
        let names = ["\(own).crt", "\(own)-renewed.crt"]
        let certificates = try (isNewestFirst ? names.reversed() : names).flatMap {
            try ExternalTool.read($0)
        }
        let both = try signer.folder.write("both.crt", certificates)
        let bundle = try signer.folder.write(
            "both.pem", try ExternalTool.read("\(own).key") + certificates)
        let pkcs12 = signer.folder.file("both.p12")
        let run = try ExternalTool.run(
            openssl, ["pkcs12", "-export", "-in", bundle, "-passout", "pass:x", "-out", pkcs12])
        try #require(run.status == 0, "\(run.errors)")
        for (key, certificates) in [("\(own).key", both), (bundle, nil), (pkcs12, nil)] {
            let access = Self.access(file: key, certificates, .ask { Passphrase(Array("x".utf8)) })
            #expect(try signer.show(bytes, password: access).openedAs == "owner")
        }
    }

    @Test(
        "envelopes for others and parts of kinds that are unknown here keep nobody out",
        arguments: [
            ("key-beside-none", "first"), ("key-beside-words", "first"),
            ("key-beside-another", "first"), ("key-beside-authenticated", "first"),
            ("key-beside-cipher", "first"), ("key-beside-transport", "first"),
            ("key-beside-password", "first"), ("key-beside-shared", "first"),
            ("key-beside-other", "first"), ("key-among-password", "first"),
            ("key-among-shared", "first"), ("key-among-other", "first"),
            ("key-second-ecdh", "curve"), ("key-agreed-100", "curve"),
        ], [true, false])
    func others(sample: (name: String, recipient: String), namesCertificate: Bool) throws {
        guard let bytes = try EncryptedSamples.document(sample.name) else { return }
        let access = try Self.access(sample.recipient, certificate: namesCertificate)
        #expect(try Signer().show(bytes, password: access).openedAs == "owner")
    }

    @Test(
        "attached files and metadata that the key did not encrypt are not signed, and told",
        arguments: ["file", "cut", "metadata"])
    func forgedParts(name: String) throws {
        guard let bytes = try EncryptedSamples.document("key-forged-\(name)") else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        #expect(throws: SignetError(.malformedInput, "")) {
            try signer.sign(bytes, password: access)
        }
        // As `verify` says it of signed ones.
        let told = try signer.doubts(bytes, password: access)
        #expect(told.contains { $0.contains("without the key") }, "\(told)")
    }

    @Test("where attached files alone are encrypted, their key tells of codes taken away")
    func hiddenDemand() throws {
        guard let bytes = try EncryptedSamples.document("key-attached") else { return }
        for (access, isTold) in [(nil, true), (try Self.access("first"), false)] {
            let told = try Signer().doubts(bytes, password: access)
            #expect(told.contains { $0.contains("a removed MAC") } == isTold, "\(told)")
        }
    }

    @Test("what verify cannot read is not signed")
    func unknownFilter() throws {
        guard let bytes = try EncryptedSamples.document("key-forged-filter") else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        #expect(throws: SignetError(.malformedInput, "")) {
            try signer.verify(bytes, password: access)
        }
        #expect(throws: SignetError(.malformedInput, "")) {
            try signer.sign(bytes, password: access)
        }
        let told = try signer.doubts(bytes, password: access)
        #expect(told.contains { $0.contains("cannot be read") }, "\(told)")
        #expect(!told.contains { $0.contains("is not encrypted") }, "\(told)")
    }

    @Test("a recipient who may do little is told of keys, not of passwords")
    func reader() throws {
        guard let bytes = try EncryptedSamples.document("key-reader") else { return }
        let error = try #require(throws: SignetError.self) {
            try Signer().sign(bytes, password: Self.access("first"))
        }
        #expect(error.code == .credentialRefused && error.hint == Sentence(.giveOwnerKey))
    }

    @Test("an issuer with an empty or unreadable name is told as such")
    func namelessIssuer() throws {
        guard let bytes = try EncryptedSamples.document("key-issuer-none") else { return }
        let error = try #require(throws: SignetError.self) {
            try Signer().show(bytes, password: Self.access("stranger", certificate: true))
        }
        #expect(
            error.message.contains("an issuer with an empty or unreadable name"),
            "\(error.message)")
    }

    @Test("who demands a code by a bit among others is asked for, where the document knows codes")
    func ambiguousDemand() throws {
        guard var bytes = try EncryptedSamples.document("key-mac-odd") else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        #expect(try signer.verify(bytes, password: access).integrityCode?.valid == true)
        let entry = Array("/AuthCode".utf8)
        let start = try #require(bytes.indices.last { bytes[$0...].starts(with: entry) })
        bytes[start + 5] ^= 1
        let report = try signer.verify(bytes, password: access)
        #expect(report.verdict == .indeterminate)
        #expect(report.integrityCode?.problems.map(\.code) == [.integrityCodeUnchecked])
        #expect(throws: SignetError(.malformedInput, "")) {
            try signer.sign(bytes, password: access)
        }
    }

    @Test(
        "what somebody added without a key is told",
        arguments: [
            ("key-clear-objects-named", "object-stream-ambiguous"),
            ("key-clear-objects-unnamed", "object-stream-ambiguous"),
            ("key-clear-objects-late", "object-stream-ambiguous"),
            ("key-clear-named", "object-unreadable"), ("key-clear-state", "object-unreadable"),
            ("key-clear-self", "object-unreadable"),
            ("key-clear-words", "object-unreadable"), ("key-clear-font", "object-unreadable"),
            ("key-clear-both", "object-unreadable"),
            ("key-clear-file", ""), ("key-clear-own-file", ""), ("key-clear-typed-file", ""),
        ])
    func clearParts(name: String, problem: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        let signed = try signer.sign(bytes, password: access) { $0.allowsDamaged = true }
        let report = try signer.verify(signed, password: access)
        let codes = report.problems.map(\.code.rawValue)
        #expect(report.verdict == (problem.isEmpty ? .passed : .indeterminate), "\(report)")
        #expect(problem.isEmpty || codes.contains(problem), "\(report)")
        let told = report.dynamicContent?.findings.contains { $0.message.contains("not encrypted") }
        #expect(told == !["objects", "self", "form", "words"].contains { name.contains($0) })
    }

    @Test(
        "what the key depends on, and readers look for in different places, is told",
        arguments: [
            ("key-clear-metadata", false), ("key-metadata-filter", true),
            ("key-metadata-dictionary", true), ("key-metadata-null", true), ("key-v4-rc4", false),
            ("key-v4-rc4-40", true), ("key-length-bytes", true), ("key-v2-rc4-40", false),
            ("key-length-none", true), ("key-line", false), ("key-line-return", true),
            ("key-line-pair", true), ("key-line-joined", true), ("key-aes256", false),
            // Decrypted by some all the same, with RC4, or with a part of a shorter hash.
            ("key-attached", true), ("key-recipients-twice", true), ("key-groups-gcm", false),
            ("key-gcm-bytes", true), ("key-gcm-none", true),
        ])
    func metadataInOnePlace(name: String, isTold: Bool) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        let report = try signer.verify(signer.sign(bytes, password: access), password: access)
        let codes = report.dynamicContent?.findings.map(\.code.rawValue) ?? []
        #expect(report.verdict == .passed && codes.contains("key-by-reader") == isTold)
    }

    @Test("the signer's key opens what names a certificate that it had before")
    func renewedSigner() throws {
        guard let bytes = try EncryptedSamples.document("key-holder"),
            let folder = try EncryptedSamples.path()
        else { return }
        for certificate in ["holder", "holder-renewed"] {
            let credential = try SigningCredential(
                keyFile: "\(folder)/holder.key", certificateFile: "\(folder)/\(certificate).crt",
                passphrase: .environment("UNSET"))
            let access = DocumentPassword(
                .environment("UNSET"), recipient: DocumentRecipient(credential))
            #expect(try Signer().show(bytes, password: access).openedAs == "owner")
        }
    }

    @Test(
        "what is not encrypted where it is not on a page is told",
        arguments: [
            ("key-clear-title", "foreign-part"), ("key-clear-value", "clear-part"),
            ("key-clear-metadata-none", "clear-part"), ("key-clear-info", "foreign-part"),
            ("key-clear-info-self", "foreign-part"), ("key-clear-info-table", "foreign-part"),
            ("key-clear-info-part", "foreign-part"), ("key-clear-bookmark", "foreign-part"),
            ("key-skipped-range", "foreign-part"), ("key-skipped-type", "foreign-part"),
            ("key-skipped-filters", "foreign-part"), ("key-clear-metadata-file", "clear-part"),
            ("key-clear-metadata-crypt", "clear-part"),
        ])
    func clearPartsOutside(name: String, code: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let access = try Self.access("first")
        let signer = try Signer()
        let report = try signer.verify(signer.sign(bytes, password: access), password: access)
        let codes = report.dynamicContent?.findings.map(\.code.rawValue) ?? []
        #expect(report.verdict == .passed && codes.contains(code), "\(report)")
    }

    @Test("metadata of any part may be in clear, where the document's are")
    func clearMetadata() throws {
        guard let bytes = try EncryptedSamples.document("key-clear-metadata-part") else { return }
        let report = try Signer().verify(bytes, password: Self.access("first"))
        let codes = report.dynamicContent?.findings.map(\.code.rawValue) ?? []
        #expect(!codes.contains("clear-part") && !codes.contains("foreign-part"), "\(codes)")
    }

    @Test("what has a wrong tag where it is not on a page is told")
    func wrongTagOutside() throws {
        guard let bytes = try EncryptedSamples.document("key-clear-title-gcm") else { return }
        let report = try Signer().verify(bytes, password: Self.access("first"))
        let messages = report.dynamicContent?.findings.map(\.message) ?? []
        #expect(
            messages.contains { $0.contains("is encrypted with another key or was modified") },
            "\(messages)")
    }

    @Test("an envelope with something behind it is refused: for some readers it is another one")
    func trailingBytes() throws {
        guard let bytes = try EncryptedSamples.document("key-trailing") else { return }
        #expect(throws: SignetError(.malformedInput, "")) {
            try Signer().show(bytes, password: Self.access("first"))
        }
    }

    @Test(
        "an encryption dictionary in a stream that it would have to decrypt is refused",
        arguments: ["key-packed-encryption", "key-packed-version"])
    func packedEncryption(name: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let error = try #require(throws: SignetError.self) {
            try Signer().show(bytes, password: Self.access("first"))
        }
        #expect(error.code == .malformedInput && error.message.contains("in an object stream"))
    }

    @Test(
        "of several keys in a file the document says which opens it, each is tried",
        arguments: ["key-aes256", "key-crowd-100"])
    func severalKeys(name: String) throws {
        guard let bytes = try EncryptedSamples.document(name),
            let folder = try EncryptedSamples.path()
        else { return }
        let signer = try Signer()
        func read(_ names: [String]) throws -> [UInt8] {
            try names.flatMap { try ExternalTool.read("\(folder)/\($0)") }
        }
        let keys = ["holder.key", "first.key"]
        let bare = try signer.folder.write("bare.pem", read(keys))
        let turned = try signer.folder.write("turned.pem", read(keys.reversed()))
        let pairs = try signer.folder.write("two.pem", read(keys + ["holder.crt", "first.crt"]))
        for (file, certificate) in [
            (bare, nil), (turned, nil), (bare, "first"), (pairs, nil), (pairs, "first"),
        ] {
            let access = Self.access(file: file, certificate.map { "\(folder)/\($0).crt" })
            #expect(try signer.show(bytes, password: access).openedAs == "owner")
        }
        let other = Self.access(file: pairs, "\(folder)/second.crt")
        #expect(throws: SignetError(.credentialRefused, "")) {
            try signer.show(bytes, password: other)
        }
    }

    @Test("a key that cannot decrypt is told, not taken for somebody else's")
    func uselessKey() throws {
        guard let bytes = try EncryptedSamples.document("key-aes256"),
            let openssl = try ExternalTool.find("openssl")
        else { return }
        let signer = try Signer()
        let key = signer.folder.file("x448.key")
        let run = try ExternalTool.run(openssl, ["genpkey", "-algorithm", "X448", "-out", key])
        try #require(run.status == 0, "\(run.errors)")
        let access = Self.access(file: key)
        let error = try #require(throws: SignetError.self) {
            try signer.show(bytes, password: access)
        }
        #expect(error.code == .credentialRefused && error.message.contains("X448"))
    }

    @Test("names of recipients are told in short", arguments: ["key-long-name", "key-long-letter"])
    func longNames(name: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let signer = try Signer()
        let error = try #require(throws: SignetError.self) {
            try signer.show(bytes, password: Self.access("stranger"))
        }
        #expect(error.message.utf8.count < 2000 && error.message.contains("CN=first"))
        let shown = try signer.show(bytes, password: Self.access("first"))
        #expect(shown.recipients.allSatisfy { $0.utf8.count < 2000 })
    }

    @Test("a stranger's key, and none at all, are refused credentials that name the recipients")
    func stranger() throws {
        guard let bytes = try EncryptedSamples.document("key-two") else { return }
        let signer = try Signer()
        for access in [nil, try Self.access("stranger"), try Self.access("curve")] {
            let error = try #require(throws: SignetError.self) {
                try signer.sign(bytes, password: access)
            }
            #expect(error.code == .credentialRefused)
            #expect(error.message.contains("CN=first") && error.message.contains("CN=second"))
            let isKnown = access != nil
            #expect(
                error.hint?.code
                    == (isKnown ? .nameDecryptionKeyAndCertificate : .nameDecryptionKey))
        }
    }

    @Test("an envelope with an unknown cipher is refused, and the cipher named")
    func unknownCipher() throws {
        guard var bytes = try EncryptedSamples.document("key-aes256") else { return }
        // The envelopes stand there in hexadecimal: AES-256-CBC.
        let cipher = Array("60864801650304012a".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: cipher) })
        bytes.replaceSubrange(
            (start + cipher.count - 2)..<(start + cipher.count), with: Array("63".utf8))
        let error = try #require(throws: SignetError.self) {
            try Signer().sign(bytes, password: Self.access("first", certificate: true))
        }
        #expect(error.code == .malformedInput)
        #expect(error.message.contains("2.16.840.1.101.3.4.1.99"), "\(error.message)")
    }

    @Test("a wrong passphrase of the recipient's key is a refused credential")
    func wrongPassphrase() throws {
        guard let bytes = try EncryptedSamples.document("key-aes256"),
            let openssl = try ExternalTool.find("openssl")
        else { return }
        let signer = try Signer()
        let locked = signer.folder.file("locked.key")
        let run = try ExternalTool.run(
            openssl,
            ["pkcs8", "-topk8", "-in", "\(try EncryptedSamples.path() ?? "")/first.key"]
                + ["-passout", "pass:right", "-out", locked])
        try #require(run.status == 0, "\(run.errors)")
        for (passphrase, isRight) in [("wrong", false), ("right", true)] {
            let access = Self.access(file: locked, nil, .ask { Passphrase(Array(passphrase.utf8)) })
            if isRight {
                _ = try signer.sign(bytes, password: access)
            } else {
                #expect(throws: SignetError(.credentialRefused, "")) {
                    try signer.sign(bytes, password: access)
                }
            }
        }
    }

    @Test(
        "what would be signed is known before, and who may open it and do what is shown",
        arguments: [
            ("gcm", ""), ("gcm-mac", ""), ("aes-mac", ""), ("key-aes256", "first"),
            ("key-two", "second"), ("key-mac", "first"), ("key-oaep", "first"),
            ("key-ecdh", "curve"), ("key-clear-metadata", "first"), ("key-rc4-40", "first"),
            ("key-v4-aes128", "first"),
        ])
    func shownAndChecked(name: String, recipient: String) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let access =
            recipient.isEmpty
            ? DocumentPassword(.ask { Passphrase(Array("user".utf8)) })
            : try Self.access(recipient)
        let signer = try Signer()
        let shown = try signer.show(bytes, password: access)
        #expect(shown.recipients.isEmpty == recipient.isEmpty)
        #expect(shown.permissions.contains("create-fields"))
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        let checked = try SignDocument(
            credential: signer.credential, options: options, password: access
        ).check(.bytes(bytes))
        #expect(checked.output == nil && checked.level == .b)
    }

    @Test(
        "damaged envelopes are refused, never trap",
        arguments: [("key-aes256", "first", 9), ("key-x25519", "montgomery", 2)])
    func damaged(name: String, recipient: String, step: Int) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let signer = try Signer()
        let access = try Self.access(recipient)
        let keyword = Array("/Recipients".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: keyword) })
        for offset in stride(from: 12, to: 700, by: step) {
            var changed = bytes
            changed[start + offset] ^= 0x11
            do {
                _ = try signer.verify(changed, password: access)
            } catch let error as SignetError {
                #expect(error.code == .malformedInput || error.code == .credentialRefused)
            }
        }
    }
}
