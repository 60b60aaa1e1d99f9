import Testing

@testable import PAdES

/// Data of a fax that nothing ends, and how many rows they are.
@Suite struct FaxRowsTests {
    /// - Parameter bits: with blanks between them.
    private func areWhole(_ bits: String, columns: Int, rows: Int) -> Bool {
        var digits = bits.filter { $0 != " " }
        while !digits.count.isMultiple(of: 8) { digits += "0" }
        var bytes: [UInt8] = []
        while !digits.isEmpty {
            bytes.append(UInt8(digits.prefix(8), radix: 2) ?? 0)
            digits.removeFirst(8)
        }
        return FaxRows.areWhole(bytes, columns: columns, rows: rows)
    }

    @Test(arguments: [
        // White rows, each as the one before.
        ("1 1 1", 8, 3, true), ("1 1 1", 8, 1, true), ("1 1 1", 8, 4, false),
        // Two white and three black samples, and three white; then the same, one to the right.
        ("001 0111 10 1", 8, 1, true), ("001 0111 10 1 011 011 1", 8, 2, true),
        ("001 0111 10 1 011 011 1", 8, 3, false),
        // What was black before is so no more.
        ("001 0111 10 1 0001 1", 8, 2, true),
        // 64 white samples and none, and 1792 and two.
        ("001 11011 00110101 0000110111", 64, 1, true),
        ("001 11011 00110101 0000110111", 63, 1, false),
        ("001 00000001000 0111 0000110111", 1794, 1, true),
        // Before the beginning, behind the end, and codes that there are not.
        ("010 1", 8, 1, true), ("001 0111 10 1 1 0000010", 8, 2, false), ("011", 8, 1, false),
        ("00000001", 8, 1, false), ("001 00000000", 8, 1, false), ("", 8, 1, false),
        // More behind, and behind the mark of the end.
        ("1 0000000 10000000", 8, 1, false),
        ("1 000000000001 000000000001 10000000", 8, 1, true),
        ("1 000000000001 000000000001 10000000", 8, 2, false),
        ("1 000000000001 000000000011 10000000", 8, 1, false),
    ]) func rows(bits: String, columns: Int, rows: Int, isAll: Bool) {
        #expect(areWhole(bits, columns: columns, rows: rows) == isAll)
    }
}
