package import CMSKit
package import CryptoBridge
import FileBridge
import TrustKit

/// A private key with the certificate that belongs to it, ready to sign with.
public struct SigningCredential: Sendable {
    /// The key, or what stands for one that is elsewhere.
    package let key: any DigestSigner
    /// The key itself; nil when it cannot leave whoever has it.
    package var privateKey: PrivateKey? { key as? PrivateKey }
    package let certificate: Certificate
    /// Intermediates that go into the signature.
    package let chain: [Certificate]
    /// Where the key was read from, for messages.
    package let source: String

    /// Largest key or certificate file that is read.
    static let byteLimit = 16 * 1024 * 1024

    /// Reads the key, finds its certificate among those given, and checks that they belong
    /// together.
    ///
    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, recognised by its bytes.
    ///   - certificateFile: leaf and chain in any order; nil when the key's file holds them.
    ///   - passphrase: asked only when the key is encrypted.
    public init(
        keyFile: String, certificateFile: String? = nil, chainFiles: [String] = [],
        passphrase: PassphraseSource
    ) throws {
        let bundle = try Self.readBundle(keyFile, passphrase: passphrase)
        guard let key = bundle.key else {
            throw SignetError(
                .malformedInput, file: keyFile, "holds no private key",
                hint: "give the private key's file with --key, the certificate with --cert")
        }
        var certificates = bundle.certificates
        for file in [certificateFile].compactMap({ $0 }) + chainFiles {
            certificates += try Self.readCertificates(file)
        }
        guard !certificates.isEmpty else {
            throw SignetError(
                .usage, file: keyFile, "no certificate is given",
                hint: "add --cert FILE, or make one: signet cert create --help")
        }
        try self.init(
            key: key, keyName: keyFile, certificates: certificates,
            certificateFile: certificateFile)
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
                key: SignerKey(signer: signer, publicKey: try leaf.publicKey), keyName: name,
                certificates: certificates)
        }
    }

    /// - Parameters:
    ///   - keyName: what messages call the key.
    ///   - certificates: the key's and those of its issuers, in any order.
    ///   - certificateFile: where they come from, if not from where the key is.
    package init(
        key: any DigestSigner, keyName: String, certificates: [Certificate],
        certificateFile: String? = nil
    ) throws {
        let source = certificateFile ?? keyName
        guard let leaf = certificates.first(where: { $0.certifies(key.publicKey) }) else {
            throw SignetError(
                .credentialRefused, file: source,
                "the certificate does not belong to the private key \(keyName)",
                hint: "give the certificate that was issued for this key with --cert")
        }
        self.key = key
        certificate = leaf
        chain = Self.chain(of: leaf, in: certificates)
        self.source = source
    }

    /// A signer whose key is elsewhere.
    ///
    /// - Parameter certificateFile: the signer's certificate first, or alone with a key usage.
    public init(certificateFile: String, chainFiles: [String] = []) throws {
        var certificates = try Self.readCertificates(certificateFile)
        guard let leaf = certificates.first(where: { !$0.isCA }) ?? certificates.first else {
            throw SignetError(.malformedInput, file: certificateFile, "holds no certificate")
        }
        for file in chainFiles { certificates += try Self.readCertificates(file) }
        key = try reading(certificateFile) { AbsentSigner(publicKey: try leaf.publicKey) }
        certificate = leaf
        chain = Self.chain(of: leaf, in: certificates)
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

    static func readBundle(
        _ path: String, passphrase: PassphraseSource
    ) throws -> CredentialBundle {
        SecretBytes.protectProcess()
        return try reading(path) {
            var bytes = try FileSystem.readAll(path, limit: byteLimit)
            return try read(SecretBytes(consuming: &bytes), passphrase)
        }
    }

    /// Recognises the key; a passphrase source that fails keeps its own reason.
    static func read(
        _ bytes: SecretBytes, _ passphrase: PassphraseSource
    ) throws -> CredentialBundle {
        var refusal: (any Error)?
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try CredentialReader.read(bytes) {
                    do {
                        return try passphrase.read()
                    } catch {
                        refusal = error
                        return nil
                    }
                }
            } catch  where error.code == .wrongPassphrase && attempt < passphrase.tries {
                Notices.say("the passphrase is wrong, try again")
            } catch {
                throw refusal ?? error
            }
        }
    }

    static func readCertificates(_ path: String) throws -> [Certificate] {
        try reading(path) {
            try Certificate.readAll(FileSystem.readAll(path, limit: byteLimit))
        }
    }
}
