import CPNG
import Glibc

/// A decoded PNG picture (ISO/IEC 15948): sRGB, 8 bits a sample, rows from the top.
package struct PNGImage: Equatable, Sendable {
    /// More samples are refused, alpha among them. A page scanned in colour at 600 dots per inch
    /// has 104 million.
    package static let sampleLimit = 128 << 20

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
        var picture = unsafe CPNG_picture()
        let status = unsafe CPNG_read(bytes, bytes.count, UInt64(Self.sampleLimit), &picture)
        defer { unsafe free(picture.pixels) }
        let (width, height) = unsafe (Int(picture.width), Int(picture.height))
        switch Int(status) {
        case Int(CPNG_READ): break
        case Int(CPNG_MISSING):
            throw CodecError(
                .libraryMissing,
                detail: "the library libpng16.so.16 is not installed (Debian: libpng16-16)")
        case Int(CPNG_TOO_LARGE):
            throw CodecError(
                .limitExceeded,
                detail:
                    "\(width) x \(height) pixels: at most \(Self.sampleLimit) samples are accepted")
        case Int(CPNG_NO_MEMORY):
            throw CodecError(
                .limitExceeded, detail: "no memory is left for \(width) x \(height) pixels")
        default:
            let message = unsafe withUnsafeBytes(of: &picture.message) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw CodecError(.malformed, detail: message)
        }
        let channels = unsafe Int(picture.channels)
        let count = width * height
        guard let start = unsafe picture.pixels else {
            throw CodecError(.malformed, detail: "no pixels")
        }
        let pixels = unsafe UnsafeBufferPointer(start: start, count: count * channels)
        self.width = width
        self.height = height
        componentCount = channels < 3 ? 1 : 3
        guard channels == 2 || channels == 4 else {
            samples = unsafe Array(pixels)
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
}
