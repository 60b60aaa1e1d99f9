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
        case 1 where second > 0 && second <= Int.max - 3 && third <= 65_535:
            return .offset(second + 3, generation: third)
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
                            subsections: [
                                .init(first: 10, count: 5, start: 0),
                                .init(first: 40, count: count - 5, start: 5),
                            ],
                            storage: .rows(
                                bytes, widths: .init(type: type, second: second, third: third)),
                            offsetBase: 3))
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
                        let number = row < 5 ? 10 + row : 35 + row
                        #expect(try entries.location(of: number) == expected[row])
                    }
                }
            }
        }
    }

    private static let nowhere = "an entry without a target"

    /// In a file of 9 bytes, of which the first two stand before the header.
    private static func irregularity(
        _ rows: [UInt8], first: Int = 1, _ widths: RowWidths = .init(type: 1, second: 2, third: 1)
    ) throws -> String? {
        let count = rows.count / widths.total
        let entries = CrossReferenceEntries(
            subsections: [.init(first: first, count: count, start: 0)],
            storage: .rows(rows, widths: widths), offsetBase: 2)
        return try #require(entries).irregularity(in: 9)
    }

    @Test(
        arguments: [
            ([1, 0, 5, 0], nil), ([1, 0, 6, 0], nil), ([1, 0, 7, 0], nowhere),
            ([1, 0, 0, 0], nowhere), ([0, 0, 0, 0], nil), ([2, 9, 9, 9], nil),
            ([3, 0, 5, 0], nowhere), ([1, 0, 5, 0, 0], "5 bytes for 1 entries"),
        ] as [([UInt8], String?)])
    func rowsThatLeadNowhere(row: [UInt8], expected: String?) throws {
        #expect(try Self.irregularity(row) == expected)
        // The last rows are read in another way than those before.
        guard row.count == 4 else { return }
        #expect(try Self.irregularity(row + [UInt8](repeating: 0, count: 16)) == expected)
    }

    @Test func noObjectHasNumber0() throws {
        #expect(try Self.irregularity([0, 0, 5, 0, 1, 0, 5, 0], first: 0) == nil)
        #expect(try Self.irregularity([1, 0, 5, 0, 1, 0, 5, 0], first: 0) == Self.nowhere)
        #expect(try Self.irregularity([2, 0, 5, 0, 1, 0, 5, 0], first: 0) == Self.nowhere)
    }

    @Test func numbersThatNoIntHoldsLeadNowhere() throws {
        let widths = RowWidths(type: 1, second: 8, third: 1)
        let ones = [UInt8](repeating: 255, count: 8)
        #expect(try Self.irregularity([2, 255] + ones, widths) == Self.nowhere)
        #expect(try Self.irregularity([2, 127] + ones, widths) == nil)
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
        for count in 1...20 {
            let behind = [UInt8](repeating: 48, count: count) + text
            #expect(Self.entry(behind, at: count)?.offset == 1_234_567)
            #expect(Self.entry(behind, at: count)?.generation == 89)
            #expect(Self.entry(behind.dropLast(), at: count) == nil)
        }
        #expect(Self.entry(text, at: -1) == nil)
    }
}
