internal import Base
internal import COpenSSL

/// The digest algorithm of a signature, read from its AlgorithmIdentifier.
package enum SignatureDigest: Sendable, Equatable {
    case named(DigestAlgorithm)
    /// EdDSA, ML-DSA and SLH-DSA, which include their own hash.
    case ownHash
    /// An unknown algorithm, with its name.
    case unknown(String)

    /// - Parameter der: an AlgorithmIdentifier.
    init(_ der: [UInt8]) {
        var fields = ASN1Reader.single(der[...], .definite)?.reader
        guard let oid = fields?.next()?.objectIdentifier else {
            self = .unknown("no algorithm")
            return
        }
        switch oid {
        case .ed25519, .ed448: self = .ownHash
        case _ where QuantumSafeAlgorithm(oid: oid) != nil: self = .ownHash
        case .rsaPSS:
            // RSASSA-PSS-params ::= SEQUENCE { hashAlgorithm [0] DEFAULT sha1, … }
            var parameters = fields?.next(ASN1Tag.sequence)?.reader
            guard var wrapper = parameters?.next(ASN1Tag.context(0))?.reader else {
                self = .named(.sha1)
                return
            }
            var hash = wrapper.next(ASN1Tag.sequence)?.reader
            let name = hash?.next()?.objectIdentifier
            self =
                name.flatMap { DigestAlgorithm(oid: $0) }.map(Self.named)
                ?? .unknown(oid.description)
        default:
            var digest: Int32 = 0
            guard unsafe OBJ_find_sigid_algs(OBJ_txt2nid(oid.description), &digest, nil) == 1,
                let name = unsafe OBJ_nid2sn(digest),
                let found = DigestAlgorithm(name: unsafe String(cString: name))
            else {
                self = .unknown(Certificate.signatureName(oid))
                return
            }
            self = .named(found)
        }
    }
}
