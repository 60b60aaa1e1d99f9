import Base
package import CMSKit
package import CryptoBridge
import SystemBridge
import TrustKit

/// A private key with its certificate, ready for signing.
public struct SigningCredential: Sendable {
    /// The key, or an adapter for an external key.
    package let key: any DigestSigner
    /// The private key; nil if it cannot be exported.
    package var privateKey: PrivateKey? { key as? PrivateKey }
    /// Whether the key is on a device, in a program or in a service.
    public var isElsewhere: Bool { privateKey == nil }
    package let certificate: Certificate
    /// Intermediate CA certificates for the signature.
    package let chain: [Certificate]
    /// Other given certificates of the key, since data may be encrypted for an older one.
    let renewals: [Certificate]
    /// The reason for choosing this certificate, for people; nil if there was only one.
    private(set) var note: String?
    /// Source of the key, for messages.
    package let source: String
    private(set) var eligibility = EligibilityCache()
    /// Note about missing intermediate certificates, for people; nil if none are missing.
    let chainNote: String?

    /// Maximum size of a key or certificate file, in bytes.
    static let byteLimit = 16 * 1024 * 1024

    /// Reads the key, finds its certificate among those given, and checks that they match.
    ///
    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, detected by content; or a PKCS#11 URI (RFC 7512), a
    ///     program (`exec:`), a service (`csc:`), an OpenSSL provider (`provider:`).
    ///   - certificateFile: leaf and chain in any order; nil if the key's file contains them.
    ///   - chainFiles: files with intermediate CA certificates.
    ///   - passphrase: used only if the key is encrypted.
    ///   - service: connection to a service.
    /// - Throws: ``SignetError``: among others `credentialRefused` if no certificate matches the
    ///   key.
    public init(
        keyFile: String, certificateFile: String? = nil, chainFiles: [String] = [],
        passphrase: PassphraseSource, service: ServiceOptions = ServiceOptions()
    ) throws {
        try self.init(
            keyFile: keyFile, certificateFile: certificateFile, chainFiles: chainFiles,
            passphrase: passphrase, purpose: .documents, service: service)
    }

    /// - Parameter purpose: required purpose of the certificate if a token has several.
    init(
        keyFile: String, certificateFile: String?, chainFiles: [String] = [],
        passphrase: PassphraseSource, purpose: SignerPolicy.Purpose,
        service: ServiceOptions = ServiceOptions()
    ) throws {
        let given: [Certificate]
        do {
            given = try certificateFile.map { try Self.readCertificates($0) } ?? []
        } catch {
            throw SwappedFiles.error(key: keyFile, certificate: certificateFile) ?? error
        }
        let chain = try chainFiles.flatMap { try Self.readCertificates($0) }
        let opened = try OpenedKey.open(
            keyFile, passphrase: passphrase, given: given, purpose: purpose, service: service)
        guard !opened.certificates.isEmpty || !chain.isEmpty else {
            throw SignetError(
                .usage, file: keyFile, "no certificate is given", hint: Sentence(.addOrMake))
        }
        try self.init(
            keys: opened.keys, keyName: opened.name, certificates: opened.certificates + chain,
            preferred: given.isEmpty ? opened.preferred : given, entries: opened.entries,
            certificateFile: certificateFile)
        note = opened.note ?? note
    }

    /// Creates a credential from a signer of any kind.
    ///
    /// - Parameters:
    ///   - signer: its certificates are read at once; ``Signer/close()`` is called by the
    ///     credential.
    ///   - name: name in messages.
    /// - Throws: ``SignetError``: `credentialRefused` without a certificate.
    public init(signer: some Signer, name: String) throws {
        let certificates = try reading(name) { try signer.certificates }
        self = try Self.make(certificates, name: name) { SignerKey(signer: signer, publicKey: $0) }
    }

