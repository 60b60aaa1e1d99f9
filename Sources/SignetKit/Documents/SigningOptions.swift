public import Base

/// Options for signing a PDF. The defaults create an invisible PAdES B-B signature with SHA-256.
public struct SigningOptions: Sendable {
    /// Padding of RSA signatures.
    public typealias Padding = RSAPadding
    /// Format of the signature.
    public typealias SubFilter = SignatureSubFilter

    /// Digest algorithms for new signatures.
    public enum Digest: String, Sendable, CaseIterable, Codable {
        case sha256, sha384, sha512
        case sha3_256 = "sha3-256"
        case sha3_384 = "sha3-384"
        case sha3_512 = "sha3-512"
    }

    /// The signature field.
    public var field = FieldChoice.automatic
    /// Sign the named field even if it is hidden or not visible in every viewer.
    public var allowsHiddenField = false
    /// Sign a document although an earlier signature of it fails.
    public var allowsFailed = false
    /// Sign a damaged document although viewers may display it differently.
    public var allowsDamaged = false
    /// Reject scripts, actions, external content and ambiguous structure.
    public var isStrict = false
    /// Signature format; nil is PAdES.
    public var subFilter: SubFilter?
    /// Creates a certification signature, which must be the first signature of the document.
    public var certification: DocMDPPermission?
    /// The fields locked after signing; nil locks none.
    public var lock: SignatureLock?
    /// Changes that the lock of an existing field permits afterwards, as confirmed by the user.
    public var lockLevel: DocMDPPermission?
    /// Name of the signer (Name entry); nil uses the certificate. It is not verified.
    public var name: String?
    /// Reason for signing (ISO 32000-2 Table 255).
    public var reason: String?
    /// Location of signing.
    public var location: String?
    /// Contact information of the signer, for validators.
    public var contact: String?
    /// Statements in signed attributes.
    public var statements = SigningStatements()
    /// Digest algorithm; nil uses SHA-256, or the digest that the key requires (Ed25519: SHA-512).
    public var digest: Digest?
    /// RSA signature padding; used only for RSA keys.
    public var padding = Padding.pkcs1
    /// Signature appearance; nil leaves a new field invisible.
    public var stamp: StampOptions?
    /// Picture in the signature appearance and marks.
    public var picture: Picture?
    /// Marks on pages, which are not signatures.
    public var marks: MarkOptions?
    /// Language of fixed words in the signature appearance.
    public var language = Language.english
    /// Time zone of the date in the signature appearance.
    public var zone = ClockZone.utc
    /// Claimed signing time; nil is now.
    public var claimedTime: Moment?

    public init() {}

    /// A picture, and its processing.
    public enum Picture: Sendable {
        /// A picture in one of the ``PictureFormats``.
        case image(InputSource)
        /// SVG, or strokes as JSON.
        case ink(InputSource)
        /// A photo of handwriting, whose paper background is removed.
        case inkFromPhoto(InputSource)
    }
}

/// Initials or other marks on pages. They are part of the signed content, not signatures.
public struct MarkOptions: Sendable {
    /// Which pages are marked.
    public enum Pages: Equatable, Sendable {
        /// All pages except the one with the signature appearance.
        case all
        /// Page ranges. Numbers count from 1, negative numbers from the end.
        case ranges([Range])

        /// A range of pages, inclusive.
        public struct Range: Equatable, Sendable {
            /// First page, from 1. Negative numbers count from the end: -1 is the last page.
            public var first: Int
            /// Last page, counted like ``first`` and not before it.
            public var last: Int

            /// Creates a range that includes both pages.
            public init(first: Int, last: Int) {
                self.first = first
                self.last = last
            }
        }
    }

    /// Pages to mark. Nonexistent pages are an error.
    public var pages: Pages
    /// The position on each page.
    public var position: StampOptions.Position
    /// Width in points, as displayed; 25 mm by default.
    public var width = 25 * StampOptions.pointsPerMillimetre
    /// Height in points, as displayed; 10 mm by default.
    public var height = 10 * StampOptions.pointsPerMillimetre
    /// Distance in points from the page's edge for named places; 10 mm by default.
    public var margin = 10 * StampOptions.pointsPerMillimetre
    /// Text with `{initials}` and the placeholders of signature appearances; nil is the picture, or
    /// without one the initials.
    public var template: StampTemplate?

    /// Creates options for marks of 25 mm by 10 mm.
    public init(pages: Pages, position: StampOptions.Position) {
        self.pages = pages
        self.position = position
    }
}

/// Position and text of a signature appearance.
public struct StampOptions: Sendable {
    /// Position of the appearance; lengths in points (1/72 inch).
    public enum Position: Equatable, Sendable {
        case place(StampPlace)
        /// Top left corner of the appearance, from the page's top left corner as displayed.
        case topLeft(x: Double, y: Double)
        /// Lower left and upper right corner in the page's user space.
        case userSpace(x1: Double, y1: Double, x2: Double, y2: Double)
        /// Next to words of the document.
        case words(TextAnchor)
        /// The next free area of the page: next to the newest signature, if there is one.
        case free
    }

    /// Words on a page next to which the appearance is placed.
    public struct TextAnchor: Equatable, Sendable {
        /// Direction from the words to the appearance.
        public enum Side: String, Sendable, CaseIterable {
            /// To the right, on the same line.
            case beside = "text"
            case above, below
        }

        /// The words as displayed; white space equals one space.
        public var words: String
        /// Number of the occurrence in text order, from 1; -1 is the last one. Nil: the words must
        /// occur once.
        public var occurrence: Int?
        /// The side of the words for the appearance.
        public var side: Side

        /// - Parameter occurrence: from 1, -1 is the last one; nil if the words must occur once.
        public init(words: String, occurrence: Int? = nil, side: Side = .beside) {
            self.words = words
            self.occurrence = occurrence
            self.side = side
        }
    }

    /// Page number from 1; negative numbers count from the end, -1 is the last page. Nil: the
    /// existing field's page, or with words any page that contains them.
    public var page: Int?
    /// Whether a position was given.
    var hasPlace: Bool {
        if case .words = position { return true }
        return page != nil
    }
    /// The position on the page, or next to words.
    public var position = Position.place(.bottomRight)
    /// Whether the position is only a default: an existing field keeps its own.
    public var isDefault = false
    /// Width in points, as displayed; 60 mm by default.
    public var width = 60 * pointsPerMillimetre
    /// Height in points, as displayed; 20 mm by default.
    public var height = 20 * pointsPerMillimetre
    /// Distance in points from the page's edge for named places; 15 mm by default.
    public var margin = 15 * pointsPerMillimetre
    /// Text template; nil uses the default layout.
    public var template: StampTemplate?
    /// Whether the appearance has text in addition to the picture.
    public var showsText = true
    /// Background of text and picture.
    public var background = StampBackground.light
    /// A TrueType or OpenType font for all text; nil uses system fonts.
    public var fontFile: String?

    /// A point is 1/72 inch (ISO 32000-2 §8.3.2.3), an inch 25.4 mm.
    public static let pointsPerMillimetre = 72 / 25.4

    public init() {}
}
