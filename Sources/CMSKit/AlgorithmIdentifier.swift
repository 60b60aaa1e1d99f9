package import Base
package import CryptoBridge

/// An algorithm with its parameters.
///
///     AlgorithmIdentifier ::= SEQUENCE {
///         algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }
package struct AlgorithmIdentifier: Sendable, Equatable {
    package let oid: OID
    /// DER of the parameters; nil when absent.
    package let parameters: [UInt8]?

    package init(oid: OID, parameters: [UInt8]?) {
        self.oid = oid
        self.parameters = parameters
    }

    /// - Parameter tag: the element's tag; not SEQUENCE if it is tagged implicitly.
    package init(_ node: ASN1Node, tag: UInt8 = ASN1Tag.sequence, _ what: String) throws(CMSError) {
        var reader = try NodeReader(node, tag, what)
        oid = try reader.next().objectIdentifier(what)
        parameters = reader.isAtEnd ? nil : try reader.next().bytes
        try reader.end()
    }

    /// Whether both are equal. Absent parameters and NULL are treated as equal.
    package func isSame(as other: AlgorithmIdentifier) -> Bool {
        self == other || oid == other.oid && hasNoParameters && other.hasNoParameters
    }

    package var hasNoParameters: Bool { parameters == nil || parameters == DERWriter.null }

    package var encoded: [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(oid), parameters ?? [])
    }
}

extension DigestAlgorithm {
    /// Reads a digestAlgorithm field: parameters absent or NULL (RFC 5754 §2). Ed448 uses SHAKE256
    /// with its output length as parameter (RFC 8419 §2.3, RFC 8702).
    package init?(_ identifier: AlgorithmIdentifier) {
        if identifier.oid == .shake256Length {
            self = .shake256
            return
        }
        guard identifier.hasNoParameters else { return nil }
        self.init(oid: identifier.oid)
    }

    /// Reads a digestAlgorithm field that contains a signature algorithm with a fixed hash, as some
    /// signers write it.
    init?(named identifier: AlgorithmIdentifier) {
        let digest =
            DigestAlgorithm(identifier)
            ?? (identifier.hasNoParameters
                ? NamedSignature.all.first { $0.oid == identifier.oid }?.scheme.digest : nil)
        guard let digest else { return nil }
        self = digest
    }

    /// The identifier to write, without parameters (RFC 5754 §2).
    var identifier: AlgorithmIdentifier {
        if self == .shake256 {
            return AlgorithmIdentifier(oid: .shake256Length, parameters: DERWriter.integer(512))
        }
        return AlgorithmIdentifier(oid: oid, parameters: nil)
    }
}

private enum NamedSignature {
    private static let rsa: [(oid: OID, digest: DigestAlgorithm)] = [
        (.md5WithRSA, .md5), (.sha1WithRSA, .sha1),
        (.sha1WithRSASignature, .sha1),
        (.sha224WithRSA, .sha224), (.sha256WithRSA, .sha256),
        (.sha384WithRSA, .sha384), (.sha512WithRSA, .sha512),
        (.rsaWithSHA3With224, .sha3_224), (.rsaWithSHA3With256, .sha3_256),
        (.rsaWithSHA3With384, .sha3_384), (.rsaWithSHA3With512, .sha3_512),
    ]
    private static let ecdsa: [(oid: OID, digest: DigestAlgorithm)] = [
        (.ecdsaWithSHA1, .sha1), (.ecdsaWithSHA224, .sha224),
        (.ecdsaWithSHA256, .sha256), (.ecdsaWithSHA384, .sha384),
        (.ecdsaWithSHA512, .sha512), (.ecdsaWithSHA3With224, .sha3_224),
        (.ecdsaWithSHA3With256, .sha3_256), (.ecdsaWithSHA3With384, .sha3_384),
        (.ecdsaWithSHA3With512, .sha3_512),
    ]
    /// ECDSA with r‖s as the signature value (BSI TR-03111 §5.2.1).
    static let plainECDSA: [(oid: OID, digest: DigestAlgorithm)] = [
        (.plainECDSAWithSHA1, .sha1), (.plainECDSAWithSHA224, .sha224),
        (.plainECDSAWithSHA256, .sha256), (.plainECDSAWithSHA384, .sha384),
        (.plainECDSAWithSHA512, .sha512),
    ]
    private static let dsa: [(oid: OID, digest: DigestAlgorithm)] = [
        (.dsaWithSHA1, .sha1), (.dsaWithSHA224, .sha224),
        (.dsaWithSHA256, .sha256), (.dsaWithSHA384, .sha384),
        (.dsaWithSHA512, .sha512), (.dsaWithSHA3With224, .sha3_224),
        (.dsaWithSHA3With256, .sha3_256), (.dsaWithSHA3With384, .sha3_384),
        (.dsaWithSHA3With512, .sha3_512),
    ]
    /// If several entries have the same scheme, the first one is written.
    static let all: [(oid: OID, scheme: SignatureScheme)] =
        rsa.map { ($0.oid, .rsaPKCS1($0.digest)) }
        + (ecdsa + plainECDSA).map { ($0.oid, .ecdsa($0.digest)) }
        + dsa.map { ($0.oid, .dsa($0.digest)) }
}

