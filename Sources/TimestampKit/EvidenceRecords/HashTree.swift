package import CryptoBridge

/// A binary hash tree (RFC 4998 §4.2) over any number of leaves. It holds two hashes per leaf; while
/// it is made, two hashes and their order.
///
/// A node without a neighbor is a node of the next level. Reduced trees therefore have one hash in
/// each list after the first, as all implementations read them.
package struct HashTree: Sendable {
    package let digest: DigestAlgorithm
    /// The hashes of each level without gaps, leaves first and sorted; the last level is the root.
    private let levels: [[UInt8]]

    /// - Parameter leaves: hashes with `digest` without gaps, at least one; equal ones count once.
    package init(leaves: consuming [UInt8], _ digest: DigestAlgorithm) throws(CryptoError) {
        self.digest = digest
        let width = digest.byteCount
        var levels = [Self.sorted(leaves, width)]
        // Only the sorted ones are used from here on.
        leaves = []
        while let level = levels.last, level.count > width {
            var next: [UInt8] = []
            next.reserveCapacity((level.count / width + 1) / 2 * width)
            for start in stride(from: 0, to: level.count, by: 2 * width) {
                let pair = level[start..<min(start + 2 * width, level.count)]
                next += pair.count == width ? Array(pair) : try Self.node(pair, digest)
            }
            levels.append(next)
        }
        self.levels = levels
    }

    private static func node(
        _ pair: ArraySlice<UInt8>, _ digest: DigestAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        let (left, right) = (pair.prefix(digest.byteCount), pair.suffix(digest.byteCount))
        let isSorted = !right.lexicographicallyPrecedes(left)
        let context = try DigestContext(digest)
        try context.update(isSorted ? left : right)
        try context.update(isSorted ? right : left)
        return try context.finish()
    }

    /// The hashes in binary ascending order, without repetitions. They are ordered by their first
    /// bytes, and completely only if these are equal.
    private static func sorted(_ leaves: [UInt8], _ width: Int) -> [UInt8] {
        func start(_ index: Int) -> Int { index * width }
        func isBefore(_ one: (key: UInt64, index: Int), _ other: (key: UInt64, index: Int)) -> Bool
        {
            guard one.key == other.key else { return one.key < other.key }
            return leaves[start(one.index)..<start(one.index + 1)].lexicographicallyPrecedes(
                leaves[start(other.index)..<start(other.index + 1)])
        }
        var order = (0..<leaves.count / width).map { index in
            (key: key(leaves[start(index)..<start(index + 1)]), index: index)
        }
        order.sort(by: isBefore)
        var sorted: [UInt8] = []
        sorted.reserveCapacity(leaves.count)
        for item in order {
            let hash = leaves[start(item.index)..<start(item.index + 1)]
            if sorted.isEmpty || !sorted.suffix(width).elementsEqual(hash) { sorted += hash }
        }
        return sorted
    }

    private static func key(_ hash: ArraySlice<UInt8>) -> UInt64 {
        hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var root: [UInt8] { levels[levels.count - 1] }

    /// The number of different leaves.
    package var count: Int { levels[0].count / digest.byteCount }

    /// The reduced hash tree of a leaf (RFC 4998 §4.2); nil if it is not in the tree.
    ///
    /// - Parameter group: the hashes of the data object group of which the leaf is the hash; empty
    ///   for a single object.
    package func reduced(to leaf: [UInt8], group: [[UInt8]] = []) -> [[[UInt8]]]? {
        guard var index = index(of: leaf) else { return nil }
        let width = digest.byteCount
        var lists = [group.isEmpty ? [leaf] : group]
        for level in levels.dropLast() {
            let neighbor = (index ^ 1) * width
            if neighbor < level.count {
                let hash = Array(level[neighbor..<neighbor + width])
                // The first list of a single object also has its neighbor; that of a group has not.
                if lists.count == 1, lists[0].count == 1, group.isEmpty {
                    lists[0].append(hash)
                } else {
                    lists.append([hash])
                }
            }
            index /= 2
        }
        return lists
    }

    private func index(of leaf: [UInt8]) -> Int? {
        guard leaf.count == digest.byteCount else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let start = middle * leaf.count
            let hash = levels[0][start..<start + leaf.count]
            if hash.elementsEqual(leaf) { return middle }
            if hash.lexicographicallyPrecedes(leaf) { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
