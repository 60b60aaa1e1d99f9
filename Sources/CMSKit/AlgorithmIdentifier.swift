package import CryptoBridge
package import SwiftASN1

/// An algorithm with its parameters.
///
///     AlgorithmIdentifier ::= SEQUENCE {
///         algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }
package struct AlgorithmIdentifier: Sendable, Equatable {
    package let oid: String
    /// DER of the parameters; nil when absent.
    package let parameters: [UInt8]?

    package init(oid: String, parameters: [UInt8]?) {
        self.oid = oid
        self.parameters = parameters
    }

    /// - Parameter tag: what it stands under; another than SEQUENCE where it is tagged implicitly.
    package init(
        _ node: ASN1Node, tag: ASN1Identifier = .sequence, _ what: String
    ) throws(CMSError) {
        var reader = try NodeReader(node, tag, what)
        oid = try reader.next().objectIdentifier(what)
        parameters = reader.isAtEnd ? nil : try reader.next().bytes
        try reader.end()
    }

    /// Whether both are the same, no parameters and NULL being one.
    func isSame(as other: AlgorithmIdentifier) -> Bool {
        self == other || oid == other.oid && hasNoParameters && other.hasNoParameters
    }

    package var hasNoParameters: Bool { parameters == nil || parameters == DEREncoding.null }

    package func encoded() throws(CMSError) -> [UInt8] {
        try DEREncoding.constructed(
            .sequence, [DEREncoding.objectIdentifier(oid), parameters ?? []])
    }
}

extension DigestAlgorithm {
    /// Of a digestAlgorithm field: parameters absent or NULL (RFC 5754 §2). Ed448 names
    /// SHAKE256 with its output length as parameter (RFC 8419 §2.3, RFC 8702).
    package init?(_ identifier: AlgorithmIdentifier) {
        if identifier.oid == CMSOID.shake256Length {
            self = .shake256
            return
        }
        guard identifier.hasNoParameters else { return nil }
        self.init(oid: identifier.oid)
    }

    /// Of a digestAlgorithm field as some signers fill it in: with the identifier of a signature
    /// algorithm, which names its hash.
    init?(named identifier: AlgorithmIdentifier) {
        let digest =
            DigestAlgorithm(identifier)
            ?? (identifier.hasNoParameters
                ? NamedSignature.all.first { $0.oid == identifier.oid }?.digest : nil)
        guard let digest else { return nil }
        self = digest
    }

    /// As written: without parameters (RFC 5754 §2).
    var identifier: AlgorithmIdentifier {
        if self == .shake256 {
            return AlgorithmIdentifier(
                oid: CMSOID.shake256Length, parameters: DEREncoding.integer(512))
        }
        return AlgorithmIdentifier(oid: oid, parameters: nil)
    }
}

/// Signature identifiers that name their hash.
private enum NamedSignature {
    static let rsa: [(oid: String, digest: DigestAlgorithm)] = [
        ("1.2.840.113549.1.1.4", .md5), ("1.2.840.113549.1.1.5", .sha1),
        ("1.3.14.3.2.29", .sha1),
        ("1.2.840.113549.1.1.14", .sha224), ("1.2.840.113549.1.1.11", .sha256),
        ("1.2.840.113549.1.1.12", .sha384), ("1.2.840.113549.1.1.13", .sha512),
        ("2.16.840.1.101.3.4.3.13", .sha3_224), ("2.16.840.1.101.3.4.3.14", .sha3_256),
        ("2.16.840.1.101.3.4.3.15", .sha3_384), ("2.16.840.1.101.3.4.3.16", .sha3_512),
    ]
    static let ecdsa: [(oid: String, digest: DigestAlgorithm)] = [
        ("1.2.840.10045.4.1", .sha1), ("1.2.840.10045.4.3.1", .sha224),
        ("1.2.840.10045.4.3.2", .sha256), ("1.2.840.10045.4.3.3", .sha384),
        ("1.2.840.10045.4.3.4", .sha512), ("2.16.840.1.101.3.4.3.9", .sha3_224),
        ("2.16.840.1.101.3.4.3.10", .sha3_256), ("2.16.840.1.101.3.4.3.11", .sha3_384),
        ("2.16.840.1.101.3.4.3.12", .sha3_512),
    ]
    /// The same with r‖s for the value (BSI TR-03111 §5.2.1).
    static let plainECDSA: [(oid: String, digest: DigestAlgorithm)] = [
        ("0.4.0.127.0.7.1.1.4.1.1", .sha1), ("0.4.0.127.0.7.1.1.4.1.2", .sha224),
        ("0.4.0.127.0.7.1.1.4.1.3", .sha256), ("0.4.0.127.0.7.1.1.4.1.4", .sha384),
        ("0.4.0.127.0.7.1.1.4.1.5", .sha512),
    ]
    static let dsa: [(oid: String, digest: DigestAlgorithm)] = [
        ("1.2.840.10040.4.3", .sha1), ("2.16.840.1.101.3.4.3.1", .sha224),
        ("2.16.840.1.101.3.4.3.2", .sha256), ("2.16.840.1.101.3.4.3.3", .sha384),
        ("2.16.840.1.101.3.4.3.4", .sha512), ("2.16.840.1.101.3.4.3.5", .sha3_224),
        ("2.16.840.1.101.3.4.3.6", .sha3_256), ("2.16.840.1.101.3.4.3.7", .sha3_384),
        ("2.16.840.1.101.3.4.3.8", .sha3_512),
    ]
    static let all = rsa + ecdsa + plainECDSA + dsa
}

