package import CryptoBridge

/// The hash tree of RFC 4998 §4.2, reduced to the lists that one data object needs.
package enum ReducedHashTree {
    /// The root of a reduced hash tree (RFC 4998 §4.3, step 3): each list is sorted, concatenated
    /// and hashed, and its hash belongs to the next list. A single hash is its own node.
    ///
    /// - Returns: nil if a list is empty or contains a value that is not as long as a hash.
    package static func root(
        of lists: [[[UInt8]]], _ digest: DigestAlgorithm
    ) throws(CryptoError) -> [UInt8]? {
        var node: [UInt8]?
        for list in lists {
            guard !list.isEmpty, list.allSatisfy({ $0.count == digest.byteCount }) else {
                return nil
            }
            node = try Self.node(of: node.map { list + [$0] } ?? list, digest)
        }
        return node
    }

    /// The node over the hashes of one list.
    ///
    /// - Parameter hashes: at least one, in any order.
    package static func node(
        of hashes: [[UInt8]], _ digest: DigestAlgorithm
    ) throws(CryptoError) -> [UInt8] {
        guard hashes.count > 1 else { return hashes[0] }
        let isSorted = hashes.indices.dropFirst().allSatisfy {
            !hashes[$0].lexicographicallyPrecedes(hashes[$0 - 1])
        }
        let sorted = isSorted ? hashes : hashes.sorted { $0.lexicographicallyPrecedes($1) }
        let context = try DigestContext(digest)
        for hash in sorted { try context.update(hash) }
        return try context.finish()
    }

    /// Whether a data object could be the input of an inner node, so that its hash proves nothing
    /// about a file: RFC 4998 hashes nodes and data objects in the same way. Such an object
    /// consists of several hashes in ascending order, and is therefore not text.
    package static func mayBeNode(_ bytes: [UInt8], _ digest: DigestAlgorithm) -> Bool {
        let width = digest.byteCount
        guard bytes.count >= 2 * width, bytes.count % width == 0 else { return false }
        let starts = stride(from: width, to: bytes.count, by: width)
        return starts.allSatisfy { start in
            !bytes[start..<start + width].lexicographicallyPrecedes(bytes[start - width..<start])
        } && String(validating: bytes, as: UTF8.self) == nil
    }

    /// Maximum size in bytes of a data object that is checked with ``mayBeNode(_:_:)``: longer
    /// lists of hashes occur only in groups.
    package static let nodeByteLimit = 1_048_576
}
