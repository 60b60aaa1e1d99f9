package import Base
import CCodecs
import Glibc

/// The pixels of a JPEG picture, made small: rows from the top, 8 bits a sample.
package struct JPEGPixels: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1 for grey, 3 for red, green and blue.
    package let componentCount: Int
    package let samples: [UInt8]

    /// Decodes a picture by way of a smaller one.
    ///
    /// - Parameters:
    ///   - markers: those of `source`.
    ///   - longestSide: about how many pixels the longer side keeps.
    /// - Throws: ``CodecError``; what the source throws.
    package init(
        _ source: any ByteSource, markers: JPEGMarkers, longestSide: Int
    ) throws {
        let longest = max(markers.width, markers.height)
        // libjpeg's scaled decoding first, whole factors after that.
        let eighths = min(8, max(1, (8 * longestSide + longest - 1) / max(1, longest)))
        let shrink = max(1, (longest * eighths + 4 * longestSide) / (8 * max(1, longestSide)))
        let sink = MemorySink()
        // Four inks become grey: they make no photo of a phone.
        let transcoder = JPEGTranscoder(
            method: .recoded(eighths: eighths, shrink: shrink, quality: 97),
            isGray: markers.components.count == 4)
        _ = try transcoder.run(from: source, to: sink)
        let small = sink.bytes
        var pixels = unsafe CJPEG_pixels()
        var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_BYTES))
        let limit = UInt64(max(1, longestSide)) * UInt64(max(1, longestSide)) * 4
        let status = unsafe message.withUnsafeMutableBufferPointer { text in
            unsafe CJPEG_decode(small, small.count, limit, &pixels, text.baseAddress)
        }
        defer { unsafe free(pixels.pixels) }
        guard status == 0, let start = unsafe pixels.pixels else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw CodecError(.malformed, String(decoding: text, as: UTF8.self))
        }
        width = unsafe Int(pixels.width)
        height = unsafe Int(pixels.height)
        componentCount = unsafe Int(pixels.components)
        samples = unsafe Array(
            UnsafeBufferPointer(start: start, count: width * height * componentCount))
    }
}
