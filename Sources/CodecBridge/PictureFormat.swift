/// The formats of the pictures that stamps and pages take, and all that anybody else has to know of one.
///
/// JPEG is a coding of PDF's own: its data goes in. Of the others the pixels do, by their
/// ``RasterFile``.
package enum PictureFormat: CaseIterable, Sendable {
    case png, jpeg

    private struct Row {
        let name: String
        let usualExtensions: [String]
        var rareExtensions: [String] = []
        let isBegun: ([UInt8]) -> Bool
        let raster: (([UInt8]) -> any RasterFile)?
    }

    private var row: Row {
        switch self {
        case .png:
            Row(
                name: "PNG", usualExtensions: ["png"], isBegun: PNGImage.isPNG,
                raster: PNGFile.init)
        case .jpeg:
            Row(
                name: "JPEG", usualExtensions: ["jpg", "jpeg"], rareExtensions: ["jpe", "jfif"],
                isBegun: { $0.starts(with: [0xFF, 0xD8]) }, raster: nil)
        }
    }

    /// So many bytes tell the formats apart.
    package static let headByteCount = 16

    /// The format that a file begins with; nil for one that is not taken.
    ///
    /// - Parameter head: the first ``headByteCount`` bytes of it, or more.
    package init?(head: [UInt8]) {
        guard let format = Self.allCases.first(where: { $0.row.isBegun(head) }) else { return nil }
        self = format
    }

    /// What people call it.
    package var name: String { row.name }

    /// Endings of the names of its files, without the dot, in small letters.
    ///
    /// - Parameter rare: those too that few programs give.
    package func nameExtensions(rare: Bool) -> [String] {
        row.usualExtensions + (rare ? row.rareExtensions : [])
    }

    /// Whether its pixels go in, without loss.
    package var isRaster: Bool { row.raster != nil }

    /// What reads a file of it; nil where the pixels do not go in.
    package func raster(_ file: [UInt8]) -> (any RasterFile)? { row.raster?(file) }
}

/// A picture file whose pixels are decoded.
package protocol RasterFile {
    /// - Throws: ``CodecError``, `.libraryMissing` when what decodes it is not installed.
    func pixels() throws(CodecError) -> PixelImage

    /// Pixels per inch; nil when it does not say.
    var density: (x: Double, y: Double)? { get }
    /// An ICC profile; nil where there is none that can be read.
    var profile: [UInt8]? { get }
    /// Its data, where a document can hold that as it is; asked for after ``pixels()``, which finds
    /// out whether it is sound.
    var stream: PNGStream? { get }
}

extension RasterFile {
    package var density: (x: Double, y: Double)? { nil }
    package var profile: [UInt8]? { nil }
    package var stream: PNGStream? { nil }
}
