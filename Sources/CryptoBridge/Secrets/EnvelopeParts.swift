internal import Base

/// The structure of enveloped data.
///
///     EnvelopedData ::= SEQUENCE {
///         version, originatorInfo [0] OPTIONAL, recipientInfos SET,
///         encryptedContentInfo SEQUENCE { contentType, AlgorithmIdentifier, [0] }, ... }
struct EnvelopeParts: Sendable {
    private(set) var transports: [TransportedKey] = []
    private(set) var agreements: [KeyAgreement] = []
    private let algorithm: OID
    fileprivate let initialVector: [UInt8]
    fileprivate let content: [UInt8]

    /// - Parameter der: encoded with definite lengths.
    init?(_ der: [UInt8]) {
        guard var outer = ASN1Reader.single(der[...], .definite)?.reader, outer.next() != nil,
            var wrapper = outer.next()?.reader, var data = wrapper.next()?.reader,
            data.next(ASN1Tag.integer) != nil
        else { return nil }
        _ = data.next(ASN1Tag.context(0))
        guard var recipients = data.next(ASN1Tag.set)?.reader,
            var info = data.next(ASN1Tag.sequence)?.reader, info.next() != nil,
            var algorithm = info.next(ASN1Tag.sequence)?.reader,
            let cipher = algorithm.next()?.objectIdentifier,
            let content = info.next(ASN1Tag.primitiveContext(0))?.content
        else { return nil }
        self.algorithm = cipher
        initialVector = algorithm.next(ASN1Tag.octetString).map { Array($0.content) } ?? []
        self.content = Array(content)
        while let recipient = recipients.next() {
            if let key = TransportedKey(recipient) { transports.append(key) }
            if let agreement = KeyAgreement(recipient) { agreements.append(agreement) }
        }
    }

    func cipher() throws(CryptoError) -> ContentCipher {
        guard let cipher = ContentCipher.known[algorithm] else {
            // PDFBox encrypts only with RC2.
            let name = algorithm == .rc2CBC ? "RC2, which is weak: " : ""
            throw CryptoError(
                .unsupportedAlgorithm,
                "the content is encrypted with the cipher \(name)\(algorithm)")
        }
        return cipher
    }
}

enum RecipientIdentifier: Sendable {
    case issuerAndSerial(issuer: [UInt8], serial: [UInt8])
    case subjectKeyIdentifier([UInt8])

    init?(_ node: ASN1Node) {
        switch node.tag {
        case ASN1Tag.sequence:
            var reader = node.reader
            guard let issuer = reader.next(), let serial = reader.next(ASN1Tag.integer) else {
                return nil
            }
            self = .issuerAndSerial(issuer: issuer.bytes, serial: serial.bytes)
        case ASN1Tag.primitiveContext(0): self = .subjectKeyIdentifier(Array(node.content))
        case ASN1Tag.context(0):
            var reader = node.reader
            guard let key = reader.next(ASN1Tag.octetString) else { return nil }
            self = .subjectKeyIdentifier(Array(key.content))
        default: return nil
        }
    }

    func names(_ certificate: Certificate) -> Bool {
        switch self {
        case .issuerAndSerial(let issuer, let serial):
            serial == certificate.serialDER
                && CanonicalName.fold(issuer[...]) == certificate.canonicalIssuer
        case .subjectKeyIdentifier(let key): key == certificate.subjectKeyIdentifier
        }
    }
}

/// The content's key, encrypted with an RSA key.
///
///     KeyTransRecipientInfo ::= SEQUENCE {
///         version, rid, keyEncryptionAlgorithm, encryptedKey OCTET STRING }
struct TransportedKey: Sendable {
    let recipient: RecipientIdentifier
    let encrypted: [UInt8]
    /// Nil if unsupported.
    let transport: KeyTransport?

