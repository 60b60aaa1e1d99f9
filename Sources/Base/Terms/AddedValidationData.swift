/// Number and size of added items of validation data.
public struct AddedValidationData: Encodable, Sendable {
    /// Number of certificates.
    public package(set) var certs = 0
    /// Number of OCSP responses.
    public package(set) var ocsps = 0
    /// Number of CRLs.
    public package(set) var crls = 0
    /// Total length in bytes, without the syntax around the items.
    public package(set) var bytes = 0

    package init() {}

    package var isEmpty: Bool { certs + ocsps + crls == 0 }

    package static func += (left: inout Self, right: Self) {
        left.certs += right.certs
        left.ocsps += right.ocsps
        left.crls += right.crls
        left.bytes += right.bytes
    }
}
