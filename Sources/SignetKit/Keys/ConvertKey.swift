import CryptoBridge
import SystemBridge

/// The result of converting a key.
public struct ConvertedKey: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.key/1"
    /// Path of the output.
    public let file: String
    /// Output format: `pem`, `der` or `p12`.
    public let format: ConvertKey.Format
    /// Kind and size of the key, such as `RSA 3072`.
    public let algorithm: String
    /// Whether a passphrase protects the key.
    public let encrypted: Bool
    /// Number of certificates in the output.
    public let certificates: Int
}

/// Writes a private key in another format, with another passphrase, or without one.
public struct ConvertKey: Sendable {
    /// Formats of key files.
    public enum Format: String, Encodable, Sendable, CaseIterable {
        /// PKCS#8, followed by the certificates, if any.
        case pem
        /// PKCS#8 without certificates.
        case der
        /// PKCS#12 (RFC 7292) with the certificates.
        case p12
    }

    private let format: Format
    /// The key's alias: chooses among several keys, and is written as friendlyName of PKCS#12.
    public var alias: String?
    /// Whether PKCS#12 is written with 3DES and SHA-1, for programs that do not read AES.
    public var isLegacy = false

    /// - Parameter format: format of the output.
    public init(format: Format = .pem) { self.format = format }

    /// Converts the key into `destination`.
    ///
    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, detected by content.
    ///   - passphrase: used only if the file is encrypted.
    ///   - certificateFiles: certificates in addition to those in the key's file.
    ///   - newPassphrase: nil leaves the key unencrypted.
    /// - Throws: ``SignetError``: among others `credentialRefused` if the certificates do not match
    ///   the key.
    public func run(
        _ keyFile: String, passphrase: PassphraseSource, certificateFiles: [String] = [],
        into destination: Destination, newPassphrase: PassphraseSource?
    ) throws -> ConvertedKey {
        // The output is opened before the passphrase is requested.
        let output = try destination.secretOutput()
        let bundle = try SigningCredential.readBundle(keyFile, passphrase: passphrase)
        guard !bundle.keys.isEmpty else {
            throw SignetError(
                .malformedInput, file: keyFile, "the file contains no private key",
                hint: Sentence(.seeWhatItHolds, keyFile))
        }
        let given = try certificateFiles.flatMap { try SigningCredential.readCertificates($0) }
        // The alias renames a single key, and selects one of several.
        let named = try bundle.keys(
            named: bundle.keys.count > 1 ? alias : nil, in: keyFile)
        let key = try bundle.onlyKey(of: named, given: given, in: keyFile)
        let others = bundle.keys.filter { $0.publicKey != key.publicKey }.map(\.publicKey)
        var certificates = (given + bundle.certificates).filter { certificate in
            !others.contains { certificate.certifies($0) }
        }
        if given.isEmpty, let own = bundle.certificate(of: key) { certificates.insert(own, at: 0) }
        let name = alias ?? bundle.alias(of: key)
        let chain = try order(certificates, of: key, file: certificateFiles.first ?? keyFile)
        if format == .p12, chain.isEmpty {
            throw SignetError(
                .usage, file: keyFile, "a PKCS#12 file requires the certificate of the key",
                hint: Sentence(.addCertificate))
        }
        let secret = try newPassphrase?.readNew(for: destination.path, as: "new-passphrase")
        let bytes = try reading(destination.path) { try encode(key, chain, secret, name) }
        try writing(destination.path) {
            try bytes.withBytes { part throws(FileError) in try output.write(part) }
            if format == .pem { for certificate in chain { try output.write(certificate.pem) } }
            try output.commit()
        }
        return ConvertedKey(
            file: destination.path, format: format, algorithm: key.algorithm.description,
            encrypted: secret != nil, certificates: format == .der ? 0 : chain.count)
    }

    private func encode(
        _ key: PrivateKey, _ chain: [Certificate], _ secret: SecretBytes?, _ name: String?
    ) throws -> SecretBytes {
        switch format {
        case .pem: return try key.pkcs8PEM(passphrase: secret)
        case .der: return try key.pkcs8DER(passphrase: secret)
        case .p12:
            guard let leaf = chain.first else {
                throw SignetError(.usage, "a PKCS#12 file requires the certificate of the key")
            }
            return try PKCS12Writer.write(
                key: key, certificate: leaf, chain: Array(chain.dropFirst()),
                friendlyName: name ?? leaf.displayName,
                password: secret ?? SecretBytes(copying: []), isLegacy: isLegacy)
        }
    }

    /// The key's own certificate first, the others in their order, without duplicates.
    private func order(
        _ certificates: [Certificate], of key: PrivateKey, file: String
    ) throws -> [Certificate] {
        guard !certificates.isEmpty else { return [] }
        guard let leaf = certificates.first(where: { $0.certifies(key.publicKey) }) else {
            throw SignetError(
                .credentialRefused, file: file,
                "the certificate does not belong to the private key",
                hint: Sentence(.giveIssuedCertificate))
        }
        var ordered = [leaf]
        for certificate in certificates where !ordered.contains(certificate) {
            ordered.append(certificate)
        }
        return ordered
    }
}
