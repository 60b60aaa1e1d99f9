import Base
import CLoaded

/// A PNG file (ISO/IEC 15948).
package struct PNGFile {
    private let bytes: [UInt8]

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Maximum number of samples. A page scanned in color at 600 dpi has 104 million.
    private static let sampleLimit = 128 << 20
    /// The same limit for images with alpha, which is separated from the colors.
    private static let alphaSampleLimit = 64 << 20
    /// The same limit for interlaced images and for 16 bits, which take several times as long.
    private static let costlySampleLimit = 32 << 20
    /// Maximum size of a profile. Profiles of displays and scanners have up to a few megabytes.
    private static let profileByteLimit = 16 << 20

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Chunks (§5.3)

    /// The chunks with their types, such as `pHYs`, up to the first truncated one.
    private var chunks: (list: [(type: String, content: ArraySlice<UInt8>)], areWhole: Bool) {
        var list: [(type: String, content: ArraySlice<UInt8>)] = []
        var position = Self.signature.count
        while let end = position.addingChecked(12), end <= bytes.count {
            let length = Self.number(bytes[position...])
            guard length <= bytes.count - end else { return (list, false) }
            list.append(
                (
                    String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self),
                    bytes[(position + 8)..<(position + 8 + length)]
                ))
            position = end + length
        }
        return (list, true)
    }

    private func content(of type: String) -> [UInt8]? {
        chunks.list.first { $0.type == type }.map { Array($0.content) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Pixels per inch (§11.3.5.3); `nil` if the file does not state them.
    package var density: (x: Double, y: Double)? {
        guard let content = content(of: "pHYs"), content.count == 9, content[8] == 1
        else { return nil }
        let numbers = [0, 4].map { Double(Self.number(content[$0...])) * 0.0254 }
        return numbers[0] > 0 && numbers[1] > 0 ? (numbers[0], numbers[1]) : nil
    }

    /// The ICC profile (§11.3.3.3), stored as a name, a zero, the method, and the compressed
    /// profile. `nil` if it is missing or unreadable.
    package var profile: [UInt8]? {
        guard let content = content(of: "iCCP"), let name = content.firstIndex(of: 0),
            content.byte(at: name + 1) == 0
        else { return nil }
        return try? Flate.inflate(
            Array(content.dropFirst(name + 2)), limit: Self.profileByteLimit,
            tolerateTruncation: false)
    }

    /// The Exif data as in a JPEG segment, from the eXIf chunk (PNG Third Edition §11.3.4.6) or from
    /// the text that ImageMagick writes. `nil` if there is none.
    package var exifSegment: [UInt8]? {
        if let content = content(of: "eXIf") { return Array("Exif\0\0".utf8) + content }
        return Self.rawProfileNames.lazy.compactMap { rawProfile($0) }.first
    }

    private static let rawProfileNames = ["Raw profile type exif", "Raw profile type APP1"]
    /// Maximum size of a profile as text. Exif segments have up to 64 kB.
    private static let rawProfileByteLimit = 1 << 20

    /// A profile in hexadecimal text, after lines with its name and length.
    private func rawProfile(_ name: String) -> [UInt8]? {
        let key = Array(name.utf8) + [0]
        for (type, content) in chunks.list where content.starts(with: key) {
            let rest = Array(content.dropFirst(key.count))
            let text: [UInt8]? =
                switch type {
                case "tEXt": rest
                case "zTXt":
                    try? Flate.inflate(
                        Array(rest.dropFirst()), limit: Self.rawProfileByteLimit,
                        tolerateTruncation: false)
                default: nil
                }
            guard let lines = text?.split(separator: UInt8(ascii: "\n")) else { continue }
            return Hex.decode(lines.dropFirst(2).joined())
        }
        return nil
    }

    /// Bits per sample in the file.
    package var depth: Int { content(of: "IHDR")?.byte(at: 8).map { Int($0) } ?? 8 }

    /// 1/2.2 in the units of the gAMA chunk, approximately that of sRGB.
    private static let usualGamma = 45_455

    /// The file's data, if a document can contain it unchanged. `nil` if the image is interlaced,
    /// or has transparency, too many bits or another gamma. Call ``pixels()`` first, which checks
    /// the data.
    ///
    /// - Parameter largestDepth: most bits per sample: 8, or 16 from PDF 1.5 (ISO 32000-2 Table 87).
    package func stream(largestDepth: Int = 8) -> PNGStream? {
        var header: [UInt8] = []
        var palette: [UInt8]?
        var data: [UInt8] = []
        let chunks = chunks
        for (type, content) in chunks.list {
            switch type {
            case "IHDR": header = Array(content)
            case "PLTE": palette = Array(content)
            case "IDAT": data += content
            case "tRNS": return nil
            case "gAMA":
                guard content.count == 4, abs(Self.number(content) - Self.usualGamma) < 500
                else { return nil }
            default: break
            }
        }
        guard chunks.areWhole, header.count == 13 else { return nil }
        let (depth, colorType, interlace) = (Int(header[8]), header[9], header[12])
        guard interlace == 0, [0, 2, 3].contains(colorType), [1, 2, 4, 8, 16].contains(depth),
            depth <= largestDepth
        else { return nil }
        if colorType == 3 {
            guard let palette, palette.count >= 3, palette.count % 3 == 0, palette.count <= 768
            else { return nil }
        }
        return PNGStream(
            width: Self.number(header[0...]), height: Self.number(header[4...]),
            bitsPerSample: depth, componentCount: colorType == 2 ? 3 : 1,
            palette: colorType == 3 ? palette : nil, data: data)
    }

    // MARK: Pixels

    /// Decodes the image with libpng, loaded on first use. Supports palettes, 16 bits, interlacing
    /// and gamma.
    ///
    /// - Throws: ``CodecError``, `.libraryMissing` if libpng is not installed.
    package func pixels() throws(CodecError) -> PixelImage {
        var picture = CPNG_picture()
        try Self.check(unsafe CPNG_inspect(bytes, bytes.count, &picture), of: picture)
        let (width, height) = (Int(picture.width), Int(picture.height))
        let channels = Int(picture.channels)
        let hasAlpha = channels % 2 == 0
        let limit =
            picture.is_costly != 0
            ? Self.costlySampleLimit : hasAlpha ? Self.alphaSampleLimit : Self.sampleLimit
        // Each side has at most 31 bits, so the product does not overflow.
        guard width * height <= limit / channels else {
            throw CodecError(
                .limitExceeded,
                "\(width) x \(height) pixels: at most \(limit) samples of this kind are accepted")
        }
        let count = width * height
        var status: Int32 = 0
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: count * channels) {
            (buffer, filled) in
            // Pixels missing in a damaged file must not reveal earlier contents of the memory.
            unsafe buffer.initialize(repeating: 0)
            status = unsafe CPNG_read(bytes, bytes.count, &picture, buffer.baseAddress)
            filled = count * channels
        }
        try Self.check(status, of: picture)
        let colors = channels < 3 ? 1 : 3
        guard hasAlpha else {
            return PixelImage(width: width, height: height, componentCount: colors, samples: pixels)
        }
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: count * colors) {
            buffer, filled in
            for pixel in 0..<count {
                for index in 0..<colors {
                    unsafe buffer[pixel * colors + index] = pixels[pixel * channels + index]
                }
            }
            filled = count * colors
        }
        let alpha = (0..<count).map { pixels[$0 * channels + colors] }
        return PixelImage(
            width: width, height: height, componentCount: colors, samples: samples,
            alpha: alpha.allSatisfy { $0 == 255 } ? nil : alpha)
    }

    private static func check(
        _ status: Int32, of picture: borrowing CPNG_picture
    ) throws(CodecError) {
        switch Int(status) {
        case Int(CPNG_READ): return
        case Int(CPNG_MISSING):
            throw CodecError(
                .libraryMissing,
                "the library libpng16.so.16 is not installed (Debian: libpng16-16)")
        case Int(CPNG_NO_MEMORY):
            throw CodecError(.limitExceeded, "no memory is left for the pixels")
        default:
            let message = unsafe withUnsafeBytes(of: picture.message) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw CodecError(.malformed, message)
        }
    }
}
