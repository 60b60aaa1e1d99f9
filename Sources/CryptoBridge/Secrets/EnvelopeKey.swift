internal import Base
internal import COpenSSL

/// A key that decrypts data encrypted for a certificate, for example an RSA key in memory or a
/// key on a card.
package protocol EnvelopeKey: Sendable {
    /// Decrypts with RSA; nil, or arbitrary bytes, for data not encrypted for this key.
    func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]?
    /// The shared secret with another public point: the x coordinate in `byteCount` bytes (SEC 1
    /// §3.3.1). If several keys may match, one secret for each: unwrapping fails with the wrong
    /// ones.
    func agree(with point: [UInt8], byteCount: Int) throws -> [[UInt8]]
}

/// The protection of an envelope's content-encryption key.
package enum EnvelopeScheme: Sendable {
    case transport(KeyTransport)
    case agreement

    package var name: String {
        switch self {
        case .transport(.pkcs1): "RSA (PKCS#1 v1.5)"
        case .transport(.oaep(let padding)): "RSA-OAEP with \(padding.hash.displayName)"
        case .agreement: "ECDH"
        }
    }
}

/// RSA encryption of a key.
package enum KeyTransport: Sendable {
    /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2).
    case pkcs1
    /// RSAES-OAEP (RFC 8017 §7.1), without a label.
    case oaep(OAEPPadding)
}

/// The hash functions of RSAES-OAEP (RFC 8017 A.2.1).
package struct OAEPPadding: Sendable {
    package let hash: DigestAlgorithm
    package let mask: DigestAlgorithm

    /// - Parameter parameters: AlgorithmIdentifier parameters; absent values mean SHA-1.
    init?(_ parameters: ASN1Node?) {
        var (hash, mask) = (DigestAlgorithm.sha1, DigestAlgorithm.sha1)
        guard var reader = parameters?.reader else { return nil }
        while let element = reader.next() {
            var inner = element.reader
            guard var algorithm = inner.next(ASN1Tag.sequence)?.reader,
                let name = algorithm.next()?.objectIdentifier
            else { return nil }
            switch element.tag {
            case ASN1Tag.context(0):
                guard let known = DigestAlgorithm(oid: name) else { return nil }
                hash = known
            case ASN1Tag.context(1):
                guard name == .mgf1, var parameters = algorithm.next(ASN1Tag.sequence)?.reader,
                    let known = parameters.next()?.objectIdentifier.flatMap({
                        DigestAlgorithm(oid: $0)
                    })
                else { return nil }
                mask = known
            case ASN1Tag.context(2):
                // A non-empty label is not supported.
                guard algorithm.next(ASN1Tag.octetString)?.content.isEmpty == true else {
                    return nil
                }
            default: return nil
            }
        }
        self.hash = hash
        self.mask = mask
    }

    /// Removes the padding from the RSA result.
    ///
    /// - Parameter byteCount: length of the modulus.
    /// - Returns: nil for invalid padding, without a reason (RFC 8017 §7.1.2).
    package func unpad(_ block: [UInt8], byteCount: Int) -> [UInt8]? {
        guard block.count <= byteCount, let hash = unsafe try? Fetched.digest(self.hash),
            let mask = unsafe try? Fetched.digest(self.mask)
        else { return nil }
        var output = [UInt8](repeating: 0, count: byteCount)
        defer { SecretBytes.wipe(&output) }
        OpenSSL.prepare()
        let count = unsafe COpenSSL_oaep_unpad(
            &output, block, Int32(block.count), Int32(byteCount), hash, mask)
        OpenSSL.prepare()
        return count < 0 ? nil : Array(output.prefix(Int(count)))
    }
}