    init?(_ element: ASN1Node) {
        var reader = element.reader
        guard element.tag == ASN1Tag.sequence, reader.next(ASN1Tag.integer) != nil,
            let recipient = reader.next().flatMap(RecipientIdentifier.init),
            var algorithm = reader.next(ASN1Tag.sequence)?.reader,
            let name = algorithm.next()?.objectIdentifier,
            let key = reader.next(ASN1Tag.octetString)
        else { return nil }
        self.recipient = recipient
        encrypted = Array(key.content)
        switch name {
        case .rsaEncryption: transport = .pkcs1
        case .rsaOAEP: transport = OAEPPadding(algorithm.next()).map(KeyTransport.oaep)
        default: transport = nil
        }
    }
}

/// The sender's public key, and the content keys wrapped with the agreed secret.
///
///     KeyAgreeRecipientInfo ::= [1] SEQUENCE {
///         version, originator [0] { [1] { AlgorithmIdentifier, BIT STRING } },
///         ukm [1] OCTET STRING OPTIONAL, keyEncryptionAlgorithm,
///         SEQUENCE OF SEQUENCE { rid, encryptedKey OCTET STRING } }
struct KeyAgreement: Sendable {
    /// Algorithm of the sender's key. Its curve is that of the recipient's key.
    let curve: OID
    let publicKey: [UInt8]
    let wrappedKeys: [(recipient: RecipientIdentifier, key: [UInt8])]
    /// Nil if unsupported.
    let scheme: AgreementScheme?

    init?(_ element: ASN1Node) {
        var reader = element.reader
        guard element.tag == ASN1Tag.context(1), reader.next(ASN1Tag.integer) != nil,
            var originator = reader.next(ASN1Tag.context(0))?.reader,
            var sender = originator.next(ASN1Tag.context(1))?.reader,
            var kind = sender.next(ASN1Tag.sequence)?.reader,
            let curve = kind.next()?.objectIdentifier,
            let bits = sender.next(ASN1Tag.bitString)?.content, bits.first == 0
        else { return nil }
        self.curve = curve
        publicKey = Array(bits.dropFirst())
        var material: [UInt8]?
        if var explicit = reader.next(ASN1Tag.context(1))?.reader {
            material = explicit.next(ASN1Tag.octetString).map { Array($0.content) }
        }
        guard let algorithm = reader.next(ASN1Tag.sequence),
            var keys = reader.next(ASN1Tag.sequence)?.reader
        else { return nil }
        scheme = AgreementScheme(algorithm, userMaterial: material)
        var wrapped: [(recipient: RecipientIdentifier, key: [UInt8])] = []
        while var recipient = keys.next()?.reader {
            guard let identifier = recipient.next(), let key = recipient.next(ASN1Tag.octetString)
            else { return nil }
            guard let named = RecipientIdentifier(identifier) else { continue }
            wrapped.append((named, Array(key.content)))
        }
        wrappedKeys = wrapped
    }
}

/// The derivation of a wrapping key from the shared secret (RFC 5753 §7.1.4 and §7.2).
struct AgreementScheme: Sendable {
    private let hash: DigestAlgorithm
    /// The wrapping algorithm as encoded.
    private let wrap: [UInt8]
    private let keyByteCount: Int
    private let userMaterial: [UInt8]?

    private static let hashes: [OID: DigestAlgorithm] = [
        .standardDHWithSHA1: .sha1, .standardDHWithSHA224: .sha224,
        .standardDHWithSHA256: .sha256, .standardDHWithSHA384: .sha384,
        .standardDHWithSHA512: .sha512,
        // The supported curves have the cofactor 1, so the secret is the same.
        .cofactorDHWithSHA1: .sha1, .cofactorDHWithSHA224: .sha224,
        .cofactorDHWithSHA256: .sha256, .cofactorDHWithSHA384: .sha384,
        .cofactorDHWithSHA512: .sha512,
    ]
    /// Lengths of the wrapping keys.
    private static let wraps: [OID: Int] = [.aes128Wrap: 16, .aes192Wrap: 24, .aes256Wrap: 32]

