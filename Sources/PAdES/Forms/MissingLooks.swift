import PDFCore

/// Looks for the fields of a form whose viewers are asked to draw them (/NeedAppearances), so that
/// they need not be asked: then all show what is signed, and poppler the stamp as well, which it
/// draws anew, as nothing, with all the others.
///
/// Text of one line in a font that needs no encoding is drawn; a form with anything else that has no
/// look, or one that does not show its value for certain, keeps asking.
struct MissingLooks {
    private let document: PDFDocument
    private let form: AcroForm
    /// What the widgets get.
    private(set) var looks: [(widget: ObjectID, stream: PDFStream)] = []

    /// Most widgets that are looked at.
    private static let widgetLimit = 5000
    private static let multilineFlag = 1 << 12
    private static let passwordFlag = 1 << 13
    private static let comboFlag = 1 << 17
    private static let combFlag = 1 << 24
    private static let richTextFlag = 1 << 25

    /// - Returns: nil when some look cannot be made, or nobody asks for any.
    init?(of form: AcroForm, in document: PDFDocument) throws {
        guard form.asksForAppearances, form.dictionary["XFA"] == nil else { return nil }
        self.document = document
        self.form = form
        var remaining = Self.widgetLimit
        for field in form.fields where !field.isSignature {
            for widget in field.widgetIDs {
                remaining -= 1
                guard remaining > 0, try settle(widget, of: field) else { return nil }
            }
        }
    }

    /// Gives the widgets their looks in `update`.
    func add(to update: inout IncrementalUpdate) throws {
        for (id, stream) in looks {
            guard
                var widget = try update.pending(id)?.dictionaryValue
                    ?? document.object(id).dictionaryValue
            else { continue }
            widget["AP"] = .dictionary(["N": .reference(update.add(.stream(stream)))])
            widget["AS"] = nil
            update.set(id, .dictionary(widget))
        }
    }

    /// - Returns: Whether the widget has a look that shows its value, or gets one.
    private mutating func settle(_ id: ObjectID, of field: FormField) throws -> Bool {
        guard let widget = try document.object(id).dictionaryValue else { return true }
        let flags = try AnnotationFlags(of: widget, in: document)
        let box = try document.rectangle(widget["Rect"])
        guard !flags.surelyHas(AnnotationFlags.hidden), let box, box.width > 0, box.height > 0
        else {
            return true
        }
        let look = try WidgetLook(id, in: document)
        let value = try FieldValue(field, in: document)
        if !look.isMissing, try value.agreement(with: look) == .agrees { return true }
        guard let stream = try drawing(of: value, field, widget, box) else { return false }
        looks.append((id, stream))
        return true
    }

    /// The look of a text of one line; nil when it is not sure how that would look.
    private func drawing(
        of value: FieldValue, _ field: FormField, _ widget: PDFDictionary, _ box: PDFRectangle
    ) throws -> PDFStream? {
        let flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        let marks = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
        let isLine =
            field.type == "Tx"
            && flags & (Self.multilineFlag | Self.passwordFlag | Self.combFlag | Self.richTextFlag)
                == 0
        guard value.isComplete, isLine || field.type == "Ch" && flags & Self.comboFlag != 0,
            try document.value(marks, "R").integerValue ?? 0 == 0
        else { return nil }
        let frame = try frame(marks, widget, box)
        var dictionary: PDFDictionary = [
            "Type": .name("XObject"), "Subtype": .name("Form"),
            "BBox": PDFRectangle(0, 0, box.width, box.height).object,
        ]
        let text = value.label ?? ""
        guard !text.isEmpty else { return PDFStream(dictionary: dictionary, data: frame) }
        guard text.utf8.allSatisfy({ (32..<127).contains($0) }),
            try quadding(of: field, widget) == 0,
            let (style, size, setting) = try textStyle(of: field, widget, height: box.height),
            let resource = try plainFont(style)
        else { return nil }
        let clip = "1 1 \(number(max(0, box.width - 2))) \(number(max(0, box.height - 2))) re W n"
        let rise = number((box.height - size) / 2 + size * Self.descent)
        var data = frame
        data += "/Tx BMC\nq\n\(clip)\nBT\n".utf8
        data += setting
        data += "\n2 \(rise) Td\n".utf8
        PDFWriter.write(
            .string(PDFString(bytes: Array(text.utf8), isHexadecimal: false)), into: &data)
        data += " Tj\nET\nQ\nEMC\n".utf8
        dictionary["Resources"] = .dictionary(["Font": .dictionary([style.font: resource])])
        return PDFStream(dictionary: dictionary, data: data)
    }

