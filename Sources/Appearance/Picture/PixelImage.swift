import CodecBridge

/// Pixels in rows from the top, 8 bits a sample, sRGB.
struct PixelImage: Equatable, Sendable {
    let width: Int
    let height: Int
    /// 1 for grey, 3 for red, green and blue.
    let componentCount: Int
    /// Interleaved, without alpha.
    let samples: [UInt8]
    /// One a pixel, 255 opaque; nil when all of it is opaque.
    var alpha: [UInt8]?

    init(
        width: Int, height: Int, componentCount: Int, samples: [UInt8], alpha: [UInt8]? = nil
    ) {
        self.width = width
        self.height = height
        self.componentCount = componentCount
        self.samples = samples
        self.alpha = alpha
    }

    init(_ image: PNGImage) {
        self.init(
            width: image.width, height: image.height, componentCount: image.componentCount,
            samples: image.samples, alpha: image.alpha)
    }

    init(_ image: JPEGPixels) {
        self.init(
            width: image.width, height: image.height, componentCount: image.componentCount,
            samples: image.samples)
    }

    /// What it looks like on white paper.
    var onWhite: PixelImage {
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

    /// Squares of `factor` pixels become one.
    func shrunk(by factor: Int) -> PixelImage {
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
