package import PDFCore

/// A stamp's look, ready to become an appearance stream (ISO 32000-2 §12.5.5).
package struct StampAppearance: Sendable {
    /// The stamp's fonts: name in the resources, and font dictionary.
    package let fonts: [(name: PDFName, dictionary: PDFDictionary)]
    private let content: [UInt8]
    private let box: StampBox

    /// Draws `paragraphs` beside a rule into `box`; no paragraphs leave the rule alone.
    package init(_ paragraphs: [StampParagraph], in box: StampBox) throws(AppearanceError) {
        let unit = box.pointsPerUnit
        let (width, height) = (box.width * unit, box.height * unit)
        let padding = min(5, min(width, height) * 0.08)
        let rule = min(2, width * 0.02)
        let textLeft = rule + padding * 1.2
        let layout = try StampLayout(
            paragraphs,
            area: (
                x: textLeft, y: padding * 0.4, width: width - textLeft - padding * 0.4,
                height: height - padding * 0.8
            ))

        var canvas = ContentWriter()
        canvas.line("q")
        // The content is drawn in points whatever the page's unit is.
        if unit != 1 { canvas.line([1 / unit, 0, 0, 1 / unit, 0, 0], "cm") }
        canvas.line([0.25], "g")
        canvas.line([0, 0, rule, height], "re f")
        var encoders = [false: FontEncoder(.regular), true: FontEncoder(.bold)]
        if !layout.lines.isEmpty { canvas.line("BT") }
        for line in layout.lines {
            guard let text = encoders[line.isBold]?.encode(line.scalars) else {
                throw AppearanceError(
                    .characterNotInFont, "the stamp uses more than 128 letters beyond ASCII")
            }
            canvas.line([line.gray], "g")
            canvas.line(line.isBold ? "/F2" : "/F1", [line.size], "Tf")
            canvas.line([1, 0, 0, 1, line.x, line.baseline], "Tm")
            canvas.show(text)
        }
        if !layout.lines.isEmpty { canvas.line("ET") }
        canvas.line("Q")

        content = canvas.bytes
        self.box = box
        fonts = [(false, "F1"), (true, "F2")].compactMap { isBold, name in
            guard layout.lines.contains(where: { $0.isBold == isBold }) else { return nil }
            return encoders[isBold].map { (PDFName(name), $0.dictionary) }
        }
    }

    /// The appearance as a Form XObject whose resources point to the fonts' objects.
    package func formXObject(fontIDs: [PDFName: ObjectID]) -> PDFStream {
        var resources = PDFDictionary()
        if !fonts.isEmpty {
            var fontResources = PDFDictionary()
            for font in fonts {
                fontResources[font.name] = fontIDs[font.name].map { .reference($0) }
            }
            resources["Font"] = .dictionary(fontResources)
        }
        var dictionary = Self.formDictionary(width: box.width, height: box.height)
        if let matrix = box.matrix {
            dictionary["Matrix"] = .array(matrix.map { .integer($0) })
        }
        dictionary["Resources"] = .dictionary(resources)
        return PDFStream(dictionary: dictionary, data: content)
    }

    /// The empty appearance of an invisible signature: PDF/A-1 wants one for every field
    /// (ISO 19005-1 §6.9).
    package static var empty: PDFStream {
        var dictionary = formDictionary(width: 0, height: 0)
        dictionary["Resources"] = .dictionary(PDFDictionary())
        return PDFStream(dictionary: dictionary, data: [])
    }

    private static func formDictionary(width: Double, height: Double) -> PDFDictionary {
        var dictionary = PDFDictionary()
        dictionary["Type"] = .name("XObject")
        dictionary["Subtype"] = .name("Form")
        dictionary["FormType"] = .integer(1)
        dictionary["BBox"] = .array([.integer(0), .integer(0), .number(width), .number(height)])
        return dictionary
    }
}

/// Gives each letter beyond ASCII a code of its own in a font's encoding.
private struct FontEncoder {
    private let font: StandardFont
    private var codes: [Unicode.Scalar: UInt8] = [:]
    private var extraLetters: [Unicode.Scalar] = []

    init(_ font: StandardFont) { self.font = font }

    /// The codes of `scalars`; nil when the encoding is full.
    mutating func encode(_ scalars: [Unicode.Scalar]) -> [UInt8]? {
        var text: [UInt8] = []
        for scalar in scalars {
            if scalar.value < 127 {
                text.append(UInt8(scalar.value))
            } else if let code = codes[scalar] {
                text.append(code)
            } else {
                guard let code = UInt8(exactly: 128 + extraLetters.count) else { return nil }
                codes[scalar] = code
                extraLetters.append(scalar)
                text.append(code)
            }
        }
        return text
    }

    /// The font dictionary of ISO 32000-2 §9.6.2 with the letters used as /Differences.
    var dictionary: PDFDictionary {
        var dictionary = PDFDictionary()
        dictionary["Type"] = .name("Font")
        dictionary["Subtype"] = .name("Type1")
        dictionary["BaseFont"] = .name(PDFName(font.baseName))
        guard !extraLetters.isEmpty else {
            dictionary["Encoding"] = .name("WinAnsiEncoding")
            return dictionary
        }
        var encoding = PDFDictionary()
        encoding["Type"] = .name("Encoding")
        encoding["BaseEncoding"] = .name("WinAnsiEncoding")
        encoding["Differences"] = .array(
            [.integer(128)]
                + extraLetters.map { .name(PDFName(font.glyphName(of: $0) ?? ".notdef")) })
        dictionary["Encoding"] = .dictionary(encoding)
        dictionary["FirstChar"] = .integer(32)
        dictionary["LastChar"] = .integer(127 + extraLetters.count)
        let ascii = (UInt32(32)...127).map { code in
            Unicode.Scalar(code).flatMap { font.width(of: $0) } ?? 0
        }
        dictionary["Widths"] = .array(
            (ascii + extraLetters.map { font.width(of: $0) ?? 0 }).map { .integer($0) })
        return dictionary
    }
}

/// Writes content stream operators.
private struct ContentWriter {
    var bytes: [UInt8] = []

    mutating func line(_ operation: String) {
        bytes += Array(operation.utf8) + [0x0A]
    }

    mutating func line(_ operands: [Double], _ operation: String) {
        line(operands.map(Self.number).joined(separator: " ") + " " + operation)
    }

    mutating func line(_ name: String, _ operands: [Double], _ operation: String) {
        line(name + " " + operands.map(Self.number).joined(separator: " ") + " " + operation)
    }

    mutating func show(_ text: [UInt8]) {
        PDFWriter.write(.string(PDFString(bytes: text, isHexadecimal: false)), into: &bytes)
        line(" Tj")
    }

    private static func number(_ value: Double) -> String {
        var bytes: [UInt8] = []
        PDFWriter.write(.number(value), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
