import Base
package import CryptoBridge

/// One signer's part (RFC 5652 §5.3). Nothing in it has been verified.
///
///     SignerInfo ::= SEQUENCE {
///         version, sid SignerIdentifier, digestAlgorithm,
///         signedAttrs [0] IMPLICIT OPTIONAL, signatureAlgorithm,
///         signature OCTET STRING, unsignedAttrs [1] IMPLICIT OPTIONAL }
package struct SignerInfo: Sendable {
    package enum Identifier: Sendable, Equatable {
        /// DER of the issuer's Name and of the serial INTEGER.
        case issuerAndSerial(issuer: [UInt8], serial: [UInt8])
        case subjectKeyIdentifier([UInt8])
    }

    package let version: Int
    package let identifier: Identifier
    /// Whether the identifier requires version 1 (RFC 5652 §5.3).
    package var isVersion1: Bool {
        if case .issuerAndSerial = identifier { true } else { false }
    }
    package let digestAlgorithm: AlgorithmIdentifier
    package var digest: DigestAlgorithm? { DigestAlgorithm(named: digestAlgorithm) }
    /// The signed attributes as received, with tag [0]; nil if absent.
    package let signedAttributesRaw: [UInt8]?
    package let signedAttributes: [CMSAttribute]
    /// Whether the attributes are in DER order.
    package let signedAttributesAreSorted: Bool
    package let signatureAlgorithm: AlgorithmIdentifier
    package let signature: [UInt8]
    package let unsignedAttributes: [CMSAttribute]
    /// All fields before the unsigned attributes, as received.
    let signedFields: [UInt8]

    /// The signed attributes re-encoded as DER if BER is accepted.
    private let normalisedAttributes: [UInt8]?

    init(_ node: ASN1Node, _ encoding: SignedData.Encoding) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "SignerInfo")
        version = try reader.next().smallInteger("the signer's version")
        if let key = reader.next(if: ASN1Tag.context(0)) {
            guard let bytes = key.primitive else {
                throw CMSError(.malformed, "the signer's key identifier has the wrong type")
            }
            identifier = .subjectKeyIdentifier(Array(bytes))
        } else {
            var name = try NodeReader(
                try reader.next(), ASN1Tag.sequence, "the signer's identifier")
            identifier = .issuerAndSerial(
                issuer: try name.next().bytes, serial: try name.next().bytes)
            try name.end()
        }
        digestAlgorithm = try AlgorithmIdentifier(try reader.next(), "the digest algorithm")
        let signed = reader.next(if: ASN1Tag.context(0))
        signedAttributesRaw = signed?.bytes
        normalisedAttributes = encoding == .ber ? SignerInfo.normalised(signed) : nil
        (signedAttributes, signedAttributesAreSorted) = try SignerInfo.attributes(
            signed, tag: ASN1Tag.context(0))
        signatureAlgorithm = try AlgorithmIdentifier(try reader.next(), "the signature algorithm")
        signature = try reader.next().octets("the signature", allowSegments: true)
        guard signature.count <= CMSLimits.signatureByteCount else {
            throw CMSError(.limitExceeded, "a signature of \(signature.count) bytes")
        }
        let unsigned = reader.next(if: ASN1Tag.context(1))
        (unsignedAttributes, _) = try SignerInfo.attributes(unsigned, tag: ASN1Tag.context(1))
        try reader.end()
        signedFields = Array(node.content[..<(unsigned?.whole.startIndex ?? node.content.endIndex)])
    }

    private static func attributes(
        _ node: ASN1Node?, tag: UInt8
    ) throws(CMSError) -> ([CMSAttribute], Bool) {
        guard let node else { return ([], true) }
        var reader = try NodeReader(node, tag, "the attributes")
        let nodes = try reader.rest(limit: CMSLimits.attributeCount)
        var attributes: [CMSAttribute] = []
        var isSorted = true
        for (index, node) in nodes.enumerated() {
            attributes.append(try CMSAttribute(node))
            if index > 0, node.whole.lexicographicallyPrecedes(nodes[index - 1].whole) {
                isSorted = false
            }
        }
        return (attributes, isSorted)
    }

    /// The possible signed bytes: the attributes as received, with the universal SET tag instead of
    /// [0] (RFC 5652 §5.4), then for BER the DER encoding of the attributes. Empty without
    /// attributes.
    package var signedBytes: [[UInt8]] {
        guard var bytes = signedAttributesRaw else { return [] }
        bytes[0] = ASN1Tag.set
        guard let normalisedAttributes, normalisedAttributes != bytes else { return [bytes] }
        return [bytes, normalisedAttributes]
    }

    /// Whether the attributes are DER. If not, some validators hash the received bytes and others a
    /// new encoding (RFC 5652 §5.4).
    var signedAttributesAreDER: Bool {
        guard var bytes = signedAttributesRaw else { return true }
        bytes[0] = ASN1Tag.set
        return ASN1Node.parse(bytes, .der) != nil
    }

    /// The signature value in the format of the key's algorithm; nil if malformed.
    func signatureValue(_ key: PublicKey) -> [UInt8]? {
        guard SignatureScheme.isPlain(signatureAlgorithm) else { return signature }
        guard signature.count == key.rawSignatureIntegerByteCount.map({ 2 * $0 }) else {
            return nil
        }
        return RawSignature.der(fromP1363: signature)
    }

    /// The attributes with definite lengths, in DER order.
    private static func normalised(_ node: ASN1Node?) -> [UInt8]? {
        guard let node, node.isConstructed else { return nil }
        var parts: [[UInt8]] = []
        var children = node.reader
        while let child = children.next() { parts.append(child.definite) }
        return DERWriter.setOf(parts)
    }
}
