/// How a photo fills a page of another size.
public enum PhotoFit: String, Sendable, CaseIterable {
    /// Scales the photo to the largest size inside the margins.
    case contain
    /// Scales the photo to fill the area inside the margins; the rest is cropped.
    case cover
    /// Keeps the size by the resolution, centered on the page.
    case none
}

/// Page orientation.
public enum PhotoOrientation: String, Sendable, CaseIterable {
    /// The orientation of the photo.
    case auto
    case portrait
    case landscape
}
