/// Pages of a signed document, rendered by an installed program.
public struct PagePictures: Sendable {
    /// Position of a signature on a page.
    public struct Mark: Sendable {
        /// Index of the signature in the report.
        public let signature: Int
        /// Distance from the left edge, as a share of the image's width, 0...1.
        public let left: Double
        /// Distance from the upper edge, as a share of the image's height, 0...1.
        public let top: Double
        /// Width as a share of the image's width, 0...1.
        public let width: Double
        /// Height as a share of the image's height, 0...1.
        public let height: Double
    }

    /// The image of a page when it was signed, if it differs from the current one.
    public struct Earlier: Sendable {
        /// Indexes of the signatures over that revision in the report.
        public let signatures: [Int]
        /// Image as PNG; nil if the page did not exist.
        public let picture: [UInt8]?
    }

    /// A rendered page.
    public struct Page: Sendable {
        /// Page number from 1.
        public let number: Int
        /// Image as PNG; nil if the page no longer exists.
        public let picture: [UInt8]?
        /// Positions of signatures.
        public let marks: [Mark]
        /// Earlier images that differ from the current one.
        public let earlier: [Earlier]
    }

    /// Reasons for missing images or marks.
    public enum Remark: Sendable {
        /// The document is encrypted, and rendering programs receive no password.
        case encrypted
        /// The reason why the document or a page could not be rendered, for people.
        case notDrawn(String)
        /// Number of pages not compared with the signed revision, because of the limit.
        case notCompared(Int)
        /// Number of signatures whose positions are not marked, because of the limit.
        case notMarked(Int)
    }

    /// Pages with signatures, and pages that differ from the signed revision.
    public internal(set) var pages: [Page] = []
    /// Reasons for missing images or marks.
    public internal(set) var remarks: [Remark] = []
    /// Name of the rendering program; nil if nothing was rendered.
    public internal(set) var program: String?
}
