package import ByteKit
internal import COpenSSL

/// What an authority says about one certificate, and for when.
package struct RevocationStatement: Sendable, Equatable {
    /// When the certificate was revoked; nil when it was not.
    package let revokedAt: CalendarTime?
    /// RFC 5280 §5.3.1: `keyCompromise`; nil when none is given.
    package let reason: String?
    package let thisUpdate: CalendarTime
    /// Nil where the authority does not say when it speaks next.
    package let nextUpdate: CalendarTime?

    package init(
        revokedAt: CalendarTime?, reason: String? = nil, thisUpdate: CalendarTime,
        nextUpdate: CalendarTime?
    ) {
        self.revokedAt = revokedAt
        self.reason = reason
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// RFC 5280 §5.3.1.
    static func reasonName(_ code: Int) -> String? {
        let names = [
            "unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded",
            "cessationOfOperation", "certificateHold", nil, "removeFromCRL", "privilegeWithdrawn",
            "aACompromise",
        ]
        return names.indices.contains(code) ? names[code] : nil
    }

    /// A time in one of OpenSSL's strings; nil when it cannot be read.
    static func time(_ string: UnsafePointer<ASN1_STRING>?) -> CalendarTime? {
        guard let string = unsafe string, let data = unsafe ASN1_STRING_get0_data(string) else {
            return nil
        }
        let count = unsafe Int(ASN1_STRING_length(string))
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: count))
        // UTCTime has two digits less.
        return DERTime.read(bytes.count == 13 ? 0x17 : 0x18, bytes[...])
    }
}
