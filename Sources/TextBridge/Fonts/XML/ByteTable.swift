/// Numbers strings of bytes, from 0 in the order in which they are met, so that each is kept and
/// compared once.
struct ByteTable {
    /// All strings one after the other.
    private var storage: [UInt8] = []
    private var ends: [Int] = []
    /// Numbers plus one, 0 if free; open addressing. The hash has a random seed in each process, so
    /// that nobody can create collisions.
    private var slots = [Int32](repeating: 0, count: 256)

    subscript(_ number: Int) -> ArraySlice<UInt8> {
        storage[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
    }

    mutating func number(of bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: bytes)
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            let known = self[number]
            if known.count == bytes.count, unsafe known.elementsEqual(bytes) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        unsafe storage.append(contentsOf: bytes)
        ends.append(storage.count)
        slots[slot] = Int32(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return ends.count - 1
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for number in ends.indices {
            var hasher = Hasher()
            unsafe self[number].withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            var slot = hasher.finalize() & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(number + 1)
        }
    }
}
