/// The direction of each part of a line that mixes directions, by the rules of the Unicode
/// bidirectional algorithm (UAX #9) without explicit embeddings, whose control characters are
/// taken out of a stamp's text beforehand.
struct BidiText {
    /// What a character contributes.
    enum Kind {
        case leftToRight, rightToLeft
        /// A digit: written from left to right in text of either direction.
        case digit
        /// Belongs to the digits on both sides of it: `12.5`, `10:30`.
        case digitSeparator
        /// Takes the direction of the character before it.
        case mark
        case neutral
    }

    /// Even levels run from left to right, odd ones from right to left.
    let levels: [UInt8]
    /// That of the first character with a direction (rules P2 and P3).
    let isRightToLeft: Bool

    /// - Parameter brackets: the closing bracket of each opening one in the text, by index.
    init(_ kinds: [Kind], brackets: [Int: Int] = [:]) {
        let first = kinds.first { $0 == .leftToRight || $0 == .rightToLeft }
        isRightToLeft = first == .rightToLeft
        let base = isRightToLeft ? Kind.rightToLeft : .leftToRight
        guard kinds.contains(.rightToLeft) else {
            levels = Array(repeating: 0, count: kinds.count)
            return
        }

        var resolved = Self.withMarksResolved(kinds)
        Self.resolveDigits(&resolved, base: base)
        Self.resolveBrackets(&resolved, brackets, base: base)
        // N1, N2: neutrals between two of a kind follow them, others the paragraph.
        var index = 0
        while index < resolved.count {
            guard resolved[index] == .neutral else {
                index += 1
                continue
            }
            let end = resolved[index...].firstIndex { $0 != .neutral } ?? resolved.count
            let before = index == 0 ? base : Self.side(resolved[index - 1])
            let after = end == resolved.count ? base : Self.side(resolved[end])
            for position in index..<end { resolved[position] = before == after ? before : base }
            index = end
        }
        let isRightToLeft = isRightToLeft
        levels = resolved.map { kind in
            switch kind {
            case .rightToLeft: 1
            case .digit: 2
            default: isRightToLeft ? 2 : 0
            }
        }
    }

    /// The order of drawing from left to right: `levels` by position in the line (rule L2).
    static func visualOrder(_ levels: [UInt8]) -> [Int] {
        var order = Array(levels.indices)
        guard let highest = levels.max(), highest > 0 else { return order }
        for level in stride(from: highest, to: 0, by: -1) {
            var start = 0
            while start < order.count {
                guard levels[order[start]] >= level else {
                    start += 1
                    continue
                }
                let end = order[start...].firstIndex { levels[$0] < level } ?? order.count
                order[start..<end].reverse()
                start = end
            }
        }
        return order
    }

    /// W1.
    private static func withMarksResolved(_ kinds: [Kind]) -> [Kind] {
        var previous = Kind.neutral
        return kinds.map { kind in
            if kind != .mark { previous = kind }
            return previous
        }
    }

    /// W2 to W7: separators join digits; digits after text from left to right are part of it.
    private static func resolveDigits(_ kinds: inout [Kind], base: Kind) {
        for index in kinds.indices where kinds[index] == .digitSeparator {
            let joins =
                index > 0 && index + 1 < kinds.count && kinds[index - 1] == .digit
                && kinds[index + 1] == .digit
            kinds[index] = joins ? .digit : .neutral
        }
        var strong = base
        for index in kinds.indices {
            switch kinds[index] {
            case .leftToRight, .rightToLeft: strong = kinds[index]
            case .digit where strong == .leftToRight: kinds[index] = .leftToRight
            default: break
            }
        }
    }

    /// N0: a pair of brackets takes the direction of what it holds.
    private static func resolveBrackets(
        _ kinds: inout [Kind], _ brackets: [Int: Int], base: Kind
    ) {
        for (open, close) in brackets.sorted(by: { $0.key < $1.key }) {
            let inside = kinds[(open + 1)..<close].lazy.filter { $0 != .neutral }.map(side)
            guard !inside.isEmpty else { continue }
            var direction = base
            if !inside.contains(base) {
                // Only the other direction inside: it counts when it holds before as well.
                let before = kinds[..<open].last { $0 != .neutral }.map(side) ?? base
                direction = before
            }
            kinds[open] = direction
            kinds[close] = direction
        }
    }

    /// Digits that are left count as text from right to left for their neighbours.
    private static func side(_ kind: Kind) -> Kind { kind == .digit ? .rightToLeft : kind }
}
