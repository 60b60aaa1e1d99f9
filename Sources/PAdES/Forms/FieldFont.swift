import PDFCore

/// A font of the form, where what its codes look like is known well enough for a text.
struct FieldFont {
    let resource: PDFObject
    private var codes: [Unicode.Scalar: UInt8] = [:]
    private let known: SimpleFont?

    private static let ascii: ClosedRange<UInt8> = 32...126

    /// Nil when it has not all letters of the text for certain.
    init?(
        _ appearance: DefaultAppearance, for text: String, form: AcroForm, in document: PDFDocument
    ) throws {
        guard let entry = try appearance.resource(in: form, document),
            let font = try document.resolve(entry).dictionaryValue,
            let base = try document.value(font, "BaseFont").nameValue
        else { return nil }
        self.init(entry, try SimpleFont(font, in: document))
        if try Self.hasASCII(font, base, in: document) {
            for code in Self.ascii { codes[Unicode.Scalar(code)] = code }
        }
        guard !has(text) else { return }
        // Every viewer has these with all letters of western Europe.
        guard StandardFont.named(base.description) != nil else { return nil }
        let latin: PDFDictionary = [
            "Type": .name("Font"), "Subtype": .name("Type1"), "BaseFont": .name(base),
            "Encoding": .name("WinAnsiEncoding"),
        ]
        self.init(.dictionary(latin), try SimpleFont(latin, in: document))
        guard has(text) else { return nil }
    }

    private init(_ resource: PDFObject, _ known: SimpleFont?) {
        (self.resource, self.known) = (resource, known)
        for code in UInt8.min...UInt8.max {
            guard let scalar = known?.glyph(code)?.scalar, codes[scalar] == nil else { continue }
            codes[scalar] = code
        }
    }

    /// Whether the codes of ASCII mean ASCII, also where the font is embedded.
    private static func hasASCII(
        _ font: PDFDictionary, _ base: PDFName, in document: PDFDocument
    ) throws -> Bool {
        let encoding = try document.value(font, "Encoding").dictionaryValue
        let differences = try document.value(encoding ?? PDFDictionary(), "Differences")
        // Subsets may lack the letters, and these two have pictures.
        guard let type = try document.value(font, "Subtype").nameValue,
            ["Type1", "TrueType"].contains(type), !base.bytes.contains(UInt8(ascii: "+")),
            !["ZapfDingbats", "Symbol"].contains(base)
        else { return false }
        return (differences.arrayValue ?? []).allSatisfy { element in
            element.integerValue.map { $0 < ascii.lowerBound || $0 > ascii.upperBound } ?? true
        }
    }

    private func has(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { codes[$0] != nil || $0.properties.isWhitespace }
    }

    /// Whether each letter of ASCII has its own code: some viewers take these, whatever they show.
    func keepsASCII(of text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            !Self.ascii.contains(byte) || byte == UInt8(ascii: " ")
                || codes[Unicode.Scalar(byte)] == byte
        }
    }

    /// The bytes of a string in this font.
    func encoded(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { codes[$0] ?? UInt8(ascii: " ") }
    }

    /// In parts of the size; nil when viewers may differ.
    func width(of text: String) -> Double? {
        var sum = 0.0
        for code in encoded(text) {
            guard let width = known?.glyph(code)?.width else { return nil }
            sum += width / 1000
        }
        return sum
    }
}

extension PDFWriter {
    static func text(_ number: Double) -> String {
        String(decoding: bytes(.real(PDFReal(number))), as: UTF8.self)
    }
}
