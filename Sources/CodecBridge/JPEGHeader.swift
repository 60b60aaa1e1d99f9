import Base
import CCodecs

/// What the headers of a JPEG picture say, read by libjpeg without decoding the picture.
package struct JPEGHeader: Equatable, Sendable {
    /// How the samples are to be understood.
    package enum ColorSpace: Sendable {
        case gray, rgb, yCbCr, cmyk, ycck, unknown
    }

    /// What ``xDensity`` and ``yDensity`` count.
    package enum DensityUnit: Sendable {
        case aspectRatioOnly, perInch, perCentimetre
    }

    package let width: Int
    package let height: Int
    /// The number of colour components, 1 to 4 in pictures that can be used.
    package let components: Int
    package let bitsPerSample: Int
    package let isProgressive: Bool
    /// Arithmetic coding: libjpeg decodes it, PDF viewers do not.
    package let isArithmetic: Bool
    package let colorSpace: ColorSpace
    /// The Adobe APP14 marker's transform, `nil` without the marker. CMYK samples of pictures with
    /// the marker are inverted.
    package let adobeTransform: Int?
    /// The density of the JFIF marker, `nil` without the marker.
    package let densityUnit: DensityUnit?
    package let xDensity: Int
    package let yDensity: Int

    /// Reads the markers up to the first scan.
    ///
    /// - Throws: ``CodecError`` with libjpeg's message.
    package init(_ bytes: [UInt8]) throws(CodecError) {
        var header = CJPEG_header()
        var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_BYTES))
        guard !bytes.isEmpty else { throw CodecError(.malformed, "empty picture") }
        let status = unsafe bytes.withUnsafeBufferPointer { source in
            unsafe message.withUnsafeMutableBufferPointer { text in
                unsafe CJPEG_read_header(
                    source.baseAddress, source.count, &header, text.baseAddress)
            }
        }
        guard status == 0 else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw CodecError(.malformed, String(decoding: text, as: UTF8.self))
        }
        width = Int(header.width)
        height = Int(header.height)
        components = Int(header.components)
        bitsPerSample = Int(header.bits_per_sample)
        isProgressive = header.is_progressive != 0
        isArithmetic = header.is_arithmetic != 0
        colorSpace =
            switch header.color_space {
            case 1: .gray
            case 2: .rgb
            case 3: .yCbCr
            case 4: .cmyk
            case 5: .ycck
            default: .unknown
            }
        adobeTransform = header.has_adobe_marker != 0 ? Int(header.adobe_transform) : nil
        let unit: DensityUnit =
            switch header.density_unit {
            case 1: .perInch
            case 2: .perCentimetre
            default: .aspectRatioOnly
            }
        densityUnit = header.has_jfif_marker != 0 ? unit : nil
        xDensity = Int(header.x_density)
        yDensity = Int(header.y_density)
    }
}
