package import Base
internal import COpenSSL

/// What an authority says about one certificate, and for when.
package struct RevocationStatement: Sendable, Equatable {
    /// Since when the certificate does not count; nil when it was not revoked.
    package let revokedAt: CalendarTime?
    /// RFC 5280 §5.3.1: `keyCompromise`; nil when none is given.
    package let reason: String?
    package let thisUpdate: CalendarTime
    /// Nil where the authority does not say when it speaks next.
    package let nextUpdate: CalendarTime?
    /// What a statement that the certificate was not revoked speaks for.
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

    /// On hold: what an authority may lift again.
    package static let hold = "certificateHold"
    /// An authority may end its work for these without spoiling what it did before (RFC 3161 §4.1);
    /// a list that gives no reason may mean a compromise.
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

    /// A time in one of OpenSSL's strings, without a fraction of a second; nil when it cannot be read.
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
