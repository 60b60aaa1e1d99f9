internal import Base

/// Adobe's signed attribute with revocation data (ISO 32000-2 §12.8.3.3.2).
///
///     RevocationInfoArchival ::= SEQUENCE {
///         crl [0] EXPLICIT SEQUENCE OF CRLs OPTIONAL,
///         ocsp [1] EXPLICIT SEQUENCE OF OCSPResponse OPTIONAL, otherRevInfo [2] … OPTIONAL }
package struct RevocationInfoArchival: Sendable {
    /// DER of each list.
    package let revocationLists: [[UInt8]]
    /// DER of each response.
    package let responses: [[UInt8]]

    package init(_ der: [UInt8]) throws(CMSError) {
        let what = "the revocation data"
        guard let node = ASN1Node.parse(der, .ber) else { throw CMSError(.malformed, what) }
        var reader = try NodeReader(node, ASN1Tag.sequence, what)
        revocationLists = try Self.list(
            reader.next(if: ASN1Tag.context(0)), tag: ASN1Tag.context(0))
        responses = try Self.list(reader.next(if: ASN1Tag.context(1)), tag: ASN1Tag.context(1))
    }

    private static func list(_ node: ASN1Node?, tag: UInt8) throws(CMSError) -> [[UInt8]] {
        guard let node else { return [] }
        let what = "the revocation data"
        var wrapper = try NodeReader(node, tag, what)
        var elements = try NodeReader(try wrapper.next(), ASN1Tag.sequence, what)
        return try elements.rest(limit: CMSLimits.certificateCount).map(\.bytes)
    }
}
