package import Base
package import CryptoBridge

/// A parsed SignedData (RFC 5652 §5). Nothing in it has been verified.
///
///     SignedData ::= SEQUENCE {
///         version, digestAlgorithms SET OF, encapContentInfo,
///         certificates [0] IMPLICIT OPTIONAL, crls [1] IMPLICIT OPTIONAL,
///         signerInfos SET OF SignerInfo }
package struct SignedData: Sendable {
    /// Accepted encoding rules.
    package enum Encoding: Sendable {
        case der, ber

        /// The single element in `bytes`; throws if more bytes follow.
        package func parse(_ bytes: [UInt8]) throws(CMSError) -> ASN1Node {
            try SignedData.parse(bytes, self)
        }

        /// Reads DER. If the encoding is not DER, reads it as BER, which some signers write.
        package static func either<Value>(
            _ read: (Encoding) throws(CMSError) -> Value
        ) throws(CMSError) -> Value {
            do {
                return try read(.der)
            } catch {
                guard error.code == .notDER else { throw error }
                return try read(.ber)
            }
        }
    }

    package let version: Int
    package let digestAlgorithms: [AlgorithmIdentifier]
    package let contentType: OID
    /// The attached content; nil in a detached signature.
    package let content: [UInt8]?
    /// The elements of `certificates` as received, in any format.
    package let certificateChoices: [[UInt8]]
    /// The elements of `crls` as received, in any format.
    package let revocationChoices: [[UInt8]]
    /// DER of each certificate, in sequence; other certificate formats are left out.
    package let certificates: [[UInt8]]
    /// DER of each revocation list.
    package let revocationLists: [[UInt8]]
    /// DER of each OCSPResponse (RFC 5940 §2.1); other formats are left out.
    package let ocspResponses: [[UInt8]]
    package let signers: [SignerInfo]
    /// Whether the BER encoding is ambiguous; DER never is.
    package let isAmbiguous: Bool

    /// Reads one ContentInfo and nothing after it.
    package init(_ bytes: [UInt8], encoding: Encoding = .der) throws(CMSError) {
        guard bytes.count <= CMSLimits.messageByteCount else {
            throw CMSError(
                .limitExceeded,
                "the CMS data has \(bytes.count) bytes, more than \(CMSLimits.messageByteCount)")
        }
        let root = try encoding.parse(bytes)
        var info = try NodeReader(root, ASN1Tag.sequence, "the message")
        guard try info.next().objectIdentifier("the message's type") == .signedData else {
            throw CMSError(.notSignedData, "not CMS SignedData")
        }
        let data = try info.next().only(ASN1Tag.context(0), "the message's content")
        try info.end()
        var reader = try NodeReader(data, ASN1Tag.sequence, "SignedData")
        version = try reader.next().smallInteger("the version")
        var algorithms = try NodeReader(try reader.next(), ASN1Tag.set, "digestAlgorithms")
        var digestAlgorithms: [AlgorithmIdentifier] = []
        for node in try algorithms.rest(limit: CMSLimits.signerCount) {
            digestAlgorithms.append(try AlgorithmIdentifier(node, "a digest algorithm"))
        }
        self.digestAlgorithms = digestAlgorithms
        (contentType, content) = try SignedData.content(
            try reader.next(), allowSegments: encoding == .ber)
        certificateChoices = try SignedData.choices(ASN1Tag.context(0), &reader)
        certificates = certificateChoices.filter { $0.first == ASN1Tag.sequence }
        revocationChoices = try SignedData.choices(ASN1Tag.context(1), &reader)
        revocationLists = revocationChoices.filter { $0.first == ASN1Tag.sequence }
        ocspResponses = revocationChoices.compactMap(SignedData.response)
        var infos = try NodeReader(try reader.next(), ASN1Tag.set, "signerInfos")
        var signers: [SignerInfo] = []
        for node in try infos.rest(limit: CMSLimits.signerCount) {
            signers.append(try SignerInfo(node, encoding))
        }
        self.signers = signers
        try reader.end()
        isAmbiguous =
            encoding == .ber
            && (root.isAmbiguous || !signers.allSatisfy(\.signedAttributesAreDER))
    }

    /// Digest algorithms of the content that verification needs.
    package var requiredDigests: Set<DigestAlgorithm> { Set(signers.compactMap(\.digest)) }

    fileprivate static func parse(
        _ bytes: [UInt8], _ encoding: Encoding
    ) throws(CMSError) -> ASN1Node {
        switch encoding {
        case .ber:
            guard let root = ASN1Node.parse(bytes, .ber) else {
                throw CMSError(.malformed, "not ASN.1 data")
            }
            return root
        case .der:
            if ASN1Node.isIndefinite(bytes) {
                throw CMSError(.notDER, "the CMS SignedData has an indefinite length")
            }
            guard let length = ASN1Node.byteCount(in: bytes, .definite) else {
                throw CMSError(.malformed, "truncated, or not ASN.1 data")
            }
            guard length == bytes.count else {
                let count = bytes.count - length
                throw CMSError(
                    .trailingData,
                    (count == 1 ? "1 byte follows" : "\(count) bytes follow")
                        + " the CMS SignedData")
            }
            if let root = ASN1Node.parse(bytes, .der) { return root }
            throw ASN1Node.parse(bytes, .ber) == nil
                ? CMSError(.malformed, "damaged ASN.1 data")
                : CMSError(.notDER, "the CMS SignedData is BER, not DER")
        }
    }

    private static func content(
        _ node: ASN1Node, allowSegments: Bool
    ) throws(CMSError) -> (OID, [UInt8]?) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "encapContentInfo")
        let type = try reader.next().objectIdentifier("the content's type")
        guard let field = reader.next(if: ASN1Tag.context(0)) else {
            try reader.end()
            return (type, nil)
        }
        try reader.end()
        let content = try field.only(ASN1Tag.context(0), "the content")
        return (type, try content.octets("the content", allowSegments: allowSegments))
    }

    private static func choices(
        _ tag: UInt8, _ reader: inout NodeReader
    ) throws(CMSError) -> [[UInt8]] {
        try reader.parts(if: tag, "the certificates", limit: CMSLimits.certificateCount)
            .map { $0.bytes }
    }

    /// OtherRevocationInfoFormat ::= [1] IMPLICIT SEQUENCE { otherRevInfoFormat, otherRevInfo }
    ///
    /// - Returns: DER of an OCSPResponse (RFC 5940 §2.2), or of a BasicOCSPResponse, which many
    ///   programs write; nil for a list, and for other formats.
    static func response(in choice: [UInt8]) -> [UInt8]? {
        let name = "revocation data of another kind"
        guard choice.first == ASN1Tag.context(1), let node = ASN1Node.parse(choice, .ber),
            var fields = try? NodeReader(node, ASN1Tag.context(1), name),
            let format = try? fields.next().objectIdentifier("its format"),
            [.ocspResponse, .ocspBasic].contains(format), let value = try? fields.next(),
            fields.isAtEnd
        else { return nil }
        return value.bytes
    }
}
