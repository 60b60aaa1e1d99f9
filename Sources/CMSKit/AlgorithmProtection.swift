internal import Base

/// The algorithms of a signature or MAC in a signed attribute, which reveals their replacement (RFC
/// 6211 §2).
///
///     CMSAlgorithmProtection ::= SEQUENCE { digestAlgorithm,
///         signatureAlgorithm [1] OPTIONAL, macAlgorithm [2] OPTIONAL }
///
/// Exactly one of signatureAlgorithm and macAlgorithm is present.
struct AlgorithmProtection {
    static let name = "algorithm-protection"
    static let (signatureTag, codeTag) = (ASN1Tag.context(1), ASN1Tag.context(2))

    private let digest: AlgorithmIdentifier
    private let other: AlgorithmIdentifier

    /// - Parameter tag: tag of the second algorithm.
    init(_ der: [UInt8], _ tag: UInt8) throws(CMSError) {
        guard let node = ASN1Node.parse(der, .der) else {
            throw CMSError(.malformed, "\(Self.name) is not DER")
        }
        var reader = try NodeReader(node, ASN1Tag.sequence, Self.name)
        digest = try AlgorithmIdentifier(try reader.next(), Self.name)
        other = try AlgorithmIdentifier(try reader.next(), tag: tag, Self.name)
        try reader.end()
    }

    /// Whether these algorithms are the given ones.
    func names(digest: AlgorithmIdentifier, _ other: AlgorithmIdentifier) -> Bool {
        self.digest.isSame(as: digest) && self.other.isSame(as: other)
    }
}
