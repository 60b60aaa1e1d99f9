import CodecBridge
package import PDFCore

/// The properties of an image's data for its dictionary.
package struct ImageProperties: Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var componentCount: Int
    /// Whether the CMYK samples are inverted, as Adobe programs write them.
    package var isInverted: Bool
    /// Whether the dictionary must state that three components are red, green and blue.
    package var isPlainRGB: Bool
    package var profile: ColorProfile?

    /// The dictionary of an image with JPEG data (ISO 32000-2 §8.9.5), in a device color space.
    package var dictionary: PDFDictionary {
        var dictionary: PDFDictionary = [
            "Type": .name("XObject"), "Subtype": .name("Image"),
            "Width": .integer(width), "Height": .integer(height),
            "BitsPerComponent": .integer(8),
            "ColorSpace": .name(ColorProfile.deviceSpace(componentCount: componentCount)),
            "Filter": .name("DCTDecode"),
        ]
        if isInverted {
            dictionary["Decode"] = .array((0..<8).map { .integer(1 - $0 % 2) })
        }
        if isPlainRGB {
            dictionary["DecodeParms"] = .dictionary(["ColorTransform": .integer(0)])
        }
        return dictionary
    }
}

extension ColorProfile {
    /// The profile as a stream (ISO 32000-2 §8.6.5.5).
    package var stream: PDFStream {
        PDFStream(
            dictionary: [
                "N": .integer(componentCount),
                "Alternate": .name(Self.deviceSpace(componentCount: componentCount)),
                "Filter": .name("FlateDecode"),
            ], data: Flate.deflate(bytes))
    }

    static func deviceSpace(componentCount: Int) -> PDFName {
        switch componentCount {
        case 1: "DeviceGray"
        case 4: "DeviceCMYK"
        default: "DeviceRGB"
        }
    }
}
