import CodecBridge
import SignetTestSupport
import Testing

@Suite("Formats of pictures")
struct PictureFormatTests {
    @Test("are told by their first bytes")
    func heads() throws {
        let png = SamplePNG.quarters(2, 2).bytes
        #expect(PictureFormat(head: Array(png.prefix(PictureFormat.headByteCount))) == .png)
        #expect(PictureFormat(head: Array(png.prefix(7))) == nil)
        #expect(PictureFormat(head: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        for other in [[], [0xFF], Array("%PDF-1.7".utf8), Array("GIF89a".utf8)] {
            #expect(PictureFormat(head: other) == nil)
        }
    }

    @Test("have names and endings of their own, and pixels unless PDF has their coding")
    func rows() throws {
        let all = PictureFormat.allCases
        #expect(Set(all.map(\.name)).count == all.count)
        let endings = all.flatMap(\.nameExtensions)
        #expect(Set(endings).count == endings.count)
        for format in all {
            #expect((format.raster([]) == nil) != format.isRaster)
        }
        #expect(all.filter { !$0.isRaster } == [.jpeg])
    }

    @Test("say what their files say, and refuse what is none")
    func rasters() throws {
        let sample = SamplePNG.quarters(4, 2)
        let file = try #require(PictureFormat.png.raster(sample.bytes))
        let pixels = try file.pixels()
        #expect(pixels.width == 4 && pixels.height == 2 && pixels.componentCount == 3)
        #expect(file.density == nil && file.profile == nil)
        #expect(file.stream()?.width == 4)
        for format in PictureFormat.allCases.filter(\.isRaster) {
            let torn = try #require(format.raster(Array("nothing".utf8)))
            #expect(throws: CodecError.self) { try torn.pixels() }
        }
    }
}
