/// A set of object numbers with one bit per number, at most one megabyte in total.
package struct ObjectNumberSet: Sendable {
    private var words: [UInt64] = []

    package init() {}

    package func contains(_ number: Int) -> Bool {
        guard number >= 0, number / 64 < words.count else { return false }
        return words[number / 64] & (1 << UInt64(number % 64)) != 0
    }

    /// Adds a number; ignores numbers that no object can have.
    package mutating func insert(_ number: Int) {
        guard (0...PDFLimits.objectNumber).contains(number) else { return }
        let index = number / 64
        if index >= words.count { words += [UInt64](repeating: 0, count: index + 1 - words.count) }
        words[index] |= 1 << UInt64(number % 64)
    }

    package mutating func formUnion(_ other: ObjectNumberSet) {
        if other.words.count > words.count {
            words += [UInt64](repeating: 0, count: other.words.count - words.count)
        }
        for index in other.words.indices { words[index] |= other.words[index] }
    }
}
