import Testing

@testable import Witness

@Suite("Pictures of pages")
struct PictureTests {
    private func picture(
        _ width: Int, _ height: Int, _ lightness: (_ x: Int, _ y: Int) -> UInt8
    ) -> Picture {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [UInt8](repeating: lightness(x, y), count: 3) }
        }
        return Picture(width: width, height: height, pixels: pixels)
    }

    @Test("a series of pixmaps, with and without comments")
    func series() throws {
        let first = Array("P6\n2 1\n255\n".utf8) + [1, 2, 3, 4, 5, 6]
        let second = Array("P6\n# made by a viewer\n1 2 255\n".utf8) + [7, 7, 7, 8, 8, 8]
        let pictures = try #require(Picture.all(in: first + second))
        #expect(pictures.map(\.width) == [2, 1] && pictures.map(\.height) == [1, 2])
        #expect(pictures[1].lightness == [7, 8])
    }

    @Test(
        "what is not a pixmap",
        arguments: [
            "P5\n1 1\n255\nx", "P6\n1 1\n65535\nxxx", "P6\n9 9\n255\nxxx", "P6\n0 1\n255\n",
            "P6\n99999999 1\n255\n", "%PDF-1.7",
        ])
    func malformed(text: String) {
        #expect(Picture.all(in: Array(text.utf8)) == nil)
    }

    @Test("viewers that draw the same text a little differently do not clearly differ")
    func clearDifference() {
        let page = picture(120, 120) { x, y in (20..<100).contains(x) && y % 12 == 3 ? 0 : 255 }
        let shifted = picture(120, 120) { x, y in (21..<101).contains(x) && y % 12 == 4 ? 40 : 255 }
        #expect(!page.clearlyDiffers(from: shifted))
        let stamped = picture(120, 120) { x, y in
            (40..<80).contains(x) && (40..<60).contains(y) ? 0 : 255
        }
        #expect(stamped.clearlyDiffers(from: page))
        #expect(picture(60, 120) { _, _ in 255 }.clearlyDiffers(from: page))
    }

    @Test("free space beside what a page shows, on white paper and on a scan")
    func space() {
        for paper in [UInt8(255), 225] {
            // Noise of a scanner, and a black square.
            let space = PageSpace(
                picture(100, 100) { x, y in
                    (20..<40).contains(x) && (20..<40).contains(y)
                        ? 0 : paper - UInt8((x * 7 + y * 13) % 20)
                })
            #expect(!space.isBlank(left: 0.1, top: 0.1, right: 0.3, bottom: 0.3))
            #expect(space.isBlank(left: 0.5, top: 0.5, right: 0.9, bottom: 0.9))
            #expect(space.isBlank(left: 2, top: 0, right: 3, bottom: 0.5))
        }
    }
}
