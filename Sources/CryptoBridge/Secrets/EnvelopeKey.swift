internal import ASN1Kit
internal import COpenSSL

/// Whoever opens what was encrypted for a certificate: an RSA key in memory, a key on a card.
package protocol EnvelopeKey: Sendable {
    /// - Throws: when the key does nothing of the kind, as far as that shows before it is used.
    func check(_ scheme: EnvelopeScheme) throws
    /// What an RSA key decrypts; nil, or anything, for what was not encrypted for it.
    func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]?
    /// What the key and another's point have in common: the coordinate x, of `byteCount` bytes
    /// (SEC 1 §3.3.1). Of each key that may be the one, where that does not show: what was wrapped does
    /// not come out with another's.
    func agree(with point: [UInt8], byteCount: Int) throws -> [[UInt8]]
}

/// How the key of an envelope's content is protected.
package enum EnvelopeScheme: Sendable {
    case transport(KeyTransport)
    case agreement

    /// For messages.
    package var name: String {
        switch self {
        case .transport(.pkcs1): "RSA (PKCS#1 v1.5)"
        case .transport(.oaep(let padding)): "RSA-OAEP with \(padding.hash.displayName)"
        case .agreement: "ECDH"
        }
    }
}

/// How a key is encrypted with an RSA key.
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

    /// - Parameter parameters: of the AlgorithmIdentifier; SHA-1 where they say nothing.
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
                guard name == .mgf1,
                    var parameters = algorithm.next(ASN1Tag.sequence)?.reader,
                    let known = parameters.next()?.objectIdentifier.flatMap({
                        DigestAlgorithm(oid: $0)
                    })
                else { return nil }
                mask = known
            case ASN1Tag.context(2):
                // A label that is there.
                guard algorithm.next(ASN1Tag.octetString)?.content.isEmpty == true else {
                    return nil
                }
            default: return nil
            }
        }
        self.hash = hash
        self.mask = mask
    }

    /// Takes the padding off what the private key made of the data.
    ///
    /// - Parameter byteCount: the modulus's.
    /// - Returns: nil when there is no such padding; why, does not show (RFC 8017 §7.1.2).
    package func unpad(_ block: [UInt8], byteCount: Int) -> [UInt8]? {
        guard block.count <= byteCount, let hash = unsafe try? FetchedDigest.get(self.hash),
            let mask = unsafe try? FetchedDigest.get(self.mask)
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

/// The part of enveloped data that is for the holder of one certificate.
package struct EnvelopeShare: Sendable {
    private enum Protection {
        case transported([UInt8], KeyTransport)
        case agreed(point: [UInt8], AgreementScheme, wrapped: [UInt8])
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

    /// The content.
    ///
    /// - Returns: nil when it was not encrypted for the key. What about it is wrong does not show: a
    ///   content's key that does not come out is replaced by one that fits nothing (RFC 3218 §2.3.2).
    package func open(with key: any EnvelopeKey) throws -> [UInt8]? {
        switch protection {
        case .transported(let encrypted, let transport):
            var random = try RandomBytes.generate(cipher.keyByteCount)
            defer { SecretBytes.wipe(&random) }
            var found = try key.decrypt(encrypted, transport) ?? []
            defer { SecretBytes.wipe(&found) }
            let isKey = found.count == cipher.keyByteCount
            return try cipher.decrypt(parts, key: isKey ? found : random)
        case .agreed(let point, let scheme, let wrapped):
            var secrets = try key.agree(with: point, byteCount: Self.fieldByteCount(of: point))
            defer { for index in secrets.indices { SecretBytes.wipe(&secrets[index]) } }
            for secret in secrets {
                guard var found = try scheme.unwrap(wrapped, secret) else { continue }
                defer { SecretBytes.wipe(&found) }
                return try cipher.decrypt(parts, key: found)
            }
            return nil
        }
    }

    /// Of a point, compressed or not (SEC 1 §2.3.3).
    private static func fieldByteCount(of point: [UInt8]) -> Int {
        point.first == 4 ? (point.count - 1) / 2 : point.count - 1
    }

    fileprivate init?(
        _ parts: EnvelopeParts, for certificate: Certificate
    ) throws(CryptoError) {
        guard let protection = try Self.protection(in: parts, for: certificate) else { return nil }
        try self.init(
            parts, protection, modulusByteCount: certificate.publicKey.maximumSignatureByteCount)
    }

    fileprivate init?(
        _ parts: EnvelopeParts, _ key: TransportedKey, modulusByteCount: Int
    ) throws(CryptoError) {
        guard let transport = key.transport else { return nil }
        try self.init(
            parts, .transported(key.encrypted, transport), modulusByteCount: modulusByteCount)
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
            case .agreed(_, _, let wrapped): wrapped.count == cipher.wrappedKeyByteCount
            }
        guard isWhole, cipher.fits(parts) else {
            throw CryptoError(
                .malformedBundle, "enveloped data of which a part has a length that cannot be")
        }
    }

    /// Whether so many bytes may come out.
    package func mayHold(_ byteCount: Int) -> Bool { cipher.mayHold(byteCount, parts) }

    private static func protection(
        in parts: EnvelopeParts, for certificate: Certificate
    ) throws(CryptoError) -> Protection? {
        if let key = parts.transports.first(where: { $0.recipient.names(certificate) }) {
            guard case .rsa = try certificate.publicKey.algorithm, let transport = key.transport
            else {
                throw CryptoError(
                    .unsupportedAlgorithm, "the content's key is encrypted in an unknown way")
            }
            return .transported(key.encrypted, transport)
        }
        for agreement in parts.agreements {
            guard
                let wrapped = agreement.wrappedKeys.first(where: { $0.recipient.names(certificate) }
                )
            else { continue }
            guard case .ec = try certificate.publicKey.algorithm, let scheme = agreement.scheme,
                agreement.curve == .ecPublicKey
            else {
                throw CryptoError(
                    .unsupportedAlgorithm, "the content's key is wrapped in an unknown way")
            }
            try check(point: agreement.publicKey, for: certificate)
            return .agreed(point: agreement.publicKey, scheme, wrapped: wrapped.key)
        }
        return nil
    }

    /// A point that is not on the recipient's curve would betray the key bit by bit.
    private static func check(
        point: [UInt8], for certificate: Certificate
    ) throws(CryptoError) {
        // The hybrid forms (SEC 1 §2.3.3) some tokens do not know.
        guard let form = point.first, (2...4).contains(form), point.count % 2 == 1,
            var reader = ASN1Reader.single(certificate.spkiDER[...], .definite)?.reader,
            let algorithm = reader.next(ASN1Tag.sequence)
        else { throw CryptoError(.malformedKey, "the certificate's key is on no curve") }
        _ = try PublicKey(
            spkiDER: DERWriter.sequence([
                algorithm.bytes, DERWriter.element(ASN1Tag.bitString, [0] + point),
            ]))
    }
}

extension EnvelopedData {
    /// The part of the message that is for the holder of a certificate; nil when there is none.
    ///
    /// - Throws: ``CryptoError``, `.unsupportedAlgorithm` or a malformed part: before any key is used.
    package func share(for certificate: Certificate) throws(CryptoError) -> EnvelopeShare? {
        guard let parts = try parts() else { return nil }
        return try EnvelopeShare(parts, for: certificate)
    }

    /// The parts for an RSA key that has these certificates; without any, all of the modulus's length.
    func shares(
        for certificates: [Certificate], modulusByteCount: Int
    ) throws(CryptoError) -> [EnvelopeShare] {
        guard let parts = try parts() else { return [] }
        var shares: [EnvelopeShare] = []
        for key in parts.transports where key.encrypted.count == modulusByteCount {
            guard certificates.isEmpty || certificates.contains(where: key.recipient.names),
                let share = try EnvelopeShare(parts, key, modulusByteCount: modulusByteCount)
            else { continue }
            shares.append(share)
        }
        return shares
    }
}
