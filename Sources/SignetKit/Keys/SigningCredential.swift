import Base
package import CMSKit
package import CryptoBridge
import SystemBridge
import TrustKit

/// A private key with the certificate that belongs to it, ready to sign with.
public struct SigningCredential: Sendable {
    /// The key, or what stands for one that is elsewhere.
    package let key: any DigestSigner
    /// The key itself; nil when it cannot leave whoever has it.
    package var privateKey: PrivateKey? { key as? PrivateKey }
    /// Whether a device, a program or somebody else has the key.
    public var isElsewhere: Bool { privateKey == nil }
    package let certificate: Certificate
    /// Intermediates that go into the signature.
    package let chain: [Certificate]
    /// Others of the same key that were given: what is encrypted for the signer may name an older one.
    let renewals: [Certificate]
    /// Why this certificate was taken of several, for people; nil where there was no choice.
    private(set) var note: String?
    /// Where the key was read from, for messages.
    package let source: String
    private(set) var eligibility = EligibilityMemo()
    /// What others lack to verify, for people; nil where nothing is known to be missing.
    let chainNote: String?

    /// Largest key or certificate file that is read.
    static let byteLimit = 16 * 1024 * 1024

    /// Reads the key, finds its certificate among those given, and checks that they belong
    /// together.
    ///
    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, recognised by its bytes; or a PKCS#11 URI (RFC 7512), a
    ///     program (`exec:`), a service (`csc:`).
    ///   - certificateFile: leaf and chain in any order; nil when the key's file holds them.
    ///   - passphrase: asked only when the key is encrypted.
    ///   - service: how a service is reached.
    public init(
        keyFile: String, certificateFile: String? = nil, chainFiles: [String] = [],
        passphrase: PassphraseSource, service: ServiceOptions = ServiceOptions()
    ) throws {
        try self.init(
            keyFile: keyFile, certificateFile: certificateFile, chainFiles: chainFiles,
            passphrase: passphrase, purpose: .documents, service: service)
    }

    /// - Parameter purpose: what the certificate is to be good for, where a token has several.
    init(
        keyFile: String, certificateFile: String?, chainFiles: [String] = [],
        passphrase: PassphraseSource, purpose: SignerPolicy.Purpose,
        service: ServiceOptions = ServiceOptions()
    ) throws {
        let given = try certificateFile.map { try Self.readCertificates($0) } ?? []
        let chain = try chainFiles.flatMap { try Self.readCertificates($0) }
        let opened = try OpenedKey.open(
            keyFile, passphrase: passphrase, given: given, purpose: purpose, service: service)
        guard !opened.certificates.isEmpty || !chain.isEmpty else {
            throw SignetError(
                .usage, file: keyFile, "no certificate is given", hint: Sentence(.addOrMake))
        }
        try self.init(
            keys: opened.keys, keyName: opened.name, certificates: opened.certificates + chain,
            preferred: given.isEmpty ? opened.preferred : given, certificateFile: certificateFile)
        note = opened.note ?? note
    }

    /// Signs with a signer of any kind.
    ///
    /// - Parameters:
    ///   - signer: tells its certificates at once; ``Signer/close()`` of the credential closes it.
    ///   - name: what messages call it.
    public init(signer: some Signer, name: String) throws {
        self = try reading(name) {
            let certificates = try signer.certificates.map { try Certificate(der: $0) }
            guard let leaf = certificates.first else {
                throw SignetError(.credentialRefused, file: name, "has no certificate")
            }
            return try SigningCredential(
                keys: [SignerKey(signer: signer, publicKey: try leaf.publicKey)], keyName: name,
                certificates: certificates, preferred: [leaf])
        }
    }

    /// - Parameters:
    ///   - keyName: what messages call the key.
    ///   - certificates: the key's and those of its issuers, in any order.
    ///   - preferred: those of them that count where several fit.
    ///   - certificateFile: where they come from, if not from where the key is.
    package init(
        keys: [any DigestSigner], keyName: String, certificates: [Certificate],
        preferred: [Certificate] = [], certificateFile: String? = nil
    ) throws {
        let source = certificateFile ?? keyName
        guard
            let choice = try CertificateChoice(
                of: keys, certificates, preferred: preferred, source: source)
        else {
            throw SignetError(
                .credentialRefused, file: source,
                "the certificate does not belong to the private key \(keyName)",
                hint: Sentence(.giveIssuedCertificate))
        }
        key = choice.key
        certificate = choice.certificate
        note = choice.note
        chain = Self.chain(of: choice.certificate, in: certificates)
        renewals = certificates.filter {
            $0 != choice.certificate && $0.certifies(choice.key.publicKey)
        }
        chainNote = chain.isEmpty ? Self.chainNote(of: choice.certificate, in: certificates) : nil
        self.source = source
    }

