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
}

/// Decides while a data object is read whether it could be the input of a hash of the tree, so that
/// its hash proves nothing about a file: RFC 4998 hashes data objects in the same way. Such an
/// object is not text in UTF-8, and consists of hashes in ascending order (§4.2), or of any two
/// hashes (§5.2).
package struct NodeForm {
    package let digest: DigestAlgorithm
    private let width: Int
    private var former: [UInt8] = []
    private var block: [UInt8] = []
    private var count = 0
    private var isAscending = true
    private var isText = true
    /// Number of bytes that remain of a character in UTF-8.
    private var continuation = 0

    package init(_ digest: DigestAlgorithm) {
        self.digest = digest
        width = digest.byteCount
        block.reserveCapacity(width)
    }

    /// Whether no further bytes can have the form of a node.
    private var isExcluded: Bool { !isAscending && count > 2 }

    package mutating func update(_ bytes: Span<UInt8>) {
        for index in bytes.indices {
            guard !isExcluded else { return }
            let byte = bytes[index]
            if isText { noteText(byte) }
            block.append(byte)
            guard block.count == width else { continue }
            count += 1
            if count > 1, isAscending { isAscending = !block.lexicographicallyPrecedes(former) }
            swap(&former, &block)
            block.removeAll(keepingCapacity: true)
        }
    }

    private mutating func noteText(_ byte: UInt8) {
        if continuation > 0 {
            continuation -= 1
            isText = byte & 0xC0 == 0x80
            return
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: continuation = 1
        case 0xE0...0xEF: continuation = 2
        case 0xF0...0xF4: continuation = 3
        default: isText = false
        }
    }

    /// Whether all bytes together have the form of a node.
    package var mayBeNode: Bool {
        block.isEmpty && count > 1 && (isAscending || count == 2) && !(isText && continuation == 0)
    }

    /// The algorithms for which an object could be a node.
    ///
    /// - Parameter read: reads the object, and gives its parts to the function that it receives.
    package static func ambiguous(
        _ digests: Set<DigestAlgorithm>, _ read: ((Span<UInt8>) throws -> Void) throws -> Void
    ) rethrows -> Set<DigestAlgorithm> {
        var forms = digests.map { NodeForm($0) }
        try read { part in
            for index in forms.indices { forms[index].update(part) }
        }
        return Set(forms.filter(\.mayBeNode).map(\.digest))
    }
}
