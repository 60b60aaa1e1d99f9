/// The nine named places of a page as a viewer shows it.
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

/// What lies under a stamp.
public enum StampBackground: String, Sendable, CaseIterable {
    /// A white card through which a little of the page shows.
    case light
    /// A white card that hides the page.
    case white
    /// Nothing.
    case none
}