    /// A signer whose key is elsewhere.
    ///
    /// - Parameter certificateFile: the signer's certificate first, or alone with a key usage.
    public init(certificateFile: String, chainFiles: [String] = []) throws {
        var certificates = try Self.readCertificates(certificateFile)
        let leaves = certificates.filter { !$0.isCA }
        let keys = try reading(certificateFile) {
            try (leaves.isEmpty ? Array(certificates.prefix(1)) : leaves).map {
                AbsentSigner(publicKey: try $0.publicKey)
            }
        }
        guard
            let choice = try CertificateChoice(
                of: keys, certificates, preferred: leaves, source: certificateFile)
        else { throw SignetError(.malformedInput, file: certificateFile, "holds no certificate") }
        for file in chainFiles { certificates += try Self.readCertificates(file) }
        key = choice.key
        certificate = choice.certificate
        note = choice.note
        chain = Self.chain(of: choice.certificate, in: certificates)
        renewals = []
        chainNote = chain.isEmpty ? Self.chainNote(of: choice.certificate, in: certificates) : nil
        source = certificateFile
    }

    /// The leaf's issuers in order, roots left out: a verifier must have those already.
    private static func chain(of leaf: Certificate, in pool: [Certificate]) -> [Certificate] {
        var chain: [Certificate] = []
        var current = leaf
        while !current.isSelfIssued,
            let issuer = pool.first(where: {
                $0.subjectDER == current.issuerDER && !$0.isSelfIssued && !chain.contains($0)
                    && $0 != leaf
            })
        {
            chain.append(issuer)
            current = issuer
        }
        return chain
    }

    /// Where a certificate without chain says that its issuer's is to be had somewhere, that is no
    /// root that everybody has, unless it was given too.
    private static func chainNote(of leaf: Certificate, in pool: [Certificate]) -> String? {
        guard !leaf.isSelfIssued, !leaf.issuerAddresses.isEmpty,
            !pool.contains(where: { $0.subjectDER == leaf.issuerDER })
        else { return nil }
        return
            "the certificate of its issuer (\(leaf.issuer.shortText.inQuotes)) does not go along: "
            + "who has only the root certificate cannot verify; give the chain as well"
    }

    static func readBundle(
        _ path: String, passphrase: PassphraseSource, permitsSeveralKeys: Bool = false,
        as option: String = "passphrase"
    ) throws -> CredentialBundle {
        SecretBytes.protectProcess()
        if OpenedKey.isElsewhere(path) {
            throw SignetError(
                .credentialRefused, "the key cannot leave where it is: here a file is needed")
        }
        return try reading(path) {
            var bytes = try FileSystem.readAll(path, limit: byteLimit)
            return try read(
                SecretBytes(consuming: &bytes), passphrase, permitsSeveralKeys: permitsSeveralKeys,
                as: option)
        }
    }

    /// Recognises the key; a passphrase source that fails keeps its own reason.
    static func read(
        _ bytes: SecretBytes, _ passphrase: PassphraseSource, permitsSeveralKeys: Bool = false,
        as option: String = "passphrase"
    ) throws -> CredentialBundle {
        var refusal: (any Error)?
        func ask() -> SecretBytes? {
            do {
                return try passphrase.read(as: option)
            } catch {
                refusal = error
                return nil
            }
        }
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try permitsSeveralKeys
                    ? CredentialReader.readAll(bytes, passphrase: ask)
                    : CredentialReader.read(bytes, passphrase: ask)
            } catch  where error.code == .wrongPassphrase && attempt < passphrase.tries {
                Notices.say(.wrongPassphrase)
            } catch {
                throw refusal ?? error
            }
        }
    }

    static func readCertificates(_ path: String) throws -> [Certificate] {
        try reading(path) { try Certificate.readAll(FileSystem.readAll(path, limit: byteLimit)) }
    }
}