    fileprivate init?(_ algorithm: ASN1Node, userMaterial: [UInt8]?) {
        var reader = algorithm.reader
        guard let hash = reader.next()?.objectIdentifier.flatMap({ Self.hashes[$0] }),
            let wrap = reader.next(ASN1Tag.sequence), var inner = Optional(wrap.reader),
            let count = inner.next()?.objectIdentifier.flatMap({ Self.wraps[$0] })
        else { return nil }
        self.hash = hash
        self.wrap = wrap.bytes
        keyByteCount = count
        self.userMaterial = userMaterial
    }

    /// Lengths of wrapped keys of 16 to 32 bytes.
    private static let wrappedByteCounts = 24...40

    /// The content-encryption key; nil if it was wrapped with another key.
    func unwrap(_ wrapped: [UInt8], with secret: [UInt8]) throws(CryptoError) -> [UInt8]? {
        guard wrapped.count % 8 == 0, Self.wrappedByteCounts.contains(wrapped.count) else {
            return nil
        }
        var wrapping = try wrappingKey(secret)
        defer { SecretBytes.wipe(&wrapping) }
        return try AES.wrap(.decrypt, key: wrapping, data: wrapped)
    }

    /// The key derivation of ANSI X9.63 (SEC 1 §3.6.1).
    private func wrappingKey(_ secret: [UInt8]) throws(CryptoError) -> [UInt8] {
        let bitCount = keyByteCount * 8
        let length: [UInt8] = [0, 0, UInt8(bitCount >> 8), UInt8(bitCount & 0xFF)]
        let material = userMaterial.map {
            DERWriter.element(ASN1Tag.context(0), DERWriter.octets($0))
        }
        let shared = DERWriter.sequence([
            wrap, material ?? [], DERWriter.element(ASN1Tag.context(2), DERWriter.octets(length)),
        ])
        var key: [UInt8] = []
        defer { SecretBytes.wipe(&key) }
        var round: UInt8 = 0
        while key.count < keyByteCount {
            round += 1
            let context = try DigestContext(hash)
            for part in [secret, [0, 0, 0, round], shared] { try context.update(part) }
            var digest = try context.finish()
            key += digest
            SecretBytes.wipe(&digest)
        }
        return Array(key.prefix(keyByteCount))
    }
}

/// A cipher for an envelope's content in CBC mode, with the padding of RFC 5652 §6.3. OpenSSL's
/// default provider supports all of them.
struct ContentCipher: Sendable {
    private let name: String
    let keyByteCount: Int
    private let blockByteCount: Int

    static let known: [OID: ContentCipher] = [
        .aes128CBC: ContentCipher(name: "AES-128-CBC", keyByteCount: 16, blockByteCount: 16),
        .aes192CBC: ContentCipher(name: "AES-192-CBC", keyByteCount: 24, blockByteCount: 16),
        .aes256CBC: ContentCipher(name: "AES-256-CBC", keyByteCount: 32, blockByteCount: 16),
        .tripleDESCBC: ContentCipher(name: "DES-EDE3-CBC", keyByteCount: 24, blockByteCount: 8),
    ]

    /// Whether initialization vector and content have valid lengths.
    func fits(_ parts: EnvelopeParts) -> Bool {
        let count = parts.content.count
        return parts.initialVector.count == blockByteCount && count > 0
            && count % blockByteCount == 0 && count <= Int(Int32.max)
    }

    func mayHold(_ byteCount: Int, _ parts: EnvelopeParts) -> Bool {
        byteCount / blockByteCount + 1 == parts.content.count / blockByteCount
    }

    /// The length of the wrapped key (RFC 3394 §2.2.1).
    var wrappedKeyByteCount: Int { keyByteCount + 8 }

    /// - Returns: nil if key or padding are wrong.
    func decrypt(_ parts: EnvelopeParts, key: [UInt8]) throws(CryptoError) -> [UInt8]? {
        let content = parts.content
        guard key.count == keyByteCount, fits(parts) else { return nil }
        let context = try CipherContext(
            name, .decrypt, key: key, initialVector: parts.initialVector, isPadded: true)
        var plain = try context.update(content, count: content.count)
        guard var last = context.finish() else {
            SecretBytes.wipe(&plain)
            return nil
        }
        defer { SecretBytes.wipe(&last) }
        plain += last
        return plain
    }
}
