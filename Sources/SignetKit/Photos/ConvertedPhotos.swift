import Base
import Pages

/// What became of photos.
public struct ConvertedPhotos: Encodable, Sendable {
    /// A page, and the photo on it.
    public struct Page: Encodable, Sendable {
        /// What was done to a photo's data.
        public enum Data: String, Encodable, Sendable {
            /// The photo's own bytes.
            case untouched
            /// Its own bytes without what readers stumble over.
            case cleaned
            /// Its own bytes without Exif, XMP, comments and thumbnails.
            case stripped
            /// The same coefficients, coded anew.
            case lossless
            case reencoded = "re-encoded"
        }

        /// The input: its path, or the name that it was given in memory.
        public let file: String
        /// Pixels as they are stored.
        public let width: Int
        /// Pixels as they are stored.
        public let height: Int
        /// In points.
        public let pageWidth: Double
        /// In points.
        public let pageHeight: Double
        /// The whole photo as it stands on the page, in points.
        public let photoWidth: Double
        /// In points.
        public let photoHeight: Double
        /// Pixels per inch on the page, across the photo as it is stored.
        public let dpi: Double
        /// Exif orientation, 1 to 8.
        public let orientation: Int
        /// What was done to the photo's data.
        public let data: Data
        /// What a person should know although nothing failed, a sentence each.
        public let warnings: [Sentence]

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

        /// The page and the photo on it: `A4, photo 190 x 143 mm at 300 dpi`.
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

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.convert/1"
    /// Where the result is: a path, `-` for standard output, or the name of a destination in
    /// memory.
    public let output: String
    /// In the order of the photos, without those that failed.
    public internal(set) var pages: [Page] = []
    /// Of the document.
    public internal(set) var byteCount = 0
    /// The quality and scale that `maxByteCount` led to.
    public internal(set) var quality: Int?
    /// Of the photos' sizes, where a size limit asked for it.
    public internal(set) var eighths: Int?
    /// Photos that were left out.
    public internal(set) var failures: [SignetError] = []

    private enum CodingKeys: String, CodingKey {
        case schema, output, pages, byteCount, quality, eighths
    }
}
