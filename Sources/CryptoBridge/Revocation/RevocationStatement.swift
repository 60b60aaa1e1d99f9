package import Base
internal import COpenSSL

/// The revocation status of one certificate at a time, by a CRL or OCSP response.
package struct RevocationStatement: Sendable, Equatable {
    /// Revocation time; nil if the certificate was not revoked.
    package let revokedAt: CalendarTime?
    /// Reason (RFC 5280 §5.3.1), such as `keyCompromise`; nil if none is given.
    package let reason: String?
    package let thisUpdate: CalendarTime
    /// Nil if the CRL or OCSP response has no nextUpdate.
    package let nextUpdate: CalendarTime?
    /// The revocation reasons that a status "not revoked" covers.
    package let reasons: RevocationReasons

    package init(
        revokedAt: CalendarTime?, reason: String? = nil, thisUpdate: CalendarTime,
        nextUpdate: CalendarTime?, reasons: RevocationReasons = .all
    ) {
        self.revokedAt = revokedAt
        self.reason = reason
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.reasons = reasons
    }

    /// On hold: the CA may lift this revocation again.
    package static let hold = "certificateHold"
    /// Reasons that do not invalidate earlier signatures (RFC 3161 §4.1). A missing reason is not
    /// among them: it may mean a compromise.
    package static let harmlessReasons: Set<String> = [
        "unspecified", "affiliationChanged", "superseded", "cessationOfOperation",
    ]

    /// RFC 5280 §5.3.1.
    static func reasonName(_ code: Int) -> String? {
        let names = [
            "unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded",
            "cessationOfOperation", "certificateHold", nil, "removeFromCRL", "privilegeWithdrawn",
            "aACompromise",
        ]
        return names.indices.contains(code) ? names[code] : nil
    }

    /// The time in an OpenSSL string, without fractions of a second; nil if unreadable.
    static func time(_ string: UnsafePointer<ASN1_STRING>?) -> CalendarTime? {
        guard let string = unsafe string, let data = unsafe ASN1_STRING_get0_data(string) else {
            return nil
        }
        let count = unsafe Int(ASN1_STRING_length(string))
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: count))
        return ASN1Time.read(
            UInt8(truncatingIfNeeded: unsafe ASN1_STRING_type(string)), bytes[...],
            fraction: .dropped)
    }
}
