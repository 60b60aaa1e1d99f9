import PDFCore

/// Draws a widget as viewers do that are asked to (ISO 32000-2 §12.7.4.3): ground and frame, and
/// on them text, a list, the caption of a button, or a mark.
struct FieldDrawing {
    private enum Kind {
        case line, lines, list, caption
    }

    private let document: PDFDocument
    private let form: AcroForm
    private let field: FormField
    private let widget: PDFDictionary
    private let box: PDFRectangle
    private let flags: Int
    /// /MK.
    private let style: PDFDictionary
    /// 0 from the left, 1 in the middle, 2 to the right.
    private let quadding: Int

    /// Text that is shown as something else.
    private static let otherTextFlags =
        FieldFlags.password | FieldFlags.comb | FieldFlags.richText
    /// How far from where it is drawn here text may stand, in points: not in another word's place.
    private static let tolerance = 12.0
    /// Where viewers choose the size they do not choose the same.
    private static let sizeTolerance: ClosedRange<Float> = 0.6...1.7
    /// Between box and text.
    private static let inset = 2.0
    /// Parts of the size: how far letters of a list reach below the line, and how far apart its lines
    /// are.
    private static let (descent, leading) = (0.22, 1.15)
    /// Where poppler puts a line, in parts of the size below the middle of the box, and the first of
    /// several lines below its top, in points.
    private static let (drop, topDrop) = (0.4, 3.0)
    /// Where viewers choose the size, poppler's: of a line, in parts of the box; of lines and lists,
    /// in points.
    private static let sizes = (share: 0.67, most: 20, ofList: 12.0)
    /// Of the chosen lines of a list.
    private static let chosenColor = "0.6 0.76 0.85 rg"
    private static let optionLimit = 1000

    /// - Parameter box: where `widget` is, not empty.
    init(
        of field: FormField, _ widget: PDFDictionary, _ box: PDFRectangle, form: AcroForm,
        in document: PDFDocument
    ) throws {
        (self.document, self.form, self.field, self.widget) = (document, form, field, widget)
        self.box = box
        flags = try document.inherited("Ff", of: field.dictionary)?.integerValue ?? 0
        style = try document.value(widget, "MK").dictionaryValue ?? PDFDictionary()
        let own = try document.inherited("Q", of: widget)
        let shared = try document.inherited("Q", of: field.dictionary)
        quadding =
            try (own ?? shared ?? document.value(form.dictionary, "Q")).integerValue ?? 0
    }

    /// nil for what each viewer draws in its own way.
    private func kind(of value: FieldValue) -> Kind? {
        switch field.type {
        case "Tx"? where flags & Self.otherTextFlags == 0:
            flags & FieldFlags.multiline == 0 ? .line : .lines
        case "Ch"?: flags & FieldFlags.combo == 0 ? .list : .line
        // What is drawn for a mark is each viewer's choice.
        case "Btn"?: value.isPushButton ? .caption : nil
        default: nil
        }
    }

    // MARK: What is there

    /// Whether a look shows just what would be drawn, about where it would be: `made`, in the same
    /// colour, size and frame.
    func isShown(by look: WidgetLook, _ value: FieldValue, as made: PDFStream) throws -> Bool {
        let drawn = try AppearanceText(made, rect: box, in: document)
        guard drawn.isReadable, drawn.isPlain else { return false }
        for case let shown? in try look.texts() {
            guard Frame.areAlike(shown.frames, drawn.frames),
                ShownText.areAlike(shown.shown.cover, drawn.shown.cover),
                shown.shown.isSet(like: drawn.shown, sizes: Self.sizeTolerance)
            else { return false }
        }
        if value.isPushButton {
            guard try document.value(style, "TP").integerValue ?? 0 == 0, style["I"] == nil,
                try !look.texts().contains(where: {
                    guard let shown = $0 else { return true }
                    return try !shown.isReadable || !shown.isPlain
                        || FieldValue.words(shown.text) != FieldValue.words(caption())
                })
            else { return false }
        } else {
            // A mark says nothing about what is drawn for it.
            guard !value.isButton, try value.agreement(with: look) == .agrees else { return false }
        }
        guard try look.drawsOnlyAsDeclared() else { return false }
        return try hasUsualPlace(look, isButton: value.isButton)
    }

