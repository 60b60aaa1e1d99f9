package import CryptoBridge
internal import Synchronization

/// CRLs and OCSP responses from any source: they are signed, so the source need not be trusted.
package struct RevocationEvidence: Sendable {
    package private(set) var lists: [RevocationList] = []
    package private(set) var responses: [OCSPResponse] = []

    /// Maximum number of items kept from one source.
    package static let countLimit = 1000

    package init() {}

    package init(lists: [RevocationList], responses: [OCSPResponse]) {
        self.lists = lists
        self.responses = responses
    }

    package var isEmpty: Bool { lists.isEmpty && responses.isEmpty }

    /// Adds items without duplicates.
    package mutating func formUnion(_ other: Self) { self = self + other }

    /// Joins items without duplicates.
    package static func + (left: Self, right: Self) -> Self {
        guard !left.isEmpty else { return right }
        guard !right.isEmpty else { return left }
        let lists = Set(left.lists.map(ObjectIdentifier.init))
        let responses = Set(left.responses.map(ObjectIdentifier.init))
        return Self(
            lists: left.lists + right.lists.filter { !lists.contains(ObjectIdentifier($0)) },
            responses: left.responses
                + right.responses.filter { !responses.contains(ObjectIdentifier($0)) })
    }
}

/// Records which CRLs applied to a certificate of a path.
package final class ListUse: Sendable {
    private let lists = Mutex<Set<ObjectIdentifier>>([])

    package init() {}

    func note(_ list: RevocationList) { lists.withLock { _ = $0.insert(ObjectIdentifier(list)) } }

    package func contains(_ list: RevocationList) -> Bool {
        lists.withLock { $0.contains(ObjectIdentifier(list)) }
    }

    /// Removes all entries.
    package func reset() { lists.withLock { $0 = [] } }
}
