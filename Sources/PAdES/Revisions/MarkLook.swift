import PDFCore

/// What one state of a button draws: signs and shapes, as far as all of it is plain. Programs that
/// fill in forms draw marks anew, a little larger or elsewhere.
struct MarkLook {
    /// A sign or shape that is painted.
    private struct Part {
        /// Operators of a path with what paints it, or `Tj`.
        var operators: [String]
        /// Codes that are shown.
        var codes: [UInt8] = []
        var font: PDFObject?
        /// Corners in parts of the box; of text where it begins, and its size.
        var points: [SIMD2<Double>]
        var ink: Ink
        var lineWidth = 0.0
    }

    private let parts: [Part]
    /// Width and height, in points.
    private let size: SIMD2<Double>

    /// Most signs and shapes of a mark, and its longest content, in bytes.
    private static let (partLimit, byteLimit) = (8, 4096)
    /// By how many parts of the box a mark may move, by how much it may grow or shrink in each
    /// direction, how far its corners may be from where they are then, and by how many points its
    /// lines may be thicker or thinner.
    private static let (shift, growth, distortion, thickness) = (0.12, 0.75...1.34, 0.02, 1.0)

    /// - Returns: nil when it is not known for certain what is drawn.
    init?(_ form: PDFStream, in document: PDFDocument) throws {
        guard let box = try document.rectangle(form.dictionary["BBox"]), box.width > 0,
            box.height > 0,
            try Transform(form.dictionary["Matrix"], in: document)?.isIdentity ?? true,
            form.dictionary.duplicateKeys.isEmpty,
            Set(form.dictionary.keys).isSubset(of: Self.keys),
            let content = try? document.plainData(of: form, upTo: Self.byteLimit),
            let operations = ContentOperation.all(in: content)
        else { return nil }
        size = SIMD2(box.width, box.height)
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        let fonts = try resources.map { try document.value($0, "Font").dictionaryValue } ?? nil
        guard resources?.duplicateKeys.isEmpty ?? true, fonts?.duplicateKeys.isEmpty ?? true else {
            return nil
        }
        var reading = Reading(box: box, fonts: fonts)
        guard operations.allSatisfy({ reading.follow($0) }), reading.path.operators.isEmpty else {
            return nil
        }
        parts = reading.parts
    }

    private static let keys: Set<PDFName> = [
        "Type", "Subtype", "BBox", "Matrix", "FormType", "Resources", "Length", "Filter", "Name",
    ]

    /// Whether people see the same mark.
    ///
    /// - Parameter areSame: whether two fonts are the same, the earlier one first.
    func isLike(
        _ earlier: MarkLook, _ areSame: (PDFObject?, PDFObject?) throws -> Bool
    ) rethrows -> Bool {
        guard parts.count == earlier.parts.count,
            abs(size.x - earlier.size.x) < 1, abs(size.y - earlier.size.y) < 1
        else { return false }
        return try zip(earlier.parts, parts).allSatisfy { was, now in
            try was.operators == now.operators && was.codes == now.codes && now.ink.isLike(was.ink)
                && abs(was.lineWidth - now.lineWidth) <= Self.thickness
                && Self.areAlike(was.points, now.points)
                && (was.font == nil && now.font == nil || areSame(was.font, now.font))
        }
    }

    /// Whether points are where others were, but for a small shift and growth of all of them.
    private static func areAlike(_ first: [SIMD2<Double>], _ second: [SIMD2<Double>]) -> Bool {
        guard first.count == second.count, let (low, extent) = bounds(first),
            let (newLow, newExtent) = bounds(second)
        else { return first.isEmpty && second.isEmpty }
        let moved = (newLow + newExtent / 2) - (low + extent / 2)
        guard abs(moved.x) <= shift, abs(moved.y) <= shift else { return false }
        var scale = SIMD2(1.0, 1.0)
        for index in 0..<2 where extent[index] > distortion {
            scale[index] = newExtent[index] / extent[index]
            guard growth.contains(scale[index]) else { return false }
        }
        return zip(first, second).allSatisfy { was, now in
            let away = newLow + (was - low) * scale - now
            return abs(away.x) <= distortion && abs(away.y) <= distortion
        }
    }

    private static func bounds(
        _ points: [SIMD2<Double>]
    ) -> (low: SIMD2<Double>, extent: SIMD2<Double>)? {
        guard var low = points.first else { return nil }
        var high = low
        for point in points {
            (low.x, low.y) = (min(low.x, point.x), min(low.y, point.y))
            (high.x, high.y) = (max(high.x, point.x), max(high.y, point.y))
        }
        return (low, high - low)
    }

