public import Base
import PDFCore
import PDFSigning

/// What signing did, or would do.
public struct SignedDocument: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.sign/1"
    /// The input: its path, or the name that it was given in memory.
    public internal(set) var file: String
    /// Nil after a mere check.
    public internal(set) var output: String?
    /// The signature field's full name.
    public let field: String
    /// The one that verifying with the same trust anchors would find.
    public internal(set) var level: SignatureLevel
    /// The hash algorithm: `sha256`.
    public let digest: String
    /// `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `ed25519` and so on.
    public let algorithm: String
    /// The signer's common name.
    public let signer: String
    /// When it was signed, as the signer says.
    public let claimedTime: Moment
    /// What the signature says besides, in the signer's name; nil where nothing was given.
    public internal(set) var reason: String?
    /// Where the signer says to be; nil for nowhere.
    public internal(set) var location: String?
    /// Over the signature's value; nil without one.
    public internal(set) var timestamp: TimestampReceipt?
    /// What was added for level B-LT or B-LTA; nil for others.
    public internal(set) var validationData: ValidationData?
    /// The pages that were made of photos; nil when a document was signed.
    public internal(set) var pages: [ConvertedPhotos.Page]?
    /// Drawings on pages; nil when there are none.
    public let marks: Marks?
    /// What the field demands of its signature, all of it agreed to.
    public var demands: [Demand]?
    /// `no-changes`, `form-filling` or `annotations`; nil for one that certifies nothing.
    public internal(set) var certification: DocMDPPermission?
    /// `all`, `only:A,B` or `except:A,B`; nil for one that locks no field.
    public internal(set) var lock: String?
    /// Whether the signature shows anywhere; nil where that was decided earlier.
    public internal(set) var visible: Bool?
    /// Where the signature shows; nil for one that does not.
    public var widgets: [Widget]?
    /// The lines of text that the stamp shows; nil for one without text.
    public internal(set) var stampText: [String]?
    /// The picture of the page, where one was asked for; then nothing was signed.
    public internal(set) var preview: String?
    /// What makes the document's look depend on more than its signed bytes.
    public var dynamicContent: ShownDynamicContent?
    /// What the signer should know of the document and its field.
    public internal(set) var notes: [String] = []
    /// Oddities of the document or the credential that did not prevent signing.
    public internal(set) var warnings: [Sentence]

    /// Something that a field demands, and the setting that says the same.
    public struct Demand: Encodable, Sendable {
        /// `reason`, `certification`, `lock`, `lock-level`, `subfilter` or `digest`.
        public let code: String
        /// What the field demands, as options write it.
        public let value: String
        /// The setting with the value.
        public let option: Sentence

        init(_ demand: SigningDemand) {
            code = demand.code.rawValue
            value = demand.value
            option = Sentence(
                .options, demand.code == .certification ? "certify" : demand.code.rawValue,
                demand.choices.isEmpty ? demand.value : "...")
        }
    }

    /// A box in which the signature shows, as read back from the result.
    public struct Widget: Encodable, Sendable {
        /// From 1; nil where no page shows it.
        public let page: Int?
        /// Left, bottom, right, top in the page's user space.
        public let rect: [Double]

        /// `page 3 [10 10 180 66]`.
        public var description: String {
            let box = PDFRectangle(rect[0], rect[1], rect[2], rect[3]).description
            return (page.map { "page \($0) " } ?? "no page ") + box
        }
    }

    /// What was drawn on pages besides the stamp.
    public struct Marks: Encodable, Sendable {
        /// They say nothing about who drew them.
        public let kind = Self.description

        static let description = "drawing, not a signature"
        /// Numbers from 1.
        public let pages: [Int]
    }

    /// For people: `Signature1, PAdES B-B, rsa-pkcs1, sha256`.
    public var summary: Sentence {
        let drawn = marks.flatMap { marks -> String? in
            let count = marks.pages.count
            guard count > 0 else { return "; no page is left for marks" }
            return
                "; \(count == 1 ? "1 page" : "\(count) pages") drawn on besides, which is no signing"
        }
        let places =
            visible == false
            ? ", invisible"
            : (widgets ?? []).map { " on " + $0.description }.joined(separator: " and")
        let stamped = timestamp.map { ", time stamp \($0.time)" } ?? ""
        let restriction =
            (certification.map { ", certifies: \($0.rawValue)" } ?? "")
            + (lock.map { ", locks \($0)" } ?? "")
        let words =
            restriction + (reason.map { ", reason \($0.inQuotes)" } ?? "")
            + (location.map { ", location \($0.inQuotes)" } ?? "")
        let line =
            "\(field)\(places), PAdES \(level.rawValue), \(algorithm), \(digest)\(words)\(stamped)"
            + (drawn ?? "")
        guard let demands else { return Sentence(line) }
        return Sentence(.signedAsDemanded, facts: [line] + demands.flatMap(\.option.facts))
    }
}
