import Base
package import CodecBridge
import PDFCore

/// A picture as it goes onto a page by its pixels, without loss.
package struct RasterPicture: Sendable {
    /// Larger files are refused.
    package static let byteLimit = 256 << 20

    package let width: Int
    package let height: Int
    /// Pixels per inch; nil when the picture does not say.
    package let density: (x: Double, y: Double)?
    /// 1 for grey, 3 for red, green and blue.
    package let componentCount: Int
    /// Whether it says how its colours are meant.
    package let hasProfile: Bool
    /// Whether the file's own data goes in.
    package let isUntouched: Bool
    /// What people should know.
    package let warnings: [String]
    /// With a colour space of the device.
    let stream: PDFStream
    /// What the device's colours stand for.
    let profile: ColorProfile?

    /// - Throws: ``PhotoError``.
    package init(_ file: PNGFile, isGray: Bool = false) throws(PhotoError) {
        let decoded: PixelImage
        do {
            decoded = try file.pixels()
        } catch {
            throw PhotoError(error)
        }
        width = decoded.width
        height = decoded.height
        componentCount = decoded.componentCount
        density = file.density
        var warnings: [String] = []
        if decoded.alpha != nil { warnings.append("transparent parts become white") }
        let profile = file.profile.flatMap {
            ColorProfile($0, componentCount: decoded.componentCount)
        }
        hasProfile = profile != nil
        let losesColors = isGray && decoded.componentCount > 1
        if decoded.alpha == nil, !losesColors, let original = file.stream {
            isUntouched = true
            self.profile = profile
            stream = PixelStream.stream(of: original, colorSpace: Self.deviceSpace)
        } else {
            isUntouched = false
            self.profile = nil
            if profile != nil { warnings.append("the color profile was removed") }
            let pixels = decoded.onWhite
            stream = PixelStream.stream(
                of: isGray ? pixels.gray : pixels, colorSpace: Self.deviceSpace)
        }
        self.warnings = warnings
    }

    private static func deviceSpace(_ componentCount: Int) -> PDFObject {
        .name(ColorProfile.deviceSpace(componentCount: componentCount))
    }
}
