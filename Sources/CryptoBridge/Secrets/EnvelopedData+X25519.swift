internal import ASN1Kit
internal import COpenSSL

extension EnvelopedData {
    /// Most recipients whose keys are tried.
    private static let agreementLimit = 100

    /// The content with an X25519 key, which OpenSSL's CMS cannot use (RFC 8418, RFC 5753 §3.1).
    ///
    /// Wrapped keys prove that they are unwrapped with the right one: to try all tells nothing.
    ///
    /// - Returns: nil when the key opens none.
    func open(agreeingWith key: PrivateKey) throws(CryptoError) -> [UInt8]? {
        guard let parts = MessageParts(der[...]) else { return nil }
        for agreement in parts.agreements.prefix(Self.agreementLimit) {
            guard var secret = try Self.secret(key, agreement.publicKey) else { continue }
            defer { SecretBytes.wipe(&secret) }
            var wrapping = try agreement.wrappingKey(secret)
            defer { SecretBytes.wipe(&wrapping) }
            for wrapped in agreement.wrappedKeys.prefix(Self.agreementLimit)
            where wrapped.count % 8 == 0 && (24...40).contains(wrapped.count) {
                guard var content = try AES.wrap(.decrypt, key: wrapping, data: wrapped) else {
                    continue
                }
                defer { SecretBytes.wipe(&content) }
                return try parts.decrypted(with: content)
            }
        }
        return nil
    }

    /// What both sides know and nobody else; nil for a public key that makes no secret.
    private static func secret(
        _ key: PrivateKey, _ publicKey: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        OpenSSL.prepare()
        guard
            let peer = unsafe EVP_PKEY_new_raw_public_key(
                EVP_PKEY_X25519, nil, publicKey, publicKey.count)
        else {
            OpenSSL.prepare()
            return nil
        }
        defer { unsafe EVP_PKEY_free(peer) }
        guard let context = unsafe EVP_PKEY_CTX_new(key.handle.pointer, nil) else {
            throw CryptoError.draining(.internalFailure, "no context for a key agreement")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: X25519.byteCount)
        var count = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
        else {
            OpenSSL.prepare()
            return nil
        }
        return secret
    }
}

private enum X25519 {
    static let byteCount = 32
    /// How the content's key may be wrapped, and how long the wrapping key is.
    static let wraps = [OID.aes128Wrap: 16, OID.aes256Wrap: 32]
    static let ciphers = [OID.aes128CBC: 16, OID.aes256CBC: 32]
}

/// One sender's key, and the keys wrapped with what follows from it.
///
///     KeyAgreeRecipientInfo ::= [1] SEQUENCE {
///         version, originator [0] { [1] { AlgorithmIdentifier, BIT STRING } },
///         ukm [1] OCTET STRING OPTIONAL, keyEncryptionAlgorithm,
///         SEQUENCE OF SEQUENCE { rid, encryptedKey OCTET STRING } }
private struct KeyAgreement {
    let publicKey: [UInt8]
    let wrappedKeys: [[UInt8]]
    private let userMaterial: [UInt8]?
    /// The wrapping algorithm as it stands there.
    private let wrap: [UInt8]
    private let keyByteCount: Int

    init?(_ element: ASN1Node) {
        var reader = element.reader
        guard element.tag == ASN1Tag.context(1), reader.next(ASN1Tag.integer) != nil,
            var originator = reader.next(ASN1Tag.context(0))?.reader,
            var sender = originator.next(ASN1Tag.context(1))?.reader,
            var kind = sender.next(ASN1Tag.sequence)?.reader,
            kind.next()?.objectIdentifier == .x25519,
            let bits = sender.next(ASN1Tag.bitString)?.content, bits.first == 0,
            bits.count == X25519.byteCount + 1
        else { return nil }
        publicKey = Array(bits.dropFirst())
        if var material = reader.next(ASN1Tag.context(1))?.reader {
            userMaterial = material.next(ASN1Tag.octetString).map { Array($0.content) }
        } else {
            userMaterial = nil
        }
        guard var scheme = reader.next(ASN1Tag.sequence)?.reader,
            scheme.next()?.objectIdentifier == .standardDHWithSHA256,
            let wrap = scheme.next(ASN1Tag.sequence), var algorithm = Optional(wrap.reader),
            let name = algorithm.next()?.objectIdentifier, let count = X25519.wraps[name],
            var keys = reader.next(ASN1Tag.sequence)?.reader
        else { return nil }
        self.wrap = Array(wrap.whole)
        keyByteCount = count
        var wrapped: [[UInt8]] = []
        while var recipient = keys.next()?.reader {
            guard recipient.next() != nil, let key = recipient.next(ASN1Tag.octetString) else {
                return nil
            }
            wrapped.append(Array(key.content))
        }
        wrappedKeys = wrapped
    }

    /// One round of the key derivation of ANSI X9.63 (RFC 5753 §7.2): it gives more than is needed.
    func wrappingKey(_ secret: [UInt8]) throws(CryptoError) -> [UInt8] {
        let bitCount = UInt8(keyByteCount == 32 ? 1 : 0)
        let length: [UInt8] = [0, 0, bitCount, keyByteCount == 32 ? 0 : 128]
        let material = userMaterial.map {
            DERWriter.element(ASN1Tag.context(0), DERWriter.octets($0))
        }
        let shared = DERWriter.sequence([
            wrap, material ?? [],
            DERWriter.element(ASN1Tag.context(2), DERWriter.octets(length)),
        ])
        let context = try DigestContext(.sha256)
        for part in [secret, [0, 0, 0, 1], shared] { try context.update(part) }
        var digest = try context.finish()
        defer { SecretBytes.wipe(&digest) }
        return Array(digest.prefix(keyByteCount))
    }
}

/// What enveloped data consist of.
private struct MessageParts {
    private(set) var agreements: [KeyAgreement] = []
    private let cipher: OID
    private let initialVector: [UInt8]
    private let content: [UInt8]

    init?(_ der: ArraySlice<UInt8>) {
        guard var outer = ASN1Reader.single(der, .definite)?.reader, outer.next() != nil,
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
        self.cipher = cipher
        initialVector = algorithm.next(ASN1Tag.octetString).map { Array($0.content) } ?? []
        self.content = Array(content)
        while let recipient = recipients.next() {
            if let agreement = KeyAgreement(recipient) { agreements.append(agreement) }
        }
    }

    /// - Returns: nil where the padding is wrong.
    func decrypted(with key: [UInt8]) throws(CryptoError) -> [UInt8]? {
        guard let count = X25519.ciphers[cipher] else {
            throw CryptoError(
                .unsupportedAlgorithm, "the content is encrypted with the cipher \(cipher)")
        }
        guard key.count == count, initialVector.count == AES.blockByteCount, !content.isEmpty,
            content.count % AES.blockByteCount == 0
        else { return nil }
        var plain = try AES.cbc(.decrypt, key: key, initialVector: initialVector, data: content)
        guard let fill = plain.last, (1...AES.blockByteCount).contains(Int(fill)),
            plain.suffix(Int(fill)).allSatisfy({ $0 == fill })
        else {
            SecretBytes.wipe(&plain)
            return nil
        }
        plain.removeLast(Int(fill))
        return plain
    }
}
