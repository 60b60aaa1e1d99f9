import PAdES

/// What makes the look of a document depend on more than its signed bytes, in the shape of the JSON
/// that programs read.
public struct ShownDynamicContent: Encodable, Sendable {
    public struct Finding: Encodable, Sendable {
        /// Stable: `javascript`, `external-stream`.
        public let code: String
        public let message: String
    }

    public let findings: [Finding]
    /// Whether all was looked at that there is.
    public let complete: Bool
    /// What people are told; not in the JSON.
    let warnings: [String]

    private enum CodingKeys: String, CodingKey {
        case findings, complete
    }

    init(_ content: DynamicContent) {
        findings = content.findings.map {
            Finding(code: $0.code.rawValue, message: $0.message)
        }
        complete = content.isComplete
        warnings = content.warnings
    }

    /// For people: one line each.
    public var lines: [String] { warnings }
}
