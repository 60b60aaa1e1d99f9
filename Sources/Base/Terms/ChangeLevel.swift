/// Changes in later revisions, from harmless to forbidden.
public enum ChangeLevel: String, Sendable, CaseIterable, Comparable, Codable {
    case none
    /// Validation data and document timestamps.
    case archival
    /// Form fields filled, signatures added.
    case formFilling = "form-filling"
    case annotations
    case forbidden

    private var rank: Int {
        switch self {
        case .none: 0
        case .archival: 1
        case .formFilling: 2
        case .annotations: 3
        case .forbidden: 4
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
