/// The direction of each part of a line that mixes directions, by the rules of the Unicode
/// bidirectional algorithm (UAX #9). Of its explicit marks there are isolates, one deep; others are
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
        /// Around what has a direction of its own.
        case isolateStart, isolateEnd

        var isIsolateMark: Bool { self == .isolateStart || self == .isolateEnd }
    }

    /// Even levels run from left to right, odd ones from right to left.
    private(set) var levels: [UInt8]
    /// That of the first character with a direction (rules P2 and P3), unless it was given.
    let isRightToLeft: Bool
    /// Whether there is a character with a direction, isolated ones aside.
    let hasDirection: Bool

    /// - Parameters:
    ///   - kinds: each start of an isolate before its end, none within another.
    ///   - brackets: the closing bracket of each opening one in the text, by index.
    ///   - isRightToLeft: nil leaves it to the text.
    init(_ kinds: [Kind], brackets: [Int: Int] = [:], isRightToLeft: Bool? = nil) {
        // BD9: what is isolated has a direction of its own, and is one neutral to its neighbours.
        var outer: [Int] = []
        var isolates: [[Int]] = []
        var isIsolated = false
        for (index, kind) in kinds.enumerated() {
            switch kind {
            case .isolateStart:
                outer.append(index)
                isolates.append([])
                isIsolated = true
            case .isolateEnd: isIsolated = false
            default:
                if isIsolated {
                    isolates[isolates.count - 1].append(index)
                } else {
                    outer.append(index)
                }
            }
        }
        let first = Self.direction(of: outer.map { kinds[$0] })
        hasDirection = first != nil
        let base = isRightToLeft ?? (first == .rightToLeft)
        self.isRightToLeft = base
        levels = [UInt8](repeating: 0, count: kinds.count)
        guard base || kinds.contains(.rightToLeft) else { return }
        resolve(outer, of: kinds, brackets, base: base, above: 0)
        // Both marks belong to the text around them.
        var start = 0
        for (index, kind) in kinds.enumerated() {
            if kind == .isolateStart { start = index }
            if kind == .isolateEnd { levels[index] = levels[start] }
        }
        for isolate in isolates {
            // X5a to X5c: the next level of the direction.
            let inner = Self.direction(of: isolate.map { kinds[$0] }) == .rightToLeft
            resolve(isolate, of: kinds, brackets, base: inner, above: inner && !base ? 0 : 2)
        }
    }

    /// Sets the levels of some characters, which are a text by themselves.
    private mutating func resolve(
        _ indices: [Int], of kinds: [Kind], _ brackets: [Int: Int], base: Bool, above: UInt8
    ) {
        let positions = Dictionary(
            uniqueKeysWithValues: indices.enumerated().map { ($0.element, $0.offset) })
        var pairs: [Int: Int] = [:]
        for (open, close) in brackets {
            if let open = positions[open], let close = positions[close] { pairs[open] = close }
        }
        let resolved = Self.levels(
            indices.map { kinds[$0] }, brackets: pairs, isRightToLeft: base)
        for (index, level) in zip(indices, resolved) { levels[index] = above + level }
    }

    /// That of the first character that has one.
    private static func direction(of kinds: [Kind]) -> Kind? {
        kinds.first { $0 == .leftToRight || $0 == .rightToLeft }
    }

    /// The levels of text without isolates.
    private static func levels(
        _ kinds: [Kind], brackets: [Int: Int], isRightToLeft: Bool
    ) -> [UInt8] {
        let base = isRightToLeft ? Kind.rightToLeft : .leftToRight
        var resolved = withMarksResolved(kinds.map { $0 == .isolateStart ? .neutral : $0 })
        resolveDigits(&resolved, base: base)
        resolveBrackets(&resolved, brackets, base: base)
        // N1, N2: neutrals between two of a kind follow them, others the paragraph.
        var index = 0
        while index < resolved.count {
            guard resolved[index] == .neutral else {
                index += 1
                continue
            }
            let end = resolved[index...].firstIndex { $0 != .neutral } ?? resolved.count
            let before = index == 0 ? base : side(resolved[index - 1])
            let after = end == resolved.count ? base : side(resolved[end])
            for position in index..<end { resolved[position] = before == after ? before : base }
            index = end
        }
        return resolved.map { kind in
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