    /// Creates a credential from a key and certificates in memory.
    ///
    /// - Parameters:
    ///   - key: PEM, DER or PKCS#12, which may contain certificates too.
    ///   - certificates: PEM or DER of the signer's certificate and its issuers, in any order.
    ///   - passphrase: used only if the key is encrypted.
    ///   - name: name in messages.
    /// - Throws: ``SignetError``: among others `credentialRefused` if no certificate matches the
    ///   key.
    public init(
        key: [UInt8], certificates: [[UInt8]] = [], passphrase: Passphrase? = nil,
        name: String = "key"
    ) throws {
        SecretBytes.protectProcess()
        self = try reading(name) {
            var bytes = key
            let source = PassphraseSource.ask {
                guard let passphrase else {
                    throw SignetError(.credentialRefused, "the key is encrypted")
                }
                return passphrase
            }
            let bundle = try Self.read(SecretBytes(consuming: &bytes), source)
            let given = try certificates.flatMap { try Certificate.readAll($0) }
            return try SigningCredential(
                keys: bundle.keys, keyName: name, certificates: bundle.certificates + given,
                preferred: given, entries: bundle.entries)
        }
    }

    /// - Parameter key: creates the key with the public key of the first certificate.
    static func make(
        _ certificates: [[UInt8]], name: String, key: (PublicKey) -> any DigestSigner
    ) throws -> SigningCredential {
        try reading(name) {
            let certificates = try certificates.map { try Certificate(der: $0) }
            guard let leaf = certificates.first else {
                throw SignetError(.credentialRefused, file: name, "the key has no certificate")
            }
            return try SigningCredential(
                keys: [key(try leaf.publicKey)], keyName: name, certificates: certificates,
                preferred: [leaf])
        }
    }

    /// - Parameters:
    ///   - keyName: name of the key in messages.
    ///   - certificates: certificates of the key and of its issuers, in any order.
    ///   - preferred: certificates with priority if several match.
    ///   - entries: the certificates in the key's file.
    ///   - certificateFile: source of the certificates, if it differs from the key's.
    package init(
        keys: [any DigestSigner], keyName: String, certificates: [Certificate],
        preferred: [Certificate] = [], entries: KeyFileEntries = .init(),
        certificateFile: String? = nil
    ) throws {
        let source = certificateFile ?? keyName
        guard
            let choice = try CertificateChoice(
                of: keys, certificates, preferred: preferred, entries: entries, source: source)
        else {
            throw SignetError(
                .credentialRefused, file: source,
                "the certificate does not belong to the private key \(keyName)",
                hint: Sentence(.giveIssuedCertificate))
        }
        let renewals = certificates.filter {
            $0 != choice.certificate && $0.certifies(choice.key.publicKey)
        }
        self.init(choice, in: certificates, renewals: renewals, source: source)
    }

    private init(
        _ choice: CertificateChoice, in certificates: [Certificate], renewals: [Certificate],
        source: String
    ) {
        key = choice.key
        certificate = choice.certificate
        note = choice.note
        chain = Self.chain(of: choice.certificate, in: certificates)
        self.renewals = renewals
        chainNote = chain.isEmpty ? Self.chainNote(of: choice.certificate, in: certificates) : nil
        self.source = source
    }

    /// A credential for an external key.
    ///
    /// - Parameter certificateFile: the signing certificate first, or the only one with a suitable
    ///   key usage.
    /// - Throws: ``SignetError``: `usage` if several certificates are suitable.
    public init(certificateFile: String, chainFiles: [String] = []) throws {
        var certificates = try Self.readCertificates(certificateFile)
        let leaves = certificates.filter { !$0.isCA }
        let keys = try reading(certificateFile) {
            try (leaves.isEmpty ? Array(certificates.prefix(1)) : leaves).map {
                ExternalSigner(publicKey: try $0.publicKey)
            }
        }
        guard
            let choice = try CertificateChoice(
                of: keys, certificates, preferred: leaves, source: certificateFile)
        else {
            throw SignetError(
                .malformedInput, file: certificateFile, "the file contains no certificate")
        }
        for file in chainFiles { certificates += try Self.readCertificates(file) }
        self.init(choice, in: certificates, renewals: [], source: certificateFile)
    }

    /// The issuers of the leaf in sequence, without the root, which validators must have.
    private static func chain(of leaf: Certificate, in pool: [Certificate]) -> [Certificate] {
        var chain: [Certificate] = []
        var current = leaf
        while !current.isSelfIssued {
            let named = pool.filter {
                $0.isNamedAsIssuer(of: current) && !$0.isSelfIssued && !chain.contains($0)
                    && $0 != leaf
            }
            // A CA may have several keys; without its key, any certificate of its name.
            guard let issuer = named.first(where: current.isSigned(by:)) ?? named.first else {
                break
            }
            chain.append(issuer)
            current = issuer
        }
        return chain
    }

