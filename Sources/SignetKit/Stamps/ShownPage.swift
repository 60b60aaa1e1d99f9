import PDFCore
import PDFSigning
import SystemBridge
import Witness

/// Displayed content of a page with its positions: an image by an installed viewer, and the boxes
/// of annotations and fields, including empty ones.
final class ShownPage {
    let page: PDFPage
    /// Positions of signature fields, in the order of the page's annotations.
    private(set) var signatures: [ShownBox]
    private let space: PageSpace
    private var taken: [ShownBox]

    /// - Parameter number: page number from 1.
    init(_ page: PDFPage, _ number: Int, of document: PDFDocument, in file: InputFile) throws {
        self.page = page
        try requireReadable(document)
        do throws(WitnessError) {
            space = try PageSpace(of: number, in: file)
        } catch {
            throw SignetError(error, "to find a free place on the page")
        }
        let annotations = try PageAnnotations(on: page, in: document)
        taken = annotations.boxes.map(page.shown)
        signatures = annotations.signatures.map(page.shown)
    }

    /// Adds the position of a new signature.
    func take(_ box: ShownBox) {
        taken.append(box)
        signatures.append(box)
    }

    func isBlank(_ box: ShownBox) -> Bool {
        let (width, height) = page.shownSize
        return space.isBlank(
            left: box.left / width, top: box.top / height, right: box.right / width,
            bottom: box.bottom / height)
    }

    /// Whether a box is blank and touches no annotation.
    func isFree(_ box: ShownBox) -> Bool {
        !taken.contains {
            $0.left < box.right && $0.right > box.left && $0.top < box.bottom
                && $0.bottom > box.top
        } && isBlank(box)
    }
}

/// Rejects documents with an encryption that viewers do not support: they would display empty
/// pages.
///
/// - Throws: ``SignetError``: `malformedInput`.
func requireReadable(_ document: PDFDocument) throws {
    guard document.encryption?.isMistakenByPrograms == true else { return }
    throw SignetError(
        .malformedInput, "installed PDF viewers cannot decrypt the document (ISO/TS 32003)",
        hint: Sentence(.sayPlaceOfProtected))
}

extension SignetError {
    /// - Parameter task: purpose of the viewer, for the message: `to draw pages`.
    init(_ error: WitnessError, _ task: String) {
        switch error.kind {
        case .notInstalled:
            self.init(
                .missingInput, "\(error.detail) is required \(task), but not installed",
                hint: error.package.map { Sentence(.installPackage, $0) })
        case .failed: self.init(.malformedInput, error.detail, hint: Sentence(.sayPlaceOfProtected))
        }
    }
}
