public import Base

/// How a PDF is to be signed. The defaults give an invisible PAdES B-B signature with SHA-256.
public struct SigningOptions: Sendable {
    /// Padding of RSA signatures (RFC 8017).
    public enum Padding: String, Sendable, CaseIterable {
        case pkcs1
        case pss
    }

    /// Hash algorithms that signatures are made with.
    public enum Digest: String, Sendable, CaseIterable, Codable {
        case sha256, sha384, sha512
        case sha3_256 = "sha3-256"
        case sha3_384 = "sha3-384"
        case sha3_512 = "sha3-512"
    }

    /// Formats of signatures in PDF (ISO 32000-2 §12.8.3.3, ETSI EN 319 142-1).
    public enum SubFilter: String, Sendable, CaseIterable {
        case pades = "ETSI.CAdES.detached"
        case pkcs7 = "adbe.pkcs7.detached"
    }

    /// Which field takes the signature.
    public var field = FieldChoice.automatic
    /// Sign the named field although not everybody sees it where it seems to be.
    public var allowsHiddenField = false
    /// Sign a document although an earlier signature of it fails.
    public var allowsFailed = false
    /// Sign a damaged document although viewers may display it differently.
    public var allowsDamaged = false
    /// Refuse scripts, actions, external content and structure with several readings.
    public var isStrict = false
    /// Nil: PAdES.
    public var subFilter: SubFilter?
    /// Makes it a certification signature, the first one of the document.
    public var certification: DocMDPPermission?
    /// The fields that nobody may change afterwards; nil locks none.
    public var lock: SignatureLock?
    /// What the lock of an existing field permits afterwards, as the person has read it.
    public var lockLevel: DocMDPPermission?
    /// Who signs, for readers to show; nil leaves it to the certificate. Nobody checks it.
    public var name: String?
    /// Why, for readers to show (ISO 32000-2 Table 255).
    public var reason: String?
    /// Where, for readers to show.
    public var location: String?
    /// How to reach the signer, for whoever verifies.
    public var contact: String?
    /// Nil: SHA-256, or what the key demands (Ed25519: SHA-512).
    public var digest: Digest?
    /// Counts for RSA keys alone.
    public var padding = Padding.pkcs1
    /// Nil leaves a new field invisible.
    public var stamp: StampOptions?
    /// Drawn in the stamp and as marks.
    public var picture: Picture?
    /// Drawings on pages, which are no signatures.
    public var marks: MarkOptions?
    /// What the stamp's own words are written in.
    public var language = Language.english
    /// Whose clocks the stamp's date is of.
    public var zone = ClockZone.utc
    /// Claimed time of signing; nil is now.
    public var claimedTime: Moment?

    public init() {}

    /// A picture, and what is done with it.
    public enum Picture: Sendable {
        /// Of one of the ``PictureFormats``.
        case image(InputSource)
        /// SVG, or strokes as JSON.
        case ink(InputSource)
        /// One of handwriting on paper, whose paper is taken away.
        case inkFromPhoto(InputSource)
    }
}

/// Initials, or another drawing, on pages of the document. They become a part of what is signed,
/// and are no signatures themselves.
public struct MarkOptions: Sendable {
    /// Which pages are marked.
    public enum Pages: Equatable, Sendable {
        /// All but the one with the stamp.
        case all
        /// From a first to a last page each; from 1, or from the end with -1.
        case ranges([Range])

        /// Pages from one to another.
        public struct Range: Equatable, Sendable {
            /// From 1; negative numbers count from the end, -1 is the last page.
            public var first: Int
            /// As ``first``; not before it.
            public var last: Int

            /// Both are in it.
            public init(first: Int, last: Int) {
                self.first = first
                self.last = last
            }
        }
    }

    /// Those that are not there are refused.
    public var pages: Pages
    /// On each of the pages.
    public var position: StampOptions.Position
    /// 25 mm by 10 mm.
    public var width = 25 * StampOptions.pointsPerMillimetre
    /// Together with the width; in points, as shown.
    public var height = 10 * StampOptions.pointsPerMillimetre
    /// Distance from the page's edge for named places: 10 mm.
    public var margin = 10 * StampOptions.pointsPerMillimetre
    /// Text with `{initials}` and what a stamp's text may hold; nil is the picture, or without one
    /// the initials.
    public var template: StampTemplate?

    /// Marks of 25 mm by 10 mm.
    public init(pages: Pages, position: StampOptions.Position) {
        self.pages = pages
        self.position = position
    }
}

/// A visible signature's place and text.
public struct StampOptions: Sendable {
    /// Where the stamp goes; lengths in points (1/72 inch).
    public enum Position: Equatable, Sendable {
        case place(StampPlace)
        /// The stamp's top left corner, from the page's top left corner as shown.
        case topLeft(x: Double, y: Double)
        /// Lower left and upper right corner in the page's user space.
        case userSpace(x1: Double, y1: Double, x2: Double, y2: Double)
        /// Beside words of the document.
        case words(TextAnchor)
        /// The next one of the page where nothing shows: beside the newest signature, if there is
        /// one.
        case free
    }

    /// Words on a page that a stamp is put beside.
    public struct TextAnchor: Equatable, Sendable {
        /// Where a stamp goes from its words.
        public enum Side: String, Sendable, CaseIterable {
            /// To the right, on the same line.
            case beside = "text"
            case above, below
        }

        /// As the page shows them; white space counts as one space.
        public var words: String
        /// From 1, in the order of the text; -1 is the last one. Nil: there must be only one.
        public var occurrence: Int?
        /// Which side of the words the stamp takes.
        public var side: Side

        /// - Parameter occurrence: from 1, -1 is the last one; nil where there must be only one.
        public init(words: String, occurrence: Int? = nil, side: Side = .beside) {
            self.words = words
            self.occurrence = occurrence
            self.side = side
        }
    }

    /// From 1; negative numbers count from the end, -1 is the last page. Nil: the place of the
    /// existing field, or with words whatever page has them.
    public var page: Int?
    /// Whether a place was said.
    var hasPlace: Bool {
        if case .words = position { return true }
        return page != nil
    }
    /// On the page, or beside words.
    public var position = Position.place(.bottomRight)
    /// Whether the place is a habit: an existing field keeps its own.
    public var isDefault = false
    /// 60 mm by 20 mm.
    public var width = 60 * pointsPerMillimetre
    /// Together with the width; in points, as shown.
    public var height = 20 * pointsPerMillimetre
    /// Distance from the page's edge for named places: 15 mm.
    public var margin = 15 * pointsPerMillimetre
    /// Nil is the default layout.
    public var template: StampTemplate?
    /// Whether there are words besides the picture.
    public var showsText = true
    /// What lies under words and picture.
    public var background = StampBackground.light
    /// A TrueType or OpenType font for all of the text; nil finds fonts of the system.
    public var fontFile: String?

    /// A point is 1/72 inch (ISO 32000-2 §8.3.2.3), an inch 25.4 mm.
    public static let pointsPerMillimetre = 72 / 25.4

    public init() {}
}
