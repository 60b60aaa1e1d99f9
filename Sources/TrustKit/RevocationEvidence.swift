package import CryptoBridge
internal import Synchronization

/// Revocation lists and OCSP responses at hand, wherever they come from: their authorities sign
/// them, so that nobody else has to be believed.
package struct RevocationEvidence: Sendable {
    package private(set) var lists: [RevocationList] = []
    package private(set) var responses: [OCSPResponse] = []

    /// Most pieces that are kept of one source.
    package static let countLimit = 1000

    package init() {}

    package init(lists: [RevocationList], responses: [OCSPResponse]) {
        self.lists = lists
        self.responses = responses
    }

    package var isEmpty: Bool { lists.isEmpty && responses.isEmpty }

    /// Each piece once.
    package mutating func formUnion(_ other: Self) { self = self + other }

    /// Each piece once.
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

/// Which lists had to do with a certificate of a path.
package final class ListUse: Sendable {
    private let lists = Mutex<Set<ObjectIdentifier>>([])

    package init() {}

    func note(_ list: RevocationList) {
        lists.withLock { _ = $0.insert(ObjectIdentifier(list)) }
    }

    package func contains(_ list: RevocationList) -> Bool {
        lists.withLock { $0.contains(ObjectIdentifier(list)) }
    }

    /// Forgets all.
    package func reset() { lists.withLock { $0 = [] } }
}
