import CMSKit
import CryptoBridge
import KeyBridge
import SystemBridge

/// The description of a new key.
public struct GeneratedKey: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.key/1"
    /// Path of the key file, or URI of a key on a token.
    public let file: String
    /// File of the public key; nil if not requested.
    public let publicKeyFile: String?
    /// Kind and size of the key, such as `RSA 3072`.
    public let algorithm: String
    /// Whether a passphrase or a token's PIN protects it.
    public let encrypted: Bool
    /// Label of the token with the key; nil for a key file.
    public var token: String?
}

/// Generates a private key: PKCS#8 (RFC 5958) in PEM, readable only by its owner.
public struct GenerateKey: Sendable {
    private let type: KeyType

    /// - Parameter type: `rsa:3072`, `ec:P-256`, `ed25519`, `ed448`…
    /// - Throws: ``SignetError``: `usage` for an unknown type.
    public init(type: String) throws {
        guard let type = KeyType(name: type) else {
            throw SignetError(
                .usage, "unknown key type '\(type)'", hint: Sentence(.chooseKnownType))
        }
        self.type = type
    }

    /// Generates a key and writes it to a file.
    ///
    /// - Parameter passphrase: nil leaves the key unencrypted.
    /// - Throws: ``SignetError``: among others `outputRefused` for an existing file.
    public func run(
        into destination: Destination, passphrase: PassphraseSource?,
        publicKey publicDestination: Destination? = nil
    ) throws -> GeneratedKey {
        // The outputs are opened before the passphrase is requested.
        let output = try destination.secretOutput()
        let publicOutput = try publicDestination.map { try $0.output() }
        let secret = try passphrase?.readNew(for: destination.path)
        let (key, pem) = try make(destination.path, secret: secret)
        try writing(destination.path) {
            try pem.withBytes { bytes throws(FileError) in try output.write(bytes) }
            try publicOutput?.write(key.publicKey.pem)
            // The private key is committed first: a new public key next to an old private one would
            // be wrong.
            try AtomicOutput.commit([output] + [publicOutput].compactMap { $0 })
        }
        return GeneratedKey(
            file: destination.path, publicKeyFile: publicDestination?.path,
            algorithm: key.algorithm.description, encrypted: secret != nil)
    }

    /// Generates a non-extractable key on a token, for signing only.
    ///
    /// - Parameters:
    ///   - text: a PKCS#11 URI of the token with the key's name (`object`), and its `id` if that is
    ///     not the subject key identifier.
    ///   - pin: PIN of the token.
    ///   - confirmsEach: whether each signature requires the PIN.
    /// - Throws: ``SignetError``: `outputRefused` if the token already contains such an object.
    public func run(
        onToken text: String, pin: PassphraseSource, confirmsEach: Bool = false,
        publicKey publicDestination: Destination? = nil
    ) throws -> GeneratedKey {
        let publicOutput = try publicDestination.map { try $0.output() }
        do {
            let uri = try PKCS11URI(text)
            let (token, pins, named) = try TokenFinder(text, passphrase: pin, purpose: nil)
                .onlyToken()
            let made = try token.generate(
                Token.NewKey(
                    type: type,
                    label: uri[.object].map { String(decoding: $0, as: UTF8.self) } ?? "",
                    id: uri[.id], isAlwaysAuthenticating: confirmsEach), pins: pins
            ) { key in
                guard let publicOutput, let publicDestination else { return }
                try writing(publicDestination.path) {
                    try publicOutput.write(key.pem)
                    try publicOutput.commit()
                }
            }
            return GeneratedKey(
                file: named(made.uri).text, publicKeyFile: publicDestination?.path,
                algorithm: made.publicKey.algorithm.description, encrypted: true,
                token: token.info.label)
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        } catch let exists as Token.Exists {
            throw SignetError(
                .outputRefused, "the token already has \(exists.what)",
                hint: Sentence(.chooseOtherObject))
        }
    }

    /// A new key and its PEM.
    func make(_ path: String, secret: SecretBytes?) throws -> (key: PrivateKey, pem: SecretBytes) {
        try reading(path) {
            let key = try PrivateKey.generate(type)
            return (key, try key.pkcs8PEM(passphrase: secret))
        }
    }
}
