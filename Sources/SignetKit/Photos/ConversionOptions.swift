public import Base

/// Options for converting photos to pages. The defaults keep the image data, with one page per
/// photo in the photo's own size if it contains a resolution.
public struct ConversionOptions: Sendable {
    /// Page size.
    public enum Page: Sendable, Equatable {
        /// Size of the photo, or A4 if the resolution is missing or a meaningless default of a
        /// camera.
        case automatic
        /// Size of the photo by its resolution, or one point per pixel.
        case photo
        /// Width and height in points.
        case size(width: Double, height: Double)
    }

    /// How a photo fills a page of another size.
    public typealias Fit = PhotoFit
    /// Page orientation.
    public typealias Orientation = PhotoOrientation

    /// Scale in eighths of the photo's size, 1 to 16; nil for no scaling.
    public var eighths: Int?
    /// Maximum width and height in pixels, as displayed.
    public var maxPixels: (width: Int, height: Int)?
    /// JPEG quality, 1 to 100. Nil re-encodes only if needed, with quality 85.
    public var quality: Int?
    /// Whether to convert to grayscale.
    public var isGray = false
    /// Maximum size of the document in bytes.
    public var maxByteCount: Int?
    /// Page size.
    public var page = Page.automatic
    /// How photos fill their pages.
    public var fit = Fit.contain
    /// Margin of the page in points.
    public var margin = 0.0
    /// Page orientation.
    public var orientation = Orientation.auto
    /// Resolution in pixels per inch, which replaces the one in the photos.
    public var dotsPerInch: Double?
    /// Whether the output is PDF/A-2b (ISO 19005-2).
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
