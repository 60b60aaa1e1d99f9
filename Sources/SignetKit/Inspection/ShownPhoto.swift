import CodecBridge
import Pages

/// The description of a photo or another picture (``PictureFormats``).
public struct ShownPhoto: Encodable, Sendable {
    /// Resolution of the image.
    public struct Density: Encodable, Sendable {
        /// Horizontal pixels per inch of the stored image.
        public let x: Double
        /// Vertical pixels per inch of the stored image.
        public let y: Double
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.photo/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Format of the file: one of ``PictureFormats/names``.
    public let format: String
    /// Size of the whole file in bytes.
    public let byteCount: Int
    /// Stored width in pixels.
    public let width: Int
    /// Stored height in pixels.
    public let height: Int
    /// Resolution; nil if the photo states none.
    public let density: Density?
    /// Color space: `grey`, `YCbCr`, `RGB`, `CMYK`, `YCCK` or `unknown`.
    public private(set) var colors = "RGB"
    /// JPEG process: `baseline`, `extended` or `progressive`, also with arithmetic coding, which
    /// PDF viewers do not support. `without loss` for other formats.
    public private(set) var process = "without loss"
    /// Whether the photo contains an ICC profile.
    public private(set) var hasProfile = false
    /// Exif orientation, 1 to 8.
    public let orientation: Int
    /// Whether the photo contains location data.
    public private(set) var hasLocation = false
    /// Width of the page for this image, in points.
    public let pageWidth: Double
    /// Height of the page for this image, in points.
    public let pageHeight: Double
    /// The page size as text: `A4, photo 190 x 143 mm at 300 dpi`.
    public let page: String
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]

    init(_ photo: Photo, file: String, byteCount: Int) throws {
        try self.init(.jpeg, PhotoMeasures(photo), file, byteCount, photo.warnings)
        colors =
            switch photo.markers.colorSpace {
            case .gray: "grey"
            case .rgb: "RGB"
            case .cmyk: "CMYK"
            case .ycck: "YCCK"
            case .yCbCr: "YCbCr"
            case .unknown: "unknown"
            }
        process =
            "\(photo.markers.process)" + (photo.markers.isArithmetic ? ", arithmetic coding" : "")
        (hasProfile, hasLocation) = (photo.profile != nil, photo.hasLocation)
    }

    init(_ picture: RasterPicture, _ format: PictureFormat, file: String, byteCount: Int) throws {
        try self.init(format, PhotoMeasures(picture), file, byteCount, picture.warnings)
        if picture.componentCount == 1 { colors = "grey" }
        hasProfile = picture.hasProfile
    }

    private init(
        _ format: PictureFormat, _ measures: PhotoMeasures, _ file: String, _ byteCount: Int,
        _ warnings: [String]
    ) throws {
        (self.file, self.format, self.byteCount) = (file, format.name, byteCount)
        (width, height, orientation) = (measures.width, measures.height, measures.orientation)
        density = measures.statedDensity.map { Density(x: $0.x, y: $0.y) }
        let (placement, notes) = try measures.placement(ConversionOptions())
        let shown = ConvertedPhotos.Page(
            file: file, (width, height, orientation), placement, .untouched, [])
        (pageWidth, pageHeight, page) = (shown.pageWidth, shown.pageHeight, shown.size)
        self.warnings = warnings.map { Sentence($0) } + notes
    }
}
