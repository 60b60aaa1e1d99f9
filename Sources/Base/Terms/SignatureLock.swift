/// The fields that a signature locks (FieldMDP, ISO 32000-2 §12.8.2.4).
public enum SignatureLock: Equatable, Sendable {
    case all
    case only([String])
    case except([String])

    /// The fields that are named; none for ``all``.
    package var names: [String] {
        switch self {
        case .all: []
        case .only(let names), .except(let names): names
        }
    }

    /// `all`, `only:A,B` or `except:A,B`.
    public var argument: String {
        switch self {
        case .all: "all"
        case .only(let names): "only:" + names.joined(separator: ",")
        case .except(let names): "except:" + names.joined(separator: ",")
        }
    }

    /// Whether both lock the same fields, in any order.
    package func isSame(as other: SignatureLock) -> Bool {
        switch (self, other) {
        case (.all, .all): true
        case (.only(let names), .only(let others)), (.except(let names), .except(let others)):
            Set(names.map { ExactText($0) }) == Set(others.map { ExactText($0) })
        default: false
        }
    }
}