    /// Whether a look shows its text about where it would be drawn.
    func hasUsualPlace(_ look: WidgetLook, isButton: Bool = false) throws -> Bool {
        try look.texts().allSatisfy { shown in
            shown?.place.map { isExpected($0, isButton: isButton) } ?? true
        }
    }

    /// - Parameter place: in parts of the box.
    private func isExpected(_ place: PDFRectangle, isButton: Bool) -> Bool {
        let left = place.left * box.width
        let right = (1 - place.right) * box.width
        let (above, below) = ((1 - place.top) * box.height, place.bottom * box.height)
        let isAcross: Bool
        if field.type == "Tx", flags & FieldFlags.comb != 0 {
            isAcross = true
        } else {
            switch isButton ? 1 : quadding {
            case 1: isAcross = abs(left - right) <= 2 * Self.tolerance
            case 2: isAcross = right <= Self.tolerance
            default: isAcross = left <= Self.tolerance
            }
        }
        let isFromTop = field.type == "Tx" && flags & FieldFlags.multiline != 0
        return isAcross
            && (isFromTop ? above <= Self.tolerance : abs(above - below) <= 2 * Self.tolerance)
    }

    private func caption() throws -> String {
        try document.value(style, "CA").stringValue.map { PDFString(bytes: $0).text } ?? ""
    }

    // MARK: What is drawn

    /// What poppler draws; nil when that is not sure.
    func look(of value: FieldValue) throws -> PDFStream? {
        guard value.isComplete, let kind = kind(of: value), try isReadAlike(value),
            try document.value(style, "R").integerValue ?? 0 == 0
        else { return nil }
        switch kind {
        case .line: return try line(value.label ?? "", quadding)
        case .lines: return try lines(value.label ?? "")
        case .list: return try list()
        case .caption:
            guard try document.value(style, "TP").integerValue ?? 0 == 0, style["I"] == nil else {
                return nil
            }
            return try line(caption(), 1)
        }
    }

    /// Whether all viewers read the same text, and all of it, from the field.
    private func isReadAlike(_ value: FieldValue) throws -> Bool {
        // Some draw rich text, some the frame that older files have.
        guard try document.inherited("RV", of: field.dictionary) ?? .null == .null,
            widget["Border"] == nil || widget["BS"] != nil || style["BC"] == nil
        else { return false }
        if value.isPushButton { return true }
        let stored = try document.resolve(field.value ?? .null)
        for element in stored.arrayValue ?? [stored] {
            let element = try document.resolve(element)
            guard element == .null || element.stringValue.map(PDFString.isPlain) == true else {
                return false
            }
        }
        if let limit = try document.inherited("MaxLen", of: field.dictionary) {
            guard let count = limit.integerValue, value.text?.count ?? 0 <= max(0, count) else {
                return false
            }
        }
        return try field.type != "Ch" || isChosenAlike(value)
    }

    /// Whether a choice is shown as it is stored, and the indices say the same (ISO 32000-2 Table 234).
    private func isChosenAlike(_ value: FieldValue) throws -> Bool {
        guard flags & FieldFlags.combo == 0 || value.label == value.text else { return false }
        guard let indices = try document.inherited("I", of: field.dictionary), indices != .null
        else {
            return true
        }
        let options = try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? []
        var chosen: [String] = []
        for index in indices.arrayValue ?? [indices] {
            guard let index = try document.resolve(index).integerValue,
                options.indices.contains(index)
            else { return false }
            chosen.append(try option(options[index]).value)
        }
        return chosen.joined(separator: ", ") == value.text ?? ""
    }

