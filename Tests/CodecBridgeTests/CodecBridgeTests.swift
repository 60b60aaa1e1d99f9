import Base
import CodecBridge
import Testing

struct FlateTests {
    private func code(_ body: () throws -> Void) -> CodecError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CodecError)?.code
        }
    }

    @Test(arguments: [0, 1, 1000, 16_384, 100_000, 3_000_000])
    func roundTrips(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let compressed = Flate.deflate(bytes)
        #expect(try Flate.inflate(compressed, limit: count, tolerateTruncation: false) == bytes)
        if count > 0 {
            #expect(
                code {
                    _ = try Flate.inflate(compressed, limit: count - 1, tolerateTruncation: true)
                } == .limitExceeded)
        }
    }

    @Test func looksThroughManyStreams() {
        let reader = FlateReader()
        for count in [0, 1, 65_535, 65_536, 65_537, 300_000, 7] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
            var compressed = Flate.deflate(bytes)
            var seen: [UInt8] = []
            let found = reader.inflate(compressed, limit: count) { part in
                for index in part.indices { seen.append(part[index]) }
            }
            #expect(found == count && seen == bytes)
            #expect(count == 0 || reader.inflate(compressed, limit: count - 1) { _ in } == nil)
            #expect(reader.inflate(Array(compressed.dropLast(6)), limit: count) { _ in } == nil)
            compressed[0] = 0x79
            #expect(reader.inflate(compressed, limit: count) { _ in } == nil)
        }
    }

    @Test func stopsBombsEarly() {
        let bomb = Flate.deflate([UInt8](repeating: 0, count: 8 << 20))
        #expect(
            code { _ = try Flate.inflate(bomb, limit: 1000, tolerateTruncation: false) }
                == .limitExceeded)
    }

    @Test func toleratesTruncationWhenAsked() throws {
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 4) }
        let compressed = Array(Flate.deflate(bytes).dropLast(20))
        #expect(
            code { _ = try Flate.inflate(compressed, limit: 9999, tolerateTruncation: false) }
                == .truncated)
        let rest = try Flate.inflate(compressed, limit: 9999, tolerateTruncation: true)
        #expect(!rest.isEmpty && bytes.starts(with: rest))
    }

    @Test func noticesAWrongChecksum() throws {
        var compressed = Flate.deflate([1, 2, 3])
        compressed[compressed.count - 1] ^= 1
        #expect(
            code { _ = try Flate.inflate(compressed, limit: 9, tolerateTruncation: false) }
                == .checksumMismatch)
        #expect(try Flate.inflate(compressed, limit: 9, tolerateTruncation: true) == [1, 2, 3])
    }

    /// A stored block after a compressed one, where Poppler and PDF.js lose a byte, also without
    /// data; an empty one at the end, which Go's compressor writes; and bytes after the end.
    @Test(arguments: [
        ("000000ffff010200fdff20536c8506f2", true), ("000000ffff030000007e770817", true),
        ("040000ffff7e770817", false), ("040000ffff7e7708170d0a", false),
        ("040000ffff7e770817414243", true), ("040000ffff7e77", true),
    ]) func ambiguousData(end: String, isAmbiguous: Bool) {
        let start = "78da720a51d070ccc94c4e552848ac2c56700d0d52303430d05408c952700d01"
        let digits = Array(start + end)
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0
        }
        #expect(Flate.isAmbiguous(bytes) == isAmbiguous)
        #expect(!Flate.isAmbiguous(Flate.deflate((0..<200_000).map { UInt8($0 % 251) })))
    }

    @Test func ignoresWhatFollows() throws {
        let compressed = Flate.deflate([1, 2, 3]) + [13, 10]
        #expect(try Flate.inflate(compressed, limit: 9, tolerateTruncation: false) == [1, 2, 3])
    }

    @Test(arguments: [[] as [UInt8], [0], [0x78], [1, 2, 3, 4], [0x78, 0x9C, 0xFF, 0xFF]])
    func rejectsOtherData(bytes: [UInt8]) {
        #expect(code { _ = try Flate.inflate(bytes, limit: 9, tolerateTruncation: true) } != nil)
    }
}

struct JPEGMarkersTests {
    /// SOI, JFIF APP0 with 300 dpi, SOF0 for 16 by 8 pixels with three components, SOS.
    private static let picture: [UInt8] =
        [0xFF, 0xD8]
        + [0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 1, 1, 0x2C, 1, 0x2C, 0, 0]
        + [0xFF, 0xC0, 0, 17, 8, 0, 8, 0, 16, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
        + [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]

    private func markers(_ bytes: some Sequence<UInt8>) throws -> JPEGMarkers {
        try JPEGMarkers(BlockCache(MemorySource(Array(bytes))))
    }

    @Test func readsTheHeader() throws {
        let header = try markers(Self.picture)
        #expect((header.width, header.height, header.components.count) == (16, 8, 3))
        #expect((header.bitsPerSample, header.colorSpace) == (8, .yCbCr))
        let density = try #require(header.density)
        #expect((density.unit, density.x, density.y) == (.perInch, 300, 300))
        #expect(header.process == .baseline && !header.isArithmetic)
        #expect(header.adobeTransform == nil)
    }

    @Test func everyPrefixIsRefusedWithoutHarm() {
        for count in 0..<Self.picture.count - 14 {
            #expect(throws: CodecError.self) { try markers(Self.picture.prefix(count)) }
        }
    }
}