enum SignatureAlgorithmReading: Equatable {
    case scheme(SignatureScheme)
    /// The hash differs from the digestAlgorithm field: RFC 4056 §3, RFC 8933 §3.
    case mismatch(String)
    case unsupported(String)
}

extension SignatureScheme {
    /// Whether the value is r‖s, each as long as the curve's order, instead of DER.
    static func isPlain(_ identifier: AlgorithmIdentifier) -> Bool {
        NamedSignature.plainECDSA.contains { $0.oid == identifier.oid }
    }

    static func read(
        _ identifier: AlgorithmIdentifier, digest: DigestAlgorithm
    ) -> SignatureAlgorithmReading {
        switch identifier.oid {
        case .rsaEncryption where identifier.hasNoParameters: return .scheme(.rsaPKCS1(digest))
        // Bare key identifiers are not signature algorithms, but old signers write them.
        case .ecPublicKey: return .scheme(.ecdsa(digest))
        case .dsa: return .scheme(.dsa(digest))
        case .ed25519, .ed448:
            let (scheme, name): (SignatureScheme, String) =
                identifier.oid == .ed25519 ? (.ed25519, "Ed25519") : (.ed448, "Ed448")
            return identifier.hasNoParameters
                ? .scheme(scheme) : .unsupported("\(name) with parameters is not supported")
        case _ where QuantumSafeAlgorithm(oid: identifier.oid) != nil:
            guard let found = QuantumSafeAlgorithm(oid: identifier.oid),
                identifier.parameters == nil
            else {
                return .unsupported("\(identifier.oid) with parameters is not supported")
            }
            guard found.permits(digest) else {
                return .unsupported(
                    "\(found.rawValue) with the weaker \(digest.displayName) is not supported")
            }
            return .scheme(.quantumSafe(found))
        case .rsaPSS: return readPSS(identifier.parameters, digest: digest)
        default: break
        }
        guard let found = NamedSignature.all.first(where: { $0.oid == identifier.oid })?.scheme
        else {
            let reason = QuantumSafeAlgorithm.unavailabilityReason(of: identifier.oid)
            return .unsupported(reason ?? "the signature algorithm \(identifier.oid) is not known")
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
        _ parameters: [UInt8]?, digest: DigestAlgorithm
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
            return .scheme(
                .rsaPSS(
                    digest, saltByteCount: pss.saltByteCount,
                    mask: pss.maskDigest == digest ? nil : pss.maskDigest))
        } catch {
            return .unsupported("the parameters of RSA-PSS cannot be read")
        }
    }

    /// The identifier in certificates and CSRs, where every algorithm includes its hash (RFC 4055,
    /// RFC 5758, RFC 8410).
    package func certificateIdentifier() throws(CMSError) -> AlgorithmIdentifier {
        guard case .rsaPKCS1 = self else { return try identifier() }
        return try named(parameters: DERWriter.null)
    }

