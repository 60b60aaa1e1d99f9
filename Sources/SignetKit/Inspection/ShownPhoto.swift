import CodecBridge
import Pages

/// A photo or another picture (``PictureFormats``) in words.
public struct ShownPhoto: Encodable, Sendable {
    /// How many pixels an inch has.
    public struct Density: Encodable, Sendable {
        /// Pixels per inch across and down, of the photo as it is stored.
        public let x: Double
        /// Down, in pixels per inch.
        public let y: Double
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.photo/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// One of ``PictureFormats/names``.
    public let format: String
    /// Of the whole file.
    public let byteCount: Int
    /// Pixels as they are stored.
    public let width: Int
    /// In pixels as they are stored.
    public let height: Int
    /// Nil when the photo does not say.
    public let density: Density?
    /// `grey`, `YCbCr`, `RGB`, `CMYK` or `YCCK`.
    public let colors: String
    /// `baseline`, `extended` or `progressive`; with arithmetic coding, which PDF readers lack, that
    /// too. `without loss` for other formats.
    public let process: String
    /// Whether it brings an ICC profile.
    public let hasProfile: Bool
    /// Exif orientation, 1 to 8.
    public let orientation: Int
    /// Whether it says where it was taken.
    public let hasLocation: Bool
    /// The page that it would be by itself, in points.
    public let pageWidth: Double
    /// In points.
    public let pageHeight: Double
    /// The same in words: `A4, photo 190 x 143 mm at 300 dpi`.
    public let page: String
    /// What a person should know although nothing failed, a sentence each.
    public let warnings: [Sentence]

    init(_ photo: Photo, file: String, byteCount: Int) throws {
        self.file = file
        format = PictureFormat.jpeg.name
        self.byteCount = byteCount
        (width, height) = (photo.width, photo.height)
        density = photo.density.map { Density(x: $0.x, y: $0.y) }
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
        hasProfile = photo.profile != nil
        orientation = photo.orientation
        hasLocation = photo.hasLocation
        let (placement, notes) = try PhotoMeasures(photo).placement(ConversionOptions())
        let shown = ConvertedPhotos.Page(
            file: file, (width, height, orientation), placement, .untouched, [])
        (pageWidth, pageHeight, page) = (shown.pageWidth, shown.pageHeight, shown.size)
        warnings = photo.warnings.map { Sentence($0) } + notes
    }

    init(_ picture: RasterPicture, _ format: PictureFormat, file: String, byteCount: Int) throws {
        self.file = file
        self.format = format.name
        self.byteCount = byteCount
        (width, height) = (picture.width, picture.height)
        density = picture.density.map { Density(x: $0.x, y: $0.y) }
        colors = picture.componentCount == 1 ? "grey" : "RGB"
        process = "without loss"
        hasProfile = picture.hasProfile
        orientation = 1
        hasLocation = false
        let (placement, notes) = try PhotoMeasures(picture).placement(ConversionOptions())
        let shown = ConvertedPhotos.Page(
            file: file, (width, height, orientation), placement, .untouched, [])
        (pageWidth, pageHeight, page) = (shown.pageWidth, shown.pageHeight, shown.size)
        warnings = picture.warnings.map { Sentence($0) } + notes
    }
}
