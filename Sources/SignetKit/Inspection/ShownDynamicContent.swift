import PAdES
import PDFCore

/// What makes the look of a document depend on more than its signed bytes, in the shape of the JSON
/// that programs read.
public struct ShownDynamicContent: Encodable, Sendable {
    /// One thing in the document that may change its look.
    public struct Finding: Encodable, Sendable {
        /// Stable: `javascript`, `external-stream`.
        public let code: String
        /// A sentence for people.
        public let message: String
    }

    /// How readers may differ about the document, then what may change by itself.
    public let findings: [Finding]
    /// Whether all was looked at that there is.
    public let complete: Bool
    /// What people are told, but for what was not looked at; not in the JSON.
    let warnings: [String]

    private enum CodingKeys: String, CodingKey {
        case findings, complete
    }

    /// - Parameter doubts: what `verify` doubts about the document, where it does not say so itself,
    ///   and whether all was looked at for that.
    init(_ content: DynamicContent, doubts: (lines: [String], isComplete: Bool) = ([], true)) {
        // What is doubted already is told once.
        let others = content.findings.filter { !doubts.lines.contains($0.message) }
        self.init(
            findings: doubts.lines.map { Finding(code: Self.readersDisagree, message: $0) }
                + others.map { Finding(code: $0.code.rawValue, message: $0.message) },
            complete: content.isComplete && doubts.isComplete,
            warnings: doubts.lines + content.warnings.filter { !doubts.lines.contains($0) })
    }

    /// - Parameter own: the widgets that are about to be signed, which may lie where they lie.
    init(
        of document: PDFDocument, _ form: AcroForm, effort: DynamicContent.Effort,
        besides own: Set<ObjectID> = []
    ) throws {
        // As `verify` asks: first what is shown, for reading brings defects to light.
        let doubts = try DocumentStructure.doubts(about: document, form: form, effort: effort)
        self.init(DynamicContent(of: document, effort: effort, besides: own), doubts: doubts)
    }

    private static let readersDisagree = "readers-disagree"

    private init(findings: [Finding], complete: Bool, warnings: [String]) {
        self.findings = findings
        self.complete = complete
        self.warnings = warnings
    }

    /// What is left when viewers need not draw the form's fields any more.
    var withSettledAppearances: ShownDynamicContent {
        let settled = findings.filter { $0.code == Self.needAppearances }.map(\.message)
        return ShownDynamicContent(
            findings: findings.filter { $0.code != Self.needAppearances }, complete: complete,
            warnings: warnings.filter { !settled.contains($0) })
    }

    /// Whether viewers draw the form's fields themselves.
    var asksForAppearances: Bool { findings.contains { $0.code == Self.needAppearances } }

    /// What `verify` doubts about the document.
    var doubts: [String] {
        findings.filter { $0.code == Self.readersDisagree }.map(\.message)
    }

    /// A form field that the form does not have.
    var strayField: Finding? {
        findings.first { $0.code == DynamicContent.Code.strayField.rawValue }
    }

    private static let needAppearances = DynamicContent.Code.needAppearances.rawValue

    /// For people: one line each.
    public var lines: [String] {
        warnings
            + (complete
                ? [] : ["not all of the document was looked through for what may change its look"])
    }

    /// Whether anything was found that people are warned of.
    var mayChange: Bool { !warnings.isEmpty }
}
