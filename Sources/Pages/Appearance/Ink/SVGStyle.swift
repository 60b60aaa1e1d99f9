import TextBridge

/// How SVG shapes are drawn (SVG 1.1 §11), as far as ink goes: one colour each for inside and
/// outline, its width, whether anything shows.
struct SVGStyle {
    /// `fill`'s initial value is black, `stroke`'s none.
    var fill: StampColor? = StampColor(gray: 0)
    var stroke: StampColor?
    var strokeWidth = 1.0
    var isEvenOdd = false
    var isVisible = true
    /// `currentColor`.
    var color = StampColor(gray: 0)

    /// Attributes first, then rules of style sheets, then the `style` attribute.
    mutating func apply(_ element: XMLElement, rules: [String]) {
        // The colour first, which the others may refer to.
        for name in [
            "color", "fill", "stroke", "stroke-width", "fill-rule", "display",
            "visibility", "opacity", "fill-opacity", "stroke-opacity",
        ] {
            if let value = element[name] { set(name, value) }
        }
        for declarations in rules { apply(declarations: declarations) }
        if let declarations = element["style"] { apply(declarations: declarations) }
    }

    private mutating func apply(declarations: String) {
        for declaration in declarations.split(separator: ";") {
            let parts = declaration.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            set(SVGColor.trimmed(parts[0]), SVGColor.trimmed(parts[1]))
        }
    }

    private mutating func set(_ name: String, _ value: String) {
        guard value != "inherit" else { return }
        switch name {
        case "color": color = SVGColor.parse(value) ?? color
        case "fill": fill = paint(value, or: fill)
        case "stroke": stroke = paint(value, or: stroke)
        case "stroke-width":
            var scanner = SVGScanner(value)
            if let width = scanner.number(), width >= 0 { strokeWidth = width }
        case "fill-rule": isEvenOdd = value == "evenodd"
        case "display": isVisible = isVisible && value != "none"
        case "visibility": isVisible = value == "visible"
        case "opacity": isVisible = isVisible && !isZero(value)
        case "fill-opacity": if isZero(value) { fill = nil }
        case "stroke-opacity": if isZero(value) { stroke = nil }
        default: break
        }
    }

    private func isZero(_ value: String) -> Bool {
        var scanner = SVGScanner(value)
        return scanner.number() == 0
    }

    private func paint(_ value: String, or inherited: StampColor?) -> StampColor? {
        switch value {
        case "none", "transparent": nil
        case "currentColor": color
        // Gradients and patterns are drawn in the colour that is there.
        default: SVGColor.parse(value) ?? inherited ?? color
        }
    }
}

/// The simplest rules of style sheets: of a class, an identifier, an element.
struct SVGRules {
    /// Of all rules together; what is more is left out.
    private static let byteLimit = 64 << 10
    /// Classes of one element that are looked up.
    private static let classLimit = 8
    private var declarations: [String: String] = [:]
    private var byteCount = 0

    mutating func add(sheet: String) {
        var rest = sheet[...]
        while let open = rest.firstIndex(of: "{"), let close = rest.firstIndex(of: "}"),
            open < close
        {
            let body = String(rest[rest.index(after: open)..<close])
            for selector in rest[..<open].split(separator: ",") {
                byteCount += selector.utf8.count + body.utf8.count
                guard byteCount <= Self.byteLimit else { return }
                declarations[SVGColor.trimmed(selector), default: ""] += ";" + body
            }
            rest = rest[rest.index(after: close)...]
        }
    }

    func matching(_ element: XMLElement) -> [String] {
        guard !declarations.isEmpty else { return [] }
        let classes = (element["class"] ?? "").split(separator: " ", maxSplits: Self.classLimit)
            .prefix(Self.classLimit).map { ".\($0)" }
        let selectors = [element.name.local] + classes + (element["id"].map { ["#\($0)"] } ?? [])
        return selectors.compactMap { declarations[$0] }
    }
}

/// Colours of SVG and CSS: `#rgb`, `#rrggbb`, `rgb(...)`, the basic names.
enum SVGColor {
    private static let names: [String: UInt32] = [
        "black": 0x000000, "white": 0xFFFFFF, "red": 0xFF0000, "green": 0x008000,
        "blue": 0x0000FF, "navy": 0x000080, "gray": 0x808080, "grey": 0x808080,
        "silver": 0xC0C0C0, "maroon": 0x800000, "purple": 0x800080, "teal": 0x008080,
        "darkblue": 0x00008B, "midnightblue": 0x191970, "royalblue": 0x4169E1,
        "indigo": 0x4B0082, "dimgray": 0x696969, "darkslategray": 0x2F4F4F,
    ]

    static func parse(_ text: String) -> StampColor? {
        let name = trimmed(text[...]).lowercased()
        if let value = names[name] { return color(value) }
        if name.hasPrefix("#") {
            let digits = name.dropFirst()
            guard digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
                return nil
            }
            switch digits.count {
            case 3:
                let (r, g, b) = (value >> 8 & 15, value >> 4 & 15, value & 15)
                return color((r << 16 | g << 8 | b) * 17)
            case 6: return color(value)
            default: return nil
            }
        }
        guard name.hasPrefix("rgb"), let open = name.firstIndex(of: "(") else { return nil }
        var scanner = SVGScanner(String(name[name.index(after: open)...]))
        var parts: [Double] = []
        for _ in 0..<3 {
            guard let number = scanner.number() else { return nil }
            let isPercent = scanner.skip(UInt8(ascii: "%"))
            parts.append(min(max(number / (isPercent ? 100 : 255), 0), 1))
        }
        return StampColor(red: parts[0], green: parts[1], blue: parts[2])
    }

    private static func color(_ value: UInt32) -> StampColor {
        StampColor(
            red: Double(value >> 16 & 255) / 255, green: Double(value >> 8 & 255) / 255,
            blue: Double(value & 255) / 255)
    }

    static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
