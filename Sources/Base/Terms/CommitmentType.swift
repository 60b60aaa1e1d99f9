/// Commitments of a signer that the standards define (ETSI EN 319 122-1 §5.2.3, RFC 5126 §5.11.1).
public enum CommitmentType: String, Sendable, CaseIterable, Codable {
    case proofOfOrigin = "proof-of-origin"
    case proofOfReceipt = "proof-of-receipt"
    case proofOfDelivery = "proof-of-delivery"
    case proofOfSender = "proof-of-sender"
    case proofOfApproval = "proof-of-approval"
    case proofOfCreation = "proof-of-creation"

    package var oid: OID {
        switch self {
        case .proofOfOrigin: .proofOfOrigin
        case .proofOfReceipt: .proofOfReceipt
        case .proofOfDelivery: .proofOfDelivery
        case .proofOfSender: .proofOfSender
        case .proofOfApproval: .proofOfApproval
        case .proofOfCreation: .proofOfCreation
        }
    }

    /// The name of a commitment; dotted numbers for one that the standards do not define.
    package static func name(of oid: OID) -> String {
        allCases.first { $0.oid == oid }?.rawValue ?? oid.description
    }

    /// - Parameter name: a name, or a dotted object identifier; nil for other text.
    package static func oid(named name: String) -> OID? { Self(rawValue: name)?.oid ?? OID(name) }
}