    /// A note if the certificate contains an issuer URL, but the issuer's certificate was not
    /// given.
    private static func chainNote(of leaf: Certificate, in pool: [Certificate]) -> String? {
        guard !leaf.isSelfIssued, !leaf.issuerAddresses.isEmpty,
            !pool.contains(where: { $0.isNamedAsIssuer(of: leaf) })
        else { return nil }
        return
            "the issuer certificate (\(leaf.issuer.shortText.inQuotes)) is not included: "
            + "recipients with only the root certificate cannot verify the signature"
    }

    static func readBundle(
        _ path: String, passphrase: PassphraseSource, as option: String = "passphrase"
    ) throws -> CredentialBundle {
        SecretBytes.protectProcess()
        if OpenedKey.isElsewhere(path) {
            throw SignetError(
                .credentialRefused, "the key cannot be exported: a key file is required")
        }
        return try reading(path) {
            var bytes = try readFile(path, .giveKeyAndCertificate)
            if let mistake = mistake(in: bytes, path) {
                SecretBytes.wipe(&bytes)
                throw mistake
            }
            return try read(SecretBytes(consuming: &bytes), passphrase, as: option)
        }
    }

    /// The error about an input that is empty, or encoded as secrets in variables are: DER or PEM in
    /// base64, or PEM with `\n` in place of line breaks.
    private static func mistake(in bytes: [UInt8], _ path: String) -> SignetError? {
        func error(_ message: String, _ hint: Sentence? = nil) -> SignetError {
            let file = path == "-" ? "standard input" : path
            return SignetError(.malformedInput, file: file, message, hint: hint)
        }
        let start = bytes.lazy.filter { $0 > 0x20 }.prefix(14)
        if start.isEmpty { return error("the input is empty", Sentence(.checkSource)) }
        if start.starts(with: "-----BEGIN".utf8) {
            let isEscaped = bytes.firstRange(of: Array("-----\\n".utf8)) != nil
            return isEscaped
                ? error("the line breaks of the PEM file are written as \\n", Sentence(.breakLines))
                : nil
        }
        let isText = bytes.allSatisfy { byte in
            byte <= 0x39 || byte == 0x3D || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        // 30 82, the beginning of a long SEQUENCE, or `-----BEGIN`.
        guard isText, start.starts(with: "MI".utf8) || start.starts(with: "LS0tLS1CRUdJTi".utf8)
        else { return nil }
        return error("the key is encoded in base64", Sentence(.decodeBase64))
    }

    /// Reads the key; an error of the passphrase source is passed on.
    static func read(
        _ bytes: SecretBytes, _ passphrase: PassphraseSource, as option: String = "passphrase"
    ) throws -> CredentialBundle {
        var refusal: (any Error)?
        var isEmpty = false
        func ask() -> SecretBytes? {
            do {
                let secret = try passphrase.read(as: option)
                isEmpty = secret.isEmpty
                return secret
            } catch {
                refusal = error
                return nil
            }
        }
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try CredentialReader.read(
                    bytes, isGiven: passphrase.isGiven, passphrase: ask)
            } catch  where error.code == .wrongPassphrase && attempt < passphrase.tries {
                Notices.say(.wrongPassphrase)
            } catch  where error.code == .wrongPassphrase && isEmpty {
                throw passphrase.emptiness(option)
            } catch {
                throw refusal ?? error
            }
        }
    }

    static func readCertificates(_ path: String) throws -> [Certificate] {
        try reading(path) { try Certificate.readAll(readFile(path, .useCertificateFile)) }
    }

    /// The bytes of a file with keys or certificates.
    ///
    /// - Parameter hint: what to do if the path is a folder, or the file is empty.
    private static func readFile(_ path: String, _ hint: Sentence.Code) throws -> [UInt8] {
        guard !FileSystem.isDirectory(path) else {
            throw SignetError(
                .missingInput, file: path, "the path is a folder", hint: Sentence(hint))
        }
        let bytes = try FileSystem.readAll(path, limit: byteLimit)
        guard !bytes.isEmpty || !FileSystem.isRegularFile(path) else {
            throw SignetError(
                .malformedInput, file: path, "the file is empty", hint: Sentence(hint))
        }
        return bytes
    }
}
