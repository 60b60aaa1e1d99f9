/// Looks for rare bytes faster than byte by byte: 64 at a time.
package enum ByteSearch {
    /// Some of the 256 bytes.
    package struct ByteSet: Sendable {
        private var words: InlineArray<4, UInt64> = .init(repeating: 0)

        package init(where isIn: (UInt8) -> Bool) {
            for byte in UInt8.min...UInt8.max where isIn(byte) {
                words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
            }
        }

        @inline(__always) package func contains(_ byte: UInt8) -> Bool {
            words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
        }
    }

    /// Hands over each place of either of two bytes, in their order: the first of all bytes, and
    /// those whose byte before is one of `before`.
    package static func forEach(
        _ first: UInt8, or second: UInt8, behind before: ByteSet, in bytes: Span<UInt8>,
        _ body: (Int) -> Void
    ) {
        search(Either(first: first, second: second), in: bytes) { place in
            if place == 0 || before.contains(bytes[place - 1]) { body(place) }
        }
    }

    /// Hands over each place of a word of at least two bytes, in their order.
    package static func forEach(_ word: [UInt8], in bytes: Span<UInt8>, _ body: (Int) -> Void) {
        search(Pair(first: word[0], second: word[1]), in: bytes) { place in
            guard bytes.count - place >= word.count else { return }
            for index in 2..<word.count where bytes[place + index] != word[index] { return }
            body(place)
        }
    }

    @inline(__always)
    private static func search<Wanted: Pattern>(
        _ wanted: Wanted, in bytes: Span<UInt8>, _ body: (Int) -> Void
    ) {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let end = buffer.count - wanted.byteCount + 1
            var place = 0
            while place + blockByteCount <= end {
                let first = unsafe wanted.hits(base + place)
                let second = unsafe wanted.hits(base + place + 16)
                let third = unsafe wanted.hits(base + place + 32)
                let fourth = unsafe wanted.hits(base + place + 48)
                let any = first | second | third | fourth
                if any[0] | any[1] != 0 {
                    var hits =
                        bits(first) | bits(second) << 16 | bits(third) << 32 | bits(fourth) << 48
                    while hits != 0 {
                        body(place + hits.trailingZeroBitCount)
                        hits &= hits &- 1
                    }
                }
                place += blockByteCount
            }
            while place < end {
                if unsafe wanted.isHit(base + place) { body(place) }
                place += 1
            }
        }
    }

    /// How many places are looked at together: as many as a word has bits.
    private static let blockByteCount = UInt64.bitWidth

    /// A bit for each of 16 places, of which hits have a byte of ones.
    @inline(__always)
    private static func bits(_ hits: SIMD2<UInt64>) -> UInt64 {
        bits(hits[0]) | bits(hits[1]) << 8
    }

    /// Each byte keeps a bit of its own, and the product's highest byte has them all.
    @inline(__always)
    private static func bits(_ hits: UInt64) -> UInt64 {
        ((UInt64(littleEndian: hits) & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) >> 56
    }
}

private typealias Block = SIMD16<UInt8>

/// The pattern to search. Enough bytes follow each address.
private protocol Pattern {
    var byteCount: Int { get }
    func isHit(_ place: UnsafeRawPointer) -> Bool
    /// The next 16 places, a byte of ones for each that is a hit.
    func hits(_ place: UnsafeRawPointer) -> SIMD2<UInt64>
}

extension Pattern {
    @inline(__always)
    func equal(_ place: UnsafeRawPointer, _ byte: UInt8) -> SIMD2<UInt64> {
        let block = unsafe place.loadUnaligned(as: Block.self)
        return unsafe unsafeBitCast(block .== Block(repeating: byte), to: SIMD2<UInt64>.self)
    }
}

private struct Either: Pattern {
    let first: UInt8
    let second: UInt8

    var byteCount: Int { 1 }

    @inline(__always)
    func isHit(_ place: UnsafeRawPointer) -> Bool {
        let byte = unsafe place.load(as: UInt8.self)
        return byte == first || byte == second
    }

    @inline(__always)
    func hits(_ place: UnsafeRawPointer) -> SIMD2<UInt64> {
        unsafe equal(place, first) | equal(place, second)
    }
}

private struct Pair: Pattern {
    let first: UInt8
    let second: UInt8

    var byteCount: Int { 2 }

    @inline(__always)
    func isHit(_ place: UnsafeRawPointer) -> Bool {
        unsafe place.load(as: UInt8.self) == first && (place + 1).load(as: UInt8.self) == second
    }

    @inline(__always)
    func hits(_ place: UnsafeRawPointer) -> SIMD2<UInt64> {
        unsafe equal(place, first) & equal(place + 1, second)
    }
}