/// What a signatureAlgorithm field amounts to.
enum SignatureAlgorithmReading: Equatable {
    case scheme(SignatureScheme)
    /// Names another hash than the digestAlgorithm field: RFC 4056 §3, RFC 8933 §3.
    case mismatch(String)
    case unsupported(String)
}

extension SignatureScheme {
    /// Whether the value is r‖s, each as long as the curve's order, instead of DER.
    static func isPlain(_ identifier: AlgorithmIdentifier) -> Bool {
        NamedSignature.plainECDSA.contains { $0.oid == identifier.oid }
    }

    /// Reads a signatureAlgorithm beside a digestAlgorithm.
    static func read(
        _ identifier: AlgorithmIdentifier, digest: DigestAlgorithm
    ) -> SignatureAlgorithmReading {
        switch identifier.oid {
        case CMSOID.rsaEncryption where identifier.hasNoParameters:
            return .scheme(.rsaPKCS1(digest))
        // Bare key identifiers are no signature algorithms, yet old signers write them.
        case CMSOID.ecPublicKey: return .scheme(.ecdsa(digest))
        case CMSOID.dsa: return .scheme(.dsa(digest))
        case CMSOID.ed25519:
            return identifier.hasNoParameters
                ? .scheme(.ed25519) : .unsupported("Ed25519 with parameters is not supported")
        case CMSOID.ed448:
            return identifier.hasNoParameters
                ? .scheme(.ed448) : .unsupported("Ed448 with parameters is not supported")
        case CMSOID.rsaPSS: return readPSS(identifier.parameters, digest)
        default: break
        }
        let found: SignatureScheme
        if let rsa = NamedSignature.rsa.first(where: { $0.oid == identifier.oid }) {
            found = .rsaPKCS1(rsa.digest)
        } else if let ecdsa = (NamedSignature.ecdsa + NamedSignature.plainECDSA).first(where: {
            $0.oid == identifier.oid
        }) {
            found = .ecdsa(ecdsa.digest)
        } else if let dsa = NamedSignature.dsa.first(where: { $0.oid == identifier.oid }) {
            found = .dsa(dsa.digest)
        } else {
            return .unsupported("the signature algorithm \(identifier.oid) is not known")
        }
        guard identifier.hasNoParameters else {
            return .unsupported("\(found.name) with parameters is not supported")
        }
        guard let named = found.digest, named == digest else {
            let names = found.digest.map { "\($0.displayName) and \(digest.displayName)" } ?? ""
            return .mismatch("signature and digest algorithm name different hashes: \(names)")
        }
        return .scheme(found)
    }

    /// RSASSA-PSS-params ::= SEQUENCE { [0] hash DEFAULT sha1, [1] mask DEFAULT mgf1SHA1,
    /// [2] saltLength DEFAULT 20, [3] trailerField DEFAULT 1 } (RFC 4055 §3.1).
    private static func readPSS(
        _ parameters: [UInt8]?, _ digest: DigestAlgorithm
    ) -> SignatureAlgorithmReading {
        do {
            let pss = try PSSParameters(parameters)
            guard pss.trailer == 1, (0...CMSLimits.saltByteCount).contains(pss.saltByteCount)
            else { return .unsupported("the unusual parameters of RSA-PSS are not supported") }
            guard pss.digest == digest else {
                return .mismatch(
                    "RSA-PSS names \(pss.digest.displayName), the digest algorithm is "
                        + digest.displayName)
            }
            guard pss.maskDigest == digest else {
                return .unsupported("RSA-PSS with another hash in its mask is not supported")
            }
            return .scheme(.rsaPSS(digest, saltByteCount: pss.saltByteCount))
        } catch {
            return .unsupported("the parameters of RSA-PSS cannot be read")
        }
    }

    /// As written into certificates and requests, where every algorithm names its hash (RFC 4055,
    /// RFC 5758, RFC 8410).
    package func certificateIdentifier() throws(CMSError) -> AlgorithmIdentifier {
        guard case .rsaPKCS1(let digest) = self else { return try identifier() }
        guard let entry = NamedSignature.rsa.first(where: { $0.digest == digest }) else {
            throw CMSError(.unsupportedAlgorithm, "\(name) with \(digest.displayName)")
        }
        return AlgorithmIdentifier(oid: entry.oid, parameters: DEREncoding.null)
    }

