import Testing

@testable import PDFCore

/// Entries are taken apart eight bytes at a time: as a loop over their bytes does.
struct CrossReferenceEntriesTests {
    private static let widths = [0, 1, 2, 3, 5, 7, 8]

    /// Bytes that make types, offsets of a few places, and numbers that no `Int` holds.
    private static func bytes(_ count: Int, _ state: inout UInt64) -> [UInt8] {
        let usual: [UInt8] = [0, 0, 0, 1, 1, 2, 2, 3, 7, 0x80, 0xFF]
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return usual[Int(state >> 33) % usual.count]
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func location(
        _ row: ArraySlice<UInt8>, _ typeWidth: Int, _ secondWidth: Int
    ) -> ObjectLocation {
        let second = row.startIndex + typeWidth
        let third = second + secondWidth
        let type = typeWidth == 0 ? 1 : number(row[..<second])
        guard let second = number(row[second..<third]), let third = number(row[third...]) else {
            return .free
        }
        switch type {
        case 1 where second > 0 && third <= 65_535: return .offset(second, generation: third)
        case 2: return .compressed(stream: second, index: third)
        default: return .free
        }
    }

    @Test func rowsOfAllWidthsAreWhatALoopReads() throws {
        var state: UInt64 = 5
        let count = 12
        for type in Self.widths {
            for second in Self.widths {
                for third in Self.widths where type + second + third > 0 {
                    let width = type + second + third
                    let bytes = Self.bytes(count * width, &state)
                    let entries = try #require(
                        CrossReferenceEntries(
                            subsections: [.init(first: 10, count: count, start: 0)],
                            storage: .rows(
                                bytes, widths: .init(type: type, second: second, third: third)),
                            offsetBase: 0))
                    let expected = (0..<count).map { row in
                        Self.location(bytes[(row * width)..<((row + 1) * width)], type, second)
                    }
                    var listed: [ObjectLocation] = []
                    _ = try entries.first { (entry) throws(PDFError) in
                        listed.append(entry.location)
                        return false
                    }
                    #expect(listed == expected, "\(type) \(second) \(third)")
                    for row in 0..<count {
                        #expect(try entries.location(of: 10 + row) == expected[row])
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ([1, 0, 5, 0], nil), ([1, 0, 9, 0], "an entry that leads nowhere"),
            ([1, 0, 0, 0], "an entry that leads nowhere"), ([0, 0, 0, 0], nil),
            ([2, 9, 9, 9], nil),
            ([3, 0, 5, 0], "an entry that leads nowhere"),
        ] as [([UInt8], String?)])
    func rowsThatLeadNowhere(row: [UInt8], expected: String?) throws {
        // The last rows are read in another way than those before.
        for padding in [0, 4] {
            let rows = row + [UInt8](repeating: 0, count: 4 * padding)
            let entries = try #require(
                CrossReferenceEntries(
                    subsections: [.init(first: 1, count: 1 + padding, start: 0)],
                    storage: .rows(rows, widths: .init(type: 1, second: 2, third: 1)),
                    offsetBase: 0))
            #expect(entries.irregularity(in: 9) == expected)
        }
    }

    private static func entry(_ bytes: [UInt8], at start: Int = 0) -> TableEntry? {
        TableEntry(bytes.span, at: start)
    }

    @Test func entriesOfATableAreExact() throws {
        let text = Array("0001234567 00089 n \n".utf8)
        let entry = try #require(Self.entry(text))
        #expect((entry.offset, entry.generation, entry.isInUse) == (1_234_567, 89, true))
        let longest = Array("9876543210 65535 f\r\n".utf8)
        let last = try #require(Self.entry(longest))
        #expect((last.offset, last.generation, last.isInUse) == (9_876_543_210, 65_535, false))
        for place in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[place] {
                var other = text
                other[place] = byte
                let isDigit = (48...57).contains(byte) && (place < 10 || (11...15).contains(place))
                let isKind = place == 17 && byte == UInt8(ascii: "f")
                let isEnd = place == 19 && byte == 13 || place == 18 && byte == 13
                #expect(
                    (Self.entry(other) != nil) == (isDigit || isKind || isEnd),
                    "\(byte) at \(place)")
            }
        }
        #expect(Self.entry(text, at: 1) == nil)
        #expect(Self.entry(text, at: -1) == nil)
    }
}
