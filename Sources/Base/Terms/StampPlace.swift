/// The nine named positions on a page as displayed.
public enum StampPlace: String, Sendable, CaseIterable {
    case topLeft = "top-left"
    case top
    case topRight = "top-right"
    case left
    case center
    case right
    case bottomLeft = "bottom-left"
    case bottom
    case bottomRight = "bottom-right"
}

/// Background of a signature appearance.
public enum StampBackground: String, Sendable, CaseIterable {
    /// A white rectangle that is slightly transparent.
    case light
    /// An opaque white rectangle.
    case white
    /// No background.
    case none
}
