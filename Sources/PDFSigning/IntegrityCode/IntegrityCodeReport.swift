package import Base
package import CryptoBridge
package import PDFCore

/// The result of checking a document's MAC.
package struct IntegrityCodeReport: Sendable {
    /// Location of the newest revision's MAC (ISO/TS 32004 §5.2).
    package enum Location: String, Sendable {
        /// In the trailer.
        case standalone
        /// In an attribute of a signature.
        case attachedToSignature = "attached-to-signature"
    }

    /// Whether the document requires a MAC for every revision.
    package let isRequired: Bool
    package var isPresent = false
    package var location: Location?
    package var digest: DigestAlgorithm?
    package var problems: [VerificationProblem] = []

    package init(isRequired: Bool) { self.isRequired = isRequired }

    /// The unchecked MAC of the newest revision; nil if the document has no MACs and requires none.
    package init?(unchecked document: PDFDocument) throws {
        guard let found = try IntegrityCodes(of: document).newest else { return nil }
        self = found
    }

    package var isValid: Bool { isPresent && problems.isEmpty }
}
