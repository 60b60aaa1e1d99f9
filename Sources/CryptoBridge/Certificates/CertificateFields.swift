internal import Base

/// Byte ranges of a certificate's fields (RFC 5280 §4.1).
///
///     Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature BIT STRING }
///     TBSCertificate ::= SEQUENCE { version [0], serialNumber, signature, issuer, validity,
///       subject, subjectPublicKeyInfo, issuerUniqueID [1], subjectUniqueID [2], extensions [3] }
struct CertificateFields {
    let version: Int
    let serial: Range<Int>
    let serialContent: Range<Int>
    let issuer: Range<Int>
    let notBefore: CalendarTime?
    let notAfter: CalendarTime?
    let subject: Range<Int>
    let publicKey: Range<Int>
    let signatureAlgorithm: Range<Int>
    /// The content of the SEQUENCE OF Extension; nil when there is none.
    let extensions: Range<Int>?

    init?(_ der: [UInt8]) {
        guard var outer = ASN1Reader.single(der[...], .definite)?.reader,
            var body = outer.next(ASN1Tag.sequence)?.reader,
            let algorithm = outer.next(ASN1Tag.sequence),
            outer.next(ASN1Tag.bitString) != nil, outer.isAtEnd
        else { return nil }
        var version = 1
        if var wrapper = body.next(ASN1Tag.context(0))?.reader {
            guard let number = wrapper.next()?.smallInteger, number <= 2 else { return nil }
            version = number + 1
        }
        guard let serial = body.next(ASN1Tag.integer), !serial.content.isEmpty,
            body.next(ASN1Tag.sequence) != nil,
            let issuer = body.next(ASN1Tag.sequence),
            var validity = body.next(ASN1Tag.sequence)?.reader,
            let begin = validity.next(), let end = validity.next(), validity.isAtEnd,
            let subject = body.next(ASN1Tag.sequence),
            let publicKey = body.next(ASN1Tag.sequence)
        else { return nil }
        _ = body.next(ASN1Tag.primitiveContext(1)) ?? body.next(ASN1Tag.context(1))
        _ = body.next(ASN1Tag.primitiveContext(2)) ?? body.next(ASN1Tag.context(2))
        var extensions: Range<Int>?
        if var wrapper = body.next(ASN1Tag.context(3))?.reader {
            guard let list = wrapper.next(ASN1Tag.sequence), wrapper.isAtEnd else { return nil }
            extensions = list.content.indices
        }
        guard body.isAtEnd else { return nil }
        self.version = version
        self.serial = serial.whole.indices
        serialContent = serial.content.indices
        self.issuer = issuer.whole.indices
        notBefore = begin.time()
        notAfter = end.time()
        self.subject = subject.whole.indices
        self.publicKey = publicKey.whole.indices
        signatureAlgorithm = algorithm.whole.indices
        self.extensions = extensions
    }
}

enum DERInteger {
    /// Two's complement bytes as hexadecimal text, `-` before a negative number.
    static func hex(_ content: ArraySlice<UInt8>) -> String {
        var magnitude = Array(content)
        let isNegative = (magnitude.first ?? 0) >= 0x80
        if isNegative {
            var carry = true
            for index in magnitude.indices.reversed() {
                magnitude[index] = ~magnitude[index]
                if carry { (magnitude[index], carry) = magnitude[index].addingReportingOverflow(1) }
            }
        }
        while magnitude.count > 1, magnitude[0] == 0 { magnitude.removeFirst() }
        return (isNegative ? "-" : "") + Hex.encode(magnitude)
    }
}
