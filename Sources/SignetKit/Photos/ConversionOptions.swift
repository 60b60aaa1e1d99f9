/// Options for converting photos to pages. The defaults keep the image data, with one page per
/// photo in the photo's own size if it contains a resolution.
public struct ConversionOptions: Sendable {
    /// Page size.
    public enum Page: Sendable, Equatable {
        /// As large as the photo, or A4 if the resolution is missing or a meaningless default of a
        /// camera.
        case automatic
        /// As large as the photo by its resolution, or one point per pixel.
        case photo
        /// Width and height in points.
        case size(width: Double, height: Double)
    }

    /// How a photo fills a page of another size.
    public enum Fit: String, Sendable, CaseIterable {
        /// The largest size inside the margins.
        case contain
        /// Fills the area inside the margins; the rest is cut off.
        case cover
        /// Size by the resolution, centered.
        case none
    }

    /// Page orientation.
    public enum Orientation: String, Sendable, CaseIterable {
        /// The orientation of the photo.
        case auto
        case portrait
        case landscape
    }

    /// Eighths of the photo's size, 1 to 16.
    public var eighths: Int?
    /// The largest width and height in pixels, as displayed.
    public var maxPixels: (width: Int, height: Int)?
    /// 1 to 100. Nil: re-encoding only if needed, with quality 85.
    public var quality: Int?
    /// Whether to convert to grayscale.
    public var isGray = false
    /// The largest size of the document in bytes.
    public var maxByteCount: Int?
    /// Page size.
    public var page = Page.automatic
    /// How photos fill their pages.
    public var fit = Fit.contain
    /// In points.
    public var margin = 0.0
    /// Page orientation.
    public var orientation = Orientation.auto
    /// Replaces the resolution in the photos.
    public var dotsPerInch: Double?
    /// PDF/A-2b.
    public var isArchival = false
    /// Title in the document information; nil for none.
    public var title: String?
    /// Whether Exif, XMP, comments and thumbnails are removed.
    public var strips = false
    /// Whether conversion continues if a photo fails.
    public var keepsGoing = false
    /// Number of photos re-encoded in parallel; nil is the number of cores.
    public var jobs: Int?

    /// Quality for required re-encoding without an option.
    public static let defaultQuality = 85

    public init() {}
}
