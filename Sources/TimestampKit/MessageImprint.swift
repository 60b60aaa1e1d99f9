internal import Base
package import CMSKit
package import CryptoBridge

/// The message imprint (RFC 3161 §2.4.1).
///
///     MessageImprint ::= SEQUENCE {
///         hashAlgorithm AlgorithmIdentifier, hashedMessage OCTET STRING }
package struct MessageImprint: Sendable, Equatable {
    package let algorithm: AlgorithmIdentifier
    package let hashedMessage: [UInt8]

    /// Nil if the algorithm is unknown or has parameters.
    package var digest: DigestAlgorithm? { DigestAlgorithm(algorithm) }

    /// The imprint of a hash with `digest`; the caller ensures its length. Parameters are NULL,
    /// since some TSAs compare them with the usual encoding.
    package init(digest: DigestAlgorithm, hash: [UInt8]) {
        algorithm = AlgorithmIdentifier(oid: digest.oid, parameters: DERWriter.null)
        hashedMessage = hash
    }

    init(_ node: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "the message imprint")
        algorithm = try AlgorithmIdentifier(try reader.next(), "the imprint's hash algorithm")
        hashedMessage = try reader.next().octets("the imprint's hash")
        try reader.end()
        guard hashedMessage.count <= TimestampLimits.hashByteCount else {
            throw CMSError(
                .limitExceeded,
                "an imprint of \(hashedMessage.count) bytes, over \(TimestampLimits.hashByteCount)")
        }
    }

    var encoded: [UInt8] { DERWriter.sequence(algorithm.encoded, DERWriter.octets(hashedMessage)) }
}
