import PDFCore

/// A color in sRGB, with components from 0 to 1.
package struct StampColor: Equatable, Sendable {
    package let red: Double
    package let green: Double
    package let blue: Double

    package init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// A gray level from 0 (black) to 1 (white).
    package init(gray: Double) { self.init(red: gray, green: gray, blue: gray) }

    var isGray: Bool { red == green && green == blue }
}

/// Sets colors in the color spaces that the document permits (ISO 32000-2 §8.6).
struct ColorSetter {
    let surroundings: StampSurroundings

    private static let grayName = PDFName("Gray")
    private static let rgbName = PDFName("RGB")

    func fill(_ color: StampColor) -> String {
        operators(color, device: ("g", "rg"), calibrated: ("cs", "sc"))
    }

    func stroke(_ color: StampColor) -> String {
        operators(color, device: ("G", "RG"), calibrated: ("CS", "SC"))
    }

    private func operators(
        _ color: StampColor, device: (gray: String, rgb: String),
        calibrated: (space: String, color: String)
    ) -> String {
        let isGray = color.isGray
        let components = isGray ? [color.red] : [color.red, color.green, color.blue]
        let numbers = components.map {
            ContentWriter.number(($0 * 1000).rounded() / 1000)
        }.joined(separator: " ")
        if (isGray ? surroundings.gray : surroundings.rgb) == .device {
            return "\(numbers) \(isGray ? device.gray : device.rgb)"
        }
        let name = isGray ? Self.grayName : Self.rgbName
        return "/\(name) \(calibrated.space) \(numbers) \(calibrated.color)"
    }

    /// The color spaces that the operators use; `nil` for device color spaces.
    var resources: PDFDictionary? {
        var spaces = PDFDictionary()
        if surroundings.gray == .calibrated {
            spaces[Self.grayName] = Self.space(componentCount: 1, surroundings)
        }
        if surroundings.rgb == .calibrated {
            spaces[Self.rgbName] = Self.space(componentCount: 3, surroundings)
        }
        return spaces.isEmpty ? nil : spaces
    }

    /// The color space of samples with one component (gray) or three components.
    static func space(componentCount: Int, _ surroundings: StampSurroundings) -> PDFObject {
        // ISO 32000-2 §8.6.5.2 and §8.6.5.3, with the white point D65 and the primaries of sRGB.
        var parameters: PDFDictionary = [
            "WhitePoint": .array([.number(0.9505), .integer(1), .number(1.089)])
        ]
        if componentCount == 1 {
            guard surroundings.gray == .calibrated else { return .name("DeviceGray") }
            parameters["Gamma"] = .number(2.2)
            return .array([.name("CalGray"), .dictionary(parameters)])
        }
        guard surroundings.rgb == .calibrated else { return .name("DeviceRGB") }
        parameters["Gamma"] = .array([.number(2.2), .number(2.2), .number(2.2)])
        parameters["Matrix"] = .array(
            [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505].map {
                .number($0)
            })
        return .array([.name("CalRGB"), .dictionary(parameters)])
    }
}
