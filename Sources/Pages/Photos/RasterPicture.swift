import Base
package import CodecBridge
import PDFCore

/// A raster picture for a page, embedded losslessly.
package struct RasterPicture: Sendable {
    /// Maximum size of a file, in bytes.
    package static let byteLimit = 256 << 20

    package let width: Int
    package let height: Int
    /// Pixels per inch; `nil` if the picture does not state them.
    package let density: (x: Double, y: Double)?
    /// Exif orientation, 1 to 8.
    package let orientation: Int
    /// 1 for gray, 3 for red, green and blue.
    package let componentCount: Int
    package let hasProfile: Bool
    /// Whether the file's own data is embedded.
    package let isUntouched: Bool
    /// Warnings for the user.
    package let warnings: [String]
    /// The image with a device color space.
    let stream: PDFStream
    /// The color profile that replaces the device color space, if there is one.
    let profile: ColorProfile?

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
        orientation = file.orientation
        var warnings: [String] = []
        if decoded.alpha != nil { warnings.append("transparent parts become white") }
        let profile = file.profile.flatMap {
            ColorProfile($0, componentCount: decoded.componentCount)
        }
        hasProfile = profile != nil
        let losesColors = isGray && decoded.componentCount > 1
        if decoded.alpha == nil, !losesColors, let original = file.stream(largestDepth: 16) {
            isUntouched = true
            self.profile = profile
            stream = PixelStream.stream(of: original, colorSpace: Self.deviceSpace)
        } else {
            isUntouched = false
            self.profile = nil
            if profile != nil { warnings.append("the color profile was removed") }
            if file.depth > 8 { warnings.append("16 bits per sample were reduced to 8") }
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

extension PNGFile {
    var orientation: Int { exifSegment.flatMap { ExifData(segment: $0) }?.orientation ?? 1 }
}
