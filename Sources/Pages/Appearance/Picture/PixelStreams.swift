import CodecBridge
import PDFCore

/// Pixels as image streams (ISO 32000-2 §8.9.5), compressed losslessly.
struct PixelStreams: Sendable {
    private let image: PixelImage
    /// The data of the file, if a document can contain it unchanged.
    private let original: PNGStream?
    private let color: StampColor?

    var width: Int { image.width }
    var height: Int { image.height }

    init(_ image: PixelImage, file: PNGStream?) {
        self.image = image
        original = image.alpha == nil ? file : nil
        color = nil
    }

    init(_ ink: InkFromPhoto) {
        let color = [ink.color.red, ink.color.green, ink.color.blue].map {
            UInt8((min(max($0, 0), 1) * 255).rounded())
        }
        image = PixelImage(
            width: ink.width, height: ink.height, componentCount: 3,
            samples: Array([[UInt8]](repeating: color, count: ink.width * ink.height).joined()),
            alpha: ink.alpha)
        original = nil
        self.color = ink.color
    }

    func objects(
        _ id: ObjectID, _ surroundings: StampSurroundings, allocate: () -> ObjectID
    ) -> [(ObjectID, PDFObject)] {
        func space(_ componentCount: Int) -> PDFObject {
            ColorSetter.space(componentCount: componentCount, surroundings)
        }
        if let original {
            return [(id, .stream(PixelStream.stream(of: original, colorSpace: space)))]
        }
        guard let alpha = image.alpha, surroundings.permitsTransparency else {
            return [(id, .stream(PixelStream.stream(of: image.onWhite, colorSpace: space)))]
        }
        let maskID = allocate()
        var main = PixelStream.stream(of: image, colorSpace: space)
        main.dictionary["SMask"] = .reference(maskID)
        // Sixteen levels need four bits.
        let mask =
            color == nil
            ? PixelStream.stream(
                of: PixelImage(
                    width: width, height: height, componentCount: 1, samples: alpha)
            ) { _ in .name("DeviceGray") }
            : fourBits(alpha)
        return [(id, .stream(main)), (maskID, .stream(mask))]
    }

    private func fourBits(_ alpha: [UInt8]) -> PDFStream {
        var packed: [UInt8] = []
        packed.reserveCapacity((width + 1) / 2 * height)
        for row in 0..<height {
            for x in stride(from: row * width, to: (row + 1) * width, by: 2) {
                let low = x + 1 < (row + 1) * width ? alpha[x + 1] >> 4 : 0
                packed.append(alpha[x] & 0xF0 | low)
            }
        }
        var dictionary = PixelStream.dictionary(width, height: height, bits: 4)
        dictionary["ColorSpace"] = .name("DeviceGray")
        return PDFStream(dictionary: dictionary, data: Flate.deflate(packed))
    }
}
