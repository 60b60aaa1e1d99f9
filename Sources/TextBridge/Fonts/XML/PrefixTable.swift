/// The namespaces that prefixes stand for, by number; what an element changes ends with it.
struct PrefixTable {
    static let unbound = -1

    private(set) var namespaces: [Int] = []
    /// What to restore, and how much of it was there when each open element began.
    private var changes: [(prefix: Int, namespace: Int)] = []
    private var marks: [Int] = []

    subscript(prefix: Int) -> Int { prefix < namespaces.count ? namespaces[prefix] : Self.unbound }

    var depth: Int { marks.count }

    /// The prefixes that the innermost element changes.
    var changed: [Int] { changes[(marks.last ?? 0)...].map(\.prefix) }

    /// An element begins.
    mutating func enter() { marks.append(changes.count) }

    /// The element ends.
    mutating func leave() {
        guard let mark = marks.popLast() else { return }
        while changes.count > mark, let change = changes.popLast() {
            namespaces[change.prefix] = change.namespace
        }
    }

    mutating func set(_ prefix: Int, to namespace: Int) {
        while namespaces.count <= prefix { namespaces.append(Self.unbound) }
        changes.append((prefix, namespaces[prefix]))
        namespaces[prefix] = namespace
    }
}
