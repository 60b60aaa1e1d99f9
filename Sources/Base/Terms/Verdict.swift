/// The three outcomes of ETSI EN 319 102-1 §5.1.3.
public enum Verdict: String, Sendable, CaseIterable, Comparable, Codable {
    case passed
    case indeterminate
    case failed

    private var rank: Int {
        switch self {
        case .passed: 0
        case .indeterminate: 1
        case .failed: 2
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
