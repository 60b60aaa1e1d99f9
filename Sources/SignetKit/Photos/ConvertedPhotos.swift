import PhotoPDF

/// What became of photos.
public struct ConvertedPhotos: Encodable, Sendable {
    public struct Page: Encodable, Sendable {
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

        public let file: String
        /// Pixels as they are stored.
        public let width: Int
        public let height: Int
        /// In points.
        public let pageWidth: Double
        public let pageHeight: Double
        /// The whole photo as it stands on the page, in points.
        public let photoWidth: Double
        public let photoHeight: Double
        /// Pixels per inch on the page, across the photo as it is stored.
        public let dpi: Double
        /// Exif orientation, 1 to 8.
        public let orientation: Int
        public let data: Data
        public let warnings: [Wording]

        init(
            file: String, _ pixels: (width: Int, height: Int, orientation: Int),
            _ placement: PageLayout.Placement, _ data: Data, _ warnings: [Wording]
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
            let density = "at \(Int(dpi.rounded())) dpi"
            let isWhole =
                abs(pageWidth - photoWidth) < 0.5 && abs(pageHeight - photoHeight) < 0.5
            guard isWhole else {
                let page = page ?? PaperFormat.text(width: pageWidth, height: pageHeight)
                return "\(page), photo \(photo) \(density)"
            }
            return "\(page.map { "\($0), " } ?? "")\(photo) \(density)"
        }
    }

    public let schema = "signet.convert/1"
    public let output: String
    public internal(set) var pages: [Page] = []
    public internal(set) var byteCount = 0
    /// The quality and scale that `maxByteCount` led to.
    public internal(set) var quality: Int?
    public internal(set) var eighths: Int?
    /// Photos that were left out.
    public internal(set) var failures: [SignetError] = []

    private enum CodingKeys: String, CodingKey {
        case schema, output, pages, byteCount, quality, eighths
    }
}
