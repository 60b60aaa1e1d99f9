package import Base

/// Pixels in rows from the top, with 8 bits per sample, in sRGB.
package struct PixelImage: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// 1 for gray, 3 for red, green and blue.
    package let componentCount: Int
    /// Interleaved samples, without alpha.
    package let samples: [UInt8]
    /// One byte per pixel, 255 for opaque; `nil` if all pixels are opaque.
    package var alpha: [UInt8]?

    package init(
        width: Int, height: Int, componentCount: Int, samples: [UInt8], alpha: [UInt8]? = nil
    ) {
        self.width = width
        self.height = height
        self.componentCount = componentCount
        self.samples = samples
        self.alpha = alpha
    }

    /// The pixels of a JPEG image, reduced in size.
    ///
    /// - Parameters:
    ///   - markers: The markers of `source`.
    ///   - longestSide: Approximate length of the longer side, in pixels.
    /// - Throws: ``CodecError``, or an error of the source.
    package init(jpeg source: any ByteSource, markers: JPEGMarkers, longestSide: Int) throws {
        let longest = max(markers.width, markers.height)
        // libjpeg's scaled decoding first, then integer factors.
        let eighths = min(8, max(1, (8 * longestSide + longest - 1) / max(1, longest)))
        let shrink = max(1, (longest * eighths + 4 * longestSide) / (8 * max(1, longestSide)))
        let sink = MemorySink()
        // CMYK images become gray, because they are not photos of a phone.
        let transcoder = JPEGTranscoder(
            method: .pixels(eighths: eighths, shrink: shrink),
            isGray: markers.components.count == 4)
        let made = try transcoder.run(from: source, to: sink)
        self.init(
            width: made.width, height: made.height, componentCount: made.components,
            samples: sink.bytes)
    }

    package var onWhite: PixelImage {
        guard let alpha else { return self }
        var samples = samples
        for pixel in 0..<(width * height) where alpha[pixel] < 255 {
            let share = Int(alpha[pixel])
            for index in (pixel * componentCount)..<((pixel + 1) * componentCount) {
                samples[index] = UInt8(
                    (Int(samples[index]) * share + 255 * (255 - share) + 127) / 255)
            }
        }
        return PixelImage(
            width: width, height: height, componentCount: componentCount, samples: samples)
    }

    /// The image cropped to its visible pixels; `nil` if all are transparent.
    package var visiblePart: PixelImage? {
        guard let alpha else { return self }
        let rows = (0..<height).filter { y in
            alpha[(y * width)..<((y + 1) * width)].contains { $0 > 0 }
        }
        let columns = (0..<width).filter { x in rows.contains { alpha[$0 * width + x] > 0 } }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first,
            let right = columns.last
        else { return nil }
        func part(_ values: [UInt8], size: Int) -> [UInt8] {
            let count = (right - left + 1) * size
            return (top...bottom).flatMap { y -> ArraySlice<UInt8> in
                let start = (y * width + left) * size
                return values[start..<(start + count)]
            }
        }
        return PixelImage(
            width: right - left + 1, height: bottom - top + 1, componentCount: componentCount,
            samples: part(samples, size: componentCount), alpha: part(alpha, size: 1))
    }

    /// The image in grayscale (ITU-R BT.601, as in JPEG).
    package var gray: PixelImage {
        guard componentCount == 3 else { return self }
        let brightness = (0..<(width * height)).map { pixel -> UInt8 in
            let (red, green, blue) = (
                Int(samples[3 * pixel]), Int(samples[3 * pixel + 1]), Int(samples[3 * pixel + 2])
            )
            return UInt8((red * 299 + green * 587 + blue * 114 + 500) / 1000)
        }
        return PixelImage(
            width: width, height: height, componentCount: 1, samples: brightness, alpha: alpha)
    }

    /// Reduces each square of `factor` × `factor` pixels to one pixel.
    package func shrunk(by factor: Int) -> PixelImage {
        guard factor > 1 else { return self }
        let (newWidth, newHeight) = (max(1, width / factor), max(1, height / factor))
        var result = [UInt8](repeating: 0, count: newWidth * newHeight * componentCount)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let columns = (x * factor)..<min(width, (x + 1) * factor)
                let rows = (y * factor)..<min(height, (y + 1) * factor)
                for component in 0..<componentCount {
                    var sum = 0
                    for row in rows {
                        for column in columns {
                            sum += Int(samples[(row * width + column) * componentCount + component])
                        }
                    }
                    let count = max(1, columns.count * rows.count)
                    result[(y * newWidth + x) * componentCount + component] =
                        UInt8((sum + count / 2) / count)
                }
            }
        }
        return PixelImage(
            width: newWidth, height: newHeight, componentCount: componentCount, samples: result)
    }
}
