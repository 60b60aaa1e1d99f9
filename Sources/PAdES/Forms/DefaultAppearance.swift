import PDFCore

/// How viewers are told to set the text of a field (/DA, ISO 32000-2 §12.7.4.3): a font, its size
/// and a colour, and nothing else.
struct DefaultAppearance {
    /// A name of the form's resources.
    let font: PDFName
    /// In points; 0 leaves it to viewers.
    let size: Double
    /// The operators that set the colour.
    let colors: [ContentOperation]

    private static let colorOperators: Set<String> = ["g", "rg", "k"]

    /// - Returns: nil where there is none, or one that says more.
    init?(
        of field: FormField, _ widget: PDFDictionary, in form: AcroForm, _ document: PDFDocument
    ) throws {
        let entry =
            try document.inherited("DA", of: widget)
            ?? document.inherited("DA", of: field.dictionary)
            ?? document.value(form.dictionary, "DA")
        guard let bytes = entry.stringValue, let operations = ContentOperation.all(in: bytes),
            let chosen = operations.last(where: { $0.name == "Tf" }),
            let font = chosen.names.last, let size = chosen.numbers.last, size >= 0
        else { return nil }
        (self.font, self.size) = (font, size)
        colors = operations.filter { $0.name != "Tf" }
        guard colors.allSatisfy({ Self.colorOperators.contains($0.name) }) else { return nil }
    }

    /// From 0, black, to 1, white; nil when it is not known.
    var brightness: Double? {
        guard let color = colors.last else { return 0 }
        return AppearanceMeasure.brightness(color.numbers)
    }

    /// The form's font of that name.
    func resource(in form: AcroForm, _ document: PDFDocument) throws(PDFError) -> PDFObject? {
        guard let resources = try document.value(form.dictionary, "DR").dictionaryValue,
            let fonts = try document.value(resources, "Font").dictionaryValue
        else { return nil }
        return fonts[font]
    }
}
