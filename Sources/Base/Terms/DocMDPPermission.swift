/// What a certification signature, or the lock of a signed field, permits of later changes: the P of
/// DocMDP (ISO 32000-2 Table 257) and of a signature field's lock (Table 236).
public enum DocMDPPermission: String, Sendable, CaseIterable, Comparable, Codable {
    case noChanges = "no-changes"
    /// Filling in forms, instantiating page templates, signing.
    case formFilling = "form-filling"
    /// The same, and annotations.
    case annotations

    /// What a certification permits that does not say (Table 257).
    public static let ofCertification = formFilling

    /// What holds where nobody restricts anything.
    public static let loosest = annotations

    /// The permission of a P; nil for numbers that mean nothing.
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

    /// The furthest change that is permitted.
    public var permittedChanges: ChangeLevel {
        switch self {
        case .noChanges: .archival
        case .formFilling: .formFilling
        case .annotations: .annotations
        }
    }

    /// The stricter one is less.
    public static func < (left: Self, right: Self) -> Bool { left.p < right.p }
}
