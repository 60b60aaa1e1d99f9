/// Baseline levels of signatures (ETSI EN 319 142-1 §6 for PAdES, EN 319 122-1 §6 for CAdES), from
/// the least.
public enum SignatureLevel: String, Sendable, CaseIterable, Comparable, Codable {
    /// Any CMS that is no baseline signature.
    case cms = "CMS"
    /// A baseline signature.
    case b = "B-B"
    /// With a time stamp over the signature's value.
    case t = "B-T"
    /// With certificates and revocation data to validate it long after.
    case lt = "B-LT"
    /// With a document time stamp over those.
    case lta = "B-LTA"

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The least that a signature can have beyond its own; nil for the last, and where it must be made
    /// anew.
    public var next: Self? {
        self == .cms ? nil : Self.allCases.first { $0 > self }
    }
}
