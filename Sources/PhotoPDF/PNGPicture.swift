import ByteKit
import CodecBridge
import PDFCore

/// A PNG picture as it goes onto a page, without loss.
package struct PNGPicture: Sendable {
    /// Larger files are refused.
    package static let byteLimit = 256 << 20
    /// Profiles of displays and scanners take up to a few megabytes.
    private static let profileByteLimit = 16 << 20

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
    package init(_ file: [UInt8], isGray: Bool = false) throws(PhotoError) {
        let decoded: PNGImage
        do {
            decoded = try PNGImage(file)
        } catch {
            throw PhotoError(error)
        }
        width = decoded.width
        height = decoded.height
        componentCount = decoded.componentCount
        density = Self.density(file)
        var warnings: [String] = []
        if decoded.alpha != nil { warnings.append("its transparent parts are white on the page") }
        let profile = Self.profile(file, componentCount: decoded.componentCount)
        hasProfile = profile != nil
        let losesColors = isGray && decoded.componentCount > 1
        if decoded.alpha == nil, !losesColors, let original = PNGStream(file) {
            isUntouched = true
            self.profile = profile
            stream = PixelStream.stream(of: original, colorSpace: Self.deviceSpace)
        } else {
            isUntouched = false
            self.profile = nil
            if profile != nil { warnings.append("its colour profile is left out") }
            let pixels = PixelImage(decoded).onWhite
            stream = PixelStream.stream(
                of: isGray ? pixels.gray : pixels, colorSpace: Self.deviceSpace)
        }
        self.warnings = warnings
    }

    private static func deviceSpace(_ componentCount: Int) -> PDFObject {
        .name(ColorProfile.deviceSpace(componentCount: componentCount))
    }

    /// ISO/IEC 15948 §11.3.5.3: pixels per metre.
    private static func density(_ file: [UInt8]) -> (x: Double, y: Double)? {
        guard let content = PNGChunk.content(of: "pHYs", in: file), content.count == 9,
            content[8] == 1
        else { return nil }
        let numbers = [0, 4].map { start in
            Double(content[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }) * 0.0254
        }
        return numbers[0] > 0 && numbers[1] > 0 ? (numbers[0], numbers[1]) : nil
    }

    /// ISO/IEC 15948 §11.3.3.3: a name, a zero, the method, and the profile compressed.
    private static func profile(_ file: [UInt8], componentCount: Int) -> ColorProfile? {
        guard let content = PNGChunk.content(of: "iCCP", in: file),
            let name = content.firstIndex(of: 0), content.byte(at: name + 1) == 0,
            let bytes = try? Flate.inflate(
                Array(content.dropFirst(name + 2)), limit: profileByteLimit,
                tolerateTruncation: false)
        else { return nil }
        return ColorProfile(bytes, componentCount: componentCount)
    }
}