    private func line(_ text: String, _ quadding: Int) throws -> PDFStream? {
        guard !text.isEmpty else { return try stream([], fonts: nil) }
        guard let setting = try setting(for: text) else { return nil }
        let width = setting.font.width(of: text)
        var size = setting.size
        if size <= 0 {
            guard let width, width > 0 else { return nil }
            size = min(box.height * Self.sizes.share, box.width / width).rounded(.down)
            guard size >= 1 else { return nil }
        }
        guard let left = try left(of: width.map { $0 * size }, quadding) else { return nil }
        return try textStream([(text, left, box.height / 2 - Self.drop * size)], setting, size)
    }

    private func lines(_ text: String) throws -> PDFStream? {
        guard !text.isEmpty else { return try stream([], fonts: nil) }
        guard let setting = try setting(for: text) else { return nil }
        let width = box.width - 2 * (try borderWidth() + Self.inset)
        let sizes =
            setting.size > 0
            ? [setting.size] : (1...Self.sizes.most).reversed().map { Double($0) }
        for size in sizes {
            guard let broken = wrap(text, setting.font, width / size) else { continue }
            // What does not fit viewers cut off or scroll.
            guard Double(broken.count) * size <= box.height - 2 * Self.topDrop else { continue }
            var placed: [(String, Double, Double)] = []
            for (index, line) in broken.enumerated() {
                guard let left = try left(of: line.width * size, quadding) else { return nil }
                placed.append(
                    (line.text, left, box.height - Self.topDrop - Double(index + 1) * size))
            }
            return try textStream(placed, setting, size)
        }
        return nil
    }

