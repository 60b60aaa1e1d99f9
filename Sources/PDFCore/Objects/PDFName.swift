import CodecBridge

/// A name object: its bytes after `#xx` sequences are decoded (ISO 32000-2 §7.3.5).
package struct PDFName: Hashable, Comparable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// Almost all names are short and need no allocation.
    private enum Storage: Hashable {
        /// Up to ``shortByteCount`` bytes, the first in the lowest eight bits. The highest eight
        /// bits of `tail` contain the byte count.
        case short(head: UInt64, tail: UInt64)
        /// Longer names.
        case long([UInt8])
    }

    private let storage: Storage

    /// Maximum number of bytes stored without an allocation.
    static let shortByteCount = 15

    package init(bytes: [UInt8]) { self.init(bytes.span) }

    init(_ bytes: Span<UInt8>) {
        guard bytes.count <= Self.shortByteCount else {
            storage = .long(bytes.indices.map { bytes[$0] })
            return
        }
        let count = bytes.count
        var (head, tail): (UInt64, UInt64) = (0, 0)
        if count < 8 {
            for index in 0..<count { head |= UInt64(bytes[index]) << UInt64(8 * index) }
        } else {
            head = bytes.eightBytes(at: 0)
            // Shifts out the bytes that the head already contains.
            tail = bytes.eightBytes(at: count - 8) >> UInt64(8 * (16 - count))
        }
        storage = .short(head: head, tail: tail | UInt64(count) << 56)
    }

    package init(_ text: String) { self.init(text.utf8.span) }

    package init(stringLiteral text: String) { self.init(text) }

    package var bytes: [UInt8] {
        if case .long(let bytes) = storage { return bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.shortByteCount)
        forEachByte { bytes.append($0) }
        return bytes
    }

    /// Hands over each byte, without an array of them.
    func forEachByte(_ body: (UInt8) -> Void) {
        switch storage {
        case .long(let bytes): bytes.forEach(body)
        case .short(let head, let tail):
            for index in 0..<Int(tail >> 56) {
                let word = index < 8 ? head : tail
                body(UInt8(truncatingIfNeeded: word >> UInt64(8 * (index & 7))))
            }
        }
    }

    /// The name without its solidus; bytes that are not UTF-8 are replaced.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Sorts names where results must not depend on the random order of sets and dictionaries.
    package static func < (left: PDFName, right: PDFName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Identifies an indirect object (ISO 32000-2 §7.3.10).
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int
    package let generation: Int

    package init(number: Int, generation: Int = 0) {
        self.number = number
        self.generation = generation
    }

    package static func < (left: ObjectID, right: ObjectID) -> Bool {
        (left.number, left.generation) < (right.number, right.generation)
    }

    /// The form `12 0`, used in error messages.
    package var description: String { "\(number) \(generation)" }
}
