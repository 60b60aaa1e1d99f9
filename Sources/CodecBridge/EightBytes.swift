extension Span<UInt8> {
    /// The eight bytes from a place on in one word, the first of them lowest; all must be there.
    @inlinable @inline(__always) package func eightBytes(at place: Int) -> UInt64 {
        // The load checks its bounds, and any eight bytes are a number.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        return UInt64(littleEndian: word)
    }
}
