extension Span<UInt8> {
    /// The eight bytes at a position as a little-endian number. All eight must exist.
    @inlinable @inline(__always) package func eightBytes(at place: Int) -> UInt64 {
        // The load checks the bounds, and any eight bytes are a valid integer.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        return UInt64(littleEndian: word)
    }
}