    private func named(parameters: [UInt8]?) throws(CMSError) -> AlgorithmIdentifier {
        guard let entry = NamedSignature.all.first(where: { $0.scheme == self }) else {
            throw CMSError(
                .unsupportedAlgorithm, "\(name) with \(digest?.displayName ?? "no hash")")
        }
        return AlgorithmIdentifier(oid: entry.oid, parameters: parameters)
    }

    /// The identifier in signatureAlgorithm. PKCS#1 v1.5 with SHA-2 is written as rsaEncryption
    /// (RFC 3370 §3.2), which every validator supports.
    func identifier() throws(CMSError) -> AlgorithmIdentifier {
        switch self {
        case .rsaPKCS1(.sha256), .rsaPKCS1(.sha384), .rsaPKCS1(.sha512):
            return AlgorithmIdentifier(oid: .rsaEncryption, parameters: DERWriter.null)
        case .rsaPKCS1: return try named(parameters: DERWriter.null)
        case .rsaPSS(let digest, let saltByteCount, _):
            return AlgorithmIdentifier(
                oid: .rsaPSS,
                parameters: PSSParameters.encode(digest, saltByteCount: saltByteCount))
        case .ecdsa, .dsa: return try named(parameters: nil)
        case .ed25519: return AlgorithmIdentifier(oid: .ed25519, parameters: nil)
        case .ed448: return AlgorithmIdentifier(oid: .ed448, parameters: nil)
        case .quantumSafe(let algorithm):
            return AlgorithmIdentifier(oid: algorithm.oid, parameters: nil)
        }
    }
}

private struct PSSParameters {
    var digest = DigestAlgorithm.sha1
    var maskDigest = DigestAlgorithm.sha1
    var saltByteCount = 20
    var trailer = 1

    init(_ der: [UInt8]?) throws(CMSError) {
        guard let der, let node = ASN1Node.parse(der, .der) else {
            throw CMSError(.malformed, "RSA-PSS without parameters")
        }
        var reader = try NodeReader(node, ASN1Tag.sequence, "RSA-PSS parameters")
        func field(_ number: UInt8) throws(CMSError) -> ASN1Node? {
            let tag = ASN1Tag.context(number)
            return try reader.next(if: tag)?.only(tag, "an RSA-PSS parameter")
        }
        if let field = try field(0) { digest = try Self.digest(field) }
        if let field = try field(1) {
            let mask = try AlgorithmIdentifier(field, "mask")
            guard mask.oid == .mgf1, let parameters = mask.parameters,
                let hash = ASN1Node.parse(parameters, .der)
            else { throw CMSError(.malformed, "unknown mask") }
            maskDigest = try Self.digest(hash)
        }
        if let field = try field(2) { saltByteCount = try field.smallInteger("salt length") }
        if let field = try field(3) { trailer = try field.smallInteger("trailer") }
        try reader.end()
    }

    private static func digest(_ node: ASN1Node) throws(CMSError) -> DigestAlgorithm {
        guard let digest = DigestAlgorithm(try AlgorithmIdentifier(node, "hash")) else {
            throw CMSError(.unsupportedAlgorithm, "an unknown hash")
        }
        return digest
    }

    /// DER omits default values: a salt of 20 bytes is left out. The default digest, SHA-1, is never
    /// passed.
    static func encode(_ digest: DigestAlgorithm, saltByteCount: Int) -> [UInt8] {
        // Hash identifiers in PSS parameters have NULL by convention (RFC 4055 §2.1).
        let hash = AlgorithmIdentifier(oid: digest.oid, parameters: DERWriter.null).encoded
        let mask = AlgorithmIdentifier(oid: .mgf1, parameters: hash).encoded
        var parts = [
            DERWriter.element(ASN1Tag.context(0), of: [hash]),
            DERWriter.element(ASN1Tag.context(1), of: [mask]),
        ]
        if saltByteCount != 20 {
            parts.append(
                DERWriter.element(ASN1Tag.context(2), of: [DERWriter.integer(saltByteCount)]))
        }
        return DERWriter.sequence(parts)
    }
}
