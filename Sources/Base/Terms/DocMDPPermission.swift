/// Changes that a certification signature, or the lock of a signed field, permits: P of DocMDP
/// (ISO 32000-2 Table 257) and of a signature field's lock (Table 236).
public enum DocMDPPermission: String, Sendable, CaseIterable, Comparable, Codable {
    case noChanges = "no-changes"
    /// Filling in forms, instantiating page templates, signing.
    case formFilling = "form-filling"
    /// Also annotations.
    case annotations

    /// Permission of a certification signature without P (Table 257).
    public static let ofCertification = formFilling

    /// Permission if nothing restricts changes.
    public static let loosest = annotations

    /// The permission for a value of P; nil for undefined values.
    public init?(p: Int) {
        guard let found = Self.allCases.first(where: { $0.p == p }) else { return nil }
        self = found
    }

    /// 1 to 3.
    public var p: Int {
        switch self {
        case .noChanges: 1
        case .formFilling: 2
        case .annotations: 3
        }
    }

    /// The highest permitted change level.
    public var permittedChanges: ChangeLevel {
        switch self {
        case .noChanges: .archival
        case .formFilling: .formFilling
        case .annotations: .annotations
        }
    }

    /// Stricter permissions are less.
    public static func < (left: Self, right: Self) -> Bool { left.p < right.p }
}
