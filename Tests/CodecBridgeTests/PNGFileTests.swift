import Base
import CodecBridge
import SignetTestSupport
import Testing

struct PNGFileTests {
    @Test func readsGrayAndColours() throws {
        let gray = try PNGFile(SamplePNG(3, 2, colorType: 0) { x, y in [x * 40 + y] }.bytes)
            .pixels()
        #expect(gray.componentCount == 1 && gray.alpha == nil)
        #expect(gray.samples == [0, 40, 80, 1, 41, 81])
        let colours = try PNGFile(SamplePNG.quarters(2, 2).bytes).pixels()
        #expect(colours.samples == [255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0])
    }

    @Test func readsAlphaApartFromColours() throws {
        let sample = SamplePNG(2, 1, colorType: 6) { x, _ in [200, 100, 50, x * 128] }
        let image = try PNGFile(sample.bytes).pixels()
        #expect(image.samples == [200, 100, 50, 200, 100, 50])
        #expect(image.alpha == [0, 128])
        let opaque = SamplePNG(2, 1, colorType: 4) { x, _ in [x, 255] }
        #expect(try PNGFile(opaque.bytes).pixels().alpha == nil)
    }

    @Test func readsPalettesWithTransparency() throws {
        var sample = SamplePNG(2, 1, colorType: 3) { x, _ in [x] }
        sample.palette = [10, 20, 30, 40, 50, 60]
        #expect(try PNGFile(sample.bytes).pixels().samples == [10, 20, 30, 40, 50, 60])
        #expect(PNGFile(sample.bytes).stream()?.palette == sample.palette)
        sample.transparency = [7]
        #expect(try PNGFile(sample.bytes).pixels().alpha == [7, 255])
        #expect(PNGFile(sample.bytes).stream() == nil)
    }

    @Test func readsSixteenBitsAndInterlacing() throws {
        var sample = SamplePNG(9, 9, colorType: 2) { x, y in [x * 7000, y * 7000, 65535] }
        sample.bits = 16
        let plain = try PNGFile(sample.bytes).pixels()
        #expect(plain.samples[2] == 255 && plain.samples[0] == 0)
        #expect(PNGFile(sample.bytes).stream() == nil && PNGFile(sample.bytes).depth == 16)
        #expect(PNGFile(sample.bytes).stream(largestDepth: 16)?.bitsPerSample == 16)
        sample.isInterlaced = true
        let interlaced = try PNGFile(sample.bytes).pixels()
        #expect(zip(interlaced.samples, plain.samples).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        #expect(PNGFile(sample.bytes).stream() == nil)
    }

    @Test(
        "16 bits that must be reduced are rounded, not cut",
        arguments: [UInt8(0), 2, 4, 6], [true, false])
    func roundsSixteenBits(colorType: UInt8, isInterlaced: Bool) throws {
        let values = [0x00FF, 0x0180, 0x7FFF, 0x80FF, 0xFEFF]
        let hasAlpha = colorType >= 4
        let colorCount = colorType & 2 == 2 ? 3 : 1
        var sample = SamplePNG(values.count, 1, colorType: colorType) { x, _ in
            [Int](repeating: values[x], count: colorCount) + (hasAlpha ? [65535] : [])
        }
        (sample.bits, sample.isInterlaced) = (16, isInterlaced)
        let samples = try PNGFile(sample.bytes).pixels().samples
        for (index, value) in values.enumerated() {
            let difference = abs(Double(samples[index * colorCount]) * 257 - Double(value))
            // Interlaced samples are converted to linear light and back.
            #expect(difference <= (isInterlaced ? 257 : 128.5), "\(value): \(samples)")
        }
    }

    @Test func keepsTheDataOfPlainFiles() throws {
        let file = SamplePNG.quarters(8, 4).bytes
        let stream = try #require(PNGFile(file).stream())
        #expect(stream.width == 8 && stream.height == 4 && stream.componentCount == 3)
        #expect(
            try Flate.inflate(stream.data, limit: 1000, tolerateTruncation: false).count == 4 * 25)
    }

    /// Both the chunk and ImageMagick's hexadecimal text.
    @Test func readsExif() throws {
        let tiff: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0]
        var sample = SamplePNG.quarters(2, 2)
        #expect(PNGFile(sample.bytes).exifSegment == nil)
        let segment = Array("Exif\0\0".utf8) + tiff
        sample.extraChunks = [("eXIf", tiff)]
        #expect(PNGFile(sample.bytes).exifSegment == segment)
        let digits = segment.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let (first, rest) = (String(digits.prefix(20)), String(digits.dropFirst(20)))
        let lines = ["", "exif", "      \(segment.count)", first, rest]
        let text = Array(lines.joined(separator: "\n").utf8)
        let name = Array("Raw profile type exif".utf8) + [0]
        for chunk in [("tEXt", name + text), ("zTXt", name + [0] + Flate.deflate(text))] {
            sample.extraChunks = [chunk]
            #expect(PNGFile(sample.bytes).exifSegment == segment)
        }
        sample.extraChunks = [("tEXt", name + Array("\nexif\n 3\nzz".utf8))]
        #expect(PNGFile(sample.bytes).exifSegment == nil)
    }

    @Test func refusesDamage() throws {
        let file = SamplePNG.quarters(8, 4).bytes
        for count in [8, 20, 33, 60, file.count - 20] {
            #expect(throws: CodecError.self) { try PNGFile(Array(file.prefix(count))).pixels() }
        }
    }

    @Test(
        "refuses pictures that are too large, by the header alone",
        arguments: [
            (UInt8(2), 8, false, 7000), (6, 8, false, 5000), (6, 16, false, 3000),
            (0, 16, false, 6000), (0, 8, true, 6000), (0, 8, false, 60_000),
        ])
    func refusesTooLarge(colorType: UInt8, bits: Int, isInterlaced: Bool, side: Int) {
        var sample = SamplePNG(1, 1, colorType: colorType) { _, _ in
            [Int](repeating: 0, count: colorType == 0 ? 1 : colorType == 2 ? 3 : 4)
        }
        sample.bits = bits
        sample.isInterlaced = isInterlaced
        sample.claimedSide = side
        #expect(throws: CodecError(.limitExceeded, "")) { try PNGFile(sample.bytes).pixels() }
    }

    @Test func rowFiltersAreUndoneByThePredictor() throws {
        let rows = (0..<40).flatMap { y in (0..<30).map { x in UInt8((x * y) & 0xFF) } }
        let data = Flate.deflate(rows: rows, width: 10, componentCount: 3)
        let raw = try Flate.inflate(data, limit: 5000, tolerateTruncation: false)
        #expect(raw.count == 40 * 31)
        #expect(
            Set(stride(from: 0, to: raw.count, by: 31).map { raw[$0] }).isSubset(of: [0, 2, 4]))
    }
}
