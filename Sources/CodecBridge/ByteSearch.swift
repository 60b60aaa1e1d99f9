import CCodecs

/// Searches for rare bytes with `memchr`, which compares many bytes at a time.
package enum ByteSearch {
    /// Calls `body` with the position of each occurrence of either byte, in ascending order.
    package static func forEach(
        _ first: UInt8, or second: UInt8, in bytes: Span<UInt8>, _ body: (Int) -> Void
    ) {
        var one = next(first, in: bytes, from: 0)
        var other = next(second, in: bytes, from: 0)
        while true {
            let place = min(one, other)
            guard place < bytes.count else { return }
            body(place)
            if place == one {
                one = next(first, in: bytes, from: place + 1)
            } else {
                other = next(second, in: bytes, from: place + 1)
            }
        }
    }

    /// Calls `body` with the position of each occurrence of a word, in ascending order.
    package static func forEach(_ word: [UInt8], in bytes: Span<UInt8>, _ body: (Int) -> Void) {
        var place = next(word[0], in: bytes, from: 0)
        while place + word.count <= bytes.count {
            if word.indices.allSatisfy({ bytes[place + $0] == word[$0] }) { body(place) }
            place = next(word[0], in: bytes, from: place + 1)
        }
    }

    /// Position of the next occurrence of a byte; the number of bytes if there is none.
    @inline(__always)
    private static func next(_ byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe CSearch_next($0.baseAddress, start, $0.count, byte)
        }
    }
}
