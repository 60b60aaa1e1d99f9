/// Pages of a signed document, as an installed program draws them.
public struct PagePictures: Sendable {
    /// Where a signature shows on a page.
    public struct Mark: Sendable {
        /// Index of the signature in the report.
        public let signature: Int
        /// Shares of the picture's width and height, 0...1, from its top left corner.
        public let left: Double
        /// From the upper edge, as a share of the page's height.
        public let top: Double
        /// As a share of the picture's width.
        public let width: Double
        /// As a share of the picture's height.
        public let height: Double
    }

    /// How a page looked when it was signed, where that is not how it looks now.
    public struct Earlier: Sendable {
        /// Indices of the signatures over that state in the report.
        public let signatures: [Int]
        /// PNG; nil where there was no such page.
        public let picture: [UInt8]?
    }

    /// A page as it was drawn.
    public struct Page: Sendable {
        /// From 1.
        public let number: Int
        /// PNG; nil where there is no such page any more.
        public let picture: [UInt8]?
        /// Where signatures show.
        public let marks: [Mark]
        /// How the page looked before, where that differs.
        public let earlier: [Earlier]
    }

    /// What the pictures do not show.
    public enum Remark: Sendable {
        /// Programs that draw pages are given no password.
        case encrypted
        /// Why the document or a page could not be drawn, for people.
        case notDrawn(String)
        /// That many pages were not compared with what was signed: there are too many.
        case notCompared(Int)
        /// That many signatures were not looked for on the pages.
        case notMarked(Int)
    }

    /// Those that show signatures, and those that look otherwise than when they were signed.
    public internal(set) var pages: [Page] = []
    /// What could not be drawn, and why.
    public internal(set) var remarks: [Remark] = []
    /// What drew them, by name; nil where nothing was to be drawn.
    public internal(set) var program: String?
}
