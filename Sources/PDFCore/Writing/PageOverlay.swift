/// Draws over what pages show, in the same update for all of them.
///
/// The page's own content is left as it is, between a saved and a restored graphics state; what is
/// drawn follows as a stream of its own (ISO 32000-2 §7.8.2), marked as no part of the document's
/// text (§14.8.2.2).
package struct PageOverlay {
    private let document: PDFDocument
    /// Saves the graphics state; one stream for all pages.
    private var saving: ObjectID?

    package init(_ document: PDFDocument) { self.document = document }

    /// Draws a form XObject through `matrix` on a page, as the page stands in `update`.
    package mutating func draw(
        _ form: ObjectID, matrix: [Double], on page: PDFPage, _ update: inout IncrementalUpdate
    ) throws(PDFError) {
        var dictionary = update.pending(page.id)?.dictionaryValue ?? page.dictionary
        var resources = try page.resources(in: document)
        var objects = try document.value(resources, "XObject").dictionaryValue ?? PDFDictionary()
        var number = 1
        while objects[PDFName("Mark\(number)")] != nil { number += 1 }
        let name = PDFName("Mark\(number)")
        objects[name] = .reference(form)
        resources["XObject"] = .dictionary(objects)
        dictionary["Resources"] = .dictionary(resources)

        let numbers = matrix.map { String(decoding: PDFReal($0).text, as: UTF8.self) }
            .joined(separator: " ")
        let drawing = "Q\n/Artifact BMC\nq\n\(numbers) cm\n/\(name) Do\nQ\nEMC\n"
        let first =
            saving ?? update.add(.stream(PDFStream(dictionary: [:], data: Array("q\n".utf8))))
        saving = first
        let last = update.add(.stream(PDFStream(dictionary: [:], data: Array(drawing.utf8))))
        dictionary["Contents"] = .array(
            [.reference(first)] + (try contents(of: page)) + [.reference(last)])
        update.set(page.id, .dictionary(dictionary))
    }

    private func contents(of page: PDFPage) throws(PDFError) -> [PDFObject] {
        guard let entry = page.dictionary["Contents"] else { return [] }
        return switch try document.resolve(entry) {
        case .array(let streams): streams
        case .stream: [entry]
        default: []
        }
    }
}
