/// Baseline levels of signatures (ETSI EN 319 142-1 §6 for PAdES, EN 319 122-1 §6 for CAdES), in
/// ascending order.
public enum SignatureLevel: String, Sendable, CaseIterable, Comparable, Codable {
    /// A CMS signature that is not a baseline signature.
    case cms = "CMS"
    /// A baseline signature.
    case b = "B-B"
    /// With a signature timestamp.
    case t = "B-T"
    /// With certificates and revocation data for long-term validation.
    case lt = "B-LT"
    /// With a document timestamp over the validation data.
    case lta = "B-LTA"

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The next level; nil for the highest one, and if only a new signature could reach it.
    public var next: Self? { self == .cms ? nil : Self.allCases.first { $0 > self } }
}