    /// Goes through the content, which may do next to nothing but draw signs and shapes.
    private struct Reading {
        let box: PDFRectangle
        let fonts: PDFDictionary?
        var parts: [Part] = []
        /// The path that is being built.
        var path: (operators: [String], points: [SIMD2<Double>]) = ([], [])
        private var state = State()
        private var saved: [State] = []
        private var origin: SIMD2<Double>?

        private struct State {
            var (ink, strokeInk): (Ink?, Ink?) = (.black, .black)
            var lineWidth = 1.0
            var font: PDFObject?
            var size = 0.0
        }

        private static let depth = 8
        private static let pointCounts = ["m": 1, "l": 1, "c": 3, "v": 2, "y": 2, "re": 2, "h": 0]
        private static let fills: Set<String> = ["f", "F", "f*"]
        private static let strokes: Set<String> = ["S", "s"]

        init(box: PDFRectangle, fonts: PDFDictionary?) { (self.box, self.fonts) = (box, fonts) }

        /// - Returns: Whether all of it is known.
        mutating func follow(_ operation: ContentOperation) -> Bool {
            let (name, numbers) = (operation.name, operation.numbers)
            guard AppearanceMeasure.areCertain(numbers) else { return false }
            if let count = Self.pointCounts[name] { return build(name, numbers, count, operation) }
            if Self.fills.contains(name) || Self.strokes.contains(name) {
                return operation.operands.isEmpty && paint(name)
            }
            guard path.operators.isEmpty else { return false }
            switch (name, operation.operands.count, numbers.count) {
            case ("q", 0, _) where saved.count < Self.depth && origin == nil: saved.append(state)
            case ("Q", 0, _) where !saved.isEmpty && origin == nil: state = saved.removeLast()
            case ("w", 1, 1): state.lineWidth = numbers[0]
            case ("g", 1, 1), ("rg", 3, 3), ("k", 4, 4): state.ink = Ink(numbers)
            case ("G", 1, 1), ("RG", 3, 3), ("K", 4, 4): state.strokeInk = Ink(numbers)
            case ("BT", 0, _) where origin == nil: origin = .zero
            case ("ET", 0, _) where origin != nil: origin = nil
            case ("Td", 2, 2):
                guard let place = origin else { return false }
                origin = place + SIMD2(numbers[0], numbers[1])
            case ("Tf", 2, 1):
                guard let font = operation.names.first.flatMap({ fonts?[$0] }) else { return false }
                (state.font, state.size) = (font, numbers[0])
            case ("Tj", 1, _): return write(operation)
            case ("BMC", 1, _), ("EMC", 0, _): break
            default: return false
            }
            return true
        }

        private mutating func build(
            _ name: String, _ numbers: [Double], _ count: Int, _ operation: ContentOperation
        ) -> Bool {
            guard numbers.count == 2 * count, operation.operands.count == numbers.count,
                origin == nil, !path.operators.isEmpty || name == "m" || name == "re"
            else { return false }
            path.operators.append(name)
            var points = stride(from: 0, to: numbers.count, by: 2).map {
                SIMD2(numbers[$0], numbers[$0 + 1])
            }
            if name == "re" { points[1] += points[0] }
            path.points += points.map(part)
            return true
        }

        private mutating func paint(_ name: String) -> Bool {
            let isStroke = Self.strokes.contains(name)
            guard origin == nil, !path.operators.isEmpty, parts.count < MarkLook.partLimit,
                let ink = isStroke ? state.strokeInk : state.ink
            else { return false }
            parts.append(
                Part(
                    operators: path.operators + [name], points: path.points, ink: ink,
                    lineWidth: isStroke ? state.lineWidth : 0))
            path = ([], [])
            return true
        }

        /// One sign: where another one would stand is the font's to say.
        private mutating func write(_ operation: ContentOperation) -> Bool {
            guard let place = origin, let font = state.font, let ink = state.ink,
                let codes = operation.strings.first, codes.count == 1,
                parts.count < MarkLook.partLimit
            else { return false }
            parts.append(
                Part(
                    operators: ["Tj"], codes: codes, font: font,
                    points: [part(place), part(place + SIMD2(state.size, state.size))], ink: ink))
            return true
        }

        private func part(_ point: SIMD2<Double>) -> SIMD2<Double> {
            SIMD2((point.x - box.left) / box.width, (point.y - box.bottom) / box.height)
        }
    }
}

extension WidgetLook {
    /// What each state draws, by kind of look and state; nil when any is not plain.
    func markLooks() throws -> [String: MarkLook]? {
        try states { form, document in try MarkLook(form, in: document) }
    }
}
