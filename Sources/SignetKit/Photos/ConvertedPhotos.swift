/// What became of photos.
public struct ConvertedPhotos: Encodable, Sendable {
    public struct Page: Encodable, Sendable {
        public enum Data: String, Encodable, Sendable {
            /// The photo's own bytes.
            case untouched
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
        /// Exif orientation, 1 to 8.
        public let orientation: Int
        public let data: Data
        public let warnings: [Wording]
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
