/// The formats of the pictures that stamps and pages take.
///
/// JPEG is a coding of PDF's own: its data goes in. Of PNG files the pixels do.
package enum PictureFormat: CaseIterable, Sendable {
    case png, jpeg

    /// So many bytes tell the formats apart.
    package static let headByteCount = 16

    /// The format of a file; nil if it is not supported.
    ///
    /// - Parameter head: the first ``headByteCount`` bytes of it, or more.
    package init?(head: [UInt8]) {
        if head.starts(with: PNGFile.signature) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8]) {
            self = .jpeg
        } else {
            return nil
        }
    }

    /// What people call it.
    package var name: String { self == .png ? "PNG" : "JPEG" }

    /// File name extensions, without the dot, in lower case.
    ///
    /// - Parameter rare: whether rare extensions are included.
    package func nameExtensions(rare: Bool) -> [String] {
        switch self {
        case .png: ["png"]
        case .jpeg: ["jpg", "jpeg"] + (rare ? ["jpe", "jfif"] : [])
        }
    }

    /// Whether its pixels go in, without loss.
    package var isRaster: Bool { self == .png }

    /// A file of it; nil where the pixels do not go in.
    package func raster(_ file: [UInt8]) -> PNGFile? { isRaster ? PNGFile(file) : nil }
}
