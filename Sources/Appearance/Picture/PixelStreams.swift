import CodecBridge
import PDFCore

/// Pixels as image streams (ISO 32000-2 §8.9.5), compressed without loss.
struct PixelStreams: Sendable {
    private let image: PixelImage
    /// The data of the file, where a document can hold it as it is.
    private let original: PNGStream?
    /// The one colour that all of it has.
    private let color: StampColor?

    var width: Int { image.width }
    var height: Int { image.height }

    init(_ image: PixelImage, file: PNGStream?) {
        self.image = image
        original = image.alpha == nil ? file : nil
        color = nil
    }

    /// Ink of one colour.
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
        if let original { return [(id, .stream(stream(of: original, surroundings)))] }
        guard let alpha = image.alpha, surroundings.permitsTransparency else {
            return [(id, .stream(Self.stream(of: image.onWhite, surroundings)))]
        }
        let maskID = allocate()
        var main = Self.stream(of: image, surroundings)
        main.dictionary["SMask"] = .reference(maskID)
        // Sixteen levels are written with four bits.
        let mask =
            color == nil
            ? Self.stream(
                of: PixelImage(
                    width: width, height: height, componentCount: 1, samples: alpha),
                StampSurroundings())
            : fourBits(alpha)
        return [(id, .stream(main)), (maskID, .stream(mask))]
    }

    private static func dictionary(_ width: Int, _ height: Int, bits: Int) -> PDFDictionary {
        [
            "Type": .name("XObject"), "Subtype": .name("Image"), "Width": .integer(width),
            "Height": .integer(height), "BitsPerComponent": .integer(bits),
            "Filter": .name("FlateDecode"),
        ]
    }

    private static func predictor(_ colors: Int, bits: Int, width: Int) -> PDFObject {
        .dictionary([
            "Predictor": .integer(15), "Colors": .integer(colors),
            "BitsPerComponent": .integer(bits), "Columns": .integer(width),
        ])
    }

    private static func stream(
        of image: PixelImage, _ surroundings: StampSurroundings
    ) -> PDFStream {
        var dictionary = dictionary(image.width, image.height, bits: 8)
        dictionary["ColorSpace"] = ColorSetter.space(
            componentCount: image.componentCount, surroundings)
        dictionary["DecodeParms"] = predictor(
            image.componentCount, bits: 8, width: image.width)
        return PDFStream(
            dictionary: dictionary,
            data: Flate.deflate(
                rows: image.samples, width: image.width, componentCount: image.componentCount))
    }

    private func stream(of file: PNGStream, _ surroundings: StampSurroundings) -> PDFStream {
        var dictionary = Self.dictionary(width, height, bits: file.bitsPerSample)
        dictionary["DecodeParms"] = Self.predictor(
            file.componentCount, bits: file.bitsPerSample, width: width)
        if let palette = file.palette {
            dictionary["ColorSpace"] = .array([
                .name("Indexed"), ColorSetter.space(componentCount: 3, surroundings),
                .integer(palette.count / 3 - 1),
                .string(PDFString(bytes: palette, isHexadecimal: true)),
            ])
        } else {
            dictionary["ColorSpace"] = ColorSetter.space(
                componentCount: file.componentCount, surroundings)
        }
        return PDFStream(dictionary: dictionary, data: file.data)
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
        var dictionary = Self.dictionary(width, height, bits: 4)
        dictionary["ColorSpace"] = .name("DeviceGray")
        return PDFStream(dictionary: dictionary, data: Flate.deflate(packed))
    }
}