    /// How far letters reach below the line, of the font's size.
    private static let descent = 0.22

    private func number(_ value: Double) -> String {
        String(decoding: PDFWriter.bytes(.real(PDFReal(value))), as: UTF8.self)
    }

    /// The background and the border.
    private func frame(
        _ style: PDFDictionary, _ widget: PDFDictionary, _ box: PDFRectangle
    ) throws -> [UInt8] {
        var content = ""
        if let color = try color(style["BG"], ["g", "rg", "k"]) {
            content += "q \(color) 0 0 \(number(box.width)) \(number(box.height)) re f Q\n"
        }
        let border = try document.value(widget, "BS").dictionaryValue ?? PDFDictionary()
        let width = try document.value(border, "W").numberValue ?? 1
        if width > 0, let color = try color(style["BC"], ["G", "RG", "K"]) {
            let inner = [width / 2, width / 2, box.width - width, box.height - width]
            content += "q \(color) \(number(width)) w "
            content += inner.map { number(max(0, $0)) }.joined(separator: " ") + " re S Q\n"
        }
        return Array(content.utf8)
    }

    private func color(
        _ entry: PDFObject?, _ operators: [String]
    ) throws -> String? {
        let parts = try (document.resolve(entry ?? .null).arrayValue ?? []).compactMap {
            try document.resolve($0).numberValue
        }
        let index = [1: 0, 3: 1, 4: 2][parts.count]
        return index.map { parts.map(number).joined(separator: " ") + " " + operators[$0] }
    }

    private func quadding(of field: FormField, _ widget: PDFDictionary) throws -> Int {
        let own = try document.inherited("Q", of: widget)
        let general = try document.value(form.dictionary, "Q")
        let shared = try document.inherited("Q", of: field.dictionary) ?? general
        return (own ?? shared).integerValue ?? 0
    }

    /// The font, its size, and the operators that set them and the colour (/DA).
    private func textStyle(
        of field: FormField, _ widget: PDFDictionary, height: Double
    ) throws -> (DefaultAppearance, size: Double, setting: [UInt8])? {
        guard let style = try DefaultAppearance(of: field, widget, in: form, document) else {
            return nil
        }
        // Viewers choose the size where it is 0; so does this.
        let size =
            style.size > 0 ? style.size : min(12, max(4, height * Self.fittingShare))
        var setting = PDFWriter.bytes(.name(style.font))
        setting += " \(number(size)) Tf".utf8
        for color in style.colors {
            let operands = color.numbers.map(number).joined(separator: " ")
            setting += " \(operands) \(color.name)".utf8
        }
        return (style, size, setting)
    }

    /// The height of letters that fit into a box, of its height.
    private static let fittingShare = 0.66

    /// The form's font of that name, where its codes are those of ASCII.
    private func plainFont(_ style: DefaultAppearance) throws -> PDFObject? {
        guard let entry = try style.resource(in: form, document),
            let font = try document.resolve(entry).dictionaryValue,
            let type = try document.value(font, "Subtype").nameValue,
            let base = try document.value(font, "BaseFont").nameValue,
            ["Type1", "TrueType"].contains(type),
            // Subsets may lack the letters, and these two have pictures.
            !base.bytes.contains(UInt8(ascii: "+")),
            !["ZapfDingbats", "Symbol"].contains(base)
        else { return nil }
        let encoding = try document.value(font, "Encoding").dictionaryValue
        let differences = try document.value(encoding ?? PDFDictionary(), "Differences")
        let isPlain = (differences.arrayValue ?? []).allSatisfy { element in
            element.integerValue.map { $0 <= 32 || $0 >= 127 } ?? true
        }
        guard isPlain else { return nil }
        return entry
    }
}
