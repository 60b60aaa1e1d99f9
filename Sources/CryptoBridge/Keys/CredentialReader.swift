internal import Base

/// The attributes of a key or certificate in PKCS#12 (RFC 7292 §4.2).
package struct BagAttributes: Sendable {
    /// The name for people (friendlyName).
    package let alias: String?
    /// Equal for a key and its certificate.
    package let localKeyID: [UInt8]?
}

/// The content of a key file or bundle.
package struct CredentialBundle: Sendable {
    /// In the file's order, without duplicates.
    package let keys: [PrivateKey]
    /// Attributes of each of the ``keys`` in a PKCS#12 file; empty for other files.
    private let keyAttributes: [BagAttributes]
    private let certificateAttributes: [Certificate: BagAttributes]
    package var key: PrivateKey? { keys.first }
    /// Certificates in the file's order, but the certificate of the first key comes first.
    package let certificates: [Certificate]

    package init(key: PrivateKey?, certificates: [Certificate]) {
        self.init(keys: [key].compactMap { $0 }, certificates: certificates)
    }

    private func attributes(of key: PrivateKey) -> BagAttributes? {
        let index = keys.firstIndex { $0.publicKey.spkiDER == key.publicKey.spkiDER }
        return index.flatMap { keyAttributes.isEmpty ? nil : keyAttributes[$0] }
    }

    /// The identifier that the file gives to the key and its certificate.
    package func localKeyID(of key: PrivateKey) -> [UInt8]? { attributes(of: key)?.localKeyID }

    /// The name of the key in the file, else of its certificate.
    package func alias(of key: PrivateKey) -> String? {
        attributes(of: key)?.alias
            ?? certificate(of: key).flatMap { certificateAttributes[$0]?.alias }
    }

    /// The key's certificate: the one with its localKeyID, else the first one for it.
    package func certificate(of key: PrivateKey) -> Certificate? {
        let fitting = certificates.filter { $0.certifies(key.publicKey) }
        return fitting.first(where: isAssigned) ?? fitting.first
    }

    package func isAssigned(_ certificate: Certificate) -> Bool {
        guard let identifier = certificateAttributes[certificate]?.localKeyID else { return false }
        return keys.contains {
            localKeyID(of: $0) == identifier && certificate.certifies($0.publicKey)
        }
    }

    init(
        keys: [PrivateKey], keyAttributes: [BagAttributes] = [], certificates: [Certificate],
        certificateAttributes: [Certificate: BagAttributes] = [:]
    ) {
        var different: [PrivateKey] = []
        var attributes: [BagAttributes] = []
        for (index, key) in keys.enumerated()
        where !different.contains(where: { $0.publicKey.spkiDER == key.publicKey.spkiDER }) {
            different.append(key)
            if !keyAttributes.isEmpty { attributes.append(keyAttributes[index]) }
        }
        self.keys = different
        self.keyAttributes = attributes
        self.certificateAttributes = certificateAttributes
        guard let key = different.first,
            let index = certificates.firstIndex(where: { $0.certifies(key.publicKey) }), index > 0
        else {
            self.certificates = certificates
            return
        }
        var ordered = certificates
        ordered.insert(ordered.remove(at: index), at: 0)
        self.certificates = ordered
    }
}

