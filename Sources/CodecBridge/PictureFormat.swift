/// The picture formats accepted for stamps and pages.
///
/// PDF supports JPEG data, which is embedded. PNG files are embedded as pixels.
package enum PictureFormat: CaseIterable, Sendable {
    case png, jpeg

    package static let headByteCount = 16

    /// The format of a file; `nil` if it is not supported.
    ///
    /// - Parameter head: At least the first ``headByteCount`` bytes of the file.
    package init?(head: [UInt8]) {
        if head.starts(with: PNGFile.signature) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8]) {
            self = .jpeg
        } else {
            return nil
        }
    }

    package var name: String { self == .png ? "PNG" : "JPEG" }

    /// File name extensions, without the dot, in lower case.
    package var nameExtensions: [String] {
        switch self {
        case .png: ["png"]
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        }
    }

    /// Whether the pixels are embedded, losslessly.
    package var isRaster: Bool { self == .png }

    /// A file of this format; `nil` if its pixels are not embedded.
    package func raster(_ file: [UInt8]) -> PNGFile? { isRaster ? PNGFile(file) : nil }
}
