/// A dictionary of a font in the Compact Font Format (Adobe Technical Note 5176 §4): operands, and the
/// operator behind them.
struct CompactDictionary {
    /// Whole numbers before each operator; nil for others. Operators of two bytes begin with 1200.
    private(set) var entries: [Int: [Int?]] = [:]
    /// Whether an operator comes twice, has other operands than it takes, or none follows some: then
    /// some readers take the first ones, others the last.
    private(set) var isOdd = false

    private static let escape = 12
    private static let escapeBase = 1200
    /// How many operands those operators take by which glyphs are found and drawn, and whether these
    /// are whole numbers.
    private static let shapes: [Int: (count: Int, isWhole: Bool)] = [
        Operator.box: (4, false), Operator.charset: (1, true), Operator.encoding: (1, true),
        Operator.glyphs: (1, true), Operator.secrets: (2, true), Operator.programs: (1, true),
        Operator.kind: (1, true), Operator.matrix: (6, false), Operator.composite: (3, true),
        Operator.parts: (1, true), Operator.choice: (1, true),
    ]

    enum Operator {
        static let box = 5
        static let charset = 15
        static let encoding = 16
        static let glyphs = 17
        /// `Private`, and the subroutines in it.
        static let secrets = 18
        static let programs = 19
        static let kind = 1206
        static let matrix = 1207
        /// `ROS`, of fonts whose glyphs have numbers and no names.
        static let composite = 1230
        /// `FDArray` and `FDSelect`.
        static let parts = 1236
        static let choice = 1237
    }

    /// The last operand of an operator, which has one in fonts that are as they should be.
    subscript(key: Int) -> Int? { entries[key]?.last ?? nil }

    /// - Parameter range: within the bytes.
    init(_ bytes: FontBytes, in range: Range<Int>) {
        var position = range.lowerBound
        var operands: [Int?] = []
        while position < range.upperBound {
            let byte = Int(bytes.bytes[position])
            position += 1
            guard byte <= 21 else {
                guard let length = Self.length(bytes, at: position, byte) else {
                    isOdd = true
                    continue
                }
                operands.append(Self.number(bytes, at: position, byte))
                position += length
                continue
            }
            var found = byte
            if byte == Self.escape, position < range.upperBound {
                found = Self.escapeBase + Int(bytes.bytes[position])
                position += 1
            }
            take(found, operands)
            operands = []
        }
        if !operands.isEmpty || position > range.upperBound { isOdd = true }
    }

    private mutating func take(_ key: Int, _ operands: [Int?]) {
        if entries.updateValue(operands, forKey: key) != nil { isOdd = true }
        guard let shape = Self.shapes[key] else { return }
        if operands.count != shape.count || shape.isWhole && operands.contains(nil) {
            isOdd = true
        }
    }

    /// How many bytes follow the first one of a number; nil for what begins none.
    private static func length(_ bytes: FontBytes, at position: Int, _ first: Int) -> Int? {
        switch first {
        case 28: return 2
        case 29: return 4
        case 30:
            // A real number, to the first nibble that is 15.
            var end = position
            while let byte = bytes.number(end, 1) {
                end += 1
                if byte & 15 == 15 || byte >> 4 == 15 { break }
            }
            return end - position
        case 32...246: return 0
        case 247...254: return 1
        default: return nil
        }
    }

    /// Nil for real numbers.
    private static func number(_ bytes: FontBytes, at position: Int, _ first: Int) -> Int? {
        switch first {
        case 28: bytes.number(position, 2).map { Int(Int16(truncatingIfNeeded: $0)) }
        case 29: bytes.number(position, 4).map { Int(Int32(truncatingIfNeeded: $0)) }
        case 32...246: first - 139
        case 247...250: bytes.number(position, 1).map { (first - 247) * 256 + Int($0) + 108 }
        case 251...254: bytes.number(position, 1).map { -(first - 251) * 256 - Int($0) - 108 }
        default: nil
        }
    }
}
