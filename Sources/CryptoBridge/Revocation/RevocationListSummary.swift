package import ByteKit

/// What a certificate revocation list (RFC 5280 §5) says of itself. Its signature is not checked.
///
///     TBSCertList ::= SEQUENCE { version OPTIONAL, signature, issuer Name, thisUpdate,
///       nextUpdate OPTIONAL, revokedCertificates SEQUENCE OPTIONAL, crlExtensions [0] OPTIONAL }
package struct RevocationListSummary: Sendable {
    package let issuer: DistinguishedName
    package let thisUpdate: CalendarTime
    /// Nil where the list does not say when the next one comes.
    package let nextUpdate: CalendarTime?
    package let revokedCount: Int
    /// Hexadecimal; nil when absent.
    package let number: String?
    package let signatureAlgorithm: String

    package static let byteLimit = 64 * 1024 * 1024

    /// Reads PEM (`X509 CRL`) or DER; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        if bytes.first == DERTag.sequence {
            self.init(der: bytes)
        } else if let block = try? PEMText.single(
            bytes, labels: ["X509 CRL"], limit: RevocationListSummary.byteLimit)
        {
            self.init(der: block)
        } else {
            return nil
        }
    }

    private init?(der: [UInt8]) {
        guard var outer = DERReader.single(der[...])?.reader,
            var body = outer.next(DERTag.sequence)?.reader,
            var algorithm = outer.next(DERTag.sequence)?.reader,
            let algorithmID = algorithm.next()?.objectIdentifier,
            outer.next(DERTag.bitString) != nil, outer.isAtEnd
        else { return nil }
        _ = body.next(DERTag.integer)
        guard body.next(DERTag.sequence) != nil, let name = body.next(DERTag.sequence),
            let issuer = try? DistinguishedName(der: Array(name.whole)),
            let begin = body.next(), let thisUpdate = DERTime.read(begin.tag, begin.content)
        else { return nil }
        var nextUpdate: CalendarTime?
        if let end = body.next(0x17) ?? body.next(0x18) {
            guard let time = DERTime.read(end.tag, end.content) else { return nil }
            nextUpdate = time
        }
        var revokedCount = 0
        if var list = body.next(DERTag.sequence)?.reader {
            while list.next(DERTag.sequence) != nil { revokedCount += 1 }
            guard list.isAtEnd else { return nil }
        }
        var number: String?
        var wrapper = body.next(0xA0)?.reader
        if var extensions = wrapper?.next(DERTag.sequence)?.reader {
            while var fields = extensions.next(DERTag.sequence)?.reader {
                guard fields.next()?.objectIdentifier == "2.5.29.20" else { continue }
                _ = fields.next(DERTag.boolean)
                if let value = fields.next(DERTag.octetString),
                    let integer = DERReader.single(value.content), integer.tag == DERTag.integer
                {
                    number = DERInteger.hex(integer.content)
                }
            }
        }
        guard body.isAtEnd else { return nil }
        self.issuer = issuer
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.revokedCount = revokedCount
        self.number = number
        signatureAlgorithm = Certificate.signatureName(algorithmID)
    }
}
