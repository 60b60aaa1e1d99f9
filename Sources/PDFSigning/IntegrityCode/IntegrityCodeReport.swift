package import Base
package import CryptoBridge
package import PDFCore

/// What was found out about a document's integrity code.
package struct IntegrityCodeReport: Sendable {
    /// Where the newest revision's code is (ISO/TS 32004 §5.2).
    package enum Location: String, Sendable {
        /// In the trailer.
        case standalone
        /// In an attribute of a signature.
        case attachedToSignature = "attached-to-signature"
    }

    /// Whether the author demands a code for every revision.
    package let isRequired: Bool
    package var isPresent = false
    package var location: Location?
    package var digest: DigestAlgorithm?
    package var problems: [VerificationProblem] = []

    package init(isRequired: Bool) { self.isRequired = isRequired }

    /// What the newest revision of a document has, unchecked; nil where there are no codes, and none
    /// are demanded.
    package init?(unchecked document: PDFDocument) throws {
        guard let found = try IntegrityCodes(of: document).newest else { return nil }
        self = found
    }

    package var isValid: Bool { isPresent && problems.isEmpty }
}
