package import Base
package import PDFCore
package import PDFSigning

/// Parts that make the display depend on more than the signed bytes: scripts, external files, the
/// viewer's fonts or state (ISO 32000-2 §12.8.7), later additions.
package struct DynamicContent: Sendable {
    static let foreignString =
        "a string is encrypted with another key than the document: with another password or "
        + "certificate, viewers may display other text"

    package struct Finding: Sendable {
        package let code: DocumentFinding
        /// One line, lower case, no full stop.
        package let message: String
    }

    /// How many objects are examined.
    package enum Effort: Sendable {
        /// All objects of most documents, at little cost.
        case quick
        case thorough

        /// The number of objects to examine. In larger documents only the known places are
        /// examined.
        func objectCount(of document: PDFDocument) -> Int {
            switch self {
            case .quick: document.highestObjectNumber <= 20_000 ? 3000 : 200
            case .thorough: 200_000
            }
        }

        /// The number of displayed objects to check.
        func shownObjectCount(of document: PDFDocument) -> Int {
            switch self {
            case .quick: document.highestObjectNumber <= 20_000 ? 20_000 : 200
            case .thorough: 1_000_000
            }
        }

        /// Whether the cross-reference table is compared with the objects.
        func checksCrossReferences(of document: PDFDocument) -> Bool {
            self == .thorough || document.highestObjectNumber <= 20_000
        }

        /// Maximum size of a file that is searched for an unlisted object, in bytes.
        var searchedByteCount: Int {
            switch self {
            case .quick: 1 << 20
            case .thorough: .max
            }
        }

        /// The number of encrypted bytes whose tags are checked.
        var sealedByteCount: Int {
            switch self {
            case .quick: 64 << 20
            case .thorough: 1 << 30
            }
        }
    }

    /// At most one for each code, in the order of the codes.
    package let findings: [Finding]
    /// Whether all objects were examined.
    package let isComplete: Bool

    /// - Parameter form: nil if it cannot be read.
    package init(of document: PDFDocument, form: AcroForm?, effort: Effort) {
        var search = DynamicContentSearch(document, form, effort)
        search.run()
        findings = DocumentFinding.allCases.compactMap { code in
            search.found[code].map { found in
                let more = found.count > 1 ? " (and \(found.count - 1) more of this kind)" : ""
                return Finding(code: code, message: found.first + more)
            }
        }
        isComplete = search.isComplete
    }
}
