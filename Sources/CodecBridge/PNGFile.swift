import Base

/// A PNG file (ISO/IEC 15948) and what it says besides its pixels.
struct PNGFile: RasterFile {
    private let bytes: [UInt8]

    /// Profiles of displays and scanners take up to a few megabytes.
    private static let profileByteLimit = 16 << 20

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func pixels() throws(CodecError) -> PixelImage { PixelImage(try PNGImage(bytes)) }

    /// §11.3.5.3: pixels per metre.
    var density: (x: Double, y: Double)? {
        guard let content = PNGChunk.content(of: "pHYs", in: bytes), content.count == 9,
            content[8] == 1
        else { return nil }
        let numbers = [0, 4].map { start in
            Double(content[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }) * 0.0254
        }
        return numbers[0] > 0 && numbers[1] > 0 ? (numbers[0], numbers[1]) : nil
    }

    /// §11.3.3.3: a name, a zero, the method, and the profile compressed.
    var profile: [UInt8]? {
        guard let content = PNGChunk.content(of: "iCCP", in: bytes),
            let name = content.firstIndex(of: 0), content.byte(at: name + 1) == 0
        else { return nil }
        return try? Flate.inflate(
            Array(content.dropFirst(name + 2)), limit: Self.profileByteLimit,
            tolerateTruncation: false)
    }

    var stream: PNGStream? { PNGStream(bytes) }
}