/// The part of enveloped data for the holder of one certificate.
package struct EnvelopeShare: Sendable {
    private enum Protection {
        case transported([UInt8], KeyTransport)
        case agreed(point: [UInt8], byteCount: Int, AgreementScheme, wrapped: [UInt8])
    }

    private let protection: Protection
    private let parts: EnvelopeParts
    private let cipher: ContentCipher

    package var scheme: EnvelopeScheme {
        switch protection {
        case .transported(_, let transport): .transport(transport)
        case .agreed: .agreement
        }
    }

    /// The decrypted content.
    ///
    /// - Returns: nil if it was not encrypted for the key. The cause is not revealed: a key that
    ///   cannot be decrypted is replaced by a random one (RFC 3218 §2.3.2).
    package func open(with key: any EnvelopeKey) throws -> [UInt8]? {
        switch protection {
        case .transported(let encrypted, let transport):
            var random = try RandomBytes.generate(cipher.keyByteCount)
            defer { SecretBytes.wipe(&random) }
            var found = try key.decrypt(encrypted, transport) ?? []
            defer { SecretBytes.wipe(&found) }
            let isKey = found.count == cipher.keyByteCount
            return try cipher.decrypt(parts, key: isKey ? found : random)
        case .agreed(let point, let byteCount, let scheme, let wrapped):
            var secrets = try key.agree(with: point, byteCount: byteCount)
            defer { for index in secrets.indices { SecretBytes.wipe(&secrets[index]) } }
            for secret in secrets {
                guard var found = try scheme.unwrap(wrapped, with: secret) else { continue }
                defer { SecretBytes.wipe(&found) }
                return try cipher.decrypt(parts, key: found)
            }
            return nil
        }
    }

    fileprivate init?(_ parts: EnvelopeParts, for certificate: Certificate) throws(CryptoError) {
        guard let protection = try Self.protection(in: parts, for: certificate) else { return nil }
        try self.init(
            parts, protection, modulusByteCount: certificate.publicKey.maximumSignatureByteCount)
    }

    private init(
        _ parts: EnvelopeParts, _ protection: Protection, modulusByteCount: Int
    ) throws(CryptoError) {
        self.protection = protection
        self.parts = parts
        cipher = try parts.cipher()
        let isWhole =
            switch protection {
            case .transported(let encrypted, _): encrypted.count == modulusByteCount
            case .agreed(_, _, _, let wrapped): wrapped.count == cipher.wrappedKeyByteCount
            }
        guard isWhole, cipher.fits(parts) else {
            throw CryptoError(
                .malformedBundle, "enveloped data with an impossible length")
        }
    }

    /// Whether the content may have this length.
    package func mayHold(_ byteCount: Int) -> Bool { cipher.mayHold(byteCount, parts) }

    /// The protection in the first part that identifies the certificate.
    private static func protection(
        in parts: EnvelopeParts, for certificate: Certificate
    ) throws(CryptoError) -> Protection? {
        if let part = parts.transports.first(where: { $0.recipient.names(certificate) }) {
            guard case .rsa = try certificate.publicKey.algorithm, let transport = part.transport
            else { throw unknownTransport }
            return .transported(part.encrypted, transport)
        }
        for agreement in parts.agreements {
            guard let part = agreement.wrappedKeys.first(where: { $0.recipient.names(certificate) })
            else { continue }
            let key = try certificate.publicKey
            guard case .ec = key.algorithm, agreement.curve == .ecPublicKey,
                let agreed = agreed(agreement, wrapped: part.key)
            else { throw unknownAgreement }
            _ = try key.peer(at: agreement.publicKey)
            return agreed
        }
        return nil
    }

    private static let unknownTransport = CryptoError(
        .unsupportedAlgorithm, "the content encryption key uses an unknown encryption")
    private static let unknownAgreement = CryptoError(
        .unsupportedAlgorithm, "the content encryption key uses an unknown key wrap")

    /// Nil for an unsupported scheme.
    private static func agreed(_ agreement: KeyAgreement, wrapped: [UInt8]) -> Protection? {
        let point = agreement.publicKey
        guard let scheme = agreement.scheme, !point.isEmpty else { return nil }
        // Points may be compressed (SEC 1 §2.3.3); Montgomery curves use only x (RFC 8410 §4).
        let byteCount =
            agreement.curve == .ecPublicKey
            ? (point[0] == 4 ? (point.count - 1) / 2 : point.count - 1) : point.count
        return .agreed(point: point, byteCount: byteCount, scheme, wrapped: wrapped)
    }

    private static func agreementKind(_ algorithm: KeyAlgorithm) -> OID? {
        switch algorithm {
        case .ec: .ecPublicKey
        case .other("X25519"): .x25519
        default: nil
        }
    }

    /// Whether parts for a key type can be decrypted.
    static func opens(_ algorithm: KeyAlgorithm) -> Bool {
        if case .rsa = algorithm { true } else { agreementKind(algorithm) != nil }
    }

    /// All parts for a key in memory.
    ///
    /// - Parameter own: its certificates; if empty, all parts of its kind.
    fileprivate static func all(
        in parts: EnvelopeParts, for key: PublicKey, own: [Certificate]
    ) throws(CryptoError) -> [EnvelopeShare] {
        func matches(_ recipient: RecipientIdentifier) -> Bool {
            own.isEmpty || own.contains(where: recipient.names)
        }
        let byteCount = key.maximumSignatureByteCount
        var shares: [EnvelopeShare] = []
        var failure: CryptoError?
        func add(_ protection: Protection?, otherwise unknown: CryptoError) {
            guard let protection else {
                if !own.isEmpty { failure = failure ?? unknown }
                return
            }
            do throws(CryptoError) {
                shares.append(try EnvelopeShare(parts, protection, modulusByteCount: byteCount))
            } catch {
                failure = failure ?? error
            }
        }
        if case .rsa = key.algorithm {
            for part in parts.transports
            where part.encrypted.count == byteCount && matches(part.recipient) {
                add(
                    part.transport.map { .transported(part.encrypted, $0) },
                    otherwise: unknownTransport)
            }
        }
        for agreement in parts.agreements where agreement.curve == agreementKind(key.algorithm) {
            for part in agreement.wrappedKeys where matches(part.recipient) {
                add(agreed(agreement, wrapped: part.key), otherwise: unknownAgreement)
            }
        }
        if shares.isEmpty, let failure { throw failure }
        return shares
    }
}

extension EnvelopedData {
    /// The part of the message for the holder of a certificate; nil if there is none.
    ///
    /// - Throws: ``CryptoError``, `.unsupportedAlgorithm` or a malformed part, before any key is
    ///   used.
    package func share(for certificate: Certificate) throws(CryptoError) -> EnvelopeShare? {
        guard let parts = try parts() else { return nil }
        return try EnvelopeShare(parts, for: certificate)
    }

    /// The parts for a key in memory with these certificates; without certificates, all parts of
    /// its kind.
    ///
    /// - Throws: ``CryptoError`` if no matching part uses a supported algorithm.
    func shares(
        for key: PublicKey, certificates: [Certificate]
    ) throws(CryptoError) -> [EnvelopeShare] {
        guard let parts = try parts() else { return [] }
        let own = certificates.filter { $0.certifies(key) }
        return try EnvelopeShare.all(in: parts, for: key, own: own)
    }
}
