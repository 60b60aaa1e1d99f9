/// How photos become pages. The defaults leave the photos' data as it is, one page a photo, each
/// page as large as its photo says, where it does.
public struct ConversionOptions: Sendable {
    /// How large pages are.
    public enum Page: Sendable, Equatable {
        /// As large as the photo, or A4 where the photo says nothing of its size, or only what
        /// cameras write that know nothing of it.
        case automatic
        /// As large as the photo by its density, or a point a pixel.
        case photo
        /// In points.
        case size(width: Double, height: Double)
    }

    /// How a photo fills a page that is larger or smaller.
    public enum Fit: String, Sendable, CaseIterable {
        /// As large as fits inside the margins.
        case contain
        /// Fills all inside the margins; what is over is cut off.
        case cover
        /// As large as the density says, in the middle.
        case none
    }

    /// How pages of a size stand.
    public enum Orientation: String, Sendable, CaseIterable {
        /// As the photo stands.
        case auto
        case portrait
        case landscape
    }

    /// Eighths of the photo's size, 1 to 16.
    public var eighths: Int?
    /// The most pixels across and down, of the photo as it is shown.
    public var maxPixels: (width: Int, height: Int)?
    /// 1 to 100. Nil: no re-encoding unless it is needed, and then 85.
    public var quality: Int?
    /// Whether colours are left out.
    public var isGray = false
    /// The most bytes of the whole document.
    public var maxByteCount: Int?
    /// How large pages are.
    public var page = Page.automatic
    /// How photos fill their pages.
    public var fit = Fit.contain
    /// In points.
    public var margin = 0.0
    /// How pages of a size stand.
    public var orientation = Orientation.auto
    /// Instead of the photos' own density.
    public var dotsPerInch: Double?
    /// PDF/A-2b.
    public var isArchival = false
    /// In the document's information; nil for none.
    public var title: String?
    /// Whether Exif, XMP, comments and thumbnails are left out.
    public var strips = false
    /// Whether the other photos are converted when one cannot be.
    public var keepsGoing = false
    /// How many photos are re-encoded at once; nil is the number of cores.
    public var jobs: Int?

    /// Where re-encoding is needed and nobody says how well.
    public static let defaultQuality = 85

    public init() {}
}
