import SignetKit
import SignetTestSupport
import Testing

@Suite("Documents encrypted for the holders of certificates")
struct PublicKeyDocumentTests {
    private static func access(_ name: String, certificate: Bool = false) throws -> DocumentPassword
    {
        let folder = try EncryptedSamples.path() ?? ""
        return DocumentPassword(
            .environment("UNSET"),
            recipient: DocumentRecipient(
                keyFile: "\(folder)/\(name).key",
                certificateFile: certificate ? "\(folder)/\(name).crt" : nil,
                passphrase: .environment("UNSET")))
    }

    @Test(
        "is signed with a recipient's key, and pyHanko agrees",
        arguments: [
            ("key-aes256", "first", "AES-256"), ("key-two", "first", "AES-256"),
            ("key-two", "second", "AES-256"), ("key-oaep", "first", "AES-256"),
            ("key-clear-metadata", "first", "AES-256"), ("key-rc4-40", "first", "RC4-40"),
            ("key-rc4-128", "first", "RC4-128"), ("key-v4-rc4", "first", "RC4-128"),
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
        "integrity codes are checked there too",
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
        let codes = report.dynamicContent?.findings.map(\.code) ?? []
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

    @Test("a stranger's key, and none at all, are refused credentials that name the recipients")
    func stranger() throws {
        guard let bytes = try EncryptedSamples.document("key-two") else { return }
        let signer = try Signer()
        for access in [nil, try Self.access("stranger"), try Self.access("curve")] {
            do {
                _ = try signer.sign(bytes, password: access)
                Issue.record("was signed")
            } catch let error as SignetError {
                #expect(error.code == .credentialRefused)
                #expect(error.message.contains("CN=first") && error.message.contains("CN=second"))
                let isKnown = access != nil
                #expect(
                    error.advice
                        == .document(
                            isKnown ? .nameDecryptionKeyAndCertificate : .nameDecryptionKey))
            }
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
        do {
            _ = try Signer().sign(bytes, password: Self.access("first", certificate: true))
            Issue.record("was signed")
        } catch let error as SignetError {
            #expect(error.code == .malformedInput)
            #expect(error.message.contains("2.16.840.1.101.3.4.1.99"), "\(error.message)")
        }
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
            let access = DocumentPassword(
                .environment("UNSET"),
                recipient: DocumentRecipient(
                    keyFile: locked, passphrase: .ask { Passphrase(Array(passphrase.utf8)) }))
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
