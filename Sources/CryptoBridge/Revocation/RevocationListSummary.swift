package import Base

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
        if bytes.first == ASN1Tag.sequence {
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
        guard var outer = ASN1Reader.single(der[...], .definite)?.reader,
            var body = outer.next(ASN1Tag.sequence)?.reader,
            var algorithm = outer.next(ASN1Tag.sequence)?.reader,
            let algorithmID = algorithm.next()?.objectIdentifier,
            outer.next(ASN1Tag.bitString) != nil, outer.isAtEnd
        else { return nil }
        _ = body.next(ASN1Tag.integer)
        guard body.next(ASN1Tag.sequence) != nil, let name = body.next(ASN1Tag.sequence),
            let issuer = try? DistinguishedName(der: Array(name.whole)),
            let begin = body.next(), let thisUpdate = begin.time()
        else { return nil }
        var nextUpdate: CalendarTime?
        if let end = body.nextTime() {
            guard let time = end.time() else { return nil }
            nextUpdate = time
        }
        var revokedCount = 0
        if var list = body.next(ASN1Tag.sequence)?.reader {
            while list.next(ASN1Tag.sequence) != nil { revokedCount += 1 }
            guard list.isAtEnd else { return nil }
        }
        var number: String?
        var wrapper = body.next(ASN1Tag.context(0))?.reader
        if var extensions = wrapper?.next(ASN1Tag.sequence)?.reader {
            while var fields = extensions.next(ASN1Tag.sequence)?.reader {
                guard fields.next()?.objectIdentifier == OID.cRLNumber else { continue }
                _ = fields.next(ASN1Tag.boolean)
                if let value = fields.next(ASN1Tag.octetString),
                    let integer = ASN1Reader.single(value.content, .definite),
                    integer.tag == ASN1Tag.integer
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
