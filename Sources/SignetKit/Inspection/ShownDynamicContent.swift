import PDFCore
import PDFSigning
import PDFVerification

/// Content that makes the display of a document depend on more than its signed bytes, in the
/// structure of the JSON output.
public struct ShownDynamicContent: Encodable, Sendable {
    /// One finding.
    public struct Finding: Encodable, Sendable {
        /// Stable identifier, such as `javascript` or `external-stream`.
        public let code: DocumentFinding
        /// Description for people, one sentence.
        public let message: String
    }

    /// Findings: structural problems first, then content that may change.
    public let findings: [Finding]
    /// Whether all objects were examined.
    public let complete: Bool

    /// - Parameter doubts: the problems of the structure, and whether all objects were checked for
    ///   them.
    init(_ content: DynamicContent, doubts: (lines: [String], isComplete: Bool) = ([], true)) {
        let others = content.findings.filter { !doubts.lines.contains($0.message) }
        findings =
            doubts.lines.map { Finding(code: .readersDisagree, message: $0) }
            + others.map { Finding(code: $0.code, message: $0.message) }
        complete = content.isComplete && doubts.isComplete
    }

    init(of document: PDFDocument, _ form: AcroForm, effort: DynamicContent.Effort) throws {
        // The structure is checked first, as in `verify`: reading an object reports its defects.
        let doubts = try DocumentStructure.doubts(about: document, form: form, effort: effort)
        self.init(DynamicContent(of: document, form: form, effort: effort), doubts: doubts)
    }

    /// The problems of the structure, for which `verify` does not pass a signature.
    var doubts: [String] { messages { $0 == .readersDisagree } }

    /// Warnings for the signer.
    public var told: [String] { messages { $0.tier == .told } }

    /// Findings that `--strict` rejects.
    var refusedByStrict: [String] {
        messages(where: \.isRefusedByStrict)
            + (complete ? [] : ["the document has more objects than are checked"])
    }

    /// All findings for people, one line each.
    public var lines: [String] { messages { $0 != .standardFont } }

    private func messages(where isWanted: (DocumentFinding) -> Bool) -> [String] {
        findings.filter { isWanted($0.code) }.map(\.message)
    }
}
