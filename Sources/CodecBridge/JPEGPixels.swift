package import Base

/// The pixels of a JPEG picture, made small: rows from the top, 8 bits a sample.
package struct JPEGPixels: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1 for grey, 3 for red, green and blue.
    package let componentCount: Int
    package let samples: [UInt8]

    /// Decodes a picture.
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
            method: .pixels(eighths: eighths, shrink: shrink),
            isGray: markers.components.count == 4)
        let made = try transcoder.run(from: source, to: sink)
        (width, height, componentCount) = (made.width, made.height, made.components)
        samples = sink.bytes
    }
}
