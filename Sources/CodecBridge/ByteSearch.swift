import Glibc

/// Looks for rare bytes faster than byte by byte.
package enum ByteSearch {
    /// Hands over each place of a byte, in their order.
    package static func forEach(
        _ byte: UInt8, in bytes: Span<UInt8>, _ body: (Int) throws -> Void
    ) rethrows {
        try unsafe bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count, let base = buffer.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), buffer.count - start)
            {
                let place = unsafe UnsafeRawPointer(found) - base
                try body(place)
                start = place + 1
            }
        }
    }

    /// Hands over each place of either of two bytes, in their order.
    package static func forEach(
        _ first: UInt8, or second: UInt8, in bytes: Span<UInt8>, _ body: (Int) -> Void
    ) {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let count = buffer.count
            func place(of byte: UInt8, from start: Int) -> Int {
                let found = unsafe memchr(base + start, Int32(byte), count - start)
                return unsafe found.map { unsafe UnsafeRawPointer($0) - base } ?? count
            }
            var (a, b) = (place(of: first, from: 0), place(of: second, from: 0))
            while a < count || b < count {
                if a < b {
                    body(a)
                    a = place(of: first, from: a + 1)
                } else {
                    body(b)
                    b = place(of: second, from: b + 1)
                }
            }
        }
    }
}
