package import CodecBridge
package import PDFCore

/// Pixels as image streams (ISO 32000-2 §8.9.5), compressed losslessly.
package enum PixelStream {
    package static func dictionary(_ width: Int, height: Int, bits: Int) -> PDFDictionary {
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

    /// - Parameter colorSpace: Returns the color space of samples with 1 or 3 components.
    package static func stream(
        of image: PixelImage, colorSpace: (_ componentCount: Int) -> PDFObject
    ) -> PDFStream {
        var dictionary = dictionary(image.width, height: image.height, bits: 8)
        dictionary["ColorSpace"] = colorSpace(image.componentCount)
        dictionary["DecodeParms"] = predictor(image.componentCount, bits: 8, width: image.width)
        return PDFStream(
            dictionary: dictionary,
            data: Flate.deflate(
                rows: image.samples, width: image.width, componentCount: image.componentCount))
    }

    /// An image stream with the file's own data.
    ///
    /// - Parameter colorSpace: Returns the color space of samples with 1 or 3 components.
    package static func stream(
        of file: PNGStream, colorSpace: (_ componentCount: Int) -> PDFObject
    ) -> PDFStream {
        var dictionary = dictionary(file.width, height: file.height, bits: file.bitsPerSample)
        dictionary["DecodeParms"] = predictor(
            file.componentCount, bits: file.bitsPerSample, width: file.width)
        if let palette = file.palette {
            dictionary["ColorSpace"] = .array([
                .name("Indexed"), colorSpace(3), .integer(palette.count / 3 - 1),
                .string(PDFString(bytes: palette, isHexadecimal: true)),
            ])
        } else {
            dictionary["ColorSpace"] = colorSpace(file.componentCount)
        }
        return PDFStream(dictionary: dictionary, data: file.data)
    }
}