    /// As written into signatureAlgorithm. RSA v1.5 with SHA-2 is written as rsaEncryption
    /// (RFC 3370 §3.2), which every verifier knows, also those who pair it with digestAlgorithm.
    func identifier() throws(CMSError) -> AlgorithmIdentifier {
        func named(
            _ table: [(oid: String, digest: DigestAlgorithm)], _ digest: DigestAlgorithm
        ) throws(CMSError) -> String {
            guard let entry = table.first(where: { $0.digest == digest }) else {
                throw CMSError(.unsupportedAlgorithm, "\(name) with \(digest.displayName)")
            }
            return entry.oid
        }
        switch self {
        case .rsaPKCS1(.sha256), .rsaPKCS1(.sha384), .rsaPKCS1(.sha512):
            return AlgorithmIdentifier(
                oid: CMSOID.rsaEncryption, parameters: DEREncoding.null)
        case .rsaPKCS1(let digest):
            return AlgorithmIdentifier(
                oid: try named(NamedSignature.rsa, digest), parameters: DEREncoding.null)
        case .rsaPSS(let digest, let saltByteCount):
            return AlgorithmIdentifier(
                oid: CMSOID.rsaPSS,
                parameters: try PSSParameters.encode(digest, saltByteCount: saltByteCount))
        case .ecdsa(let digest):
            return AlgorithmIdentifier(
                oid: try named(NamedSignature.ecdsa, digest), parameters: nil)
        case .dsa(let digest):
            return AlgorithmIdentifier(
                oid: try named(NamedSignature.dsa, digest), parameters: nil)
        case .ed25519: return AlgorithmIdentifier(oid: CMSOID.ed25519, parameters: nil)
        case .ed448: return AlgorithmIdentifier(oid: CMSOID.ed448, parameters: nil)
        }
    }
}

/// RSASSA-PSS-params.
private struct PSSParameters {
    var digest = DigestAlgorithm.sha1
    var maskDigest = DigestAlgorithm.sha1
    var saltByteCount = 20
    var trailer = 1

    init(_ der: [UInt8]?) throws(CMSError) {
        guard let der, let node = try? DER.parse(der) else {
            throw CMSError(.malformed, "RSA-PSS without parameters")
        }
        var reader = try NodeReader(node, .sequence, "RSA-PSS parameters")
        if let field = reader.next(if: .context(0)) {
            digest = try Self.digest(Self.inner(field))
        }
        if let field = reader.next(if: .context(1)) {
            let mask = try AlgorithmIdentifier(Self.inner(field), "mask")
            guard mask.oid == CMSOID.mgf1, let parameters = mask.parameters,
                let hash = try? DER.parse(parameters)
            else { throw CMSError(.malformed, "unknown mask") }
            maskDigest = try Self.digest(hash)
        }
        if let field = reader.next(if: .context(2)) {
            saltByteCount = try Self.inner(field).smallInteger("salt length")
        }
        if let field = reader.next(if: .context(3)) {
            trailer = try Self.inner(field).smallInteger("trailer")
        }
        try reader.end()
    }

    /// The one element inside an explicit tag.
    private static func inner(_ node: ASN1Node) throws(CMSError) -> ASN1Node {
        var reader = try NodeReader(node, node.identifier, "an RSA-PSS parameter")
        let child = try reader.next()
        try reader.end()
        return child
    }

    private static func digest(_ node: ASN1Node) throws(CMSError) -> DigestAlgorithm {
        guard let digest = DigestAlgorithm(try AlgorithmIdentifier(node, "hash")) else {
            throw CMSError(.unsupportedAlgorithm, "an unknown hash")
        }
        return digest
    }

    /// DER leaves defaults out; SHA-1 and salt 20 are not written here in any case.
    static func encode(
        _ digest: DigestAlgorithm, saltByteCount: Int
    ) throws(CMSError) -> [UInt8] {
        // Hash identifiers inside PSS carry NULL by custom (RFC 4055 §2.1 asks for it).
        let hash = try AlgorithmIdentifier(
            oid: digest.oid, parameters: DEREncoding.null
        ).encoded()
        let mask = try AlgorithmIdentifier(oid: CMSOID.mgf1, parameters: hash).encoded()
        var parts = [
            DEREncoding.constructed(.context(0), [hash]),
            DEREncoding.constructed(.context(1), [mask]),
        ]
        if saltByteCount != 20 {
            parts.append(
                DEREncoding.constructed(.context(2), [DEREncoding.integer(saltByteCount)]))
        }
        return DEREncoding.constructed(.sequence, parts)
    }
}
