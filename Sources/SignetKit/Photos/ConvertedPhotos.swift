import Base
import Pages

/// The result of converting photos.
public struct ConvertedPhotos: Encodable, Sendable {
    /// A page with its photo.
    public struct Page: Encodable, Sendable {
        /// The processing of the image data.
        public enum Data: String, Encodable, Sendable {
            /// The unchanged bytes of the photo.
            case untouched
            /// The original data without parts that viewers cannot handle.
            case cleaned
            /// The original data without Exif, XMP, comments and thumbnails.
            case stripped
            /// The same DCT coefficients with another entropy coding.
            case lossless
            case reencoded = "re-encoded"
        }

        /// Path of the input, or the name given to an input in memory.
        public let file: String
        /// Stored width in pixels.
        public let width: Int
        /// Stored height in pixels.
        public let height: Int
        /// Width of the page in points.
        public let pageWidth: Double
        /// Height of the page in points.
        public let pageHeight: Double
        /// Width of the whole photo on the page, in points.
        public let photoWidth: Double
        /// Height of the whole photo on the page, in points.
        public let photoHeight: Double
        /// Horizontal pixels per inch on the page, for the stored image.
        public let dpi: Double
        /// Exif orientation, 1 to 8.
        public let orientation: Int
        /// The processing of the image data.
        public let data: Data
        /// Warnings after success, one sentence each.
        public internal(set) var warnings: [Sentence]

        init(
            file: String, _ pixels: (width: Int, height: Int, orientation: Int),
            _ placement: PageLayout.Placement, _ data: Data, _ warnings: [Sentence]
        ) {
            self.file = file
            (width, height, orientation) = pixels
            let (page, photo) = placement.sizes
            (pageWidth, pageHeight) = (page.width, page.height)
            (photoWidth, photoHeight) = (photo.width, photo.height)
            dpi = Double(pixels.width) * 72 / (orientation >= 5 ? photo.height : photo.width)
            self.data = data
            self.warnings = warnings
        }

        /// Page and photo size: `A4, photo 190 x 143 mm at 300 dpi`.
        public var size: String {
            let photo = PaperFormat.text(width: photoWidth, height: photoHeight)
            let page = PaperFormat.name(width: pageWidth, height: pageHeight)
            let density = "at \(Int(nearest: dpi)) dpi"
            let isWhole = abs(pageWidth - photoWidth) < 0.5 && abs(pageHeight - photoHeight) < 0.5
            guard isWhole else {
                let page = page ?? PaperFormat.text(width: pageWidth, height: pageHeight)
                return "\(page), photo \(photo) \(density)"
            }
            return "\(page.map { "\($0), " } ?? "")\(photo) \(density)"
        }
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.convert/1"
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// Pages in the order of the photos, without failed ones.
    public internal(set) var pages: [Page] = []
    /// Size of the document in bytes.
    public internal(set) var byteCount = 0
    /// JPEG quality chosen for `maxByteCount`; nil if none was chosen.
    public internal(set) var quality: Int?
    /// Scale in eighths chosen for `maxByteCount`; nil if none was chosen.
    public internal(set) var eighths: Int?
    /// Photos that failed.
    public internal(set) var failures: [SignetError] = []

    private enum CodingKeys: String, CodingKey {
        case schema, output, pages, byteCount, quality, eighths
    }
}
