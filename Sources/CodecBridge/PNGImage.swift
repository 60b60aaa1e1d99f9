import Base
import CCodecs
import Glibc

/// A decoded PNG picture (ISO/IEC 15948): sRGB, 8 bits a sample, rows from the top.
package struct PNGImage: Equatable, Sendable {
    /// More samples are refused. A page scanned in colour at 600 dots per inch has 104 million.
    package static let sampleLimit = 128 << 20
    /// The same with alpha, which is taken apart from the colours.
    package static let alphaSampleLimit = 64 << 20
    /// The same for interlaced pictures and for 16 bits, which take several times as long.
    package static let costlySampleLimit = 32 << 20

    package let width: Int
    package let height: Int
    /// 1 for grey, 3 for red, green and blue.
    package let componentCount: Int
    /// Interleaved, without alpha.
    package let samples: [UInt8]
    /// One a pixel, 255 opaque; nil when all of it is opaque.
    package let alpha: [UInt8]?

    /// Whether these are the first bytes of a PNG file.
    package static func isPNG(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    /// Decodes palettes, 16 bits, interlacing and gamma by libpng, loaded on first use.
    ///
    /// - Throws: ``CodecError``, `.libraryMissing` when libpng is not installed.
    package init(_ bytes: [UInt8]) throws(CodecError) {
        var picture = CPNG_picture()
        try Self.check(unsafe CPNG_inspect(bytes, bytes.count, &picture), picture)
        let (width, height) = (Int(picture.width), Int(picture.height))
        let channels = Int(picture.channels)
        let limit = Self.limit(hasAlpha: channels % 2 == 0, isCostly: picture.is_costly != 0)
        // Each side has at most 31 bits.
        guard width * height <= limit / channels else {
            throw CodecError(
                .limitExceeded,
                "\(width) x \(height) pixels: at most \(limit) samples of this kind are accepted"
            )
        }
        let count = width * height
        var status: Int32 = 0
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: count * channels) {
            (buffer, filled) in
            // What a damaged file leaves out is nothing that stood in memory before.
            unsafe buffer.initialize(repeating: 0)
            status = unsafe CPNG_read(bytes, bytes.count, &picture, buffer.baseAddress)
            filled = count * channels
        }
        try Self.check(status, picture)
        self.width = width
        self.height = height
        componentCount = channels < 3 ? 1 : 3
        guard channels == 2 || channels == 4 else {
            samples = pixels
            alpha = nil
            return
        }
        let colors = componentCount
        samples = unsafe [UInt8](unsafeUninitializedCapacity: count * colors) { buffer, filled in
            for pixel in 0..<count {
                for index in 0..<colors {
                    unsafe buffer[pixel * colors + index] = pixels[pixel * channels + index]
                }
            }
            filled = count * colors
        }
        let alpha = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for pixel in 0..<count { unsafe buffer[pixel] = pixels[pixel * channels + colors] }
            filled = count
        }
        self.alpha = alpha.allSatisfy { $0 == 255 } ? nil : alpha
    }

    private static func limit(hasAlpha: Bool, isCostly: Bool) -> Int {
        isCostly ? costlySampleLimit : hasAlpha ? alphaSampleLimit : sampleLimit
    }

    private static func check(
        _ status: Int32, _ picture: borrowing CPNG_picture
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