    /// - Parameter width: in parts of the size.
    private func wrap(
        _ text: String, _ font: FieldFont, _ width: Double
    ) -> [(text: String, width: Double)]? {
        guard let space = font.width(of: " ") else { return nil }
        var found: [(text: String, width: Double)] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var line = (text: "", width: 0.0)
            for word in paragraph.split(whereSeparator: \.isWhitespace) {
                guard let length = font.width(of: String(word)), length <= width else { return nil }
                if line.text.isEmpty {
                    line = (String(word), length)
                } else if line.width + space + length <= width {
                    line = (line.text + " " + word, line.width + space + length)
                } else {
                    found.append(line)
                    line = (String(word), length)
                }
            }
            found.append(line)
        }
        return found
    }

    /// The options from the first one shown, on a ground of their own the chosen ones.
    private func list() throws -> PDFStream? {
        let options = try document.inherited("Opt", of: field.dictionary)?.arrayValue ?? []
        guard options.count <= Self.optionLimit else { return nil }
        let entries = try options.map { try option($0) }
        let value = try document.resolve(field.value ?? .null)
        let chosen = Set(
            try (value.arrayValue ?? [value]).compactMap {
                try document.resolve($0).stringValue.map { PDFString(bytes: $0).text }
            })
        let first = try document.inherited("TI", of: field.dictionary)?.integerValue ?? 0
        let text = entries.map(\.label).joined()
        guard !text.isEmpty else { return try stream([], fonts: nil) }
        guard entries.indices.contains(first), quadding == 0, let setting = try setting(for: text)
        else { return nil }
        let size = setting.size > 0 ? setting.size : Self.sizes.ofList
        let height = size * Self.leading
        var ground: [UInt8] = []
        var placed: [(String, Double, Double)] = []
        for (index, entry) in entries[first...].enumerated() {
            let bottom = box.height - Self.inset - Double(index + 1) * height
            if bottom < 0 { break }
            if chosen.contains(entry.value) {
                let area = [Self.inset, bottom, max(0, box.width - 2 * Self.inset), height]
                ground += "q \(Self.chosenColor) ".utf8
                ground += (area.map(PDFWriter.text).joined(separator: " ") + " re f Q\n").utf8
            }
            placed.append((entry.label, Self.inset, bottom + size * Self.descent))
        }
        return try textStream(placed, setting, size, on: ground)
    }

    private func option(_ entry: PDFObject) throws -> (value: String, label: String) {
        let entry = try document.resolve(entry)
        let parts = try (entry.arrayValue ?? [entry]).map { part in
            try document.resolve(part).stringValue.map { PDFString(bytes: $0).text } ?? ""
        }
        return (parts.first ?? "", parts.last ?? "")
    }

    // MARK: Parts

    private typealias Setting = (font: FieldFont, name: PDFName, size: Double, color: [UInt8])

    private func setting(for text: String) throws -> Setting? {
        guard let appearance = try DefaultAppearance(of: field, widget, in: form, document),
            appearance.colors.count <= 1,
            let font = try FieldFont(appearance, for: text, form: form, in: document),
            font.keepsASCII(of: text)
        else { return nil }
        return (font, appearance.font, appearance.size, color(appearance))
    }

    /// The operators that set it.
    private func color(_ appearance: DefaultAppearance) -> [UInt8] {
        appearance.colors.flatMap { operation in
            let parts = operation.numbers.map(PDFWriter.text) + [operation.name]
            return Array((parts.joined(separator: " ") + " ").utf8)
        }
    }

    /// Where text of a width begins; nil when that is not known.
    private func left(of width: Double?, _ quadding: Int) throws -> Double? {
        let inset = try borderWidth() + Self.inset
        return switch quadding {
        case 1: width.map { (box.width - $0) / 2 }
        case 2: width.map { box.width - $0 - inset }
        default: inset
        }
    }

    private func borderWidth() throws -> Double {
        let border = try document.value(widget, "BS").dictionaryValue ?? PDFDictionary()
        return try document.value(border, "W").numberValue ?? 1
    }

    private func textStream(
        _ lines: [(text: String, left: Double, bottom: Double)], _ setting: Setting, _ size: Double,
        on ground: [UInt8] = []
    ) throws -> PDFStream {
        let clip = [1, 1, max(0, box.width - 2), max(0, box.height - 2)]
        var data = ground + Array("/Tx BMC\nq\n".utf8)
        data += (clip.map(PDFWriter.text).joined(separator: " ") + " re W n\nBT\n").utf8
        data += setting.color + PDFWriter.bytes(.name(setting.name))
        data += " \(PDFWriter.text(size)) Tf\n".utf8
        var last = (left: 0.0, bottom: 0.0)
        for line in lines {
            let step = [line.left - last.left, line.bottom - last.bottom].map(PDFWriter.text)
            data += (step.joined(separator: " ") + " Td\n").utf8
            last = (line.left, line.bottom)
            PDFWriter.write(.string(PDFString(bytes: setting.font.encoded(line.text))), into: &data)
            data += " Tj\n".utf8
        }
        data += "ET\nQ\nEMC\n".utf8
        return try stream(data, fonts: [setting.name: setting.font.resource])
    }

    private func stream(
        _ content: [UInt8], fonts: PDFDictionary?
    ) throws -> PDFStream {
        var dictionary: PDFDictionary = [
            "Type": .name("XObject"), "Subtype": .name("Form"),
            "BBox": PDFRectangle(0, 0, box.width, box.height).object,
        ]
        if let fonts { dictionary["Resources"] = .dictionary(["Font": .dictionary(fonts)]) }
        return PDFStream(dictionary: dictionary, data: try frame() + content)
    }

    /// The background and the border.
    private func frame() throws -> [UInt8] {
        var content = ""
        if let color = try color(style["BG"], ["g", "rg", "k"]) {
            content += "q \(color) \(outline(inset: 0)) f Q\n"
        }
        let width = try borderWidth()
        if width > 0, let color = try color(style["BC"], ["G", "RG", "K"]) {
            content += "q \(color) \(PDFWriter.text(width)) w "
            content += outline(inset: width / 2) + " S Q\n"
        }
        return Array(content.utf8)
    }

    private func outline(inset: Double) -> String {
        let size = (max(0, box.width - 2 * inset), max(0, box.height - 2 * inset))
        return [inset, inset, size.0, size.1].map(PDFWriter.text).joined(separator: " ") + " re"
    }

    private func color(_ entry: PDFObject?, _ operators: [String]) throws -> String? {
        let parts = try (document.resolve(entry ?? .null).arrayValue ?? []).compactMap {
            try document.resolve($0).numberValue
        }
        let index = [1: 0, 3: 1, 4: 2][parts.count]
        return index.map { parts.map(PDFWriter.text).joined(separator: " ") + " " + operators[$0] }
    }
}
