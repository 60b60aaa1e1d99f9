import PDFCore
import PDFSigning
import SystemBridge
import Witness

extension SignDocument {
    /// Maximum width and height of the image, in pixels.
    private static let previewSide = 1600

    /// Renders the page with the signature appearance as PNG, without signing.
    ///
    /// The document is prepared with an empty signature in an unnamed copy, and an installed
    /// program renders it.
    ///
    /// - Throws: ``SignetError``: among others `missingInput` where no such program is installed.
    public func preview(
        _ source: InputSource, into destination: Destination
    ) throws -> SignedDocument {
        try reading(source.name) {
            try rehearsing.drawPreview(of: ScannedInput(source.open()), into: destination)
        }
    }

    private func drawPreview(
        of input: ScannedInput, into destination: Destination
    ) throws -> SignedDocument {
        let plan = try plan(for: input)
        var (update, result) = try makeUpdate(by: plan, of: input)
        guard let page = result.widgets?.first?.page else {
            throw SignetError(
                .usage, "the signature will be invisible: no page can be displayed",
                hint: Sentence(.addPlace))
        }
        try requireReadable(plan.opened.document)
        let copy = try AtomicOutput(name: destination.path) { _ in }
        defer { copy.discard() }
        try writing(destination.path) {
            try copy.copy(from: input.file, range: 0..<input.file.byteCount)
            try copy.write(update.bytes)
        }
        let picture: [UInt8]
        do {
            picture = try Viewer.drawer().png(
                of: page, in: InputFile(copy), side: Self.previewSide, seconds: 60)
        } catch let error as WitnessError {
            throw SignetError(error, "to draw pages")
        }
        let output = try destination.output(from: input.file)
        try output.finish(picture)
        result.preview = destination.path
        return result
    }
}