/// Reads keys and certificates, recognised by their bytes: PEM (PKCS#8 and traditional keys,
/// encrypted or not; certificates and bundles), DER of each, and PKCS#12.
package enum CredentialReader {
    /// Larger inputs are rejected.
    package static let byteLimit = 16_777_216
    package static let certificateLimit = 4096
    /// Maximum number of private keys in one file.
    static let keyLimit = 16

    /// Reads `data`. `passphrase` is called at most once, and only for encrypted data; if it
    /// returns nil, ``CryptoError/Code/passphraseNeeded`` is thrown.
    ///
    /// - Parameter isGiven: whether the passphrase was given in advance. If so, an empty one is not
    ///   tried first for a PKCS#12 file, so that a wrong one is reported.
    package static func read(
        _ data: SecretBytes, isGiven: Bool = false,
        passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> CredentialBundle {
        guard data.byteCount <= byteLimit else {
            throw CryptoError(
                .limitExceeded, "the file has \(data.byteCount) bytes; the limit is \(byteLimit)")
        }
        try refuseJavaKeyStore(SecretView(data))
        OpenSSL.prepare()
        let blocks = try PEMReader.blocks(in: data)
        guard blocks.isEmpty else { return try readPEM(blocks, isGiven, passphrase) }
        return try readDER(SecretView(data), isGiven, passphrase)
    }

    /// Rejects Java's own formats, by their first bytes.
    private static func refuseJavaKeyStore(_ view: SecretView) throws(CryptoError) {
        let isJKS = view.starts(with: [0xFE, 0xED, 0xFE, 0xED])
        guard isJKS || view.starts(with: [0xCE, 0xCE, 0xCE, 0xCE]) else { return }
        throw CryptoError(.javaKeyStore, isJKS ? "JKS" : "JCEKS")
    }

    private static func readPEM(
        _ blocks: [PEMBlock], _ isGiven: Bool,
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> CredentialBundle {
        var keys: [PrivateKey] = []
        var certificates: [Certificate] = []
        var curve: OID?
        var cost = DerivationCost()
        var answer: SecretBytes?
        func askOnce() throws(CryptoError) -> SecretBytes? {
            if answer == nil { answer = try passphrase() }
            return answer
        }
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                guard certificates.count < certificateLimit else {
                    throw CryptoError(.limitExceeded, "more than \(certificateLimit) certificates")
                }
                certificates.append(
                    try Certificate(der: SecretView(try block.decoded()).prefixElement))
            case "EC PARAMETERS":
                curve =
                    ASN1Reader.single(SecretView(try block.decoded()), .definite)?.objectIdentifier
            case "OPENSSH PRIVATE KEY":
                throw CryptoError(
                    .unsupportedAlgorithm,
                    "the key is in OpenSSH format; convert it with: ssh-keygen -p -m PKCS8")
            case let label where label.hasSuffix("PRIVATE KEY"):
                keys.append(try readKey(block, curve: curve, &cost, askOnce))
            case "PKCS12", "PKCS7":
                let bundle = try readDER(
                    SecretView(try block.decoded()), isGiven, askOnce)
                keys += bundle.keys
                certificates += bundle.certificates
            default: continue
            }
            guard keys.count <= keyLimit else {
                throw CryptoError(.limitExceeded, "more than \(keyLimit) private keys")
            }
        }
        guard !keys.isEmpty || !certificates.isEmpty else {
            let labels = blocks.prefix(3).map { "\"\($0.label)\"" }.joined(separator: ", ")
            throw CryptoError(
                .unrecognisedFormat, "PEM without private key or certificate: \(labels)")
        }
        return CredentialBundle(keys: keys, certificates: certificates)
    }

    private static func readKey(
        _ block: PEMBlock, curve: OID?, _ cost: inout DerivationCost,
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> PrivateKey {
        let bytes = try block.decoded()
        switch block.label {
        case "PRIVATE KEY": return try KeyDecoder.pkcs8(SecretView(bytes))
        case "ENCRYPTED PRIVATE KEY":
            return try KeyDecoder.encryptedPKCS8(SecretView(bytes), &cost, passphrase)
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY":
            let kind: KeyDecoder.Traditional =
                block.label.hasPrefix("RSA") ? .rsa : block.label.hasPrefix("EC") ? .ec : .dsa
            guard let cipher = block.header("DEK-Info") else {
                guard block.header("Proc-Type") == nil else {
                    throw CryptoError(.malformedKey, "an encrypted key without DEK-Info")
                }
                return try KeyDecoder.traditional(SecretView(bytes), kind, curve: curve)
            }
            let plain = try TraditionalEncryption(dekInfo: cipher).decrypt(
                bytes, passphrase: ask(passphrase))
            do {
                return try KeyDecoder.traditional(SecretView(plain), kind, curve: curve)
            } catch {
                // One wrong passphrase in 256 yields valid padding, but not a key.
                guard error.code == .malformedKey else { throw error }
                throw CryptoError(.wrongPassphrase, "the passphrase of the key is wrong")
            }
        default: throw CryptoError(.unsupportedAlgorithm, "a \"\(block.label)\" PEM block")
        }
    }

    private static func readDER(
        _ view: SecretView, _ isGiven: Bool,
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> CredentialBundle {
        guard let kind = DERKind(view) else {
            throw CryptoError(
                .unrecognisedFormat, "neither PEM, nor a DER key, certificate or PKCS#12")
        }
        switch kind {
        case .pkcs8: return CredentialBundle(key: try KeyDecoder.pkcs8(view), certificates: [])
        case .encryptedPKCS8:
            var cost = DerivationCost()
            return CredentialBundle(
                key: try KeyDecoder.encryptedPKCS8(view, &cost, passphrase), certificates: [])
        case .traditional(let traditional):
            return CredentialBundle(
                key: try KeyDecoder.traditional(view, traditional, curve: nil), certificates: [])
        case .pkcs12: return try PKCS12Reader.read(view, isGiven: isGiven, passphrase)
        case .rsaPublicKey:
            throw CryptoError(.malformedKey, "an RSA public key (PKCS#1), not a private key")
        case .certificate, .pkcs7:
            return CredentialBundle(key: nil, certificates: try Certificate.readAll(Array(view)))
        }
    }

    /// Whether the bytes are one private key as DER, encrypted or not.
    package static func isPlainDERKey(_ bytes: [UInt8]) -> Bool {
        switch DERKind(SecretView(SecretBytes(copying: bytes))) {
        case .pkcs8, .encryptedPKCS8, .traditional: true
        default: false
        }
    }

    /// The passphrase; throws if there is none.
    static func ask(
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> SecretBytes {
        guard let answer = try passphrase() else {
            throw CryptoError(.passphraseNeeded, "the key is encrypted and requires a passphrase")
        }
        return answer
    }
}

extension SecretView {
    /// The first element only: OpenSSL's trusted certificates have settings after it.
    var prefixElement: [UInt8] {
        var reader = ASN1Reader(self, .definite)
        return Array(reader.next()?.whole ?? self)
    }
}

/// The kind of a DER encoding, determined by its outer elements.
enum DERKind: Equatable {
    case pkcs8, encryptedPKCS8, pkcs12, certificate, pkcs7, rsaPublicKey
    case traditional(KeyDecoder.Traditional)

    /// The first bytes of a SEQUENCE of indefinite length.
    private static let indefinite: [UInt8] = [ASN1Tag.sequence, 0x80]

    init?(_ view: SecretView) {
        var top = ASN1Reader(view, .definite)
        guard view.first == ASN1Tag.sequence else { return nil }
        guard var reader = top.next()?.reader else {
            // Indefinite length: some PKCS#12 files are BER. Version 3, then pkcs7-data.
            guard view.starts(with: Self.indefinite + DERWriter.integer(3)) else { return nil }
            self = .pkcs12
            return
        }
        guard let first = reader.next() else {
            if reader.rest.starts(with: Self.indefinite) { self = .pkcs12 } else { return nil }
            return
        }
        let second = reader.next()
        switch (first.tag, second?.tag) {
        case (ASN1Tag.integer, ASN1Tag.sequence) where first.smallInteger == 3: self = .pkcs12
        case (ASN1Tag.integer, nil) where first.smallInteger == 3: self = .pkcs12
        case (ASN1Tag.integer, ASN1Tag.sequence): self = .pkcs8
        case (ASN1Tag.integer, ASN1Tag.octetString): self = .traditional(.ec)
        case (ASN1Tag.integer, ASN1Tag.integer):
            var count = 2
            while reader.next(ASN1Tag.integer) != nil { count += 1 }
            self = count == 2 ? .rsaPublicKey : .traditional(count == 6 ? .dsa : .rsa)
        case (ASN1Tag.sequence, ASN1Tag.octetString): self = .encryptedPKCS8
        case (ASN1Tag.sequence, ASN1Tag.sequence): self = .certificate
        case (ASN1Tag.objectIdentifier, _): self = .pkcs7
        default: return nil
        }
    }
}
