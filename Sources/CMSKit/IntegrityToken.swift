internal import Base
package import CryptoBridge

/// The token of a document MAC: CMS authenticated data with a key derived from the file encryption
/// key (ISO/TS 32004 §6; RFC 5652 §9).
///
///     AuthenticatedData ::= SEQUENCE {
///         version, recipientInfos SET OF RecipientInfo, macAlgorithm,
///         digestAlgorithm [1], encapContentInfo, authAttrs [2], mac OCTET STRING }
package struct IntegrityToken: Sendable {
    package let digestAlgorithm: DigestAlgorithm
    private let digestIdentifier: AlgorithmIdentifier
    private let macAlgorithm: AlgorithmIdentifier
    private let wrappedKey: [UInt8]
    /// The attributes as received, with tag [2].
    private let attributesRaw: [UInt8]
    private let attributes: [CMSAttribute]
    private let content: [UInt8]
    private let info: Info
    private let mac: [UInt8]

    /// The authenticated content.
    ///
    ///     PdfMacIntegrityInfo ::= SEQUENCE {
    ///         version INTEGER, dataDigest OCTET STRING,
    ///         signatureDigest [0] IMPLICIT OCTET STRING OPTIONAL }
    private struct Info: Sendable {
        let dataDigest: [UInt8]
        let signatureDigest: [UInt8]?
    }

    /// Longest token read; typical tokens have fewer than 500 bytes.
    private static let byteLimit = 65_536
    private static let macKeyByteCount = 32

    // MARK: Reading

    /// - Parameter bytes: the token, which may be followed by zero bytes up to the reserved size.
    package init(_ bytes: [UInt8]) throws(CMSError) {
        // Bytes after the token are not authenticated.
        let end = ASN1Node.byteCount(in: bytes, .definite) ?? bytes.count
        guard bytes[end...].allSatisfy({ $0 == 0 }) else {
            throw CMSError(.malformed, "the bytes after the token are not zero")
        }
        guard end <= Self.byteLimit, let root = ASN1Node.parse(bytes[..<end], .der) else {
            throw CMSError(.malformed, "the token is not DER")
        }
        var outer = try NodeReader(root, ASN1Tag.sequence, "the token")
        guard try outer.next().objectIdentifier("the token's type") == .authenticatedData else {
            throw CMSError(.malformed, "the token is not authenticated data")
        }
        let data = try outer.next().only(ASN1Tag.context(0), "the token")
        try outer.end()
        var reader = try NodeReader(data, ASN1Tag.sequence, "the authenticated data")
        guard try reader.next().smallInteger("the token's version") == 0 else {
            throw CMSError(.unsupportedAlgorithm, "the token has another version than 0")
        }
        wrappedKey = try Self.wrappedKey(try reader.next())
        macAlgorithm = try AlgorithmIdentifier(try reader.next(), "the MAC algorithm")
        guard macAlgorithm.oid == .hmacSHA256, macAlgorithm.hasNoParameters else {
            throw CMSError(.unsupportedAlgorithm, "the MAC algorithm is not HMAC with SHA-256")
        }
        let hash = try AlgorithmIdentifier(
            try reader.next(), tag: ASN1Tag.context(1), "the token's digest algorithm")
        guard let digest = DigestAlgorithm(hash), Self.digests.contains(digest) else {
            throw CMSError(.unsupportedAlgorithm, "the token's digest algorithm is \(hash.oid)")
        }
        digestAlgorithm = digest
        digestIdentifier = hash
        content = try Self.content(try reader.next())
        info = try Self.info(content)
        let attributes = try reader.next()
        attributesRaw = attributes.bytes
        var set = try NodeReader(attributes, ASN1Tag.context(2), "the token's attributes")
        self.attributes = try set.rest(limit: CMSLimits.attributeCount).map {
            node throws(CMSError) in try CMSAttribute(node)
        }
        mac = try reader.next().octets("the MAC")
        try reader.end()
    }

    /// Hash functions of ISO/TS 32004 §6.2.
    private static let digests: [DigestAlgorithm] = [
        .sha256, .sha384, .sha512, .sha3_256, .sha3_384, .sha3_512, .shake256,
    ]

    /// The wrapped MAC key of the only recipient, which the document's key can unwrap.
    private static func wrappedKey(_ node: ASN1Node) throws(CMSError) -> [UInt8] {
        let only = try node.only(ASN1Tag.set, "the token's recipients")
        var recipient = try NodeReader(only, ASN1Tag.context(3), "the token's recipient")
        guard try recipient.next().smallInteger("the recipient's version") == 0 else {
            throw CMSError(.unsupportedAlgorithm, "the recipient has another version than 0")
        }
        let derivation = try AlgorithmIdentifier(
            try recipient.next(), tag: ASN1Tag.context(0), "the key derivation")
        let wrap = try AlgorithmIdentifier(try recipient.next(), "the key's encryption")
        guard derivation.oid == .integrityKeyDerivation, derivation.hasNoParameters,
            wrap.oid == .aes256Wrap, wrap.hasNoParameters
        else {
            throw CMSError(.unsupportedAlgorithm, "the token's key is wrapped in an unknown way")
        }
        let key = try recipient.next().octets("the wrapped key")
        try recipient.end()
        guard key.count == macKeyByteCount + 8 else {
            throw CMSError(.malformed, "a wrapped key of \(key.count) bytes")
        }
        return key
    }

    private static func content(_ node: ASN1Node) throws(CMSError) -> [UInt8] {
        var reader = try NodeReader(node, ASN1Tag.sequence, "the token's content")
        guard try reader.next().objectIdentifier("the content's type") == .integrityInfo else {
            throw CMSError(.malformed, "the token's content is of another type")
        }
        let content = try reader.next().only(ASN1Tag.context(0), "the token's content")
        try reader.end()
        return try content.octets("the token's content")
    }

    private static func info(_ der: [UInt8]) throws(CMSError) -> Info {
        guard let node = ASN1Node.parse(der, .der) else {
            throw CMSError(.malformed, "the token's content is not DER")
        }
        var reader = try NodeReader(node, ASN1Tag.sequence, "the token's content")
        guard try reader.next().smallInteger("the content's version") == 0 else {
            throw CMSError(.unsupportedAlgorithm, "the token's content has another version than 0")
        }
        let dataDigest = try reader.next().octets("the document's hash")
        var signatureDigest: [UInt8]?
        if let node = reader.next(if: ASN1Tag.context(0)) {
            guard let bytes = node.primitive else {
                throw CMSError(.malformed, "the signature's hash has the wrong type")
            }
            signatureDigest = Array(bytes)
        }
        try reader.end()
        return Info(dataDigest: dataDigest, signatureDigest: signatureDigest)
    }

    // MARK: Checking

    /// The problem of the MAC; nil if it is valid.
    ///
    /// - Parameters:
    ///   - keyEncryptionKey: 32 bytes.
    ///   - dataDigest: hash of the protected data with ``digestAlgorithm``.
    ///   - signature: value of the signature that contains the MAC; nil if none does.
    package func fault(
        keyEncryptionKey: [UInt8], dataDigest: [UInt8], signature: [UInt8]?
    ) throws(CryptoError) -> String? {
        guard
            var key = try AES.wrap(.decrypt, key: keyEncryptionKey, data: wrappedKey)
        else { return "it was created with another key" }
        defer { SecretBytes.wipe(&key) }
        var authenticated = attributesRaw
        authenticated[0] = ASN1Tag.set
        guard try MessageAuthentication.hmacSHA256(key: key, data: authenticated) == mac else {
            return "HMAC mismatch"
        }
        let contentDigest = try digestAlgorithm.hash(content)
        guard attributes.values(.messageDigest) == [DERWriter.octets(contentDigest)],
            attributes.values(.contentType) == [DERWriter.objectIdentifier(.integrityInfo)]
        else { return "it does not match its content" }
        guard namesItsAlgorithms else { return "its algorithm identifiers are inconsistent" }
        guard info.dataDigest == dataDigest else { return "the document was modified" }
        let signatureDigest = try signature.map { signature throws(CryptoError) in
            try digestAlgorithm.hash(signature)
        }
        return info.signatureDigest == signatureDigest ? nil : "the signature was replaced"
    }

    /// Whether the algorithm protection attribute, if present, occurs once and matches.
    private var namesItsAlgorithms: Bool {
        let said = attributes.all(.algorithmProtection)
        guard !said.isEmpty else { return true }
        guard said.count == 1, said[0].values.count == 1,
            let protection = try? AlgorithmProtection(
                said[0].values[0], AlgorithmProtection.codeTag)
        else { return false }
        return protection.names(digest: digestIdentifier, macAlgorithm)
    }

    // MARK: Making

    /// A token with a new key.
    ///
    /// - Parameters: as of ``fault(keyEncryptionKey:dataDigest:signature:)``.
    package static func make(
        keyEncryptionKey: [UInt8], digest: DigestAlgorithm, dataDigest: [UInt8], signature: [UInt8]?
    ) throws -> [UInt8] {
        var key = try RandomBytes.generate(macKeyByteCount)
        defer { SecretBytes.wipe(&key) }
        guard let wrapped = try AES.wrap(.encrypt, key: keyEncryptionKey, data: key) else {
            throw CMSError(.invalidParameter, "the MAC key could not be wrapped")
        }
        let signatureDigest = try signature.map {
            DERWriter.element(ASN1Tag.primitiveContext(0), try digest.hash($0))
        }
        let content = DERWriter.sequence(
            DERWriter.integer(0), DERWriter.octets(dataDigest), signatureDigest ?? [])
        let hashIdentifier = digest.identifier.encoded
        let macIdentifier = DERWriter.sequence(DERWriter.objectIdentifier(.hmacSHA256))
        let contentType = DERWriter.objectIdentifier(.integrityInfo)
        let attributes = [
            CMSAttribute(oid: .contentType, values: [contentType]),
            CMSAttribute(oid: .messageDigest, values: [DERWriter.octets(try digest.hash(content))]),
            CMSAttribute(
                oid: .algorithmProtection,
                values: [
                    DERWriter.sequence(
                        hashIdentifier, retagged(macIdentifier, as: AlgorithmProtection.codeTag))
                ]),
        ]
        let signed = DERWriter.setOf(attributes.map(\.encoded))
        let mac = try MessageAuthentication.hmacSHA256(key: key, data: signed)
        let recipient = DERWriter.element(
            ASN1Tag.context(3),
            of: [
                DERWriter.integer(0),
                DERWriter.element(
                    ASN1Tag.context(0), of: [DERWriter.objectIdentifier(.integrityKeyDerivation)]),
                DERWriter.sequence(DERWriter.objectIdentifier(.aes256Wrap)),
                DERWriter.octets(wrapped),
            ])
        let data = DERWriter.sequence(
            DERWriter.integer(0), DERWriter.setOf([recipient]), macIdentifier,
            retagged(hashIdentifier, as: ASN1Tag.context(1)),
            DERWriter.sequence(
                contentType, DERWriter.element(ASN1Tag.context(0), of: [DERWriter.octets(content)])),
            retagged(signed, as: ASN1Tag.context(2)), DERWriter.octets(mac))
        return DERWriter.sequence(
            DERWriter.objectIdentifier(.authenticatedData),
            DERWriter.element(ASN1Tag.context(0), of: [data]))
    }

    /// An element under an implicit tag.
    private static func retagged(_ element: [UInt8], as tag: UInt8) -> [UInt8] {
        [tag] + element.dropFirst()
    }
}
