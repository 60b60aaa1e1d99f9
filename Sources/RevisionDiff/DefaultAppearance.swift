import PDFCore

/// The font, size and text color of a default appearance (/DA, ISO 32000-2 §12.7.4.3).
struct DefaultAppearance: Equatable {
    private(set) var font: PDFName?
    /// In points; 0 for a size that viewers choose.
    private(set) var size = 0.0
    /// Black without an operator; nil if the color is unknown.
    private(set) var color: TextColor? = .black
    /// Operators other than one for the font and one for the text color, with their operands.
    private(set) var otherOperators: [String] = []
    /// Whether all viewers divide it into the same parts: names, numbers and operators of plain
    /// characters, with spaces between them.
    private(set) var isSpelledPlainly = false

    /// Delimiters other than that of names: viewers divide strings and comments in different ways.
    private static let delimiters = Set("()<>[]{}%".utf8)

    /// - Parameter entry: The value of /DA, or null.
    /// - Returns: nil if it is unreadable.
    init?(_ entry: PDFObject) {
        guard entry != .null else { return }
        guard let text = entry.stringValue, Self.delimiters.isDisjoint(with: text),
            let operations = ContentOperation.all(in: text)
        else { return nil }
        isSpelledPlainly = text.split(separator: 0x20).allSatisfy(Self.isPlain)
        var isColorSet = false
        for operation in operations {
            let numbers = operation.numbers
            switch (operation.name, numbers.count) {
            case ("Tf", 1) where font == nil && operation.names.count == 1:
                (font, size) = (operation.names[0], numbers[0])
            case ("g", 1) where !isColorSet, ("rg", 3) where !isColorSet,
                ("k", 4) where !isColorSet:
                (color, isColorSet) = (TextColor(numbers), true)
            case ("g", _), ("rg", _), ("k", _), ("cs", _), ("sc", _), ("scn", _):
                color = nil
                fallthrough
            default: otherOperators.append("\(operation.name) \(operation.operands)")
            }
        }
    }
}

extension DefaultAppearance {
    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let digits = Set("0123456789.-".utf8)
    private static let nameBytes = letters.union(digits).union("_+,".utf8)

    /// Whether the part is a name, number or operator without escapes and control characters.
    private static func isPlain(_ part: ArraySlice<UInt8>) -> Bool {
        let isName = part.first == UInt8(ascii: "/")
        let body = isName ? part.dropFirst() : part
        return body.allSatisfy(isName ? Self.nameBytes.contains : Self.letters.contains)
            || !isName && body.allSatisfy(Self.digits.contains)
    }
}

/// A gray, RGB or CMYK color as RGB components from 0 to 1.
struct TextColor: Equatable {
    private let components: [Double]

    static let black = TextColor(components: [0, 0, 0])
    static let white = TextColor(components: [1, 1, 1])
    /// Components are compared as whole steps: some programs write two decimals. A tolerance would
    /// let many revisions fade a text.
    private static let stepCount = 100.0

    private init(components: [Double]) { self.components = components }

    /// - Returns: nil if a number is not between 0 and 1, or their count is not 1, 3 or 4.
    init?(_ numbers: [Double]) {
        guard numbers.allSatisfy((0...1).contains) else { return nil }
        switch numbers.count {
        case 1: components = [numbers[0], numbers[0], numbers[0]]
        case 3: components = numbers
        case 4: components = numbers.prefix(3).map { (1 - $0) * (1 - numbers[3]) }
        default: return nil
        }
    }

    /// The luminance, from 0 for black to 1 for white.
    var lightness: Double { 0.3 * components[0] + 0.59 * components[1] + 0.11 * components[2] }

    func isAlike(_ other: TextColor) -> Bool {
        zip(components, other.components).allSatisfy {
            ($0 * Self.stepCount).rounded() == ($1 * Self.stepCount).rounded()
        }
    }
}
