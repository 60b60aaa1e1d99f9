package import Base
package import CMSKit
package import CryptoBridge

/// A request to a time-stamping authority (RFC 3161 §2.4.1).
///
///     TimeStampReq ::= SEQUENCE {
///         version INTEGER { v1(1) }, messageImprint MessageImprint,
///         reqPolicy OBJECT IDENTIFIER OPTIONAL, nonce INTEGER OPTIONAL,
///         certReq BOOLEAN DEFAULT FALSE, extensions [0] IMPLICIT Extensions OPTIONAL }
package struct TimestampRequest: Sendable, Equatable {
    /// 1 in created requests; the received value in parsed ones.
    package let version: Int
    package let messageImprint: MessageImprint
    /// The requested policy; nil lets the TSA choose.
    package let policy: OID?
    /// The content bytes of the INTEGER; nil without one.
    package let nonce: [UInt8]?
    /// Whether the token must contain the TSA certificate.
    package let certReq: Bool
    /// Extensions of parsed requests; none is written.
    package let extensions: [TimestampExtension]

    package init(
        messageImprint: MessageImprint, policy: OID? = nil, nonce: [UInt8]?, certReq: Bool = true
    ) {
        version = 1
        self.messageImprint = messageImprint
        self.policy = policy
        self.nonce = nonce
        self.certReq = certReq
        extensions = []
    }

    /// The content of a positive INTEGER of eight bytes, with 62 unpredictable bits.
    package static func randomNonce() throws(CryptoError) -> [UInt8] {
        var bytes = try RandomBytes.generate(8)
        // Neither a sign bit nor a leading zero: some TSAs handle both wrongly.
        bytes[0] = bytes[0] & 0x7F | 0x40
        return bytes
    }

    /// Reads DER, and nothing after it.
    package init(_ der: [UInt8]) throws(CMSError) {
        guard der.count <= TimestampLimits.requestByteCount else {
            throw CMSError(
                .limitExceeded,
                "a request of \(der.count) bytes, over \(TimestampLimits.requestByteCount)")
        }
        var reader = try NodeReader(
            try SignedData.Encoding.der.parse(der), ASN1Tag.sequence, "the timestamp request")
        version = try reader.next().smallInteger("the request's version")
        messageImprint = try MessageImprint(try reader.next())
        policy = try reader.next(if: ASN1Tag.objectIdentifier)?
            .objectIdentifier("the requested policy")
        nonce = try reader.next(if: ASN1Tag.integer)?
            .integerContent("the nonce", limit: TimestampLimits.nonceByteCount)
        certReq = try reader.flag("certReq")
        extensions = try TimestampExtension.list(if: ASN1Tag.context(0), &reader)
        try reader.end()
    }

    package var encoded: [UInt8] {
        var parts = [DERWriter.integer(version), messageImprint.encoded]
        if let policy { parts.append(DERWriter.objectIdentifier(policy)) }
        if let nonce { parts.append(DERWriter.element(ASN1Tag.integer, nonce)) }
        if certReq { parts.append(DERWriter.yes) }
        return DERWriter.sequence(parts)
    }

    package var nonceHex: String? { nonce.map { Hex.encode($0) } }
}

/// An extension of a request or token (RFC 5280 §4.1.2.9).
package struct TimestampExtension: Sendable, Equatable {
    package let oid: OID
    package let isCritical: Bool
    /// The DER inside the OCTET STRING.
    package let value: [UInt8]

    private init(_ node: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "an extension")
        oid = try reader.next().objectIdentifier("an extension's name")
        isCritical = try reader.flag("an extension's criticality")
        value = try reader.next().octets("an extension's value")
        try reader.end()
    }

    static func list(
        if tag: UInt8, _ reader: inout NodeReader
    ) throws(CMSError) -> [TimestampExtension] {
        try reader.parts(if: tag, "the extensions", limit: TimestampLimits.extensionCount)
            .map { node throws(CMSError) in try TimestampExtension(node) }
    }
}
