public import Base
import PDFCore
import PDFSigning

/// The result of signing, or of a check.
public struct SignedDocument: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.sign/1"
    /// Path of the input, or the name given to an input in memory.
    public internal(set) var file: String
    /// Path of the output; nil after a check.
    public internal(set) var output: String?
    /// The signature field's full name.
    public let field: String
    /// The level that verification with the same trust anchors would find.
    public internal(set) var level: SignatureLevel
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Signature algorithm: `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `ed25519` and so on.
    public let algorithm: String
    /// The signer's common name.
    public let signer: String
    /// Claimed signing time.
    public let claimedTime: Moment
    /// Reason for signing; nil if not given.
    public internal(set) var reason: String?
    /// Location of the signer; nil if not given.
    public internal(set) var location: String?
    /// Timestamp over the signature value; nil without one.
    public internal(set) var timestamp: TimestampReceipt?
    /// Validation data added for B-LT or B-LTA; nil for other levels.
    public internal(set) var validationData: ValidationData?
    /// Pages made from photos; nil if a document was signed.
    public internal(set) var pages: [ConvertedPhotos.Page]?
    /// Drawings on pages; nil when there are none.
    public let marks: Marks?
    /// Requirements of the field (seed value), all accepted.
    public var demands: [Demand]?
    /// `no-changes`, `form-filling` or `annotations`; nil if it is not a certification signature.
    public internal(set) var certification: DocMDPPermission?
    /// `all`, `only:A,B` or `except:A,B`; nil if it locks no fields.
    public internal(set) var lock: String?
    /// Whether the signature is visible; nil if that was determined earlier.
    public internal(set) var visible: Bool?
    /// Positions of the signature appearance; nil if invisible.
    public var widgets: [Widget]?
    /// Text lines of the signature appearance; nil without text.
    public internal(set) var stampText: [String]?
    /// Text of the QR code in the signature appearance; nil without a code.
    public internal(set) var stampCode: String?
    /// The preview image, if requested; then nothing was signed.
    public internal(set) var preview: String?
    /// Content that makes the display depend on more than the signed bytes.
    public var dynamicContent: ShownDynamicContent?
    /// Notes for the signer about the document and field.
    public internal(set) var notes: [String] = []
    /// Problems of the document or the credential that did not prevent signing.
    public internal(set) var warnings: [Sentence]

    /// A requirement of a field, and the equivalent option.
    public struct Demand: Encodable, Sendable {
        /// Kind of requirement: `reason`, `certification`, `lock`, `lock-level`, `subfilter` or
        /// `digest`.
        public let code: String
        /// The required value, in option syntax.
        public let value: String
        /// The option with the value.
        public let option: Sentence

        init(_ demand: SigningDemand) {
            code = demand.code.rawValue
            value = demand.value
            option = Sentence(
                .options, demand.code == .certification ? "certify" : demand.code.rawValue,
                demand.choices.isEmpty ? demand.value : demand.code.rawValue.uppercased())
        }
    }

    /// A rectangle of the signature appearance, read back from the result.
    public struct Widget: Encodable, Sendable {
        /// Page number from 1; nil if no page contains the widget.
        public let page: Int?
        /// Left, bottom, right and top edge in the page's user space.
        public let rect: [Double]

        /// Text such as `page 3, 60 x 20 mm at 30 x 45 mm from the top left`, as displayed.
        public let place: String

        private enum CodingKeys: String, CodingKey { case page, rect }

        /// Text such as `page 3`.
        public var pageText: String { page.map { "page \($0)" } ?? "no page" }

        init(page: Int?, rect: [Double], in document: PDFDocument) {
            (self.page, self.rect) = (page, rect)
            guard let page, let shown = try? document.page(at: page - 1) else {
                place = page.map { "page \($0)" } ?? "no page"
                return
            }
            let box = shown.shown(PDFRectangle(rect[0], rect[1], rect[2], rect[3]))
            let size = PaperFormat.text(width: box.right - box.left, height: box.bottom - box.top)
            let corner = PaperFormat.text(width: box.left, height: box.top)
            place = "page \(page), \(size) at \(corner) from the top left"
        }
    }

    /// Marks drawn on pages in addition to the signature appearance.
    public struct Marks: Encodable, Sendable {
        /// Fixed text, because marks do not identify who drew them.
        public let kind = Self.description

        static let description = "drawing, not a signature"
        /// Page numbers from 1.
        public let pages: [Int]
    }

    /// Whether no note says that the appearance may not be visible.
    var isSeen = true
    /// Whether the summary names the field, because the user named it or it existed.
    var namesField = false

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, field, level, digest, algorithm, signer, claimedTime, reason
        case location, timestamp, validationData, pages, marks, demands, certification, lock
        case visible, widgets, stampText, stampCode, preview, dynamicContent, notes, warnings
    }

    /// One-line summary: `PAdES B-B, visible on page 1`.
    public var summary: Sentence {
        let drawn = marks.flatMap { marks -> String? in
            let count = marks.pages.count
            guard count > 0 else { return ", and no other page for marks" }
            return
                "; \(count == 1 ? "1 page" : "\(count) pages") marked (not a signature)"
        }
        let pages = (widgets ?? []).map(\.pageText).joined(separator: " and ")
        let place =
            (namesField ? ", field \(field)" : "")
            + (pages.isEmpty ? "" : isSeen ? ", visible on \(pages)" : ", on \(pages)")
        let stamped = timestamp?.summary ?? ""
        let format = level.format(hasTimestamp: timestamp != nil)
        let restriction =
            (certification.map { ", certifies: \($0.rawValue)" } ?? "")
            + (lock.map { ", locks \($0)" } ?? "")
        let words =
            restriction + (reason.map { ", reason \($0.inQuotes)" } ?? "")
            + (location.map { ", location \($0.inQuotes)" } ?? "")
        let line =
            "PAdES \(format.rawValue)\(place)\(words)\(stamped)" + (drawn ?? "")
        guard let demands else { return Sentence(line) }
        return Sentence(.signedAsDemanded, facts: [line] + demands.flatMap(\.option.facts))
    }
}
